#include "runtime/idmap/range.h"

#include <errno.h>
#include <string.h>

#include "tests/unit/unit.h"

static const struct idmap made = {
	.kind = IDMAP_ROOT,
	.n_uid = 1,
	.n_gid = 1,
	.uid = { { 0, IDMAP_RANGE_FIRST, IDMAP_RANGE_IDS } },
	.gid = { { 0, IDMAP_RANGE_FIRST, IDMAP_RANGE_IDS } },
};

enum { BASE = 0x70040000, NOBODY = -1 };

/* The id that a box with @base sees for one on disk, by two maps; NOBODY = none. */
static int64_t seen(const struct idmap *mount, const struct idmap *box, uint32_t disk)
{
	uint32_t kernel;

	if (idmap_host_uid(mount, disk, &kernel) < 0)
		return NOBODY;
	for (unsigned i = 0; i < box->n_uid; i++)
		if (kernel >= box->uid[i].outside &&
		    kernel - box->uid[i].outside < box->uid[i].count)
			return kernel - box->uid[i].outside + box->uid[i].inside;
	return NOBODY;
}

static const struct row {
	const char *name;
	uint32_t disk;
	int64_t project, layers;
} rows[] = {
	{ "root of the host", 0, 0, NOBODY },
	{ "an account", 1001, 65536 + 1001, NOBODY },
	{ "the last account", 65535, 131071, NOBODY },
	{ "an id beyond", 65536, NOBODY, NOBODY },
	{ "root of a box", 0x70000000, NOBODY, 0 },
	{ "a user of a box", 0x70000000 + 33, 33, 33 },
	{ "the last user of a box", 0x7000ffff, 65535, 65535 },
	{ "an id of a running box", BASE + 33, NOBODY, NOBODY },
};

static void ids(const void *p)
{
	static const uint32_t bases[] = { IDMAP_RANGE_FIRST, BASE };
	const struct row *row = p;

	for (size_t i = 0; i < ARRAY_SIZE(bases); i++) {
		struct idmap box, project, layers;

		idmap_range_box(&made, bases[i], &box);
		idmap_range_project(&made, bases[i], &project);
		idmap_range_layers(&made, bases[i], &layers);
		assert_int_equal(seen(&project, &box, row->disk), row->project);
		assert_int_equal(seen(&layers, &box, row->disk), row->layers);
	}
}

/* Root of the box is the caller; @users: the first of the others on the host. */
static void real_root(void)
{
	static const struct {
		uint32_t users, account;
		bool there;
	} maps[] = {
		{ IDMAP_RANGE_FIRST + 1, 1001, true },
		{ IDMAP_RANGE_FIRST + 1, 65535, true },
		{ IDMAP_RANGE_FIRST + 1, 65536, false },
		{ 61184, 61183, true },
		{ 61184, 61184, false }, /* the box's first user */
	};

	for (size_t i = 0; i < ARRAY_SIZE(maps); i++) {
		struct idmap m = { .kind = IDMAP_REAL,
				   .n_uid = 2,
				   .n_gid = 2,
				   .uid = { { 0, 0, 1 }, { 1, maps[i].users, 4335 } } };
		uint32_t host = 0;
		struct idmap box;

		memcpy(m.gid, m.uid, sizeof(m.uid));
		assert_false(idmap_outdated(&m));
		idmap_range_box(&m, 0, &box);
		assert_int_equal(idmap_host_uid(&box, 0, &host), 0);
		assert_int_equal(host, 0);
		assert_int_equal(idmap_host_gid(&box, 33, &host), 0);
		assert_int_equal(host, maps[i].users + 32);
		assert_int_equal(idmap_host_uid(&box, 65536 + maps[i].account, &host),
				 maps[i].there ? 0 : -ERANGE);
		assert_int_equal(host,
				 maps[i].there ? maps[i].account : maps[i].users + 32);
	}
}

static void other_maps_stay(void)
{
	struct idmap m = made, got;

	m.kind = IDMAP_SUBUID;
	idmap_range_box(&m, BASE, &got);
	assert_memory_equal(&got, &m, sizeof(m));
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "a box whose root is the caller", real_root },
		{ "other maps stay as they are", other_maps_stay },
	};

	return unit_rows("idmap_range", rows, ids) +
	       unit_cases("idmap_range others", cases);
}
