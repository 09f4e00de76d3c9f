/* gate_memory - what the gate allocates, and its end when there is no more.
 *
 * All that a box can make the gate keep is bounded, and far below the limit of its memory.
 * So a failed allocation means that the host is short of memory or that something is lost
 * here, and a fresh process is the remedy for both: half a service, with connections that
 * fail for no reason that anybody is told, is worse than one cut. */
#include "runtime/gate/impl.h"

void gate_memory_gone(struct gated *g)
{
	g->end_why = "out of memory";
	loop_stop(g->loop);
}

void *gate_memory_get(struct gated *g, size_t size)
{
	void *p = calloc(1, size);

	if (!p)
		gate_memory_gone(g);
	return p;
}

int gate_memory_check(struct gated *g, int r)
{
	if (r == -ENOMEM)
		gate_memory_gone(g);
	return r;
}

int gate_memory_watch(struct gated *g, int fd, uint32_t events, loop_fn *fn, void *ctx,
		      struct loop_source **ret)
{
	return gate_memory_check(g, loop_add(g->loop, fd, events, fn, ctx, ret));
}

int gate_memory_timer(struct gated *g, uint64_t ms, loop_fn *fn, void *ctx,
		      struct loop_source **ret)
{
	return gate_memory_check(g, loop_timer(g->loop, ms, fn, ctx, ret));
}
