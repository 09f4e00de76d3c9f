/* Theory of operation
 *
 * What a server has for all, places and bytes, one of its users could take alone: by requests
 * that wait, and by large bodies and answers that come and leave slowly. Where a server has
 * several (more than one key, or boxes), each gets half of it at the most. Who one is say the
 * key, and the user whom the holder of the key names. */
#include <errno.h>
#include <string.h>

#include "agent/server/exchange/impl.h"

static bool several(const struct server *s)
{
	return s->conf->boxes || s->conf->keys->n > 1;
}

static bool same_owner(const struct exchange *x, const struct exchange *y)
{
	const char *a, *b;

	if (!y->key || y->key != x->key)
		return false;
	a = head_field(&x->head, "x-user-id");
	b = head_field(&y->head, "x-user-id");
	return a && b ? strcmp(a, b) == 0 : a == b;
}

bool share_place(const struct exchange *x)
{
	const struct server *s = x->server;
	unsigned most = MAX(s->conf->max_connections / 2, 1U), n = 0;

	if (s->n_exchanges <= most || !several(s))
		return true;
	for (const struct exchange *y = s->exchanges; y; y = y->next)
		n += same_owner(x, y);
	return n <= most;
}

void share_release(struct exchange *x)
{
	x->server->counts.held -= take(&x->counted, 0);
}

int share_hold(struct exchange *x, size_t n)
{
	struct server *s = x->server;
	size_t own = 0;

	if (s->counts.held + n > EXCHANGE_HELD_MAX)
		return -EAGAIN;
	if (s->counts.held + n > EXCHANGE_HELD_MAX / 2 && several(s))
		for (const struct exchange *y = s->exchanges; y; y = y->next)
			own += same_owner(x, y) ? y->counted + y->gathered : 0;
	if (own + n > EXCHANGE_HELD_MAX / 2 && several(s))
		return -EAGAIN;
	x->counted += n;
	s->counts.held += n;
	return 0;
}

int share_gather(struct exchange *x, size_t n)
{
	size_t before = x->counted;

	if (n > x->gathered && share_hold(x, n - x->gathered) < 0)
		return -EAGAIN;
	x->counted = before; /* it is none of the answer's */
	if (n < x->gathered)
		x->server->counts.held -= x->gathered - n;
	x->gathered = n;
	return 0;
}
