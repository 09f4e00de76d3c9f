#include "base/base64.h"

#include "tests/unit/unit.h"

static const struct row {
	const char *name, *in, *want;
} rows[] = { /* RFC 4648, 10 */
	     { "nothing", "", "" },
	     { "f", "f", "Zg==" },
	     { "fo", "fo", "Zm8=" },
	     { "foo", "foo", "Zm9v" },
	     { "foob", "foob", "Zm9vYg==" },
	     { "foobar", "foobar", "Zm9vYmFy" },
	     { "high bits", "\xff\xfe\xfd", "//79" }
};

static void test_row(const void *p)
{
	const struct row *row = p;
	_cleanup_buf_ struct buf out = BUF_INIT(100), small = BUF_INIT(3);

	assert_int_equal(base64_add(&out, row->in, strlen(row->in)), 0);
	assert_string_equal(buf_cstr(&out), row->want);
	assert_int_equal(base64_add(&small, row->in, strlen(row->in)),
			 *row->in ? -EMSGSIZE : 0);
}

static const struct bad {
	const char *name, *in;
} bad[] = {
	{ "cut", "Zm9" },
	{ "padding alone", "====" },
	{ "padding first", "=m9v" },
	{ "more behind it", "Zg==Zg==" },
	{ "padding within", "Zg=v" },
	{ "a strange character", "Zm9*" },
	{ "of the other set", "Zm9_" },
	{ "one character", "Z" },
	{ "padding of nothing", "Zm9v=" },
};

static void test_get(const void *p)
{
	const struct row *row = p;
	_cleanup_buf_ struct buf out = BUF_INIT(100), broken = BUF_INIT(100);

	assert_int_equal(base64_get(&out, row->want, strlen(row->want)), 0);
	assert_int_equal(out.len, strlen(row->in));
	assert_memory_equal(buf_cstr(&out), row->in, out.len);
	for (const char *s = row->want; *s; s++)
		buf_addf(&broken, " %c\r\n", *s);
	buf_truncate(&out, 0);
	assert_int_equal(base64_get(&out, buf_cstr(&broken), broken.len), 0);
	assert_int_equal(out.len, strlen(row->in));
}

static void test_bad(const void *p)
{
	const struct bad *row = p;
	_cleanup_buf_ struct buf out = BUF_INIT(100);

	assert_int_equal(base64_get(&out, row->in, strlen(row->in)), -EINVAL);
}

int main(void)
{
	return unit_rows("base64", rows, test_row) +
	       unit_rows("base64_get", rows, test_get) +
	       unit_rows("base64_get", bad, test_bad);
}
