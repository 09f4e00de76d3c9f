#include "cli/task/record/logview.h"

#include <string.h>

#include "base/text.h"
#include "cli/show/markdown.h"
#include "cli/show/render.h"
#include "cli/task/view/diffview.h"
#include "cli/task/view/words.h"

enum { LOGVIEW_TEXT = 64 << 20 };

/* Below a label the lines stand further in. */
static void put(const struct logview *v, enum render_style style, const char *label,
		const char *text)
{
	_cleanup_buf_ struct buf b = BUF_INIT(LOGVIEW_TEXT);
	FILE *out = v->app->out;

	if (view_words_all(text, strlen(text), &b) < 0)
		return;
	while (b.len && b.data[b.len - 1] == '\n')
		buf_truncate(&b, b.len - 1);
	fprintf(out, "%s%s", render_style_on(v->app->color_out, style), label);
	for (const char *s = buf_cstr(&b); *s; s++) {
		fputc(*s, out);
		if (*s == '\n' && s[1] != '\n' && *label)
			fputs("  ", out);
	}
	fprintf(out, "%s\n", render_style_off(v->app->color_out));
}

static void show_task(struct logview *v, const struct json *r)
{
	const char *task = json_get_str(r, "task");
	const char *from = json_get_str(r, "resumed");
	const char *time = json_get_str(r, "time");

	if (from)
		put(v, RENDER_YELLOW, "goes on from ", from);
	put(v, RENDER_BOLD, "task: ", task ? task : "");
	if (time)
		put(v, RENDER_DIM, "", time);
}

static void show_model(struct logview *v, const struct json *r)
{
	const char *name = json_get_str(r, "model");
	const char *provider = json_get_str(r, "provider");

	fprintf(v->app->out, "%s", render_style_on(v->app->color_out, RENDER_DIM));
	render_safe(v->app->out, provider ? provider : "?");
	fputc(':', v->app->out);
	render_safe(v->app->out, name ? name : "?");
	fprintf(v->app->out, "%s\n", render_style_off(v->app->color_out));
}

/* Words are Markdown on a terminal. */
static void put_words(void *view, const char *text)
{
	struct logview *v = view;
	const struct markdown_look look = { v->cols, v->app->color_out };
	_cleanup_buf_ struct buf b = BUF_INIT(LOGVIEW_TEXT);

	if (!*text)
		return;
	if (!v->said.max)
		v->said = BUF_INIT(LOGVIEW_TEXT);
	buf_truncate(&v->said, 0);
	buf_adds(&v->said, text);
	if (!v->cols) {
		put(v, RENDER_PLAIN, "", text);
		return;
	}
	(void)markdown_rows(text, strlen(text), &look, &b, ERR_IGNORED);
	fputs(buf_cstr(&b), v->app->out);
}

static void show_response(struct logview *v, const struct json *r)
{
	recorded_words(r, put_words, v);
}

static void show_call(struct logview *v, const struct json *r)
{
	_cleanup_buf_ struct buf b = BUF_INIT(LOGVIEW_TEXT);
	const struct json *args = json_get(r, "args");
	const char *label;
	const enum recorded_shown how = recorded_call(&v->recorded, r, &label, &b);

	if (how == RECORDED_UNKNOWN) {
		buf_addf(&b, "%s ", json_get_str(r, "tool") ?: "?");
		if (args)
			json_print(args, false, &b);
	}
	if (how != RECORDED_NOTHING && buf_failed(&b) == 0)
		put(v, RENDER_BOLD, label, buf_cstr(&b));
}

static void show_result(struct logview *v, const struct json *r)
{
	const struct wrap w = { .cols = v->cols, .color = v->app->color_out };
	_cleanup_buf_ struct buf own = BUF_INIT(LOGVIEW_TEXT),
				 rows = BUF_INIT(LOGVIEW_TEXT);
	struct recorded_result result;

	recorded_result(&v->recorded, r, &own, &result);
	if (result.diff) {
		diffview_text(result.diff, &w, SIZE_MAX, &rows);
		fputs(buf_cstr(&rows), v->app->out);
	}
	if (result.text)
		put(v, result.failed ? RENDER_RED : RENDER_DIM, "  ", result.text);
}

static void show_text(struct logview *v, const struct json *r)
{
	const char *text = json_get_str(r, "text");

	put(v, RENDER_YELLOW, "cubby: ", text ? text : "");
}

static void show_user(struct logview *v, const struct json *r)
{
	const char *text = json_get_str(r, "text");

	put(v, RENDER_CYAN, "you: ", text ? text : "");
}

static void show_error(struct logview *v, const struct json *r)
{
	const char *text = json_get_str(r, "error");

	put(v, RENDER_RED, "error: ", text ? text : "");
}

static void show_end(struct logview *v, const struct json *r)
{
	const char *answer = json_get_str(r, "answer"), *why = json_get_str(r, "error");
	const char *reason = json_get_str(r, "reason");
	const char *jobs = json_get_str(r, "jobs");

	/* an answer in words has been shown */
	if (answer && *answer && strcmp(buf_cstr(&v->said), answer) != 0)
		put_words(v, answer);
	if (why && *why)
		put(v, RENDER_RED, "", why);
	put(v, RENDER_DIM, "end: ", reason ? reason : "");
	if (jobs && json_get_bool(r, "jobs_stay", false))
		put(v, RENDER_DIM, "kept running in the box: ", jobs);
	else if (jobs)
		put(v, RENDER_DIM, "in the background, and not kept (--keep): ", jobs);
}

static const struct {
	const char *type;
	void (*show)(struct logview *v, const struct json *r);
} types[] = {
	{ "task", show_task }, { "model", show_model },	  { "response", show_response },
	{ "call", show_call }, { "result", show_result }, { "notice", show_text },
	{ "user", show_user }, { "error", show_error },	  { "end", show_end },
};

void logview_done(struct logview *v)
{
	recorded_done(&v->recorded);
	buf_done(&v->said);
}

int logview_record(void *ctx, const struct json *record, struct err *e)
{
	struct logview *v = ctx;
	const char *type = json_get_str(record, "type");

	if (v->app->json)
		return render_json(v->app, record) < 0
			       ? err_set(e, -EIO, "cannot write the transcript")
			       : 0;
	for (size_t i = 0; type && i < ARRAY_SIZE(types); i++)
		if (strcmp(types[i].type, type) == 0)
			types[i].show(v, record);
	return 0;
}

int logview_summarise(void *ctx, const struct json *record, struct err *)
{
	struct logview_summary *s = ctx;
	const char *type = json_get_str(record, "type");
	const char *task = json_get_str(record, "task");
	const char *reason = json_get_str(record, "reason");
	int64_t round = json_get_int(record, "round", 0);

	s->rounds = MAX(s->rounds, round);
	if (!type)
		return 0;
	if (strcmp(type, "task") == 0 && task && *task)
		text_escaped(s->task, sizeof(s->task), task, strcspn(task, "\n"));
	if (strcmp(type, "task") == 0) /* a part that began has not ended */
		s->end[0] = '\0';
	if (strcmp(type, "end") != 0)
		return 0;
	(void)text_copy(s->end, sizeof(s->end), reason ? reason : "");
	s->elapsed_ms = json_get_int(record, "elapsed_ms", 0);
	s->tokens = json_get_int(record, "tokens_in", 0) +
		    json_get_int(record, "tokens_out", 0);
	return 0;
}
