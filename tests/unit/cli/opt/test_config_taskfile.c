#include "tests/unit/unit.h"

#include "cli/opt/config_taskfile.h"

static const struct row {
	const char *name, *text;
	int want;
	const char *msg; /* or the model */
} rows[] = {
	{ "what is free", "{\"model\":\"m\",\"effort\":\"low\",\"system-extra\":\"x\"}",
	  0, "m" },
	{ "limits that are lowered",
	  "{\"max-rounds\":5,\"max-cost\":0.5,\"timeout\":\"1m\"}", 0, NULL },
	{ "a limit that is raised", "{\"model\":\"m\",\"max-rounds\":5000}", -EPERM,
	  ".cubby/config.json: a project may only lower 'max-rounds', from 200" },
	{ "a question more", "{\"ask\":true}", 0, NULL },
	{ "a question less", "{\"ask\":false}", -EPERM,
	  ".cubby/config.json: a project may not switch 'ask' off" },
	{ "the network", "{\"net\":\"none\"}", -EPERM,
	  ".cubby/config.json: 'net' is not for a project to set" },
	{ "names", "{\"allow\":[\"evil.test\"]}", -EPERM,
	  ".cubby/config.json: 'allow' is not for a project to set" },
	{ "where keys are sent", "{\"providers\":{}}", -EPERM,
	  ".cubby/config.json: 'providers' is not for a project to set" },
	{ "memory", "{\"memory\":\"64G\"}", -EPERM,
	  ".cubby/config.json: 'memory' is not for a project to set" },
	{ "a server in the box", "{\"mcp-servers\":{\"s\":{\"command\":\"x\"}}}", 0,
	  NULL },
	{ "a server outside",
	  "{\"mcp-servers\":{\"s\":{\"command\":\"x\",\"outside\":true}}}", -EPERM,
	  ".cubby/config.json: MCP server 's': only your own configuration may say "
	  "'outside'" },
	{ "a list", "[]", -EINVAL,
	  ".cubby/config.json:1: it must be an object, not list" },
};

static void test(const void *p)
{
	const struct row *r = p;
	_cleanup_config_ struct config c;
	struct err e = ERR_NONE;

	config_init(&c);
	assert_int_equal(config_taskfile_load(&c, r->text, strlen(r->text), &e),
			 r->want);
	if (r->want < 0) {
		assert_string_equal(e.msg, r->msg);
		assert_null(config_text(&c, CONFIG_MODEL)); /* none of it */
		assert_int_equal(config_num(&c, CONFIG_MAX_ROUNDS), 200);
	} else if (r->msg) {
		assert_string_equal(config_text(&c, CONFIG_MODEL), r->msg);
	}
}

static void what_the_person_said_wins(void)
{
	static const char text[] = "{\"model\":\"theirs\",\"max-rounds\":5}";
	_cleanup_config_ struct config c;
	struct err e = ERR_NONE;

	config_init(&c);
	unit_ok(config_set(&c, CONFIG_MODEL, "mine", CONFIG_FROM_FLAG, &e), &e);
	unit_ok(config_taskfile_load(&c, text, strlen(text), &e), &e);
	assert_string_equal(config_text(&c, CONFIG_MODEL), "mine");
	assert_int_equal(config_num(&c, CONFIG_MAX_ROUNDS), 5);
	assert_string_equal(config_source_name(c.v[CONFIG_MAX_ROUNDS].from), "project");
	unit_ok(config_taskfile_load(&c, text, strlen(text), &e), &e); /* again */
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "what the person said wins", what_the_person_said_wins },
	};

	return unit_rows("config_taskfile_load", rows, test) +
	       unit_cases("config_taskfile", cases);
}
