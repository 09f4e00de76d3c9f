#include "runtime/worker/alias.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dirscan.h"
#include "base/grow.h"
#include "base/inroot.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "runtime/spec/effects.h"

enum { ALIASES = 2048, DEPTH = 3 };

void aliases_done(struct aliases *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->list[i].path);
	free(a->list);
	*a = (struct aliases){ .list = NULL };
}

void aliases_add(struct aliases *a, const char *path, const char *why)
{
	char *copy;

	if (!*path || a->n == ALIASES || !grow_room(a->list, a->n))
		return;
	copy = strdup(path);
	if (copy)
		a->list[a->n++] = (struct alias){ copy, why };
}

static void look_link(struct aliases *a, int dir, const char *name, const char *path,
		      const char *why)
{
	char target[PATH_MAX], all[2 * PATH_MAX], way[PATH_MAX];
	ssize_t n = sys_readlinkat(dir, name, target, sizeof(target) - 1);
	const char *slash = strrchr(path, '/');

	if (n <= 0 || effects_leaves(path, strlen(path), target, (size_t)n))
		return;
	target[n] = '\0';
	snprintf(all, sizeof(all), "%.*s/%s", slash ? (int)(slash - path) : 0, path,
		 target);
	if (inroot_settle(all, way))
		aliases_add(a, way, why);
}

/* Some filesystems do not tell it with the name. */
static unsigned char type_of(int dir, const struct dirscan *it)
{
	struct stat st;

	if (it->type != DT_UNKNOWN ||
	    sys_fstatat(dir, it->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return it->type;
	return S_ISLNK(st.st_mode) ? DT_LNK : S_ISDIR(st.st_mode) ? DT_DIR : DT_REG;
}

static void scan(struct aliases *a, int dir, const char *above, unsigned depth)
{
	_cleanup_free_ struct dirscan *s = malloc(sizeof(*s));

	if (!s)
		return;
	dirscan_start(s, dir);
	while (dirscan_next(s)) {
		const unsigned char type = type_of(dir, s);
		_cleanup_close_ int below = -1;
		struct effect x;
		char path[PATH_MAX];

		if ((type != DT_LNK && type != DT_DIR) ||
		    strcmp(s->name, ".git") == 0 ||
		    snprintf(path, sizeof(path), "%s%s%s", above, *above ? "/" : "",
			     s->name) >= PATH_MAX)
			continue;
		x = effects_of_path(path, strlen(path));
		if (x.class == EFFECTS_HELD && type == DT_LNK)
			look_link(a, dir, s->name, path, x.why);
		if (type != DT_DIR || depth == DEPTH ||
		    (x.class != EFFECTS_HELD && !effects_is_above(path)))
			continue;
		below = sys_openat(dir, s->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW,
				   0);
		if (below >= 0)
			scan(a, below, path, depth + 1);
	}
}

void aliases_find(int project, struct aliases *ret)
{
	_cleanup_close_ int top = sys_openat(project, ".", O_RDONLY | O_DIRECTORY, 0);
	struct aliases a = { .list = NULL };

	if (top >= 0)
		scan(&a, top, "", 0);
	*ret = a;
}

const char *aliases_why(const struct aliases *a, const char *path)
{
	for (size_t i = 0; i < a->n; i++)
		if (text_is_in(path, a->list[i].path))
			return a->list[i].why;
	return NULL;
}
