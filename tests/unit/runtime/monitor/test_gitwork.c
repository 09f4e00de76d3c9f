#include "tests/unit/unit.h"

#include <string.h>

#include "base/sys/sys.h"
#include "runtime/monitor/gitwork.h"

static int say_two(void *ctx, int words)
{
	gitwork_word(words, ctx);
	gitwork_word(words, "two");
	return 1;
}

static int say_much(void *, int words)
{
	for (int i = 0; i < GITWORK_LINES; i++)
		gitwork_word(words, "a line");
	return 0;
}

static int hang(void *ctx, int words)
{
	gitwork_word(words, ctx);
	while (sys_poll(NULL, 0, -1) <= 0)
		;
	return 0;
}

static void note(void *ctx, const char *line)
{
	struct buf *b = ctx;

	assert_int_equal(buf_addf(b, "%s;", line), 0);
}

static int run(gitwork_fn *fn, unsigned ms, struct buf *said)
{
	struct gitwork w = GITWORK_NONE;
	char one[] = "one";
	struct err e = ERR_NONE;
	int r;

	assert_true(gitwork_begin(&w, fn, one, &e) >= 0);
	gitwork_wait(&w, ms);
	r = gitwork_end(&w, note, said);
	assert_int_equal(w.pid, -1);
	assert_int_equal(w.words, -1);
	assert_int_equal(gitwork_end(&w, NULL, NULL), -ESRCH);
	return r;
}

static void test_words_and_status(void **)
{
	_cleanup_buf_ struct buf said = BUF_INIT(1 << 20);

	assert_int_equal(run(say_two, 60000, &said), 1);
	assert_string_equal(buf_cstr(&said), "one;two;");
}

static void test_too_many_words_end(void **)
{
	_cleanup_buf_ struct buf said = BUF_INIT(1 << 20);

	assert_int_equal(run(say_much, 60000, &said), 0);
	assert_true(said.len > 0 && said.len < GITWORK_LINES);
}

static void test_one_that_does_not_end_is_killed(void **)
{
	_cleanup_buf_ struct buf said = BUF_INIT(1 << 20);

	assert_int_equal(run(hang, 200, &said), -EINTR);
	assert_true(said.len == 0 || strcmp(buf_cstr(&said), "one;") == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words_and_status),
		cmocka_unit_test(test_too_many_words_end),
		cmocka_unit_test(test_one_that_does_not_end_is_killed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
