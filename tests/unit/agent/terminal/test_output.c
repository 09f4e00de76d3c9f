#include "agent/terminal/output.h"
#include "base/buf.h"
#include "tests/unit/unit.h"

#define BAD "\xef\xbf\xbd"

static void on_out(void *ctx, const char *data, size_t len)
{
	assert_return_code(buf_add(ctx, data, len), 0);
}

static bool keys_yes(void *)
{
	return true;
}

static const struct row {
	const char *name, *in, *want;
	bool keys;
} rows[] = {
	{ "plain", "hello\r\nworld\r\n", "hello\nworld\n", false },
	{ "no final newline", "hello", "hello", false },
	{ "bare newline", "a\nb", "a\nb", false },
	{ "a cancelled sequence", "a\033[3\030hello\033[1\032mb\r\n", "ahellomb\n",
	  false },
	{ "blank lines", "a\r\n\r\n\r\nz\r\n", "a\n\n\nz\n", false },
	{ "tab stays", "a\tb\r\n", "a\tb\n", false },
	{ "trailing spaces stay", "a  \r\n", "a  \n", false },
	{ "progress bar", "10%\r50%\r100%\r\n", "100%\n", false },
	{ "shorter overprint", "abcdef\rxy\r\n", "xycdef\n", false },
	{ "erase to the end", "abcdef\r\033[Kxy\r\n", "xy\n", false },
	{ "erase the line", "abcdef\033[2K\rxy\r\n", "xy\n", false },
	{ "erase the line in place", "ab\033[2Kc\r\n", "  c\n", false },
	{ "erase to the cursor", "abcd\b\b\033[1K\r\n", "  cd\n", false },
	{ "backspace", "abc\b\bX\r\n", "aXc\n", false },
	{ "rubbed out", "ab\b \b\r\n", "a \n", false },
	{ "man page bold", "N\bNA\bA\r\n", "NA\n", false },
	{ "overprint wide", "\xc3\xa9\xc3\xa9\rx\r\n", "x\xc3\xa9\n", false },
	{ "overprint by wide", "ab\r\xe2\x82\xac\r\n",
	  "\xe2\x82\xac"
	  "b\n",
	  false },
	{ "move right", "a\033[3Cb\r\n", "a   b\n", false },
	{ "move right at the end", "a\033[3C\r\n", "a\n", false },
	{ "move left", "abcd\033[3DX\r\n", "aXcd\n", false },
	{ "column", "abcd\033[2GX\r\n", "aXcd\n", false },
	{ "delete", "abcd\r\033[2P\r\n", "cd\n", false },
	{ "colours", "\033[1;31mred\033[0m\r\n", "red\n", false },
	{ "title", "\033]0;a title\007text\r\n", "text\n", false },
	{ "title ended by ST", "\033]0;a title\033\\text\r\n", "text\n", false },
	{ "DCS", "\033P+q544e\033\\text\r\n", "text\n", false },
	{ "charset", "\033(Btext\033=\r\n", "text\n", false },
	{ "bracketed paste", "\033[?2004hx\033[?2004l\r\n", "x\n", false },
	{ "controls vanish", "a\a\001\013\177b\r\n", "ab\n", false },
	{ "C1 vanishes",
	  "a\xc2\x9b"
	  "31mb\r\n",
	  "a31mb\n", false },
	{ "control within a sequence", "ab\033[\r1mX\r\n", "Xb\n", false },
	{ "sequence in a sequence", "\033[12\033[31mx\r\n", "x\n", false },
	{ "UTF-8", "\xe2\x82\xac \xf0\x9f\x98\x80\r\n",
	  "\xe2\x82\xac \xf0\x9f\x98\x80\n", false },
	{ "invalid bytes",
	  "a\xff\xfe"
	  "b\r\n",
	  "a" BAD BAD "b\n", false },
	{ "cut character",
	  "a\xe2\x82"
	  "b\r\n",
	  "a" BAD "b\n", false },
	{ "cut by another", "\xe2\xe2\x82\xac\r\n", BAD "\xe2\x82\xac\n", false },
	{ "half a character at the end", "a\xe2\x82", "a" BAD, false },
	{ "half a sequence at the end", "a\033[12", "a", false },
	{ "alternate screen", "a\r\n\033[?1049hdrawn\r\n\033[?1049lb\r\n", "a\nb\n",
	  false },
	{ "older alternate screen", "\033[?47hdrawn\033[?47lb\r\n", "b\n", false },
	{ "with other modes", "\033[?1;1049hdrawn\033[?1049lb\r\n", "b\n", false },
	{ "clear keeps the text", "\033[H\033[2Ja\r\n", "a\n", false },
	{ "address starts a line", "ab\033[5;1Hcd\r\n", "ab\ncd\n", false },
	{ "drawn by a program", "a\r\n\033[5;1Hcd\r\n", "a\n", true },
	{ "full reset", "\033[?1049hx\033cy\r\n", "y\n", false },
};

static void run(const struct row *row, size_t step)
{
	static struct output o;
	size_t len = strlen(row->in);
	_cleanup_buf_ struct buf got = BUF_INIT(4096);

	output_init(&o, on_out, row->keys ? keys_yes : NULL, &got);
	for (size_t i = 0; i < len; i += step)
		output_feed(&o, row->in + i, MIN(step, len - i));
	output_end(&o);
	assert_string_equal(buf_cstr(&got), row->want);
}

static void test_row(const void *p)
{
	const struct row *row = p;

	for (size_t step = 1; step < 6; step++)
		run(row, step);
	run(row, strlen(row->in));
}

static void a_string_swallows_4_KiB(void)
{
	static struct output o;
	static char x[OUTPUT_STRING_MAX];
	_cleanup_buf_ struct buf got = BUF_INIT(1 << 16);

	memset(x, 'x', sizeof(x));
	output_init(&o, on_out, NULL, &got);
	output_feed(&o, "\033]0;", 4);
	output_feed(&o, x, sizeof(x));
	output_feed(&o, "after\r\n", 7);
	output_end(&o);
	assert_string_equal(buf_cstr(&got) + got.len - 6, "after\n");
	assert_true(got.len < 16);
}

static void long_lines(void)
{
	static struct output o;
	_cleanup_buf_ struct buf got = BUF_INIT(1 << 20);

	output_init(&o, on_out, NULL, &got);
	for (int i = 0; i < 30000; i++)
		output_feed(&o, "\xe2\x82\xac", 3);
	output_end(&o);
	assert_int_equal(got.len, 90000);
	for (size_t i = 0; i < got.len; i += 3)
		assert_memory_equal(got.data + i, "\xe2\x82\xac", 3);
}

static void flush_joins(void)
{
	static struct output o;
	_cleanup_buf_ struct buf got = BUF_INIT(256);

	output_init(&o, on_out, NULL, &got);
	output_feed(&o, "name? \xe2", 7);
	output_flush(&o);
	assert_string_equal(buf_cstr(&got), "name? ");
	output_feed(&o, "\x82\xac\r\n", 4);
	assert_string_equal(buf_cstr(&got), "name? \xe2\x82\xac\n");
}

/* What they part would be one word without them. */
static void nul_bytes(void)
{
	static const char in[] = "A=b\0C=d\0\033[\0mx\r\n";
	static struct output o;
	_cleanup_buf_ struct buf got = BUF_INIT(256);

	output_init(&o, on_out, NULL, &got);
	output_feed(&o, in, sizeof(in) - 1);
	output_end(&o);
	assert_string_equal(buf_cstr(&got), "A=b\xe2\x90\x80"
					    "C=d\xe2\x90\x80x\n");
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "O4: a string swallows 4 KiB at most", a_string_swallows_4_KiB },
		{ "O9: a long line is cut at characters only", long_lines },
		{ "NUL bytes are seen", nul_bytes },
		{ "X6: what follows a flush is joined", flush_joins },
	};

	return unit_rows("output (O1, O2, O4, O5, O10)", rows, test_row) +
	       unit_cases("output", cases);
}
