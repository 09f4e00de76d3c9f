#include "agent/server/http/ws.h"

#include "tests/unit/unit.h"

static void test_accept(void)
{
	char got[WS_ACCEPT];

	ws_accept("dGhlIHNhbXBsZSBub25jZQ==", got); /* RFC 6455, 1.3 */
	assert_string_equal(got, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

#define M "\1\2\3\4" /* a mask */

static const struct row {
	const char *name, *in;
	size_t len;
	const char *want; /* "t:…;" for each message */
	int code;
} rows[] = {
#define IN(s) (s), sizeof(s) - 1
	{ "text", IN("\x81\x82" M "il"), "1:hn;", 0 },
	{ "empty", IN("\x82\x80" M), "2:;", 0 },
	{ "in two frames", IN("\x01\x81" M "i\x80\x81" M "h"), "1:hi;", 0 },
	{ "a ping between", IN("\x01\x81" M "i\x89\x80" M "\x80\x81" M "h"), "9:;1:hi;",
	  0 },
	{ "a 16 bit length", IN("\x82\xfe\0\2" M "il"), "2:hn;", 0 },
	{ "close", IN("\x88\x82" M "\2\xea"), "8:\3\xe8;", 0 },
	{ "no mask", IN("\x81\x02hi"), "", WS_WRONG },
	{ "a reserved bit", IN("\xc1\x82" M "il"), "", WS_WRONG },
	{ "a reserved opcode", IN("\x83\x82" M "il"), "", WS_WRONG },
	{ "a ping in parts", IN("\x09\x80" M), "", WS_WRONG },
	{ "a long ping", IN("\x89\xfe\0\x7e" M), "", WS_WRONG },
	{ "goes on with nothing", IN("\x80\x81" M "i"), "", WS_WRONG },
	{ "begins within another", IN("\x01\x81" M "i\x81\x81" M "i"), "", WS_WRONG },
	{ "no UTF-8", IN("\x81\x81" M "\xfe"), "", WS_NOT_TEXT },
	{ "too large", IN("\x82\xff\0\0\0\0\1\0\0\0" M), "", WS_TOO_LARGE },
	{ "far too large", IN("\x82\xff\xff\xff\xff\xff\xff\xff\xff\xff" M), "",
	  WS_TOO_LARGE },
};

static int on_message(void *ctx, enum ws_opcode kind, const char *data, size_t len)
{
	return buf_addf(ctx, "%x:%.*s;", kind, (int)len, data);
}

static void feed(const struct row *row, size_t piece)
{
	_cleanup_buf_ struct buf seen = BUF_INIT(100);
	_cleanup_(ws_done) struct ws w;
	int r = 0;

	ws_init(&w);
	for (size_t at = 0; r == 0 && at < row->len; at += piece)
		r = ws_feed(&w, row->in + at, MIN(piece, row->len - at), on_message,
			    &seen);
	assert_int_equal(r, row->code);
	assert_string_equal(buf_cstr(&seen), row->want);
}

static void test_feed(const void *row)
{
	feed(row, 1000);
	feed(row, 3);
	feed(row, 1);
}

static void test_frame(void)
{
	_cleanup_buf_ struct buf b = BUF_INIT(100000);
	char data[70000] = "";

	assert_int_equal(ws_frame(WS_TEXT, "hi", 2, &b), 0);
	assert_memory_equal(b.data, "\x81\x02hi", 4);
	buf_truncate(&b, 0);
	assert_int_equal(ws_frame(WS_BINARY, data, 126, &b), 0);
	assert_memory_equal(b.data, "\x82\x7e\0\x7e", 4);
	assert_int_equal(b.len, 130);
	buf_truncate(&b, 0);
	assert_int_equal(ws_frame(WS_BINARY, data, 70000, &b), 0);
	assert_memory_equal(b.data, "\x82\x7f\0\0\0\0\0\1\x11\x70", 10);
	assert_int_equal(b.len, 70010);
	assert_int_equal(ws_frame(WS_BINARY, data, 70000, &b), -EMSGSIZE);
}

static const struct unit_case cases[] = { { "accept", test_accept },
					  { "frame", test_frame } };

int main(void)
{
	return unit_rows("ws_feed", rows, test_feed) + unit_cases("ws", cases);
}
