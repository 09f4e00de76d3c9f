/* gate_lookup - names into real addresses: remembered for a minute, asked for once
 * however many wait, and not more often than a box has reason to. */
#include <string.h>

#include "base/list.h"
#include "base/sys/sys.h"
#include "runtime/gate/impl.h"

struct gate_lookup {
	struct gate_lookup *next;
	struct gated *g; /* borrowed */
	char *name;	 /* owned */
	struct gate_waiter *waiters;
	struct loop_source *timer; /* while it is under way */
	uint64_t until_ms;	   /* how long the reply is good */
	bool running;
	struct resolve_reply reply;
};

static void free_one(struct gate_lookup *l)
{
	loop_remove(l->g->loop, &l->timer);
	l->g->n_lookups--;
	free(l->name);
	free(l);
}

void gate_lookup_free(struct gated *g)
{
	while (g->lookups) {
		struct gate_lookup *l = g->lookups;

		g->lookups = l->next;
		free_one(l);
	}
}

/* Each waiter is taken out before it is called: it may start the next lookup. Until all
 * are called this one counts as running, so that none of them makes room of it. */
static void finish(struct gate_lookup *l, uint64_t keep_ms)
{
	struct resolve_reply reply = l->reply;
	struct gate_waiter *w;

	loop_remove(l->g->loop, &l->timer);
	while ((w = l->waiters)) {
		l->waiters = w->next;
		w->of = NULL;
		w->fn(w->ctx, &reply);
	}
	l->running = false;
	l->until_ms = sys_now_ms() + keep_ms;
}

static int too_late(void *ctx, uint32_t, struct err *)
{
	struct gate_lookup *l = ctx;

	l->reply = (struct resolve_reply){ .error = -EAGAIN };
	finish(l, 0);
	return 0;
}

int gate_lookup_ready(void *ctx, uint32_t, struct err *e)
{
	struct gated *g = ctx;
	struct resolve_reply reply;
	int r;

	while ((r = resolve_take(g->resolver, &reply)) > 0) {
		struct gate_lookup *l = g->lookups;

		while (l && !(l->running && l->reply.id == reply.id))
			l = l->next;
		if (!l)
			continue; /* given up meanwhile */
		l->reply = reply;
		finish(l, !reply.error		   ? GATE_KEEP_MS
			  : reply.error == -ENOENT ? GATE_KEEP_NONE_MS
						   : 0);
	}
	if (r < 0) /* the monitor starts a new gate with a new one */
		return err_set(e, -EPIPE, "the resolver ended");
	return 0;
}

/* Takes out what is neither waited for nor good any more, else the last of the list,
 * which is the oldest. Return: false when all are under way. */
static bool make_room(struct gated *g)
{
	uint64_t now = sys_now_ms();
	struct gate_lookup **at = &g->lookups, **last = NULL;

	while (*at) {
		struct gate_lookup *l = *at;

		if (!l->running && l->until_ms <= now) {
			*at = l->next;
			free_one(l);
			continue;
		}
		if (!l->running)
			last = at;
		at = &l->next;
	}
	if (g->n_lookups >= GATE_LOOKUPS && last) {
		struct gate_lookup *l = *last;

		*last = l->next;
		free_one(l);
	}
	return g->n_lookups < GATE_LOOKUPS;
}

/* A bucket that fills at GATE_LOOKUP_RATE and holds GATE_LOOKUP_BURST. */
static bool have_credit(struct gated *g)
{
	uint64_t now = sys_now_ms();

	g->lookup_credit += (now - g->lookup_ms) * GATE_LOOKUP_RATE;
	g->lookup_credit = MIN(g->lookup_credit, GATE_LOOKUP_BURST * 1000u);
	g->lookup_ms = now;
	if (g->lookup_credit < 1000)
		return false;
	g->lookup_credit -= 1000;
	return true;
}

static struct gate_lookup *new_lookup(struct gated *g, const char *name)
{
	struct gate_lookup *l;

	if (g->n_lookups >= GATE_LOOKUPS && !make_room(g))
		return NULL;
	l = gate_memory_get(g, sizeof(*l));
	if (!l)
		return NULL;
	l->name = strdup(name);
	if (!l->name) {
		gate_memory_gone(g);
		free(l);
		return NULL;
	}
	l->g = g;
	l->next = g->lookups;
	g->lookups = l;
	g->n_lookups++;
	return l;
}

static int begin(struct gate_lookup *l)
{
	struct gated *g = l->g;
	int r = -EAGAIN;

	if (!have_credit(g))
		return r;
	l->reply = (struct resolve_reply){ .id = ++g->next_lookup };
	r = resolve_ask(g->resolver, l->reply.id, l->name);
	if (r >= 0)
		r = gate_memory_timer(g, GATE_LOOKUP_MS, too_late, l, &l->timer);
	l->running = r >= 0;
	g->stats.lookups += r >= 0;
	return r;
}

static struct gate_lookup *find(const struct gated *g, const char *name)
{
	struct gate_lookup *l = g->lookups;

	while (l && strcmp(l->name, name) != 0)
		l = l->next;
	return l;
}

void gate_lookup_too_many(struct gated *g)
{
	gate_note_tell(&g->notes,
		       "network: this box asks for more names than are looked up "
		       "for it at once; ask again later");
}

void gate_lookup_start(struct gated *g, const char *name, struct gate_waiter *w,
		       gate_lookup_fn *fn, void *ctx)
{
	static const struct resolve_reply later = { .error = -EDQUOT };
	struct gate_lookup *l = find(g, name);

	*w = (struct gate_waiter){ .fn = fn, .ctx = ctx };
	if (l && !l->running && l->until_ms > sys_now_ms()) {
		struct resolve_reply reply = l->reply;

		fn(ctx, &reply);
		return;
	}
	if (!l)
		l = new_lookup(g, name);
	if (!l || (!l->running && begin(l) < 0)) {
		gate_lookup_too_many(g);
		fn(ctx, &later);
		return;
	}
	w->of = l;
	w->next = l->waiters;
	l->waiters = w;
}

void gate_lookup_cancel(struct gate_waiter *w)
{
	if (!w->of)
		return;
	(void)list_drop(w->of->waiters, w);
	w->of = NULL;
}
