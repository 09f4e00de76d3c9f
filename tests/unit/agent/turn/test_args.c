#include "agent/turn/args.h"

#include "tests/unit/unit.h"

struct row {
	const char *name;
	const char *in;
	const char *out; /* printed; NULL = malformed */
	const char *msg;
};

/* clang-format off */
static const struct row rows[] = {
	{ "an object", "{\"a\":1}", "{\"a\":1}", NULL },
	{ "nothing", "", "{}", NULL },
	{ "blanks", " \n\t", "{}", NULL },
	{ "an object in a string", "\"{\\\"a\\\":\\\"b\\\"}\"", "{\"a\":\"b\"}", NULL },
	{ "a raw newline in a string", "{\"a\":\"x\ny\tz\"}", "{\"a\":\"x\\ny\\tz\"}", NULL },
	{ "an escaped quote before a raw newline", "{\"a\":\"\\\"\n\"}",
	  "{\"a\":\"\\\"\\n\"}", NULL },
	{ "newlines between members", "{\n\"a\":\n1}", "{\"a\":1}", NULL },
	{ "cut off", "{\"a\":", NULL, "bad JSON at byte 5" },
	{ "two values", "{}{}", NULL, "bad JSON at byte 2" },
	{ "a list", "[1]", NULL, "the arguments are an array, not an object" },
	{ "a number", "7", NULL, "the arguments are a number, not an object" },
	{ "null", "null", NULL, "the arguments are null, not an object" },
	{ "a plain string", "\"ls\"", NULL, "the arguments are a string, not an object" },
	{ "an escaped NUL", "{\"a\":\"x\\u0000y\"}", NULL, "bad JSON at byte 11" },
};
/* clang-format on */

static void run_row(const void *p)
{
	const struct row *row = p;
	_cleanup_json_ struct json *j = NULL;
	_cleanup_buf_ struct buf out = BUF_INIT(1000);
	struct err e = ERR_NONE;
	int r = args_parse(row->in, strlen(row->in), &j, &e);

	if (!row->out) {
		assert_int_equal(r, -EINVAL);
		assert_null(j);
		if (strncmp(row->msg, "bad JSON", 8) == 0)
			assert_memory_equal(e.msg, row->msg, 16);
		else
			assert_string_equal(e.msg, row->msg);
		return;
	}
	unit_ok(r, &e);
	assert_int_equal(json_print(j, false, &out), 0);
	assert_string_equal(buf_cstr(&out), row->out);
}

int main(void)
{
	return unit_rows("args_parse", rows, run_row);
}
