#include "agent/task/resume.h"

#include <errno.h>
#include <string.h>

#include "agent/task/compact.h"
#include "agent/wire/message.h"

void resume_done(struct resume *r)
{
	history_done(&r->history);
	free(r->task);
	free(r->provider);
	free(r->model);
	free(r->reason);
	free(r->cause);
	*r = (struct resume){ 0 };
}

static int replace(char **where, const char *s, struct err *e)
{
	char *copy = strdup(s ? s : "");

	if (!copy)
		return err_sys(e, -ENOMEM, "cannot read the transcript");
	free(*where);
	*where = copy;
	return 0;
}

static uint64_t number(const struct json *j, const char *key)
{
	int64_t n = json_get_int(j, key, 0);

	return n > 0 ? (uint64_t)n : 0;
}

static unsigned round_of(const struct resume *r, const struct json *j)
{
	return (unsigned)json_get_int(j, "round", r->round);
}

static int on_task(struct resume *r, const struct json *j, struct err *e)
{
	const char *text = json_get_str(j, "task");

	r->base_ms = r->elapsed_ms;
	if (!text || !*text || json_get(j, "resumed"))
		return 0; /* what a resumed task was told is a user record */
	if (!r->task && replace(&r->task, text, e) < 0)
		return e->code;
	return history_add_text(&r->history, HISTORY_TASK, 0, text, e);
}

static int on_model(struct resume *r, const struct json *j, struct err *e)
{
	const char *system = json_get_str(j, "system");
	int failed = replace(&r->provider, json_get_str(j, "provider"), e)
			     ?: replace(&r->model, json_get_str(j, "model"), e);

	if (failed < 0 || !system || r->history.system)
		return failed;
	return history_set_system(&r->history, system, e);
}

static int on_request(struct resume *r, const struct json *j, struct err *)
{
	r->round = round_of(r, j);
	return 0;
}

/* @j: a record with the usage of one turn, and what all of them have cost so far. */
static void count(struct resume *r, const struct json *j)
{
	const struct json *usage = json_get(j, "usage");

	r->cost_unknown = !json_get(j, "cost_micro");
	r->cost = number(j, "cost_micro");
	r->tokens_in += number(usage, "input");
	r->tokens_out += number(usage, "output");
	r->tokens_cached += number(usage, "cached");
}

static int on_response(struct resume *r, const struct json *j, struct err *e)
{
	const struct json *message = json_get(j, "message");

	if (json_type(message) != JSON_OBJECT)
		return err_set(e, -EINVAL, "a response record without a message");
	count(r, j);
	r->round = (unsigned)json_get_int(j, "round", r->round + 1);
	return history_add_turn(&r->history, r->round, message, e);
}

static int on_summary(struct resume *r, const struct json *j, struct err *)
{
	count(r, j);
	return 0;
}

static int on_result(struct resume *r, const struct json *j, struct err *e)
{
	const char *name;
	struct history_result h = { .id = json_get_str(j, "id"),
				    .tool = json_get_str(j, "tool"),
				    .text = json_get_str(j, "text"),
				    .log_path = json_get_str(j, "log") };

	if (!h.text)
		return err_set(e, -EINVAL, "a result record without a text");
	if (!h.id) /* written by hand: the next call that has none */
		h.id = history_open_call(&r->history, &name);
	if (!h.id)
		return err_set(e, -EINVAL, "a result record without a call");
	h.error = json_is(j, "outcome", "error");
	r->calls++;
	return history_add_result(&r->history, round_of(r, j), &h, e);
}

static int on_notice(struct resume *r, const struct json *j, struct err *e)
{
	const char *text = json_get_str(j, "text");

	if (!text || !json_get_bool(j, "to_model", false))
		return 0;
	return history_add_text(&r->history, HISTORY_NOTICE, round_of(r, j), text, e);
}

static int on_user(struct resume *r, const struct json *j, struct err *e)
{
	const char *text = json_get_str(j, "text");

	if (!text)
		return 0;
	return history_add_text(&r->history, HISTORY_TASK, round_of(r, j), text, e);
}

static int on_picture(struct resume *r, const struct json *j, struct err *e)
{
	const char *text = json_get_str(j, "text"), *mime = json_get_str(j, "mime");
	const char *picture = json_get_str(j, "picture");

	if (!text || !mime || !picture)
		return err_set(e, -EINVAL, "a picture record without a picture");
	return history_add_picture(&r->history, round_of(r, j), text, mime, picture, e);
}

static int on_compact(struct resume *r, const struct json *j, struct err *e)
{
	const char *summary = json_get_str(j, "summary");
	uint64_t point = number(j, "point");
	unsigned cut;

	if (!summary)
		return compact_shorten(&r->history, (unsigned)number(j, "rounds"),
				       (size_t)number(j, "keep"), &cut, e);
	if (!point || point >= r->history.n)
		return err_set(e, -EINVAL, "a compact record that does not fit");
	return compact_replace(&r->history, (size_t)point, summary, e);
}

static int on_end(struct resume *r, const struct json *j, struct err *e)
{
	int failed = replace(&r->reason, json_get_str(j, "reason"), e);

	return failed ?: replace(&r->cause, json_get_str(j, "cause"), e);
}

int resume_record(void *ctx, const struct json *j, struct err *e)
{
	static const struct {
		const char *type;
		int (*fn)(struct resume *r, const struct json *j, struct err *e);
	} rows[] = {
		{ "task", on_task },	   { "model", on_model },
		{ "request", on_request }, { "response", on_response },
		{ "summary", on_summary }, { "lost", on_summary },
		{ "result", on_result },   { "notice", on_notice },
		{ "user", on_user },	   { "compact", on_compact },
		{ "picture", on_picture }, { "end", on_end },
	};
	struct resume *r = ctx;
	const char *type = json_get_str(j, "type");

	r->seq = (uint64_t)json_get_int(j, "seq", (int64_t)r->seq + 1);
	r->elapsed_ms = r->base_ms + number(j, "ms");
	r->ended = strcmp(type, "end") == 0;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (strcmp(type, rows[i].type) == 0)
			return rows[i].fn(r, j, e);
	return 0; /* for people, or of a later version */
}

int resume_reduce(struct resume *r, struct err *e)
{
	for (size_t i = 0; i < r->history.n; i++) {
		struct history_entry *x = &r->history.entries[i];
		struct json *reduced;
		int failed;

		if (x->kind != HISTORY_ASSISTANT)
			continue;
		failed = message_reduce(x->message, &reduced, e);
		if (failed < 0)
			return failed;
		json_free(&x->message);
		x->message = reduced;
	}
	history_forget_bytes(&r->history);
	return 0;
}
