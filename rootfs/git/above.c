#include "rootfs/git/above.h"

#include <string.h>

#include "base/file.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "rootfs/git/linked.h"
#include "rootfs/git/takeover.h"

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

static void look_in(const char *root, const char *up, int tree, git_named_fn *fn,
		    void *ctx)
{
	_cleanup_close_ int git = takeover_open(tree, ".git", O_RDONLY | O_DIRECTORY);
	struct git_named_at at = { up, ".git", true, tree, git, NULL };
	const char *dir = root + strlen(up);
	struct below b = { dir + (*dir == '/'), fn, ctx };

	if (git >= 0)
		git_named_in(&at, tell, &b);
	else
		git_linked_each(&at, tell, &b);
	git_named_user(&at, tell, &b);
}

void git_above_each(const char *root, bool own, git_named_fn *fn, void *ctx)
{
	char up[PATH_MAX], *slash = up;

	if (text_copy(up, sizeof(up), root) < 0)
		return;
	for (bool first = true; slash; first = false) {
		_cleanup_close_ int tree =
			first && !own ? -1 : sys_open(up, O_PATH | O_DIRECTORY);

		if (tree >= 0 && file_is_there(tree, ".git"))
			look_in(root, up, tree, fn, ctx);
		slash = strrchr(up, '/');
		if (slash == up)
			slash = NULL;
		if (slash)
			*slash = '\0';
	}
}
