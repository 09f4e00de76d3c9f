#include "agent/terminal/spill.h"

#include <errno.h>

#include "base/sys/sys.h"

enum { CHUNK = 64 << 10 };

void spill_init(struct spill *s)
{
	*s = (struct spill){ .fd = -1 };
	buf_init(&s->mem, CHUNK);
}

void spill_done(struct spill *s)
{
	scope_close(&s->fd);
	buf_done(&s->mem);
	spill_init(s);
}

static int open_file(void)
{
	const char *dir = getenv("TMPDIR");
	int fd = sys_openat(AT_FDCWD, dir && *dir == '/' ? dir : "/tmp",
			    O_RDWR | O_TMPFILE, 0600);

	return fd >= 0 ? fd : sys_memfd("cubby-output", 0);
}

/* The chunk that begins at byte @at of the text; the file is a ring. */
static int write_at(int fd, uint64_t at, const char *p, size_t len)
{
	while (len) {
		off_t from = (off_t)(at % SPILL_MAX);
		ssize_t n =
			sys_pwrite(fd, p, MIN(len, (size_t)(SPILL_MAX - from)), from);

		if (n <= 0)
			return n < 0 ? (int)n : -EIO;
		at += (uint64_t)n;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

static void write_out(struct spill *s)
{
	if (s->fd < 0 && !s->failed) {
		s->fd = open_file();
		if (s->fd < 0)
			s->failed = s->fd;
	}
	if (!s->failed)
		s->failed =
			write_at(s->fd, s->total - s->mem.len, s->mem.data, s->mem.len);
	s->mem.len = 0;
}

void spill_add(struct spill *s, const char *text, size_t len)
{
	while (len) {
		size_t n = MIN(len, CHUNK - s->mem.len);

		if (buf_add(&s->mem, text, n) < 0) {
			s->failed = -ENOMEM;
			return;
		}
		s->total += n;
		text += n;
		len -= n;
		if (s->mem.len == CHUNK)
			write_out(s);
	}
}

int spill_copy(struct spill *s, spill_fn *fn, void *ctx, struct err *e)
{
	uint64_t from = s->total > SPILL_MAX ? s->total - SPILL_MAX : 0;
	_cleanup_buf_ struct buf chunk = BUF_INIT(CHUNK);

	write_out(s);
	if (s->failed < 0)
		return err_sys(e, s->failed, "cannot keep the whole output");
	if (buf_reserve(&chunk, CHUNK) < 0)
		return err_sys(e, -ENOMEM, "cannot read the whole output");
	while (from < s->total) {
		off_t at = (off_t)(from % SPILL_MAX);
		uint64_t want = MIN(MIN(s->total - from, (uint64_t)CHUNK),
				    (uint64_t)(SPILL_MAX - at));
		ssize_t n = sys_pread(s->fd, chunk.data, (size_t)want, at);
		int r;

		if (n <= 0)
			return err_sys(e, n < 0 ? (int)n : -EIO,
				       "cannot read the whole output");
		r = fn(ctx, chunk.data, (size_t)n, e);
		if (r < 0)
			return r;
		from += (uint64_t)n;
	}
	return 0;
}
