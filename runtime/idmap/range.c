#include "runtime/idmap/range.h"

#include <string.h>

static void set(struct idmap *m, const struct idmap_range *at, unsigned n)
{
	m->kind = IDMAP_ROOT;
	m->n_uid = m->n_gid = n;
	memcpy(m->uid, at, n * sizeof(*at));
	memcpy(m->gid, at, n * sizeof(*at));
}

void idmap_range_box(const struct idmap *m, uint32_t base, struct idmap *ret)
{
	const struct idmap_range all[] = {
		{ .inside = 0, .outside = base, .count = IDMAP_RANGE_SIZE },
	};

	*ret = *m;
	if (m->kind == IDMAP_ROOT)
		set(ret, all, 1);
	if (m->kind != IDMAP_REAL || m->n_uid < 2 || m->n_uid >= IDMAP_RANGES)
		return;
	/* Those below its users. */
	ret->uid[ret->n_uid++] = ret->gid[ret->n_gid++] = (struct idmap_range){
		.inside = IDMAP_RANGE_IDS + 1,
		.outside = 1,
		.count = MIN(m->uid[1].outside, (uint32_t)IDMAP_RANGE_IDS) - 1,
	};
}

void idmap_range_layers(const struct idmap *m, uint32_t base, struct idmap *ret)
{
	const struct idmap_range all[] = {
		{ .inside = m->uid[0].outside,
		  .outside = base,
		  .count = IDMAP_RANGE_IDS },
	};

	set(ret, all, 1);
}

void idmap_range_project(const struct idmap *m, uint32_t base, struct idmap *ret)
{
	const struct idmap_range all[] = {
		{ .inside = 0, .outside = base, .count = 1 },
		{ .inside = 1,
		  .outside = base + IDMAP_RANGE_IDS + 1,
		  .count = IDMAP_RANGE_IDS - 1 },
		{ .inside = m->uid[0].outside + 1,
		  .outside = base + 1,
		  .count = IDMAP_RANGE_IDS - 1 },
	};

	set(ret, all, 3);
}
