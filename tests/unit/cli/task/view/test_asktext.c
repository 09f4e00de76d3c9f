#include "cli/task/view/asktext.h"

#include <string.h>

#include "tests/unit/unit.h"

static const struct row {
	const char *name, *tool, *args, *want;
} rows[] = {
	{ "a command", "shell", "{\"command\":\"make\"}", "$ make" },
	{ "all of its lines, set apart", "shell",
	  "{\"command\":\"a\\nrun it? [y]es:\\n\\nb\\n\"}",
	  "$ a\n  run it? [y]es:\n  \n  b\n  " },
	{ "what else is asked for", "shell",
	  "{\"timeout\":3,\"command\":\"a\",\"reset\":true}",
	  "$ a\n  timeout: 3\n  reset: true" },
	{ "what is hidden is seen", "shell",
	  "{\"command\":\"rm \\u202ecod\\u200b \\u0007\\u009b\\r\\nx\"}",
	  "$ rm <U+202E>cod<U+200B> <U+0007><U+009B><U+000D>\n  x" },
	{ "a tool that nobody knows", "a\033]52;c;QQ==\a", "{}",
	  "a<U+001B>]52;c;QQ==<U+0007> " },
	{ "a file", "write_file",
	  "{\"path\":\"a\\nb\",\"content\":\"one\\n\\ntwo\\n\"}",
	  "write_file a\n    b\n  + one\n  + \n  + two" },
	{ "a file without an end", "write_file", "{\"path\":\"a\",\"content\":\"one\"}",
	  "write_file a\n  + one\n    (no newline at the end)" },
	{ "an empty file", "write_file", "{\"path\":\"a\",\"content\":\"\"}",
	  "write_file a" },
	{ "a change", "edit_file",
	  "{\"path\":\"a\",\"edits\":[{\"old_string\":\"one\\ntwo\\n\",\"new_string\":"
	  "\"three\\n\"},{\"old_string\":\"a\\n\",\"new_string\":\"\",\"replace_all\":"
	  "true}]}",
	  "edit_file a\n  - one\n  - two\n  + three\n  - a\n  replace_all: true" },
	{ "a change within a line", "edit_file",
	  "{\"path\":\"a\",\"edits\":[{\"old_string\":\"x = 1\",\"new_string\":\"x = 2\"},"
	  "{\"old_string\":\"a\\n\",\"new_string\":\"b\"}]}",
	  "edit_file a\n  - x = 1\n  + x = 2\n  - a\n  + b\n    (no newline at the end)" },
	{ "keys", "input", "{\"text\":\"y\\nz\",\"enter\":false,\"keys\":\"C-c\"}",
	  "input \n  text: y\n    z\n  enter: false\n  keys: C-c" },
	{ "an argument that nobody knows", "shell",
	  "{\"command\":\"a\",\"x\\ny\":[\"\\u202e\"]}",
	  "$ a\n  x\\ny: [\"<U+202E>\"]" },
	{ "no command", "shell", "{\"reset\":true}", "shell \n  reset: true" },
};

static void test(const void *p)
{
	const struct row *row = p;
	_cleanup_buf_ struct buf b = BUF_INIT(1024);
	_cleanup_json_ struct json *args = unit_json(row->args);
	struct task_call c = { .name = row->tool };

	c.args = args;
	assert_int_equal(asktext_whole(&c, NULL, &b), 0);
	assert_string_equal(buf_cstr(&b), row->want);
}

static void a_file_that_is_there(void)
{
	static const struct {
		const char *was, *content, *want;
	} files[] = {
		{ "1\n2\n3\n4\n5\n6\n7\n8\n", "1\n2\n3\n4\n5\nsix\n7\n8\n",
		  "write_file a (the file is there: +1 -1)\n  @@ -3,6 +3,6 @@\n"
		  "    3\n    4\n    5\n  - 6\n  + six\n    7\n    8" },
		{ "a\n", "b",
		  "write_file a (the file is there: +1 -1)\n"
		  "  @@ -1 +1 @@\n  - a\n  + b\n"
		  "  \\ No newline at end of file" },
		{ "a\r\nx\n",
		  "\xe2\x80\xae"
		  "a\n\xc2\x9bx\n",
		  "write_file a (the file is there: +2 -2)\n  @@ -1,2 +1,2 @@\n"
		  "  - a<U+000D>\n  - x\n  + <U+202E>a\n  + <U+009B>x" },
		{ "a\n", "a\n", "write_file a (the file is there: +0 -0)" },
		{ "a\n", "",
		  "write_file a (the file is there: +0 -1)\n"
		  "  @@ -1 +0,0 @@\n  - a" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		_cleanup_buf_ struct buf b = BUF_INIT(4096), was = BUF_INIT(100);
		_cleanup_json_ struct json *args = json_object();
		struct task_call c = { .name = "write_file", .args = args };

		json_set_str(args, "path", "a");
		json_set_str(args, "content", files[i].content);
		buf_adds(&was, files[i].was);
		assert_int_equal(asktext_whole(&c, &was, &b), 0);
		assert_string_equal(buf_cstr(&b), files[i].want);
	}
}

static void what_does_not_fit_is_told(void)
{
	_cleanup_buf_ struct buf b = BUF_INIT(4);
	_cleanup_json_ struct json *args = json_object();
	struct task_call c = { .name = "shell", .args = args };

	json_set_str(args, "command", "make");
	assert_int_equal(asktext_whole(&c, NULL, &b), -EMSGSIZE);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "a file that is there", a_file_that_is_there },
		{ "what does not fit is told", what_does_not_fit_is_told },
	};

	return unit_rows("asktext", rows, test) + unit_cases("asktext", cases);
}
