/* One turn of the model, however many attempts it takes. Nothing that a failed attempt
 * brought counts: its words are marked as discarded, its calls were never run. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "agent/task/impl.h"
#include "base/sys/sys.h"
#include "base/text.h"

enum { LAST_TURN_MS = 60 * 1000, MALFORMED_MAX = 3, CONTEXT_LEAST = 4096 };

static void on_words(void *ctx, const char *text, size_t len)
{
	struct task *t = ctx;

	t->showed = true;
	t->came += len;
	if (t->ev->words)
		t->ev->words(t->conf->ctx, text, len);
}

static void on_reasoning(void *ctx, const char *text, size_t len)
{
	struct task *t = ctx;

	t->came += len;
	if (t->ev->reasoning)
		t->ev->reasoning(t->conf->ctx, text, len);
}

/* ---- waiting ---- */

static struct aside aside_of(const struct task *t)
{
	return t->conf->aside.ready ? t->conf->aside : tool_watch_aside(t->conf->tools);
}

/* Returns -ECANCELED when the person pressed ^C. */
static int wait_ms(struct task *t, uint64_t ms)
{
	struct aside aside = aside_of(t);
	struct pollfd p[] = { { .fd = t->conf->interrupt_fd, .events = POLLIN },
			      { .fd = aside.fd, .events = POLLIN } };
	uint64_t until = sys_now_ms() + ms, now;

	if (t->conf->wait_ms)
		return t->conf->wait_ms(t->conf->ctx, ms);
	while ((now = sys_now_ms()) < until) {
		int r = sys_poll(p, ARRAY_SIZE(p),
				 (int)MIN(until - now, (uint64_t)INT32_MAX));

		if (r > 0 && p[0].revents)
			return -ECANCELED;
		if (r > 0 && p[1].revents)
			aside.ready(aside.ctx);
	}
	return 0;
}

static unsigned max_attempts(const struct task *t)
{
	unsigned n = t->conf->limits.attempts;

	return n ? n : RETRY_ATTEMPTS;
}

static int service_failed(struct task *t, const struct err *e)
{
	return task_end_with(t->report, TASK_SERVICE, "service", "%s", e->msg);
}

static void tell_retry(struct task *t, unsigned attempt, uint64_t ms, const char *why)
{
	struct task_retry retry = { .attempt = attempt,
				    .max_attempts = max_attempts(t),
				    .wait_ms = ms,
				    .why = why };

	if (t->ev->retry)
		t->ev->retry(t->conf->ctx, &retry);
}

/* A wait that ends in another attempt, in the task's limit, or in a person's ^C. */
static int again(struct task *t, unsigned attempt, const struct retry_cause *why,
		 uint64_t ms, const struct err *e)
{
	if (ms > RETRY_PATIENCE_MS)
		return task_end_with(t->report, TASK_SERVICE, "service",
				     "%s; try again in %s", e->msg, text_ms(ms));
	if (attempt >= max_attempts(t))
		return task_end_with(t->report, TASK_SERVICE, "service",
				     "%s; gave up after %u attempts", e->msg, attempt);
	if (why->transport == -ETIMEDOUT && task_budget_left_ms(t) == 0)
		return task_end_with(
			t->report, TASK_LIMIT, "time",
			"the time limit was reached while the model answered");
	if (ms >= task_budget_left_ms(t))
		return task_end_with(t->report, TASK_LIMIT, "time",
				     "the time limit comes before the next attempt: %s",
				     e->msg);
	tell_retry(t, attempt, ms, e->msg);
	return wait_ms(t, ms) == -ECANCELED ? task_say_interrupt(t, NULL) : TASK_GO_ON;
}

/* ---- what a failure means ---- */

static int malformed_call(struct task *t, const struct retry_cause *why, struct err *e)
{
	char text[RETRY_TEXT + 100];

	if (++t->malformed >= MALFORMED_MAX)
		return task_end_with(t->report, TASK_LIMIT, "malformed",
				     "%d calls in a row that the server cannot read",
				     MALFORMED_MAX);
	snprintf(text, sizeof(text),
		 "[cubby: your last call could not be read by the server (%s). Make it "
		 "again, with valid JSON.]",
		 why->text);
	return task_say(t, text, e);
}

static int leave_out(struct task *t, const struct retry_cause *why, const struct err *e)
{
	if (!model_adapt(t->model, why))
		return service_failed(t, e);
	history_forget_bytes(&t->history);
	return TASK_GO_ON;
}

static int switch_wire(struct task *t, const struct err *e)
{
	if (!model_switch_wire(t->model))
		return service_failed(t, e);
	task_say_notice(t,
			"this model is asked by '%s' from now on: the service wants it",
			model_wire(t->model));
	history_forget_bytes(&t->history);
	return TASK_GO_ON;
}

static int shorten(struct task *t, const struct retry_cause *why, struct err *e)
{
	struct task_retry retry = { .why = e->msg, .compacted = true };
	int r;

	if (why->what == RETRY_OUTPUT && model_lower_output(t->model))
		return TASK_GO_ON;
	if (why->limit)
		model_learn_window(t->model, why->limit);
	else if (t->st.context > CONTEXT_LEAST) /* whatever we thought that it is */
		model_learn_window(t->model, MIN(t->st.context, t->st.window));
	if (t->compactions >= 2)
		return task_end_with(t->report, TASK_LIMIT, "context", "%s", e->msg);
	r = t->shorten(t, ++t->compactions, e);
	if (r == TASK_GO_ON && t->ev->retry)
		t->ev->retry(t->conf->ctx, &retry);
	return r;
}

/* Returns TASK_GO_ON when another attempt is to be made. */
static int handle(struct task *t, unsigned *attempt, struct retry_cause *why,
		  struct err *e)
{
	uint32_t random = 0;
	uint64_t ms = 0;

	if (t->showed && t->ev->discarded)
		t->ev->discarded(t->conf->ctx);
	t->showed = false;
	if (why->what == RETRY_AGAIN) {
		sys_getrandom(&random, sizeof(random));
		ms = retry_wait_ms(why, *attempt, sys_wall().tv_sec, random);
	}
	task_log_error(t, *attempt, why, ms, e);
	switch (why->what) {
	case RETRY_AGAIN:
		return again(t, (*attempt)++, why, ms, e);
	case RETRY_ABORTED:
		return task_say_interrupt(t, NULL);
	case RETRY_COMPACT:
	case RETRY_OUTPUT:
		return shorten(t, why, e);
	case RETRY_FIELD:
		return leave_out(t, why, e);
	case RETRY_WIRE:
		return switch_wire(t, e);
	case RETRY_MALFORMED:
		return malformed_call(t, why, e);
	case RETRY_REFUSED:
		return task_end_with(t->report, TASK_GAVE_UP, "refused", "%s", e->msg);
	case RETRY_NEVER:
		break;
	}
	return service_failed(t, e);
}

/* ---- an attempt ---- */

/* What it leaves out is the start: the rules and the task. Only a person can help. */
static void look_for_cut(struct task *t, uint64_t input, size_t bytes)
{
	if (t->told_cut || !tokens_cut(&t->tokens, input, bytes))
		return;
	t->told_cut = true;
	task_say_notice(
		t,
		"the server cuts prompts at %llu tokens without a word; give it a "
		"larger context (Ollama: OLLAMA_CONTEXT_LENGTH)",
		(unsigned long long)input);
}

/* The server's word, or our arithmetic; one turn without either and nothing is known. */
static void count_cost(struct task *t, const struct turn_usage *u)
{
	const struct prices *p = model_prices(t->model);

	if (u->cost_told)
		t->st.cost += u->cost;
	else if (p)
		t->st.cost += prices_cost(p, u);
	else
		t->st.cost_known = false;
}

static void count(struct task *t, const struct turn *turn, const struct buf *body)
{
	uint64_t input = turn->usage.input, output = turn->usage.output;
	struct turn_usage counted = turn->usage;
	size_t bytes = history_size(&t->history);
	size_t sent = body->len - MIN(history_picture_size(&t->history), body->len);

	if (!turn->usage.known || !input) {
		/* Nothing reported: better a guess than a budget that never fills. */
		input = tokens_estimate(&t->tokens, sent);
		output = output ? output : turn->text.len / 3 + turn->reasoning.len / 3;
	} else {
		look_for_cut(t, input, sent);
		tokens_report(&t->tokens, input, output, sent, bytes + turn->text.len);
	}
	t->st.tokens_in += input;
	t->st.tokens_out += output;
	t->st.tokens_cached += turn->usage.cached;
	counted.known = true;
	counted.input = input;
	counted.output = output;
	count_cost(t, &counted);
}

/* A stream that broke off is paid for all the same, and nobody says how much it was. */
static void count_lost(struct task *t, const struct buf *body)
{
	struct turn_usage lost = { .input = tokens_estimate(&t->tokens, body->len),
				   .output = t->came / 3 + 1 };

	t->st.tokens_in += lost.input;
	t->st.tokens_out += lost.output;
	count_cost(t, &lost);
	task_log_lost(t, &lost);
}

static int attempt_once(struct task *t, bool no_calls, unsigned attempt,
			struct turn *ret, struct retry_cause *why, struct err *e)
{
	_cleanup_buf_ struct buf body = BUF_INIT(512 << 20);
	uint64_t left = t->last_cause ? LAST_TURN_MS : task_budget_left_ms(t);
	struct model_request req = { .what.history = &t->history,
				     .what.tools = t->set->v,
				     .what.n_tools = t->in_summary && !t->in_place
							     ? 0
							     : t->set->n,
				     .what.no_calls = no_calls,
				     .body = &body,
				     .total_ms = left == UINT64_MAX ? 0 : MAX(left, 1),
				     .aside = aside_of(t) };
	int r;

	if (!t->in_summary)
		req.sink = (struct turn_sink){ .words = on_words,
					       .reasoning = on_reasoning,
					       .ctx = t };
	r = model_body(t->model, &req, &body, e);
	if (r < 0) {
		why->what = RETRY_NEVER;
		return r;
	}
	task_log_request(t, attempt, no_calls, &body);
	t->came = 0;
	r = model_ask(t->model, &req, ret, why, e);
	if (r == 0)
		count(t, ret, &body);
	else if (t->came)
		count_lost(t, &body);
	return r;
}

static void refresh(struct task *t)
{
	t->st.context = tokens_estimate(&t->tokens, history_size(&t->history));
	t->st.window = model_window(t->model);
	t->st.elapsed_ms = task_now(t) - t->start_ms;
	t->st.left_ms = task_budget_left_ms(t);
}

int task_ask(struct task *t, bool no_calls, struct turn *ret, struct err *e)
{
	unsigned attempt = 1;
	int r;

	t->showed = false;
	do {
		struct retry_cause why = { 0 };

		if (t->ev->said && !t->in_summary)
			t->ev->said(t->conf->ctx, &t->words);
		if (t->conf->told && !t->in_summary)
			(void)t->conf->told(t->conf->told_ctx, false, &t->words);
		r = task_say_words(t, e);
		if (r < 0)
			return r;
		refresh(t);
		if (t->ev->round && !t->in_summary)
			t->ev->round(t->conf->ctx, &t->st);
		if (attempt_once(t, no_calls, attempt, ret, &why, e) == 0) {
			refresh(t);
			return TASK_GO_ON;
		}
		r = handle(t, &attempt, &why, e);
	} while (r == TASK_GO_ON);
	return r;
}
