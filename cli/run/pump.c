#include "cli/run/pump.h"

#include <stdlib.h>
#include <string.h>

#include "base/sys/sys.h"
#include "cli/show/tty.h"

enum {
	PUMP_PIECE = 4096,     /* what a writable pipe or terminal takes at once */
	PUMP_SPLICE = 1 << 20, /* bytes per call */
	PUMP_ROUNDS = 16,      /* calls per stream and step: others get their turn */
	PUMP_MADE = 1 << 20    /* by a filter, of PUMP_FILTER bytes */
};

void pump_init(struct pump_set *p)
{
	*p = (struct pump_set){ .n = 0 };
	for (size_t i = 0; i < PUMP_STREAMS; i++)
		p->s[i].from = p->s[i].to = -1;
}

static void stream_end(struct pump_stream *s, int error)
{
	if (s->close_from)
		scope_close(&s->from);
	if (s->close_to)
		scope_close(&s->to);
	s->from = s->to = -1;
	s->error = error;
	free(s->data);
	s->data = NULL;
	s->len = 0;
	buf_done(&s->made);
}

static void end_stream(struct pump_set *p, struct pump_stream *s, int error)
{
	if (p->midway == s)
		p->midway = NULL;
	stream_end(s, error);
}

void pump_done(struct pump_set *p)
{
	for (unsigned i = 0; i < p->n; i++)
		stream_end(&p->s[i], p->s[i].error);
}

static mode_t type_of(int fd)
{
	struct stat st;

	return sys_fstat(fd, &st) < 0 ? 0 : st.st_mode & S_IFMT;
}

/* Terminals can be spliced since 5.11, but the call then blocks in a stopped one. */
static bool spliceable(mode_t type)
{
	return type == S_IFIFO || type == S_IFREG;
}

struct pump_stream *pump_add(struct pump_set *p, int from, int to)
{
	mode_t in = type_of(from), out = type_of(to);
	struct pump_stream *s;

	if (p->n == PUMP_STREAMS)
		return NULL;
	s = &p->s[p->n];
	*s = (struct pump_stream){ .from = from, .to = to, .many = spliceable(in) };
	s->buffered = !spliceable(in) || !spliceable(out);
	p->n++;
	return s;
}

void pump_filter(struct pump_stream *s, pump_filter_fn *fn, void *ctx)
{
	s->filter = fn;
	s->filter_ctx = ctx;
	s->buffered = true;
	buf_init(&s->made, PUMP_MADE);
}

size_t pump_owed(const struct pump_set *p, unsigned i)
{
	return p->s[i].filter ? 0 : p->s[i].len;
}

bool pump_open(const struct pump_set *p, unsigned i)
{
	return i < p->n && p->s[i].from >= 0;
}

bool pump_full(const struct pump_set *p, unsigned i)
{
	return p->s[i].blocked || p->s[i].len;
}

void pump_end(struct pump_set *p, unsigned i)
{
	if (pump_open(p, i))
		end_stream(p, &p->s[i], 0);
}

void pump_resume(struct pump_set *p)
{
	for (unsigned i = 0; i < p->n; i++)
		p->s[i].held = false;
}

/* Another filtered stream has begun to write what belongs together. */
static bool waits(const struct pump_set *p, const struct pump_stream *s)
{
	return s->filter && p->midway && p->midway != s;
}

unsigned pump_poll(struct pump_set *p, struct pollfd *fds)
{
	for (unsigned i = 0; i < p->n; i++) {
		struct pump_stream *s = &p->s[i];
		bool out = pump_full(p, i), wait = s->held || waits(p, s);

		/* Events of 0 still tell that the other side is gone. */
		fds[2 * i] = (struct pollfd){ .fd = out || wait ? -1 : s->from,
					      .events = POLLIN };
		fds[2 * i + 1] =
			(struct pollfd){ .fd = s->to, .events = out ? POLLOUT : 0 };
	}
	return 2 * p->n;
}

/* 1 = more may follow, 0 = wait, or a negative errno that ends the stream; -ENODATA is
 * its regular end. */
static int step_splice(struct pump_set *p, struct pump_stream *s)
{
	ssize_t n = sys_splice(s->from, s->to, PUMP_SPLICE,
			       SPLICE_F_MOVE | SPLICE_F_NONBLOCK | SPLICE_F_MORE);

	if (n > 0) {
		p->bytes += (uint64_t)n;
		s->blocked = false;
		return 1;
	}
	if (n == 0)
		return -ENODATA;
	if (n == -EINTR)
		return 1;
	if (n != -EAGAIN)
		return (int)n;
	/* Empty or full? When there is something to read, the other side is full. */
	s->blocked =
		sys_poll(&(struct pollfd){ .fd = s->from, .events = POLLIN }, 1, 0) > 0;
	return 0;
}

static int step_write(struct pump_set *p, struct pump_stream *s)
{
	const char *data = s->filter ? s->made.data : s->data;
	ssize_t n = sys_write(s->to, data + s->at, MIN(s->len, (size_t)PUMP_PIECE));

	if (n == -EAGAIN)
		return 0;
	if (n < 0)
		return (int)n;
	if (!s->filter)
		p->bytes += (uint64_t)n;
	s->at += (size_t)n;
	s->len -= (size_t)n;
	if (s->filter)
		p->midway = s->len ? s : NULL;
	return 0; /* only poll knows whether the next piece would block */
}

/* As much as a filter makes of it is kept until it is written: a step of both. */
static int step_filter(struct pump_set *p, struct pump_stream *s, size_t n)
{
	int r;

	buf_truncate(&s->made, 0);
	r = s->filter(s->filter_ctx, s->data, n, &s->made);
	if (r < 0)
		return r;
	p->bytes += n;
	s->at = 0;
	s->len = s->made.len;
	p->midway = s->len ? s : p->midway;
	return 0;
}

static int step_read(struct pump_set *p, struct pump_stream *s)
{
	ssize_t n;

	if (!s->data) /* most streams are spliced, or end without a byte */
		s->data = malloc(PUMP_BYTES);
	if (!s->data)
		return -ENOMEM;
	n = sys_read(s->from, s->data, s->filter ? PUMP_FILTER : PUMP_BYTES);
	if (n == -EAGAIN)
		return 0;
	if (n == 0 || n == -EIO) /* EIO: nobody is left at the other end of a pty */
		return -ENODATA;
	if (n < 0)
		return (int)n;
	if (s->filter)
		return step_filter(p, s, (size_t)n);
	s->at = 0;
	s->len = (size_t)n;
	return 1;
}

static int step_stream(struct pump_set *p, struct pump_stream *s)
{
	int r = 1;

	for (int i = 0; r > 0 && i < (s->many ? PUMP_ROUNDS : 1); i++) {
		if (s->buffered)
			return s->len ? step_write(p, s) : step_read(p, s);
		r = step_splice(p, s);
		if (r != -EINVAL)
			continue;
		s->buffered = true; /* such as a file opened for appending */
		s->blocked = false;
		return step_read(p, s);
	}
	return r;
}

static bool is_ready(const struct pump_stream *s, short in, short out)
{
	if (s->len || s->blocked)
		return out & (POLLOUT | POLLERR | POLLHUP | POLLNVAL);
	return in & (POLLIN | POLLERR | POLLHUP | POLLNVAL);
}

void pump_step(struct pump_set *p, const struct pollfd *fds)
{
	for (unsigned i = 0; i < p->n; i++) {
		struct pump_stream *s = &p->s[i];
		short in = fds[2 * i].revents, out = fds[2 * i + 1].revents;
		int r;

		if (s->from < 0)
			continue;
		if (out & (POLLERR | POLLHUP)) { /* nobody reads any more */
			end_stream(p, s, -EPIPE);
			continue;
		}
		if (!is_ready(s, in, out))
			continue;
		if (waits(p, s)) /* since this step began */
			continue;
		/* It would stop us, also when the command inside never reads. */
		if (s->tty && !s->len && !tty_here(s->from)) {
			s->held = true;
			continue;
		}
		r = step_stream(p, s);
		if (r < 0)
			end_stream(p, s, r == -ENODATA ? 0 : r);
	}
}
