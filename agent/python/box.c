/* The interpreter's port into a box. */
#include "agent/python/port.h"

static int on_spawn(void *ctx, const struct box_command *c, struct box_proc *ret,
		    struct err *e)
{
	return box_spawn(ctx, c, ret, e);
}

static int on_wait(void *ctx, uint32_t id, int timeout_ms, struct box_exit *ret,
		   struct err *e)
{
	return box_wait(ctx, id, timeout_ms, ret, e);
}

static int on_signal(void *ctx, uint32_t id, int sig, struct err *e)
{
	return box_signal(ctx, id, sig, e);
}

static int on_end(void *ctx, uint32_t id, struct err *e)
{
	return box_kill_session(ctx, id, e);
}

struct python_port python_box_port(struct box *box)
{
	return (struct python_port){ on_spawn, on_wait, on_signal, on_end, box, false };
}
