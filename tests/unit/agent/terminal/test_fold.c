#include "agent/terminal/fold.h"

#include "tests/unit/unit.h"

#define LEFT(n, what, bytes)                                     \
	"[\xe2\x80\xa6 " n " lines of " what " left out, " bytes \
	" bytes \xe2\x80\xa6]\n"
#define RETRY(n, at) \
	"WARNING: Retrying (Retry(total=" n ")) after 'Connection object at " at "'\n"
#define WARN(n) "WARNING: " n "\n"
#define SAME64_LINE "012345678901234567890123456789012345678901234567890123456789abc\n"
#define SAME64 SAME64_LINE SAME64_LINE SAME64_LINE SAME64_LINE SAME64_LINE
#define LIKE(n, bytes)                                                              \
	SAME64_LINE "[\xe2\x80\xa6 " n " lines like the one above left out, " bytes \
		    " bytes \xe2\x80\xa6]\n"
#define BAD "\xef\xbf\xbd"
#define NUL "\xe2\x90\x80"

static const struct row {
	const char *name, *in, *want;
	bool folded;
} rows[] = {
	{ "nothing", "", "", false },
	{ "plain lines", "one\ntwo\n\nthree", "one\ntwo\n\nthree", false },
	{ "three lines of apt stay", "Get:1 a\nGet:2 b\nGet:3 c\nx\n",
	  "Get:1 a\nGet:2 b\nGet:3 c\nx\n", false },
	{ "four do not", "a\nGet:1 a\nGet:2 b\nUnpacking c ...\nSetting up c ...\nb\n",
	  "a\n" LEFT("4", "a package manager's progress", "49") "b\n", true },
	{ "apt's lists belong to it",
	  "The following NEW packages will be installed:\n  a b\n  c d\nNeed to get 5 "
	  "kB.\n"
	  "  mine\n",
	  LEFT("5", "a package manager's progress", "83"), true },
	{ "an indented line alone is nobody's", "  a\n  b\n  c\n  d\n  e\n",
	  "  a\n  b\n  c\n  d\n  e\n", false },
	{ "an error in between is shown",
	  "Get:1 a\nGet:2 b\nGet:3 c\nGet:4 d\nE: broken\nGet:5 e\n",
	  LEFT("4", "a package manager's progress", "32") "E: broken\nGet:5 e\n",
	  true },
	{ "pip",
	  "Collecting a\n  Downloading a.whl (5 kB)\nCollecting b\n  Using cached b\n"
	  "Successfully installed a b\n",
	  LEFT("4", "pip's progress", "70") "Successfully installed a b\n", true },
	{ "pip tries again",
	  RETRY("4", "0x7f0a") RETRY("3", "0x7fff") RETRY("2", "0x12") RETRY("1", "0x1")
		  RETRY("0", "0x7f0b") "ERROR: none\n",
	  RETRY("4",
		"0x7f0a") "[\xe2\x80\xa6 4 lines like the one above left out, 279 bytes "
			  "\xe2\x80\xa6]\n"
			  "ERROR: none\n",
	  true },
	{ "equal warnings", WARN("1") WARN("1") WARN("1") WARN("1") WARN("1") "x\n",
	  WARN("1") "[\xe2\x80\xa6 4 lines like the one above left out, 44 bytes "
		    "\xe2\x80\xa6]\nx\n",
	  true },
	{ "warnings that differ in a number",
	  WARN("1") WARN("2") WARN("3") WARN("4") WARN("5"),
	  WARN("1") WARN("2") WARN("3") WARN("4") WARN("5"), false },
	{ "equal lines that are no warnings", "a\na\na\na\na\na\n",
	  "a\na\na\na\na\na\n", false },
	{ "many equal lines", "a\n" SAME64 "b\n", "a\n" LIKE("4", "256") "b\n", true },
	{ "equal lines that are too few", SAME64_LINE SAME64_LINE SAME64_LINE "b\n",
	  SAME64_LINE SAME64_LINE SAME64_LINE "b\n", false },
	{ "equal lines, and others that are equal", SAME64 "a\n" SAME64 "a\n",
	  LIKE("4", "256") "a\n" LIKE("4", "256") "a\n", true },
	{ "make and ninja", "[  1%] a\n[ 12%] b\n[100%] c\n[12/345] d\ndone\n",
	  LEFT("4", "a build's progress", "38") "done\n", true },
	{ "npm",
	  "npm warn deprecated a\nnpm http fetch b\nnpm notice\nnpm notice c\nok\n",
	  LEFT("4", "npm's notices", "63") "ok\n", true },
	{ "Go and Cargo",
	  "go: downloading a\ngo: downloading b\n   Compiling c\n  Downloaded d\nok\n",
	  LEFT("4", "a build's progress", "66") "ok\n", true },
	{ "apt's templates, and update-alternatives",
	  "Extracting templates from packages: 100%\nupdate-alternatives: using a\n"
	  "debconf: b\ninvoke-rc.d: c\n",
	  LEFT("4", "a package manager's progress", "96"), true },
	{ "wget",
	  "    0K .......... 1%\n   50K .......... 2%\n"
	  "  100K .......... 3%\n 9950K .......... 9%\nok\n",
	  LEFT("4", "a download's progress", "84") "ok\n", true },
	{ "numbers that are no progress", "[1] a\n[2] b\n[3] c\n[4] d\n",
	  "[1] a\n[2] b\n[3] c\n[4] d\n", false },
	{ "binary output",
	  "a\n" BAD "x" BAD "PNG" BAD BAD BAD "12345678901234567890\n" BAD BAD BAD BAD
	  "\n" BAD BAD BAD BAD BAD BAD "\nb\n",
	  "a\n" LEFT("3", "binary output", "72") "b\n", true },
	{ "a head between NUL bytes",
	  BAD "ELF" NUL NUL NUL NUL NUL NUL NUL NUL BAD "01234567890123456789\n"
	      "libc.so.6" NUL "printf" NUL "__libc_start_main" NUL "exit" NUL
	      "and_so_on\nb\n",
	  LEFT("2", "binary output", "112") "b\n", true },
	{ "texts between NUL bytes", "HOME=/root" NUL "PATH=/bin" NUL "A=" NUL "\n",
	  "HOME=/root" NUL "PATH=/bin" NUL "A=" NUL "\n", false },
	{ "one wrong byte is text", "caf" BAD " au lait, and so on\n",
	  "caf" BAD " au lait, and so on\n", false },
};

static void keep(void *ctx, const char *text, size_t len)
{
	assert_int_equal(buf_add(ctx, text, len), 0);
}

static void test_row(const void *p)
{
	const struct row *row = p;
	size_t len = strlen(row->in);

	for (size_t step = 1; step <= len + 1; step++) {
		_cleanup_buf_ struct buf got = BUF_INIT(64 << 10);
		struct fold f;

		fold_init(&f, keep, &got);
		for (size_t i = 0; i < len; i += step)
			fold_feed(&f, row->in + i, MIN(step, len - i));
		fold_flush(&f);
		assert_string_equal(buf_cstr(&got), row->want);
		assert_int_equal(f.folded, row->folded);
		fold_done(&f);
	}
}

static void a_line_longer_than_any(void)
{
	static char line[3 * FOLD_LINE];
	_cleanup_buf_ struct buf got = BUF_INIT(64 << 10);
	struct fold f;

	memset(line, 'x', sizeof(line));
	fold_init(&f, keep, &got);
	fold_feed(&f, line, sizeof(line));
	fold_feed(&f, "\nGet:1\n", 7);
	fold_flush(&f);
	assert_int_equal(got.len, sizeof(line) + 7);
	buf_truncate(&got, 0);
	fold_reset(&f);
	for (size_t i = 0; i + 3 <= sizeof(line); i += 3)
		memcpy(line + i, BAD, 3);
	fold_feed(&f, line, sizeof(line));
	fold_feed(&f, "\nend\n", 5);
	fold_flush(&f);
	assert_string_equal(buf_cstr(&got),
			    "[\xe2\x80\xa6 1 line of binary output left out, 12289 "
			    "bytes \xe2\x80\xa6]\nend\n");
	fold_done(&f);
}

/* A program that asks: its prompt is seen, and the rest of the line is no new one. */
static void half_a_line(void)
{
	_cleanup_buf_ struct buf got = BUF_INIT(1000);
	struct fold f;

	fold_init(&f, keep, &got);
	fold_feed(&f, "Get:1\nSetting up", 16);
	fold_flush(&f);
	assert_string_equal(buf_cstr(&got), "Get:1\nSetting up");
	fold_feed(&f, " x\nb\n", 5);
	assert_string_equal(buf_cstr(&got), "Get:1\nSetting up x\nb\n");
	fold_done(&f);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "a line longer than any", a_line_longer_than_any },
		{ "half a line", half_a_line },
	};

	return unit_rows("fold", rows, test_row) + unit_cases("fold", cases);
}
