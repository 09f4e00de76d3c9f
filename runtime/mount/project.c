#include "runtime/mount/project.h"

#include <string.h>

#include "base/inroot.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "runtime/mount/mounts.h"

/* What git on the host would run or obey. */
static const char *const guarded[] = { "hooks", "config" };

/* Only what is there as itself: a link's target is guarded by nothing but the check
 * after the task. */
static int open_own(int dir, const char *name, mode_t *type)
{
	_cleanup_close_ int fd = sys_openat(dir, name, O_PATH | O_NOFOLLOW, 0);
	struct stat st;
	int r;

	if (fd < 0)
		return fd;
	r = sys_fstat(fd, &st);
	if (r < 0)
		return r;
	*type = st.st_mode & S_IFMT;
	return *type == S_IFLNK ? -ENOENT : take(&fd, -1);
}

static int guard(int git, const char *name, struct err *e)
{
	mode_t type;
	_cleanup_close_ int fd = open_own(git, name, &type);

	if (fd < 0)
		return 0; /* missing: named after the task, should the box make it */
	return mounts_bind(fd, fd,
			   MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, e);
}

/* .git is bound on itself first, so that it cannot be renamed away: the parent of a
 * mount point can be, and would take the guards with it. */
static int guard_git(int project, struct err *e)
{
	_cleanup_close_ int plain = -1, tree = -1, git = -1;
	mode_t type = 0;
	int r;

	plain = open_own(project, ".git", &type);
	if (plain < 0 || type != S_IFDIR)
		return 0; /* no repository, or a worktree whose .git is a file */
	tree = mounts_tree(plain, "", true, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, e);
	if (tree < 0)
		return tree;
	r = mounts_place(tree, plain, e);
	if (r < 0)
		return r;
	git = sys_openat(project, ".git", O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
	if (git < 0)
		return err_sys(e, git, "cannot open '.git' in the box");
	for (size_t i = 0; i < ARRAY_SIZE(guarded) && r >= 0; i++)
		r = guard(git, guarded[i], e);
	return r;
}

/* /workspace points at the project. A directory of that name in the image stays. */
static int link_workspace(int root, const char *path, struct err *e)
{
	char now[PATH_MAX];
	ssize_t n = sys_readlinkat(root, "workspace", now, sizeof(now) - 1);
	int r;

	if (n == -EINVAL || strcmp(path, "/workspace") == 0)
		return 0;
	if (n >= 0) {
		now[n] = '\0';
		if (strcmp(now, path) == 0)
			return 0;
		r = sys_unlinkat(root, "workspace", 0);
		if (r < 0)
			return err_sys(e, r, "cannot replace '/workspace' in the box");
	}
	r = sys_symlinkat(path, root, "workspace");
	return r < 0 ? err_sys(e, r, "cannot make '/workspace' in the box") : 0;
}

int mount_project(int root, const struct mount_project_conf *conf, struct err *e)
{
	_cleanup_close_ int target = -1, project = -1;
	int r;

	target = mounts_target(root, conf->path, MOUNTS_DIR, e);
	if (target < 0)
		return target;
	r = mounts_place(conf->tree, target, e);
	if (r < 0)
		return err_wrap(e, "cannot mount the project directory");
	project = inroot_open(root, conf->path, O_PATH | O_DIRECTORY);
	if (project < 0)
		return err_sys(e, project, "cannot open the project directory inside");
	if (!conf->git_writable)
		r = guard_git(project, e);
	return r < 0 ? r : link_workspace(root, conf->path, e);
}
