#include "cli/task/record/inbox.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "tests/unit/unit.h"

static struct boxdir open_box(void)
{
	struct boxdir b = BOXDIR_NONE;

	b.dirfd = unit_top();
	assert_true(b.dirfd >= 0);
	return b;
}

static void tells(const struct boxdir *b, const char *text, int want, const char *msg)
{
	struct err e = ERR_NONE;

	assert_int_equal(inbox_tell(b, "t", text, &e), want);
	if (want)
		assert_string_equal(e.msg, msg);
}

static void heard_once(void)
{
	struct boxdir b = open_box();
	_cleanup_(inbox_done) struct inbox i = INBOX_NONE;
	_cleanup_buf_ struct buf words = BUF_INIT(1 << 20);
	struct err e = ERR_NONE;

	tells(&b, "x", -ESRCH, "the task 't' takes no words from elsewhere");
	unit_ok(inbox_open(&b, "t", &i, &e), &e);
	assert_int_equal(inbox_told(&i, false, &words), 0);
	tells(&b, " \n", -EINVAL, "there is nothing to tell");
	tells(&b, "one", 0, NULL);
	tells(&b, "two", 0, NULL);
	assert_int_equal(inbox_told(&i, false, &words), 1);
	assert_int_equal(inbox_told(&i, false, &words), 0);
	tells(&b, "three", 0, NULL);
	assert_int_equal(inbox_told(&i, true, &words), 1);
	assert_string_equal(buf_cstr(&words), "one\ntwo\nthree");
	tells(&b, "late", -ESRCH, "the task 't' takes no words from elsewhere");
	boxdir_close(&b);
}

static void no_more_than_it_takes(void)
{
	struct boxdir b = open_box();
	_cleanup_(inbox_done) struct inbox i = INBOX_NONE;
	_cleanup_buf_ struct buf words = BUF_INIT(1 << 20);
	struct err e = ERR_NONE;
	char text[INBOX_MAX + 1];

	memset(text, 'x', INBOX_MAX);
	text[INBOX_MAX] = '\0';
	unit_ok(inbox_open(&b, "t", &i, &e), &e);
	tells(&b, text, -E2BIG, "the text is too long");
	text[INBOX_MAX - 1] = '\0';
	tells(&b, text, 0, NULL);
	tells(&b, "y", -EAGAIN, "the task has not heard yet what it was told before");
	assert_int_equal(inbox_told(&i, true, &words), 1);
	assert_int_equal(words.len, INBOX_MAX - 1);
	boxdir_close(&b);
}

static void left_by_a_killed_task(void)
{
	struct boxdir b = open_box();
	_cleanup_(inbox_done) struct inbox i = INBOX_NONE;
	_cleanup_buf_ struct buf words = BUF_INIT(1 << 20);
	struct err e = ERR_NONE;

	inbox_left(&b, "t", &words);
	assert_int_equal(words.len, 0);
	unit_ok(inbox_open(&b, "t", &i, &e), &e);
	tells(&b, "one", 0, NULL);
	inbox_left(&b, "t", &words);
	inbox_left(&b, "t", &words);
	assert_string_equal(buf_cstr(&words), "one");
	boxdir_close(&b);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "heard once", heard_once },
		{ "no more than it takes", no_more_than_it_takes },
		{ "left by a killed task", left_by_a_killed_task },
	};

	return unit_cases("inbox", cases);
}
