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
	if (idmap_traits(m)->apart)
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

/* @owner: of the box, who is 0 on disk. Its own id there is that of box root. */
static unsigned project_ids(uint32_t first, uint32_t owner, uint32_t base,
			    struct idmap_range *ret)
{
	const struct idmap_range all[] = {
		{ .inside = 0, .outside = base + owner, .count = 1 },
		{ .inside = 1,
		  .outside = base + IDMAP_RANGE_IDS + 1,
		  .count = IDMAP_RANGE_IDS - 1 },
		{ .inside = first + 1,
		  .outside = base + 1,
		  .count = owner ? owner - 1 : IDMAP_RANGE_IDS - 1 },
		{ .inside = first + owner, .outside = base, .count = owner ? 1 : 0 },
		{ .inside = first + owner + 1,
		  .outside = base + owner + 1,
		  .count = owner ? IDMAP_RANGE_IDS - 1 - owner : 0 },
	};
	unsigned n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i].count)
			ret[n++] = all[i];
	return n;
}

void idmap_range_project(const struct idmap *m, struct idmap_owner owner, uint32_t base,
			 struct idmap *ret)
{
	ret->kind = IDMAP_ROOT;
	ret->n_uid = project_ids(m->uid[0].outside, owner.uid, base, ret->uid);
	ret->n_gid = project_ids(m->uid[0].outside, owner.gid, base, ret->gid);
}
