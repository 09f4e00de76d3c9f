#include "runtime/mount/project.h"

#include <string.h>

#include "base/scope.h"
#include "base/sys/sys.h"
#include "runtime/mount/mounts.h"

enum { GUARD = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV };

/* The lower is what lies there: an idmapped mount in the root map (5.19). */
static int mount_view(int place, const char *dir, struct err *e)
{
	char options[256];
	struct mounts_fs fs = { .type = "overlay",
				.flags = MS_NOSUID | MS_NODEV,
				.data = options };

	snprintf(options, sizeof(options),
		 "lowerdir=/proc/self/fd/%d,upperdir=box/%s/upper,workdir=box/%s/work,"
		 "userxattr,index=off,metacopy=off",
		 place, dir, dir);
	return mounts_fresh(place, &fs, e);
}

/* Without user.* attributes the mount works, and replacing a directory fails later. */
static int mount_review(int project, struct err *e)
{
	ssize_t n = sys_getxattr("box/project/upper", "user.overlay.opaque", NULL, 0);
	int r = n == -EOPNOTSUPP
			? err_set(e, (int)n,
				  "the store's filesystem has no user.* attributes")
			: mount_view(project, "project", e);

	return r < 0 && !err_is_shortage(r) ? e->code = MOUNT_PROJECT_NO_VIEW : r;
}

int mount_project_cover(int place, const char *dir, int *failed, struct err *e)
{
	struct err why = ERR_NONE;
	int r = dir ? mount_view(place, dir, &why) : -ENOENT;

	if (r == 0)
		return 0;
	if (dir)
		*failed = r;
	return mounts_bind(place, place, GUARD, e);
}

/* A place that has gone meanwhile is nobody's. */
static int guard(int project, const char *kind, const char *path, const char *id,
		 int *failed, struct err *e)
{
	_cleanup_close_ int place = sys_openat2(project, path, O_PATH | O_NOFOLLOW, 0,
						RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
	char dir[64];
	struct stat st;
	int r = place < 0 ? place : sys_fstat(place, &st);

	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return err_sys(e, r, "cannot open a git directory in the box");
	snprintf(dir, sizeof(dir), "git/%s", id);
	return mount_project_cover(place, *kind == 'v' ? dir : NULL, failed, e);
}

static int guard_all(int project, const struct mount_project_conf *conf, struct err *e)
{
	const char *at = buf_cstr(conf->git), *end = at + conf->git->len;
	int r = 0;

	while (at < end && r == 0) {
		const char *kind = at, *path = kind + strlen(kind) + 1;
		const char *id = path + strlen(path) + 1;

		if (*path != '/') /* else it is mount_outside()'s */
			r = guard(project, kind, path, id, conf->git_failed, e);
		at = id + strlen(id) + 1;
	}
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
	_cleanup_close_ int target = mounts_target(root, conf->path, MOUNTS_DIR, e);
	int r;

	if (target < 0)
		return target;
	r = mounts_place(conf->tree, target, e);
	if (r < 0)
		return err_wrap(e, "cannot mount the project directory");
	/* By its descriptor: links of the box's, on the same path again, could lead below. */
	r = conf->review ? mount_review(conf->tree, e) : guard_all(conf->tree, conf, e);
	return r < 0 ? r : link_workspace(root, conf->path, e);
}
