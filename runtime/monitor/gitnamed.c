#include "runtime/monitor/gitnamed.h"

#include <string.h>

#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "rootfs/git/above.h"
#include "rootfs/git/named.h"
#include "rootfs/git/takeover.h"

int gitnamed_note(struct gitgate *g, const char *path)
{
	struct view v = { .git = -1, .upper = -1, .state = -1, .named = true };
	struct stat st = { .st_ino = 0 };
	_cleanup_close_ int fd = takeover_open(g->project, path, O_PATH);
	int r = fd < 0 ? fd : sys_fstat(fd, &st);

	if (r < 0 && r != -ENOENT)
		return r;
	if (g->n >= GITGATE_VIEWS)
		return -E2BIG;
	v.ino = st.st_ino;
	v.path = strdup(path);
	if (!v.path)
		return -ENOMEM;
	g->views[g->n++] = v;
	return 0;
}

struct named {
	struct gitgate *g;
	gitwork_say_fn *say;
	void *ctx;
};

static void guard_named(void *ctx, const char *path)
{
	static const char *const how[] = { "is read-only in the box:",
					   "can be written by the box, though" };
	const struct named *n = ctx;
	char line[PATH_MAX + 128];
	int r;

	for (size_t i = 0; i < n->g->n; i++)
		if (n->g->views[i].named && strcmp(n->g->views[i].path, path) == 0)
			return;
	r = gitnamed_note(n->g, path);
	if (!n->say || (r == 0 && !n->g->views[n->g->n - 1].ino))
		return;
	snprintf(line, sizeof(line), "%s %s git on the host acts on it",
		 text_shown(path), how[r < 0]);
	n->say(n->ctx, line);
}

/* Settings of the user count also in a repository that the project has not yet. */
void gitnamed_find(struct gitgate *g, gitwork_say_fn *say, void *ctx)
{
	const char *root = g->spec->project;
	struct named named = { g, say, ctx };
	struct git_named_at at = { root, ".git", false, g->project, -1, false };
	bool user = git_named_user(&at, guard_named, &named);

	for (size_t i = 0, n = g->n; i < n; i++) {
		const struct view *v = &g->views[i];

		at.git = v->outside ? ".git" : v->path;
		at.apart = !v->outside || v->own.git < 0;
		at.dir = v->git;
		at.elsewhere = v->outside;
		if (v->git < 0 || !text_ends(at.git, ".git"))
			continue;
		if (user)
			git_named_user(&at, guard_named, &named);
		git_named_in(&at, guard_named, &named);
	}
	git_above_each(root, guard_named, &named);
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
