/* Theory of operation
 *
 * The interpreter is a process of the box like that of exec; its program comes from here
 * (agent/python). A script, or what standard input holds, is one cell. At a terminal cells
 * are typed; a cell that asks reads a line of our standard input. When the last cell has
 * ended, the interpreter ends by itself, and what it still prints then is shown. What a
 * context has defined is asked of it (--vars) and no cell: nothing of a cell's is run. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/python/context.h"
#include "agent/python/frame.h"
#include "agent/python/python.h"
#include "agent/python/show.h"
#include "base/file.h"
#include "base/pieces.h"
#include "base/signals.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "cli/box/acting.h"
#include "cli/box/imagerun.h"
#include "cli/box/setup.h"
#include "cli/opt/box.h"
#include "cli/opt/cmd.h"
#include "cli/show/render.h"
#include "cli/show/table.h"
#include "cli/show/termfilter.h"
#include "cli/show/tty.h"
#include "cli/store/hostpath.h"

enum { LINE_MAX_BYTES = 1 << 20 };

struct args {
	struct opt_box box;
	const char *code;    /* of -c; NULL = none */
	const char *context; /* NULL = none */
	bool restart;
	bool vars;	/* what the context has defined, not a cell */
	bool typed;	/* at a terminal */
	char **command; /* borrowed from argv: FILE and its arguments; NULL = none */
};

/* What is shown, and how it ended. */
struct view {
	const struct app *app; /* borrowed */
	bool tty[3];
	struct termfilter screens[3]; /* of our streams that are terminals */
	struct pieces pieces[3];      /* --json: half a character */
	bool mid_line;		      /* standard output does not end a line */
	struct buf prompt;	      /* owned: of the question that is open */
	bool secret;		      /* its answer is not to be seen */
	bool incomplete, exits;	      /* how the last cell ended */
	bool gone;		      /* nobody reads our output any more */
	bool over;		      /* the interpreter has ended */
	bool died;		      /* before its cell had */
	int status;		      /* of this command, so far */
	struct table *vars;	      /* owned: of --vars; NULL = cells are run */
	int64_t more;		      /* variables that are not in it */
};

struct reader {
	struct buf in; /* owned: behind the line that was handed out */
	bool eof;
};

/* ---- what is shown ------------------------------------------------------------------- */

static void show_json(struct view *v, const char *event, struct json *members)
{
	_cleanup_json_ struct json *j = members;

	json_set_str(j, "event", event);
	(void)render_json(v->app, j);
	fflush(v->app->out);
}

static void write_to(struct view *v, int fd, const char *data, size_t len)
{
	_cleanup_buf_ struct buf clean = BUF_INIT(4 * len + 64 * ESCAPE_MAX);

	if (fd == STDOUT_FILENO && len)
		v->mid_line = data[len - 1] != '\n';
	if (v->tty[fd]) {
		(void)termfilter_feed(&v->screens[fd], data, len, &clean);
		(void)file_write_fd(fd, buf_cstr(&clean), clean.len, ERR_IGNORED);
	} else if (file_write_fd(fd, data, len, ERR_IGNORED) == -EPIPE) {
		v->gone = true;
	}
}

static void on_stream(void *ctx, int fd, const char *data, size_t len)
{
	static const char *const names[] = { "", "stdout", "stderr" };
	_cleanup_buf_ struct buf text = BUF_INIT(4 * len + 16);
	struct json *j = NULL;
	struct view *v = ctx;

	if (!v->app->json) {
		write_to(v, fd, data, len);
		return;
	}
	(void)pieces_add(&v->pieces[fd], data, len, &text);
	if (!text.len)
		return;
	j = json_object();
	json_set_str(j, "name", names[fd]);
	json_set(j, "text", json_stringn(text.data, text.len));
	show_json(v, "stream", j);
}

static void show_value_json(struct view *v, const struct python_message *m)
{
	struct json *j = json_object();

	if (m->kind == PYTHON_RESULT)
		json_set_int(j, "count", m->count);
	if (m->display_id)
		json_set_str(j, "display_id", m->display_id);
	if (m->update)
		json_set_bool(j, "update", true);
	json_set(j, "data", json_dup(m->data));
	json_set(j, "files", json_dup(m->files));
	json_set(j, "metadata", json_dup(m->metadata));
	show_json(v, m->kind == PYTHON_RESULT ? "result" : "display", j);
}

static void show_text(struct view *v, const struct python_message *m, int fd)
{
	_cleanup_buf_ struct buf text = BUF_INIT(PYTHON_FRAME_MAX);

	if (python_show(m, &text) < 0 || !text.len || v->gone)
		return;
	if (v->mid_line)
		write_to(v, STDOUT_FILENO, "\n", 1);
	write_to(v, fd, text.data, text.len);
}

/* As Python ends: a number is the status, a text is said. */
static int exit_status(struct view *v, const char *value)
{
	char *end;
	long n = strtol(value, &end, 10);

	if (*value && !*end)
		return (int)(n & 0xff);
	write_to(v, STDERR_FILENO, value, strlen(value));
	write_to(v, STDERR_FILENO, "\n", 1);
	return 1;
}

static void show_done(struct view *v, const struct python_message *m)
{
	static const int statuses[] = { [PYTHON_OK] = 0,
					[PYTHON_ERROR] = 1,
					[PYTHON_INTERRUPTED] = CMD_INTERRUPTED,
					[PYTHON_INCOMPLETE] = 0 };
	static const char *const words[] = { "ok", "error", "interrupted",
					     "incomplete" };
	bool exits = m->status == PYTHON_ERROR && strcmp(m->ename, "SystemExit") == 0;
	struct json *j;

	v->status = statuses[m->status];
	v->incomplete = m->status == PYTHON_INCOMPLETE;
	v->exits = exits;
	if (!v->app->json) {
		if (exits)
			v->status = exit_status(v, m->evalue);
		else
			show_text(v, m, STDERR_FILENO);
		return;
	}
	j = json_object();
	json_set_str(j, "status", words[m->status]);
	json_set_int(j, "count", m->count);
	json_set(j, "ms", json_number(m->ms));
	if (m->tb) {
		json_set_str(j, "ename", m->ename);
		json_set_str(j, "evalue", m->evalue);
		json_set(j, "traceback", json_dup(m->tb));
	}
	show_json(v, "done", j);
}

static const struct table_column columns[] = {
	{ "NAME", "name", TABLE_TEXT },
	{ "TYPE", "type", TABLE_TEXT },
	{ "SIZE", "size", TABLE_TEXT },
	{ "VALUE", "repr", TABLE_TEXT },
};

static void add_vars(struct view *v, const struct python_message *m)
{
	json_each(it, m->vars)
		table_add(v->vars, (struct table_cell[ARRAY_SIZE(columns)]){
					   { .text = json_get_str(it, "name") },
					   { .text = json_get_str(it, "type") },
					   { .text = json_get_str(it, "size") },
					   { .text = json_get_str(it, "repr") } });
	v->more = m->more;
}

static void on_message(void *ctx, const struct python_message *m)
{
	struct view *v = ctx;

	if (v->vars) {
		if (m->kind == PYTHON_VARS)
			add_vars(v, m);
		else if (m->kind == PYTHON_DONE && m->status == PYTHON_INTERRUPTED)
			v->status = CMD_INTERRUPTED;
	} else if (m->kind == PYTHON_ASK) {
		buf_truncate(&v->prompt, 0);
		(void)buf_adds(&v->prompt, m->prompt);
		v->secret = m->password;
	} else if (m->kind == PYTHON_DONE) {
		show_done(v, m);
	} else if (m->kind == PYTHON_DISPLAY || m->kind == PYTHON_RESULT) {
		if (v->app->json)
			show_value_json(v, m);
		else
			show_text(v, m, STDOUT_FILENO);
	}
}

static void tell_death(const struct view *v, const struct python_death *d,
		       struct err *e)
{
	if (d->exit.oom)
		err_set(e, -ENOMEM,
			"Python was killed: the box is out of memory; --memory raises "
			"the limit");
	else if (d->killed)
		err_set(e, -EINTR, "Python was killed: an interrupt had no effect");
	else if (d->why)
		err_set(e, -EPROTO, "Python was killed: %s", d->why);
	else if (d->exit.status < 0)
		err_set(e, -ECONNRESET, "Python has ended with its box");
	else if (d->exit.signal)
		err_set(e, -ECHILD, "Python died: signal %s",
			sigabbrev_np(d->exit.signal) ?: "?");
	else
		err_set(e, -ECHILD, "Python ended within the cell: exit %d",
			d->exit.status);
	(void)cmd_fail(v->app, e, v->status);
}

static void on_death(void *ctx, const struct python_death *d)
{
	struct view *v = ctx;

	v->over = true;
	if (!d->in_cell)
		return;
	v->died = true;
	v->status = d->exit.status < 0 ? CMD_CUBBY : d->exit.status;
	tell_death(v, d, ERR_IGNORED);
}

static const struct python_events events = { on_stream, on_message, on_death };

static void view_init_streams(struct view *v)
{
	for (int fd = 1; fd < 3; fd++) {
		v->tty[fd] = !v->app->json && tty_is(fd);
		termfilter_init(&v->screens[fd], false);
	}
}

static void view_end_streams(struct view *v)
{
	for (int fd = 1; fd < 3; fd++) {
		_cleanup_buf_ struct buf b = BUF_INIT(1 << 16);

		if (v->tty[fd] && termfilter_end(&v->screens[fd], &b) == 0)
			(void)file_write_fd(fd, buf_cstr(&b), b.len, ERR_IGNORED);
	}
	buf_done(&v->prompt);
}

/* ---- lines of ours --------------------------------------------------------------------- */

/* 1 = a line, without its end; 0 = there are no more; -EINTR = a signal came first. */
static int read_line(struct reader *r, int signals, struct buf *ret)
{
	struct pollfd at[] = { { STDIN_FILENO, POLLIN, 0 }, { signals, POLLIN, 0 } };
	char piece[4096];
	const char *nl;
	ssize_t n;

	while (!(nl = r->in.len ? memchr(r->in.data, '\n', r->in.len) : NULL) &&
	       !r->eof) {
		if (sys_poll(at, ARRAY_SIZE(at), -1) < 0)
			continue;
		if (at[1].revents)
			return -EINTR;
		n = sys_read(STDIN_FILENO, piece, sizeof(piece));
		if (n <= 0 || buf_add(&r->in, piece, (size_t)n) < 0)
			r->eof = true;
	}
	n = nl ? nl - r->in.data : (ssize_t)r->in.len;
	if (!nl && !n)
		return 0;
	(void)buf_add(ret, buf_cstr(&r->in), (size_t)n);
	buf_consume(&r->in, (size_t)n + (nl != NULL));
	return 1;
}

/* A line that is not to be seen while it is typed. */
static int read_secret(struct reader *r, int signals, struct buf *ret)
{
	struct termios old, quiet;
	int got;

	if (sys_tcgetattr(STDIN_FILENO, &old) < 0)
		return read_line(r, signals, ret);
	quiet = old;
	quiet.c_lflag &= ~(tcflag_t)ECHO;
	(void)sys_tcsetattr(STDIN_FILENO, TCSADRAIN, &quiet);
	got = read_line(r, signals, ret);
	(void)sys_tcsetattr(STDIN_FILENO, TCSADRAIN, &old);
	return got;
}

static void show_prompt(struct view *v)
{
	struct json *j;

	if (!v->app->json) {
		write_to(v, STDOUT_FILENO, buf_cstr(&v->prompt), v->prompt.len);
		return;
	}
	j = json_object();
	json_set_str(j, "prompt", buf_cstr(&v->prompt));
	json_set_bool(j, "password", v->secret);
	show_json(v, "ask", j);
}

/* ---- cells ------------------------------------------------------------------------------- */

struct run {
	struct python *python; /* owned */
	struct view view;
	struct reader reader;
	int signals; /* owned */
	int ended;   /* a signal that ends this command; 0 = none */
};

/* What came while a cell ran has interrupted it; this says whether it ends us, too. */
static void take_signals(struct run *run)
{
	struct signalfd_siginfo si;

	while (sys_read(run->signals, &si, sizeof(si)) == (ssize_t)sizeof(si))
		if (si.ssi_signo == SIGTERM || si.ssi_signo == SIGHUP)
			run->ended = (int)si.ssi_signo;
}

static int answer(struct run *run, struct err *e)
{
	_cleanup_buf_ struct buf line = BUF_INIT(LINE_MAX_BYTES);
	int got;

	show_prompt(&run->view);
	got = (run->view.secret ? read_secret : read_line)(&run->reader, run->signals,
							   &line);
	if (got == -EINTR) {
		python_interrupt(run->python);
		return 0;
	}
	run->view.mid_line = run->view.tty[STDOUT_FILENO] && run->view.secret;
	return python_input(run->python, got ? buf_cstr(&line) : NULL, e);
}

/* What runs, to its end. */
static int follow(struct run *run, struct err *e)
{
	struct python_wait w = { .interrupt_fd = run->signals };
	int r = 0;

	while (r >= 0) {
		r = python_wait(run->python, &w, e);
		if (r < 0 || python_state(run->python) != PYTHON_ASKING)
			break;
		take_signals(run);
		r = answer(run, e);
	}
	take_signals(run);
	return r;
}

/* One cell, to its end. Of failures: that it could not be run. */
static int run_cell(struct run *run, const struct python_cell *cell, struct err *e)
{
	int r = python_run(run->python, cell, e);

	return r < 0 ? r : follow(run, e);
}

static int list_vars(struct run *run, struct err *e)
{
	static const struct python_look look = { .what = PYTHON_VARS };
	struct view *v = &run->view;
	int r = -ENOMEM;

	v->vars = table_new(columns, ARRAY_SIZE(columns));
	r = v->vars ? python_look(run->python, &look, e)
		    : err_sys(e, r, "cannot list the variables");
	r = r < 0 ? r : follow(run, e);
	if (r < 0 || v->died || v->status)
		return r;
	r = table_show(v->vars, v->app, 0, "nothing is defined", "list the variables",
		       e);
	if (r == 0 && v->more)
		render_note(v->app, "%" PRId64 " more are not listed", v->more);
	return r;
}

/* It may have threads that go on, and things to do at its exit. */
static void finish(struct run *run)
{
	struct pollfd at[] = { { python_fd(run->python), POLLIN, 0 },
			       { run->signals, POLLIN, 0 } };

	if (!run->ended && python_state(run->python) == PYTHON_IDLE)
		python_finish(run->python);
	while (!run->ended && python_state(run->python) == PYTHON_IDLE) {
		if (sys_poll(at, ARRAY_SIZE(at), -1) < 0)
			continue;
		if (at[1].revents)
			break;
		python_pump(run->python);
	}
	take_signals(run);
}

/* ---- the command ------------------------------------------------------------------------- */

static int read_code(const struct args *a, struct buf *ret, struct err *e)
{
	const char *path = a->command ? a->command[0] : "-";
	int r;

	if (a->code)
		return buf_adds(ret, a->code);
	r = strcmp(path, "-") == 0 ? file_read_fd(STDIN_FILENO, ret, e)
				   : hostpath_read(path, ret, e);
	if (r == -EMSGSIZE)
		return err_set(e, r, "'%s' is longer than %d bytes", path,
			       PYTHON_CODE_MAX);
	if (r < 0)
		return r;
	if (ret->len && memchr(ret->data, '\0', ret->len))
		return err_set(e, -EINVAL, "'%s' is no text: it has a NUL", path);
	return 0;
}

static int open_signals(struct run *run, struct err *e)
{
	static const int ours[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE, 0 };
	int fd = signals_watch(ours, NULL);

	if (fd < 0)
		return err_sys(e, fd, "cannot watch signals");
	run->signals = fd;
	return 0;
}

/* Cells that are typed, until the end of input or an exit. */
static int prompt(struct run *run, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(PYTHON_CODE_MAX);
	struct view *v = &run->view;
	int r = 0;

	render_note(v->app, "Python in the box; ^D ends it");
	while (r >= 0 && !run->ended && !v->exits && !v->died) {
		struct python_cell cell = { .partial = true };
		int got;

		write_to(v, STDOUT_FILENO, v->incomplete ? "... " : ">>> ", 4);
		v->mid_line = false;
		if (v->incomplete)
			buf_addc(&text, '\n');
		got = read_line(&run->reader, run->signals, &text);
		if (got == 0)
			break;
		take_signals(run);
		if (got == -EINTR) {
			write_to(v, STDOUT_FILENO, "\nKeyboardInterrupt\n", 19);
			buf_truncate(&text, 0);
			v->incomplete = false;
			continue;
		}
		cell.code = buf_cstr(&text);
		r = run_cell(run, &cell, e);
		if (v->mid_line)
			write_to(v, STDOUT_FILENO, "\n", 1);
		if (!v->incomplete)
			buf_truncate(&text, 0);
	}
	if (!v->exits && !v->died) {
		write_to(v, STDOUT_FILENO, "\n", 1);
		v->status = 0;
	}
	return r;
}

static int run_in(struct run *run, const struct args *a, const char *code,
		  const struct python_conf *conf, struct err *e)
{
	static const char *const none[] = { NULL };
	struct python_cell cell = { .code = code };
	int r = open_signals(run, e) ?: python_new(conf, &run->python, e);

	if (a->command && strcmp(a->command[0], "-") != 0)
		cell.name = a->command[0];
	cell.argv = a->command ? (const char *const *)a->command : none;
	if (r == 0)
		r = a->vars    ? list_vars(run, e)
		    : a->typed ? prompt(run, e)
			       : run_cell(run, &cell, e);
	if (r >= 0 && !a->context)
		finish(run);
	return r;
}

static int run_status(const struct run *run)
{
	if (run->view.gone && !run->ended)
		return 128 + SIGPIPE;
	return run->ended ? 128 + run->ended : run->view.status;
}

static int in_box(struct app *app, const struct args *a, const char *code,
		  struct box *box, const char *image_dir, struct err *e)
{
	_cleanup_imagerun_ struct imagerun image = IMAGERUN_NONE;
	struct run run = { .view = { .app = app, .prompt = BUF_INIT(1 << 16) },
			   .reader = { .in = BUF_INIT(LINE_MAX_BYTES) },
			   .signals = -1 };
	struct python_conf conf = { .port = python_box_port(box),
				    .events = &events,
				    .ctx = &run.view,
				    .user = config_text(app->config, CONFIG_USER),
				    .files = !app->json };
	int r = imagerun_env(app, image_dir, &image, e);

	conf.env = (const char *const *)image.env.v;
	conf.context = a->context;
	view_init_streams(&run.view);
	if (r == 0)
		r = (a->restart ? python_context_stop(&conf, e) : 0) ?:
			(a->context ? python_context_serve(&conf, e) : 0) ?:
			run_in(&run, a, code, &conf, e);
	python_free(&run.python);
	table_free(&run.view.vars);
	view_end_streams(&run.view);
	buf_done(&run.reader.in);
	scope_close(&run.signals);
	if (r == -ENOENT)
		return cmd_fail(app, e, CMD_NOT_FOUND);
	return r < 0 ? cmd_fail(app, e, CMD_CUBBY) : run_status(&run);
}

static int run_python(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;
	_cleanup_acting_ struct acting acting = ACTING_NONE;
	_cleanup_buf_ struct buf code = BUF_INIT(PYTHON_CODE_MAX);
	_cleanup_boxsetup_ struct boxsetup s = BOXSETUP(app);
	int status, r;

	r = a->typed || a->vars ? 0 : read_code(a, &code, e);
	if (r < 0)
		return r;
	r = boxsetup_prepare(&a->box, &s, e);
	if (r < 0)
		return r;
	acting_begin(app, s.dir.dirfd, s.spec.project, &acting);
	r = boxsetup_start(&s, NULL, e);
	if (r < 0)
		return r;
	status = in_box(app, a, buf_cstr(&code), s.box, s.spec.image, e);
	acting_tell(app, &acting, acting_runs_on(&acting, s.box));
	r = boxsetup_finish(&s, e);
	return r < 0 ? cmd_fail(app, e, status ?: CMD_CUBBY) : status;
}

static int check_context(struct app *, void *, const char *name, struct err *e)
{
	if (!text_is_word(name, PYTHON_CONTEXT_NAME))
		return err_set(e, -EINVAL,
			       "bad name '%s'; up to %d letters, digits, - and _", name,
			       PYTHON_CONTEXT_NAME - 1);
	return 0;
}

static int check(struct app *, void *args, struct err *e)
{
	struct args *a = args;

	if (a->restart && !a->context)
		return err_set(e, -EINVAL, "--restart needs a --context");
	if (a->vars && !a->context)
		return err_set(e, -EINVAL, "--vars needs a --context");
	if (a->vars && (a->code || a->command))
		return err_set(e, -EINVAL, "--vars runs no code");
	if (a->context && a->box.rm)
		return err_set(e, -EINVAL, "--context and --rm exclude each other");
	a->typed = !a->code && !a->command && tty_is(STDIN_FILENO);
	return 0;
}

static const struct cmd_option options[] = {
	{ "command", 'c', "CODE", "run CODE, not a file", CMD_TEXT(struct args, code) },
	{ "context", 0, "NAME",
	  "in a Python that stays in the box: what one command defines the next one "
	  "has; it keeps the box running",
	  CMD_TEXT_IF(struct args, context, check_context) },
	{ "restart", 0, NULL, "end the Python of the context first",
	  CMD_FLAG(struct args, restart) },
	{ "vars", 0, NULL, "list what is defined in the context; no code is run for it",
	  CMD_FLAG(struct args, vars) },
	{ 0 },
};

const struct cmd cmd_python = {
	.name = "python",
	.group = CMD_INSIDE,
	.summary = "run Python in the box, as a notebook does",
	.words = "[FILE [ARG...]]",
	.doc = "Run Python in the box of this directory as a cell of a notebook: the "
	       "value of a last expression is shown, figures become files of the box, "
	       "`await` and `!command` work. FILE is one of this machine; without it, "
	       "or with -, the code is standard input; a terminal gets a prompt. The "
	       "exit status is 0, 1 for an exception, or that of sys.exit(); 127 "
	       "where the box has no python3.",
	.options = options,
	.tables = { OPT_BOX(struct args, box) },
	.operands = { CMD_REST(struct args, command) },
	.size = sizeof(struct args),
	.tail = true,
	.config = true,
	.usage = CMD_CUBBY,
	.failed = CMD_CUBBY,
	.check = check,
	.work = run_python,
};
