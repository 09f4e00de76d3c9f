/* A session's shell: how it starts, how its death is noticed, how it is ended. */
#include <errno.h>
#include <string.h>

#include "agent/session/impl.h"
#include "base/file.h"
#include "base/log.h"
#include "base/nonce.h"
#include "base/sys/sys.h"
#include "base/text.h"

enum { END_MS = 10000, END_LOOK_MS = 50 };
enum { RC_MS = 5000, START_MS = 10000, ARGS_MAX = 8, ENV_MAX = 128 };

static int make_text(const struct session *s, bool rc, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(SHELL_INTEGRATION_MAX);
	_cleanup_close_ int fd = sys_memfd("cubby-shell", 0);
	int r;

	if (fd < 0)
		return err_sys(e, fd, "cannot make a memory file");
	r = shell_integration(s->shell, s->nonce, rc, &text);
	if (r < 0)
		return err_sys(e, r, "cannot write the shell's integration");
	r = file_write_fd(fd, text.data, text.len, e);
	if (r < 0)
		return r;
	return take(&fd, -1);
}

/* Variables that every program in the session sees; the caller's come after. Git, which asks
 * for a message that it has (a rebase that goes on, a merge, --amend), takes it as it is. */
static const char *const base_env[] = {
	"EDITOR=true",	"PAGER=cat",	     "GIT_PAGER=cat",
	"MANPAGER=cat", "SYSTEMD_PAGER=cat",
};

static void fill_env(const struct session *s, const char **env)
{
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(base_env); i++)
		env[n++] = base_env[i];
	for (size_t i = 0; s->shell->env && s->shell->env[i]; i++)
		env[n++] = s->shell->env[i];
	for (size_t i = 0; s->conf.env && s->conf.env[i] && n < ENV_MAX; i++)
		env[n++] = s->conf.env[i];
	/* what the screen understands, whatever terminal the caller has */
	env[n++] = "TERM=xterm-256color";
	env[n] = NULL;
}

static int spawn(struct session *s, const char *cwd, bool rc, struct err *e)
{
	const char *argv[ARGS_MAX] = { s->path }, *env[ENV_MAX + 2];
	_cleanup_close_ int text = make_text(s, rc, e);
	int ends[2] = { -1, -1 }, extra[2], r;
	_cleanup_close_ int reader = -1, writer = -1;
	struct session_spawn c = { .argv = argv,
				   .env = env,
				   .cwd = cwd,
				   .user = s->user,
				   .rows = s->conf.rows,
				   .cols = s->conf.cols,
				   .extra_fds = extra,
				   .n_extra_fds = 2 };

	if (text < 0)
		return text;
	for (size_t i = 0; s->shell->args[i]; i++)
		argv[i + 1] = s->shell->args[i];
	fill_env(s, env);
	r = sys_socketpair(SOCK_STREAM, ends);
	if (r < 0)
		return err_sys(e, r, "cannot make a channel");
	reader = extra[0] = ends[0];
	writer = ends[1];
	/* Descriptors that a program sent here would be closed by us, when they like. */
	r = sys_shutdown(writer, SHUT_RD);
	if (r < 0)
		return err_sys(e, r, "cannot make a channel");
	extra[1] = text;
	r = s->conf.port->spawn(s->conf.port->ctx, &c, &s->proc, e);
	if (r < 0)
		return err_wrap(e, "cannot start the shell '%s'", s->path);
	sys_setfl(s->proc.master, O_RDWR | O_NONBLOCK);
	s->channel = take(&writer, -1);
	return 0;
}

/* Everything that belongs to one shell and not to the session. */
static void forget(struct session *s)
{
	scope_close_set(&s->proc.master, 1);
	scope_close_set(&s->channel, 1);
	s->to_tty.len = s->to_channel.len = s->rest.len = 0;
	s->phase = SESSION_STARTING;
	s->launches = 0;
	s->broken = s->is_dead = s->at_prompt = s->typed = s->blind = false;
	s->open = s->done = s->told_gone = false;
	s->status = 0;
}

/* Ended means gone: what comes next must not meet it, nor lack the places that it had under
 * the process limit. The port gives its processes a second to say farewell. */
static void await_end(struct session *s)
{
	const struct session_port *port = s->conf.port;
	uint64_t until = sys_now_ms() + END_MS;
	struct session_death gone;

	while (sys_now_ms() < until &&
	       port->died(port->ctx, s->proc.id, &gone, ERR_IGNORED) == 0) {
		struct pollfd p = { port->fd(port->ctx), POLLIN, 0 };

		sys_poll(&p, 1, END_LOOK_MS);
		session_io_step(s); /* a full terminal would hold it up */
	}
}

void session_life_stop(struct session *s)
{
	if (s->proc.master >= 0 &&
	    s->conf.port->end(s->conf.port->ctx, s->proc.id, ERR_IGNORED) == 0 &&
	    !s->is_dead)
		await_end(s);
	forget(s);
}

bool session_life_died(struct session *s)
{
	struct session_death death;
	int r;

	if (s->proc.master < 0 || (s->is_dead && s->death.gone))
		return s->is_dead;
	r = s->conf.port->died(s->conf.port->ctx, s->proc.id, &death, ERR_IGNORED);
	if (s->is_dead) { /* it may have been the first of its box to end */
		s->death.gone = r < 0;
		return true;
	}
	if (r == 0)
		return false;
	if (r < 0) /* the box is gone, and the shell with it */
		death = (struct session_death){ .status = 137,
						.signal = SIGKILL,
						.gone = true };
	s->death = death;
	while (session_io_step(s))
		;
	s->is_dead = true;
	return true;
}

static int wait_ready(struct session *s, uint64_t ms, struct err *e)
{
	uint64_t until = sys_now_ms() + ms;
	_cleanup_buf_ struct buf said = BUF_INIT(s->conf.keep * 2);
	char shown[200];

	while (s->phase != SESSION_READY && !s->broken) {
		uint64_t now = sys_now_ms();

		if (now >= until || session_life_died(s))
			break;
		session_io_poll(s, (int)MIN(until - now, (uint64_t)100));
		session_io_step(s);
	}
	if (s->phase == SESSION_READY)
		return 0;
	if (s->is_dead && s->death.gone)
		return err_set(e, -ECONNRESET,
			       "the box has ended while the shell '%s' started",
			       s->path);
	session_io_end_text(s);
	clip_peek(&s->earlier, &said);
	text_escaped(shown, sizeof(shown), buf_cstr(&said), said.len);
	if (s->is_dead)
		return err_set(e, -ECHILD, "the shell '%s' ended with status %d%s%s",
			       s->path, s->death.status, *shown ? ": " : "", shown);
	return err_set(e, -ETIMEDOUT, "the shell '%s' did not become ready in %d s%s%s",
		       s->path, (int)(ms / 1000), *shown ? "; it printed: " : "",
		       shown);
}

static int start_once(struct session *s, const char *cwd, bool rc, struct err *e)
{
	int r = nonce_make(s->nonce, sizeof(s->nonce), e);

	if (r < 0)
		return r;
	memcpy(s->raw.words[0].text, s->nonce, MARKER_NONCE);
	memcpy(s->text.words[0].text, s->nonce, MARKER_NONCE);
	session_io_init(s);
	r = spawn(s, cwd, rc, e);
	if (r < 0)
		return r;
	s->last_output_ms = sys_now_ms();
	/* with echo on, for zsh keeps the modes that it finds at its start; what starting
	 * prints is not shown */
	if (s->shell->first)
		buf_adds(&s->to_tty, s->shell->first);
	r = wait_ready(s, rc ? RC_MS : START_MS, e);
	if (r < 0) {
		session_life_stop(s);
		return r;
	}
	session_jobnews_origin(s);
	/* what starting printed (a message of the day) belongs to no command */
	clip_reset(&s->earlier);
	return 0;
}

/* Where the box ends meanwhile, another is no worse: nothing has been asked of it. */
static int start_again(struct session *s, const char *cwd, bool rc, struct err *e)
{
	int r = start_once(s, cwd, rc, e);

	return r == -ECONNRESET ? start_once(s, cwd, rc, e) : r;
}

static int start(struct session *s, const char *cwd, struct err *e)
{
	int r;

	if (!s->conf.no_rc) {
		struct err why = ERR_NONE;

		r = start_again(s, cwd, true, &why);
		if (r != -ECHILD && r != -ETIMEDOUT) {
			if (r < 0)
				*e = why;
			return r;
		}
		log_debug("session: shell started again without rc files");
		session_note(s, "the shell was started without its rc files: %s",
			     why.msg);
	}
	return start_again(s, cwd, false, e);
}

/* Small images have no bash, but they have sh. -ENOENT is also a directory that is gone:
 * then the next start is with bash again. */
static int start_sh(struct session *s, const char *cwd, struct err *e)
{
	const struct shell *shell = s->shell;
	_cleanup_free_ char *path = s->path;
	int r;

	s->path = strdup("sh");
	s->shell = shell_find("sh");
	r = s->path ? start(s, cwd, e) : err_sys(e, -ENOMEM, "cannot start sh");
	if (r < 0) {
		free(s->path);
		s->path = take(&path, NULL);
		s->shell = shell;
		return r;
	}
	session_note(s, "there is no bash in this image: the shell is sh");
	return 0;
}

int session_life_start(struct session *s, const char *cwd, struct err *e)
{
	struct err why = ERR_NONE;
	int r = start(s, cwd, e);

	if (r == -ENOENT && !s->conf.shell && start_sh(s, cwd, &why) == 0)
		return 0;
	return r;
}

int session_life_replace(struct session *s, struct err *e)
{
	_cleanup_free_ char *cwd = s->cwd ? strdup(s->cwd) : NULL;
	int r;

	session_life_stop(s);
	if (cwd) {
		struct err why = ERR_NONE;

		r = session_life_start(s, cwd, &why);
		if (r == 0 ||
		    (r != -ENOENT && r != -EINVAL && r != -EACCES && r != -ENOTDIR)) {
			if (r < 0)
				*e = why;
			return r;
		}
	}
	return session_life_start(s, s->cwd0, e);
}
