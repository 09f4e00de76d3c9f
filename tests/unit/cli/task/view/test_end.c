#include "tests/unit/unit.h"

#include <stdio.h>

#include "cli/task/view/end.h"

static void numbers_of_tokens(void)
{
	static const struct {
		uint64_t n;
		const char *want;
	} rows[] = {
		{ 0, "0" }, { 999, "999" }, { 12345, "12.3k" }, { 2500000, "2.5M" }
	};
	char out[16];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(view_end_tokens(out, sizeof(out), rows[i].n),
				    rows[i].want);
}

static void costs(void)
{
	static const struct {
		bool known;
		uint64_t micro;
		const char *want;
	} rows[] = {
		{ true, 12300, ", about $0.0123" },
		{ true, 1234567, ", about $1.23" },
		{ true, 0, "" },
		{ false, 5000, "" },
	};
	char out[32];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct task_status st = { .cost_known = rows[i].known,
					  .cost = rows[i].micro };

		assert_string_equal(view_end_cost(out, sizeof(out), &st), rows[i].want);
	}
}

struct told {
	struct app app;
	struct task_report r;
	char *out, *err;
	size_t n_out, n_err;
};

static void begin(struct told *t)
{
	*t = (struct told){ .app = { .name = "cubby" } };
	t->app.out = open_memstream(&t->out, &t->n_out);
	t->app.err = open_memstream(&t->err, &t->n_err);
	task_report_init(&t->r);
	t->r.end = TASK_DONE;
	t->r.status = (struct task_status){ .round = 3,
					    .max_rounds = 50,
					    .tokens_in = 1200,
					    .tokens_out = 340,
					    .elapsed_ms = 72000 };
	t->r.calls = 1;
	assert_int_equal(buf_adds(&t->r.answer, "It is\033 done."), 0);
}

static void end(struct told *t, const char *out, const char *err)
{
	view_end_show(&t->app, &t->r, "");
	fclose(t->app.out);
	fclose(t->app.err);
	assert_string_equal(t->out, out);
	assert_string_equal(t->err, err);
	free(t->out);
	free(t->err);
	task_report_done(&t->r);
}

static void done_with_files(void)
{
	struct changes_item items[] = {
		{ .kind = CHANGES_CREATED,
		  .path = (char[]){ "a\n.sh" },
		  .flags = CHANGES_EXECUTABLE },
		{ .kind = CHANGES_DELETED,
		  .path = (char[]){ "d" },
		  .flags = CHANGES_DIRECTORY },
		{ .kind = CHANGES_MODIFIED,
		  .added = 2,
		  .removed = 1,
		  .path = (char[]){ ".git/config" },
		  .effect = { EFFECTS_HELD, "git's own" },
		  .flags = CHANGES_GIT },
	};
	struct told t;

	begin(&t);
	t.r.changes = (struct changes){
		.items = items, .n = 3, .created = 1, .modified = 1, .deleted = 4
	};
	view_end_show(&t.app, &t.r, "");
	t.r.changes = (struct changes){ .n = 0 }; /* those were not its own */
	fclose(t.app.out);
	fclose(t.app.err);
	assert_string_equal(t.out, "It is\033 done.\n"); /* no terminal: as it is */
	assert_string_equal(t.err,
			    "  + a\\n.sh  (executable)\n"
			    "  - d/\n"
			    "  ~ .git/config +2 -1  [git's own]\n"
			    "  and 3 more\n"
			    "cubby: done, 3 rounds, 1 call, 1.2k tokens in, 340 out, "
			    "1m12s\n");
	free(t.out);
	free(t.err);
	task_report_done(&t.r);
}

static void a_limit_says_why(void)
{
	struct told t;

	begin(&t);
	t.r.end = TASK_LIMIT;
	err_set(&t.r.why, -ETIME, "50 rounds are used up");
	end(&t, "It is\033 done.\n",
	    "cubby: 50 rounds are used up\n"
	    "cubby: 3 rounds, 1 call, 1.2k tokens in, 340 out, 1m12s\n");
}

static void one_that_goes_on_counts_in_all(void)
{
	struct told t;

	begin(&t);
	t.r.resumed = true;
	end(&t, "It is\033 done.\n",
	    "cubby: done, 1m12s, in all 3 rounds, 1 call, 1.2k tokens in, 340 out\n");
}

static void quiet_says_why_all_the_same(void)
{
	struct told t;

	begin(&t);
	t.app.quiet = true;
	t.r.end = TASK_SERVICE;
	err_set(&t.r.why, -ECONNREFUSED, "nobody answers");
	end(&t, "It is\033 done.\n", "cubby: nobody answers\n");
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "numbers of tokens", numbers_of_tokens },
		{ "costs", costs },
		{ "done, with files", done_with_files },
		{ "a limit says why", a_limit_says_why },
		{ "one that goes on counts in all", one_that_goes_on_counts_in_all },
		{ "quiet says why all the same", quiet_says_why_all_the_same },
	};

	return unit_cases("view_end", cases);
}
