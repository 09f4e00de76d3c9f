#include "agent/server/http/chunked.h"

#include "base/buf.h"
#include "tests/unit/unit.h"

static const struct row {
	const char *name, *in;
	const char *
		want; /* the body; NULL = malformed, else complete unless it ends "…" */
	size_t rest; /* bytes behind it */
} rows[] = {
	{ "one", "5\r\nhello\r\n0\r\n\r\n", "hello", 0 },
	{ "two and more behind", "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\nGET", "hello", 3 },
	{ "none", "0\r\n\r\n", "", 0 },
	{ "hexadecimal", "A\r\n0123456789\r\n00\r\n\r\n", "0123456789", 0 },
	{ "an extension", "2;x=\"y\"\r\nab\r\n0\r\n\r\n", "ab", 0 },
	{ "a trailer", "2\r\nab\r\n0\r\nX: y\r\nZ: \r\n\r\n", "ab", 0 },
	{ "data like a chunk", "7\r\n0\r\n\r\nab\r\n0\r\n\r\n", "0\r\n\r\nab", 0 },
	{ "no digits", "\r\nab", NULL, 0 },
	{ "a sign", "+2\r\nab\r\n0\r\n\r\n", NULL, 0 },
	{ "0x", "0x2\r\nab\r\n0\r\n\r\n", NULL, 0 },
	{ "too many digits", "0000000000002\r\nab\r\n0\r\n\r\n", NULL, 0 },
	{ "a bare line feed", "2\nab\r\n0\r\n\r\n", NULL, 0 },
	{ "data that is longer", "2\r\nabc\r\n0\r\n\r\n", NULL, 0 },
	{ "a blank and an extension", "2 \t;x\r\nab\r\n0 \r\n\r\n", "ab", 0 },
	{ "two sizes", "2 2\r\nab\r\n0\r\n\r\n", NULL, 0 },
	{ "a line feed in an extension", "2;a\nb\r\nab\r\n0\r\n\r\n", NULL, 0 },
	{ "a bad end", "2\r\nab\r\n0\r\n\rX", NULL, 0 },
};

static void feed(const struct row *row, size_t piece)
{
	_cleanup_buf_ struct buf seen = BUF_INIT(100);
	struct chunked c = { 0 };
	size_t at = 0, len = strlen(row->in);
	int r = 0;

	while (r == 0 && at < len) {
		struct chunked_data d;
		size_t used = 0;

		r = chunked_feed(&c, row->in + at, MIN(piece, len - at), &used, &d);
		if (r < 0)
			break;
		assert_true(used <= MIN(piece, len - at));
		assert_int_equal(buf_add(&seen, d.data, d.len), 0);
		at += used;
	}
	if (!row->want) {
		assert_int_equal(r, -EBADMSG);
		return;
	}
	assert_int_equal(r, 1);
	assert_string_equal(buf_cstr(&seen), row->want);
	assert_int_equal(len - at, row->rest);
}

static void test_feed(const void *row)
{
	feed(row, 1000);
	feed(row, 4);
	feed(row, 1);
}

int main(void)
{
	return unit_rows("chunked", rows, test_feed);
}
