#include "runtime/cgroup/find.h"

#include <stdio.h>
#include <string.h>

#include "base/def.h"
#include "base/file.h"
#include "base/mountinfo.h"
#include "base/sys/sys.h"
#include "base/text.h"

const char *const cgroup_find_names[CGROUP_CONTROLLERS] = { "memory", "pids", "cpu",
							    "cpuacct", "freezer" };

enum {
	LINE = 2 * PATH_MAX + 512,
	CGROUP_TEXT = 64 << 10 /* bytes of /proc/self/cgroup */
};

/* True when @word is in the list with commas. */
static bool has(const char *list, const char *word)
{
	size_t n = strlen(word);

	while (strncmp(list, word, n) != 0 || (list[n] && list[n] != ',')) {
		list += strcspn(list, ",");
		if (!*list++)
			return false;
	}
	return true;
}

/* The path behind "ID:@list-with-controller:"; NULL controller = the v2 line. */
static bool own_path(const char *self_cgroup, const char *controller,
		     char ret[PATH_MAX])
{
	char line[LINE];

	while (text_line(&self_cgroup, line, LINE)) {
		char *rest = line, *id = strsep(&rest, ":");
		char *list = strsep(&rest, ":");

		if (!rest || rest[0] != '/' || strlen(rest) >= PATH_MAX)
			continue;
		if (controller ? !has(list, controller) : strcmp(id, "0") || *list)
			continue;
		memcpy(ret, rest, strlen(rest) + 1);
		return true;
	}
	return false;
}

/* "/.." is outside of our cgroup namespace: in no mount that we can name. */
static void put_place(const struct mountinfo *m, const char *path, char ret[PATH_MAX])
{
	if (strcmp(m->root, "/") != 0 || strncmp(path, "/..", 3) != 0)
		(void)mountinfo_shown(m, path, ret);
}

static void add_v2(const char *self_cgroup, const struct mountinfo *m,
		   struct cgroup_places *ret)
{
	char path[PATH_MAX];

	if (ret->v2_own[0])
		return;
	snprintf(ret->v2_root, PATH_MAX, "%s", m->point);
	if (own_path(self_cgroup, NULL, path))
		put_place(m, path, ret->v2_own);
}

static void add_v1(const char *self_cgroup, const struct mountinfo *m,
		   struct cgroup_places *ret)
{
	char path[PATH_MAX];

	for (unsigned i = 0; i < CGROUP_CONTROLLERS; i++)
		if (!ret->v1[i][0] && has(m->options, cgroup_find_names[i]) &&
		    own_path(self_cgroup, cgroup_find_names[i], path))
			put_place(m, path, ret->v1[i]);
}

void cgroup_find(const char *self_cgroup, const char *mounts, struct cgroup_places *ret)
{
	struct mountinfo m;

	ret->v2_root[0] = ret->v2_own[0] = '\0';
	for (unsigned i = 0; i < CGROUP_CONTROLLERS; i++)
		ret->v1[i][0] = '\0';
	while (mountinfo_next(&mounts, "cgroup", &m)) {
		if (!strcmp(m.type, "cgroup2"))
			add_v2(self_cgroup, &m, ret);
		else if (!strcmp(m.type, "cgroup"))
			add_v1(self_cgroup, &m, ret);
	}
}

int cgroup_find_own(struct cgroup_places *ret, struct err *e)
{
	_cleanup_buf_ struct buf self = BUF_INIT(CGROUP_TEXT);
	_cleanup_buf_ struct buf mounts = BUF_INIT(MOUNTINFO_BYTES);
	int r = file_read(AT_FDCWD, "/proc/self/cgroup", &self, e)
			?: file_read(AT_FDCWD, "/proc/self/mountinfo", &mounts, e);

	if (r == 0)
		cgroup_find(buf_cstr(&self), buf_cstr(&mounts), ret);
	return r;
}
