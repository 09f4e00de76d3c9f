#include "cli/task/logview.h"

#include <string.h>

#include "base/text.h"
#include "cli/show/render.h"
#include "cli/task/view_words.h"

enum { LOGVIEW_TEXT = 8 << 20, LOGVIEW_LINES = 40 };

static void put(const struct app *app, enum render_style style, const char *label,
		const char *text)
{
	_cleanup_buf_ struct buf b = BUF_INIT(LOGVIEW_TEXT);

	if (view_words_all(text, strlen(text), &b) < 0)
		return;
	while (b.len && b.data[b.len - 1] == '\n')
		buf_truncate(&b, b.len - 1);
	fprintf(app->out, "%s%s%s%s\n", render_style_on(app->color_out, style), label,
		buf_cstr(&b), render_style_off(app->color_out));
}

static void show_task(const struct app *app, const struct json *r)
{
	const char *task = json_get_str(r, "task");
	const char *from = json_get_str(r, "resumed");
	const char *time = json_get_str(r, "time");

	if (from)
		put(app, RENDER_YELLOW, "goes on from ", from);
	put(app, RENDER_BOLD, "task: ", task ? task : "");
	if (time)
		put(app, RENDER_DIM, "", time);
}

static void show_model(const struct app *app, const struct json *r)
{
	const char *name = json_get_str(r, "model");
	const char *provider = json_get_str(r, "provider");

	fprintf(app->out, "%s", render_style_on(app->color_out, RENDER_DIM));
	render_safe(app->out, provider ? provider : "?");
	fputc(':', app->out);
	render_safe(app->out, name ? name : "?");
	fprintf(app->out, "%s\n", render_style_off(app->color_out));
}

/* Chat Completions have a string, Messages a list of blocks. */
static void show_response(const struct app *app, const struct json *r)
{
	const struct json *content = json_get(json_get(r, "message"), "content");

	if (json_str(content) && *json_str(content))
		put(app, RENDER_PLAIN, "", json_str(content));
	if (json_type(content) != JSON_ARRAY)
		return;
	json_each(it, content)
	{
		const char *text = json_get_str(it, "text");

		if (text && *text)
			put(app, RENDER_PLAIN, "", text);
	}
}

static void show_call(const struct app *app, const struct json *r)
{
	const struct json *args = json_get(r, "args");
	const char *tool = json_get_str(r, "tool");
	const char *command = json_get_str(args, "command");
	_cleanup_buf_ struct buf b = BUF_INIT(LOGVIEW_TEXT);

	if (tool && strcmp(tool, "shell") == 0 && command) {
		put(app, RENDER_BOLD, "$ ", command);
		return;
	}
	if (buf_addf(&b, "%s ", tool ? tool : "?") < 0 ||
	    (args && json_print(args, false, &b) < 0))
		return;
	put(app, RENDER_BOLD, "", buf_cstr(&b));
}

/* The first lines of a result, and how many there were. */
static void show_result(const struct app *app, const struct json *r)
{
	const char *text = json_get_str(r, "text");
	size_t len = 0, lines = 0;

	for (; text && text[len] && lines < LOGVIEW_LINES; len++)
		lines += text[len] == '\n';
	if (text && text[len]) {
		_cleanup_free_ char *head = strndup(text, len);

		put(app, RENDER_DIM, "", head ? head : "");
		put(app, RENDER_DIM, "", "…");
	} else if (text && *text) {
		put(app, RENDER_DIM, "", text);
	}
}

static void show_text(const struct app *app, const struct json *r)
{
	const char *text = json_get_str(r, "text");

	put(app, RENDER_YELLOW, "cubby: ", text ? text : "");
}

static void show_user(const struct app *app, const struct json *r)
{
	const char *text = json_get_str(r, "text");

	put(app, RENDER_CYAN, "you: ", text ? text : "");
}

static void show_error(const struct app *app, const struct json *r)
{
	const char *text = json_get_str(r, "error");

	put(app, RENDER_RED, "error: ", text ? text : "");
}

static void show_end(const struct app *app, const struct json *r)
{
	const char *answer = json_get_str(r, "answer"), *why = json_get_str(r, "error");
	const char *reason = json_get_str(r, "reason");

	if (answer && *answer)
		put(app, RENDER_GREEN, "", answer);
	if (why && *why)
		put(app, RENDER_RED, "", why);
	put(app, RENDER_DIM, "end: ", reason ? reason : "");
}

static const struct {
	const char *type;
	void (*show)(const struct app *app, const struct json *r);
} types[] = {
	{ "task", show_task }, { "model", show_model },	  { "response", show_response },
	{ "call", show_call }, { "result", show_result }, { "notice", show_text },
	{ "user", show_user }, { "error", show_error },	  { "end", show_end },
};

int logview_record(void *ctx, const struct json *record, struct err *e)
{
	const struct app *app = ctx;
	const char *type = json_get_str(record, "type");

	if (app->json)
		return render_json(app, record) < 0
			       ? err_set(e, -EIO, "cannot write the transcript")
			       : 0;
	for (size_t i = 0; type && i < ARRAY_SIZE(types); i++)
		if (strcmp(types[i].type, type) == 0)
			types[i].show(app, record);
	return 0;
}

int logview_summarise(void *ctx, const struct json *record, struct err *e)
{
	struct logview_summary *s = ctx;
	const char *type = json_get_str(record, "type");
	const char *task = json_get_str(record, "task");
	const char *reason = json_get_str(record, "reason");
	int64_t round = json_get_int(record, "round", 0);

	(void)e;
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
