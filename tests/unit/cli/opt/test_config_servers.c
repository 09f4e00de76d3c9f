#include "cli/opt/config_servers.h"

#include "cli/opt/config_load.h"
#include "cli/opt/config_taskfile.h"
#include "tests/unit/unit.h"

static const struct row {
	const char *name, *server, *why; /* NULL = it is good */
} rows[] = {
	{ "a command alone", "\"a\":{\"command\":\"x\"}", NULL },
	{ "all",
	  "\"a_b-1\":{\"command\":\"x\",\"args\":[\"-y\"],\"env\":{\"K\":\"v\"}}",
	  NULL },
	{ "no command", "\"a\":{}", "it needs a 'command'" },
	{ "an empty command", "\"a\":{\"command\":\"\"}", "it needs a 'command'" },
	{ "no object", "\"a\":\"x\"", "it needs a 'command'" },
	{ "a bad name", "\"a b\":{\"command\":\"x\"}",
	  "a name has up to 16 letters, digits, - and _" },
	{ "a long name", "\"aaaaaaaaaaaaaaaaa\":{\"command\":\"x\"}",
	  "a name has up to 16 letters, digits, - and _" },
	{ "an unknown key", "\"a\":{\"command\":\"x\",\"url\":\"y\"}",
	  "unknown key 'url'; known are command, args, env, outside" },
	{ "args that are none", "\"a\":{\"command\":\"x\",\"args\":\"y\"}",
	  "'args' must be a list of strings" },
	{ "an arg that is none", "\"a\":{\"command\":\"x\",\"args\":[1]}",
	  "'args' must be a list of strings" },
	{ "env that is a list", "\"a\":{\"command\":\"x\",\"env\":[\"K\"]}",
	  "'env' must be an object of strings" },
	{ "outside", "\"a\":{\"command\":\"x\",\"outside\":true}", NULL },
	{ "outside as a word", "\"a\":{\"command\":\"x\",\"outside\":\"yes\"}",
	  "'outside' must be true or false" },
	{ "env with a name of two parts",
	  "\"a\":{\"command\":\"x\",\"env\":{\"A=B\":\"v\"}}",
	  "'env' must be an object of strings" },
};

static void test_row(const void *p)
{
	const struct row *row = p;
	_cleanup_buf_ struct buf text = BUF_INIT(4000);
	_cleanup_json_ struct json *j = NULL;
	struct err e = ERR_NONE;
	int r;

	buf_addf(&text, "{%s}", row->server);
	unit_ok(json_parse(buf_cstr(&text), text.len, &j, &e), &e);
	r = config_servers_check(json_first(j), &e);
	assert_int_equal(r, row->why ? -EINVAL : 0);
	if (row->why)
		assert_string_equal(e.msg, row->why);
}

static void of_user_and_project(void)
{
	static const char user[] =
		"{\"mcp-servers\":{\"a\":{\"command\":\"mine\"},\"b\":"
		"{\"command\":\"b\"}}}";
	static const char project[] =
		"{\"mcp-servers\":{\"a\":{\"command\":\"theirs\"},\"c\":"
		"{\"command\":\"c\"}}}";
	_cleanup_config_ struct config c;
	struct err e = ERR_NONE;

	config_init(&c);
	unit_ok(config_load_text(&c, "c", user, strlen(user), &e), &e);
	unit_ok(config_taskfile_load(&c, project, strlen(project), &e), &e);
	assert_string_equal(json_get_str(config_servers_find(&c, 0), "command"),
			    "mine");
	assert_string_equal(json_get_str(config_servers_find(&c, 1), "command"), "b");
	assert_string_equal(json_get_str(config_servers_find(&c, 2), "command"), "c");
	assert_null(config_servers_find(&c, 3));
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "of user and project", of_user_and_project },
	};

	return unit_rows("config_servers_check", rows, test_row) +
	       unit_cases("config_servers_find", cases);
}
