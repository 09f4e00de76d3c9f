#include "agent/python/frame.h"

#include <errno.h>

enum { HEAD = 4, PIECE = 64 << 10, LARGE = PYTHON_FRAME_FREE };

void python_frame_init(struct python_frame *f, struct python_room *room)
{
	*f = (struct python_frame){ .in = BUF_INIT(PYTHON_FRAME_MAX + HEAD + PIECE),
				    .room = room };
}

/* What it may keep is @want bytes of the room from now on. */
static int take_room(struct python_frame *f, size_t want)
{
	if (!f->room)
		return 0;
	if (want > f->taken && want - f->taken > f->room->left)
		return -ENOBUFS;
	f->room->left += f->taken;
	f->room->left -= want;
	f->taken = want;
	return 0;
}

void python_frame_done(struct python_frame *f)
{
	(void)take_room(f, 0);
	buf_done(&f->in);
}

static size_t length_at(const char *p)
{
	const uint8_t *u = (const uint8_t *)p;

	return u[0] | (size_t)u[1] << 8 | (size_t)u[2] << 16 | (size_t)u[3] << 24;
}

/* All frames that are whole, and whether the next one may be. */
static int take_frames(struct python_frame *f, python_frame_fn *fn, void *ctx)
{
	size_t at = 0, len = 0;
	int r = 0;

	while (r == 0 && f->in.len - at >= HEAD) {
		len = length_at(f->in.data + at);
		if (len == 0 || len > PYTHON_FRAME_MAX)
			return len ? -EMSGSIZE : -EBADMSG;
		if (f->in.len - at - HEAD < len)
			break;
		r = fn(ctx, f->in.data + at + HEAD, len);
		at += HEAD + len;
	}
	buf_consume(&f->in, at);
	if (!f->in.len && f->in.cap > LARGE)
		buf_done(&f->in);
	return r;
}

/* Storage doubles as it grows: it is that which is kept, not what is in it. */
static int make_room(struct python_frame *f, size_t n)
{
	int r = buf_reserve(&f->in, n);

	return r < 0 ? r : take_room(f, f->in.cap > LARGE ? f->in.cap : 0);
}

int python_frame_feed(struct python_frame *f, const void *data, size_t len,
		      python_frame_fn *fn, void *ctx)
{
	const char *p = data;

	for (size_t n; len && !f->broken; p += n, len -= n) {
		n = MIN(len, (size_t)PIECE);
		f->broken = make_room(f, n) ?: buf_add(&f->in, p, n);
		if (!f->broken)
			f->broken = take_frames(f, fn, ctx);
		if (!f->in.cap)
			(void)take_room(f, 0);
	}
	return f->broken;
}

int python_frame_add(struct buf *out, const char *text, size_t len)
{
	const char head[HEAD] = { (char)len, (char)(len >> 8), (char)(len >> 16),
				  (char)(len >> 24) };
	size_t before = out->len;
	int r = len > 0 && len <= PYTHON_FRAME_MAX ? buf_add(out, head, HEAD)
						   : -EMSGSIZE;

	if (r == 0)
		r = buf_add(out, text, len);
	if (r < 0)
		buf_truncate(out, before);
	return r;
}
