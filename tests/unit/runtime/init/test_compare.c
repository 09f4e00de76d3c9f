/* The applet as it is: two files of the test's directory, its JSON on a pipe. */
#include "runtime/init/applets.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/json.h"
#include "tests/unit/unit.h"

static void put(const char *path, const char *data, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	struct err e = ERR_NONE;

	assert_true(fd >= 0);
	unit_ok(file_write_fd(fd, data, len, &e), &e);
	close(fd);
}

/* What it says of a and b: its answer in @out, or its failure in *@e. */
static int compare(const char *flags, struct buf *out, struct err *e)
{
	char name[] = "compare", a[] = "a", b[] = "b", f[2] = { flags[0] }, n[] = "0";
	char *const argv[] = { name, a, b, f, n, NULL };
	int r, status, p[2];
	pid_t pid;

	assert_int_equal(chdir(unit_tmpdir()), 0);
	assert_int_equal(pipe2(p, O_CLOEXEC), 0);
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		struct err why = ERR_NONE;

		dup2(p[1], 1);
		r = compare_run(argv, &why);
		if (r < 0)
			dprintf(1, "%s", why.msg);
		fflush(NULL);
		_exit(-r);
	}
	close(p[1]);
	unit_ok(file_read_fd(p[0], out, e), e);
	close(p[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return -WEXITSTATUS(status);
}

#define FILES                                                           \
	"{\"original\":{\"path\":\"a\",\"name\":\"a\",\"notices\":[]}," \
	"\"revised\":{\"path\":\"b\",\"name\":\"b\",\"notices\":[]},"
#define SAME FILES "\"additions\":0,\"deletions\":0,\"hunks\":[]}"
#define TEXT(s)                  \
	{                        \
		s, sizeof(s) - 1 \
	}
/* clang-format off */
#define LINE(type, i, j, text, more, segments)                                          \
	"{\"type\":\"" type "\",\"oldNumber\":" i ",\"newNumber\":" j                        \
	",\"content\":\"" text "\"," more "\"segments\":[" segments "]}"
#define CONTEXT(i, j, text, in_b)                                                       \
	LINE("context", i, j, text, "\"revisedContent\":\"" in_b "\",", SEG(text, "false"))
#define REMOVED(i, text, segments) LINE("removed", i, "null", text, "", segments)
#define ADDED(j, text, segments) LINE("added", "null", j, text, "", segments)
#define HUNK(added, removed, head, lines)                                               \
	FILES "\"additions\":" added ",\"deletions\":" removed ",\"hunks\":[{\"header\":\"@@ "\
	head " @@\",\"lines\":[" lines "]}]}"
#define SEG(s, c) "{\"text\":\"" s "\",\"changed\":" c "}"

static const struct row {
	const char *name;
	struct {
		const char *s;
		size_t n;
	} a, b;
	const char *flags, *want;
	int code;
} rows[] = {
	{ "equal", TEXT("x\ny\n"), TEXT("x\ny\n"), "-", SAME, 0 },
	{ "both empty", TEXT(""), TEXT(""), "-", SAME, 0 },
	{ "the end of the last line does not count", TEXT("x"), TEXT("x\n"), "-", SAME,
	  0 },
	{ "line ends of other systems do not count", TEXT("x\r\ny\rz"),
	  TEXT("x\ny\nz\n"), "-", SAME, 0 },
	{ "blanks that shall not count", TEXT("a b\n"), TEXT(" ab\n"), "w", SAME, 0 },
	{ "UTF-8 with a mark, and UTF-16 of both kinds", TEXT("\xef\xbb\xbf\xc3\xa4\n"),
	  TEXT("\xff\xfe\xe4\0\n\0"), "-", SAME, 0 },
	{ "a pair of surrogates, and UTF-32", TEXT("\xfe\xff\xd8\x3d\xde\0"),
	  TEXT("\xff\xfe\0\0\0\xf6\x01\0"), "-", SAME, 0 },
	{ "words", TEXT("let a = 1;\nend\n"), TEXT("let b = 1;\nend\nmore\n"), "-",
	  HUNK("2", "1", "-1,2 +1,3",
	       REMOVED("1", "let a = 1;", SEG("let ", "false") "," SEG("a", "true") ","
					  SEG(" = 1;", "false")) ","
	       ADDED("1", "let b = 1;", SEG("let ", "false") "," SEG("b", "true") ","
					SEG(" = 1;", "false")) ","
	       CONTEXT("2", "2", "end", "end") ","
	       ADDED("3", "more", SEG("more", "false"))), 0 },
	{ "nothing before", TEXT(""), TEXT("\"\\\n"), "-",
	  HUNK("1", "0", "-0,0 +1,1", ADDED("1", "\\\"\\\\", SEG("\\\"\\\\", "false"))), 0 },
	{ "a line of another's blanks is shown as it is in both", TEXT(" x\n1\n"),
	  TEXT("x\n2\n"), "w",
	  HUNK("1", "1", "-1,2 +1,2",
	       CONTEXT("1", "1", " x", "x") "," REMOVED("2", "1", SEG("1", "true")) ","
	       ADDED("2", "2", SEG("2", "true"))), 0 },
	{ "a NUL", TEXT("x\0"), TEXT(""), "-", "a: no text", -EBADMSG },
	{ "not UTF-8", TEXT(""), TEXT("\xff\n"), "-", "b: no text", -EBADMSG },
	{ "half a character", TEXT("\xc3"), TEXT(""), "-", "a: no text", -EBADMSG },
	{ "half a unit", TEXT("\xff\xfex"), TEXT(""), "-", "a: no text", -EBADMSG },
	{ "half a pair", TEXT("\xff\xfe\x3d\xd8"), TEXT(""), "-", "a: no text",
	  -EBADMSG },
	{ "no character at all", TEXT("\xff\xfe\0\0\0\0\x11\0"), TEXT(""), "-",
	  "a: no text", -EBADMSG },
};
/* clang-format on */

static void test_row(const void *p)
{
	const struct row *row = p;
	_cleanup_buf_ struct buf out = BUF_INIT(1 << 20);
	struct err e = ERR_NONE;

	assert_int_equal(chdir(unit_tmpdir()), 0);
	put("a", row->a.s, row->a.n);
	put("b", row->b.s, row->b.n);
	assert_int_equal(compare(row->flags, &out, &e), row->code);
	assert_string_equal(buf_cstr(&out), row->want);
}

/* @n lines of @len bytes, no two files' the same. */
static void fill(const char *path, unsigned n, size_t len, size_t step)
{
	_cleanup_buf_ struct buf b = BUF_INIT(64 << 20);

	for (unsigned i = 0; i < n; i++) {
		for (size_t k = 0; k + 1 < len; k++)
			buf_addc(&b, (char)('!' + (i + k * step) % 15));
		buf_addc(&b, '\n');
	}
	put(path, buf_cstr(&b), b.len);
}

#ifdef __SANITIZE_ADDRESS__
enum { LINES = 96 }; /* its time grows with their square, here tenfold */
#else
enum { LINES = 480 };
#endif

/* As much as there may be, of the worst kind; what is more is refused, and not cut. */
static void limits(void)
{
	_cleanup_buf_ struct buf out = BUF_INIT(256 << 20), want = BUF_INIT(64);
	struct err e = ERR_NONE;

	assert_int_equal(chdir(unit_tmpdir()), 0);
	fill("a", LINES, 4096, 7);
	fill("b", LINES, 4096, 4);
	assert_int_equal(compare("-", &out, &e), 0);
	buf_addf(&want, "\"additions\":%d,\"deletions\":%d,", LINES, LINES);
	assert_non_null(strstr(buf_cstr(&out), buf_cstr(&want)));
	buf_truncate(&out, 0);
	fill("a", 50000, 1, 0);
	fill("b", 50001, 1, 0);
	assert_int_equal(compare("-", &out, &e), -EBADMSG);
	assert_string_equal(buf_cstr(&out),
			    "b: more than 2 million characters or 50,000 lines");
	buf_truncate(&out, 0);
	fill("b", 3, 1 << 20, 0);
	assert_int_equal(compare("-", &out, &e), -EBADMSG);
	assert_string_equal(buf_cstr(&out),
			    "b: more than 2 million characters or 50,000 lines");
	buf_truncate(&out, 0);
	assert_int_equal(truncate("b", (50 << 20) + 1), 0);
	assert_int_equal(compare("-", &out, &e), -EBADMSG);
	assert_string_equal(buf_cstr(&out), "b: more than 50 MiB");
	buf_truncate(&out, 0);
	assert_int_equal(unlink("b"), 0);
	assert_int_equal(compare("-", &out, &e), -ENOENT);
	assert_string_equal(buf_cstr(&out), "b: File not found.");
	buf_truncate(&out, 0);
	assert_int_equal(mkfifo("b", 0600), 0);
	assert_int_equal(compare("-", &out, &e), -ENOENT);
}

int main(void)
{
	static const struct unit_case cases[] = { { "limits", limits } };

	return unit_rows("compare", rows, test_row) + unit_cases("compare", cases);
}
