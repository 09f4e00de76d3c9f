#include "tests/unit/unit.h"

#include "cli/detach.h"

static void words_of_the_caller_are_arguments(void)
{
	static const char *const command[] = { "echo", "$(id); \"x\"", NULL };
	_cleanup_words_ struct words w = WORDS_NONE;

	assert_int_equal(detach_command(command, &w), 0);
	assert_int_equal(w.n, 6);
	assert_string_equal(w.v[0], "sh");
	assert_null(strstr(w.v[2], "id"));
	assert_string_equal(w.v[4], "echo");
	assert_string_equal(w.v[5], "$(id); \"x\"");
	assert_null(w.v[6]);
}

static void logs_name_what_is_wanted(void)
{
	_cleanup_words_ struct words all = WORDS_NONE, one = WORDS_NONE;

	assert_int_equal(detach_logs(NULL, false, &all), 0);
	assert_string_equal(all.v[4], "show");
	assert_null(all.v[5]);
	assert_int_equal(detach_logs("7", true, &one), 0);
	assert_string_equal(one.v[4], "follow");
	assert_string_equal(one.v[5], "7");
}

static void too_many_words(void)
{
	static const char *command[WORDS_MAX + 1];
	_cleanup_words_ struct words w = WORDS_NONE;

	for (size_t i = 0; i < WORDS_MAX; i++)
		command[i] = "x";
	assert_int_equal(detach_command(command, &w), -E2BIG);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "words of the caller are arguments",
		  words_of_the_caller_are_arguments },
		{ "logs name what is wanted", logs_name_what_is_wanted },
		{ "too many words", too_many_words },
	};

	return unit_cases("detach", cases);
}
