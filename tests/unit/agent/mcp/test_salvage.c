#include "agent/mcp/salvage.h"

#include "tests/unit/unit.h"

static const struct row {
	const char *name, *frame, *ids; /* each with a blank behind it */
} rows[] = {
	{ "a NUL", "{\"id\":1,\"params\":{\"x\":\"\\u0000\"}}", "1 " },
	{ "half a pair", "{\"params\":{\"x\":\"\\ud83d\"},\"id\":\"a b\"}",
	  "\"a b\" " },
	{ "deep", "{\"params\":[[[{\"id\":9}]]],\"id\":2}", "2 " },
	{ "an id within is another's", "{\"params\":{\"id\":9},\"method\":", "" },
	{ "an id in a text", "{\"x\":\"\\\"id\\\":9\",\"id\":3", "3 " },
	{ "the first counts", "{\"id\":1,\"id\":2,", "1 " },
	{ "behind what is broken", "{\"a\" 1,\"id\":2}", "" },
	{ "broken behind it", "{ \"id\" : 4 , oops", "4 " },
	{ "an answer", "{\"id\":1,\"error\":{", "" },
	{ "no id", "{\"method\":\"x\",", "" },
	{ "null", "{\"id\":null,", "" },
	{ "a fraction", "{\"id\":1.5,", "" },
	{ "an id that is broken itself", "{\"id\":\"\\u0000\",", "" },
	{ "an id that is cut", "{\"id\":\"abc", "" },
	{ "a list", "[{\"id\":1},7,{\"id\":2}", "1 " },
	{ "a list of requests", "[ {\"id\":1,\"x\":\"\\ud83d\"} , {\"id\":2} ]",
	  "1 2 " },
	{ "two objects are no list", "{\"id\":1}{\"id\":2}", "1 " },
	{ "nothing", "", "" },
	{ "no object", "oops", "" },
	{ "a backslash at the end", "{\"id\":1,\"x\":\"\\", "1 " },
};

static void on_id(void *ctx, const struct json *id)
{
	assert_int_equal(json_print(id, false, ctx), 0);
	assert_int_equal(buf_addc(ctx, ' '), 0);
}

static void test(const void *p)
{
	_cleanup_buf_ struct buf seen = BUF_INIT(1000);
	const struct row *row = p;
	size_t n = mcp_salvage(row->frame, strlen(row->frame), on_id, &seen);

	assert_string_equal(buf_cstr(&seen), row->ids);
	assert_int_equal(n > 0, *row->ids != 0);
}

int main(void)
{
	return unit_rows("mcp_salvage", rows, test);
}
