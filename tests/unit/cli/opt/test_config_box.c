#include "tests/unit/unit.h"

#include "cli/opt/config_box.h"

static void flags_are_kept_and_found_again(void)
{
	_cleanup_config_ struct config first, second;
	_cleanup_json_ struct json *o = json_object();
	struct err e = ERR_NONE;

	config_init(&first);
	config_init(&second);
	unit_ok(config_set(&first, CONFIG_MEMORY, "1G", CONFIG_FROM_FLAG, &e), &e);
	unit_ok(config_set(&first, CONFIG_ALLOW, "a", CONFIG_FROM_FLAG, &e), &e);
	unit_ok(config_set(&first, CONFIG_ALLOW, "b", CONFIG_FROM_FLAG, &e), &e);
	unit_ok(config_set(&first, CONFIG_PIDS, "5", CONFIG_FROM_ENV, &e), &e);
	unit_ok(config_set(&first, CONFIG_USER, "nobody", CONFIG_FROM_FLAG, &e), &e);
	assert_int_equal(config_box_save(&first, o), 1);
	assert_int_equal(config_box_save(&first, o), 0);

	unit_ok(config_box_load(&second, o, &e), &e);
	assert_int_equal(config_num(&second, CONFIG_MEMORY), 1 << 30);
	assert_string_equal(config_list(&second, CONFIG_ALLOW)[1], "b");
	assert_false(config_is_set(&second, CONFIG_PIDS)); /* not meant for the box */
	assert_string_equal(config_text(&second, CONFIG_USER), "nobody");
}

static void a_flag_beats_what_was_kept(void)
{
	_cleanup_config_ struct config c;
	_cleanup_json_ struct json *o = json_object();
	struct err e = ERR_NONE;

	config_init(&c);
	json_set_str(o, "net", "none");
	unit_ok(config_set(&c, CONFIG_NET, "host", CONFIG_FROM_FLAG, &e), &e);
	unit_ok(config_box_load(&c, o, &e), &e);
	assert_string_equal(config_text(&c, CONFIG_NET), "host");
	assert_int_equal(config_box_save(&c, o), 1);
	assert_string_equal(json_get_str(o, "net"), "host");
}

static void names_are_found_or_told(void)
{
	struct err e = ERR_NONE;

	assert_int_equal(config_box_find("memory", &e), CONFIG_MEMORY);
	assert_int_equal(config_box_find("memry", &e), -EINVAL);
	unit_err(&e, -EINVAL, "there is no setting 'memry'; did you mean 'memory'?");
	assert_int_equal(config_box_find("image", &e), -EINVAL);
}

static void foreign_content_does_no_harm(void)
{
	_cleanup_config_ struct config c;
	_cleanup_json_ struct json *o = json_object();
	struct err e = ERR_NONE;

	config_init(&c);
	json_set_str(o, "teleport", "on");
	json_set_str(o, "memory", "lots");
	json_set_int(o, "pids", 3);
	unit_ok(config_box_load(&c, o, &e), &e);
	unit_ok(config_box_load(&c, NULL, &e), &e);
	assert_false(config_is_set(&c, CONFIG_MEMORY));
	assert_false(config_is_set(&c, CONFIG_PIDS));
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "flags are kept and found again", flags_are_kept_and_found_again },
		{ "a flag beats what was kept", a_flag_beats_what_was_kept },
		{ "names are found or told", names_are_found_or_told },
		{ "foreign content does no harm", foreign_content_does_no_harm },
	};

	return unit_cases("config_box", cases);
}
