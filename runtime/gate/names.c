#include "runtime/gate/names.h"

#include <string.h>

#include "base/sys/sys.h"

/* The area is a log of records: one byte of length, the name, a NUL. A record is valid
 * from the moment its length is written, which is done last: whoever maps the area
 * again after a kill -9 finds whole records and then a zero. */

enum { FIRST_SLOTS = 64, NAME_MAX_TEXT = 253 };

struct gate_names {
	char *area;	   /* owned mapping of GATE_NAMES_BYTES */
	size_t used;	   /* bytes of it */
	uint32_t *offsets; /* owned; where each name's text begins */
	uint32_t *slots;   /* owned; hash table: index + 1, 0 = empty */
	uint32_t n, n_slots;
	uint32_t seed;
};

/* FNV-1a. The asker chooses the names: without the seed, such as all fall together. */
static uint32_t hash(const struct gate_names *d, const char *s)
{
	uint32_t h = d->seed;

	while (*s)
		h = (h ^ (uint8_t)*s++) * 16777619u;
	return h;
}

static const char *text(const struct gate_names *d, uint32_t index)
{
	return d->area + d->offsets[index];
}

static uint32_t *find_slot(const struct gate_names *d, const char *name)
{
	uint32_t at = hash(d, name) & (d->n_slots - 1);

	while (d->slots[at] && strcmp(text(d, d->slots[at] - 1), name) != 0)
		at = (at + 1) & (d->n_slots - 1);
	return &d->slots[at];
}

/* Twice the room, so that at most half of the slots are in use. */
static int grow(struct gate_names *d)
{
	uint32_t n_slots = d->n_slots ? d->n_slots * 2 : FIRST_SLOTS;
	uint32_t *offsets = realloc(d->offsets, n_slots / 2 * sizeof(*offsets));
	uint32_t *slots;

	if (!offsets)
		return -ENOMEM;
	d->offsets = offsets;
	slots = calloc(n_slots, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	free(d->slots);
	d->slots = slots;
	d->n_slots = n_slots;
	for (uint32_t i = 0; i < d->n; i++)
		*find_slot(d, text(d, i)) = i + 1;
	return 0;
}

static int index_record(struct gate_names *d, size_t at)
{
	int r = d->n == d->n_slots / 2 ? grow(d) : 0;

	if (r < 0)
		return r;
	d->offsets[d->n++] = (uint32_t)at + 1;
	*find_slot(d, d->area + at + 1) = d->n;
	d->used = at + strlen(d->area + at + 1) + 2;
	return 0;
}

/* Takes in what an earlier process wrote; stops at the first record that is not whole.
 */
static int load(struct gate_names *d)
{
	size_t at = 0;
	int r = grow(d);

	while (r >= 0 && d->n < GATE_NAMES_MAX && at < GATE_NAMES_BYTES - 1) {
		size_t len = (uint8_t)d->area[at];

		if (!len || len > NAME_MAX_TEXT || at + len + 2 > GATE_NAMES_BYTES ||
		    strnlen(d->area + at + 1, len + 1) != len)
			break;
		r = index_record(d, at);
		at = d->used;
	}
	return r;
}

int gate_names_new(int fd, struct gate_names **ret, struct err *e)
{
	_cleanup_gate_names_ struct gate_names *d = calloc(1, sizeof(*d));
	int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
	int r;

	if (!d)
		return err_sys(e, -ENOMEM, "cannot keep the box's names");
	(void)sys_getrandom(&d->seed, sizeof(d->seed));
	r = sys_mmap(GATE_NAMES_BYTES, PROT_READ | PROT_WRITE, flags | MAP_NORESERVE,
		     fd, (void **)&d->area);
	if (r >= 0)
		r = load(d);
	if (r < 0)
		return err_sys(e, r, "cannot keep the box's names");
	*ret = take(&d, NULL);
	return 0;
}

void gate_names_free(struct gate_names **dp)
{
	struct gate_names *d = take(dp, NULL);

	if (!d)
		return;
	if (d->area)
		sys_munmap(d->area, GATE_NAMES_BYTES);
	free(d->offsets);
	free(d->slots);
	free(d);
}

int gate_names_find(const struct gate_names *d, const char *name)
{
	return (int)*find_slot(d, name) - 1;
}

int gate_names_add(struct gate_names *d, const char *name)
{
	size_t len = strlen(name), at = d->used;
	int r = gate_names_find(d, name);

	if (r != GATE_NAMES_NONE)
		return r;
	if (!len || len > NAME_MAX_TEXT)
		return -EINVAL;
	if (d->n == GATE_NAMES_MAX || at + len + 2 > GATE_NAMES_BYTES)
		return -ENOSPC;
	memcpy(d->area + at + 1, name, len + 1);
	r = index_record(d, at);
	if (r < 0)
		return r;
	__atomic_store_n(&d->area[at], (char)len, __ATOMIC_RELEASE);
	return (int)d->n - 1;
}

/* 198.18.0.0 */
static const uint32_t range = 198u << 24 | 18u << 16;

struct netaddr gate_names_addr(int index)
{
	uint32_t v = range + GATE_NAMES_FIRST + (uint32_t)index;

	return (struct netaddr){ .len = 4,
				 .bytes = { (uint8_t)(v >> 24), (uint8_t)(v >> 16),
					    (uint8_t)(v >> 8), (uint8_t)v } };
}

static uint32_t value(const struct netaddr *a)
{
	return (uint32_t)a->bytes[0] << 24 | (uint32_t)a->bytes[1] << 16 |
	       (uint32_t)a->bytes[2] << 8 | a->bytes[3];
}

bool gate_names_in_range(const struct netaddr *a)
{
	return a->len == 4 && value(a) - range < GATE_NAMES_RANGE;
}

const char *gate_names_at(const struct gate_names *d, const struct netaddr *a)
{
	uint32_t i;

	if (!gate_names_in_range(a))
		return NULL;
	i = value(a) - range - GATE_NAMES_FIRST;
	return i < d->n ? text(d, i) : NULL;
}

int gate_names_count(const struct gate_names *d)
{
	return (int)d->n;
}
