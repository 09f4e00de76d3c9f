#include <errno.h>
#include <sys/epoll.h>

#include "agent/server/conf/conf.h"
#include "agent/server/exchange/exchange.h"
#include "agent/server/mcp/impl.h"
#include "agent/server/tenant/tenant.h"
#include "base/loop.h"
#include "base/sys/sys.h"

enum { IN_MAX = 20 << 20, LINE_MAX_BYTES = 16 << 20, CHUNK = 64 << 10 };

void mcp_child_init(struct mcp_child *c,
		    void (*line)(void *ctx, struct json *j, const char *text,
				 size_t len),
		    void (*end)(void *ctx), void *ctx)
{
	*c = (struct mcp_child){ .proc = PROC_NONE,
				 .in = -1,
				 .out = -1,
				 .queue = BUF_INIT(IN_MAX),
				 .line = line,
				 .end = end,
				 .ctx = ctx };
	mcp_frame_init(&c->frame, LINE_MAX_BYTES);
}

void mcp_child_done(struct mcp_child *c)
{
	if (c->loop)
		loop_remove(c->loop, &c->writes);
	if (c->loop)
		loop_remove(c->loop, &c->reads);
	scope_close_set(&c->in, 1);
	scope_close_set(&c->out, 1);
	proc_done(&c->proc);
	mcp_frame_done(&c->frame);
	buf_done(&c->queue);
}

static void on_frame(void *ctx, const char *line, size_t len, bool whole)
{
	_cleanup_json_ struct json *j = NULL;
	struct mcp_child *c = ctx;

	if (whole && json_parse(line, len, &j, ERR_IGNORED) == 0)
		c->line(c->ctx, j, line, len);
}

static int on_output(void *ctx, uint32_t, struct err *)
{
	struct mcp_child *c = ctx;
	char data[CHUNK];
	ssize_t n = sys_read(c->out, data, sizeof(data));

	if (n > 0)
		(void)mcp_frame_feed(&c->frame, data, (size_t)n, on_frame, c);
	else if (n != -EAGAIN)
		c->end(c->ctx);
	return 0;
}

static int on_room(void *ctx, uint32_t, struct err *)
{
	struct mcp_child *c = ctx;
	ssize_t n = c->queue.len ? sys_write(c->in, c->queue.data, c->queue.len) : 0;

	if (n > 0)
		buf_consume(&c->queue, (size_t)n);
	else if (n < 0 && n != -EAGAIN)
		buf_truncate(&c->queue, 0);
	(void)loop_modify(c->loop, c->writes, c->queue.len ? EPOLLOUT : 0);
	return 0;
}

int mcp_child_tell(struct mcp_child *c, const struct json *j)
{
	int r = json_print(j, false, &c->queue);

	if (r == 0)
		r = buf_addc(&c->queue, '\n');
	return r < 0 ? r : loop_modify(c->loop, c->writes, EPOLLOUT);
}

int mcp_child_start(struct mcp_child *c, struct exchange *x, struct err *e)
{
	const struct server_conf *conf = exchange_conf(x);
	_cleanup_close_ int child_in = -1, child_out = -1;
	int in[2], out[2], r = sys_pipe2(in, O_CLOEXEC);

	c->loop = exchange_loop(x);
	if (r < 0)
		return err_sys(e, r, "cannot make a pipe");
	child_in = in[0];
	c->in = in[1];
	r = sys_pipe2(out, O_CLOEXEC);
	if (r < 0)
		return err_sys(e, r, "cannot make a pipe");
	c->out = out[0];
	child_out = out[1];
	sys_setfl(c->in, O_WRONLY | O_NONBLOCK);
	sys_setfl(c->out, O_RDONLY | O_NONBLOCK);
	r = conf->mcp(conf->ctx, tenant_where(exchange_tenant(x)),
		      (int[]){ child_in, child_out }, &c->proc, e);
	if (r < 0)
		return r;
	r = loop_add(c->loop, c->in, 0, on_room, c, &c->writes)
		    ?: loop_add(c->loop, c->out, EPOLLIN, on_output, c, &c->reads);
	return r < 0 ? err_sys(e, r, "cannot watch a program") : 0;
}
