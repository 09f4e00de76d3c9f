#include "runtime/wire/outbox.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/sys/sys.h"

struct outbox_kept {
	struct outbox_kept *next;
	const void *owner; /* borrowed; only compared */
	struct wire_head head;
	int fds[WIRE_FDS]; /* owned */
	unsigned n_fds;
	char body[];
};

void outbox_init(struct outbox *o, int fd, size_t most)
{
	*o = (struct outbox){ .fd = fd, .most = most };
	o->last = &o->first;
}

static void drop_first(struct outbox *o)
{
	struct outbox_kept *k = o->first;

	o->first = k->next;
	if (!o->first)
		o->last = &o->first;
	o->n--;
	scope_close_set(k->fds, k->n_fds);
	free(k);
}

void outbox_done(struct outbox *o)
{
	while (o->first)
		drop_first(o);
}

static int keep(struct outbox *o, const struct outbox_message *m)
{
	struct outbox_kept *k;

	if (o->n >= o->most)
		return -ENOBUFS;
	if (m->head.len > WIRE_BODY || m->n_fds > WIRE_FDS)
		return -EMSGSIZE;
	k = calloc(1, sizeof(*k) + m->head.len);
	if (!k)
		return -ENOMEM;
	k->owner = m->owner;
	k->head = m->head;
	if (m->head.len)
		memcpy(k->body, m->body, m->head.len);
	for (; k->n_fds < m->n_fds; k->n_fds++) {
		int fd = sys_dup(m->fds[k->n_fds], 0);

		if (fd < 0) {
			scope_close_set(k->fds, k->n_fds);
			free(k);
			return fd;
		}
		k->fds[k->n_fds] = fd;
	}
	*o->last = k;
	o->last = &k->next;
	o->n++;
	return 1;
}

int outbox_put(struct outbox *o, const struct outbox_message *m)
{
	int r = o->n ? -EAGAIN : wire_send(o->fd, &m->head, m->body, m->fds, m->n_fds);

	return r == -EAGAIN ? keep(o, m) : r;
}

int outbox_flush(struct outbox *o)
{
	while (o->first) {
		struct outbox_kept *k = o->first;
		int r = wire_send(o->fd, &k->head, k->body, k->fds, k->n_fds);

		if (r == -EAGAIN)
			break;
		if (r < 0)
			return r;
		drop_first(o);
	}
	return (int)o->n;
}

bool outbox_holds(const struct outbox *o, const void *owner)
{
	for (const struct outbox_kept *k = o->first; k; k = k->next)
		if (k->owner == owner)
			return true;
	return false;
}

void outbox_disown(struct outbox *o, const void *owner)
{
	for (struct outbox_kept *k = o->first; k; k = k->next)
		if (k->owner == owner)
			k->owner = NULL;
}
