#include "cli/task/view.h"

#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/show/render.h"
#include "cli/show/tty.h"
#include "cli/task/ask.h"
#include "cli/task/asktext.h"
#include "cli/task/view_end.h"

enum {
	VIEW_TURN_MAX = 16 << 20, /* bytes */
	VIEW_CALL_MAX = 4096,	  /* of a command that is shown */
	VIEW_CALL_LINES = 8,
	VIEW_ASK_MAX = 64 << 20,
};

void view_init(struct view *v, const struct app *app)
{
	unsigned short rows, cols;

	*v = (struct view){ .app = app, .turn = BUF_INIT(VIEW_TURN_MAX) };
	if (app->live && tty_size(STDERR_FILENO, &rows, &cols) == 0)
		v->columns = cols;
}

void view_done(struct view *v)
{
	view_break(v);
	buf_done(&v->turn);
}

static void clear_status(struct view *v)
{
	if (v->status_shown)
		render_clear(v->app);
	v->status_shown = false;
}

void view_break(struct view *v)
{
	clear_status(v);
	if (v->mid_line)
		fputc('\n', v->app->err);
	v->mid_line = false;
}

static void show_status(struct view *v)
{
	const struct task_status *st = &v->status;
	char line[160], tokens[16], time[32], cost[32];

	if (!v->columns || v->app->quiet || v->mid_line)
		return;
	view_end_tokens(tokens, sizeof(tokens), st->tokens_in + st->tokens_out);
	text_ms(time, sizeof(time), st->elapsed_ms);
	snprintf(line, sizeof(line), "round %u of %u, %s tokens%s, %s", st->round,
		 st->max_rounds, tokens, view_end_cost(cost, sizeof(cost), st), time);
	line[MIN(sizeof(line) - 1, (size_t)v->columns - 1)] = '\0';
	fprintf(v->app->err, "\r\033[K%s%s%s",
		render_style_on(v->app->color_err, RENDER_DIM), line,
		render_style_off(v->app->color_err));
	fflush(v->app->err);
	v->status_shown = true;
}

static void say_always(struct view *v, enum render_style style, const char *line)
{
	view_break(v);
	fputs(render_style_on(v->app->color_err, style), v->app->err);
	render_lines(v->app->err, line);
	fprintf(v->app->err, "%s\n", render_style_off(v->app->color_err));
}

static void say(struct view *v, enum render_style style, const char *line)
{
	if (v->app->quiet)
		return;
	say_always(v, style, line);
}

static void on_start(void *ctx, const struct task_conf *conf, const struct model *m)
{
	struct view *v = ctx;
	char line[512];

	snprintf(line, sizeof(line), "cubby: %s%s%s in %s", model_provider_name(m),
		 *model_name(m) ? ":" : "", model_name(m),
		 conf->facts.image ? conf->facts.image : "the box");
	say(v, RENDER_DIM, line);
}

static void on_round(void *ctx, const struct task_status *st)
{
	struct view *v = ctx;

	v->status = *st;
	buf_truncate(&v->turn, 0);
	view_break(v);
	show_status(v);
}

static void on_words(void *ctx, const char *text, size_t len)
{
	struct view *v = ctx;
	size_t before = v->turn.len;

	if (view_words_add(&v->words, text, len, &v->turn) < 0 || v->app->quiet)
		return;
	if (v->turn.len == before)
		return;
	clear_status(v);
	fwrite(v->turn.data + before, 1, v->turn.len - before, v->app->err);
	fflush(v->app->err);
	v->mid_line = v->turn.data[v->turn.len - 1] != '\n';
}

static void on_turn(void *ctx, const struct task_status *st)
{
	struct view *v = ctx;

	v->status = *st;
	view_break(v);
}

static void on_discarded(void *ctx)
{
	struct view *v = ctx;

	if (v->turn.len)
		say(v, RENDER_YELLOW,
		    "(the answer was cut off: these words do not count)");
	buf_truncate(&v->turn, 0);
}

static void on_retry(void *ctx, const struct task_retry *r)
{
	struct view *v = ctx;
	char line[640], wait[32];

	text_ms(wait, sizeof(wait), r->wait_ms);
	if (r->compacted)
		snprintf(line, sizeof(line), "cubby: %s; the history was shortened",
			 r->why);
	else
		snprintf(line, sizeof(line), "cubby: %s; attempt %u of %u in %s",
			 r->why, r->attempt + 1, r->max_attempts, wait);
	say(v, RENDER_YELLOW, line);
}

/* The argument that says what a tool call is about. */
static const char *main_argument(const struct task_call *c)
{
	static const char *const names[] = { "command", "path",	  "text",
					     "keys",	"answer", "message" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *s = json_get_str(c->args, names[i]);

		if (s)
			return s;
	}
	return "";
}

int view_call_text(const struct task_call *c, struct buf *out)
{
	bool shell = strcmp(c->name, "shell") == 0;
	const char *text = main_argument(c);
	size_t len = strlen(text), lines = 0;

	if (shell)
		buf_adds(out, "$ ");
	else
		buf_addf(out, "%s ", c->name);
	len = MIN(len, (size_t)VIEW_CALL_MAX);
	for (size_t i = 0; i < len; i++)
		if (text[i] == '\n' && ++lines == VIEW_CALL_LINES)
			len = i;
	view_words_all(text, len, out);
	if (text[len])
		buf_adds(out, " …");
	return buf_failed(out);
}

static void show_call(struct view *v, const struct task_call *c)
{
	_cleanup_buf_ struct buf b = BUF_INIT((size_t)4 * VIEW_CALL_MAX);

	if (strcmp(c->name, "finish") != 0 && view_call_text(c, &b) == 0)
		say(v, RENDER_BOLD, buf_cstr(&b));
}

static void on_call(void *ctx, const struct task_call *c)
{
	struct view *v = ctx;

	v->lines = (struct view_lines){ .n = 0 };
	v->n_lines = 0;
	if (c->number != v->asked)
		show_call(v, c);
	show_status(v);
}

static void show_output_line(struct view *v, const char *line)
{
	char cut[1024];
	size_t n = view_words_cut(line, v->columns > 8 ? v->columns - 4 : 160);

	snprintf(cut, sizeof(cut), "  %.*s%s", (int)n, line, line[n] ? "…" : "");
	say(v, RENDER_DIM, cut);
}

static void on_line(void *ctx, const char *line)
{
	struct view *v = ctx;

	if (v->n_lines < VIEW_HEAD)
		show_output_line(v, line);
	else
		(void)text_copy(v->tail[v->n_lines % VIEW_TAIL], sizeof(v->tail[0]),
				line);
	v->n_lines++;
}

static void on_output(void *ctx, const void *data, size_t len)
{
	struct view *v = ctx;

	if (v->app->quiet)
		return;
	view_lines_add(&v->lines, data, len, on_line, v);
	show_status(v);
}

/* What came after the head: how much was left out, and the last lines. */
static void show_tail(struct view *v)
{
	unsigned long beyond = v->n_lines > VIEW_HEAD ? v->n_lines - VIEW_HEAD : 0;
	unsigned long shown = MIN(beyond, (unsigned long)VIEW_TAIL);
	char line[64];

	if (beyond > shown) {
		snprintf(line, sizeof(line), "  … %lu lines …", beyond - shown);
		say(v, RENDER_DIM, line);
	}
	for (unsigned long i = v->n_lines - shown; i < v->n_lines; i++)
		show_output_line(v, v->tail[i % VIEW_TAIL]);
}

static void result_text(const struct tool_result *r, char *line, size_t size)
{
	char time[32];

	text_ms(time, sizeof(time), r->time_ms);
	if (r->outcome == TOOL_ERROR)
		snprintf(line, size, "  failed, %s", time);
	else if (r->exit >= 0)
		snprintf(line, size, "  exit %d, %s", r->exit, time);
	else if (r->state[0])
		snprintf(line, size, "  %s, %s", r->state, time);
	else
		snprintf(line, size, "  done, %s", time);
}

static void on_result(void *ctx, const struct task_call *c, const struct tool_result *r)
{
	struct view *v = ctx;
	bool bad = r->outcome == TOOL_ERROR || r->exit > 0;
	char line[96];

	view_lines_end(&v->lines, on_line, v);
	if (strcmp(c->name, "finish") == 0)
		return;
	show_tail(v);
	result_text(r, line, sizeof(line));
	say(v, bad ? RENDER_RED : RENDER_GREEN, line);
}

static void on_notice(void *ctx, const char *text)
{
	struct view *v = ctx;
	char line[1024], safe[900];

	text_escaped(safe, sizeof(safe), text, strlen(text));
	snprintf(line, sizeof(line), "cubby: %s", safe);
	say(v, RENDER_YELLOW, line);
}

/* Whatever else is not said: nobody permits what was not seen. */
static bool show_whole(struct view *v, const struct task_call *c)
{
	_cleanup_buf_ struct buf b = BUF_INIT(VIEW_ASK_MAX);

	if (asktext_whole(c, &b) < 0)
		return false;
	say_always(v, RENDER_BOLD, buf_cstr(&b));
	return true;
}

static enum task_verdict on_ask(void *ctx, const struct task_call *c,
				struct task_answer *ret)
{
	struct view *v = ctx;

	if (!v->ask)
		return TASK_YES;
	if (v->ask->each && !show_whole(v, c)) {
		(void)buf_adds(&ret->words, "it is too long to be shown");
		return TASK_NO;
	}
	v->asked = v->ask->each ? c->number : 0;
	view_break(v);
	return ask_call(v->ask, c, ret);
}

static enum task_verdict on_interrupted(void *ctx, struct task_answer *ret)
{
	struct view *v = ctx;

	view_break(v);
	return v->ask ? ask_interrupted(v->ask, ret) : TASK_STOP;
}

static void on_end(void *ctx, const struct task_report *r)
{
	struct view *v = ctx;

	view_break(v);
	view_end_show(v->app, r, buf_cstr(&v->turn));
}

const struct task_events *view_events(void)
{
	static const struct task_events events = {
		.start = on_start,
		.round = on_round,
		.words = on_words,
		.turn = on_turn,
		.discarded = on_discarded,
		.retry = on_retry,
		.call = on_call,
		.output = on_output,
		.result = on_result,
		.notice = on_notice,
		.ask = on_ask,
		.interrupted = on_interrupted,
		.end = on_end,
	};

	return &events;
}
