#include "runtime/mount/kernel.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/dirscan.h"
#include "base/file.h"
#include "base/inroot.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "runtime/mount/mounts.h"

enum when { ALWAYS, TTY_GROUP, NO_TTY_GROUP };

#define NSD (MS_NOSUID | MS_NODEV)
#define NSDX (NSD | MS_NOEXEC)

/* clang-format off */
static const struct row {
	const char *target;
	struct mounts_fs fs;
	enum mounts_kind kind;
	enum when when;
} rows[] = {
	{ "/proc", { "proc", NSDX, NULL }, MOUNTS_DIR, ALWAYS },
	{ "/dev", { "tmpfs", MS_NOSUID | MS_NOEXEC | MS_STRICTATIME,
	  "mode=755,size=1m,nr_inodes=1024" }, MOUNTS_OWN, ALWAYS },
	{ "/dev/pts", { "devpts", MS_NOSUID | MS_NOEXEC,
	  "newinstance,max=512,ptmxmode=0666,mode=0620,gid=5" }, MOUNTS_DIR, TTY_GROUP },
	{ "/dev/pts", { "devpts", MS_NOSUID | MS_NOEXEC,
	  "newinstance,max=512,ptmxmode=0666,mode=0620" }, MOUNTS_DIR, NO_TTY_GROUP },
	{ "/dev/mqueue", { "mqueue", NSDX, NULL }, MOUNTS_DIR, ALWAYS },
};

/* Directories of one memory filesystem: what lies in them together is limited. */
static const struct part {
	const char *target, *name;
	mode_t mode;
	enum mounts_kind kind;
	uint64_t attrs;
	bool from_image; /* with the directories that the image has there */
} parts[] = {
	{ "/dev/shm", "shm", 01777, MOUNTS_DIR, MOUNT_ATTR_NOEXEC, false },
	{ "/run", "run", 0755, MOUNTS_OWN, 0, true },
	{ "/tmp", "tmp", 01777, MOUNTS_OWN, 0, false },
};

static const struct {
	const char *name;
	unsigned major, minor;
} nodes[] = {
	{ "null", 1, 3 }, { "zero", 1, 5 }, { "full", 1, 7 },
	{ "random", 1, 8 }, { "urandom", 1, 9 }, { "tty", 5, 0 },
};

static const struct {
	const char *name, *target;
} links[] = {
	{ "fd", "/proc/self/fd" }, { "stdin", "/proc/self/fd/0" },
	{ "stdout", "/proc/self/fd/1" }, { "stderr", "/proc/self/fd/2" },
	{ "ptmx", "pts/ptmx" },
};

static const char *const masked[] = {
	"/proc/acpi", "/proc/asound", "/proc/interrupts", "/proc/kcore", "/proc/keys",
	"/proc/latency_stats", "/proc/sched_debug", "/proc/scsi", "/proc/timer_list",
	"/proc/timer_stats", "/proc/1/fd", "/proc/1/task/1/fd", /* how many init has */
	"/sys/firmware", "/sys/devices/virtual/powercap",
};

static const char *const read_only[] = {
	"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger",
};
/* clang-format on */

static const struct row sys_row = {
	"/sys", { "sysfs", NSDX | MS_RDONLY, NULL }, MOUNTS_DIR, ALWAYS
};

/* ---- filesystems ----------------------------------------------------------------- */

static bool wanted(enum when when, const struct mount_kernel_conf *conf)
{
	switch (when) {
	case TTY_GROUP:
		return conf->tty_group;
	case NO_TTY_GROUP:
		return !conf->tty_group;
	case ALWAYS:
		break;
	}
	return true;
}

/* /proc and /sys must be plain directories: mounted through a link of the image, they
 * would cover something else and leave the image's own in their place. */
static int check_plain(int root, const char *path, struct err *e)
{
	struct stat st;
	int r = sys_fstatat(root, path + 1, &st, AT_SYMLINK_NOFOLLOW);

	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return err_sys(e, r, "cannot stat '%s' of the image", path);
	if (!S_ISDIR(st.st_mode))
		return err_set(e, -ENOTDIR,
			       "the image's '%s' is not a directory; use another image",
			       path);
	return 0;
}

static int mount_row(int root, const struct row *row, struct err *e)
{
	_cleanup_close_ int target = -1;
	int r = 0;

	if (strcmp(row->target, "/proc") == 0 || strcmp(row->target, "/sys") == 0)
		r = check_plain(root, row->target, e);
	if (r < 0)
		return r;
	target = mounts_target(root, row->target, row->kind, e);
	if (target < 0)
		return target;
	r = mounts_fresh(target, &row->fs, e);
	return r < 0 ? err_wrap(e, "cannot prepare '%s'", row->target) : 0;
}

/* What packages made below /run is covered by memory, and their programs count on it: Debian's
 * services lock in /run/lock. Its directories are made anew, empty, as tmpfiles.d(5) does when a
 * machine starts; one that cannot be is missed by the program that wants it, and no other.
 * NOLINTNEXTLINE(misc-no-recursion) bounded by DEEPEST */
static void make_directories(int from, int to, unsigned deep, unsigned *left)
{
	enum { DEEPEST = 4 };
	struct dirscan scan;

	dirscan_start(&scan, deep < DEEPEST ? from : -ELOOP);
	while (dirscan_next(&scan) && *left) {
		_cleanup_close_ int below = -1, made = -1;
		struct stat st;

		if (sys_fstatat(from, scan.name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISDIR(st.st_mode) || sys_mkdirat(to, scan.name, 0700) < 0)
			continue;
		--*left;
		(void)sys_fchownat(to, scan.name, st.st_uid, st.st_gid,
				   AT_SYMLINK_NOFOLLOW);
		(void)sys_fchmodat(to, scan.name, st.st_mode & 07777, 0);
		below = sys_openat(from, scan.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW,
				   0);
		made = sys_openat(to, scan.name, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
		if (made >= 0)
			make_directories(below, made, deep + 1, left);
	}
}

static void make_image_directories(int target, const char *name)
{
	enum { MOST = 256 };
	_cleanup_close_ int from = sys_openat(target, ".", O_RDONLY | O_DIRECTORY, 0);
	_cleanup_close_ int to = sys_openat(AT_FDCWD, name, O_PATH | O_DIRECTORY, 0);
	unsigned left = MOST;

	make_directories(from, to, 0, &left);
}

static int place_part(int root, const struct part *p, struct err *e)
{
	_cleanup_close_ int target = -1, tree = -1;
	int r = sys_mkdirat(AT_FDCWD, p->name, 0700)
			?: sys_fchmodat(AT_FDCWD, p->name, p->mode, 0);

	if (r < 0)
		return err_sys(e, r, "cannot make '%s'", p->name);
	target = mounts_target(root, p->target, p->kind, e);
	if (target < 0)
		return target;
	if (p->from_image)
		make_image_directories(target, p->name);
	tree = mounts_tree(AT_FDCWD, p->name, false,
			   MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | p->attrs, e);
	return tree < 0 ? tree : mounts_place(tree, target, e);
}

/* Half of the memory at the most, so that what lies there leaves some to those who could
 * remove it. A file takes a kibibyte of the kernel's even when it is empty. */
static int mount_memory(int root, uint64_t memory, struct err *e)
{
	enum { SHARE = 2, PER_FILE = 8 << 10, FEWEST = 4096 };
	char options[96] = "mode=700";
	uint64_t size = memory / SHARE;
	int r;

	if (memory)
		snprintf(options, sizeof(options),
			 "mode=700,size=%" PRIu64 ",nr_inodes=%" PRIu64, size,
			 MAX(size / PER_FILE, (uint64_t)FEWEST));
	r = sys_mkdirat(AT_FDCWD, "memory", 0700) ?:
		sys_mount("cubby", "memory", "tmpfs", NSD, options) ?:
		sys_chdir("memory");
	if (r < 0)
		return err_sys(e, r, "cannot mount a memory filesystem");
	for (size_t i = 0; i < ARRAY_SIZE(parts) && r >= 0; i++)
		r = place_part(root, &parts[i], e);
	if (r < 0)
		return r;
	r = sys_chdir("..");
	return r < 0 ? err_sys(e, r, "cannot return to the stage") : 0;
}

/* What the host has mounted below its /sys cannot be left out of the bind (it is locked
 * there), so it is covered. */
static int cover_host_sys(int root, struct err *e)
{
	static const char *const covered[] = { "/sys/kernel/debug",
					       "/sys/kernel/tracing",
					       "/sys/kernel/security",
					       "/sys/kernel/config",
					       "/sys/fs/bpf",
					       "/sys/fs/pstore",
					       "/sys/fs/fuse/connections" };
	static const struct mounts_fs empty = { "tmpfs", NSDX | MS_RDONLY,
						"mode=755,nr_blocks=1,nr_inodes=2" };
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(covered) && r >= 0; i++) {
		_cleanup_close_ int target =
			inroot_open(root, covered[i], O_PATH | O_DIRECTORY);

		if (target >= 0)
			r = mounts_fresh(target, &empty, e);
		else if (target != -ENOENT)
			r = err_sys(e, target, "cannot open '%s' in the box",
				    covered[i]);
	}
	return r;
}

/* Without a network namespace of its own a box may not have a fresh sysfs. */
static int bind_host_sys(int root, struct err *e)
{
	_cleanup_close_ int target = -1, tree = -1;
	int r = check_plain(root, "/sys", e);

	if (r < 0)
		return r;
	target = mounts_target(root, "/sys", MOUNTS_DIR, e);
	if (target < 0)
		return target;
	tree = mounts_tree(AT_FDCWD, "/sys", true,
			   MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV |
				   MOUNT_ATTR_NOEXEC,
			   e);
	r = tree < 0 ? tree : mounts_place(tree, target, e);
	return r < 0 ? r : cover_host_sys(root, e);
}

/* The box's own cgroup, read-only; where the host has no cgroup2, an empty directory:
 * never the host's hierarchies. */
static int mount_cgroup(int root, struct err *e)
{
	static const struct mounts_fs v2 = { "cgroup2", NSDX | MS_RDONLY, NULL };
	static const struct mounts_fs none = { "tmpfs", NSDX | MS_RDONLY,
					       "mode=755,nr_blocks=1,nr_inodes=2" };
	_cleanup_close_ int target =
		inroot_open(root, "/sys/fs/cgroup", O_PATH | O_DIRECTORY);

	if (target == -ENOENT)
		return 0; /* a kernel without cgroups */
	if (target < 0)
		return err_sys(e, target, "cannot open '/sys/fs/cgroup' in the box");
	if (mounts_fresh(target, &v2, e) == 0)
		return 0;
	return mounts_fresh(target, &none, e);
}

/* ---- /dev ------------------------------------------------------------------------ */

/* Nodes are binds of the host's, since a user namespace may not make devices. What is
 * bound is checked by its numbers, not by its name. A device on a read-only mount can be
 * written to; its mode and owner are the host's. */
static int bind_node(int dev, const char *name, dev_t rdev, unsigned attrs,
		     struct err *e)
{
	_cleanup_close_ int source = -1, target = -1;
	char path[32];
	struct stat st;
	int r;

	snprintf(path, sizeof(path), "/dev/%s", name);
	source = sys_open(path, O_PATH | O_NOFOLLOW);
	r = source < 0 ? source : sys_fstat(source, &st);
	if (r < 0)
		return err_sys(e, r, "cannot open the host's '%s'", path);
	if (!S_ISCHR(st.st_mode) || st.st_rdev != rdev)
		return err_set(e, -ENODEV, "the host's '%s' is not device %u:%u", path,
			       major(rdev), minor(rdev));
	target = sys_openat(dev, name, O_CREAT | O_EXCL | O_RDONLY | O_NOFOLLOW, 0644);
	if (target < 0)
		return err_sys(e, target, "cannot make '%s' in the box", path);
	return mounts_bind(source, target,
			   MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC | attrs, e);
}

static int fill_dev(int root, bool host_root, struct err *e)
{
	_cleanup_close_ int dev = inroot_open(root, "/dev", O_RDONLY | O_DIRECTORY);
	int r;

	if (dev < 0)
		return err_sys(e, dev, "cannot open '/dev' of the box");
	for (size_t i = 0; i < ARRAY_SIZE(nodes); i++) {
		r = bind_node(dev, nodes[i].name,
			      makedev(nodes[i].major, nodes[i].minor),
			      host_root ? MOUNT_ATTR_RDONLY : 0, e);
		if (r < 0)
			return r;
	}
	for (size_t i = 0; i < ARRAY_SIZE(links); i++) {
		r = sys_symlinkat(links[i].target, dev, links[i].name);
		if (r < 0)
			return err_sys(e, r, "cannot link '/dev/%s'", links[i].name);
	}
	return 0;
}

int mount_kernel_userns(int root, struct err *e)
{
	int fd = inroot_open(root, "/proc/sys/user/max_user_namespaces", O_WRONLY);

	return fd >= 0 || fd == -ENOENT
		       ? fd
		       : err_sys(e, fd, "cannot open user.max_user_namespaces");
}

/* A user of the box has half of what the box's own user has outside, where all boxes of
 * that user count together. */
static int limit_inotify(int root, const char *all, const char *own, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(64);
	_cleanup_close_ int fd = -1;
	unsigned n;
	int r;

	if (file_read(AT_FDCWD, all, &text, ERR_IGNORED) < 0 ||
	    sscanf(buf_cstr(&text), "%u", &n) != 1)
		return 0;
	fd = inroot_open(root, own, O_WRONLY);
	if (fd < 0)
		return fd == -ENOENT ? 0 : err_sys(e, fd, "cannot limit inotify");
	buf_truncate(&text, 0);
	r = buf_addf(&text, "%u", n / 2);
	return r < 0 ? err_sys(e, r, "cannot limit inotify")
		     : file_write_fd(fd, text.data, text.len, e);
}

static bool kernel_from(int major, int minor)
{
	struct utsname u;
	int have[2];

	return sys_uname(&u) >= 0 &&
	       sscanf(u.release, "%d.%d", &have[0], &have[1]) == 2 &&
	       (have[0] > major || (have[0] == major && have[1] >= minor));
}

/* Since 6.14 a pid namespace has a pid_max of its own; before, that is the host's, which
 * box root could write where its ids are the host's (identity map). It bounds numbers, of
 * which the first 300 are given once only, and is well above the limit, so that numbers
 * are not soon given again: the watch (memwatch.h) keeps the limit, this the rest. */
static int limit_pids(int root, uint64_t pids, struct err *e)
{
	enum { ONCE = 300, FEWEST = 4096 };
	_cleanup_close_ int fd = -1;
	char text[32];

	if (!pids || !kernel_from(6, 14))
		return 0;
	fd = inroot_open(root, "/proc/sys/kernel/pid_max", O_WRONLY);
	if (fd < 0)
		return fd == -ENOENT || fd == -EACCES
			       ? 0
			       : err_sys(e, fd, "cannot open kernel.pid_max");
	snprintf(text, sizeof(text), "%" PRIu64, MAX(pids + ONCE, (uint64_t)FEWEST));
	(void)sys_write(fd, text,
			strlen(text)); /* more than the host allows: no limit */
	return 0;
}

int mount_kernel(int root, const struct mount_kernel_conf *conf, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int r = wanted(rows[i].when, conf) ? mount_row(root, &rows[i], e) : 0;

		if (r < 0)
			return r;
	}
	return mount_memory(root, conf->memory, e) ?:
		fill_dev(root, conf->host_root, e) ?:
		limit_inotify(root, "/proc/sys/fs/inotify/max_user_instances",
			      "/proc/sys/user/max_inotify_instances", e) ?:
		limit_inotify(root, "/proc/sys/fs/inotify/max_user_watches",
			      "/proc/sys/user/max_inotify_watches", e) ?:
		limit_pids(root, conf->pids, e);
}

int mount_kernel_sys(int root, bool own_net, struct err *e)
{
	int r = own_net ? mount_row(root, &sys_row, e) : bind_host_sys(root, e);

	return r < 0 ? r : mount_cgroup(root, e);
}

/* ---- masks ----------------------------------------------------------------------- */

static int mask(int root, int null, const char *path, struct err *e)
{
	static const struct mounts_fs empty = { "tmpfs", NSDX | MS_RDONLY,
						"mode=755,nr_blocks=1,nr_inodes=2" };
	_cleanup_close_ int target = inroot_open(root, path, O_PATH | O_NOFOLLOW);
	struct stat st;
	int r;

	if (target == -ENOENT)
		return 0;
	r = target < 0 ? target : sys_fstat(target, &st);
	if (r < 0)
		return err_sys(e, r, "cannot open '%s'", path);
	if (S_ISDIR(st.st_mode))
		return mounts_fresh(target, &empty, e);
	return mounts_bind(null, target, MOUNT_ATTR_RDONLY, e);
}

static int make_read_only(int root, const char *path, struct err *e)
{
	_cleanup_close_ int target = inroot_open(root, path, O_PATH | O_NOFOLLOW);

	if (target == -ENOENT)
		return 0;
	if (target < 0)
		return err_sys(e, target, "cannot open '%s'", path);
	return mounts_bind(target, target,
			   MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV |
				   MOUNT_ATTR_NOEXEC,
			   e);
}

/* Modes and owners of what is no process's belong to the kernel, not to a mount: whoever is
 * the host's root could change them for everybody on the machine. */
static int keep_proc(int root, struct err *e)
{
	_cleanup_close_ int proc = inroot_open(root, "/proc", O_RDONLY | O_DIRECTORY);
	struct dirscan scan;
	int r = 0;

	if (proc < 0)
		return err_sys(e, proc, "cannot open '/proc' of the box");
	dirscan_start(&scan, proc);
	while (r >= 0 && dirscan_next(&scan)) {
		char path[NAME_MAX + sizeof("/proc/")];

		if (isdigit((unsigned char)*scan.name) || scan.type == DT_LNK)
			continue;
		snprintf(path, sizeof(path), "/proc/%s", scan.name);
		r = make_read_only(root, path, e);
	}
	return r ?: dirscan_failed(&scan, e);
}

/* One directory per processor; where the first has none, no other has. */
static int mask_throttle(int root, int null, struct err *e)
{
	char path[80];
	int r = 0;

	for (int cpu = 0; r == 0; cpu++) {
		_cleanup_close_ int fd = -1;

		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%d/thermal_throttle", cpu);
		fd = inroot_open(root, path, O_PATH | O_NOFOLLOW);
		if (fd < 0)
			break;
		r = mask(root, null, path, e);
	}
	return r;
}

int mount_kernel_masks(int root, bool host_root, struct err *e)
{
	_cleanup_close_ int null = inroot_open(root, "/dev/null", O_PATH | O_NOFOLLOW);
	struct stat st;
	int r = null < 0 ? null : sys_fstat(null, &st);

	if (r < 0 || !S_ISCHR(st.st_mode) || st.st_rdev != makedev(1, 3))
		return err_set(e, -ENODEV,
			       "the box's /dev/null is not the null device");
	r = host_root ? keep_proc(root, e) : 0;
	for (size_t i = 0; i < ARRAY_SIZE(masked) && r >= 0; i++)
		r = mask(root, null, masked[i], e);
	if (r >= 0)
		r = mask_throttle(root, null, e);
	for (size_t i = 0; i < ARRAY_SIZE(read_only) && r >= 0; i++)
		r = make_read_only(root, read_only[i], e);
	return r;
}
