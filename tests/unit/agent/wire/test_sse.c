#include "agent/wire/sse.h"

#include "tests/unit/unit.h"

struct row {
	const char *name;
	const char *in;
	const char *out; /* each event's data in <> */
	bool lines;
};

/* clang-format off */
static const struct row rows[] = {
	{ "nothing", "", "", false },
	{ "one event", "data: x\n\n", "<x>", false },
	{ "no space", "data:x\n\n", "<x>", false },
	{ "one space only is taken", "data:  x\n\n", "< x>", false },
	{ "two lines", "data: a\ndata: b\n\n", "<a\nb>", false },
	{ "an empty line of data", "data: a\ndata\ndata: b\n\n", "<a\n\nb>", false },
	{ "an event without data is none", "data:\n\nevent: x\n\n", "", false },
	{ "CRLF", "data: x\r\n\r\ndata: y\r\n\r\n", "<x><y>", false },
	{ "CR", "data: x\r\rdata: y\r\r", "<x><y>", false },
	{ "mixed", "data: x\r\n\ndata: y\n\r\ndata: z\r\n\r", "<x><y><z>", false },
	{ "comments", ": hi\ndata: x\n:\n\n: PROCESSING\n\n", "<x>", false },
	{ "other fields", "event: e\nid: 7\nretry: 1\ndata: x\ndatax: no\ndat: no\n\n", "<x>", false },
	{ "BOM", "\xef\xbb\xbf" "data: x\n\n", "<x>", false },
	{ "BOM only at the start", "\n\xef\xbb\xbf" "data: x\n\ndata: y\n\n", "<y>", false },
	{ "UTF-8", "data: {\"é\":\"€😀\"}\n\n", "<{\"é\":\"€😀\"}>", false },
	{ "pending JSON counts", "data: {\"a\":1}\n", "<{\"a\":1}>", false },
	{ "pending JSON without its line end", "data: {\"a\":1}", "<{\"a\":1}>", false },
	{ "pending end mark counts", "data: [DONE]", "<[DONE]>", false },
	{ "pending half", "data: {\"a\":", "", false },
	{ "pending text", "data: x\n", "", false },
	{ "JSON lines", "{\"a\":1}\n{\"b\":2}\n", "<{\"a\":1}><{\"b\":2}>", true },
	{ "JSON lines, blank ones, CRLF", "{}\r\n\n \t\r\n7\n", "<{}><7>", true },
	{ "JSON lines, the last without its end", "{}\n{\"b\":2}", "<{}><{\"b\":2}>", true },
	{ "JSON lines, the last torn", "{}\n{\"b\":", "<{}>", true },
};
/* clang-format on */

static int on_event(void *ctx, const char *data, size_t len, struct err *)
{
	struct buf *out = ctx;

	return buf_addc(out, '<') ?: buf_add(out, data, len) ?: buf_addc(out, '>');
}

static void feed(const struct row *row, size_t step, struct buf *out)
{
	const char *in = row->in;
	size_t len = strlen(in);
	struct err e = ERR_NONE;
	struct sse s;

	sse_init(&s, on_event, out);
	s.lines = row->lines;
	for (size_t at = 0; at < len; at += step)
		unit_ok(sse_feed(&s, in + at, MIN(step, len - at), &e), &e);
	unit_ok(sse_end(&s, &e), &e);
	sse_done(&s);
}

/* Whole, and in pieces of every length: byte by byte is one of them. */
static void run_row(const void *p)
{
	const struct row *row = p;

	for (size_t step = 1; step <= strlen(row->in) + 1; step++) {
		_cleanup_buf_ struct buf out = BUF_INIT(1000);

		feed(row, step, &out);
		assert_string_equal(buf_cstr(&out), row->out);
	}
}

static int refuse(void *, const char *, size_t len, struct err *e)
{
	return err_set(e, -EPROTO, "no, not %zu bytes", len);
}

static void failures(void)
{
	struct err e = ERR_NONE;
	struct sse s;

	sse_init(&s, refuse, NULL);
	assert_int_equal(sse_feed(&s, "data: abc\n\ndata: x", 18, &e), -EPROTO);
	unit_err(&e, -EPROTO, "no, not 3 bytes");
	sse_done(&s);
}

static void limit(void)
{
	_cleanup_buf_ struct buf out = BUF_INIT(1000);
	_cleanup_free_ char *block = malloc(1 << 20);
	struct err e = ERR_NONE;
	struct sse s;
	int r = 0;

	memset(block, 'x', 1 << 20);
	sse_init(&s, on_event, &out);
	for (int i = 0; i < 20 && r == 0; i++)
		r = sse_feed(&s, block, 1 << 20, &e);
	assert_int_equal(r, -EMSGSIZE);
	unit_err(&e, -EMSGSIZE, "event of more than 16777216 bytes: Message too long");
	sse_done(&s);
}

/* Signs of life take no memory, however many there are. */
static void endless_comments(void)
{
	static const char comment[] = ": keep-alive\n\n";
	_cleanup_buf_ struct buf out = BUF_INIT(1000);
	struct err e = ERR_NONE;
	struct sse s;

	sse_init(&s, on_event, &out);
	for (int i = 0; i < 200000; i++)
		unit_ok(sse_feed(&s, comment, sizeof(comment) - 1, &e), &e);
	assert_int_equal(s.comments, 200000);
	assert_int_equal(out.len + s.line.len + s.data.len, 0);
	unit_ok(sse_feed(&s, "data: x\n\n", 9, &e), &e);
	assert_string_equal(buf_cstr(&out), "<x>");
	sse_done(&s);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "a failure of the reader ends it", failures },
		{ "an endless line", limit },
		{ "endless comments", endless_comments },
	};

	return unit_rows("sse", rows, run_row) + unit_cases("sse", cases);
}
