#include "tests/unit/unit.h"

#include "cli/run/detach.h"

static void logs_name_what_is_wanted(void)
{
	_cleanup_words_ struct words all = WORDS_NONE, one = WORDS_NONE;

	assert_int_equal(detach_logs(NULL, NULL, false, &all), 0);
	assert_string_equal(all.v[4], "show");
	assert_string_equal(all.v[5], "");
	assert_null(all.v[6]);
	assert_int_equal(detach_logs("7", "3", true, &one), 0);
	assert_string_equal(one.v[4], "follow");
	assert_string_equal(one.v[5], "7");
	assert_string_equal(one.v[6], "3");
}

static void wait_has_every_number(void)
{
	static const char *const pids[] = { "7", "8", NULL };
	_cleanup_words_ struct words w = WORDS_NONE;

	assert_int_equal(detach_wait(pids, &w), 0);
	assert_string_equal(w.v[4], "7");
	assert_string_equal(w.v[5], "8");
	assert_null(w.v[6]);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "logs name what is wanted", logs_name_what_is_wanted },
		{ "wait has every number", wait_has_every_number },
	};

	return unit_cases("detach", cases);
}
