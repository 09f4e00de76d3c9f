#include "runtime/cgroup/find.h"

#include <stdio.h>
#include <string.h>

#include "base/def.h"
#include "base/text.h"

const char *const cgroup_find_names[CGROUP_CONTROLLERS] = { "memory", "pids", "cpu",
							    "cpuacct", "freezer" };

enum { LINE = 2 * PATH_MAX + 512, FIELDS = 32 };

/* One mount of a cgroup filesystem. */
struct mount {
	const char *root, *point, *type, *options;
};

static bool is_octal(const char *p)
{
	return p[0] >= '0' && p[0] <= '3' && p[1] >= '0' && p[1] <= '7' &&
	       p[2] >= '0' && p[2] <= '7';
}

/* In place: the kernel writes blanks and backslashes of a path as \ooo. */
static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (*s != '\\' || !is_octal(s + 1)) {
			*to++ = *s;
			continue;
		}
		*to++ = (char)((s[1] - '0') * 64 + (s[2] - '0') * 8 + (s[3] - '0'));
		s += 3;
	}
	*to = '\0';
}

/* "ID PARENT DEV ROOT POINT OPTIONS [TAG…] - TYPE SOURCE SUPEROPTIONS" */
static bool parse_mount(char *line, struct mount *ret)
{
	char *f[FIELDS];
	unsigned n = 0, dash = 6;

	while (n < FIELDS && (f[n] = strsep(&line, " ")))
		n++;
	while (dash < n && strcmp(f[dash], "-") != 0)
		dash++;
	if (dash + 3 >= n)
		return false;
	unescape(f[3]);
	unescape(f[4]);
	*ret = (struct mount){ f[3], f[4], f[dash + 1], f[dash + 3] };
	return true;
}

/* True when @word is in the list with commas. */
static bool has(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = list; p; p = strchr(p, ',')) {
		p += *p == ',';
		if (!strncmp(p, word, n) && (!p[n] || p[n] == ','))
			return true;
	}
	return false;
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

/* The directory of @path in a mount of the tree's part below its root. */
static bool below(const struct mount *m, const char *path, char ret[PATH_MAX])
{
	size_t n = strcmp(m->root, "/") ? strlen(m->root) : 0;

	/* Outside of our cgroup namespace: "/.." is in no mount that we can name. */
	if (strncmp(path, m->root, n) || (path[n] && path[n] != '/') ||
	    !strncmp(path + n, "/..", 3))
		return false;
	path += n;
	if (!strcmp(path, "/"))
		path = "";
	if (strlen(m->point) + strlen(path) >= PATH_MAX)
		return false;
	snprintf(ret, PATH_MAX, "%s%s", m->point, path);
	return true;
}

static void add_v2(const char *self_cgroup, const struct mount *m,
		   struct cgroup_places *ret)
{
	char path[PATH_MAX];

	if (ret->v2_own[0])
		return;
	snprintf(ret->v2_root, PATH_MAX, "%s", m->point);
	if (own_path(self_cgroup, NULL, path))
		(void)below(m, path, ret->v2_own);
}

static void add_v1(const char *self_cgroup, const struct mount *m,
		   struct cgroup_places *ret)
{
	char path[PATH_MAX];

	for (unsigned i = 0; i < CGROUP_CONTROLLERS; i++)
		if (!ret->v1[i][0] && has(m->options, cgroup_find_names[i]) &&
		    own_path(self_cgroup, cgroup_find_names[i], path))
			(void)below(m, path, ret->v1[i]);
}

void cgroup_find(const char *self_cgroup, const char *mountinfo,
		 struct cgroup_places *ret)
{
	char line[LINE];
	struct mount m;

	ret->v2_root[0] = ret->v2_own[0] = '\0';
	for (unsigned i = 0; i < CGROUP_CONTROLLERS; i++)
		ret->v1[i][0] = '\0';
	while (text_line(&mountinfo, line, LINE)) {
		/* Most mounts are others: not taken apart at all. */
		if (!strstr(line, " - cgroup") || !parse_mount(line, &m))
			continue;
		if (!strcmp(m.type, "cgroup2"))
			add_v2(self_cgroup, &m, ret);
		else if (!strcmp(m.type, "cgroup"))
			add_v1(self_cgroup, &m, ret);
	}
}
