#include "cli/task/view/json.h"

#include <string.h>

#include "cli/show/render.h"

/* Events are built without looking at each step: what could not be added for want of
 * memory is missing. A reader that has gone is no reason to lose the work. */
static struct json *event(const char *name)
{
	struct json *j = json_object();

	json_set_str(j, "event", name);
	return j;
}

static void emit(void *ctx, struct json *j)
{
	_cleanup_json_ struct json *owned = j;
	const struct view_json *v = ctx;

	(void)render_json(v->app, owned);
}

static void add_status(struct json *j, const struct task_status *st)
{
	json_set_int(j, "round", st->round);
	json_set_int(j, "max_rounds", st->max_rounds);
	json_set_int(j, "tokens_in", (int64_t)st->tokens_in);
	json_set_int(j, "tokens_out", (int64_t)st->tokens_out);
	json_set_int(j, "tokens_cached", (int64_t)st->tokens_cached);
	json_set(j, "cost_micro",
		 st->cost_known ? json_number((double)st->cost) : json_null());
	json_set_int(j, "elapsed_ms", (int64_t)st->elapsed_ms);
}

static void on_start(void *ctx, const struct task_conf *conf, const struct model *m)
{
	struct json *j = event("start");

	json_set_str(j, "task", conf->text);
	json_set_str(j, "directory", conf->facts.directory);
	json_set_str(j, "image", conf->facts.image);
	json_set_str(j, "provider", model_provider_name(m));
	json_set_str(j, "model", model_name(m));
	emit(ctx, j);
}

static void emit_text(void *ctx, const char *name, const char *text, size_t len)
{
	struct json *j = event(name);

	json_set(j, "text", json_stringn(text, len));
	emit(ctx, j);
}

static void on_round(void *ctx, const struct task_status *st)
{
	struct json *j = event("round");

	add_status(j, st);
	emit(ctx, j);
}

static void on_words(void *ctx, const char *text, size_t len)
{
	emit_text(ctx, "words", text, len);
}

static void on_reasoning(void *ctx, const char *text, size_t len)
{
	emit_text(ctx, "reasoning", text, len);
}

static void on_turn(void *ctx, const struct task_status *st)
{
	struct json *j = event("turn");

	add_status(j, st);
	emit(ctx, j);
}

static void on_discarded(void *ctx)
{
	emit(ctx, event("discarded"));
}

static void on_retry(void *ctx, const struct task_retry *r)
{
	struct json *j = event("retry");

	json_set_int(j, "attempt", r->attempt);
	json_set_int(j, "max_attempts", r->max_attempts);
	json_set_int(j, "wait_ms", (int64_t)r->wait_ms);
	json_set_str(j, "why", r->why);
	json_set_bool(j, "compacted", r->compacted);
	emit(ctx, j);
}

static void add_call(struct json *j, const struct task_call *c)
{
	json_set_int(j, "number", c->number);
	json_set_str(j, "tool", c->name);
}

static void on_call(void *ctx, const struct task_call *c)
{
	struct json *j = event("call");
	struct view_json *v = ctx;

	termfilter_init(&v->filter,
			false); /* what the one before left half is not of it */
	add_call(j, c);
	json_set(j, "arguments", c->args ? json_dup(c->args) : json_string(c->raw));
	emit(ctx, j);
}

static void on_output(void *ctx, const void *data, size_t len)
{
	_cleanup_buf_ struct buf safe = BUF_INIT(16 * len + ESCAPE_MAX);
	struct view_json *v = ctx;

	if (termfilter_feed(&v->filter, data, len, &safe) == 0 && safe.len)
		emit_text(ctx, "output", safe.data, safe.len);
}

static void on_result(void *ctx, const struct task_call *c, const struct tool_result *r)
{
	static const char *const outcomes[] = { [TOOL_OK] = "ok",
						[TOOL_ERROR] = "error",
						[TOOL_OPEN] = "open",
						[TOOL_FINISHED] = "finished" };
	struct json *j = event("result");

	add_call(j, c);
	json_set_str(j, "outcome", outcomes[r->outcome]);
	json_set_str(j, "state", r->state);
	json_set(j, "exit", r->exit >= 0 ? json_number(r->exit) : json_null());
	json_set_str(j, "cwd", r->cwd);
	json_set_int(j, "time_ms", (int64_t)r->time_ms);
	json_set(j, "text",
		 json_stringn(r->text.data ? r->text.data : "", r->text.len));
	emit(ctx, j);
}

static void on_notice(void *ctx, const char *line)
{
	emit_text(ctx, "notice", line, strlen(line));
}

static struct json *changes_list(const struct changes *c)
{
	static const char *const kinds[] = { [CHANGES_CREATED] = "created",
					     [CHANGES_MODIFIED] = "modified",
					     [CHANGES_DELETED] = "deleted" };
	static const struct {
		unsigned flag;
		const char *name;
	} flags[] = {
		{ CHANGES_EXECUTABLE, "executable" }, { CHANGES_GIT, "git" },
		{ CHANGES_DIRECTORY, "directory" },   { CHANGES_SYMLINK, "symlink" },
		{ CHANGES_FOREIGN, "foreign" },	      { CHANGES_SETID, "setid" },
		{ CHANGES_LEAVES, "leaves" },
	};
	struct json *list = json_array();

	for (size_t i = 0; i < c->n; i++) {
		struct json *j = json_object();

		json_set_str(j, "path", c->items[i].path);
		json_set_str(j, "change", kinds[c->items[i].kind]);
		json_set_int(j, "size", (int64_t)c->items[i].size);
		json_set_int(j, "added", (int64_t)c->items[i].added);
		json_set_int(j, "removed", (int64_t)c->items[i].removed);
		json_set_str(j, "class", effects_name(c->items[i].effect.class));
		json_set_str(j, "why", c->items[i].effect.why);
		for (size_t f = 0; f < ARRAY_SIZE(flags); f++)
			if (c->items[i].flags & flags[f].flag)
				json_set_bool(j, flags[f].name, true);
		json_add(list, j);
	}
	return list;
}

static void on_end(void *ctx, const struct task_report *r)
{
	struct json *j = event("end");

	json_set_str(j, "end", task_end_name(r->end));
	json_set_int(j, "status", (int)r->end);
	json_set_str(j, "cause", r->cause);
	json_set_str(j, "why", r->end == TASK_DONE ? NULL : r->why.msg);
	json_set(j, "answer",
		 json_stringn(r->answer.data ? r->answer.data : "", r->answer.len));
	add_status(j, &r->status);
	json_set_int(j, "calls", r->calls);
	json_set_int(j, "failed_calls", r->failed_calls);
	json_set(j, "files", changes_list(&r->changes));
	if (r->changes.incomplete)
		json_set_bool(j, "files_incomplete", true);
	json_set_bool(j, "replayed", r->replayed);
	json_set_int(j, "differences", r->differences);
	emit(ctx, j);
}

void view_json_init(struct view_json *v, const struct app *app)
{
	v->app = app;
	termfilter_init(&v->filter, false);
}

const struct task_events *view_json_events(void)
{
	static const struct task_events events = {
		.start = on_start,
		.round = on_round,
		.words = on_words,
		.reasoning = on_reasoning,
		.turn = on_turn,
		.discarded = on_discarded,
		.retry = on_retry,
		.call = on_call,
		.output = on_output,
		.result = on_result,
		.notice = on_notice,
		.end = on_end,
	};

	return &events;
}
