/* The table and the arguments; the tools themselves: test_tool_shell.c, tests/box. */
#include "agent/tool/tool.h"
#include "tests/unit/unit.h"

static const struct row {
	const char *name, *tool, *args;
	enum tool_outcome outcome;
	const char *text; /* what it begins with */
	bool success;
} rows[] = {
	{ "finish", "finish", "{\"answer\":\"done\",\"success\":true}", TOOL_FINISHED,
	  "done", true },
	{ "finish without success", "finish", "{\"answer\":\"no\",\"success\":false}",
	  TOOL_FINISHED, "no", false },
	{ "a boolean in a string", "finish",
	  "{\"answer\":\"no\",\"success\":\"false\"}", TOOL_FINISHED, "no", false },
	{ "unknown members", "finish", "{\"answer\":\"a\",\"success\":true,\"x\":1}",
	  TOOL_FINISHED, "a", true },
	{ "unknown tool", "bash", "{}", TOOL_ERROR,
	  "there is no tool 'bash'; the tools are shell, input, screen, read_file, "
	  "write_file, edit_file, finish",
	  false },
	{ "missing argument", "finish", "{\"success\":true}", TOOL_ERROR,
	  "not executed: the argument 'answer' is missing; the schema of 'finish' is {",
	  false },
	{ "null argument", "finish", "{\"answer\":null,\"success\":true}", TOOL_ERROR,
	  "not executed: the argument 'answer' is missing", false },
	{ "mistyped argument", "finish", "{\"answer\":1,\"success\":true}", TOOL_ERROR,
	  "not executed: the argument 'answer' is not a string", false },
	{ "mistyped optional", "shell", "{\"command\":\"ls\",\"timeout\":\"soon\"}",
	  TOOL_ERROR, "not executed: the argument 'timeout' is not a number", false },
	{ "no object", "finish", "[1]", TOOL_ERROR,
	  "not executed: the arguments are not an object", false },
	{ "no arguments", "shell", "null", TOOL_ERROR,
	  "not executed: the argument 'command' is missing", false },
	{ "I12: a list as command", "shell", "{\"command\":\"[\\\"ls\\\"]\"}",
	  TOOL_ERROR, "not executed: the command is a list or a map", false },
	{ "I12: a map as command", "shell", "{\"command\":\" {'cmd': 1}\"}", TOOL_ERROR,
	  "not executed: the command is a list or a map", false },
	{ "I12: a list as command, over lines", "shell",
	  "{\"command\":\"[\\n \\\"ls\\\",\\n \\\"-l\\\"\\n]\"}", TOOL_ERROR,
	  "not executed: the command is a list or a map", false },
	{ "a number that is none", "read_file", "{\"path\":\"x\",\"first\":\"nan\"}",
	  TOOL_ERROR, "not executed: the argument 'first' is not a integer", false },
	{ "S8: input to nothing", "input", "{\"text\":\"x\"}", TOOL_ERROR,
	  "not sent: no command has been run in the session 'main'", false },
	{ "S8: an unknown session is named", "input",
	  "{\"text\":\"x\",\"session\":\"other\"}", TOOL_ERROR,
	  "not sent: no command has been run in the session 'other'", false },
};

static void test_row(const void *p)
{
	const struct row *row = p;
	static const struct toolbox_conf conf = { .project = "/",
						  .terminal_fd = -1,
						  .interrupt_fd = -1 };
	_cleanup_toolbox_ struct toolbox *t = NULL;
	_cleanup_tool_result_ struct tool_result r;
	_cleanup_json_ struct json *args = NULL;
	struct err e = ERR_NONE;

	tool_result_init(&r);
	unit_ok(json_parse(row->args, strlen(row->args), &args, &e), &e);
	unit_ok(toolbox_new(&conf, &t, &e), &e);
	unit_ok(tool_run(t, row->tool, args, &r, &e), &e);
	assert_int_equal(r.outcome, row->outcome);
	assert_memory_equal(buf_cstr(&r.text), row->text,
			    MIN(strlen(row->text), r.text.len + 1));
	assert_int_equal(r.success, row->success);
}

/* LLM.md 3, Request 3: plain types only, everything described. */
static void schemas_are_plain(void)
{
	for (size_t i = 0; i < tool_count; i++) {
		const struct tool *t = &tool_table[i];
		_cleanup_json_ struct json *schema = NULL;
		struct err e = ERR_NONE;

		unit_ok(json_parse(t->schema, strlen(t->schema), &schema, &e), &e);
		assert_string_equal(json_get_str(schema, "type"), "object");
		assert_int_equal(json_type(json_get(schema, "required")), JSON_ARRAY);
		json_each(p, json_get(schema, "properties"))
		{
			const char *type = json_get_str(p, "type");

			assert_non_null(strstr("string number integer boolean", type));
			assert_non_null(json_get_str(p, "description"));
			assert_int_equal(json_len(p), 2);
		}
		assert_ptr_equal(tool_find(t->name), t);
	}
	assert_null(tool_find("nosuch"));
}

int main(void)
{
	static const struct unit_case cases[] = { { "schemas are plain",
						    schemas_are_plain } };

	return unit_rows("tool_run", rows, test_row) + unit_cases("tool_table", cases);
}
