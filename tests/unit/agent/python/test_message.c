#include "agent/python/message.h"

#include "tests/unit/unit.h"

#define FORMS "\"data\":{\"text/plain\":\"1\"},\"files\":{},\"metadata\":{}"

static const struct row {
	const char *name;
	const char *text;
	const char *why; /* NULL = it is good */
	enum python_kind kind;
} rows[] = {
	{ "ready", "{\"t\":\"ready\",\"python\":\"3.11.2\",\"pid\":7}", NULL,
	  PYTHON_READY },
	{ "ready without a version", "{\"t\":\"ready\",\"python\":3}",
	  "a malformed message 'ready'", 0 },
	{ "result", "{\"t\":\"result\",\"id\":1,\"n\":1," FORMS "}", NULL,
	  PYTHON_RESULT },
	{ "display", "{\"t\":\"display\",\"id\":1," FORMS "}", NULL, PYTHON_DISPLAY },
	{ "a form that is no text",
	  "{\"t\":\"result\",\"id\":1,\"data\":{\"text/plain\":1},\"files\":{},"
	  "\"metadata\":{}}",
	  "a malformed message 'result'", 0 },
	{ "a form whose type has a line end",
	  "{\"t\":\"result\",\"data\":{\"text\\nplain\":\"1\"},\"files\":{},"
	  "\"metadata\":{}}",
	  "a malformed message 'result'", 0 },
	{ "no metadata", "{\"t\":\"result\",\"data\":{},\"files\":{}}",
	  "a malformed message 'result'", 0 },
	{ "a file",
	  "{\"t\":\"result\",\"data\":{},\"metadata\":{},\"files\":{\"image/png\":"
	  "{\"path\":\"/tmp/x\",\"bytes\":3}}}",
	  NULL, PYTHON_RESULT },
	{ "a file with a relative path",
	  "{\"t\":\"result\",\"data\":{},\"metadata\":{},\"files\":{\"image/png\":"
	  "{\"path\":\"x\",\"bytes\":3}}}",
	  "a malformed message 'result'", 0 },
	{ "a file of a negative size",
	  "{\"t\":\"result\",\"data\":{},\"metadata\":{},\"files\":{\"image/png\":"
	  "{\"path\":\"/x\",\"bytes\":-3}}}",
	  "a malformed message 'result'", 0 },
	{ "clear", "{\"t\":\"clear\",\"id\":1,\"wait\":true}", NULL, PYTHON_CLEAR },
	{ "ask", "{\"t\":\"ask\",\"id\":1,\"prompt\":\"\"}", NULL, PYTHON_ASK },
	{ "ask for nothing", "{\"t\":\"ask\",\"id\":1}", "a malformed message 'ask'",
	  0 },
	{ "done", "{\"t\":\"done\",\"id\":1,\"status\":\"ok\",\"n\":1,\"ms\":0.5}",
	  NULL, PYTHON_DONE },
	{ "an error",
	  "{\"t\":\"done\",\"id\":1,\"status\":\"error\",\"ename\":\"E\",\"evalue\":"
	  "\"\","
	  "\"tb\":[\"E\"]}",
	  NULL, PYTHON_DONE },
	{ "an error without a name",
	  "{\"t\":\"done\",\"id\":1,\"status\":\"error\",\"tb\":[]}",
	  "a malformed message 'done'", 0 },
	{ "a traceback of numbers",
	  "{\"t\":\"done\",\"id\":1,\"status\":\"error\",\"ename\":\"E\",\"evalue\":"
	  "\"\","
	  "\"tb\":[1]}",
	  "a malformed message 'done'", 0 },
	{ "the beginning of a cell",
	  "{\"t\":\"done\",\"id\":1,\"status\":\"incomplete\"}", NULL, PYTHON_DONE },
	{ "another status", "{\"t\":\"done\",\"id\":1,\"status\":\"fine\"}",
	  "a malformed message 'done'", 0 },
	{ "names",
	  "{\"t\":\"complete\",\"id\":1,\"matches\":[\"ab\"],\"start\":1,\"end\":2}",
	  NULL, PYTHON_COMPLETE },
	{ "names that are none",
	  "{\"t\":\"complete\",\"matches\":[1],\"start\":1,\"end\":2}",
	  "a malformed message 'complete'", 0 },
	{ "names for a place that ends before it begins",
	  "{\"t\":\"complete\",\"matches\":[],\"start\":2,\"end\":1}",
	  "a malformed message 'complete'", 0 },
	{ "names for a place that no code has",
	  "{\"t\":\"complete\",\"matches\":[],\"start\":0,\"end\":1e15}",
	  "a malformed message 'complete'", 0 },
	{ "what is known of a name", "{\"t\":\"inspect\",\"id\":1,\"text\":\"a\"}",
	  NULL, PYTHON_INSPECT },
	{ "that nothing is", "{\"t\":\"inspect\",\"id\":1}", NULL, PYTHON_INSPECT },
	{ "what is known, no text", "{\"t\":\"inspect\",\"text\":1}",
	  "a malformed message 'inspect'", 0 },
	{ "variables",
	  "{\"t\":\"vars\",\"more\":0,\"vars\":[{\"name\":\"a\",\"type\":\"int\","
	  "\"repr\":\"1\"},{\"name\":\"b\",\"type\":\"str\",\"repr\":\"''\",\"size\":"
	  "\"0\"}]}",
	  NULL, PYTHON_VARS },
	{ "a variable without a type",
	  "{\"t\":\"vars\",\"more\":0,\"vars\":[{\"name\":\"a\",\"repr\":\"1\"}]}",
	  "a malformed message 'vars'", 0 },
	{ "a variable's size that is no text",
	  "{\"t\":\"vars\",\"more\":0,\"vars\":[{\"name\":\"a\",\"type\":\"\",\"repr\":"
	  "\"1\",\"size\":1}]}",
	  "a malformed message 'vars'", 0 },
	{ "no variables", "{\"t\":\"vars\",\"more\":0}", "a malformed message 'vars'",
	  0 },
	{ "another kind", "{\"t\":\"bye\"}", "a message of no known kind", 0 },
	{ "no object", "[1]", "a message of no known kind", 0 },
	{ "no JSON", "{", "bad JSON at byte 1", 0 },
};

static void test_read(const void *ptr)
{
	_cleanup_python_message_ struct python_message m = PYTHON_MESSAGE_NONE;
	const struct row *row = ptr;
	struct err e = ERR_NONE;
	int r = python_message_read(row->text, strlen(row->text), &m, &e);

	if (row->why) {
		assert_int_equal(r, -EBADMSG);
		unit_err(&e, -EBADMSG, row->why);
		assert_null(m.root);
		return;
	}
	unit_ok(r, &e);
	assert_int_equal(m.kind, row->kind);
}

static void test_members(void)
{
	static const char text[] = "{\"t\":\"done\",\"id\":9,\"status\":"
				   "\"interrupted\",\"n\":4,\"ms\":2.5,"
				   "\"ename\":\"KeyboardInterrupt\",\"evalue\":\"v\","
				   "\"tb\":[\"a\",\"b\"]}";
	_cleanup_python_message_ struct python_message m = PYTHON_MESSAGE_NONE;
	struct err e = ERR_NONE;

	unit_ok(python_message_read(text, strlen(text), &m, &e), &e);
	assert_int_equal(m.id, 9);
	assert_int_equal(m.status, PYTHON_INTERRUPTED);
	assert_int_equal(m.count, 4);
	assert_true(m.ms > 2.4 && m.ms < 2.6);
	assert_string_equal(m.ename, "KeyboardInterrupt");
	assert_int_equal(json_len(m.tb), 2);
}

int main(void)
{
	static const struct unit_case cases[] = { { "members", test_members } };

	return unit_rows("python_message", rows, test_read) +
	       unit_cases("python_message", cases);
}
