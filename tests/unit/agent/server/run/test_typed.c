#include "agent/server/run/typed.h"

#include "tests/unit/unit.h"

static const struct row {
	const char *name, *in, *want;
	size_t len;
} rows[] = {
#define WANT(s) (s), sizeof(s) - 1
	{ "plain", "yes", WANT("yes") },
	{ "a line end", "y\\n", WANT("y\n") },
	{ "a real one", "y\n", WANT("y\n") },
	{ "control", "\\x03\\x1b[A\\e", WANT("\003\033[A\033") },
	{ "a NUL", "a\\0b", WANT("a\0b") },
	{ "unicode below 128", "\\u0004", WANT("\004") },
	{ "unicode above", "\\u00e4", WANT("\\u00e4") },
	{ "a backslash", "a\\\\n", WANT("a\\n") },
	{ "unknown", "\\q\\", WANT("\\q\\") },
	{ "half a number", "\\x1", WANT("\\x1") },
	{ "no number", "\\xzz\\x+1", WANT("\\xzz\\x+1") },
};

static void test_unescape(const void *p)
{
	const struct row *row = p;
	_cleanup_buf_ struct buf b = BUF_INIT(100);

	typed_unescape(row->in, &b);
	assert_int_equal(b.len, row->len);
	assert_memory_equal(buf_cstr(&b), row->want, row->len);
}

int main(void)
{
	return unit_rows("typed_unescape", rows, test_unescape);
}
