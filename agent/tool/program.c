#include "agent/tool/program.h"

#include <errno.h>
#include <poll.h>

#include "base/sys/sys.h"

enum { STALL_MS = 60000, CHUNK = 64 << 10, INTERRUPT = 3, END, ASIDE };

void program_done(struct program *p)
{
	if (p->started)
		box_proc_done(&p->p);
	if (p->quiet)
		sys_sigaction(SIGPIPE, &p->old, NULL);
	p->started = p->quiet = false;
}

int program_start(struct program *p, struct err *e)
{
	const struct box_command c = { .argv = p->argv,
				       .env = p->env,
				       .cwd = p->cwd,
				       .user = p->user,
				       .io = BOX_IO_PIPES,
				       .applet = p->applet };
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	int r;

	p->p = BOX_PROC_NONE;
	p->began_ms = sys_now_ms();
	r = box_spawn(p->box, &c, &p->p, e);
	if (r < 0)
		return r;
	p->started = true;
	p->quiet = sys_sigaction(SIGPIPE, &ignore, &p->old) == 0;
	for (int i = 0; i < 3; i++)
		sys_setfl(p->p.fds[i], (i ? O_RDONLY : O_WRONLY) | O_NONBLOCK);
	return 0;
}

static void close_end(struct program *p, int i)
{
	scope_close_set(&p->p.fds[i], 1);
}

static void feed(struct program *p)
{
	ssize_t n = p->in_len ? sys_write(p->p.fds[0], p->in, p->in_len) : 0;

	if (n > 0) {
		p->in += n;
		p->in_len -= (size_t)n;
	} else if (n < 0 && n != -EAGAIN) {
		p->in_len = 0; /* it reads no more: its message says why */
		close_end(p, 0);
	}
}

static void drain(struct program *p, int i)
{
	char data[CHUNK];
	ssize_t n = sys_read(p->p.fds[i], data, sizeof(data));
	struct buf *b = i == 1 ? p->out : p->said;

	if (n == -EAGAIN)
		return;
	if (n <= 0)
		close_end(p, i);
	else if (b)
		buf_add(b, data, MIN((size_t)n, b->max - b->len));
}

static int killed(struct program *p, int code, const char *why, struct err *e)
{
	box_signal(p->box, p->p.id, SIGKILL, ERR_IGNORED);
	return err_sys(e, code, "%s %s", p->argv[0], why);
}

/* What is left of its time, at most the time without news. */
static int patience(const struct program *p)
{
	uint64_t stall = p->stall_ms ? p->stall_ms : STALL_MS;
	uint64_t past = sys_now_ms() - p->began_ms;

	if (!p->total_ms)
		return (int)stall;
	return past < p->total_ms ? (int)MIN(stall, p->total_ms - past) : 0;
}

/* @box_fd: where its end is told; -1 = that is not looked for yet */
static int step(struct program *p, int box_fd, struct err *e)
{
	struct pollfd f[ASIDE + ARRAY_SIZE(p->asides)] = {
		{ p->in_len ? p->p.fds[0] : -1, POLLOUT, 0 },
		{ p->p.fds[1], POLLIN, 0 },
		{ p->p.fds[2], POLLIN, 0 },
		[INTERRUPT] = { p->interrupt_fd > 0 ? p->interrupt_fd : -1, POLLIN, 0 },
		[END] = { box_fd, POLLIN, 0 },
	};
	int n;

	for (size_t i = 0; i < ARRAY_SIZE(p->asides); i++)
		f[ASIDE + i] =
			(struct pollfd){ p->asides[i].ready ? p->asides[i].fd : -1,
					 POLLIN, 0 };
	n = sys_poll(f, ARRAY_SIZE(f), patience(p));
	if (n == -EINTR)
		return 0;
	if (n <= 0)
		return killed(p, -ETIMEDOUT, "does not end", e);
	if (f[INTERRUPT].revents)
		return killed(p, -EINTR, "was ended", e);
	for (size_t i = 0; i < ARRAY_SIZE(p->asides); i++)
		if (f[ASIDE + i].revents && p->asides[i].ready)
			p->asides[i].ready(p->asides[i].ctx);
	if (f[0].revents)
		feed(p);
	for (int i = 1; i < 3; i++)
		if (f[i].revents)
			drain(p, i);
	return 0;
}

int program_send(struct program *p, const void *data, size_t len, struct err *e)
{
	int r = 0;

	p->in = data;
	p->in_len = p->p.fds[0] >= 0 ? len : 0;
	while (p->in_len && r == 0)
		r = step(p, -1, e);
	return r;
}

/* It may go on for long after it has closed what it could say something by. */
static int await_end(struct program *p, struct box_exit *ret, struct err *e)
{
	int r;

	while ((r = box_wait(p->box, p->p.id, 0, ret, e)) == -ETIMEDOUT) {
		*e = ERR_NONE;
		r = step(p, box_fd(p->box), e);
		if (r < 0)
			break;
	}
	return r;
}

int program_end(struct program *p, int *status, struct err *e)
{
	struct box_exit x = { 0 };
	int r = 0;

	close_end(p, 0);
	while (r == 0 && (p->p.fds[1] >= 0 || p->p.fds[2] >= 0))
		r = step(p, -1, e);
	if (r == 0)
		r = await_end(p, &x, e);
	if (r < 0)
		return r;
	*status = x.status;
	return 0;
}
