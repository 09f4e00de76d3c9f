/* The loop.
 *
 * A round is one turn of the model and the running of its calls. Before it the budgets
 * are looked at (budget.c) and the history is shortened when it nears the window
 * (shorten.c). The turn is asked for in as many attempts as it takes (ask.c).
 * Then the turn decides: its calls are run (calls.c), or its words are the answer,
 * or there is neither and the model is nudged once.
 *
 * Every function of a step returns TASK_GO_ON, TASK_ENDED (the report says how) or a
 * negative errno: a failure of cubby or its box, which ends the task too. */
#include "agent/task/task.h"

#include <errno.h>
#include <string.h>

#include "agent/model/replay.h"
#include "agent/task/claims.h"
#include "agent/task/impl.h"
#include "agent/task/shorten.h"
#include "base/sys/sys.h"

enum {
	ROUNDS_DEFAULT = 200,
	CUT_MAX = 3,
	REPORT_TEXT_MAX = 64 << 20,
	RESULT_LEAST = 2000
};

void task_report_init(struct task_report *r)
{
	*r = (struct task_report){ .end = TASK_BOX,
				   .cause = "unknown",
				   .answer = BUF_INIT(REPORT_TEXT_MAX) };
}

void task_report_done(struct task_report *r)
{
	buf_done(&r->answer);
	changes_done(&r->changes);
}

/* ---- for the toolbox, whose ctx the configuration is ---- */

uint64_t task_left_ms(void *ctx)
{
	const struct task_conf *c = ctx;
	uint64_t now = c->now_ms ? c->now_ms() : sys_now_ms();

	if (!c->limits.time_ms)
		return UINT64_MAX;
	now -= c->started_ms;
	return now < c->limits.time_ms ? c->limits.time_ms - now : 0;
}

void task_output(void *ctx, const void *data, size_t len)
{
	const struct task_conf *c = ctx;

	if (c->events->output)
		c->events->output(c->ctx, data, len);
}

/* ---- a round ---- */

static int keep_turn(struct task *t, const struct turn *turn, struct err *e)
{
	task_log_response(t, turn, "response");
	transcript_sync(&t->log);
	return history_add_turn(&t->history, t->st.round, turn->message, e);
}

static int keep_answer(struct task *t, const struct turn *turn, struct err *e)
{
	const struct buf *text = turn->text.len ? &turn->text : &turn->refusal;

	if (!text->len)
		return 0;
	buf_truncate(&t->report->answer, 0);
	if (buf_add(&t->report->answer, text->data, text->len) < 0)
		return err_sys(e, -ENOMEM, "cannot keep the answer");
	return 0;
}

static bool looks_like_call(const struct task *t, const struct turn *turn)
{
	const char *names[TOOLSET_MAX + 1] = { 0 };

	for (size_t i = 0; i < t->set->n; i++)
		names[i] = t->set->v[i].name;
	return turn_looks_like_call(turn, names);
}

static const char *task_text(const struct task *t)
{
	const struct replay *replay = model_replay(t->model);
	const char *recorded = replay ? replay_task(replay) : NULL;

	return t->conf->text && *t->conf->text ? t->conf->text : recorded;
}

/* Why words without a call may be no answer; NULL = they are. A recorded task goes on as
 * it did then. */
static const char *doubt(struct task *t, const char *text)
{
	const struct replay *replay = model_replay(t->model);
	const char *task = task_text(t);

	if (t->nudged || (replay && !replay_more(replay)))
		return NULL;
	if (claims_work(text))
		return "the model announced work and did none";
	if (claims_failure(text))
		return "the model says that it failed, and did not finish";
	if (!t->report->calls && task && claims_task(task))
		return "the model answered without doing anything";
	return NULL;
}

/* The answer, or the model is asked once. */
static int words_only(struct task *t, const char *text, struct err *e)
{
	const char *why = doubt(t, text);

	if (why) {
		t->nudged = true;
		task_say_notice(t, "%s", why);
		return task_say(
			t,
			"[cubby: that was text without a call, and nothing was run. If "
			"anything is left to do, do it now with the tools. Otherwise "
			"call finish: success true when the task is done, false when "
			"it is not.]",
			e);
	}
	if (claims_failure(text))
		return task_end_with(t->report, TASK_GAVE_UP, "answer",
				     "the model gave up");
	if (claims_work(text))
		return task_end_with(t->report, TASK_GAVE_UP, "answer",
				     "the model announced work and did none");
	return task_end_with(t->report, TASK_DONE, "answer", NULL);
}

/* The answer has a form: words that have it are it, and others are no answer. */
static int words_in_form(struct task *t, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(SCHEMA_WHY + 300);
	char why[SCHEMA_WHY];
	int r = task_say_form(t, &t->report->answer, why, e);

	if (r < 0)
		return r;
	if (r > 0)
		return task_end_with(t->report, TASK_DONE, "answer", NULL);
	if (t->misfits++)
		return task_end_with(t->report, TASK_GAVE_UP, "schema",
				     "the model's words do not fit the schema: %s",
				     why);
	task_say_notice(t, "the model's words do not fit the schema: %s", why);
	buf_addf(&text,
		 "[cubby: that does not fit the person's schema: %s. Go on, and end "
		 "with finish, whose answer is JSON alone; success false if it cannot "
		 "be done.]",
		 why);
	return task_say(t, buf_cstr(&text), e);
}

/* Words without a call: the answer, unless they only look like one. */
static int words_alone(struct task *t, const struct turn *turn, struct err *e)
{
	if (t->conf->schema && !looks_like_call(t, turn))
		return words_in_form(t, e);
	if (!looks_like_call(t, turn))
		return words_only(t, buf_cstr(&turn->text), e);
	if (t->told_real_calls)
		return task_end_with(
			t->report, TASK_GAVE_UP, "no_calls",
			"the model writes its calls as text: its server does "
			"not understand them");
	t->told_real_calls = true;
	task_say_notice(
		t, "the model wrote a call as text; its server may need a tool-call "
		   "parser (vLLM: --enable-auto-tool-choice, llama.cpp: --jinja)");
	return task_say(
		t,
		"[cubby: that was text, not a call, and nothing was run. Use the "
		"tools by real tool calls.]",
		e);
}

static int nothing(struct task *t, struct err *e)
{
	if (t->empty++)
		return task_end_with(t->report, TASK_GAVE_UP, "empty",
				     "the model answered with nothing, twice");
	task_say_notice(t, "the model answered with nothing");
	return task_say(t, "[cubby: your answer was empty. Go on, or call finish.]", e);
}

static int cut_off(struct task *t, struct turn *turn, struct err *e)
{
	int r;

	if (++t->cut >= CUT_MAX)
		return task_end_with(
			t->report, TASK_LIMIT, "output",
			"%d turns in a row were cut off at the output limit "
			"of %llu tokens",
			CUT_MAX, (unsigned long long)model_max_output(t->model));
	task_say_notice(t, "the turn was cut off at the output limit of %llu tokens",
			(unsigned long long)model_max_output(t->model));
	r = turn->n_calls
		    ? task_calls(t, turn, e)
		    : task_say(t,
			       "[cubby: that was cut off at the output limit. Go on.]",
			       e);
	model_raise_output(t->model);
	return r;
}

static int last_turn(struct task *t, struct turn *turn, struct err *e)
{
	int r = turn->n_calls ? task_calls(t, turn, e) : 0;

	if (r < 0)
		return r;
	if (r == TASK_ENDED && t->report->end == TASK_INTERRUPTED)
		return r;
	return task_end_with(t->report, TASK_LIMIT, t->last_cause,
			     "the limit of %s for this task is reached", t->last_cause);
}

static int handle_turn(struct task *t, struct turn *turn, struct err *e)
{
	if (turn->finish == TURN_FILTER) {
		const char *said =
			buf_cstr(turn->refusal.len ? &turn->refusal : &turn->text);

		return task_end_with(t->report, TASK_GAVE_UP, "refused", "%s%.300s",
				     *said ? "the model refused: "
					   : "the service's filter ended the answer",
				     said);
	}
	if (t->last_cause)
		return last_turn(t, turn, e);
	if (turn->finish == TURN_LENGTH)
		return cut_off(t, turn, e);
	t->cut = 0;
	if (turn->n_calls) {
		t->empty = 0;
		t->nudged = false;
		return task_calls(t, turn, e);
	}
	if (turn->finish == TURN_PAUSE)
		return TASK_GO_ON;
	if (turn->finish == TURN_OVERFLOW)
		return task_shorten(t, 1, e);
	return turn->text.len ? words_alone(t, turn, e) : nothing(t, e);
}

/* One that cannot be made is no reason to stop; it is said once. What is too much now stays
 * so, mostly. */
static void make_checkpoint(struct task *t)
{
	const struct task_review *review = &t->conf->review;
	_cleanup_json_ struct json *j = NULL;
	struct err e = ERR_NONE;

	if (!review->checkpoint || t->no_checkpoint == -EDQUOT)
		return;
	if (review->checkpoint(review->ctx, t->st.round, &e) < 0) {
		if (e.code != t->no_checkpoint)
			task_say_notice(t, "no checkpoint %s: %s",
					e.code == -EDQUOT ? "from this turn on"
							  : "of this turn",
					e.msg);
		t->no_checkpoint = e.code;
		return;
	}
	j = json_object();
	json_set_int(j, "round", t->st.round);
	task_log(t, "checkpoint", take(&j, NULL));
}

static int one_round(struct task *t, struct err *e)
{
	_cleanup_turn_ struct turn turn;
	int r = task_budget(t, e);

	turn_init(&turn);
	if (r == 0)
		r = task_shorten_if_full(t, e);
	if (r != TASK_GO_ON)
		return r;
	make_checkpoint(t);
	t->st.round++;
	t->compactions = 0;
	r = task_ask(t, t->last_cause != NULL, &turn, e);
	stuck_heard(&t->stuck);
	if (r != TASK_GO_ON) {
		/* The last words are a courtesy: the limit is what ended the task. */
		if (t->last_cause && r == TASK_ENDED &&
		    t->report->end != TASK_INTERRUPTED)
			r = task_end_with(t->report, TASK_LIMIT, t->last_cause,
					  "the limit of %s for this task is reached",
					  t->last_cause);
		return r;
	}
	if (t->ev->turn)
		t->ev->turn(t->conf->ctx, &t->st);
	r = keep_turn(t, &turn, e) ?: keep_answer(t, &turn, e);
	if (r < 0)
		return r;
	r = handle_turn(t, &turn, e);
	if (turn.n_calls)
		task_log_patch(t);
	return r;
}

/* ---- begin and end ---- */

static int begin_history(struct task *t, struct err *e)
{
	_cleanup_buf_ struct buf prompt = BUF_INIT(PROMPT_MAX);
	struct prompt_facts facts = t->conf->facts;
	int r;

	if (t->conf->resume_fd >= 0) {
		r = task_restart(t, e);
		if (r != 0 || t->history.system)
			return r;
	}
	facts.rounds = t->st.max_rounds;
	facts.time_ms = t->conf->limits.time_ms;
	facts.keep = t->conf->tools ? toolbox_keep(t->conf->tools) : TOOL_KEEP;
	r = prompt_build(&facts, t->conf->project_fd, &prompt, e);
	return r < 0 ? r : history_set_system(&t->history, buf_cstr(&prompt), e);
}

/* What one result may take of a small window: an eighth, at three bytes a token. */
static size_t result_share(const struct task *t)
{
	uint64_t share = model_window(t->model) * 3 / 8;

	return (size_t)MIN(MAX(share, (uint64_t)RESULT_LEAST), (uint64_t)TOOL_KEEP);
}

static int begin(struct task *t, struct err *e)
{
	const char *text;
	int r = model_new(&t->conf->model, &t->model, e);

	if (r < 0) {
		t->report->end = TASK_SERVICE;
		t->report->cause = "model";
		return r;
	}
	t->set = t->conf->tools ? toolbox_set(t->conf->tools) : &t->own_set;
	if (!t->conf->tools)
		r = toolset_load(&t->own_set, e);
	if (r < 0)
		return r;
	t->report->replayed = model_replay(t->model) != NULL;
	t->report->resumed = t->conf->resume_fd >= 0;
	model_ask_window(t->model);
	if (t->conf->tools)
		toolbox_set_keep(t->conf->tools, result_share(t));
	text = task_text(t);
	if (t->conf->resume_fd < 0 && (!text || !text[strspn(text, " \t\r\n")]))
		return err_set(e, -EINVAL, "the task is empty");
	r = begin_history(t, e);
	if (r < 0)
		return r;
	task_log_begin(t, text, t->conf->resume_fd >= 0 ? t->conf->resumed : NULL);
	if (t->conf->resume_fd < 0)
		r = history_add_text(&t->history, HISTORY_TASK, 0, text, e);
	else
		r = task_restart_say(t, e);
	if (r == 0 && t->conf->resume_fd >= 0 && t->conf->text &&
	    buf_adds(&t->words, t->conf->text) < 0)
		r = err_sys(e, -ENOMEM, "cannot keep the task");
	for (size_t i = 0; i < t->conf->n_pictures && r == 0; i++)
		r = task_say_picture(t, t->conf->pictures[i].text,
				     t->conf->pictures[i].mime,
				     t->conf->pictures[i].base64, e);
	if (r == 0 && t->ev->start)
		t->ev->start(t->conf->ctx, t->conf, t->model);
	return r;
}

static void look_at_changes(struct task *t, const struct changes_snapshot *before)
{
	const struct task_review *review = &t->conf->review;
	struct err e = ERR_NONE;
	int r = 0;

	if (review->changes)
		r = review->changes(review->ctx, &t->report->changes, &e);
	else if (before)
		r = changes_since(before, t->conf->project_fd, &t->report->changes, &e);
	else if (t->conf->project_fd >= 0)
		r = err_set(&e, -EIO, "it could not be looked at before the task");
	if (r >= 0)
		return;
	t->report->changes.incomplete = true;
	task_say_notice(t, "cannot say what changed in the directory: %s", e.msg);
}

static void task_done(struct task *t)
{
	model_free(&t->model);
	toolset_done(&t->own_set);
	history_done(&t->history);
	history_done(&t->seen);
	buf_done(&t->patch);
	buf_done(&t->news);
	buf_done(&t->words);
}

static void prepare(struct task *t, struct task_conf *conf, struct task_report *ret)
{
	static const struct task_events no_events = { 0 };

	*t = (struct task){ .conf = conf,
			    .ev = conf->events ? conf->events : &no_events,
			    .report = ret,
			    .shorten = task_shorten,
			    .patch = BUF_INIT(TASK_PATCH),
			    .news = BUF_INIT(64 << 10),
			    .words = BUF_INIT(64 << 10) };
	ret->form = conf->schema != NULL;
	tokens_init(&t->tokens);
	t->start_ms = task_now(t);
	if (!conf->started_ms)
		conf->started_ms = t->start_ms;
	t->tokens_allowed = conf->limits.tokens;
	t->cost_allowed = conf->limits.cost;
	t->st.cost_known = true;
	t->st.max_rounds = conf->limits.rounds ? conf->limits.rounds : ROUNDS_DEFAULT;
	t->log = (struct transcript){ .fds = { conf->transcript_fd, conf->copy_fd },
				      .start_ms = sys_now_ms(),
				      .secrets = conf->secrets };
}

/* What came while the last turn was made is a reason to go on. */
static bool told_more(struct task *t, int *r)
{
	if (*r != TASK_ENDED || t->report->end != TASK_DONE || !t->conf->told ||
	    t->conf->told(t->conf->told_ctx, false, &t->words) <= 0)
		return false;
	*r = TASK_GO_ON;
	return true;
}

/* What came too late is in the record, at least. */
static void hear_the_rest(struct task *t)
{
	if (t->conf->told && t->conf->told(t->conf->told_ctx, true, &t->words) > 0)
		task_say_notice(t, "this came after the end: %.400s",
				buf_cstr(&t->words));
}

static void end(struct task *t, int r, const struct err *e,
		const struct changes_snapshot *before)
{
	if (r < 0) {
		task_end_with(t->report, TASK_BOX, "cubby", "%s", e->msg);
		t->report->why.code = e->code;
	}
	t->st.elapsed_ms = task_now(t) - t->start_ms;
	t->st.left_ms = task_budget_left_ms(t);
	t->report->status = t->st;
	hear_the_rest(t);
	look_at_changes(t, before);
	task_log_end(t);
	if (t->ev->end)
		t->ev->end(t->conf->ctx, t->report);
}

int task_run(struct task_conf *conf, struct task_report *ret, struct err *e)
{
	_cleanup_changes_snapshot_ struct changes_snapshot *before = NULL;
	_cleanup_(task_done) struct task t;
	int r;

	prepare(&t, conf, ret);
	r = begin(&t, e);
	if (r < 0)
		return r;
	if (conf->project_fd >= 0 && !conf->review.changes)
		changes_snapshot(conf->project_fd, &before, ERR_IGNORED);
	r = conf->compact && conf->resume_fd >= 0 ? task_shorten(&t, 2, e) : TASK_GO_ON;
	do {
		while (r == TASK_GO_ON)
			r = one_round(&t, e);
	} while (told_more(&t, &r));
	end(&t, r, e, before);
	return 0;
}
