#include "agent/terminal/marker.h"
#include "base/buf.h"
#include "tests/unit/unit.h"

#define NONCE "0123456789abcdef0123456789abcdef"
#define MARK(body) "\033]7717;" NONCE ";" body "\033\\"

/* Text and marks as one line: marks in angle brackets. */
static void on_text(void *ctx, const char *data, size_t len)
{
	assert_return_code(buf_add(ctx, data, len), 0);
}

static void on_event(void *ctx, const struct marker_event *ev)
{
	assert_return_code(buf_addf(ctx, "<%c %d %s>", ev->kind, ev->status,
				    ev->cwd ? ev->cwd : "-"),
			   0);
}

static const struct row {
	const char *name, *in, *want;
	unsigned bad;
} rows[] = {
	{ "plain text", "hello\n", "hello\n", 0 },
	{ "a command starts", "a" MARK("C") "b", "a<C -1 ->b", 0 },
	{ "it ends", MARK("D;0;/tmp"), "<D 0 /tmp>", 0 },
	{ "the prompt", MARK("P;130"), "<P 130 ->", 0 },
	{ "cwd is decoded", MARK("D;1;/a%20b%0A%1B%FF"), "<D 1 /a b\n\033\377>", 0 },
	{ "cwd may be empty", MARK("D;1;"), "<D 1 >", 0 },
	{ "two in a row", MARK("D;0;/") MARK("C"), "<D 0 /><C -1 ->", 0 },
	{ "no nonce", "\033]7717;;D;0;/\033\\", "\033]7717;;D;0;/\033\\", 0 },
	{ "wrong nonce", "\033]7717;1123456789abcdef0123456789abcdef;D;0;/\033\\",
	  "\033]7717;1123456789abcdef0123456789abcdef;D;0;/\033\\", 0 },
	{ "behind a half sequence", "\033]0;title" MARK("D;3;/"), "\033]0;title<D 3 />",
	  0 },
	{ "behind an ESC", "\033" MARK("C"), "\033<C -1 ->", 0 },
	{ "behind its own start", "\033]7717;0123" MARK("C"), "\033]7717;0123<C -1 ->",
	  0 },
	{ "status too large", MARK("D;256;/") "x", "x", 1 },
	{ "no status", MARK("D;;/") "x", "x", 1 },
	{ "status with more digits", MARK("D;0001;/") "x", "x", 1 },
	{ "no cwd", MARK("D;0") "x", "x", 1 },
	{ "bad escape in cwd", MARK("D;0;/%2") "x", "x", 1 },
	{ "NUL in cwd", MARK("D;0;/%00a") "x", "x", 1 },
	{ "unknown kind", MARK("X;0") "x", "x", 1 },
	{ "kind with a tail", MARK("CC") "x", "x", 1 },
	{ "empty body", MARK("") "x", "x", 1 },
	{ "prompt with a tail", MARK("P;0;/") "x", "x", 1 },
	{ "control byte in the body", "\033]7717;" NONCE ";D;0;/\nx", "\nx", 1 },
	{ "a mark within a mark", "\033]7717;" NONCE ";D;0;/" MARK("C") "x",
	  "<C -1 ->x", 1 },
};

static void scan(const struct row *row, size_t step)
{
	struct marker m;
	size_t len = strlen(row->in);
	_cleanup_buf_ struct buf got = BUF_INIT(1 << 16);

	marker_init(&m, NONCE, on_text, on_event, &got);
	for (size_t i = 0; i < len; i += step)
		marker_feed(&m, row->in + i, MIN(step, len - i));
	marker_flush(&m);
	assert_string_equal(buf_cstr(&got), row->want);
	assert_int_equal(m.n_bad, row->bad);
}

static void test_row(const void *p)
{
	const struct row *row = p;

	for (size_t step = 1; step < 8; step++)
		scan(row, step);
	scan(row, strlen(row->in));
}

static void huge_body(void)
{
	struct marker m;
	_cleanup_buf_ struct buf got = BUF_INIT(4 << 20);
	static char x[1 << 20];

	memset(x, 'x', sizeof(x));
	marker_init(&m, NONCE, on_text, on_event, &got);
	marker_feed(&m, "\033]7717;" NONCE ";D;0;/", 45);
	marker_feed(&m, x, sizeof(x));
	marker_feed(&m, MARK("C"), strlen(MARK("C")));
	assert_true(m.n_bad > 0);
	assert_true(got.len > sizeof(x) - MARKER_MAX);
	assert_string_equal(buf_cstr(&got) + got.len - 8, "<C -1 ->");
}

static void a_lone_escape_is_flushed(void)
{
	struct marker m;
	_cleanup_buf_ struct buf got = BUF_INIT(256);

	marker_init(&m, NONCE, on_text, on_event, &got);
	marker_feed(&m, "a\033", 2);
	assert_string_equal(buf_cstr(&got), "a");
	marker_flush(&m);
	assert_string_equal(buf_cstr(&got), "a\033");
	/* a whole nonce is never given up for quiet */
	marker_feed(&m, "\033]7717;" NONCE ";D;0", 43);
	marker_flush(&m);
	marker_feed(&m, ";/\033\\", 4);
	assert_string_equal(buf_cstr(&got), "a\033<D 0 />");
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "R4: a mark of 1 MiB", huge_body },
		{ "O4: a lone ESC is held and flushed", a_lone_escape_is_flushed },
	};

	return unit_rows("marker (R4)", rows, test_row) + unit_cases("marker", cases);
}
