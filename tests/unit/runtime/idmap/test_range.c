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

/* The caller is a user of the box: that one and root change places, all others stay. */
static const struct owner_row {
	const char *name;
	uint16_t owner;
	uint32_t disk;
	int64_t project;
} owner_rows[] = {
	{ "the caller is the user", 1000, 0, 1000 },
	{ "an account of that number is somebody else", 1000, 1000, 65536 + 1000 },
	{ "root of the box is the user's id on disk", 1000, 0x70000000 + 1000, 0 },
	{ "nobody is box root's", 1000, 0x70000000, NOBODY },
	{ "the user before it", 1000, 0x70000000 + 999, 999 },
	{ "the user behind it", 1000, 0x70000000 + 1001, 1001 },
	{ "the first user", 1, 0, 1 },
	{ "root, of the first", 1, 0x70000001, 0 },
	{ "behind the first", 1, 0x70000002, 2 },
	{ "the last user", 65535, 0, 65535 },
	{ "root, of the last", 65535, 0x7000ffff, 0 },
	{ "before the last", 65535, 0x7000fffe, 65534 },
	{ "root of the box is the caller", 0, 0, 0 },
};

static void ids(const void *p)
{
	static const uint32_t bases[] = { IDMAP_RANGE_FIRST, BASE };
	const struct row *row = p;

	for (size_t i = 0; i < ARRAY_SIZE(bases); i++) {
		struct idmap box, project, layers;

		idmap_range_box(&made, bases[i], &box);
		idmap_range_project(&made, (struct idmap_owner){ 0 }, bases[i],
				    &project);
		idmap_range_layers(&made, bases[i], &layers);
		assert_int_equal(seen(&project, &box, row->disk), row->project);
		assert_int_equal(seen(&layers, &box, row->disk), row->layers);
	}
}

static void owners(const void *p)
{
	const struct owner_row *row = p;
	struct idmap box, project;

	idmap_range_box(&made, BASE, &box);
	idmap_range_project(&made, (struct idmap_owner){ row->owner, row->owner }, BASE,
			    &project);
	assert_int_equal(seen(&project, &box, row->disk), row->project);
}

/* Its group is another number than its user. */
static void groups(void)
{
	struct idmap project;
	uint32_t got = 0;

	idmap_range_project(&made, (struct idmap_owner){ 101, 7 }, BASE, &project);
	assert_int_equal(idmap_host_uid(&project, 0, &got), 0);
	assert_int_equal(got, BASE + 101);
	assert_int_equal(idmap_host_gid(&project, 0, &got), 0);
	assert_int_equal(got, BASE + 7);
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
		assert_true(idmap_has_root(&m));
		m.uid[0].outside = 1000;
		assert_false(idmap_has_root(&m));
		m.uid[0].outside = 0;
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
		{ "a group of another number", groups },
	};

	return unit_rows("idmap_range", rows, ids) +
	       unit_rows("idmap_range owner", owner_rows, owners) +
	       unit_cases("idmap_range others", cases);
}
