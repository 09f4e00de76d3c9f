#include "runtime/mount/root.h"

#include <string.h>

#include "base/file.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "rootfs/store/boxdir.h"
#include "rootfs/store/chain.h"
#include "rootfs/store/tree.h"
#include "rootfs/store/tree_copy.h"
#include "runtime/mount/mounts.h"

/* Behind "lowerdir=…". */
static const char overlay_options[] = ",upperdir=box/upper,workdir=box/work,userxattr,"
				      "index=off,metacopy=off";

enum {
	OPTIONS = 4096, /* of mount(2): a page, with the NUL */
	LIST = MOUNT_ROOT_DIFFS * (MOUNT_ROOT_DIFF + 1)
};

void mount_root_close(struct mount_root *m)
{
	scope_close(&m->image);
	scope_close(&m->diffs);
	scope_close(&m->list);
	scope_close(&m->box);
	scope_close(&m->layers);
	*m = MOUNT_ROOT_NONE;
}

/* The list of an image's layers, which it may not have. */
static int open_list(const struct spec *spec, int *ret, struct err *e)
{
	char path[2 * PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/images/%s/layers", spec->store, spec->image);
	fd = sys_open(path, O_RDONLY | O_NOFOLLOW);
	if (fd < 0 && fd != -ENOENT)
		return err_sys(e, fd, "cannot open the image's list of layers");
	*ret = MAX(fd, -1);
	return 0;
}

static int open_part(const char *store, const char *dir, const char *name,
		     const char *rest, struct err *e)
{
	char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s/%s%s", store, dir, name, rest);
	return mounts_tree(AT_FDCWD, path, false, 0, e);
}

/* The list is the caller's: box root may not read it. */
static int load_chain(const struct spec *spec, struct chain *ret, struct err *e)
{
	_cleanup_close_ int dir = -1;
	char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s/boxes/%s", spec->store, spec->key);
	dir = file_open_dir(AT_FDCWD, path, e);
	return dir < 0 ? dir : chain_load(dir, "chain", ret, e);
}

/* lowerdir=layers/<id>/machine:…:lower */
static int name_lower(const struct spec *spec, struct mount_root *m, struct err *e)
{
	struct chain c;
	size_t at = 0;
	int r = load_chain(spec, &c, e);

	if (r < 0)
		return r;
	for (size_t i = 0; i < c.n && at < sizeof(m->lower); i++)
		at += (size_t)snprintf(m->lower + at, sizeof(m->lower) - at,
				       "layers/%s/machine:", c.layers[i]);
	if (at < sizeof(m->lower))
		at += (size_t)snprintf(m->lower + at, sizeof(m->lower) - at, "lower");
	return at < sizeof(m->lower)
		       ? 0
		       : err_set(e, -E2BIG, "the box has too many layers");
}

int mount_root_layers(const struct spec *spec, struct mount_root *ret, struct err *e)
{
	_cleanup_mount_root_ struct mount_root m = MOUNT_ROOT_NONE;
	struct chain c;
	int r;

	m.image = open_part(spec->store, "images", spec->image, "/rootfs", e);
	if (m.image < 0)
		return m.image;
	r = open_list(spec, &m.list, e);
	if (r < 0)
		return r;
	if (m.list >= 0) {
		m.diffs = open_part(spec->store, "diffs", ".", "", e);
		if (m.diffs < 0)
			return m.diffs;
	}
	m.box = open_part(spec->store, "boxes", spec->key, "", e);
	if (m.box < 0)
		return m.box;
	r = load_chain(spec, &c, e);
	if (r == 0 && c.n)
		r = m.layers = open_part(spec->store, "layers", ".", "", e);
	if (r < 0)
		return r;
	*ret = take(&m, MOUNT_ROOT_NONE);
	return 0;
}

int mount_root_open(const struct spec *spec, bool copy, struct mount_root *ret,
		    struct err *e)
{
	int r = ret->image < 0 ? mount_root_layers(spec, ret, e)
			       : open_list(spec, &ret->list, e);

	if (r < 0)
		return r;
	r = name_lower(spec, ret, e);
	if (r < 0)
		return r;
	ret->copy = copy;
	ret->discard = spec->discard;
	r = sys_chdir(spec->store);
	if (r < 0)
		return err_sys(e, r, "cannot enter the store '%s'", spec->store);
	/* uid=0 is box root: whoever mounts may not be mapped yet. */
	r = sys_mount("cubby", "stage", "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC,
		      "mode=755,uid=0,gid=0,nr_inodes=256,size=64k")
		    ?: sys_chdir("stage");
	if (r < 0)
		return err_sys(e, r, "cannot mount a stage in the store");
	return 0;
}

static int make_place(const char *name, struct err *e)
{
	int r = sys_mkdirat(AT_FDCWD, name, 0755);

	return r < 0 ? err_sys(e, r, "cannot make '%s' on the stage", name) : 0;
}

static int place(int tree, const char *name, struct err *e)
{
	_cleanup_close_ int target = -1;
	int r = make_place(name, e);

	if (r < 0)
		return r;
	target = sys_open(name, O_PATH | O_DIRECTORY);
	if (target < 0)
		return err_sys(e, target, "cannot open '%s' on the stage", name);
	return mounts_place(tree, target, e);
}

static int open_root(const char *path, struct err *e)
{
	int fd = sys_open(path, O_PATH | O_DIRECTORY);

	return fd < 0 ? err_sys(e, fd, "cannot open the box's root") : fd;
}

/* Under another name until it is whole: a start that was cut off begins again. */
static int make_copy(struct err *e)
{
	_cleanup_close_ int from = sys_open("lower", O_RDONLY | O_DIRECTORY);
	_cleanup_close_ int dir = sys_open("box/copy", O_RDONLY | O_DIRECTORY);
	struct tree_copied copied;
	int r;

	if (from < 0 || dir < 0)
		return err_sys(e, from < 0 ? from : dir, "cannot copy the image");
	r = tree_remove(dir, "partial", e)
		    ?: tree_copy(from, dir, "partial", &copied, e);
	if (r < 0)
		return err_wrap(e, "copy of the image");
	r = sys_syncfs(dir) ?: sys_renameat(dir, "partial", dir, "rootfs");
	return r < 0 ? err_sys(e, r, "cannot keep the copy of the image") : 0;
}

/* The copy is bound to a place of its own: pivot_root wants a mount point. */
static int assemble_copy(struct err *e)
{
	_cleanup_close_ int dir = -1, target = -1;
	struct stat st;
	int r;

	if (sys_fstatat(AT_FDCWD, "box/copy/rootfs", &st, 0) < 0) {
		r = make_copy(e);
		if (r < 0)
			return r;
	}
	dir = open_root("box/copy/rootfs", e);
	if (dir < 0)
		return dir;
	target = open_root("root", e);
	if (target < 0)
		return target;
	r = mounts_bind(dir, target, MOUNT_ATTR_NODEV | MOUNT_ATTR_NOSUID, e);
	return r < 0 ? r : open_root("root", e);
}

/* EPERM, ENODEV: not in user namespaces, or no module (D8). EINVAL, EOPNOTSUPP: not on
 * this filesystem (D9). */
static bool no_overlay(int code)
{
	return code == -EPERM || code == -ENODEV || code == -EINVAL ||
	       code == -EOPNOTSUPP || code == -ENOSYS;
}

/* Without user.* attributes (tmpfs before 6.6, ramfs, some networks) the mount works, and
 * a directory that replaces another of the image fails much later. */
static int check_xattrs(const char *upper, struct err *e)
{
	ssize_t n = sys_getxattr(upper, "user.overlay.opaque", NULL, 0);

	if (n != -EOPNOTSUPP)
		return 0;
	return err_set(e, -EMEDIUMTYPE,
		       "the store's filesystem has no user.* attributes, so it cannot "
		       "hold an overlay upper");
}

/* ---- layers of the image ------------------------------------------------------------ */

/* Hex digits, and a point and a short word behind them. */
static bool is_diff(const char *name, size_t len)
{
	return len >= HASH_HEX - 1 && len <= MOUNT_ROOT_DIFF &&
	       strspn(name, "0123456789abcdef.abcdefghijklmnopqrstuvwxyz") >= len;
}

/* Short links beside each other: the mount has room for a page of names. */
static int link_diff(const char *name, size_t len, unsigned n, struct err *e)
{
	char to[MOUNT_ROOT_DIFF + 32], link[16];
	int r;

	if (n > MOUNT_ROOT_DIFFS || !is_diff(name, len))
		return err_set(e, -EINVAL, "the image's list of layers is damaged");
	snprintf(to, sizeof(to), "diffs/%.*s/rootfs", (int)len, name);
	snprintf(link, sizeof(link), "%u", n);
	r = sys_symlinkat(to, AT_FDCWD, link);
	return r < 0 ? err_sys(e, r, "cannot make '%s' on the stage", link) : 0;
}

/* Appends ":1:2:…" for the layers of the image, the uppermost first. The kernel takes none
 * twice, and one that comes again below itself has nothing to add: all that it has and all that
 * it hides is there above. */
static int add_diffs(const struct mount_root *m, char options[OPTIONS], struct err *e)
{
	char list[LIST + 1], *at = list;
	size_t used = strlen(options), len;
	ssize_t n = sys_pread(m->list, list, LIST, 0);
	int r = n < 0 ? err_sys(e, (int)n, "cannot read the image's list of layers")
		      : place(m->diffs, "diffs", e);

	if (r < 0)
		return r;
	list[n] = '\0';
	for (unsigned i = 1; *at && r == 0; at += len + (at[len] == '\n')) {
		len = strcspn(at, "\n");
		if (is_diff(at, len) && memmem(list, (size_t)(at - list), at, len))
			continue;
		r = link_diff(at, len, i, e);
		used += (size_t)snprintf(options + used, OPTIONS - used, ":%u", i++);
	}
	return r;
}

/* ---- a box that is removed afterwards ----------------------------------------------- */

/* Nothing of it is written to the disk at its end, with all else that waits there. The
 * kernel refuses this where an earlier write to that disk failed. */
static int mount_volatile(const char *options)
{
	char text[OPTIONS + 16];

	snprintf(text, sizeof(text), "%s,volatile", options);
	return sys_mount("cubby", "root", "overlay", MS_NODEV | MS_NOSUID, text);
}

/* The mark of an overlay that was mounted so stays until it is taken away, and no overlay
 * is mounted on it. While the computer runs nothing was lost. */
static int unmark(struct err *e)
{
	static const char mark[] = "box/work/" BOXDIR_VOLATILE;
	struct stat st;
	int r = sys_fstatat(AT_FDCWD, mark, &st, AT_SYMLINK_NOFOLLOW);

	if (r == -ENOENT || r == -ENOTDIR)
		return 0;
	if (r == 0 && boxdir_lost(&st, e) < 0)
		return e->code;
	if (r == 0)
		r = sys_unlinkat(AT_FDCWD, "box/work/" BOXDIR_VOLATILE "/dirty", 0);
	if (r == 0 || r == -ENOENT)
		r = sys_unlinkat(AT_FDCWD, mark, AT_REMOVEDIR);
	return r < 0 ? err_sys(e, r, "cannot use the box of a --rm") : 0;
}

int mount_root_assemble(struct mount_root *m, struct err *e)
{
	char options[OPTIONS];
	int r = place(m->box, "box", e);

	if (r < 0)
		return r;
	r = make_place("root", e);
	if (r < 0)
		return r;
	r = place(m->image, "lower", e);
	if (r < 0)
		return r;
	if (m->layers >= 0)
		r = place(m->layers, "layers", e);
	if (r < 0)
		return r;
	if (m->copy && m->list >= 0) {
		err_set(e, -EOPNOTSUPP,
			"the image has layers, and this box has no overlay to put "
			"them together");
		return err_hint(e, "pull it again with 'cubby pull --flat'");
	}
	if (m->copy)
		return assemble_copy(e);
	snprintf(options, sizeof(options), "lowerdir=%s", m->lower);
	r = m->list >= 0 ? add_diffs(m, options, e) : 0;
	if (r < 0)
		return r;
	(void)text_copy(options + strlen(options), sizeof(options) - strlen(options),
			overlay_options);
	r = check_xattrs("box/upper", e);
	if (r < 0)
		return r;
	r = unmark(e);
	if (r < 0)
		return r;
	/* Under no_new_privs a set-id bit gives nothing anyway. Without MS_NOSUID a file
	 * capability that the box may not have (ping's) makes the exec itself fail. */
	r = m->discard ? mount_volatile(options) : -ENOTSUP;
	if (r < 0)
		r = sys_mount("cubby", "root", "overlay", MS_NODEV | MS_NOSUID,
			      options);
	if (r < 0) {
		err_sys(e, r, "cannot mount an overlay on the image");
		return e->code = no_overlay(r) ? -EMEDIUMTYPE : r;
	}
	return open_root("root", e);
}

int mount_root_enter(int root, struct err *e)
{
	int r = sys_fchdir(root) ?: sys_pivot_root(".", ".") ?: sys_chdir("/");

	return r < 0 ? err_sys(e, r, "cannot pivot into the box's root") : 0;
}

int mount_root_leave(int root, struct err *e)
{
	/* The old root is stacked over the new one: private, so that its going is not seen
	 * outside; then gone, with all that is mounted below it. */
	int r = sys_fchdir(root) ?:
		sys_mount(NULL, ".", NULL, MS_REC | MS_PRIVATE, NULL) ?:
		sys_umount2(".", MNT_DETACH);

	return r < 0 ? err_sys(e, r, "cannot leave the host's root") : 0;
}

/* A user namespace has an owner, whom the one above it must know. In it nobody has rights
 * over the box's root, which can be closed to all others. */
int mount_root_lock(struct err *e)
{
	_cleanup_close_ int names = sys_open("/proc/self/ns", O_PATH | O_DIRECTORY);
	int r = names < 0 ? names
			  : sys_setresgid(0, 0, 0) ?: sys_setresuid(0, 0, 0) ?:
				    sys_unshare(CLONE_NEWUSER | CLONE_NEWNS);

	if (r >= 0)
		r = sys_openat(names, "mnt", O_RDONLY, 0);
	return r < 0 ? err_sys(e, r, "cannot lock the box's mounts") : r;
}

/* In the first copy the box's root would be the owner's equal, who may do all there. */
int mount_root_locked(int mounts, struct err *e)
{
	int r = sys_setns(mounts, CLONE_NEWNS) ?: sys_unshare(CLONE_NEWNS);

	return r < 0 ? err_sys(e, r, "cannot enter the box's locked mounts") : 0;
}
