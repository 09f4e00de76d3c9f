#include "agent/mcp/frame.h"

#include <errno.h>
#include <string.h>

void mcp_frame_init(struct mcp_frame *f, size_t max)
{
	*f = (struct mcp_frame){ .line = BUF_INIT(max) };
}

void mcp_frame_done(struct mcp_frame *f)
{
	buf_done(&f->line);
}

static bool is_blank(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!memchr(" \t\r", s[i], 3))
			return false;
	return true;
}

static void line_ends(struct mcp_frame *f, mcp_frame_fn *fn, void *ctx)
{
	size_t len = f->line.len;

	if (!f->skip && !is_blank(f->line.data, len)) {
		if (f->line.data[len - 1] == '\r')
			len--;
		fn(ctx, f->line.data, len, true);
	}
	f->skip = false;
	buf_truncate(&f->line, 0);
}

static int add(struct mcp_frame *f, const char *data, size_t len, mcp_frame_fn *fn,
	       void *ctx)
{
	int r = f->skip ? 0 : buf_add(&f->line, data, len);

	if (r < 0) {
		fn(ctx, buf_cstr(&f->line), f->line.len, false);
		f->skip = true;
		buf_truncate(&f->line, 0);
	}
	return r == -ENOMEM ? r : 0;
}

int mcp_frame_feed(struct mcp_frame *f, const char *data, size_t len, mcp_frame_fn *fn,
		   void *ctx)
{
	int ret = 0;

	while (len) {
		const char *end = memchr(data, '\n', len);
		size_t n = end ? (size_t)(end - data) : len;
		int r = add(f, data, n, fn, ctx);

		if (r < 0)
			ret = r;
		if (end) {
			line_ends(f, fn, ctx);
			n++;
		}
		data += n;
		len -= n;
	}
	return ret;
}

void mcp_frame_end(struct mcp_frame *f, mcp_frame_fn *fn, void *ctx)
{
	line_ends(f, fn, ctx);
}
