#include "tests/unit/unit.h"

#include "cli/opt/words.h"

static void grows_and_ends_in_null(void)
{
	_cleanup_words_ struct words w = WORDS_NONE;

	assert_null(words_list(&w)[0]);
	assert_int_equal(words_add(&w, "a"), 0);
	assert_int_equal(words_add(&w, "b"), 0);
	assert_string_equal(words_list(&w)[0], "a");
	assert_string_equal(words_list(&w)[1], "b");
	assert_null(words_list(&w)[2]);
}

static void has_a_limit(void)
{
	_cleanup_words_ struct words w = WORDS_NONE;

	for (int i = 0; i < WORDS_MAX; i++)
		assert_int_equal(words_add(&w, "x"), 0);
	assert_int_equal(words_add(&w, "y"), -E2BIG);
	assert_int_equal(w.n, WORDS_MAX);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "grows, and ends in NULL", grows_and_ends_in_null },
		{ "has a limit", has_a_limit },
	};

	return unit_cases("words", cases);
}
