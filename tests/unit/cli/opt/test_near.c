#include "tests/unit/unit.h"

#include "cli/opt/near.h"

static const struct row {
	const char *name, *word, *want;
	unsigned distance; /* to "shell" */
} rows[] = {
	{ "the word itself", "shell", "shell", 0 },
	{ "a letter is missing", "shel", "shell", 1 },
	{ "two are swapped", "shlel", "shell", 1 },
	{ "one is wrong", "sheld", "shell", 1 },
	{ "far away", "banana", NULL, 6 },
	{ "the empty word", "", NULL, 5 },
	{ "longer than any word", "0123456789012345678901234567890123456789", NULL,
	  99 },
	{ "a short word near a short one", "lss", "ls", 5 },
};

static void test(const void *p)
{
	static const char *const known[] = { "exec", NULL, "ls", "shell", "rm" };
	const struct row *r = p;
	const char *got = near_find(r->word, known, 5);

	assert_int_equal(near_distance(r->word, "shell"), r->distance);
	if (r->want)
		assert_string_equal(got, r->want);
	else
		assert_null(got);
}

int main(void)
{
	return unit_rows("near", rows, test);
}
