#include "tests/unit/unit.h"

#include <stdio.h>

#include "cli/show/progress.h"

static const struct row {
	const char *name;
	uint64_t done, total, ms;
	unsigned cols;
	const char *want;
} rows[] = {
	{ "half", 512, 1024, 1000, 100,
	  "pulling x [############............]  50%  512 B of 1 KiB  512 B/s" },
	{ "all", 1024, 1024, 2000, 100,
	  "pulling x [########################] 100%  1 KiB of 1 KiB  512 B/s" },
	{ "more than announced", 2048, 1024, 2000, 100,
	  "pulling x [########################] 100%  2 KiB of 1 KiB  1 KiB/s" },
	{ "size not known", 2048, 0, 1000, 100, "pulling x  2 KiB  2 KiB/s" },
	{ "no time passed", 2048, 0, 0, 100, "pulling x  2 KiB  0 B/s" },
	{ "a narrow terminal", 512, 1024, 1000, 40,
	  "pulling x  512 B of 1 KiB  512 B/s" },
	{ "a very narrow one", 512, 1024, 1000, 10, "pulling x" },
};

static uint64_t zero(void)
{
	return 0;
}

static void test(const void *p)
{
	const struct row *r = p;
	struct app app = { .now_ms = zero, .live = true };
	_cleanup_buf_ struct buf b = BUF_INIT(1024);
	struct progress_bar g;

	progress_start(&g, &app, "pulling x");
	g.done = r->done;
	g.total = r->total;
	assert_int_equal(progress_line(&g, r->ms, r->cols, &b), 0);
	assert_string_equal(buf_cstr(&b), r->want);
}

/* A clock that a test can turn: each call is five seconds later. */
static uint64_t slow(void)
{
	static uint64_t now;

	return now += 5000;
}

static void plain_lines_now_and_then(void)
{
	struct app app = { .now_ms = slow };
	struct progress_bar g;
	char *text = NULL;
	size_t len = 0, lines = 0;

	app.out = app.err = open_memstream(&text, &len);
	progress_start(&g, &app, "pulling x");
	for (uint64_t i = 1; i <= 4; i++)
		progress_update(&g, i * 1000, 4000);
	progress_end(&g, true);
	fclose(app.err);
	for (const char *s = text; *s; s++)
		lines += *s == '\n';
	assert_int_equal(lines, 4); /* start, two on the way, end */
	assert_null(strchr(text, '\r'));
	assert_non_null(strstr(text, "cubby: pulling x: done, 3.9 KiB in"));
	free(text);
}

static void quiet_is_quiet(void)
{
	struct app app = { .now_ms = slow, .quiet = true, .live = true };
	struct progress_bar g;
	char *text = NULL;
	size_t len = 0;

	app.out = app.err = open_memstream(&text, &len);
	progress_start(&g, &app, "pulling x");
	progress_update(&g, 1, 2);
	progress_end(&g, true);
	fclose(app.err);
	assert_int_equal(len, 0);
	free(text);
}

/* A bar on a terminal, of which nothing is left; elsewhere not a byte. */
static void live_or_silent(void)
{
	for (int live = 0; live < 2; live++) {
		struct app app = { .now_ms = slow, .live = live };
		struct progress_bar g;
		char *text = NULL;
		size_t len = 0;

		app.out = app.err = open_memstream(&text, &len);
		progress_start_live(&g, &app, "packing", "x");
		progress_update(&g, 2048, 0);
		progress_done(&g);
		fclose(app.err);
		if (!live)
			assert_int_equal(len, 0);
		else
			assert_non_null(strstr(text, "packing x  2 KiB"));
		assert_true(!live || strcmp(text + len - 4, "\r\033[K") == 0);
		free(text);
	}
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "plain lines now and then", plain_lines_now_and_then },
		{ "quiet is quiet", quiet_is_quiet },
		{ "live or silent", live_or_silent },
	};
	int failed = unit_rows("progress", rows, test);

	return failed + unit_cases("progress", cases);
}
