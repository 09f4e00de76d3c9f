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

int main(void)
{
	return unit_rows("base64", rows, test_row);
}
