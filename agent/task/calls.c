/* The calls of a turn: in order, one at a time, each with exactly one result. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/model/replay.h"
#include "agent/task/impl.h"
#include "base/text.h"

enum { MALFORMED_MAX = 3, MISFITS_MAX = 4, TAKEN_LINES = 16 << 10 };

/* Why the rest of a turn's calls is not run; NULL = they are. */
struct rest {
	const char *shell;   /* calls of `shell` in @session alone */
	const char *session; /* borrowed from the turn */
	const char *work;    /* all but `finish`, which takes no time */
	const char *all;
	bool malformed; /* out: one of the calls could not be read */
};

static void refuse(struct tool_result *r, const char *said, const char *why)
{
	r->outcome = TOOL_ERROR;
	buf_addf(&r->text, "%s%s%s.", said, *why ? ": " : "", why);
}

static void malformed(struct task *t, const struct turn_call *c, struct tool_result *r)
{
	r->outcome = TOOL_ERROR;
	r->malformed = true;
	if (t->report->replayed) /* of a transcript that was written by hand */
		task_say_notice(t, "a call of the transcript is malformed: %s",
				c->problem.msg);
	buf_addf(&r->text, "The call was not run: its arguments are malformed (%s).",
		 c->problem.msg);
}

/* ---- the person's word ---- */

/* By what the name stands for: a tool of the project may have any name. */
static bool needs_consent(const struct task *t, const char *name)
{
	const struct tool *tool = toolset_find(t->set, name);

	return !tool || !tool->harmless;
}

static void log_ask(struct task *t, const struct turn_call *c, enum task_verdict v,
		    const struct task_answer *a)
{
	static const char *const words[] = {
		[TASK_YES] = "yes", [TASK_NO] = "no", [TASK_STOP] = "stop"
	};
	struct json *j = json_object();

	json_set_str(j, "id", c->id);
	json_set_str(j, "answer", words[v]);
	if (a->words.len)
		json_set_str(j, "words", buf_cstr(&a->words));
	if (a->args)
		json_set(j, "args", json_dup(a->args));
	task_log(t, "ask", j);
}

static int ask(struct task *t, const struct turn_call *c, const struct task_call *shown,
	       struct task_answer *a, struct tool_result *r)
{
	enum task_verdict v;

	if (!t->ev->ask || !needs_consent(t, c->name))
		return TASK_GO_ON;
	v = t->ev->ask(t->conf->ctx, shown, a);
	log_ask(t, c, v, a);
	if (v == TASK_YES)
		return TASK_GO_ON;
	if (v == TASK_NO) {
		refuse(r, "The person refused this call", buf_cstr(&a->words));
		return TASK_GO_ON;
	}
	refuse(r, "Not executed", "the person ended the task");
	return task_end_with(t->report, TASK_INTERRUPTED, "interrupted",
			     "ended by the person who was asked");
}

/* ---- one call ---- */

/* An answer that does not have its form finishes nothing. */
static int check_form(struct task *t, struct tool_result *r, struct err *e)
{
	char why[SCHEMA_WHY];
	int fits = task_say_form(t, &r->text, why, e);

	if (fits != 0)
		return MIN(fits, 0);
	t->misfits++;
	buf_truncate(&r->text, 0);
	refuse(r, "Not finished: the answer does not fit the person's schema", why);
	return 0;
}

static int run_tool(struct task *t, const struct turn_call *c, const struct json *args,
		    struct tool_result *r, struct err *e)
{
	uint64_t before = task_now(t);
	int failed = (t->conf->run_tool ? t->conf->run_tool : tool_run)(
		t->conf->tools, c->name, args, r, e);

	if (!r->time_ms)
		r->time_ms = task_now(t) - before;
	if (failed < 0)
		return err_wrap(e, "tool '%s'", c->name);
	return r->outcome == TOOL_FINISHED && r->success ? check_form(t, r, e) : 0;
}

/* Circles: told once, in the result; the second is the end. */
static int watch(struct task *t, const struct turn_call *c, const struct json *args,
		 struct tool_result *r)
{
	bool failed = r->outcome == TOOL_ERROR || r->exit > 0;
	struct stuck_call step = { .name = c->name,
				   .args = args,
				   .result = buf_cstr(&r->text),
				   .failed = failed };
	struct stuck_why why = { 0 };
	enum stuck_verdict v = stuck_step(&t->stuck, &step, &why);
	char shown[160];

	t->report->failed_calls += failed;
	if (v == STUCK_NO)
		return TASK_GO_ON;
	if (v == STUCK_NOTICE) {
		task_say_notice(t, "the model has %s", why.now);
		buf_addf(&r->text,
			 "\n[cubby: you have %s. That leads nowhere: find out why, try "
			 "another way, or call finish with success false.]",
			 why.now);
		return TASK_GO_ON;
	}
	text_escaped(shown, sizeof(shown), buf_cstr(&c->raw), c->raw.len);
	if (strcmp(why.now, why.before) == 0)
		return task_end_with(t->report, TASK_GAVE_UP, "stuck",
				     "stuck: the model has %s, also after it was told; "
				     "last: %s %s",
				     why.now, c->name, shown);
	return task_end_with(
		t->report, TASK_GAVE_UP, "stuck",
		"stuck: the model has %s, after it was told that it had %s; "
		"last: %s %s",
		why.now, why.before, c->name, shown);
}

static void compare(struct task *t, size_t nth, const struct turn_call *c,
		    const struct tool_result *r)
{
	_cleanup_buf_ struct buf how = BUF_INIT(512);
	struct replay *replay = model_replay(t->model);

	if (!replay || !replay_compare(replay, nth, buf_cstr(&r->text), r->exit, &how))
		return;
	t->report->differences++;
	task_say_notice(t, "replay: call %u (%s): %s", t->report->calls, c->name,
			buf_cstr(&how));
}

static void append_news(struct task *t, struct tool_result *r)
{
	if (t->news.len)
		buf_addf(&r->text, "\n%s", buf_cstr(&t->news));
	buf_truncate(&t->news, 0);
}

static int keep_result(struct task *t, const struct turn_call *c,
		       const struct tool_result *r, struct err *e)
{
	struct history_result h = { .id = c->id,
				    .tool = c->name,
				    .text = buf_cstr(&r->text),
				    .log_path = r->log_path,
				    .error = r->outcome == TOOL_ERROR };

	int failed;

	task_log_result(t, c, r);
	failed = history_add_result(&t->history, t->st.round, &h, e);
	if (failed == 0 && r->picture)
		failed = history_add_picture(&t->seen, 0, r->caption ?: h.text, r->mime,
					     r->picture, e);
	return failed;
}

/* Behind the results, which have to follow their calls at once. */
static int show_pictures(struct task *t, struct err *e)
{
	int r = 0;

	for (size_t i = 0; i < t->seen.n && r == 0; i++) {
		const struct history_entry *x = &t->seen.entries[i];

		r = task_say_picture(t, x->text, x->mime, x->picture, e);
	}
	history_done(&t->seen);
	return r;
}

/* Of which shell a call is; NULL = of none. */
static const char *session_of(const struct turn_call *c)
{
	bool is = strcmp(c->name, "shell") == 0 || strcmp(c->name, "input") == 0;

	return is ? json_get_str(c->args, "session") ?: "main" : NULL;
}

/* What a call that was run says of its shell to those behind it. */
static void note_shell(struct rest *rest, const struct turn_call *c,
		       const struct tool_result *r)
{
	const char *session = session_of(c);

	if (session && r->outcome == TOOL_OPEN) {
		rest->session = session;
		rest->shell =
			strcmp(r->state, "shell_died") == 0
				? "the shell died in an earlier call of this turn; "
				  "look at its result first"
				: "an earlier call of this turn left the shell busy; "
				  "look at its result first";
	} else if (session && rest->shell && r->outcome == TOOL_OK &&
		   strcmp(session, rest->session) == 0) {
		rest->shell = NULL;
	}
}

static const char *not_run(const struct rest *rest, const struct turn_call *c)
{
	if (rest->all)
		return rest->all;
	if (rest->work && strcmp(c->name, "finish") != 0)
		return rest->work;
	if (!rest->shell || strcmp(c->name, "shell") != 0)
		return NULL;
	return strcmp(session_of(c), rest->session) == 0 ? rest->shell : NULL;
}

/* Or it would take the result for that of its own call. */
static void tell_edited(const struct json *args, struct tool_result *r)
{
	const char *command = json_get_str(args, "command");

	buf_addf(&r->text,
		 "\n[cubby: the person changed this call before it ran; what ran "
		 "instead: %s]",
		 command ? command : "other arguments");
}

/* Decides, asks, runs. Fills r in every case but a failure of cubby. */
static int perform(struct task *t, const struct turn_call *c, const char *blocked,
		   struct tool_result *r, struct err *e)
{
	_cleanup_json_ struct json *edited = NULL;
	_cleanup_buf_ struct buf words = BUF_INIT(64 << 10);
	struct task_answer answer = { .words = words };
	struct task_call shown = { .id = c->id,
				   .name = c->name,
				   .args = c->args,
				   .raw = buf_cstr(&c->raw),
				   .number = t->report->calls };
	int verdict = TASK_GO_ON;

	if (blocked)
		refuse(r, "Not executed", blocked);
	else if (!c->args)
		malformed(t, c, r);
	else
		verdict = ask(t, c, &shown, &answer, r);
	words = answer.words;
	edited = answer.args;
	if (edited)
		shown.args = edited;
	task_log_call(t, c, shown.args);
	if (t->ev->call)
		t->ev->call(t->conf->ctx, &shown);
	if (verdict == TASK_GO_ON && !r->text.len && shown.args) {
		int failed = run_tool(t, c, shown.args, r, e);

		if (failed < 0)
			return failed;
	}
	if (verdict == TASK_GO_ON && !blocked)
		verdict = watch(t, c, shown.args, r);
	if (edited && !blocked)
		tell_edited(edited, r);
	append_news(t, r);
	if (t->ev->result)
		t->ev->result(t->conf->ctx, &shown, r);
	return verdict;
}

static int finish(struct task *t, const struct tool_result *r, struct err *e)
{
	buf_truncate(&t->report->answer, 0);
	if (buf_add(&t->report->answer, r->text.data, r->text.len) < 0)
		return err_sys(e, -ENOMEM, "cannot keep the answer");
	if (r->success)
		return task_end_with(t->report, TASK_DONE, "finish", NULL);
	return task_end_with(t->report, TASK_GAVE_UP, "finish", "the model gave up");
}

/* What cannot be taken over now waits for the next call, or the end: why is said once. */
static void take_over(struct task *t, const char *name)
{
	_cleanup_buf_ struct buf lines = BUF_INIT(TAKEN_LINES);
	struct err e = ERR_NONE;

	if (!t->conf->review.called || !needs_consent(t, name))
		return;
	if (t->conf->review.called(t->conf->review.ctx, &lines, &e) < 0 &&
	    !t->told_untaken) {
		task_say_notice(t, "not taken over yet: %s", e.msg);
		t->told_untaken = true;
	}
	for (char *p = lines.len ? lines.data : NULL, *nl; p; p = nl ? nl + 1 : NULL) {
		nl = strchr(p, '\n');
		if (nl)
			*nl = '\0';
		if (*p)
			task_say_notice(t, "%s", p);
	}
}

static int one_call(struct task *t, struct turn *turn, size_t nth, struct rest *rest,
		    struct err *e)
{
	_cleanup_tool_result_ struct tool_result r;
	struct turn_call *c = &turn->calls[nth];
	const char *blocked = not_run(rest, c);
	int verdict, failed;

	tool_result_init(&r);
	t->report->calls++;
	verdict = perform(t, c, blocked, &r, e);
	if (verdict < 0)
		return verdict;
	rest->malformed |= r.malformed;
	failed = keep_result(t, c, &r, e);
	if (failed < 0)
		return failed;
	if (!blocked)
		compare(t, nth, c, &r);
	if (verdict == TASK_ENDED) {
		rest->all = "the task has ended";
	} else if (r.outcome == TOOL_FINISHED) {
		rest->all = "the task was finished by an earlier call";
		return finish(t, &r, e);
	}
	if (!blocked) {
		note_shell(rest, c, &r);
		take_over(t, c->name);
	}
	return verdict;
}

int task_calls(struct task *t, struct turn *turn, struct err *e)
{
	struct rest rest = { 0 };
	int ended = TASK_GO_ON, r;
	char cut[160];

	if (turn->finish == TURN_LENGTH) {
		snprintf(
			cut, sizeof(cut),
			"the turn was cut off at the output limit of %llu tokens; send "
			"less at once, and write long files in parts",
			(unsigned long long)model_max_output(t->model));
		rest.all = cut;
	} else if (t->last_cause) {
		rest.all = "the task's limit is reached";
	}
	for (size_t i = 0; i < turn->n_calls; i++) {
		bool asked = false;

		/* rounds, tokens and cost were spent when the turn was asked for; its
		 * calls take nothing but time */
		if (task_budget_left_ms(t) == 0)
			rest.work = "the task's limit is reached";
		r = one_call(t, turn, i, &rest, e);

		if (r < 0)
			return r;
		ended = MAX(ended, r);
		r = ended ? 0 : task_say_interrupt(t, &asked);
		if (r < 0)
			return r;
		if (r == TASK_ENDED)
			rest.all = "the person interrupted the task";
		else if (asked)
			rest.all = "the person interrupted";
		ended = MAX(ended, r);
	}
	r = show_pictures(t, e);
	if (r < 0)
		return r;
	t->malformed = rest.malformed ? t->malformed + 1 : 0;
	if (!ended && t->misfits >= MISFITS_MAX)
		return task_end_with(t->report, TASK_GAVE_UP, "schema",
				     "the model's answer did not fit the schema, %d "
				     "times",
				     MISFITS_MAX);
	if (!ended && t->malformed >= MALFORMED_MAX)
		return task_end_with(t->report, TASK_LIMIT, "malformed",
				     "%d turns in a row had calls that cannot be read",
				     MALFORMED_MAX);
	return ended;
}
