/* The tool python: interpreters that stay, by name, and `input` to a cell that asks. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "agent/python/frame.h"
#include "agent/python/python.h"
#include "agent/python/show.h"
#include "agent/terminal/clip.h"
#include "agent/terminal/output.h"
#include "agent/terminal/spill.h"
#include "agent/tool/impl.h"
#include "base/text.h"
#include "runtime/box/box.h"

enum { LOGS_KEPT = 20 };

#define PREFIX "python:" /* of a context's name, where a session's is asked for */

/* All that is printed and shown goes one way: drawn to plain text, secrets to stars, then
 * into what is kept for the result, or for the next one. */
struct tool_python {
	char name[TOOL_SESSION_NAME];
	struct toolbox *t; /* borrowed */
	struct python *python;
	struct output output;
	struct redact redact;
	struct clip now, earlier; /* of this cell; of what was left behind by others */
	struct spill spill;	  /* all that is in now */
	unsigned serial;
	char picture[128]; /* file of the last one of this cell; "" = none */
	bool mid_line;	   /* what is in now does not end a line */
	struct tool_python_end {
		bool done, died, lost;
		enum python_status status;
		int64_t count;
		struct python_death death;
	} end; /* how the last wait ended; lost: and what was defined, since then */
};

/* ---- what comes ---------------------------------------------------------------------- */

static bool in_cell(const struct tool_python *c)
{
	return python_state(c->python) >= PYTHON_RUNNING || c->end.done || c->end.died;
}

static void on_plain(void *ctx, const char *text, size_t len)
{
	struct tool_python *c = ctx;
	bool mine = in_cell(c);

	c->mid_line = len > 0 && text[len - 1] != '\n';
	clip_add(mine ? &c->now : &c->earlier, text, len);
	if (mine)
		spill_add(&c->spill, text, len);
	if (mine && c->t->conf.output && !c->t->aside)
		c->t->conf.output(c->t->conf.ctx, text, len);
}

static void on_drawn(void *ctx, const char *text, size_t len)
{
	struct tool_python *c = ctx;

	redact_feed(&c->redact, text, len);
}

static void on_stream(void *ctx, int, const char *data, size_t len)
{
	struct tool_python *c = ctx;

	output_feed(&c->output, data, len);
}

/* What a value or an exception amounts to, on lines of its own. */
static void add_shown(struct tool_python *c, const struct python_message *m)
{
	_cleanup_buf_ struct buf text = BUF_INIT(PYTHON_FRAME_MAX);

	if (python_show(m, &text) < 0 || !text.len)
		return;
	output_end(&c->output);
	redact_flush(&c->redact);
	if (c->mid_line)
		output_feed(&c->output, "\n", 1);
	output_feed(&c->output, text.data, text.len);
}

static void note_picture(struct tool_python *c, const struct python_message *m)
{
	json_each(f, m->files)
	{
		const char *path = json_get_str(f, "path");

		if (text_starts(json_key(f), "image/") &&
		    strlen(path) < sizeof(c->picture))
			text_copy(c->picture, sizeof(c->picture), path);
	}
}

static void on_message(void *ctx, const struct python_message *m)
{
	struct tool_python *c = ctx;

	if (m->kind == PYTHON_DONE) {
		c->end.done = true;
		c->end.status = m->status;
		c->end.count = m->count;
	}
	if (m->kind == PYTHON_ASK)
		output_feed(&c->output, m->prompt, strlen(m->prompt));
	else
		add_shown(c, m);
	note_picture(c, m);
}

static void on_death(void *ctx, const struct python_death *d)
{
	struct tool_python *c = ctx;

	c->end.lost = true;
	c->end.died = d->in_cell;
	c->end.death = *d;
}

static const struct python_events events = { on_stream, on_message, on_death };

/* ---- contexts ------------------------------------------------------------------------ */

static void context_free(struct tool_python **cp)
{
	struct tool_python *c = take(cp, NULL);

	if (!c)
		return;
	python_free(&c->python);
	redact_done(&c->redact);
	clip_done(&c->now);
	clip_done(&c->earlier);
	spill_done(&c->spill);
	free(c);
}
#define _cleanup_context_ _cleanup_(context_free)

static int context_new(struct toolbox *t, const char *name, struct tool_python **ret,
		       struct err *e)
{
	_cleanup_context_ struct tool_python *c = calloc(1, sizeof(*c));
	struct python_conf conf = { .port = python_box_port(t->conf.box),
				    .events = &events,
				    .ctx = c,
				    .cwd = t->conf.cwd ?: t->conf.project,
				    .user = t->conf.user,
				    .env = t->conf.env,
				    .files = true,
				    .merge = true };
	int r;

	if (!c)
		return err_sys(e, -ENOMEM, "cannot make an interpreter");
	c->t = t;
	text_copy(c->name, sizeof(c->name), name);
	output_init(&c->output, on_drawn, NULL, c);
	redact_init(&c->redact, on_plain, c);
	clip_init(&c->now, SESSION_KEEP);
	clip_init(&c->earlier, SESSION_KEEP / 4);
	spill_init(&c->spill);
	r = redact_add_all(&c->redact, t->conf.secrets);
	if (r < 0)
		return err_sys(e, r, "cannot hide the secrets");
	r = python_new(&conf, &c->python, e);
	if (r < 0)
		return r;
	*ret = take(&c, NULL);
	return 0;
}

static struct tool_python *find(struct toolbox *t, const char *name)
{
	for (size_t i = 0; i < TOOL_SESSIONS; i++)
		if (t->pythons[i] && strcmp(t->pythons[i]->name, name) == 0)
			return t->pythons[i];
	return NULL;
}

/* Without a failure and without @ret the result says why not. */
static int open_context(struct toolbox *t, const char *name, struct tool_result *res,
			struct tool_python **ret, struct err *e)
{
	int r;

	*ret = find(t, name);
	if (*ret)
		return 0;
	if (!text_is_word(name, TOOL_SESSION_NAME))
		return tool_result_fail(
			res,
			"not run: a context's name has up to %d letters, "
			"digits, - and _",
			TOOL_SESSION_NAME - 1);
	for (size_t i = 0; i < TOOL_SESSIONS; i++) {
		if (t->pythons[i])
			continue;
		r = context_new(t, name, &t->pythons[i], e);
		if (r < 0)
			return r;
		*ret = t->pythons[i];
		t->interpreters[i] = t->pythons[i]->python;
		return 0;
	}
	return tool_result_fail(res,
				"not run: there are %d contexts already; use one of "
				"them",
				TOOL_SESSIONS);
}

void tool_python_done(struct toolbox *t)
{
	for (size_t i = 0; i < TOOL_SESSIONS; i++) {
		t->interpreters[i] = NULL;
		context_free(&t->pythons[i]);
	}
}

/* ---- the result ---------------------------------------------------------------------- */

static void save_log(struct tool_python *c, struct tool_result *ret)
{
	struct files f = { .box = c->t->conf.box, .user = c->t->conf.user, .cwd = "/" };
	char path[128];

	snprintf(path, sizeof(path), "/tmp/cubby-output/python-%.40s-%u.txt", c->name,
		 c->serial++ % LOGS_KEPT);
	if (files_put_spill(&f, path, &c->spill, ERR_IGNORED) == 0)
		ret->log_path = strdup(path);
}

static void add_death(const struct tool_python_end *end, struct buf *out)
{
	const struct python_death *d = &end->death;

	buf_adds(out, "[Python ");
	if (d->exit.oom)
		buf_adds(out, "was killed for the box's memory limit");
	else if (d->killed)
		buf_adds(out, "was killed: an interrupt had no effect");
	else if (d->why)
		buf_addf(out, "was killed: %s", d->why);
	else if (d->exit.status < 0)
		buf_adds(out, "has ended with its box");
	else if (d->exit.signal)
		buf_addf(out, "died: signal %s",
			 sigabbrev_np(d->exit.signal) ?: "of its own");
	else
		buf_addf(out, "ended: exit %d", d->exit.status);
	buf_adds(out,
		 "; what was defined in it is lost, the next call starts another]");
}

static void add_trailer(struct tool_python *c, uint64_t late_ms, struct buf *out)
{
	static const char *const words[] = { [PYTHON_OK] = "ok",
					     [PYTHON_ERROR] = "error",
					     [PYTHON_INTERRUPTED] = "interrupted",
					     [PYTHON_INCOMPLETE] = "incomplete" };

	if (c->end.died)
		add_death(&c->end, out);
	else if (python_state(c->python) == PYTHON_ASKING)
		buf_addf(out,
			 "[waiting for a line]\n[answer with input, session " PREFIX
			 "%s; C-c interrupts]",
			 c->name);
	else
		buf_addf(out, "[cell %lld: %s]", (long long)c->end.count,
			 words[c->end.status]);
	if (late_ms)
		buf_addf(out, "\n[interrupted at its limit of %gs]",
			 (double)late_ms / 1000);
}

static int fill(struct tool_python *c, uint64_t late_ms, struct tool_result *ret)
{
	struct buf *out = &ret->text;
	bool cut = clip_cut(&c->now), asks = python_state(c->python) == PYTHON_ASKING;

	if (c->earlier.total) {
		buf_adds(out, "[printed since the last result:]\n");
		buf_fail(out, clip_take(&c->earlier, out));
		if (out->len && out->data[out->len - 1] != '\n')
			buf_addc(out, '\n');
		buf_adds(out, "[output of this cell:]\n");
	}
	buf_fail(out, clip_take(&c->now, out));
	if (out->len && out->data[out->len - 1] != '\n')
		buf_addc(out, '\n');
	add_trailer(c, late_ms, out);
	if (c->end.died && c->end.death.exit.oom)
		c->t->kills = tool_shell_kills(c->t); /* told here, and not again */
	if (cut)
		save_log(c, ret);
	if (ret->log_path)
		buf_addf(out, "\n[the whole output is in %s]", ret->log_path);
	if (!asks)
		spill_done(&c->spill);
	ret->outcome = asks || c->end.died ? TOOL_OPEN : TOOL_OK;
	text_copy(ret->state, sizeof(ret->state), asks ? "waiting" : "exited");
	if (!asks)
		ret->exit = c->end.died || c->end.status != PYTHON_OK;
	return buf_failed(out);
}

static uint64_t limit_ms(const struct toolbox *t, const struct json *args)
{
	double s = tool_args_number(args, "timeout", 0);
	uint64_t left = t->conf.left_ms ? t->conf.left_ms(t->conf.ctx) : UINT64_MAX;
	uint64_t ms = t->conf.command_timeout_ms ?: (uint64_t)SESSION_HARD_MS;

	if (s > 0)
		ms = s < 86400 ? (uint64_t)(s * 1000) : 86400000;
	return MAX(MIN(ms, left), (uint64_t)1);
}

/* Waits for the end of a cell, or its question, and tells. */
static int wait_and_tell(struct tool_python *c, const struct json *args,
			 struct tool_result *ret, struct err *e)
{
	struct toolbox *t = c->t;
	struct python_wait w = { .timeout_ms = limit_ms(t, args),
				 .interrupt_fd = t->conf.interrupt_fd,
				 .asides = { t->conf.aside, tool_watch_aside(t) } };
	int late = python_wait(c->python, &w, e);

	if (late < 0)
		return tool_result_failed(late, ret, e);
	output_end(&c->output);
	redact_flush(&c->redact);
	if (fill(c, late ? w.timeout_ms : 0, ret) < 0)
		return err_sys(e, -ENOMEM, "cannot keep the result");
	if (c->picture[0] && tool_view_attach(t, c->picture, ret) < 0)
		return err_sys(e, -ENOMEM, "cannot keep the picture");
	c->picture[0] = '\0';
	c->end.done = c->end.died = c->mid_line = false;
	return 0;
}

/* ---- the tools ----------------------------------------------------------------------- */

static size_t place_of(const struct toolbox *t, const struct tool_python *c)
{
	size_t i = 0;

	while (t->pythons[i] != c)
		i++;
	return TOOL_SESSIONS + i;
}

static int start_cell(struct tool_python *c, const char *code, struct tool_result *ret,
		      struct err *e)
{
	struct python_cell cell = { .code = code };
	bool lost = c->end.lost && python_state(c->python) == PYTHON_NONE;
	int r = python_run(c->python, &cell, e);

	if (r == -EBUSY)
		return tool_result_fail(
			ret,
			"not run: an earlier cell waits for a line; answer "
			"it with input, session " PREFIX
			"%s, interrupt it with the key C-c, or restart",
			c->name);
	if (r < 0)
		return tool_result_failed(r, ret, e);
	if (lost)
		buf_adds(&ret->text,
			 "[a new Python was started: nothing is defined in it]\n");
	c->end.lost = false;
	return 1;
}

int tool_python_run(struct toolbox *t, const struct json *args, struct tool_result *ret,
		    struct err *e)
{
	const char *name = json_get_str(args, "context");
	const char *code = json_get_str(args, "code");
	struct tool_python *c;
	int r = open_context(t, name && *name ? name : "default", ret, &c, e);

	if (r < 0 || !c)
		return r;
	if (tool_args_flag(args, "restart", false)) {
		python_restart(c->python);
		c->end = (struct tool_python_end){ .lost = true };
		clip_reset(&c->now);
		spill_done(&c->spill);
		if (!*code)
			return buf_adds(&ret->text, "[Python has ended; the next call "
						    "starts another]");
	}
	tool_watch_enter(t, place_of(t, c));
	r = start_cell(c, code, ret, e);
	return r <= 0 ? r : wait_and_tell(c, args, ret, e);
}

bool tool_python_is_meant(const struct json *args)
{
	const char *session = json_get_str(args, "session");

	return session && text_starts(session, PREFIX);
}

int tool_python_input(struct toolbox *t, const struct json *args,
		      struct tool_result *ret, struct err *e)
{
	const char *session = json_get_str(args, "session");
	struct tool_python *c = find(t, session + strlen(PREFIX));
	const char *text = json_get_str(args, "text"),
		   *keys = json_get_str(args, "keys");
	bool has_text = text && *text, has_keys = keys && *keys;
	int r = 0;

	if (!c || python_state(c->python) != PYTHON_ASKING)
		return tool_result_fail(ret, "not sent: no cell waits in '%.64s'",
					session);
	tool_watch_enter(t, place_of(t, c));
	if (has_text || (has_keys && strcmp(keys, "Enter") == 0))
		r = python_input(c->python, has_text ? text : "", e);
	else if (has_keys && strcmp(keys, "C-d") == 0)
		r = python_input(c->python, NULL, e);
	else if (has_keys && strcmp(keys, "C-c") == 0)
		python_interrupt(c->python);
	else if (has_keys)
		return tool_result_fail(ret,
					"not sent: a cell of Python takes a text, or "
					"the keys Enter, C-d or C-c");
	return r < 0 ? tool_result_failed(r, ret, e) : wait_and_tell(c, args, ret, e);
}
