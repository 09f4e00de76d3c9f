#include "runtime/worker/ring.h"

#include <string.h>

#include "base/sys/sys.h"

int ring_init(struct ring *ret, struct err *e)
{
	_cleanup_ring_ struct ring ring = RING_NONE;
	void *memory = NULL;
	int r;

	r = sys_mmap_shared((size_t)RING_SLOTS * RING_SLOT, &memory);
	if (r == 0) {
		ring.memory = memory;
		r = sys_socketpair(SOCK_STREAM, ring.sock);
	}
	if (r < 0)
		return err_sys(e, r, "cannot make a shared buffer");
	ring.credit = RING_SLOTS;
	*ret = take(&ring, RING_NONE);
	return 0;
}

void ring_done(struct ring *r)
{
	if (r->memory)
		sys_munmap(r->memory, (size_t)RING_SLOTS * RING_SLOT);
	scope_close_set(r->sock, 2);
	*r = RING_NONE;
}

void ring_child(struct ring *r)
{
	scope_close(&r->sock[0]);
}

void ring_parent(struct ring *r)
{
	scope_close(&r->sock[1]);
}

static int send_slot(struct ring *r, struct err *e)
{
	uint32_t len = (uint32_t)r->used;
	ssize_t n;

	n = sys_send(r->sock[1], &len, sizeof(len), 0);
	if (n < 0)
		return err_sys(e, (int)n, "cannot hand data on");
	r->at = (r->at + 1) % RING_SLOTS;
	r->credit--;
	r->used = 0;
	return 0;
}

static int wait_for_slot(struct ring *r, struct err *e)
{
	char given[RING_SLOTS];
	ssize_t n;

	if (r->credit)
		return 0;
	n = sys_recv(r->sock[1], given, sizeof(given), 0);
	if (n <= 0)
		return err_sys(e, n < 0 ? (int)n : -EPIPE, "cannot hand data on");
	r->credit += (unsigned)n;
	return 0;
}

int ring_write(struct ring *r, const void *data, size_t len, struct err *e)
{
	const char *p = data;
	size_t n;
	int s;

	for (; len; p += n, len -= n) {
		s = wait_for_slot(r, e);
		if (s < 0)
			return s;
		n = MIN(len, (size_t)RING_SLOT - r->used);
		memcpy(r->memory + (size_t)r->at * RING_SLOT + r->used, p, n);
		r->used += n;
		if (r->used == RING_SLOT)
			s = send_slot(r, e);
		if (s < 0)
			return s;
	}
	return 0;
}

int ring_end(struct ring *r, struct err *e)
{
	int s = r->used ? send_slot(r, e) : 0;

	if (s == 0)
		s = send_slot(r, e); /* of length 0: the end */
	return s;
}

ssize_t ring_read(struct ring *r, const void **ret, struct err *e)
{
	uint32_t len;
	ssize_t n;

	if (r->held) /* a child that is done needs it no more: let that fail */
		(void)sys_send(r->sock[0], "", 1, 0);
	r->held = false;
	n = sys_recv(r->sock[0], &len, sizeof(len), MSG_WAITALL);
	/* A child that ends with free slots unread resets the connection: gone is gone. */
	if (n != (ssize_t)sizeof(len) || len > RING_SLOT)
		return err_sys(e, -EPIPE, "cannot take data over");
	if (!len)
		return 0;
	*ret = r->memory + (size_t)r->at * RING_SLOT;
	r->at = (r->at + 1) % RING_SLOTS;
	r->held = true;
	return len;
}
