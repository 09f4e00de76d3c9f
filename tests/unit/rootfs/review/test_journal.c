#include "rootfs/review/journal.h"

#include "tests/unit/unit.h"

#define HEAD "cubby journal 1\0"
#define STEP "33188 1 2 3 4 0 0 0 0 0 "

static const struct row {
	const char *name, *text;
	size_t len, n;
	int want;
} rows[] = {
#define TEXT(t) t, sizeof(t) - 1
	{ "one step", TEXT(HEAD STEP "a/b\0"), 1, 0 },
	{ "two steps", TEXT(HEAD STEP "a\0" STEP "new\nline\0"), 2, 0 },
	{ "no step", TEXT(HEAD), 0, 0 },
	{ "another head", TEXT("cubby journal 2\0" STEP "a\0"), 0, -EBADMSG },
	{ "cut", TEXT(HEAD STEP "a"), 0, -EBADMSG },
	{ "empty", TEXT(""), 0, -EBADMSG },
	{ "out of the project", TEXT(HEAD STEP "../a\0"), 0, -EBADMSG },
	{ "absolute", TEXT(HEAD STEP "/a\0"), 0, -EBADMSG },
	{ "up in between", TEXT(HEAD STEP "a/../b\0"), 0, -EBADMSG },
	{ "the project itself", TEXT(HEAD STEP ".\0"), 0, -EBADMSG },
	{ "an empty part", TEXT(HEAD STEP "a//b\0"), 0, -EBADMSG },
	{ "no path", TEXT(HEAD STEP "\0"), 0, -EBADMSG },
	{ "no number", TEXT(HEAD "33188 1 x 3 4 0 0 0 0 0 a\0"), 0, -EBADMSG },
	{ "too large a number",
	  TEXT(HEAD "33188 1 18446744073709551616 3 4 0 0 0 0 0 a\0"), 0, -EBADMSG },
	{ "from nothing to nothing", TEXT(HEAD "0 0 0 0 0 0 0 0 0 0 a\0"), 0,
	  -EBADMSG },
};

static void parses(const void *p)
{
	const struct row *row = p;
	_cleanup_journal_ struct journal j = JOURNAL_NONE;

	assert_int_equal(buf_add(&j.text, row->text, row->len), 0);
	assert_int_equal(journal_parse(&j), row->want);
	if (row->want == 0)
		assert_int_equal(j.n, row->n);
}

static void comes_back(void)
{
	struct diff_item x = { .path = (char *)(uintptr_t) "a b",
			       .was = { 0100644, 1, 2, 3, 4 },
			       .now = { 0100755, 5, 6, 7, UINT64_MAX } };
	_cleanup_journal_ struct journal j = JOURNAL_NONE;

	assert_int_equal(journal_add(&j.text, &x), 0);
	assert_int_equal(journal_parse(&j), 0);
	assert_int_equal(j.n, 1);
	assert_string_equal(j.steps[0].path, "a b");
	assert_memory_equal(&j.steps[0].was, &x.was, sizeof(x.was));
	assert_memory_equal(&j.steps[0].now, &x.now, sizeof(x.now));
}

static void logs(void)
{
	static const char text[] =
		"0 7 8 \n1 9 9 33188 \nx\n5 1 1 \n0 1 \n1 2 3 4 5 \n0 1";
	_cleanup_journal_ struct journal j = JOURNAL_NONE;

	assert_int_equal(buf_add(&j.text, rows[1].text, rows[1].len), 0);
	assert_int_equal(journal_parse(&j), 0);
	journal_take_log(&j, text, sizeof(text) - 1);
	assert_int_equal(j.steps[0].ino, 7);
	assert_int_equal(j.steps[0].ctime, 8);
	assert_int_equal(j.steps[0].mode, 0); /* of a log that has none */
	assert_int_equal(j.steps[1].ino, 9);
	assert_int_equal(j.steps[1].mode, 0100644);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "what is written is read", comes_back },
		{ "the log, as far as it is whole", logs },
	};

	return unit_rows("journal_parse", rows, parses) + unit_cases("journal", cases);
}
