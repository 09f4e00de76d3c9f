/* The table and the arguments; the tools themselves: test_shell.c, tests/box. */
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
	{ "finish needs an answer alone", "finish", "{\"answer\":\"a\"}", TOOL_FINISHED,
	  "a", true },
	{ "an unknown argument", "finish", "{\"answer\":\"a\",\"x\":1}", TOOL_ERROR,
	  "not executed: there is no argument 'x'; there are answer success", false },
	{ "a negative number", "shell", "{\"command\":\"ls\",\"timeout\":-1}",
	  TOOL_ERROR, "not executed: the argument 'timeout' is negative", false },
	{ "a member of an element is missing", "edit_file",
	  "{\"path\":\"a\",\"edits\":[{\"old_string\":\"a\",\"new_string\":\"b\"},"
	  "{\"old_string\":\"x\"}]}",
	  TOOL_ERROR, "not executed: edits 2: the argument 'new_string' is missing",
	  false },
	{ "an element that is no object", "edit_file", "{\"path\":\"a\",\"edits\":[7]}",
	  TOOL_ERROR, "not executed: edits 1: not an object", false },
	{ "a list that is none", "edit_file", "{\"path\":\"a\",\"edits\":\"b\"}",
	  TOOL_ERROR, "not executed: the argument 'edits' is not an array", false },
	{ "a list in a string, of nothing", "edit_file",
	  "{\"path\":\"a\",\"edits\":\"[]\"}", TOOL_ERROR,
	  "nothing was changed: there are no edits", false },
	{ "one edit without its list", "edit_file",
	  "{\"path\":\"a\",\"old_string\":\"\",\"new_string\":\"b\"}", TOOL_ERROR,
	  "nothing was changed: an old_string is empty", false },
	{ "unknown tool", "bash", "{}", TOOL_ERROR,
	  "there is no tool 'bash'; the tools are shell, python, input, screen, "
	  "read_file, "
	  "write_file, edit_file, view_image, finish",
	  false },
	{ "missing argument", "finish", "{\"success\":true}", TOOL_ERROR,
	  "not executed: the argument 'answer' is missing", false },
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
	  TOOL_ERROR, "not executed: the argument 'first' is not an integer", false },
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
	_cleanup_json_ struct json *args = unit_json(row->args);
	struct err e = ERR_NONE;

	tool_result_init(&r);
	unit_ok(toolbox_new(&conf, &t, &e), &e);
	unit_ok(tool_run(t, row->tool, args, &r, &e), &e);
	assert_int_equal(r.outcome, row->outcome);
	assert_true(strncmp(buf_cstr(&r.text), row->text, strlen(row->text)) == 0);
	assert_int_equal(r.success, row->success);
}

int main(void)
{
	return unit_rows("tool_run", rows, test_row);
}
