#include "runtime/monitor/gitnamed.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "rootfs/git/above.h"
#include "rootfs/git/linked.h"
#include "rootfs/git/takeover.h"
#include "rootfs/store/hardlinks.h"

int gitnamed_add(struct gitgate *g, const struct view *v)
{
	if (g->n >= GITGATE_VIEWS)
		return -E2BIG;
	if (!grow_room(g->views, g->n))
		return -ENOMEM;
	g->views[g->n++] = *v;
	return 0;
}

int gitnamed_note(struct gitgate *g, const char *path, ino_t ino)
{
	struct view v = { .git = -1,
			  .upper = -1,
			  .state = -1,
			  .named = true,
			  .ino = ino,
			  .path = strdup(path) };
	int r = v.path ? gitnamed_add(g, &v) : -ENOMEM;

	if (r < 0)
		free(v.path);
	return r;
}

/* ---- other names ------------------------------------------------------------------------- */

static int own_all(int dir, const char *name)
{
	_cleanup_close_ int fd =
		sys_openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	_cleanup_free_ struct hardlinks *links = calloc(1, sizeof(*links));
	int r = fd < 0 ? fd : links ? 0 : -ENOMEM;

	if (r == 0)
		r = hardlinks_break(fd, true, links, ERR_IGNORED);
	return r < 0 ? r : links->kept ? links->why : links->incomplete ? -E2BIG : 0;
}

/* A file of the host's, or what is in a directory, has no other name (hard link) any more: one
 * in the project, the box could write to. 0, also if it is not there; a negative errno: it has
 * one, perhaps. */
static int own_one(int project, const char *path)
{
	const char *name;
	_cleanup_close_ int dir = takeover_parent(project, path, false, &name);
	struct stat st;
	int r = dir < 0 ? dir : sys_fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW);

	if (r == 0)
		r = S_ISDIR(st.st_mode) ? own_all(dir, name)
					: hardlinks_break_one(dir, name);
	return r == -ENOENT ? 0 : r;
}

/* Not objects, which are known by their sums and shared by clones; nor what names them. */
void gitnamed_own_git(int project, const char *path)
{
	static const char *const parts[] = { "config", "config.worktree", "commondir",
					     "gitdir", "hooks",		  "info" };
	_cleanup_close_ int git = takeover_open(project, path, O_RDONLY | O_DIRECTORY);

	if (git == -ENOTDIR)
		(void)own_one(project, path);
	for (size_t i = 0; git >= 0 && i < ARRAY_SIZE(parts); i++)
		(void)own_one(git, parts[i]);
}

/* ---- what settings name ------------------------------------------------------------------ */

struct named {
	struct gitgate *g;
	gitwork_say_fn *say;
	void *ctx;
	bool more; /* said */
};

static void say_more(struct named *n)
{
	if (n->say && !n->more)
		n->say(n->ctx,
		       "git's settings on this machine have a line that cubby does not "
		       "understand: what they name behind it can be written by the box");
	n->more = true;
}

static void guard_named(void *ctx, const char *path)
{
	static const char *const how[] = { "is read-only in the box:",
					   "can be written by the box, though" };
	struct named *n = ctx;
	_cleanup_close_ int fd = -1;
	struct stat st = { .st_ino = 0 };
	char line[PATH_MAX + 128];
	int r, own;

	if (!path) {
		say_more(n);
		return;
	}
	for (size_t i = 0; i < n->g->n; i++)
		if (n->g->views[i].named && strcmp(n->g->views[i].path, path) == 0)
			return;
	own = own_one(n->g->project, path);
	fd = takeover_open(n->g->project, path, O_PATH);
	r = fd < 0 ? fd : sys_fstat(fd, &st);
	r = r < 0 && r != -ENOENT ? r : gitnamed_note(n->g, path, st.st_ino) ?: own;
	if (!n->say || (r == 0 && !st.st_ino))
		return;
	snprintf(line, sizeof(line), "%s %s git on the host acts on it",
		 text_shown(path), how[r < 0]);
	n->say(n->ctx, line);
}

/* Settings of the user count also in a repository that the project has not yet. */
void gitnamed_find(struct gitgate *g, gitwork_say_fn *say, void *ctx)
{
	const char *root = g->spec->project;
	struct named named = { g, say, ctx, false };
	struct git_named_at at = { root, ".git", false, g->project, -1, NULL };
	bool user = git_named_user(&at, guard_named, &named);

	for (size_t i = 0, n = g->n; i < n; i++) {
		const struct view *v = &g->views[i];

		at.git = v->outside ? ".git" : v->path;
		at.apart = !v->outside || v->own.git < 0;
		at.dir = v->git;
		at.place = v->outside ? v->path : NULL;
		if (!text_ends(at.git, ".git"))
			continue;
		if (user)
			git_named_user(&at, guard_named, &named);
		if (at.dir >= 0)
			git_named_in(&at, guard_named, &named);
		else
			(void)git_linked_each(&at, guard_named, &named);
	}
	git_above_each(root, false, guard_named, &named);
}

bool gitnamed_changed(const struct gitgate *g, size_t *at, char ret[PATH_MAX])
{
	while (*at < g->n) {
		const struct view *v = &g->views[(*at)++];

		if (v->named && git_named_changed(g->project, v->path, v->ino, ret))
			return true;
	}
	return false;
}
