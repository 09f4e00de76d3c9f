#include "runtime/mount/mounts.h"

#include <string.h>

#include "base/inroot.h"
#include "base/procfs.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "runtime/cause/cause.h"

/* ---- targets --------------------------------------------------------------------- */

static int target_file(int root, const char *path)
{
	_cleanup_close_ int parent = -1, fd = -1;
	const char *name;
	int r;

	fd = inroot_open(root, path, O_PATH);
	if (fd != -ENOENT)
		return take(&fd, -1);
	parent = inroot_parent(root, path, &name);
	if (parent < 0)
		return parent;
	r = sys_openat(parent, name, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, 0644);
	if (r < 0)
		return r;
	scope_close(&r);
	return inroot_open(root, path, O_PATH);
}

/* A link where the box must have a directory of its own is replaced, never followed: an
 * image whose /dev points at a directory of the host's gets a /dev all the same. */
static int target_own(int root, const char *path)
{
	_cleanup_close_ int parent = -1, fd = -1;
	const char *name;
	int r;

	parent = inroot_parent(root, path, &name);
	if (parent < 0)
		return parent;
	for (int i = 0; i < 2; i++) {
		fd = sys_openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
		if (fd != -ENOENT && fd != -ENOTDIR && fd != -ELOOP)
			return take(&fd, -1);
		r = fd == -ENOENT ? 0 : sys_unlinkat(parent, name, 0);
		if (r < 0)
			return r;
		r = sys_mkdirat(parent, name, 0755);
		if (r < 0)
			return r;
	}
	return fd;
}

int mounts_target(int root, const char *path, enum mounts_kind kind, struct err *e)
{
	int fd;

	if (kind == MOUNTS_OWN)
		fd = target_own(root, path);
	else if (kind == MOUNTS_FILE)
		fd = target_file(root, path);
	else
		fd = inroot_mkdirs(root, path, 0755);
	if (fd < 0)
		return err_sys(e, fd, "cannot prepare '%s' in the box",
			       text_shown(path));
	return fd;
}

/* ---- mounting -------------------------------------------------------------------- */

int mounts_fresh(int target, const struct mounts_fs *fs, struct err *e)
{
	int r = sys_mount(fs->type, procfs_fd(target), fs->type, fs->flags, fs->data);

	return r < 0 ? err_sys(e, r, "cannot mount %s", fs->type) : 0;
}

/* For a whole tree at once, or not at all: before Linux 5.12 a remount could have had but
 * its top, and what is mounted below would have kept set-id programs and devices. */
static int set_attrs(int tree, bool recursive, uint64_t attrs)
{
	struct mount_attr a = { .attr_set = attrs };

	if (!attrs)
		return 0;
	return sys_mount_setattr(tree, "",
				 AT_EMPTY_PATH | (recursive ? AT_RECURSIVE : 0), &a);
}

int mounts_tree(int dirfd, const char *path, bool recursive, uint64_t attrs,
		struct err *e)
{
	_cleanup_close_ int tree = -1;
	int r;

	tree = sys_open_tree(dirfd, path,
			     AT_EMPTY_PATH | OPEN_TREE_CLONE |
				     (recursive ? (unsigned)AT_RECURSIVE : 0));
	r = tree < 0 ? tree : set_attrs(tree, recursive, attrs);
	if (r < 0)
		err_sys(e, r, "cannot bind '%s'", text_shown(path));
	if (r == -ENOSYS)
		return cause_explain(PROBE_STEP_MOUNT, e);
	if (r < 0)
		return r;
	return take(&tree, -1);
}

int mounts_project(const char *path, bool read_only, struct err *e)
{
	uint64_t attrs = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV |
			 (read_only ? MOUNT_ATTR_RDONLY : 0);
	_cleanup_close_ int dir = inroot_open_real(path, O_PATH | O_DIRECTORY);

	if (dir == -ELOOP || dir == -ENOTDIR)
		return err_set(e, dir, "directory '%s' was replaced meanwhile",
			       text_shown(path));
	if (dir < 0)
		return err_sys(e, dir, "cannot open directory '%s'", text_shown(path));
	return mounts_tree(dir, "", true, attrs, e);
}

int mounts_place(int tree, int target, struct err *e)
{
	int r = sys_move_mount(tree, "", target, "",
			       MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);

	return r < 0 ? err_sys(e, r, "cannot attach a mount") : 0;
}

int mounts_bind(int source, int target, uint64_t attrs, struct err *e)
{
	_cleanup_close_ int tree = mounts_tree(source, "", false, attrs, e);

	return tree < 0 ? tree : mounts_place(tree, target, e);
}
