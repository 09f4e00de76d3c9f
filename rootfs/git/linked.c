#include "rootfs/git/linked.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "rootfs/git/outside.h"
#include "rootfs/git/takeover.h"
#include "rootfs/git/text.h"

enum { LINK_MAX = PATH_MAX + 64 };

/* Beneath the project by its descriptor: a confined process has no other way to it. */
static int open_path(const struct git_named_at *a, const char *path)
{
	const size_t n = strlen(a->root);
	int fd = -ENOENT;

	if (strncmp(path, a->root, n) == 0 && path[n] == '/')
		fd = takeover_open(a->project, path + n + 1, O_RDONLY | O_DIRECTORY);
	return fd >= 0 ? fd : sys_open(path, O_RDONLY | O_DIRECTORY);
}

/* Where a file says that the git directory is, or its common one. */
static int open_named(const struct git_named_at *a, int dir, const char *name,
		      bool link, const char *from, char ret[PATH_MAX])
{
	_cleanup_buf_ struct buf text = BUF_INIT(LINK_MAX);
	char to[PATH_MAX];
	int r = takeover_read(dir, name, &text);

	if (r == 0)
		r = link ? git_text_link(buf_cstr(&text), text.len, to)
			 : git_text_path(buf_cstr(&text), text.len, to);
	if (r == 0)
		r = git_outside_path(from, to, ret);
	return r < 0 ? r : open_path(a, ret);
}

bool git_linked_each(const struct git_named_at *a, git_named_fn *fn, void *ctx)
{
	char from[2 * PATH_MAX], own_path[PATH_MAX], path[PATH_MAX];
	const char *slash = strrchr(a->git, '/');
	_cleanup_close_ int own = -1, common = -1;
	struct git_named_at at = *a;

	snprintf(from, sizeof(from), "%s%s%.*s", a->root, slash ? "/" : "",
		 slash ? (int)(slash - a->git) : 0, a->git);
	own = open_named(a, a->project, a->git, true, from, own_path);
	if (own < 0)
		return false;
	at.dir = own;
	at.place = own_path;
	at.apart = true;
	git_named_in(&at, fn, ctx);
	common = open_named(a, own, "commondir", false, own_path, path);
	if (common < 0)
		return true;
	at.dir = common;
	at.place = path;
	at.apart = false; /* of a worktree's repository it is the main one's */
	git_named_in(&at, fn, ctx);
	return true;
}
