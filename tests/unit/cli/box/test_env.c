#include "tests/unit/unit.h"

#include "cli/box/env.h"

static char *const caller[] = { (char[]){ "TERM=xterm" },
				(char[]){ "HOME=/home/me" },
				(char[]){ "LC_ALL=C.UTF-8" },
				(char[]){ "LD_PRELOAD=/x.so" },
				(char[]){ "OPENAI_API_KEY=sk-secret" },
				(char[]){ "MINE=a=b" },
				NULL };

static const struct row {
	const char *name, *words[3], *want; /* joined by blanks */
	int code;
	const char *msg;
} rows[] = {
	{ "only what a terminal needs",
	  { NULL },
	  "TERM=xterm LC_ALL=C.UTF-8",
	  0,
	  NULL },
	{ "a name brings the value here",
	  { "MINE" },
	  "TERM=xterm LC_ALL=C.UTF-8 MINE=a=b",
	  0,
	  NULL },
	{ "a name that is not here is left out",
	  { "ABSENT" },
	  "TERM=xterm LC_ALL=C.UTF-8",
	  0,
	  NULL },
	{ "a value given replaces",
	  { "TERM=dumb", "A=" },
	  "TERM=dumb LC_ALL=C.UTF-8 A=",
	  0,
	  NULL },
	{ "a model's key",
	  { "OPENAI_API_KEY" },
	  NULL,
	  -EPERM,
	  "--env: 'OPENAI_API_KEY' is a model's key and never enters a box; "
	  "--env +OPENAI_API_KEY all the same" },
	{ "a provider's key of the configuration",
	  { "CORP_KEY=1" },
	  NULL,
	  -EPERM,
	  "--env: 'CORP_KEY' is a model's key and never enters a box; --env +CORP_KEY "
	  "all the same" },
	{ "a key that is meant",
	  { "+OPENAI_API_KEY", "+CORP_KEY=2" },
	  "TERM=xterm LC_ALL=C.UTF-8 OPENAI_API_KEY=sk-secret CORP_KEY=2",
	  0,
	  NULL },
};

static void test(const void *p)
{
	static const char file[] =
		"{\"providers\": {\"corp\": {\"key-env\": \"CORP_KEY\"}}}";
	const struct row *r = p;
	_cleanup_config_ struct config c;
	_cleanup_env_ struct env env = ENV_NONE;
	struct err e = ERR_NONE;
	char joined[256] = "";
	int got;

	config_init(&c);
	unit_ok(json_parse(file, strlen(file), &c.file, &e), &e);
	for (size_t i = 0; r->words[i]; i++)
		unit_ok(config_set(&c, CONFIG_ENV, r->words[i], CONFIG_FROM_FLAG, &e),
			&e);
	got = env_make(&c, caller, &env, &e);
	if (r->msg) {
		assert_int_equal(got, r->code);
		unit_err(&e, r->code, r->msg);
		assert_null(env.v);
		return;
	}
	unit_ok(got, &e);
	for (size_t i = 0; env.v[i]; i++) {
		strncat(joined, i ? " " : "", sizeof(joined) - strlen(joined) - 1);
		strncat(joined, env.v[i], sizeof(joined) - strlen(joined) - 1);
	}
	assert_string_equal(joined, r->want);
}

/* What a file of a project says is nobody's own word. */
static void forced_by_a_file(void)
{
	_cleanup_config_ struct config c;
	_cleanup_env_ struct env env = ENV_NONE;
	struct err e = ERR_NONE;

	config_init(&c);
	unit_ok(config_set(&c, CONFIG_ENV, "+OPENAI_API_KEY", CONFIG_FROM_PROJECT, &e),
		&e);
	unit_ok(env_make(&c, caller, &env, &e), &e);
	for (size_t i = 0; env.v[i]; i++)
		assert_null(strstr(env.v[i], "sk-secret"));
}

/* An image counts least, and what is no variable not at all. */
static void of_an_image(void)
{
	_cleanup_config_ struct config c;
	_cleanup_env_ struct env env = ENV_NONE;
	_cleanup_json_ struct json *list = json_array();
	struct err e = ERR_NONE;

	config_init(&c);
	unit_ok(config_set(&c, CONFIG_ENV, "MINE=1", CONFIG_FROM_FLAG, &e), &e);
	unit_ok(env_make(&c, (char *[]){ NULL }, &env, &e), &e);
	assert_int_equal(json_add(list, json_string("MINE=2")), 0);
	assert_int_equal(json_add(list, json_string("NEW=")), 0);
	assert_int_equal(json_add(list, json_string("=x")), 0);
	assert_int_equal(json_add(list, json_string("word")), 0);
	assert_int_equal(json_add(list, json_number(7)), 0);
	unit_ok(env_add_image(&env, list, &e), &e);
	assert_int_equal(env.n, 2);
	assert_string_equal(env.v[0], "MINE=1");
	assert_string_equal(env.v[1], "NEW=");
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "forced by a file", forced_by_a_file },
		{ "of an image", of_an_image },
	};

	return unit_rows("env", rows, test) + unit_cases("env", cases);
}
