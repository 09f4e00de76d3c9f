/* gate_pump - bytes between two sockets, moved by splice(2) through a pipe: they never
 * come into this process. But for urgent data: tcp_read_sock() of the kernel does not go
 * past its mark, so a socket that had some is read when splice finds nothing.
 *
 * Both sockets are watched edge-triggered, so a run goes on until nothing moves. That
 * also settles what EAGAIN of a splice into the pipe means (no data, or a pipe whose
 * slots are used up): as long as the other half made room, it is tried again; when
 * neither half moves, an edge of one of the sockets will come. A side that said EAGAIN to
 * an empty pipe is not asked again before its edge.
 *
 * What gate_look has to see first comes by gate_pump_put() and nothing else does until then.
 * A splice moves no bytes but pages, and those of a file that a program sent with
 * sendfile(2) are still the program's to write to, wherever they are on their way.
 *
 * The last bytes go with the end: where one side is known to send no more, what it sent is
 * held until the other side is told, and both are one packet. */
#include "base/sys/sys.h"
#include "runtime/gate/impl.h"

enum {
	ROUNDS = 8,
	COPY = 4096 /* at most PIPE_BUF: all or nothing */,
	SPLICE = 1 | 2, /* SPLICE_F_MOVE | SPLICE_F_NONBLOCK */
	SPLICE_MORE = 4 /* SPLICE_F_MORE */
};

void gate_pump_drain(struct gate_pool *pool)
{
	while (pool->n)
		scope_close_set(pool->pipes[--pool->n], 2);
}

static int need_pipe(struct gate_flow *f, struct gate_pool *pool)
{
	int r;

	if (f->pipe[0] >= 0)
		return 0;
	if (pool->n) {
		pool->n--;
		f->pipe[0] = pool->pipes[pool->n][0];
		f->pipe[1] = pool->pipes[pool->n][1];
		return 0;
	}
	r = sys_pipe2(f->pipe, O_NONBLOCK);
	if (r < 0)
		return r;
	/* Refused past the host's limit per user: then it holds what it holds. */
	(void)sys_pipe_size(f->pipe[1], GATE_PIPE_BYTES);
	return 0;
}

static void put_pipe(struct gate_pool *pool, struct gate_flow *f)
{
	if (f->pipe[0] < 0)
		return;
	if (!f->held && pool->n < GATE_POOL) {
		pool->pipes[pool->n][0] = f->pipe[0];
		pool->pipes[pool->n][1] = f->pipe[1];
		pool->n++;
		f->pipe[0] = f->pipe[1] = -1;
	} else {
		scope_close_set(f->pipe, 2);
	}
}

void gate_pump_init(struct gate_pump *p, int in, int out, struct gate_pool *pool)
{
	*p = (struct gate_pump){ .up = { .from = in, .to = out, .pipe = { -1, -1 } },
				 .down = { .from = out, .to = in, .pipe = { -1, -1 } },
				 .pool = pool };
}

void gate_pump_free(struct gate_pump *p)
{
	if (!p->pool)
		return;
	put_pipe(p->pool, &p->up);
	put_pipe(p->pool, &p->down);
}

void gate_pump_event(struct gate_flow *f, uint32_t events)
{
	f->ready |= events & (EPOLLIN | EPOLLPRI | EPOLLRDHUP | EPOLLHUP | EPOLLERR);
	f->last |= events & (EPOLLRDHUP | EPOLLHUP);
	f->urgent |= events & EPOLLPRI;
}

/* What is peeked at is taken only when the pipe has it. */
static ssize_t copy(const struct gate_flow *f)
{
	char bytes[COPY];
	ssize_t n = sys_recv(f->from, bytes, sizeof(bytes), MSG_PEEK | MSG_DONTWAIT);

	if (n > 0)
		n = sys_write(f->pipe[1], bytes, (size_t)n);
	return n > 0 ? sys_recv(f->from, bytes, (size_t)n, MSG_DONTWAIT) : n;
}

ssize_t gate_pump_put(struct gate_pump *p, const void *bytes, size_t len)
{
	struct gate_flow *f = &p->up;
	int r = need_pipe(f, p->pool);
	ssize_t n = r < 0 ? r : sys_write(f->pipe[1], bytes, len);

	if (n > 0)
		f->held += (size_t)n;
	return n == -EAGAIN ? 0 : n;
}

/* 1 = something moved, 0 = not now. */
static int fill(struct gate_flow *f, struct gate_pool *pool)
{
	ssize_t n;
	int r;

	if (!f->ready || f->eof || f->held >= GATE_PIPE_BYTES || f->looked_at)
		return 0;
	r = need_pipe(f, pool);
	if (r < 0)
		return r;
	n = sys_splice(f->from, f->pipe[1], GATE_PIPE_BYTES - f->held, SPLICE);
	if (n == -EAGAIN && f->urgent)
		n = copy(f);
	if (n == -EAGAIN && !f->held)
		f->ready = false;
	if (n == -EAGAIN || n == -EINTR)
		return 0;
	if (n < 0)
		return (int)n;
	f->eof = !n;
	f->held += (size_t)n;
	return 1;
}

/* Where the other direction has ended, too, both sockets are about to be closed, which says
 * the same as a shutdown. */
static int empty(struct gate_flow *f, const struct gate_flow *other)
{
	ssize_t n;
	int r = 0;

	if (f->held) {
		n = sys_splice(f->pipe[0], f->to, f->held,
			       f->last ? SPLICE | SPLICE_MORE : SPLICE);
		if (n == -EAGAIN || n == -EINTR)
			return 0;
		if (n < 0)
			return (int)n;
		f->held -= (size_t)n;
		f->bytes += (uint64_t)n;
		return 1;
	}
	if (!f->eof || f->shut)
		return 0;
	if (!other->shut)
		r = sys_shutdown(f->to, SHUT_WR);
	if (r < 0)
		return r;
	f->shut = true;
	return 1;
}

/* The rounds are bounded: one connection must not keep the others waiting. */
static int run_flow(struct gate_flow *f, const struct gate_flow *other,
		    struct gate_pool *pool)
{
	for (int i = 0; i < ROUNDS; i++) {
		int in = fill(f, pool);
		int out = in < 0 ? in : empty(f, other);

		if (out < 0)
			return out;
		if (!in && !out)
			return GATE_PUMP_WAIT;
	}
	return GATE_PUMP_MORE;
}

int gate_pump_run(struct gate_pump *p)
{
	int up = run_flow(&p->up, &p->down, p->pool);
	int down = up < 0 ? up : run_flow(&p->down, &p->up, p->pool);

	if (down < 0)
		return down;
	if (!p->up.held)
		put_pipe(p->pool, &p->up);
	if (!p->down.held)
		put_pipe(p->pool, &p->down);
	if (p->up.shut && p->down.shut)
		return GATE_PUMP_DONE;
	return up == GATE_PUMP_MORE || down == GATE_PUMP_MORE ? GATE_PUMP_MORE
							      : GATE_PUMP_WAIT;
}
