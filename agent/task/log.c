/* What a task writes into its transcript: a function per record. A transcript that can
 * no longer be written is told once; it is no reason to lose the work. */
#include <stdio.h>
#include <string.h>

#include "agent/task/impl.h"
#include "base/hash.h"

void task_log(struct task *t, const char *type, struct json *members)
{
	_cleanup_json_ struct json *owned = members;
	struct err e = ERR_NONE;
	char line[600];

	if (t->log_failed || (t->log.fds[0] < 0 && t->log.fds[1] < 0))
		return;
	if (transcript_put(&t->log, type, take(&owned, NULL), &e) == 0)
		return;
	t->log_failed = true;
	snprintf(line, sizeof(line), "%s; the task goes on without it", e.msg);
	if (t->ev->notice)
		t->ev->notice(t->conf->ctx, line);
}

/* Records are built without looking at each step: what could not be added for want of
 * memory is missing, and the next thing to fail will say so. */
static struct json *record(struct task *t)
{
	struct json *j = json_object();

	json_set_int(j, "round", t->st.round);
	return j;
}

static void set_settings(struct json *j, const char *text)
{
	_cleanup_json_ struct json *settings = NULL;

	if (text && json_parse(text, strlen(text), &settings, ERR_IGNORED) == 0)
		json_set(j, "settings", take(&settings, NULL));
}

static struct json *tools_list(const struct toolset *set)
{
	struct json *list = json_array();

	for (size_t i = 0; i < set->n; i++) {
		_cleanup_json_ struct json *j = json_object(), *schema = NULL;
		const char *text = set->v[i].schema;

		json_set_str(j, "name", set->v[i].name);
		json_set_str(j, "description", set->v[i].description);
		if (json_parse(text, strlen(text), &schema, ERR_IGNORED) == 0)
			json_set(j, "schema", take(&schema, NULL));
		json_add(list, take(&j, NULL));
	}
	return list;
}

void task_log_begin(struct task *t, const char *text, const char *resumed)
{
	const struct task_conf *c = t->conf;
	struct json *j = json_object();

	json_set_str(j, "cubby", CUBBY_VERSION);
	json_set_str(j, "task", text ? text : "");
	json_set_str(j, "directory", c->facts.directory);
	json_set_str(j, "image", c->facts.image);
	json_set_str(j, "network", c->facts.network);
	json_set_int(j, "max_rounds", t->st.max_rounds);
	json_set_int(j, "max_tokens", (int64_t)c->limits.tokens);
	json_set_int(j, "timeout_ms", (int64_t)c->limits.time_ms);
	json_set_int(j, "max_cost_micro", (int64_t)c->limits.cost);
	set_settings(j, c->settings);
	if (resumed)
		json_set_str(j, "resumed", resumed);
	task_log(t, "task", j);
	j = json_object();
	json_set_str(j, "provider", model_provider_name(t->model));
	json_set_str(j, "model", model_name(t->model));
	json_set_str(j, "url", model_url(t->model));
	json_set(j, "params", model_params(t->model));
	json_set_str(j, "system", t->history.system);
	json_set(j, "tools", tools_list(t->set));
	task_log(t, "model", j);
}

/* A body has megabytes: the stream is libcrypto's, which uses the whole processor. */
static int digest(const struct buf *body, char ret[HASH_HEX])
{
	_cleanup_hash_ struct hash *h = NULL;
	struct err ignored;
	int r = hash_new(&h, &ignored);

	if (r < 0)
		return r;
	r = hash_update(h, body->data, body->len, &ignored);
	return r < 0 ? r : hash_final(h, ret, &ignored);
}

void task_log_request(struct task *t, unsigned attempt, bool no_calls,
		      const struct buf *body)
{
	struct json *j = record(t);
	char hex[HASH_HEX];

	json_set_int(j, "attempt", attempt);
	json_set_int(j, "messages", (int64_t)t->history.n);
	json_set_int(j, "bytes", (int64_t)body->len);
	if (body->len && digest(body, hex) == 0)
		json_set_str(j, "sha256", hex);
	if (t->in_summary)
		json_set_bool(j, "summary", true);
	else if (no_calls)
		json_set_bool(j, "no_calls", true);
	json_set(j, "params", model_params(t->model));
	task_log(t, "request", j);
}

void task_log_response(struct task *t, const struct turn *turn, const char *type)
{
	struct json *j = record(t);

	json_set(j, "message", json_dup(turn->message));
	json_set_str(j, "finish", *turn->finish_word ? turn->finish_word : NULL);
	if (turn->usage.known) {
		struct json *u = json_object();

		json_set_int(u, "input", (int64_t)turn->usage.input);
		json_set_int(u, "cached", (int64_t)turn->usage.cached);
		json_set_int(u, "written", (int64_t)turn->usage.written);
		json_set_int(u, "output", (int64_t)turn->usage.output);
		json_set_int(u, "reasoning", (int64_t)turn->usage.reasoning);
		json_set(j, "usage", u);
	}
	if (t->st.cost_known)
		json_set_int(j, "cost_micro", (int64_t)t->st.cost);
	json_set_str(j, "id", turn->id);
	json_set_str(j, "model", turn->model);
	json_set_str(j, "request_id", turn->request_id);
	json_set_int(j, "first_byte_ms", (int64_t)turn->first_byte_ms);
	json_set_int(j, "total_ms", (int64_t)turn->total_ms);
	task_log(t, type, j);
}

void task_log_lost(struct task *t, const struct turn_usage *lost)
{
	struct json *j = record(t), *u = json_object();

	json_set_int(u, "input", (int64_t)lost->input);
	json_set_int(u, "output", (int64_t)lost->output);
	json_set(j, "usage", u);
	json_set_bool(j, "estimated", true);
	if (t->st.cost_known)
		json_set_int(j, "cost_micro", (int64_t)t->st.cost);
	task_log(t, "lost", j);
}

void task_log_error(struct task *t, unsigned attempt, const struct retry_cause *why,
		    uint64_t wait_ms, const struct err *e)
{
	static const char *const decisions[] = {
		[RETRY_AGAIN] = "retry",     [RETRY_NEVER] = "end",
		[RETRY_COMPACT] = "compact", [RETRY_OUTPUT] = "lower_output",
		[RETRY_FIELD] = "leave_out", [RETRY_ABORTED] = "aborted",
		[RETRY_REFUSED] = "refused", [RETRY_MALFORMED] = "malformed_call",
		[RETRY_WIRE] = "other_wire",
	};
	struct json *j = record(t);

	json_set_int(j, "attempt", attempt);
	json_set_str(j, "error", e->msg);
	if (why->status)
		json_set_int(j, "status", why->status);
	if (*why->code)
		json_set_str(j, "code", why->code);
	if (*why->text)
		json_set_str(j, "text", why->text);
	if (*why->retry_after)
		json_set_str(j, "retry_after", why->retry_after);
	json_set_bool(j, "in_stream", why->in_stream);
	json_set_str(j, "decision", decisions[why->what]);
	json_set_int(j, "wait_ms", (int64_t)wait_ms);
	task_log(t, "error", j);
}

void task_log_call(struct task *t, const struct turn_call *c, const struct json *args)
{
	struct json *j = record(t);

	json_set_str(j, "id", c->id);
	json_set_str(j, "tool", c->name);
	json_set(j, "args", args ? json_dup(args) : json_null());
	if (!c->args)
		json_set_str(j, "raw", buf_cstr(&c->raw));
	task_log(t, "call", j);
}

void task_log_result(struct task *t, const struct turn_call *c,
		     const struct tool_result *r)
{
	static const char *const outcomes[] = { [TOOL_OK] = "ok",
						[TOOL_ERROR] = "error",
						[TOOL_OPEN] = "open",
						[TOOL_FINISHED] = "finished" };
	struct json *j = record(t);

	json_set_str(j, "id", c->id);
	json_set_str(j, "tool", c->name);
	json_set_str(j, "outcome", outcomes[r->outcome]);
	json_set_str(j, "text", buf_cstr(&r->text));
	if (*r->state)
		json_set_str(j, "state", r->state);
	if (r->exit >= 0)
		json_set_int(j, "exit", r->exit);
	if (r->cwd)
		json_set_str(j, "cwd", r->cwd);
	if (r->log_path)
		json_set_str(j, "log", r->log_path);
	if (r->outcome == TOOL_FINISHED)
		json_set_bool(j, "success", r->success);
	json_set_int(j, "time_ms", (int64_t)r->time_ms);
	task_log(t, "result", j);
}

void task_log_picture(struct task *t, const char *text, const char *mime,
		      const char *base64)
{
	struct json *j = record(t);

	json_set_str(j, "text", text);
	json_set_str(j, "mime", mime);
	json_set_str(j, "picture", base64);
	task_log(t, "picture", j);
}

void task_log_text(struct task *t, const char *type, const char *text, bool to_model)
{
	struct json *j = record(t);

	json_set_str(j, "text", text);
	json_set_bool(j, "to_model", to_model);
	task_log(t, type, j);
}

void task_log_patch(struct task *t)
{
	enum { SLOW_MS = 250 };
	_cleanup_buf_ struct buf now = BUF_INIT(TASK_PATCH);
	const struct task_review *review = &t->conf->review;
	uint64_t begun = task_now(t);
	struct json *j;

	if (!review->patch || t->slow_patch ||
	    review->patch(review->ctx, &now, ERR_IGNORED) < 0)
		return;
	t->slow_patch = task_now(t) - begun > SLOW_MS;
	if (now.len == t->patch.len &&
	    memcmp(buf_cstr(&now), buf_cstr(&t->patch), now.len) == 0)
		return;
	j = record(t);
	json_set(j, "patch", json_stringn(buf_cstr(&now), now.len));
	json_set_bool(j, "cut", now.len == now.max);
	task_log(t, "patch", j);
	buf_done(&t->patch);
	t->patch = take(&now, BUF_INIT(TASK_PATCH));
}

void task_log_end(struct task *t)
{
	_cleanup_buf_ struct buf jobs = BUF_INIT(4096);
	const struct task_report *r = t->report;
	struct json *j = record(t);

	if (t->conf->tools)
		tool_jobs_names(t->conf->tools, &jobs);
	if (jobs.len) {
		json_set_str(j, "jobs", buf_cstr(&jobs));
		json_set_bool(j, "jobs_stay", t->conf->facts.stays);
	}
	json_set_str(j, "reason", task_end_name(r->end));
	json_set_int(j, "status", r->end);
	json_set_str(j, "cause", r->cause);
	json_set_str(j, "answer", buf_cstr(&r->answer));
	if (r->why.code)
		json_set_str(j, "error", r->why.msg);
	json_set_int(j, "calls", r->calls);
	json_set_int(j, "failed_calls", r->failed_calls);
	json_set_int(j, "tokens_in", (int64_t)r->status.tokens_in);
	json_set_int(j, "tokens_out", (int64_t)r->status.tokens_out);
	json_set_int(j, "tokens_cached", (int64_t)r->status.tokens_cached);
	if (r->status.cost_known)
		json_set_int(j, "cost_micro", (int64_t)r->status.cost);
	json_set_int(j, "elapsed_ms", (int64_t)r->status.elapsed_ms);
	task_log(t, "end", j);
	transcript_sync(&t->log);
}
