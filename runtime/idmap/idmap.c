/* idmap - the map as a value: names, lookup, JSON, and what the child does with it.
 * choose.c finds the best one, write.c gives it to a namespace. */
#include "runtime/idmap/idmap.h"

#include <errno.h>
#include <string.h>

#include "base/sys/sys.h"

static const struct idmap_traits kinds[] = {
	[IDMAP_SUBUID] = { .name = "subuid",
			   .delegated = true,
			   .shared =
				   "the account's pipes, inotify, descriptors in flight",
			   .no_owner =
				   "only root of a machine can map the ids of a mount" },
	[IDMAP_SINGLE] = { .name = "single",
			   .single = true,
			   .shared =
				   "the account, all that the kernel counts by user" },
	[IDMAP_ROOT] = { .name = "root",
			 .apart = true,
			 .by_root = true,
			 .shared = "nothing: each that runs has ids of its own" },
	[IDMAP_REAL] = { .name = "real-root",
			 .by_root = true,
			 .shared = "root, all that the kernel counts by user",
			 .no_owner =
				 "its filesystem, or this container, cannot map the "
				 "ids of a mount" },
};

const struct idmap_traits *idmap_traits(const struct idmap *m)
{
	return &kinds[m->kind];
}

const char *idmap_kind_name(enum idmap_kind kind)
{
	return (size_t)kind < ARRAY_SIZE(kinds) ? kinds[kind].name : "unknown";
}

int idmap_kind_parse(const char *name, enum idmap_kind *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (strcmp(name, kinds[i].name) != 0)
			continue;
		*ret = (enum idmap_kind)i;
		return 0;
	}
	/* Of boxes that are not started any more (idmap_outdated()). */
	if (strcmp(name, "identity") != 0)
		return -EINVAL;
	*ret = IDMAP_REAL;
	return 0;
}

bool idmap_has_root(const struct idmap *m)
{
	for (unsigned i = 0; i < m->n_uid; i++)
		if (m->uid[i].outside == 0)
			return true;
	return false;
}

bool idmap_outdated(const struct idmap *m)
{
	return m->kind == IDMAP_REAL && m->n_uid == 1;
}

int idmap_adopt(const struct idmap *m, struct err *e)
{
	int r = 0;

	/* In a single map setgroups is denied: the caller's groups stay (they show as
	 * 65534 and still count on files). */
	if (!idmap_traits(m)->single)
		r = sys_setgroups(0, NULL);
	if (r < 0)
		return err_sys(e, r, "cannot leave the caller's groups");
	r = sys_setresgid(0, 0, 0);
	if (r < 0)
		return err_sys(e, r, "cannot become group 0 of the box");
	r = sys_setresuid(0, 0, 0);
	return r < 0 ? err_sys(e, r, "cannot become user 0 of the box") : 0;
}

static int host_id(const struct idmap_range *at, unsigned n, uint32_t inside,
		   uint32_t *ret)
{
	for (unsigned i = 0; i < n; i++) {
		if (inside < at[i].inside || inside - at[i].inside >= at[i].count)
			continue;
		*ret = at[i].outside + (inside - at[i].inside);
		return 0;
	}
	return -ERANGE;
}

int idmap_host_uid(const struct idmap *m, uint32_t inside, uint32_t *ret)
{
	return host_id(m->uid, m->n_uid, inside, ret);
}

int idmap_host_gid(const struct idmap *m, uint32_t inside, uint32_t *ret)
{
	return host_id(m->gid, m->n_gid, inside, ret);
}

/* ---- JSON: { "kind": "subuid", "uid": [[0, 1000, 1], …], "gid": … } ------------- */

static struct json *ranges_to_json(const struct idmap_range *at, unsigned n)
{
	struct json *list = json_array();

	for (unsigned i = 0; i < n; i++) {
		struct json *one = json_array();

		json_add(one, json_number(at[i].inside));
		json_add(one, json_number(at[i].outside));
		json_add(one, json_number(at[i].count));
		json_add(list, one);
	}
	return list;
}

struct json *idmap_to_json(const struct idmap *m)
{
	_cleanup_json_ struct json *j = json_object();

	json_set_str(j, "kind", idmap_kind_name(m->kind));
	json_set(j, "uid", ranges_to_json(m->uid, m->n_uid));
	json_set(j, "gid", ranges_to_json(m->gid, m->n_gid));
	return json_failed(j) ? NULL : take(&j, NULL);
}

static int id_from_json(const struct json *j, uint32_t *ret)
{
	int64_t v;

	if (json_int(j, &v) < 0 || v < 0 || v > UINT32_MAX)
		return -EINVAL;
	*ret = (uint32_t)v;
	return 0;
}

static int range_from_json(const struct json *j, struct idmap_range *ret)
{
	const struct json *a = json_first(j), *b = a ? json_next(a) : NULL;
	const struct json *c = b ? json_next(b) : NULL;

	if (json_type(j) != JSON_ARRAY || json_len(j) != 3 ||
	    id_from_json(a, &ret->inside) < 0 || id_from_json(b, &ret->outside) < 0 ||
	    id_from_json(c, &ret->count) < 0 || !ret->count ||
	    ret->count > UINT32_MAX - ret->inside ||
	    ret->count > UINT32_MAX - ret->outside)
		return -EINVAL;
	return 0;
}

static int ranges_from_json(const struct json *list, struct idmap_range *at,
			    unsigned *ret)
{
	unsigned n = 0;

	if (json_type(list) != JSON_ARRAY || !json_len(list) ||
	    json_len(list) > IDMAP_RANGES)
		return -EINVAL;
	json_each(it, list)
	{
		if (range_from_json(it, &at[n++]) < 0)
			return -EINVAL;
	}
	*ret = n;
	return 0;
}

int idmap_from_json(const struct json *j, struct idmap *ret, struct err *e)
{
	const char *kind = json_get_str(j, "kind");
	struct idmap m = { 0 };

	if (!kind || idmap_kind_parse(kind, &m.kind) < 0)
		return err_set(e, -EINVAL, "id map: no known kind");
	if (ranges_from_json(json_get(j, "uid"), m.uid, &m.n_uid) < 0)
		return err_set(e, -EINVAL, "id map: bad 'uid'");
	if (ranges_from_json(json_get(j, "gid"), m.gid, &m.n_gid) < 0)
		return err_set(e, -EINVAL, "id map: bad 'gid'");
	*ret = m;
	return 0;
}
