#include "cli/task/view/view.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/opt/config.h"
#include "cli/show/cols.h"
#include "cli/show/render.h"
#include "cli/show/wrap.h"
#include "cli/task/view/ask.h"
#include "cli/task/view/asktext.h"
#include "cli/task/view/diffview.h"
#include "cli/task/view/end.h"
#include "cli/task/view/notify.h"
#include "cli/task/view/secret.h"
#include "cli/task/view/steer.h"

enum {
	VIEW_TURN_MAX = 16 << 20, /* bytes */
	VIEW_CALL_MAX = 4096,	  /* of a command that is shown */
	VIEW_CALL_LINES = 8,
	VIEW_ASK_MAX = 64 << 20,
	VIEW_WAS_MAX = 8 << 20,
	VIEW_ROWS_MAX = 4 << 20,
	VIEW_WHAT_MAX = 4096,
	VIEW_LONG_MS = 30000, /* a task that is told of at its end */
	VIEW_PAINT_MS = 50,   /* between two looks at output that only moves on */
};

void view_init(struct view *v, const struct app *app)
{
	*v = (struct view){ .app = app,
			    .turn = BUF_INIT(VIEW_TURN_MAX),
			    .said = BUF_INIT(VIEW_TURN_MAX),
			    .open = BUF_INIT(VIEW_ROWS_MAX),
			    .what = BUF_INIT(VIEW_WHAT_MAX),
			    .why = BUF_INIT(VIEW_WHAT_MAX) };
	footer_init(&v->footer, app->err,
		    app->live && !app->quiet ? STDERR_FILENO : -1);
	mdstream_init(&v->stream);
}

static bool on_terminal(const struct view *v)
{
	return v->footer.cols > 0;
}

static uint64_t now_ms(const struct view *v)
{
	return v->app->now_ms ? v->app->now_ms() : 0;
}

static struct view_look look_of(const struct view *v)
{
	return (struct view_look){ footer_width(&v->footer), v->footer.rows,
				   v->app->color_err };
}

static struct markdown_look words_look(const struct view *v)
{
	return (struct markdown_look){ footer_width(&v->footer), v->app->color_err };
}

/* ---- rows ----------------------------------------------------------------------------- */

static void add_status(struct view *v, struct buf *change)
{
	_cleanup_buf_ struct buf what = BUF_INIT((size_t)8 * VIEW_WHAT_MAX);
	const uint64_t now = now_ms(v);
	const unsigned cols = footer_width(&v->footer);
	struct view_now at = { .doing = v->doing,
			       .since_ms = now - v->since_ms,
			       .elapsed_ms = v->status.elapsed_ms + now - v->status_ms,
			       .frame = v->frame };

	text_seen(&what, buf_cstr(&v->what), v->what.len, false);
	at.what = buf_cstr(&what);
	/* the terminal shows a "^C" behind it, which must not go on in the next row */
	view_status_row(&v->status, &at, cols > 1 ? cols - 1 : cols, v->app->color_err,
			change);
}

/* What is typed while the task works: the end of it, in one row. */
static void add_typed(struct view *v, struct buf *change)
{
	_cleanup_buf_ struct buf safe = BUF_INIT(VIEW_ROWS_MAX);
	const size_t room = footer_width(&v->footer) - 2;
	const char *s;
	size_t len;

	if (!v->steer || footer_width(&v->footer) < 8)
		return;
	text_seen(&safe, buf_cstr(&v->steer->line), v->steer->line.len, false);
	s = buf_cstr(&safe);
	len = safe.len;
	while (cols_text(s, len) > room - 1) {
		const size_t n = MAX(cols_cut(s, len, 2), (size_t)1);

		s += n;
		len -= n;
	}
	buf_addf(change, "%s› %s%.*s\n",
		 render_style_on(v->app->color_err, RENDER_CYAN),
		 render_style_off(v->app->color_err), (int)len, s);
}

/* @stay: rows that stay above what changes; NULL = none. */
static void paint(struct view *v, const struct buf *stay)
{
	_cleanup_buf_ struct buf change = BUF_INIT(VIEW_ROWS_MAX);
	const struct view_look look = look_of(v);

	if (on_terminal(v) && !v->away) {
		buf_add(&change, buf_cstr(&v->open), v->open.len);
		if (v->doing == VIEW_RUNS)
			view_output_now(&v->output, &look, &change);
		add_status(v, &change);
		if (v->doing != VIEW_NOTHING)
			add_typed(v, &change);
	}
	footer_draw(&v->footer, stay, &change);
	v->painted_ms = now_ms(v);
}

static void repaint(struct view *v)
{
	if (on_terminal(v))
		paint(v, NULL);
}

void view_tick(void *ctx)
{
	struct view *v = ctx;

	v->frame++;
	if (footer_resized(&v->footer))
		view_resized(v);
	if (v->doing != VIEW_NOTHING)
		repaint(v);
}

void view_resized(void *ctx)
{
	struct view *v = ctx;
	struct markdown_look look;

	footer_resize(&v->footer);
	look = words_look(v);
	buf_truncate(&v->open, 0);
	if (v->doing == VIEW_SPEAKS)
		mdstream_open(&v->stream, &look, &v->open);
	repaint(v);
}

void view_moved(void *ctx, bool here)
{
	struct view *v = ctx;

	v->away = !here;
	footer_forget(&v->footer);
	if (here && v->steer)
		steer_again(v->steer);
	repaint(v);
}

static void doing(struct view *v, enum view_doing what)
{
	if (v->doing != what)
		v->since_ms = now_ms(v);
	v->doing = what;
}

/* The words that are open stay as they are. */
static void end_words(struct view *v)
{
	_cleanup_buf_ struct buf stay = BUF_INIT(VIEW_ROWS_MAX);
	const struct markdown_look look = words_look(v);

	if (on_terminal(v)) {
		mdstream_end(&v->stream, &look, &stay);
		buf_truncate(&v->open, 0);
		paint(v, &stay);
	} else if (v->mid_line) {
		fputc('\n', v->app->err);
	}
	v->mid_line = false;
}

/* Nothing changes any more, and the cursor is at the start of a line. */
static void stand_still(struct view *v)
{
	doing(v, VIEW_NOTHING);
	end_words(v);
	footer_clear(&v->footer);
}

void view_done(struct view *v)
{
	stand_still(v);
	footer_done(&v->footer);
	mdstream_done(&v->stream);
	view_output_done(&v->output);
	buf_done(&v->turn);
	buf_done(&v->said);
	buf_done(&v->open);
	buf_done(&v->what);
	buf_done(&v->why);
}

/* @style: of all of it; what does not fit into a row goes on below, further in. */
static void say_always(struct view *v, unsigned style, enum wrap_color color,
		       const char *line)
{
	_cleanup_buf_ struct buf text = BUF_INIT(VIEW_ASK_MAX),
				 stay = BUF_INIT(VIEW_ASK_MAX);
	const struct wrap w = { .rest = on_terminal(v) ? "  " : "",
				.cols = footer_width(&v->footer),
				.color = v->app->color_err };

	if (v->open.len || v->mid_line)
		end_words(v);
	wrap_mark(&text, style, color);
	buf_adds(&text, line);
	wrap_add(&stay, &w, buf_cstr(&text), text.len);
	paint(v, &stay);
}

static void say(struct view *v, unsigned style, enum wrap_color color, const char *line)
{
	if (!v->app->quiet)
		say_always(v, style, color, line);
}

bool view_keys(void *ctx)
{
	_cleanup_buf_ struct buf line = BUF_INIT((size_t)2 * STEER_LINE);
	struct view *v = ctx;
	const size_t before = v->steer->said.len;
	const int r = steer_read(v->steer);

	if (r > 0) {
		buf_adds(&line, "you, for its next turn: ");
		text_seen(&line, v->steer->said.data + before + (before > 0),
			  v->steer->said.len - before - (before > 0), false);
		say(v, 0, WRAP_CYAN, buf_cstr(&line));
	}
	repaint(v);
	return r >= 0;
}

static void on_said(void *ctx, struct buf *words)
{
	struct view *v = ctx;

	if (!v->steer || !v->steer->said.len)
		return;
	buf_addf(words, "%s%s", words->len ? "\n" : "", buf_cstr(&v->steer->said));
	buf_truncate(&v->steer->said, 0);
}

/* ---- the model ------------------------------------------------------------------------ */

static void on_start(void *ctx, const struct task_conf *conf, const struct model *m)
{
	_cleanup_buf_ struct buf line = BUF_INIT(4096);
	struct view *v = ctx;

	if (conf->same_machine) /* a conversation has begun with it */
		return;
	buf_adds(&line, "cubby: ");
	text_seen(&line, model_shown(m), strlen(model_shown(m)), false);
	buf_adds(&line, *model_name(m) ? ":" : "");
	text_seen(&line, model_name(m), strlen(model_name(m)), false);
	buf_addf(&line, " in %s", conf->facts.image ? conf->facts.image : "the box");
	say(v, WRAP_DIM, WRAP_PLAIN, buf_cstr(&line));
}

static void take_status(struct view *v, const struct task_status *st)
{
	v->status = *st;
	v->status_ms = now_ms(v);
}

static void on_round(void *ctx, const struct task_status *st)
{
	struct view *v = ctx;

	take_status(v, st);
	if (v->turn.len) {
		buf_truncate(&v->said, 0);
		buf_add(&v->said, v->turn.data, v->turn.len);
	}
	buf_truncate(&v->turn, 0);
	buf_truncate(&v->what, 0);
	buf_truncate(&v->why, 0);
	end_words(v);
	doing(v, VIEW_WAITS);
	repaint(v);
}

static void on_reasoning(void *ctx, const char *text, size_t len)
{
	struct view *v = ctx;

	if (!on_terminal(v) || v->doing == VIEW_SPEAKS)
		return;
	doing(v, VIEW_THINKS);
	/* The last sentence, or what has come of it. */
	for (size_t i = 0; i < len; i++) {
		const bool ends = v->what.len &&
				  strchr(".!?", v->what.data[v->what.len - 1]) &&
				  text[i] == ' ';

		if (text[i] == '\n' || ends || v->what.len > VIEW_WHAT_MAX / 2)
			buf_truncate(&v->what, 0);
		else if (text[i] != '*' && text[i] != '#' &&
			 (unsigned char)text[i] >= ' ')
			buf_addc(&v->what, text[i]);
	}
}

static void on_words(void *ctx, const char *text, size_t len)
{
	_cleanup_buf_ struct buf stay = BUF_INIT(VIEW_ROWS_MAX);
	struct view *v = ctx;
	const struct markdown_look look = words_look(v);

	buf_add(&v->turn, text, len);
	if (v->app->quiet)
		return;
	if (on_terminal(v)) {
		doing(v, VIEW_SPEAKS);
		buf_truncate(&v->open, 0);
		mdstream_add(&v->stream, text, len, &look, &stay, &v->open);
		paint(v, &stay);
	} else if (view_words_add(&v->words, text, len, &stay) == 0 && stay.len) {
		fwrite(stay.data, 1, stay.len, v->app->err);
		fflush(v->app->err);
		v->mid_line = stay.data[stay.len - 1] != '\n';
	}
}

static void on_turn(void *ctx, const struct task_status *st)
{
	struct view *v = ctx;

	take_status(v, st);
	stand_still(v);
}

static void on_discarded(void *ctx)
{
	struct view *v = ctx;

	if (v->turn.len)
		say(v, 0, WRAP_YELLOW,
		    "(the answer was cut off: these words do not count)");
	buf_truncate(&v->turn, 0);
}

/* What failed is said once, and what to do about it by the task's end (view_end_show()):
 * of the attempts that fail alike only which is next. */
static void on_retry(void *ctx, const struct task_retry *r)
{
	_cleanup_buf_ struct buf line = BUF_INIT(8192);
	const char *const remedy = strstr(r->why, "; ");
	const size_t len = remedy ? (size_t)(remedy - r->why) : strlen(r->why);
	struct view *v = ctx;

	doing(v, VIEW_NOTHING);
	if (strcmp(buf_cstr(&v->why), r->why) != 0) {
		buf_adds(&line, "cubby: ");
		text_seen(&line, r->why, len, false);
		if (r->compacted)
			buf_adds(&line, "; the history was shortened");
		say(v, 0, WRAP_YELLOW, buf_cstr(&line));
	}
	buf_truncate(&v->why, 0);
	buf_truncate(&line, 0);
	buf_adds(&v->why, r->why);
	if (r->compacted)
		return;
	buf_addf(&line, "cubby: attempt %u of %u in %s", r->attempt + 1,
		 r->max_attempts, text_ms(r->wait_ms));
	say(v, 0, WRAP_YELLOW, buf_cstr(&line));
}

static void on_notice(void *ctx, const char *text)
{
	char line[1024], safe[900];
	struct view *v = ctx;

	text_escaped(safe, sizeof(safe), text, strlen(text));
	snprintf(line, sizeof(line), "cubby: %s", safe);
	say(v, 0, WRAP_YELLOW, line);
}

/* ---- calls ---------------------------------------------------------------------------- */

/* The argument that says what a tool call is about. */
static const char *main_argument(const struct task_call *c)
{
	static const char *const names[] = { "command", "code",	  "path",
					     "text",	"answer", "message" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *s = json_get_str(c->args, names[i]);

		if (s)
			return s;
	}
	return "";
}

/* Of a command that is shown in part. */
static void add_rest(const char *rest, struct buf *out)
{
	size_t lines = 0;

	for (const char *nl = rest; (nl = strchr(nl, '\n')) && nl[1]; nl++)
		lines++;
	if (lines)
		buf_addf(out, "\n… %zu line%s, 'cubby log -l' shows %s …", lines,
			 lines == 1 ? "" : "s", lines == 1 ? "it" : "them");
	else if (*rest && *rest != '\n')
		buf_adds(out, " …, 'cubby log -l' shows all");
}

/* For what still runs: nothing is typed. */
static bool waits_on(const struct task_call *c, const char *text, const char *keys)
{
	return !*text && !(keys && *keys) && !json_get_bool(c->args, "reset", false) &&
	       (strcmp(c->name, "shell") == 0 || strcmp(c->name, "input") == 0);
}

int view_call_text(const struct task_call *c, bool secret, struct buf *out)
{
	const char *text = main_argument(c), *keys = json_get_str(c->args, "keys");
	size_t len = strlen(text), lines = 0;

	if (secret && strcmp(c->name, "input") == 0) {
		view_secret_input(c->args, out);
		return buf_failed(out);
	}
	if (waits_on(c, text, keys)) {
		buf_adds(out, "waits on");
	} else if (strcmp(c->name, "shell") == 0) {
		buf_adds(out, "$ ");
	} else { /* a model may name any */
		text_seen(out, c->name, strlen(c->name), false);
		buf_adds(out, *text ? " " : "");
	}
	len = MIN(len, (size_t)VIEW_CALL_MAX);
	for (size_t i = 0; i < len; i++)
		if (text[i] == '\n' && ++lines == VIEW_CALL_LINES)
			len = i;
	view_words_all(text, len, out);
	add_rest(text + len, out);
	if (keys && *keys) {
		buf_addc(out, ' ');
		text_seen(out, keys, strlen(keys), false);
	}
	return buf_failed(out);
}

static void on_call(void *ctx, const struct task_call *c)
{
	_cleanup_buf_ struct buf b = BUF_INIT((size_t)4 * VIEW_CALL_MAX);
	struct view *v = ctx;
	const char *nl;

	if (strcmp(c->name, "input") != 0) /* which goes on with a screen */
		view_output_begin(&v->output);
	buf_truncate(&v->what, 0);
	if (strcmp(c->name, "finish") == 0 || view_call_text(c, v->secret, &b) < 0)
		return;
	if (c->number != v->asked)
		say(v, WRAP_BOLD, WRAP_PLAIN, buf_cstr(&b));
	nl = strchrnul(buf_cstr(&b), '\n');
	buf_add(&v->what, buf_cstr(&b), (size_t)(nl - buf_cstr(&b)));
	doing(v, VIEW_RUNS);
	v->since_ms = now_ms(v);
	repaint(v);
}

static void on_output(void *ctx, const void *data, size_t len)
{
	_cleanup_buf_ struct buf stay = BUF_INIT(VIEW_ROWS_MAX);
	struct view *v = ctx;
	const struct view_look look = look_of(v);

	if (v->app->quiet)
		return;
	view_output_add(&v->output, data, len, &look, &stay);
	if (stay.len || now_ms(v) - v->painted_ms >= VIEW_PAINT_MS)
		paint(v, &stay);
}

/* Of a failure without an exit status: the first line that says why. */
static void add_reason(const struct tool_result *r, bool secret, struct buf *line)
{
	const char *text = secret ? VIEW_SECRET_WHY : buf_cstr(&r->text);

	if (r->outcome != TOOL_ERROR || !*text)
		return;
	buf_adds(line, ": ");
	text_seen(line, text, strcspn(text, "\n"), false);
}

static void add_outcome(const struct tool_result *r, struct buf *line)
{
	const char *time = text_ms(r->time_ms);

	if (r->outcome == TOOL_ERROR)
		buf_addf(line, "  failed, %s", time);
	else if (r->exit >= 0)
		buf_addf(line, "  exit %d, %s", r->exit, time);
	else if (r->state[0])
		buf_addf(line, "  %s, %s",
			 strcmp(r->state, "shell_died") == 0 ? "the shell died"
							     : r->state,
			 time);
	else
		buf_addf(line, "  done, %s", time);
}

/* A change of a file, as rows; what was shown to be asked for is not shown again. */
static void add_change(struct view *v, const struct task_call *c,
		       const struct tool_result *r, struct buf *line, struct buf *stay)
{
	_cleanup_buf_ struct buf own = BUF_INIT(VIEW_ASK_MAX);
	const struct wrap w = { .cols = footer_width(&v->footer),
				.color = v->app->color_err };
	struct diffview d;

	if (r->outcome != TOOL_OK ||
	    (strcmp(c->name, "edit_file") != 0 && strcmp(c->name, "write_file") != 0))
		return;
	d = diffview_text(diffview_whole(c->args, buf_cstr(&r->text), &own), &w,
			  c->number == v->asked ? 0 : VIEW_DIFF, stay);
	if (d.rows > VIEW_DIFF && c->number != v->asked)
		buf_addf(stay, "  … %zu lines, 'cubby log -l' shows them …\n",
			 d.rows - VIEW_DIFF);
	/* what a file held that is written whole is not known here */
	if (strcmp(c->name, "write_file") == 0)
		buf_addf(line, ", %zu line%s", d.added, d.added == 1 ? "" : "s");
	else if (d.added + d.removed)
		buf_addf(line, ", +%zu -%zu", d.added, d.removed);
}

static void on_result(void *ctx, const struct task_call *c, const struct tool_result *r)
{
	_cleanup_buf_ struct buf stay = BUF_INIT(VIEW_ASK_MAX),
				 line = BUF_INIT(64 << 10);
	struct view *v = ctx;
	const struct view_look look = look_of(v);
	const bool bad = r->outcome == TOOL_ERROR || r->exit > 0;
	const bool secret = v->secret && strcmp(c->name, "input") == 0;
	const struct view_ended ended = {
		.open = r->outcome == TOOL_OPEN,
		.cut = r->log_path && strcmp(c->name, "python") != 0,
	};

	view_output_end(&v->output, &look, &ended, &stay);
	v->secret =
		view_secret_wanted(v->secret, c->name, r->state, buf_cstr(&r->text));
	doing(v, VIEW_NOTHING);
	if (strcmp(c->name, "finish") == 0 || v->app->quiet)
		return;
	add_outcome(r, &line);
	add_change(v, c, r, &line, &stay);
	add_reason(r, secret, &line);
	if (stay.len)
		paint(v, &stay);
	say(v, 0, bad ? WRAP_RED : WRAP_GREEN, buf_cstr(&line));
}

/* ---- the person ----------------------------------------------------------------------- */

/* Whatever else is not said: nobody permits what was not seen. */
static bool show_whole(struct view *v, const struct task_call *c)
{
	_cleanup_buf_ struct buf b = BUF_INIT(VIEW_ASK_MAX),
				 was = BUF_INIT(VIEW_WAS_MAX);
	const bool there = v->ask->tools && strcmp(c->name, "write_file") == 0 &&
			   tool_file_text(v->ask->tools, c->args, &was);

	if (asktext_whole(c, there ? &was : NULL, &b) < 0)
		return false;
	say_always(v, WRAP_BOLD, WRAP_PLAIN, buf_cstr(&b));
	return true;
}

/* A question is answered by lines that are seen. */
static void keys_for_questions(struct view *v, bool on)
{
	if (v->steer && on)
		steer_end(v->steer);
	else if (v->steer)
		(void)steer_begin(v->steer, ERR_IGNORED);
}

static enum task_verdict on_ask(void *ctx, const struct task_call *c,
				struct task_answer *ret)
{
	enum task_verdict verdict;
	struct view *v = ctx;

	if (!v->ask)
		return TASK_YES;
	stand_still(v);
	if (v->ask->each && !show_whole(v, c)) {
		(void)buf_adds(&ret->words, "it is too long to be shown");
		return TASK_NO;
	}
	v->asked = v->ask->each ? c->number : 0;
	keys_for_questions(v, true);
	verdict = ask_call(v->ask, c, ret);
	keys_for_questions(v, false);
	return verdict;
}

static enum task_verdict on_interrupted(void *ctx, struct task_answer *ret)
{
	enum task_verdict verdict = TASK_STOP;
	struct view *v = ctx;

	stand_still(v);
	keys_for_questions(v, true);
	if (v->ask)
		verdict = ask_interrupted(v->ask, ret);
	keys_for_questions(v, false);
	return verdict;
}

/* Whoever waited so long looks elsewhere. */
static void ring(const struct view *v, const struct task_report *r)
{
	_cleanup_buf_ struct buf text = BUF_INIT(VIEW_CALL_MAX);
	char words[80];

	snprintf(words, sizeof(words), "the task has ended: %s", task_end_name(r->end));
	if (notify_text(getenv("TERM"), getenv("VTE_VERSION"), words, &text) < 0)
		return;
	fputs(buf_cstr(&text), v->app->err);
	fflush(v->app->err);
}

static void on_end(void *ctx, const struct task_report *r)
{
	struct view *v = ctx;
	/* who ends in the midst has no answer but words of a turn before, which stand there */
	const bool midst = r->end != TASK_DONE && !v->turn.len;

	stand_still(v);
	view_end_show(v->app, r, buf_cstr(midst ? &v->said : &v->turn));
	if (on_terminal(v) && r->status.elapsed_ms >= VIEW_LONG_MS &&
	    config_on(v->app->config, CONFIG_NOTIFY))
		ring(v, r);
}

const struct task_events *view_events(void)
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
		.said = on_said,
		.ask = on_ask,
		.interrupted = on_interrupted,
		.end = on_end,
	};

	return &events;
}
