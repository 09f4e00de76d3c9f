/* Theory of operation
 *
 * Three pipes come from the interpreter: its messages, its standard output and error. It
 * flushes both before it sends a message, and a write to a pipe has ended when it returns:
 * so when a message is read, all that was printed before it lies in the pipes, and FIONREAD
 * says how much that is. It is told first. What comes while nothing runs is of threads and
 * children of earlier cells.
 *
 * Its programs can read those pipes, too, so there may be nothing where there was something:
 * our ends never wait. And nothing is received by a socket. With its bytes may come
 * descriptors, which are closed by who gets them, and that may take as long as their owner
 * likes (a connection that lingers). So ours, by which it is asked, receives nothing. */
#include "agent/python/python.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "agent/python/frame.h"
#include "agent/python/shim.h"
#include "base/sys/sys.h"

enum {
	AGAIN_MS = 2000, /* from the first interrupt to the second, */
	KILL_MS = 3000,	 /* and from that to the end of the interpreter */
	GRACE_MS = 200,	 /* between the end of the socket and that of the process */
	LATER_MS = 2000, /* the same, where nobody waits for it */
	REAP_MS = 2000,
	TOLD_MS = 10000, /* for who has a context to end it first, on a busy machine */
	PIECE = 64 << 10,
	AT_ONCE = 4 * PIECE,	 /* of one descriptor in one python_pump() */
	LAST_WORDS = 32 * PIECE, /* a pipe has room for 16 of them */
	SEEN_MAX = PIECE,	 /* who does not read them has enough of them there */
};

struct python {
	struct python_conf conf;
	enum python_state state;
	struct box_proc proc; /* owned; fds[0] stays -1 */
	int questions;	      /* owned; a socket that only sends; -1 = no interpreter */
	int messages;	      /* owned; a pipe */
	int epfd, timer;      /* owned */
	struct buf out;	      /* owned; frames that have not been sent */
	struct python_frame in;
	int64_t id;
	bool full;    /* room for @out is waited for */
	bool pending; /* it is not known yet whether it runs: its end says nothing */
	bool ended;   /* its messages have, and how it did is not known yet */
	unsigned interrupts; /* sent to the running cell */
	const char *broken;  /* what it did that it has to be ended for; static */
	char piece[PIECE];
};

static bool alive(const struct python *p)
{
	return p->questions >= 0;
}

/* ---- watching ------------------------------------------------------------------------ */

static void set_timer(struct python *p, unsigned ms)
{
	struct itimerspec when = { .it_value = { ms / 1000, ms % 1000 * 1000000L } };

	(void)sys_timerfd_set(p->timer, &when);
}

static int watch(struct python *p, int op, int fd, uint32_t events)
{
	struct epoll_event ev = { .events = events };

	return sys_epoll_ctl(p->epfd, op, fd, &ev);
}

static int watch_all(struct python *p)
{
	int r = watch(p, EPOLL_CTL_ADD, p->messages, EPOLLIN);

	for (int i = 1; i < 3 && r == 0; i++)
		r = watch(p, EPOLL_CTL_ADD, p->proc.fds[i], EPOLLIN);
	return r;
}

/* What there is no room for waits until there is. Only then is the socket watched: its end
 * is told whatever is asked for. */
static void flush(struct python *p)
{
	ssize_t n = 0;

	while (p->out.len && n >= 0) {
		n = sys_send(p->questions, p->out.data, p->out.len,
			     MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n > 0)
			buf_consume(&p->out, (size_t)n);
	}
	if (n < 0 && n != -EAGAIN) /* it has gone, as a read will tell */
		buf_truncate(&p->out, 0);
	if (!p->out.len && p->out.cap > PYTHON_FRAME_FREE)
		buf_done(&p->out);
	if (p->full == (p->out.len > 0))
		return;
	p->full = p->out.len > 0;
	(void)watch(p, p->full ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, p->questions, EPOLLOUT);
}

/* @message is taken over. */
static int send_message(struct python *p, struct json *message, struct err *e)
{
	_cleanup_json_ struct json *j = message;
	_cleanup_buf_ struct buf text = BUF_INIT(PYTHON_FRAME_MAX);
	int r = json_print(j, false, &text)
			?: python_frame_add(&p->out, text.data, text.len);

	if (r < 0)
		return err_sys(e, r, "cannot send to the interpreter");
	flush(p);
	return 0;
}

/* ---- its output ---------------------------------------------------------------------- */

static void tell_stream(struct python *p, int i, size_t most)
{
	int pending = 0;

	if (p->proc.fds[i] < 0 || sys_pending(p->proc.fds[i], &pending) < 0)
		return;
	most = MIN(most, (size_t)MAX(pending, 0));
	while (most) {
		ssize_t n =
			sys_read(p->proc.fds[i], p->piece, MIN(most, sizeof(p->piece)));

		if (n <= 0)
			return;
		most -= (size_t)n;
		if (p->conf.events->stream)
			p->conf.events->stream(p->conf.ctx, i, p->piece, (size_t)n);
	}
}

static void tell_streams(struct python *p)
{
	tell_stream(p, 1, LAST_WORDS);
	tell_stream(p, 2, LAST_WORDS);
}

/* ---- its end ------------------------------------------------------------------------- */

static void forget(struct python *p)
{
	set_timer(p, 0);
	box_proc_done(&p->proc);
	p->proc = BOX_PROC_NONE;
	scope_close_set(&p->questions, 1);
	scope_close_set(&p->messages, 1);
	p->full = false;
	buf_truncate(&p->out, 0);
	python_frame_done(&p->in);
	python_frame_init(&p->in, p->conf.room);
	p->state = PYTHON_NONE;
	p->interrupts = 0;
	p->pending = p->ended = false;
	p->broken = NULL;
}

/* @grace_ms: how long it may take to end by itself; 0 = it is ended now. */
static void reap(struct python *p, int grace_ms, struct box_exit *ret)
{
	const struct python_port *port = &p->conf.port;
	struct err ignored = ERR_NONE;
	int r = -ETIMEDOUT;

	if (grace_ms)
		r = port->wait(port->ctx, p->proc.id, grace_ms, ret, &ignored);
	if (r == -ETIMEDOUT) {
		(void)port->signal(port->ctx, p->proc.id, SIGKILL, &ignored);
		(void)port->end(port->ctx, p->proc.id, &ignored);
		r = port->wait(port->ctx, p->proc.id, REAP_MS, ret, &ignored);
	}
	if (r < 0)
		*ret = (struct box_exit){ .id = p->proc.id, .status = -1 };
}

static void bury(struct python *p, bool killed)
{
	struct python_death d = { .killed = killed,
				  .in_cell = p->state >= PYTHON_RUNNING,
				  .why = p->broken };
	int grace_ms = killed || p->broken ? 0 : GRACE_MS;

	if (killed && p->conf.context) { /* whom it stands for is to be killed */
		(void)p->conf.port.signal(p->conf.port.ctx, p->proc.id, SIGTERM,
					  ERR_IGNORED);
		grace_ms = TOLD_MS;
	}
	reap(p, grace_ms, &d.exit);
	tell_streams(p);
	forget(p);
	if (p->conf.events->death)
		p->conf.events->death(p->conf.ctx, &d);
}

/* ---- its messages -------------------------------------------------------------------- */

static bool fits_state(const struct python *p, const struct python_message *m)
{
	if (m->kind == PYTHON_READY)
		return true;
	return p->state >= PYTHON_RUNNING && m->id == p->id;
}

static void enter(struct python *p, const struct python_message *m)
{
	if (m->kind == PYTHON_ASK)
		p->state = PYTHON_ASKING;
	if (m->kind != PYTHON_DONE)
		return;
	p->state = PYTHON_IDLE;
	p->interrupts = 0;
	set_timer(p, 0);
}

/* It goes on when it knows that nothing it prints from here on is read before. */
static void say_seen(struct python *p)
{
	struct json *m = json_object();

	json_set_str(m, "t", "seen");
	(void)send_message(p, m, ERR_IGNORED);
}

static int on_frame(void *ctx, const char *text, size_t len)
{
	_cleanup_python_message_ struct python_message m = PYTHON_MESSAGE_NONE;
	struct python *p = ctx;
	int r = python_message_read(text, len, &m, ERR_IGNORED);

	if (r < 0)
		return r;
	tell_streams(p);
	if ((m.kind == PYTHON_DISPLAY || m.kind == PYTHON_CLEAR) &&
	    p->out.len < SEEN_MAX)
		say_seen(p);
	if (!fits_state(p, &m)) /* of a thread, behind the end of its cell */
		return 0;
	enter(p, &m);
	if (p->conf.events->message)
		p->conf.events->message(p->conf.ctx, &m);
	return 0;
}

/* false = nothing more will come. */
static bool take_messages(struct python *p)
{
	for (size_t got = 0; got < AT_ONCE;) {
		char piece[PIECE];
		ssize_t n = sys_read(p->messages, piece, sizeof(piece));

		if (n == -EAGAIN || n == -EINTR)
			return true;
		if (n <= 0)
			return false;
		got += (size_t)n;
		n = python_frame_feed(&p->in, piece, (size_t)n, on_frame, p);
		if (n != 0) {
			p->broken = n == -ENOBUFS
					    ? "its messages are more than Python may "
					      "have on their way at once"
					    : "it sent what is no message";
			return false;
		}
	}
	return true;
}

static void send_interrupt(struct python *p)
{
	p->interrupts++;
	(void)p->conf.port.signal(p->conf.port.ctx, p->proc.id, SIGINT, ERR_IGNORED);
	set_timer(p, p->interrupts == 1 ? AGAIN_MS : KILL_MS);
}

static void on_timer(struct python *p)
{
	uint64_t times;

	if (sys_read(p->timer, &times, sizeof(times)) < 0)
		return;
	if (p->ended)
		bury(p, false);
	else if (p->state < PYTHON_RUNNING)
		return;
	else if (p->interrupts < 2)
		send_interrupt(p);
	else
		bury(p, true);
}

/* Its messages are over: true = so is it, else how it ended is still to be said. */
static bool end(struct python *p)
{
	const struct python_port *port = &p->conf.port;
	struct box_exit x;

	if (!port->later || p->broken ||
	    port->wait(port->ctx, p->proc.id, 0, &x, ERR_IGNORED) >= 0) {
		bury(p, false);
		return true;
	}
	if (!p->ended) {
		(void)watch(p, EPOLL_CTL_DEL, p->messages, 0);
		set_timer(p, LATER_MS);
	}
	p->ended = true;
	return false;
}

void python_pump(struct python *p)
{
	struct pollfd at[] = { { p->ended ? -1 : p->messages, POLLIN, 0 },
			       { p->proc.fds[1], POLLIN, 0 },
			       { p->proc.fds[2], POLLIN, 0 } };

	if (!alive(p) || sys_poll(at, ARRAY_SIZE(at), 0) < 0)
		return;
	if (p->pending) { /* its time counts all the same */
		on_timer(p);
		return;
	}
	if (p->full)
		flush(p);
	if ((p->ended || (at[0].revents && !take_messages(p))) && end(p))
		return;
	for (int i = 1; i < 3; i++) {
		if (at[i].revents & POLLIN)
			tell_stream(p, i, AT_ONCE);
		else if (at[i].revents) /* all that had it have closed it */
			scope_close_set(&p->proc.fds[i], 1);
	}
	on_timer(p);
}

/* ---- its life ------------------------------------------------------------------------ */

int python_new(const struct python_conf *conf, struct python **ret, struct err *e)
{
	_cleanup_python_ struct python *p = calloc(1, sizeof(*p));
	int r;

	if (!p)
		return err_sys(e, -ENOMEM, "cannot make an interpreter");
	p->conf = *conf;
	p->questions = p->messages = p->timer = p->epfd = -1;
	p->proc = BOX_PROC_NONE;
	buf_init(&p->out, (size_t)2 * PYTHON_FRAME_MAX);
	python_frame_init(&p->in, conf->room);
	r = p->epfd = sys_epoll_create();
	if (r >= 0)
		r = p->timer = sys_timerfd();
	if (r >= 0)
		r = watch(p, EPOLL_CTL_ADD, p->timer, EPOLLIN);
	if (r < 0)
		return err_sys(e, r, "cannot watch an interpreter");
	*ret = take(&p, NULL);
	return 0;
}

void python_restart(struct python *p)
{
	struct box_exit ignored;

	if (alive(p))
		reap(p, 0, &ignored);
	forget(p);
}

void python_free(struct python **p)
{
	if (!*p)
		return;
	python_restart(*p);
	scope_close(&(*p)->timer);
	scope_close(&(*p)->epfd);
	buf_done(&(*p)->out);
	python_frame_done(&(*p)->in);
	free(*p);
	*p = NULL;
}

static int take_streams(struct python *p)
{
	scope_close_set(&p->proc.fds[0], 1); /* it reads from /dev/null */
	for (int i = 1; i < 3; i++)
		sys_setfl(p->proc.fds[i], O_RDONLY | O_NONBLOCK);
	p->pending = false;
	return watch_all(p);
}

/* Where it is asked, and where it answers. */
struct ends {
	int questions[2], messages[2]; /* owned; ours first */
};

static void ends_done(struct ends *x)
{
	scope_close_set(x->questions, 2);
	scope_close_set(x->messages, 2);
}

static int make_ends(struct ends *ret)
{
	int fds[2] = { -1, -1 }, r = sys_socketpair(SOCK_STREAM, ret->questions);

	if (r == 0)
		r = sys_shutdown(ret->questions[0], SHUT_RD);
	if (r == 0)
		r = sys_pipe2(fds, O_CLOEXEC);
	if (r < 0)
		return r;
	ret->messages[0] = fds[0];
	ret->messages[1] = fds[1];
	return sys_setfl(fds[0], O_RDONLY | O_NONBLOCK);
}

int python_missing(struct err *e)
{
	err_set(e, -ENOENT, "there is no python3 in this box");
	return err_hint(
		e,
		"install it in the box: apt-get update && apt-get install -y python3 "
		"(apk add python3, dnf install -y python3)");
}

static int start(struct python *p, struct err *e)
{
	const char *argv[8] = { "python3", "/proc/self/fd/3", "4", "5" };
	char join[64];
	_cleanup_close_ int text = shim_open(e);
	_cleanup_(ends_done) struct ends ends = { { -1, -1 }, { -1, -1 } };
	int extra[3], n = 4, r;
	struct box_command c = { .argv = argv,
				 .env = p->conf.env,
				 .cwd = p->conf.cwd,
				 .user = p->conf.user,
				 .io = BOX_IO_PIPES,
				 .extra_fds = extra,
				 .n_extra_fds = ARRAY_SIZE(extra) };

	if (text < 0)
		return text;
	if (p->conf.files)
		argv[n++] = "files";
	if (p->conf.merge)
		argv[n++] = "merge";
	if (p->conf.context) {
		snprintf(join, sizeof(join), "join=%s", p->conf.context);
		argv[n++] = join;
	}
	r = make_ends(&ends);
	if (r < 0)
		return err_sys(e, r, "cannot make a channel");
	extra[0] = text;
	extra[1] = ends.questions[1];
	extra[2] = ends.messages[1];
	r = p->conf.port.spawn(p->conf.port.ctx, &c, &p->proc, e);
	if (r == -ENOENT)
		return python_missing(e);
	if (r < 0)
		return r;
	p->questions = take(&ends.questions[0], -1);
	p->messages = take(&ends.messages[0], -1);
	p->pending = r == 1;
	if (r == 0)
		r = take_streams(p);
	if (r < 0) {
		python_restart(p);
		return err_sys(e, r, "cannot watch an interpreter");
	}
	return 0;
}

void python_spawned(struct python *p, struct box_proc *proc, const struct err *why)
{
	struct python_death d = { .exit.status = -1,
				  .in_cell = p->state >= PYTHON_RUNNING };

	if (proc) {
		box_proc_done(&p->proc);
		p->proc = take(proc, BOX_PROC_NONE);
		if (alive(p) && take_streams(p) >= 0)
			return;
	}
	d.why = proc ? "its output cannot be watched" : why->msg;
	forget(p);
	if (p->conf.events->death && d.in_cell)
		p->conf.events->death(p->conf.ctx, &d);
}

static struct json *json_strings(const char *const *v)
{
	struct json *list = json_array();

	for (; *v; v++)
		json_add(list, json_string(*v));
	return list;
}

/* @m, of which the kind is missing, is taken over. */
static int request(struct python *p, const char *kind, const char *code,
		   struct json *message, struct err *e)
{
	_cleanup_json_ struct json *m = message;
	int r = 0;

	if (p->state >= PYTHON_RUNNING)
		return err_set(e, -EBUSY, "a cell is still running");
	if (strlen(code) > PYTHON_CODE_MAX)
		return err_set(e, -EMSGSIZE, "the code is longer than %d bytes",
			       PYTHON_CODE_MAX);
	if (p->ended) /* between two cells: nobody is to hear of it */
		python_restart(p);
	if (!alive(p))
		r = start(p, e);
	if (r < 0)
		return r;
	json_set_str(m, "t", kind);
	json_set_int(m, "id", ++p->id);
	json_set_str(m, "code", code);
	r = send_message(p, take(&m, NULL), e);
	p->state = r < 0 ? PYTHON_IDLE : PYTHON_RUNNING;
	return r;
}

int python_run(struct python *p, const struct python_cell *c, struct err *e)
{
	struct json *m = json_object();

	if (c->name)
		json_set_str(m, "name", c->name);
	if (c->argv)
		json_set(m, "argv", json_strings(c->argv));
	if (c->env)
		json_set(m, "env", json_dup(c->env));
	json_set_bool(m, "silent", c->silent);
	json_set_bool(m, "partial", c->partial);
	return request(p, "exec", c->code, m, e);
}

int python_look(struct python *p, const struct python_look *l, struct err *e)
{
	static const char *const kinds[] = { [PYTHON_COMPLETE] = "complete",
					     [PYTHON_INSPECT] = "inspect",
					     [PYTHON_VARS] = "vars" };
	struct json *m = json_object();

	json_set_int(m, "pos", l->pos);
	return request(p, kinds[l->what], l->code ? l->code : "", m, e);
}

int python_input(struct python *p, const char *line, struct err *e)
{
	struct json *m = json_object();
	int r;

	if (p->state != PYTHON_ASKING) {
		json_free(&m);
		return err_set(e, -ENOMSG, "no cell waits for input");
	}
	json_set_str(m, "t", "input");
	if (line)
		json_set_str(m, "value", line);
	else
		json_set_bool(m, "eof", true);
	r = send_message(p, m, e);
	if (r < 0)
		return r;
	p->state = PYTHON_RUNNING;
	return 0;
}

void python_interrupt(struct python *p)
{
	if (p->state < PYTHON_RUNNING || p->interrupts)
		return;
	p->state = PYTHON_RUNNING; /* its question is void */
	send_interrupt(p);
}

void python_finish(struct python *p)
{
	struct json *m = json_object();

	json_set_str(m, "t", "exit");
	if (alive(p))
		(void)send_message(p, take(&m, NULL), ERR_IGNORED);
	json_free(&m);
}

enum python_state python_state(const struct python *p)
{
	return p->state;
}

int python_fd(const struct python *p)
{
	return p->epfd;
}
