/* Theory of operation
 *
 * A session is one interactive shell on a pty. Command text never passes through the
 * terminal: the shell reads it from a pipe of its own and evaluates it, in a loop that
 * this side types at its prompt once. The shell prints private marks on the terminal:
 * C when a text begins, D with status and directory when it has ended, P when it finds
 * itself at its own prompt (a signal or an error threw it out of the loop), whereupon
 * the loop is typed again. So the end of a command is a mark or the shell's death.
 *
 *	STARTING --P--> LAUNCHING --D--> READY --run--> SENT --C--> IN_COMMAND
 *	                    ^              ^ \___________________________/ | D
 *	                    |______________|_______________________________| P
 *
 * The prompt's hook blocks on the pipe until the nonce comes, so that nothing types
 * ahead of it: unread input is thrown away first and can never run as a command.
 *
 * bytes:  master -> marker -> screen
 *                          -> redact -> conf.output
 *                                    -> output -> redact -> fold -> clip (head, tail)
 *                                                        -> spill (all of it) */
#include "agent/session/session.h"

#include <errno.h>
#include <string.h>

#include "agent/session/impl.h"
#include "agent/session/split.h"
#include "agent/terminal/keys.h"
#include "agent/terminal/screen.h"
#include "base/sys/sys.h"

enum { EARLIER_KEEP = 8000, TO_TTY_MAX = 4 << 20 };
enum { ASIDE_MAX = 4096 };

bool session_waitable(const struct session *s)
{
	return s->open;
}

const char *session_name(const struct session *s)
{
	return s->name;
}

const char *session_cwd(const struct session *s)
{
	return s->cwd ? s->cwd : s->cwd0;
}

const char *session_user(const struct session *s)
{
	return s->user;
}

int session_fd(const struct session *s)
{
	return s->proc.master;
}

void session_pump(struct session *s)
{
	session_io_pump(s);
}

bool session_ended(const struct session *s)
{
	struct pollfd p = { .fd = s->proc.master, .events = POLLIN };

	return sys_poll(&p, 1, 0) > 0 && !(p.revents & POLLIN);
}

/* ---- opening ---------------------------------------------------------------------- */

static char *copy(const char *s, bool *failed)
{
	char *p = s ? strdup(s) : NULL;

	*failed |= s && !p;
	return p;
}

/* Where echo is on while the loop is typed, its echo is taken out of the stream. */
static int add_loop(struct session *s)
{
	_cleanup_buf_ struct buf echo = BUF_INIT(REDACT_LEN);
	size_t len = strlen(s->shell->loop) - 1; /* without its newline */
	int r;

	if (!s->shell->keeps_modes)
		return 0;
	r = buf_add(&echo, s->shell->loop, len);
	if (r < 0)
		return r;
	r = buf_adds(&echo, "\r\n");
	return r < 0 ? r : redact_add(&s->raw, buf_cstr(&echo), "");
}

static int add_secrets(struct session *s, const char *const *secrets)
{
	/* the first word is the nonce: start_once() writes each shell's over it */
	static const char blank[] = "................................";
	int r = redact_add(&s->raw, blank, "****");

	if (r < 0)
		return r;
	r = redact_add(&s->text, blank, "****");
	if (r < 0)
		return r;
	r = add_loop(s);
	if (r < 0)
		return r;
	r = redact_add_all(&s->raw, secrets);
	return r < 0 ? r : redact_add_all(&s->text, secrets);
}

static void init(struct session *s, const struct session_conf *conf)
{
	s->conf = *conf;
	s->proc.master = s->channel = -1;
	s->conf.rows = conf->rows ? conf->rows : SESSION_ROWS;
	s->conf.cols = conf->cols ? conf->cols : SESSION_COLS;
	s->conf.keep = conf->keep ? conf->keep : SESSION_KEEP;
	buf_init(&s->to_tty, TO_TTY_MAX);
	buf_init(&s->to_channel, 5 * SESSION_TEXT_MAX);
	buf_init(&s->rest, SESSION_TEXT_MAX);
	buf_init(&s->aside, ASIDE_MAX);
	redact_init(&s->raw, NULL, s);
	redact_init(&s->text, NULL, s);
	clip_init(&s->now, s->conf.keep);
	clip_init(&s->earlier, EARLIER_KEEP);
	spill_init(&s->spill);
}

static int fill(struct session *s, const struct session_conf *conf, struct err *e)
{
	bool failed = false;
	int r;

	s->name = copy(conf->name, &failed);
	s->path = copy(conf->shell ? conf->shell : "bash", &failed);
	s->cwd0 = copy(conf->cwd, &failed);
	s->user = copy(conf->user, &failed);
	if (failed)
		return err_sys(e, -ENOMEM, "cannot make the session");
	s->shell = shell_find(s->path);
	if (!s->shell)
		return err_set(e, -EINVAL,
			       "'%s' is no shell that can be driven; use bash, zsh, "
			       "dash or sh",
			       s->path);
	r = add_secrets(s, conf->secrets);
	if (r < 0)
		return err_sys(e, r, "cannot hide the secrets");
	return screen_new(s->conf.rows, s->conf.cols, &s->screen, e);
}

void session_close(struct session **sp)
{
	struct session *s = *sp;

	if (!s)
		return;
	session_life_stop(s);
	screen_free(&s->screen);
	redact_done(&s->raw);
	redact_done(&s->text);
	clip_done(&s->now);
	fold_done(&s->fold);
	clip_done(&s->earlier);
	spill_done(&s->spill);
	buf_done(&s->to_tty);
	buf_done(&s->to_channel);
	buf_done(&s->rest);
	buf_done(&s->aside);
	free(s->name);
	free(s->path);
	free(s->cwd0);
	free(s->user);
	free(s->cwd);
	free(s->note);
	free(s);
	*sp = NULL;
}

int session_open(const struct session_conf *conf, struct session **ret, struct err *e)
{
	_cleanup_session_ struct session *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return err_sys(e, -ENOMEM, "cannot make the session");
	init(s, conf);
	r = fill(s, conf, e);
	if (r < 0)
		return r;
	r = session_life_start(s, s->cwd0, e);
	if (r < 0)
		return r;
	*ret = take(&s, NULL);
	return 0;
}

int session_reset(struct session *s, struct err *e)
{
	session_life_stop(s);
	spill_done(&s->spill);
	clip_reset(&s->now);
	clip_reset(&s->earlier);
	free(take(&s->cwd, NULL));
	return session_life_start(s, s->cwd0, e);
}

/* ---- commands --------------------------------------------------------------------- */

bool session_gone(struct session *s)
{
	return session_life_died(s) && s->death.gone && !s->told_gone;
}

/* What it had started may go on, and is named. */
static int replace_ended(struct session *s, struct err *e)
{
	struct session_origin old = s->origin;
	bool told = s->told_gone;
	int status = s->death.status, r = session_life_replace(s, e);
	_cleanup_free_ char *left = r < 0 ? NULL : session_jobnews_left(s, &old);

	if (r < 0 || told)
		return r;
	session_note(s,
		     "the shell had ended (status %d); this is a new one, "
		     "variables and functions are lost%s%s",
		     status, left ? "; what it left still runs: " : "",
		     left ? left : "");
	return 0;
}

/* A command that ended, or a shell that died, since the last call: told first. 1 = the box
 * has ended, too. */
static int settle(struct session *s, struct err *e)
{
	char line[96];

	session_io_pump(s);
	if (s->open && session_wait_ended(s)) {
		_cleanup_buf_ struct buf b = BUF_INIT(s->conf.keep * 2);

		if (clip_take(&s->now, &b) == 0)
			clip_add(&s->earlier, b.data, b.len);
		snprintf(line, sizeof(line), "[the earlier command ended: exit %d]\n",
			 s->status);
		clip_add(&s->earlier, line, strlen(line));
		s->open = s->done = false;
	}
	if (session_gone(s))
		return 1;
	if (s->proc.master < 0) /* it could not be replaced: it may be now */
		return session_life_replace(s, e);
	if (s->open || (!session_life_died(s) && !s->broken))
		return 0;
	return replace_ended(s, e);
}

static int check_text(const struct session *s, const char *text, size_t len,
		      struct err *e)
{
	if (len > SESSION_TEXT_MAX)
		return err_set(e, -EMSGSIZE,
			       "not executed: the command has %zu bytes, the limit is "
			       "%d; write it to a file with write_file and run that",
			       len, SESSION_TEXT_MAX);
	if (memchr(text, '\0', len))
		return err_set(e, -EINVAL,
			       "not executed: the command holds a NUL byte");
	if (s->conf.on_error == SESSION_REJECT && split_count(text, len) > 1)
		return err_set(e, -EINVAL,
			       "not executed: the text holds several commands; give "
			       "them one at a time, or join them with && or ;");
	return 0;
}

static bool is_blank(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!strchr(" \t\r\n", text[i]))
			return false;
	return true;
}

int session_run(struct session *s, const char *text, size_t len,
		const struct session_limits *lim, struct session_result *ret,
		struct err *e)
{
	int r = check_text(s, text, len, e);

	if (r < 0)
		return r;
	r = settle(s, e);
	if (r < 0)
		return r;
	if (r) {
		ret->state = SESSION_DIED;
		ret->unrun = true;
		return session_result_fill(s, ret, e);
	}
	if (s->open)
		return err_set(e, -EBUSY,
			       s->done ? "not executed: the box is being stopped; wait "
					 "for its end with input"
				       : "not executed: the earlier command is still "
					 "running; answer it or wait on with input, "
					 "interrupt it with the key C-c, or reset");
	if (is_blank(text,
		     len)) { /* as at a prompt: $? is what it was; eval makes it 0 */
		session_io_batch(s);
		clip_reset(&s->now);
		ret->state = SESSION_EXITED;
		return session_result_fill(s, ret, e);
	}
	buf_truncate(&s->rest, 0);
	r = buf_add(&s->rest, text, len) ?: session_io_next(s);
	if (r < 0)
		return err_sys(e, r, "not executed");
	spill_done(&s->spill);
	clip_reset(&s->now);
	s->serial++;
	s->open = true;
	s->began_ms = sys_now_ms();
	s->waits_ms = 0;
	s->input_ms = 0;
	return session_wait(s, lim, ret, e);
}

static bool reads_lines(const struct session *s)
{
	struct termios t;

	return sys_tcgetattr(s->proc.master, &t) == 0 && (t.c_lflag & ICANON);
}

/* In canonical mode the kernel silently cuts what is longer. */
static bool has_long_line(const char *data, size_t len)
{
	size_t run = 0;

	for (size_t i = 0; i < len; i++) {
		run = data[i] == '\n' || data[i] == '\r' ? 0 : run + 1;
		if (run > SESSION_LINE_MAX)
			return true;
	}
	return false;
}

/* C-c, C-z and C-\ in the modes that mean signals. */
static bool has_signal_key(const char *data, size_t len)
{
	return memchr(data, 3, len) || memchr(data, 032, len) || memchr(data, 034, len);
}

static int send_input(struct session *s, const char *data, size_t len, struct err *e)
{
	int r;

	if (reads_lines(s) && has_long_line(data, len))
		return err_set(e, -EMSGSIZE,
			       "not sent: a terminal line is limited to %d bytes; send "
			       "shorter lines, or write a file and redirect it",
			       SESSION_LINE_MAX);
	if (waiting_look(s->proc.master, &s->before_input) < 0)
		s->before_input = (struct waiting_sample){ .reason = WAITING_NOT };
	if (has_signal_key(data, len))
		session_wait_taker(s);
	if (s->done)
		return 0;
	r = buf_add(&s->to_tty, data, len);
	if (r < 0)
		return err_sys(e, r, "not sent: %zu bytes at once", len);
	session_io_write(s);
	s->typed = true;
	s->input_ms = sys_now_ms();
	return 0;
}

int session_input(struct session *s, const char *data, size_t len,
		  const struct session_limits *lim, struct session_result *ret,
		  struct err *e)
{
	int r = 0;

	/* a key that is to end a flood of output does not wait for it to be looked at */
	if (!has_signal_key(data, len))
		session_io_pump(s);
	if (!s->open && session_gone(s)) {
		ret->state = SESSION_DIED;
		ret->unrun = len > 0;
		return session_result_fill(s, ret, e);
	}
	if (!s->open)
		return err_set(e, -ENOMSG,
			       len ? "not sent: no command is running"
				   : "no command is running: nothing to wait for");
	if (len && !s->done)
		r = send_input(s, data, len, e);
	return r < 0 ? r : session_wait(s, lim, ret, e);
}

int session_add_keys(struct session *s, const char *names, struct buf *out,
		     struct err *e)
{
	_cleanup_buf_ struct buf cursor = BUF_INIT(out->max);
	const size_t before = out->len;
	int r = keys_add(names, false, out, e) ?: keys_add(names, true, &cursor, e);

	if (r < 0 || (cursor.len == out->len - before &&
		      memcmp(cursor.data, out->data + before, cursor.len) == 0))
		return r;
	/* the mode of the cursor keys is somewhere in what was printed */
	session_io_pump(s);
	if (!screen_application_keys(s->screen))
		return 0;
	buf_truncate(out, before);
	r = buf_add(out, cursor.data, cursor.len);
	return r < 0 ? err_sys(e, r, "cannot take these keys") : 0;
}

int session_redact(const struct session *s, const struct buf *in, struct buf *out)
{
	return redact_text(&s->text, in, out);
}

int session_screen(struct session *s, struct buf *out, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(out->max), rows = BUF_INIT(out->max);
	int r;

	session_io_pump(s);
	r = screen_text(s->screen, &text)
		    ?: redact_rows(&s->text, &text, SCREEN_WRAP, &rows);
	screen_fold(&rows);
	r = r ?: buf_add(out, rows.data, rows.len);
	return r < 0 ? err_sys(e, r, "cannot show the screen") : 0;
}
