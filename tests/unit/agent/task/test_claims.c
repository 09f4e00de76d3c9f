#include "agent/task/claims.h"

#include "tests/unit/unit.h"

static const struct row {
	const char *name, *text;
	bool work, failure;
} rows[] = {
	{ "an answer", "It is 42.", false, false },
	{ "nothing", "", false, false },
	{ "marks alone", "** \n", false, false },
	{ "marks alone at the end", "It is 42. ->", false, false },
	{ "a word", "forty-two", false, false },
	{ "announced", "I'll look at the files.", true, false },
	{ "announced, typographic", "I\xe2\x80\x99ll look at the files", true, false },
	{ "announced at the end", "That is a C project. Let me run the tests.", true,
	  false },
	{ "announced in a line of its own", "Here is the plan\n\nNow I will build it",
	  true, false },
	{ "announced in bold", "**Let me look.**", true, false },
	{ "a colon", "I run the tests now:", true, false },
	{ "announced and done", "Let me look. The answer is 42.", false, false },
	{ "an offer", "Done. Let me know if you want more.", false, false },
	{ "another offer", "It is there. If you want, I'll add tests.", false, false },
	{ "a question", "Let me ask: shall I go on?", false, false },
	{ "a file's name is no end", "I will read a.txt.", true, false },
	{ "a word that begins so", "I'lls are no words.", false, false },
	{ "failed", "I could not convert it: there is no cat.jpg.", false, true },
	{ "failed, in the end", "I tried twice. I was unable to reach the host.", false,
	  true },
	{ "unfortunately", "Unfortunately, this needs a GPU.", false, true },
	{ "failed and mended", "It failed at first. Now all tests pass.", false,
	  false },
	{ "what else failed", "The build failed because of a typo, which is fixed.",
	  false, false },
};

static void test_row(const void *p)
{
	const struct row *row = p;

	assert_int_equal(claims_work(row->text), row->work);
	assert_int_equal(claims_failure(row->text), row->failure);
}

static const struct task_row {
	const char *name;
	bool task;
} task_rows[] = {
	{ "make two files", true },	  { "Convert cat.jpg into a png.", true },
	{ "please fix the tests", true }, { "what is six by seven?", false },
	{ "make sense of this?", false }, { "explain the code", false },
	{ "makes no sense", false },	  { "", false },
	{ "- write a note", true },
};

static void test_task(const void *p)
{
	const struct task_row *row = p;

	assert_int_equal(claims_task(row->name), row->task);
}

int main(void)
{
	return unit_rows("claims", rows, test_row) +
	       unit_rows("claims_task", task_rows, test_task);
}
