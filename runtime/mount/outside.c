/* Theory of operation
 *
 *   COMMON                   the host's, and over it a view
 *   COMMON/modules           empty, if there is one
 *   COMMON/worktrees         a small filesystem that has one directory
 *   COMMON/worktrees/NAME    the host's, and over it a view of its own
 *
 * It is put together on the stage, by descriptors and names of ours, and moved to its place
 * at the end: there a link of the box's root, followed twice, could lead below what was just
 * mounted, which would then not be what is covered. It is mounted before the project: no such
 * link can lead it there. */
#include "runtime/mount/outside.h"

#include <string.h>

#include "base/inroot.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "runtime/mount/mounts.h"
#include "runtime/mount/project.h"

enum { ATTRS = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV };

static const char stage[] = "outside";

struct outside {
	bool view;
	const char *common, *common_dir; /* borrowed, as all of it; dir: of the view */
	const char *tree, *tree_dir;	 /* "" = none */
};

static bool find_outside(const struct buf *git, struct outside *ret)
{
	const char *at = buf_cstr(git), *end = at + git->len;

	*ret = (struct outside){ .tree = "" };
	while (at < end) {
		const char *kind = at, *path = kind + strlen(kind) + 1;
		const char *dir = path + strlen(path) + 1;

		if (*kind == MOUNT_OUTSIDE_VIEW || *kind == MOUNT_OUTSIDE_READ) {
			ret->view = *kind == MOUNT_OUTSIDE_VIEW;
			ret->common = path;
			ret->common_dir = dir;
		} else if (*kind == MOUNT_OUTSIDE_TREE) {
			ret->tree = path;
			ret->tree_dir = dir;
		}
		at = dir + strlen(dir) + 1;
	}
	return ret->common;
}

bool mount_outside_is(const struct buf *git)
{
	struct outside ignored;

	return find_outside(git, &ignored);
}

int mount_outside_open(const struct buf *git, int *ret, struct err *e)
{
	_cleanup_close_ int fd = -1;
	struct outside o;
	int tree;

	*ret = -1;
	if (!find_outside(git, &o))
		return 0;
	fd = inroot_open_real(o.common, O_PATH | O_DIRECTORY);
	if (fd < 0)
		return err_sys(e, fd, "cannot open the project's repository");
	tree = mounts_tree(fd, "", true, ATTRS, e);
	if (tree < 0)
		return err_wrap(e, "the project's repository");
	*ret = tree;
	return 0;
}

/* ---- in the box --------------------------------------------------------------------------- */

/* A link of the image, or of the box, may lead it to another mount. */
static int check_target(int root, int target, struct err *e)
{
	static const char *const own[] = { "", "tmp", "run" };
	uint64_t is, id;
	struct stat x, y;
	bool fit = false;

	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		fit |= sys_mount_id(target, "", &is) == 0 &&
		       sys_mount_id(root, own[i], &id) == 0 && is == id;
	if (!fit || sys_fstat(root, &x) < 0 || sys_fstat(target, &y) < 0 ||
	    (x.st_dev == y.st_dev && x.st_ino == y.st_ino))
		return err_set(e, -EPERM,
			       "the place of the project's repository does not lie on "
			       "the box's own root");
	return 0;
}

static int open_beneath(int dir, const char *path)
{
	return sys_openat2(dir, path, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0,
			   RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
}

/* The one that is open here would be below what is mounted on it. */
static int reopen(const char *name)
{
	_cleanup_close_ int top = sys_open(stage, O_PATH | O_DIRECTORY);

	return top < 0 ? top : open_beneath(top, name);
}

/* @own: a directory in it that is shown; -1 = none */
static int hide(const struct outside *o, const char *name, int own, int *failed,
		struct err *e)
{
	static const struct mounts_fs empty = {
		.type = "tmpfs",
		.flags = MS_NOSUID | MS_NODEV | MS_NOEXEC,
		.data = "mode=755,uid=0,gid=0,nr_inodes=4,size=4k",
	};
	struct mount_attr ro = { .attr_set = MOUNT_ATTR_RDONLY };
	_cleanup_close_ int below = reopen(name), top = -1, place = -1;
	const char *last = strrchr(o->tree, '/');
	int r;

	/* None, or what the box has made in the place of one. */
	if ((below == -ENOENT || below == -ENOTDIR || below == -ELOOP) && own < 0)
		return 0;
	if (below < 0)
		return err_sys(e, below, "cannot open the project's repository");
	r = mounts_fresh(below, &empty, e);
	if (r < 0)
		return r;
	top = reopen(name);
	r = top;
	if (r >= 0 && own >= 0)
		r = sys_mkdirat(top, last + 1, 0755);
	if (r >= 0)
		r = sys_mount_setattr(top, "", AT_EMPTY_PATH, &ro);
	if (r < 0)
		return err_sys(e, r, "cannot hide what is other worktrees'");
	if (own < 0)
		return 0;
	place = open_beneath(top, last + 1);
	if (place < 0)
		return err_sys(e, place, "cannot open the worktree's own files");
	r = mounts_bind(own, place, ATTRS, e);
	scope_close(&place);
	place = r < 0 ? -1 : open_beneath(top, last + 1);
	if (r < 0)
		return r;
	return place < 0 ? err_sys(e, place, "cannot open the worktree's own files")
			 : mount_project_cover(place,
					       o->view && !*failed ? o->tree_dir : NULL,
					       failed, e);
}

static int put_together(const struct outside *o, int tree, int *failed, struct err *e)
{
	_cleanup_close_ int place = -1, own = -1;
	int r = sys_mkdirat(AT_FDCWD, stage, 0755);

	place = r < 0 ? r : sys_open(stage, O_PATH | O_DIRECTORY);
	if (place < 0)
		return err_sys(e, place, "cannot make '%s' on the stage", stage);
	r = mounts_place(tree, place, e);
	if (r < 0)
		return r;
	if (*o->tree) {
		own = open_beneath(tree, o->tree + strlen(o->common) + 1);
		if (own < 0)
			return err_sys(e, own, "cannot open the worktree's own files");
	}
	r = mount_project_cover(tree, o->view ? o->common_dir : NULL, failed, e)
		    ?: hide(o, "worktrees", own, failed, e);
	return r < 0 ? r : hide(o, "modules", -1, failed, e);
}

int mount_outside(int root, int tree, const struct buf *git, int *failed, struct err *e)
{
	_cleanup_close_ int target = -1;
	struct outside o;
	int r;

	if (!find_outside(git, &o))
		return 0;
	target = mounts_target(root, o.common, MOUNTS_DIR, e);
	if (target < 0)
		return target;
	r = check_target(root, target, e) ?: put_together(&o, tree, failed, e) ?:
		mounts_place(tree, target, e);
	return r < 0 ? err_wrap(e, "the project's repository") : 0;
}
