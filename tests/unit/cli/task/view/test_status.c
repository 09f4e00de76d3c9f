#include "tests/unit/unit.h"

#include "cli/task/view/status.h"

static const struct row {
	const char *name;
	struct view_now now;
	unsigned cols;
	const char *want;
} rows[] = {
	{ "waiting",
	  { VIEW_WAITS, "", 500, 72000, 0 },
	  79,
	  "⠋ waiting for the model · round 2, 12.3k tokens, about $0.0123, 1m12s\n" },
	{ "thinking, with what is thought",
	  { VIEW_THINKS, "Looking at it", 4200, 72000, 1 },
	  100,
	  "⠙ thinking: Looking at it 4s · round 2, 12.3k tokens, about $0.0123, "
	  "1m12s\n" },
	{ "a command and its time",
	  { VIEW_RUNS, "$ make -j8", 61000, 72000, 12 },
	  79,
	  "⠹ $ make -j8 1m01s · round 2, 12.3k tokens, about $0.0123, 1m12s\n" },
	{ "what is long is cut",
	  { VIEW_RUNS, "$ 你好你好你好你好你好", 0, 72000, 0 },
	  66,
	  "⠋ $ 你好你好你好你… · round 2, 12.3k tokens, about $0.0123, 1m12s\n" },
	{ "a narrow terminal",
	  { VIEW_WAITS, "", 2000, 72000, 0 },
	  30,
	  "⠋ waiting for the model 2s\n" },
	{ "a narrower one",
	  { VIEW_WAITS, "", 0, 72000, 0 },
	  20,
	  "⠋ waiting for the m…\n" },
	{ "as narrow as it can be",
	  { VIEW_WAITS, "", 3723000, 3723000, 0 },
	  16,
	  "⠋ waiting… 1h02m\n" },
	{ "none at all", { VIEW_WAITS, "", 0, 0, 0 }, 15, "" },
	{ "nothing is done", { VIEW_NOTHING, "", 0, 0, 0 }, 79, "" },
};

static void test(const void *p)
{
	const struct row *r = p;
	const struct task_status st = { .round = 2,
					.tokens_in = 12000,
					.tokens_out = 300,
					.cost_known = true,
					.cost = 12300 };
	_cleanup_buf_ struct buf out = BUF_INIT(4096);

	view_status_row(&st, &r->now, r->cols, false, &out);
	assert_string_equal(buf_cstr(&out), r->want);
}

int main(void)
{
	return unit_rows("view_status", rows, test);
}
