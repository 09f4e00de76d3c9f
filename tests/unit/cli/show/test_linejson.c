#include "cli/show/linejson.h"

#include <string.h>

#include "base/def.h"
#include "tests/unit/unit.h"

static const struct row {
	const char *name, *in;
	size_t len;
	const char *want;
} rows[] = {
	{ "nothing", "", 0, "" },
	{ "lines", "a\nb\n", 4, "{\"text\":\"a\"}\n{\"text\":\"b\"}\n" },
	{ "the last without its end", "\nb", 2, "{\"text\":\"\"}\n{\"text\":\"b\"}\n" },
	{ "quotes and controls", "\"\\\033[m\t", 6,
	  "{\"text\":\"\\\"\\\\\\u001b[m\\t\"}\n" },
	{ "what is no text", "a\0\xff\xe4\xb8", 5, "{\"text\":\"a����\"}\n" },
	{ "what is hidden", "\xc2\x9b\xe2\x80\xae", 5,
	  "{\"text\":\"\\u009b\\u202e\"}\n" },
};

static void test(const void *p)
{
	const struct row *row = p;

	for (size_t step = 1; step <= row->len + 1; step++) {
		_cleanup_linejson_ struct linejson l;
		_cleanup_buf_ struct buf got = BUF_INIT(4096);

		linejson_init(&l);
		for (size_t i = 0; i < row->len; i += step)
			assert_int_equal(linejson_feed(&l, row->in + i,
						       MIN(step, row->len - i), &got),
					 0);
		assert_int_equal(linejson_feed(&l, "", 0, &got), 0);
		assert_string_equal(buf_cstr(&got), row->want);
	}
}

static void a_long_line_comes_in_pieces(void)
{
	_cleanup_linejson_ struct linejson l;
	_cleanup_buf_ struct buf got = BUF_INIT(1 << 20);
	static char in[LINEJSON_MAX + 1];

	linejson_init(&l);
	memset(in, 'x', sizeof(in));
	assert_int_equal(linejson_feed(&l, in, sizeof(in), &got), 0);
	assert_int_equal(linejson_feed(&l, "\n", 1, &got), 0);
	assert_memory_equal(got.data, "{\"text\":\"xx", 11);
	assert_non_null(
		strstr(buf_cstr(&got), "x\",\"more\":true}\n{\"text\":\"x\"}\n"));
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "a long line comes in pieces", a_long_line_comes_in_pieces },
	};

	return unit_rows("linejson", rows, test) + unit_cases("linejson", cases);
}
