#include "cli/task/view/status.h"

#include <string.h>

#include "base/text.h"
#include "cli/show/cols.h"
#include "cli/show/render.h"
#include "cli/task/view/end.h"

enum { COLS_LEAST = 16, LEFT_LEAST = 16 };

static void add_left(const struct view_now *now, struct buf *out)
{
	static const char *const words[] = { [VIEW_NOTHING] = "",
					     [VIEW_WAITS] = "waiting for the model",
					     [VIEW_THINKS] = "thinking",
					     [VIEW_SPEAKS] = "answering",
					     [VIEW_RUNS] = "" };
	const bool thinks = now->doing == VIEW_THINKS;

	buf_adds(out, words[now->doing]);
	if (!now->what || !*now->what)
		return;
	if (thinks)
		buf_adds(out, ": ");
	if (thinks || now->doing == VIEW_RUNS)
		buf_adds(out, now->what);
}

/* Whole seconds: tenths would be all that moves. */
static char *clock_text(char *out, size_t size, uint64_t ms)
{
	if (ms >= 60000)
		return text_put_ms(out, size, ms / 1000 * 1000);
	snprintf(out, size, "%us", (unsigned)(ms / 1000));
	return out;
}

static void add_right(const struct task_status *st, const struct view_now *now,
		      struct buf *out)
{
	char tokens[16], time[32], cost[32];

	view_end_tokens(tokens, sizeof(tokens), st->tokens_in + st->tokens_out);
	clock_text(time, sizeof(time), now->elapsed_ms);
	buf_addf(out, "round %u, %s tokens%s, %s", st->round, tokens,
		 view_end_cost(cost, sizeof(cost), st), time);
}

void view_status_row(const struct task_status *st, const struct view_now *now,
		     unsigned cols, bool color, struct buf *out)
{
	static const char *const frames[] = { "⠋", "⠙", "⠹", "⠸", "⠼",
					      "⠴", "⠦", "⠧", "⠇", "⠏" };
	_cleanup_buf_ struct buf left = BUF_INIT(64 << 10), right = BUF_INIT(1024);
	char since[48] = "", time[32];
	size_t room = cols, fixed, n;

	if (cols < COLS_LEAST || now->doing == VIEW_NOTHING)
		return;
	add_left(now, &left);
	add_right(st, now, &right);
	if (now->since_ms >= 1000)
		snprintf(since, sizeof(since), " %s",
			 clock_text(time, sizeof(time), now->since_ms));
	fixed = 2 + strlen(since);
	if (fixed + LEFT_LEAST + 3 + right.len <= cols)
		room -= 3 + right.len;
	else
		buf_truncate(&right, 0);
	room -= fixed;
	n = cols_cut(buf_cstr(&left), left.len, room);
	if (n < left.len)
		n = cols_cut(buf_cstr(&left), left.len, room - 1);
	buf_addf(out, "%s%s %.*s%s%s%s%s%s\n", render_style_on(color, RENDER_DIM),
		 frames[now->frame % ARRAY_SIZE(frames)], (int)n, buf_cstr(&left),
		 n < left.len ? "…" : "", since, right.len ? " · " : "",
		 buf_cstr(&right), render_style_off(color));
}
