#include "agent/task/shorten.h"

#include <string.h>

#include "agent/model/replay.h"
#include "agent/task/compact.h"
#include "agent/task/impl.h"

enum { POOR_MAX = 2, HARD_RESULT_KEEP = 400 };

static const char summary_system[] = "You keep the notes of a long task that a model "
				     "does in a Linux box. From the record of its "
				     "older part write what is needed to go on without "
				     "that part, as short lines under these headings: "
				     "Done; Failed and why; Files; Packages; "
				     "Processes; Directory; Left to do. Facts only: "
				     "paths, names, versions, exact messages that "
				     "matter. Do not invent, do not address anybody.";

/* At the end of the task's own history, which its service has in its cache. */
static const char summary_ask[] = "[cubby: the context is nearly full: the older part "
				  "of this task is taken out of it now. Write down "
				  "what is needed to go on without that part, as short "
				  "lines under these headings: Done; Failed and why; "
				  "Files; Packages; Processes; Directory; Left to do. "
				  "Facts only: paths, names, versions, exact messages "
				  "that matter. No call: your words take the place of "
				  "the older part.]";

static const char summary_head[] = "[cubby: the older part of this task was removed to "
				   "save context. What it held:]\n";

static uint64_t estimate(const struct task *t)
{
	return tokens_estimate(&t->tokens, history_size(&t->history));
}

static void log_shortened(struct task *t, unsigned rounds, size_t keep, size_t before)
{
	struct json *j = json_object();

	json_set_str(j, "what", "shorten");
	json_set_int(j, "rounds", rounds);
	json_set_int(j, "keep", (int64_t)keep);
	json_set_int(j, "bytes_before", (int64_t)before);
	json_set_int(j, "bytes_after", (int64_t)history_size(&t->history));
	task_log(t, "compact", j);
}

static void log_summary(struct task *t, size_t point, size_t before,
			const char *summary)
{
	struct json *j = json_object();

	json_set_str(j, "what", "summary");
	json_set_int(j, "bytes_before", (int64_t)before);
	json_set_int(j, "bytes_after", (int64_t)history_size(&t->history));
	json_set_int(j, "point", (int64_t)point);
	json_set_str(j, "summary", summary);
	task_log(t, "compact", j);
}

/* The last round whose results may be shortened. */
static unsigned last_old(const struct task *t, unsigned level)
{
	unsigned young = level > 1 ? 1 : COMPACT_KEEP_ROUNDS;

	return t->st.round > young ? t->st.round - young : 0;
}

static int shorten(struct task *t, unsigned level, struct err *e)
{
	unsigned last = last_old(t, level), cut;
	size_t keep = level > 1 ? HARD_RESULT_KEEP : COMPACT_RESULT_KEEP;
	size_t before = history_size(&t->history);
	int r = compact_shorten(&t->history, last, keep, &cut, e);

	if (r < 0 || !cut)
		return r;
	tokens_forget(&t->tokens);
	log_shortened(t, last, keep, before);
	task_say_notice(t, "context: %u older results were shortened", cut);
	return 0;
}

/* The older part goes to the model as one text, without tools: it can neither act on it
 * nor take it for its own turns. */
static int ask_summary(struct task *t, size_t point, struct buf *ret, struct err *e)
{
	_cleanup_history_ struct history main_history = { 0 };
	_cleanup_buf_ struct buf source = BUF_INIT(64 << 20);
	_cleanup_turn_ struct turn turn;
	size_t max =
		(size_t)model_window(t->model); /* bytes: a third of it in tokens */
	struct tokens tokens = t->tokens;
	int r = compact_source(&t->history, point, max, &source);

	turn_init(&turn);
	if (r < 0)
		return err_sys(e, r, "cannot summarise the history");
	main_history = take(&t->history, ((struct history){ 0 }));
	r = history_set_system(&t->history, summary_system, e)
		    ?: history_add_text(&t->history, HISTORY_TASK, 0, buf_cstr(&source),
					e);
	t->in_summary = true;
	tokens_forget(&t->tokens);
	if (r == 0)
		r = task_ask(t, true, &turn, e);
	t->in_summary = false;
	t->tokens = tokens;
	history_done(&t->history);
	t->history = take(&main_history, ((struct history){ 0 }));
	if (r != TASK_GO_ON)
		return r;
	task_log_response(t, &turn, "summary");
	if (turn.text.len >= source.len || !turn.text.len)
		return TASK_GO_ON; /* no gain: rejected */
	r = buf_adds(ret, summary_head) ?: buf_add(ret, turn.text.data, turn.text.len);
	return r < 0 ? err_sys(e, r, "cannot summarise the history") : 0;
}

/* The same of all that was said, asked for like any other turn. @ret stays empty where the
 * model calls a tool instead. */
static int ask_in_place(struct task *t, size_t point, struct buf *ret, struct err *e)
{
	_cleanup_turn_ struct turn turn;
	size_t at = t->history.n, older = 0;
	int r = history_add_text(&t->history, HISTORY_NOTICE, t->st.round, summary_ask,
				 e);

	turn_init(&turn);
	if (r < 0)
		return r;
	t->in_summary = t->in_place = true;
	r = task_ask(t, false, &turn, e);
	t->in_summary = t->in_place = false;
	history_remove(&t->history, at, 1);
	if (r != TASK_GO_ON)
		return r;
	task_log_response(t, &turn, "summary");
	for (size_t i = 0; i < point; i++)
		older += history_entry_size(&t->history.entries[i]);
	if (turn.n_calls || !turn.text.len || turn.text.len >= older)
		return TASK_GO_ON;
	r = buf_adds(ret, summary_head) ?: buf_add(ret, turn.text.data, turn.text.len);
	return r < 0 ? err_sys(e, r, "cannot summarise the history") : 0;
}

static int summarise(struct task *t, unsigned level, struct err *e)
{
	size_t quarter =
		(size_t)((double)model_window(t->model) / 4 / t->tokens.per_byte);
	_cleanup_buf_ struct buf summary = BUF_INIT(16 << 20);
	size_t before = history_size(&t->history);
	size_t point = compact_point(&t->history, level > 1 ? 0 : quarter,
				     level > 1 ? 1 : COMPACT_KEEP_TURNS);
	int r;

	if (!point)
		return 0;
	r = level ? ask_summary(t, point, &summary, e)
		  : ask_in_place(t, point, &summary, e);
	if (r != TASK_GO_ON || !summary.len)
		return r;
	r = compact_replace(&t->history, point, buf_cstr(&summary), e);
	if (r < 0)
		return r;
	tokens_forget(&t->tokens);
	log_summary(t, point, before, buf_cstr(&summary));
	task_say_notice(t, "context: the older part was replaced by a summary");
	return 0;
}

/* Would half of the window be free again if older results alone were shortened? */
static bool results_suffice(const struct task *t)
{
	size_t gain = compact_gain(&t->history, last_old(t, 1), COMPACT_RESULT_KEEP);
	size_t size = history_size(&t->history);

	return tokens_estimate(&t->tokens, size - MIN(gain, size)) <=
	       model_window(t->model) / 2;
}

static int compact(struct task *t, unsigned level, struct err *e)
{
	size_t before = history_size(&t->history);
	int r = level == 1 && !results_suffice(t) ? summarise(t, 0, e) : TASK_GO_ON;

	if (r != TASK_GO_ON || history_size(&t->history) < before)
		return r;
	r = shorten(t, level, e);

	if (r == 0 && (level > 1 || estimate(t) > model_window(t->model) / 2))
		r = summarise(t, level, e);
	return r;
}

int task_shorten(struct task *t, unsigned level, struct err *e)
{
	if (t->in_place) /* it was more than we thought */
		return shorten(t, 2, e);
	if (t->in_summary)
		return task_end_with(t->report, TASK_LIMIT, "context", "%s", e->msg);
	return compact(t, level, e);
}

int task_shorten_if_full(struct task *t, struct err *e)
{
	uint64_t window = model_window(t->model), used = estimate(t);
	size_t before;
	int r;

	if (model_replay(t->model))
		return TASK_GO_ON;
	if (used < window / 5 * 4 && used + model_max_output(t->model) < window)
		return TASK_GO_ON;
	before = history_size(&t->history);
	r = compact(t, 1, e);
	if (r != TASK_GO_ON)
		return r;
	if (history_size(&t->history) <= before - before / 10) {
		t->poor_compactions = 0;
		return TASK_GO_ON;
	}
	if (++t->poor_compactions < POOR_MAX)
		return TASK_GO_ON;
	return task_end_with(
		t->report, TASK_LIMIT, "context",
		"the context window of %llu tokens is full and the history "
		"cannot be made smaller",
		(unsigned long long)window);
}
