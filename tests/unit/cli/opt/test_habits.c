#include "tests/unit/unit.h"

#include "cli/opt/habits.h"

static void commands(void)
{
	assert_string_equal(habits_command("list"), "'cubby ls' lists the boxes");
	assert_null(habits_command("refactor"));
	assert_null(habits_command(""));
}

static void what_may_be_a_task(void)
{
	assert_false(habits_only("build", "the", 3));
	assert_false(habits_only("inspect", "the", 3));
	assert_false(habits_only("system", "tests", 2));
	assert_false(habits_only("compose", "a", 3));
	assert_false(habits_only("refactor", NULL, 1));
	assert_true(habits_only("inspect", "db", 2));
	assert_true(habits_only("inspect", "-f", 4));
	assert_true(habits_only("history", "--no-trunc", 3));
	assert_true(habits_only("network", "ls", 2));
	assert_true(habits_only("volume", "rm", 3));
	assert_false(habits_only("volume", "r", 3));
	assert_false(habits_only("volume", "", 2));
	assert_false(habits_only("volume", NULL, 2));
}

static void options(void)
{
	assert_string_equal(habits_option("prune", "f"), "-y does not ask first");
	assert_string_equal(habits_option("exec", "network"),
			    "--net says what the box may reach");
	assert_null(habits_option("rm", "network"));
	assert_null(habits_option("prune", "forc"));
	assert_null(habits_option("prune", ""));
	assert_null(habits_option("", "f"));
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "commands", commands },
		{ "what may be a task", what_may_be_a_task },
		{ "options", options },
	};

	return unit_cases("habits", cases);
}
