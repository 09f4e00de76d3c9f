#include "agent/server/jupyter/content.h"

#include "tests/unit/unit.h"

#define SHOWN(more) \
	"\"files\":{},\"metadata\":{\"m\":1},\"data\":{\"text/plain\":\"1\"" more "}"

static const struct row {
	const char *name;
	const char *message; /* of an interpreter */
	const char *want;    /* NULL = nothing */
} rows[] = {
	{ "a result", "{\"t\":\"result\",\"n\":3," SHOWN("") "}",
	  "{\"data\":{\"text/plain\":\"1\"},\"metadata\":{\"m\":1},\"execution_count\":3}" },
	{ "what is displayed, with a name",
	  "{\"t\":\"display\",\"display_id\":\"d\"," SHOWN("") "}",
	  "{\"data\":{\"text/plain\":\"1\"},\"metadata\":{\"m\":1},\"transient\":{"
	  "\"display_id\":\"d\"}}" },
	{ "JSON is a value, where it is any",
	  "{\"t\":\"display\"," SHOWN(
		  ",\"application/json\":\"[1]\",\"a/b+json\":\"{\\\"a\\\":2}\","
		  "\"c/d+json\":\"[\"") "}",
	  "{\"data\":{\"text/plain\":\"1\",\"application/json\":[1],\"a/b+json\":{\"a\":2},"
	  "\"c/d+json\":\"[\"},\"metadata\":{\"m\":1},\"transient\":{}}" },
	{ "a file is named in the text",
	  "{\"t\":\"result\",\"n\":1,\"metadata\":{},\"data\":{\"text/plain\":\"P\"},\"files\":{"
	  "\"image/png\":{\"path\":\"/tmp/x.png\",\"bytes\":3}}}",
	  "{\"data\":{\"text/plain\":\"P\\n[image/png, 3 B: /tmp/x.png]\\n\"},\"metadata\":{},"
	  "\"execution_count\":1}" },
	{ "names", "{\"t\":\"complete\",\"matches\":[\"ab\"],\"start\":1,\"end\":2}",
	  "{\"metadata\":{},\"matches\":[\"ab\"],\"cursor_start\":1,\"cursor_end\":2}" },
	{ "what is known of a name", "{\"t\":\"inspect\",\"text\":\"a: 1\"}",
	  "{\"metadata\":{},\"found\":true,\"data\":{\"text/plain\":\"a: 1\"}}" },
	{ "that nothing is", "{\"t\":\"inspect\"}",
	  "{\"metadata\":{},\"found\":false,\"data\":{}}" },
	{ "no look", "{\"t\":\"clear\"}", NULL },
};

static void test_content(const void *ptr)
{
	_cleanup_python_message_ struct python_message m = PYTHON_MESSAGE_NONE;
	_cleanup_buf_ struct buf text = BUF_INIT(1 << 16);
	_cleanup_json_ struct json *j = NULL;
	const struct row *row = ptr;
	struct err e = ERR_NONE;

	unit_ok(python_message_read(row->message, strlen(row->message), &m, &e), &e);
	j = m.kind == PYTHON_RESULT || m.kind == PYTHON_DISPLAY ? content_value(&m)
								: content_look(&m);
	if (!row->want) {
		assert_null(j);
		return;
	}
	unit_ok(json_print(j, false, &text), &e);
	assert_string_equal(buf_cstr(&text), row->want);
}

static void test_replies(void)
{
	assert_string_equal(content_reply(PYTHON_READY), "execute_reply");
	assert_string_equal(content_reply(PYTHON_COMPLETE), "complete_reply");
	assert_string_equal(content_reply(PYTHON_INSPECT), "inspect_reply");
}

int main(void)
{
	static const struct unit_case cases[] = { { "replies", test_replies } };

	return unit_rows("content", rows, test_content) + unit_cases("content", cases);
}
