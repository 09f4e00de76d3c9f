#include "cli/opt/config_task.h"

#include "tests/unit/unit.h"

static void set(struct config *c, enum config_key k, const char *text,
		enum config_source from)
{
	struct err e = ERR_NONE;

	unit_ok(config_set(c, k, text, from, &e), &e);
}

static void goes_on_with_what_it_had(void)
{
	_cleanup_config_ struct config first, then;
	_cleanup_json_ struct json *j = NULL;
	struct err e = ERR_NONE;

	config_init(&first);
	set(&first, CONFIG_TIMEOUT, "10m", CONFIG_FROM_FLAG);
	set(&first, CONFIG_ASK, NULL, CONFIG_FROM_FLAG);
	set(&first, CONFIG_MODEL, "fast", CONFIG_FROM_FLAG);
	set(&first, CONFIG_APPLY, "never", CONFIG_FROM_FLAG);
	set(&first, CONFIG_APPLY_DENY, "*.sh", CONFIG_FROM_FLAG);
	set(&first, CONFIG_APPLY_DENY, "*.py", CONFIG_FROM_FLAG);
	set(&first, CONFIG_ENV, "TOKEN=secret", CONFIG_FROM_FLAG);
	j = config_task_save(&first, "anthropic:small");
	assert_null(json_get(j, "env"));
	config_init(&then);
	set(&then, CONFIG_MAX_ROUNDS, "7", CONFIG_FROM_ENV);
	set(&then, CONFIG_ON_ERROR, "stop", CONFIG_FROM_FLAG);
	unit_ok(config_task_load(&then, j, &e), &e);
	assert_string_equal(config_text(&then, CONFIG_MODEL), "anthropic:small");
	assert_int_equal(config_num(&then, CONFIG_TIMEOUT), 600000);
	assert_true(config_on(&then, CONFIG_ASK));
	assert_string_equal(config_text(&then, CONFIG_APPLY), "never");
	assert_null(*config_list(&then, CONFIG_APPLY_ALLOW));
	assert_string_equal(config_list(&then, CONFIG_APPLY_DENY)[0], "*.sh");
	assert_string_equal(config_list(&then, CONFIG_APPLY_DENY)[1], "*.py");
	assert_int_equal(config_num(&then, CONFIG_MAX_ROUNDS), 200);
	assert_string_equal(config_text(&then, CONFIG_ON_ERROR), "stop");
}

static void of_another_version(void)
{
	static const char text[] = "{\"timeout\":\"soon\",\"model\":7,\"new\":\"x\"}";
	_cleanup_json_ struct json *j = unit_json(text);
	_cleanup_config_ struct config c;
	struct err e = ERR_NONE;

	config_init(&c);
	unit_ok(config_task_load(&c, j, &e), &e);
	unit_ok(config_task_load(&c, NULL, &e), &e);
	assert_int_equal(config_num(&c, CONFIG_TIMEOUT), 0);
	assert_null(config_text(&c, CONFIG_MODEL));
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "goes on with what it had", goes_on_with_what_it_had },
		{ "of another version", of_another_version },
	};

	return unit_cases("config_task", cases);
}
