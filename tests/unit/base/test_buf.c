#include "base/buf.h"

#include "tests/unit/unit.h"

static void grows_to_its_maximum(void)
{
	_cleanup_buf_ struct buf b = BUF_INIT(200);
	char big[200];

	memset(big, 'x', sizeof(big));
	assert_string_equal(buf_cstr(&b), "");
	assert_int_equal(buf_add(&b, big, 200), 0);
	assert_int_equal(b.len, 200);
	assert_int_equal(b.data[200], '\0');
	assert_int_equal(buf_addc(&b, 'y'), -EMSGSIZE);
	assert_int_equal(b.len, 200);
	assert_int_equal(buf_reserve(&b, SIZE_MAX), -EMSGSIZE);
}

static void additions_that_do_not_fit_change_nothing(void)
{
	_cleanup_buf_ struct buf b = BUF_INIT(8);

	assert_int_equal(buf_adds(&b, "abc"), 0);
	assert_int_equal(buf_addf(&b, "%d-%s", 12, "long"), 0 - EMSGSIZE);
	assert_string_equal(buf_cstr(&b), "abc");
	assert_int_equal(buf_addf(&b, "%d-%s", 12, "xy"), 0);
	assert_string_equal(buf_cstr(&b), "abc12-xy");
	assert_int_equal(buf_add(&b, NULL, 0), 0);
}

static void the_first_failure_is_remembered(void)
{
	_cleanup_buf_ struct buf b = BUF_INIT(4);
	char *s;

	buf_adds(&b, "abc");
	assert_int_equal(buf_failed(&b), 0);
	buf_adds(&b, "de");
	assert_int_equal(buf_fail(&b, -ENOMEM), -ENOMEM);
	assert_int_equal(buf_adds(&b, "f"), 0); /* it fits */
	assert_int_equal(buf_failed(&b), -EMSGSIZE);
	buf_truncate(&b, 0);
	assert_int_equal(buf_failed(&b), -EMSGSIZE);
	assert_int_equal(buf_fail(&b, 0), 0);
	s = buf_steal(&b);
	free(s);
	assert_int_equal(buf_failed(&b), 0);
}

static void consume_truncate_steal(void)
{
	struct buf b = BUF_INIT(100);
	char *s;

	assert_int_equal(buf_adds(&b, "hello world"), 0);
	buf_consume(&b, 6);
	assert_string_equal(buf_cstr(&b), "world");
	buf_truncate(&b, 50);
	buf_truncate(&b, 3);
	assert_string_equal(buf_cstr(&b), "wor");
	s = buf_steal(&b);
	assert_string_equal(s, "wor");
	free(s);
	assert_string_equal(buf_cstr(&b), "");
	assert_null(buf_steal(&b));
	assert_int_equal(buf_adds(&b, "again"), 0);
	buf_consume(&b, 50);
	assert_int_equal(b.len, 0);
	buf_done(&b);
	assert_int_equal(b.max, 100);
}

static void reserve_and_commit(void)
{
	_cleanup_buf_ struct buf b = BUF_INIT(4);

	assert_int_equal(buf_reserve(&b, 4), 0);
	memcpy(b.data, "abcd", 4);
	buf_commit(&b, 4);
	assert_string_equal(buf_cstr(&b), "abcd");
	assert_int_equal(buf_reserve(&b, 0), 0);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "grows to its maximum", grows_to_its_maximum },
		{ "additions that do not fit change nothing",
		  additions_that_do_not_fit_change_nothing },
		{ "the first failure is remembered", the_first_failure_is_remembered },
		{ "consume, truncate, steal", consume_truncate_steal },
		{ "reserve and commit", reserve_and_commit },
	};

	return unit_cases("buf", cases);
}
