#include "runtime/mount/volumes.h"

#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

#include "base/file.h"
#include "base/inroot.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "runtime/mount/mounts.h"

_Static_assert(SPEC_VOLUMES == 8, "MOUNT_VOLUMES_NONE has as many");

void mount_volumes_close(struct mount_volumes *v)
{
	scope_close_set(v->tree, SPEC_VOLUMES);
	*v = MOUNT_VOLUMES_NONE;
}

/* ---- each ------------------------------------------------------------------------ */

typedef int each_fn(void *ctx, const struct spec_volume *v, unsigned i, struct err *e);

static int failed(const struct spec_volume *v, struct err *e)
{
	return err_wrap(e, "volume '%s'", text_shown(v->source));
}

static int for_each(const struct spec *spec, each_fn *fn, void *ctx, struct err *e)
{
	_cleanup_free_ struct spec_volume *v = calloc(1, sizeof(*v));
	unsigned i = 0;

	if (!v)
		return err_sys(e, -ENOMEM, "cannot mount volumes");
	if (json_len(spec->volumes) > SPEC_VOLUMES)
		return err_set(e, -E2BIG, "a box has %d volumes at the most",
			       SPEC_VOLUMES);
	json_each(it, spec->volumes)
	{
		int r = spec_volume_from_json(it, v, e);

		if (r < 0)
			return r;
		if (fn(ctx, v, i++, e) < 0)
			return failed(v, e);
	}
	return 0;
}

/* ---- in the store ---------------------------------------------------------------- */

static int store_path(const struct spec *spec, const char *name, char ret[PATH_MAX])
{
	return snprintf(ret, PATH_MAX, "%s/volumes/%s", spec->store, name) < PATH_MAX
		       ? 0
		       : -ENAMETOOLONG;
}

static int make_one(void *ctx, const struct spec_volume *v, unsigned, struct err *e)
{
	const struct spec *spec = ctx;
	uint32_t uid, gid;
	char path[PATH_MAX];
	struct stat st;
	int r;

	if (v->kind != SPEC_VOLUME_KEPT)
		return 0;
	r = store_path(spec, v->source, path) ?:
		idmap_host_uid(&spec->map, 0, &uid) ?:
		idmap_host_gid(&spec->map, 0, &gid) ?:
		file_mkdirs(AT_FDCWD, path, 0755, e) ?:
		sys_fstatat(AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW);
	if (r == 0 && uid != sys_geteuid() && (st.st_uid != uid || st.st_gid != gid))
		r = sys_fchownat(AT_FDCWD, path, uid, gid, AT_SYMLINK_NOFOLLOW);
	return r < 0 && !e->code ? err_sys(e, r, "cannot make it in the store") : r;
}

int mount_volumes_make(const struct spec *spec, struct err *e)
{
	return for_each(spec, make_one, (void *)(uintptr_t)spec, e);
}

/* ---- opening --------------------------------------------------------------------- */

struct opening {
	const struct spec *spec;
	struct mount_volumes *to;
};

static int check_kind(int fd, struct err *e)
{
	struct stat st;
	int r = sys_fstat(fd, &st);

	if (r < 0)
		return err_sys(e, r, "cannot look at it");
	if (S_ISDIR(st.st_mode) || S_ISREG(st.st_mode))
		return 0;
	return err_set(e, -EINVAL, "it is neither a directory nor a regular file");
}

static uint64_t attrs_of(const struct spec_volume *v)
{
	return MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV |
	       (v->access == SPEC_VOLUME_RW ? 0 : MOUNT_ATTR_RDONLY);
}

static int open_one(void *ctx, const struct spec_volume *v, unsigned i, struct err *e)
{
	const struct opening *o = ctx;
	_cleanup_close_ int fd = -1;
	char path[PATH_MAX];
	int r = 0;

	if (v->kind == SPEC_VOLUME_PROJECT)
		return 0;
	if (v->kind == SPEC_VOLUME_KEPT)
		r = store_path(o->spec, v->source, path);
	fd = r < 0 ? r
		   : inroot_open_real(v->kind == SPEC_VOLUME_KEPT ? path : v->source,
				      O_PATH);
	if (fd == -ELOOP)
		return err_set(e, fd, "it was replaced by a link meanwhile");
	if (fd < 0)
		return err_sys(e, fd, "cannot open it");
	r = check_kind(fd, e);
	if (r < 0)
		return r;
	o->to->tree[i] = mounts_tree(fd, "", true, attrs_of(v), e);
	return MIN(o->to->tree[i], 0);
}

int mount_volumes_open(const struct spec *spec, struct mount_volumes *ret,
		       struct err *e)
{
	struct opening o = { spec, ret };

	return for_each(spec, open_one, &o, e);
}

/* ---- placing --------------------------------------------------------------------- */

struct placing {
	const struct spec *spec;
	const struct mount_volumes *from;
	int root, project;
};

/* Where its view of the project lies, over @project: there is no descriptor of that. Links
 * of the box's, on the same path again, could lead below the project, and from there to a
 * filesystem of the kernel's that is not masked yet. */
static int open_view(const struct placing *p, struct err *e)
{
	_cleanup_close_ int fd =
		inroot_open(p->root, p->spec->project, O_PATH | O_DIRECTORY);
	uint64_t root = 0, view = 0;
	struct statfs fs;

	if (fd < 0)
		return err_sys(e, fd, "cannot open the project");
	if (sys_fstatfs(fd, &fs) < 0 || fs.f_type != OVERLAYFS_SUPER_MAGIC ||
	    sys_mount_id(p->root, "", &root) < 0 || sys_mount_id(fd, "", &view) < 0 ||
	    root == view)
		return err_set(e, -ELOOP,
			       "links of the box lead the project's path elsewhere");
	return take(&fd, -1);
}

/* The box's own view of it, with what guards its repositories, and no more rights. */
static int open_part(const struct placing *p, const struct spec_volume *v,
		     struct err *e)
{
	bool review = p->spec->project_mode == PROJECT_REVIEW;
	_cleanup_close_ int view = -1, fd = -1;
	size_t n = strlen(p->spec->project);
	int r;

	if (strncmp(v->source, p->spec->project, n) != 0 || v->source[n] != '/')
		return err_set(e, -EINVAL, "it is not in the project");
	view = review ? open_view(p, e) : -1;
	if (review && view < 0)
		return view;
	fd = sys_openat2(review ? view : p->project, v->source + n + 1, O_PATH, 0,
			 RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
	if (fd < 0)
		return err_sys(e, fd, "cannot open it in the project");
	r = check_kind(fd, e);
	return r < 0 ? r : mounts_tree(fd, "", true, attrs_of(v), e);
}

/* A link of the image, or of the box, may lead a target to another mount: over /tmp a
 * volume would keep set-id bits, in the project it would hide what is guarded. */
static int check_target(int root, int target, struct err *e)
{
	uint64_t a = 0, b = 1;
	struct stat x, y;

	if (sys_mount_id(root, "", &a) < 0 || sys_mount_id(target, "", &b) < 0 ||
	    a != b || sys_fstat(root, &x) < 0 || sys_fstat(target, &y) < 0 ||
	    x.st_ino == y.st_ino)
		return err_set(e, -EPERM,
			       "its target does not lie on the box's own root");
	return 0;
}

static int place_one(void *ctx, const struct spec_volume *v, unsigned i, struct err *e)
{
	const struct placing *p = ctx;
	_cleanup_close_ int part = -1, target = -1;
	int tree = p->from->tree[i], r;
	struct stat st;

	if (v->kind == SPEC_VOLUME_PROJECT)
		tree = part = open_part(p, v, e);
	if (tree < 0)
		return e->code ? tree : err_set(e, -EBADF, "it was not opened");
	r = sys_fstat(tree, &st);
	if (r < 0)
		return err_sys(e, r, "cannot look at it");
	target = mounts_target(p->root, v->target,
			       S_ISDIR(st.st_mode) ? MOUNTS_DIR : MOUNTS_FILE, e);
	if (target < 0)
		return target;
	r = check_target(p->root, target, e);
	return r < 0 ? r : mounts_place(tree, target, e);
}

int mount_volumes_place(int root, int project, const struct spec *spec,
			const struct mount_volumes *v, struct err *e)
{
	struct placing p = { spec, v, root, project };

	return for_each(spec, place_one, &p, e);
}
