#include "rootfs/git/above.h"

#include <string.h>

#include "base/buf.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "rootfs/git/outside.h"
#include "rootfs/git/takeover.h"
#include "rootfs/git/text.h"

enum { LINK_MAX = PATH_MAX + 64 };

/* Of a path in the worktree above, that in the project. */
struct below {
	const char *dir; /* borrowed: the project, in that worktree; "" = the same */
	git_named_fn *fn;
	void *ctx;
};

static void tell(void *ctx, const char *path)
{
	const struct below *b = ctx;

	if (!path || !*b->dir)
		b->fn(b->ctx, path);
	else if (strcmp(path, b->dir) == 0)
		git_named_hooks(b->fn, b->ctx);
	else if (text_is_below(path, b->dir))
		b->fn(b->ctx, path + strlen(b->dir) + 1);
}

/* Where a file says that the git directory is, or its common one. */
static int open_named(int dir, const char *name, bool link, const char *from,
		      char ret[PATH_MAX])
{
	_cleanup_buf_ struct buf text = BUF_INIT(LINK_MAX);
	char to[PATH_MAX];
	int r = takeover_read(dir, name, &text);

	if (r == 0)
		r = link ? git_text_link(buf_cstr(&text), text.len, to)
			 : git_text_path(buf_cstr(&text), text.len, to);
	if (r == 0)
		r = git_outside_path(from, to, ret);
	return r < 0 ? r : sys_open(ret, O_RDONLY | O_DIRECTORY);
}

/* A worktree has settings of its own beside those of its repository. */
static void look_at_link(const struct git_named_at *a, struct below *b)
{
	char own_path[PATH_MAX], path[PATH_MAX];
	_cleanup_close_ int own =
		open_named(a->project, ".git", true, a->root, own_path);
	_cleanup_close_ int common =
		own < 0 ? -1 : open_named(own, "commondir", false, own_path, path);
	struct git_named_at at = *a;

	at.apart = at.elsewhere = true;
	for (int i = 0; i < 2; i++) {
		at.dir = i ? common : own;
		if (at.dir >= 0)
			git_named_in(&at, tell, b);
	}
}

static void look_in(const char *root, const char *up, int tree, git_named_fn *fn,
		    void *ctx)
{
	_cleanup_close_ int git = takeover_open(tree, ".git", O_RDONLY | O_DIRECTORY);
	struct git_named_at at = { up, ".git", true, tree, git, false };
	const char *dir = root + strlen(up);
	struct below b = { dir + (*dir == '/'), fn, ctx };

	if (git >= 0)
		git_named_in(&at, tell, &b);
	else
		look_at_link(&at, &b);
	git_named_user(&at, tell, &b);
}

void git_above_each(const char *root, bool own, git_named_fn *fn, void *ctx)
{
	char up[PATH_MAX], *slash = up;
	struct stat st;

	if (text_copy(up, sizeof(up), root) < 0)
		return;
	for (bool first = true; slash; first = false) {
		_cleanup_close_ int tree =
			first && !own ? -1 : sys_open(up, O_PATH | O_DIRECTORY);

		if (tree >= 0 &&
		    sys_fstatat(tree, ".git", &st, AT_SYMLINK_NOFOLLOW) == 0)
			look_in(root, up, tree, fn, ctx);
		slash = strrchr(up, '/');
		if (slash == up)
			slash = NULL;
		if (slash)
			*slash = '\0';
	}
}
