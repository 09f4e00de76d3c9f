#include "runtime/doctor/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/proc.h"
#include "base/procfs.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "rootfs/store/tree.h"
#include "runtime/cause/cause.h"
#include "runtime/cgroup/cgroup.h"
#include "runtime/confine/secfilter.h"
#include "runtime/idmap/idmap.h"
#include "runtime/idmap/lease.h"
#include "runtime/idmap/trial.h"

#ifndef ST_NOEXEC
#define ST_NOEXEC 8
#endif

enum { WHY = 4096, TRIAL_NAME = 32 };

/* ---- filling a row -------------------------------------------------------------- */

static void set_rung(struct probe_row *row, const char *rung)
{
	(void)text_copy(row->rung, sizeof(row->rung), rung);
}

static void set_reason(struct probe_row *row, enum probe_reason r, const char *subject)
{
	_cleanup_buf_ struct buf cause = BUF_INIT(PROBE_CAUSE - 1);
	_cleanup_buf_ struct buf fix = BUF_INIT(PROBE_FIX - 1);

	row->reason = r;
	(void)cause_text_cause(&cause, r, subject);
	(void)cause_text_fix(&fix, r, subject, cause_distro());
	(void)text_copy(row->cause, sizeof(row->cause), buf_cstr(&cause));
	(void)text_copy(row->fix, sizeof(row->fix), buf_cstr(&fix));
}

/* A line "cause; fix: remedy" as it is made for messages. */
static void set_line(struct probe_row *row, const char *line)
{
	static const char mark[] = "; fix: ";
	const char *fix = strstr(line, mark);
	size_t n = fix ? (size_t)(fix - line) : strcspn(line, "\n");

	snprintf(row->cause, sizeof(row->cause), "%.*s", (int)n, line);
	if (!fix)
		return;
	fix += strlen(mark);
	snprintf(row->fix, sizeof(row->fix), "%.*s", (int)strcspn(fix, "\n"), fix);
}

static void set_fatal(struct probe_row *row, const struct err *e)
{
	set_rung(row, "none");
	set_line(row, e->msg);
	row->fatal = true;
}

/* The reason behind a line that has one, for readers of JSON. */
static void find_reason(struct probe_row *row, enum probe_step step, int code)
{
	struct probe_facts f;

	cause_facts(&f);
	row->reason = cause_of(&f, step, code);
}

/* ---- the trials ----------------------------------------------------------------- */

static const uint64_t all_namespaces = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET |
				       CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;

static void try_userns(const struct probe_conf *, struct probe_row *row)
{
	struct err e = ERR_NONE;

	if (idmap_trial(&(struct idmap_trial){ .namespaces = all_namespaces }, &e) >=
	    0) {
		set_rung(row, "user, mount, pid, net, ipc, uts, cgroup");
		return;
	}
	set_fatal(row, &e);
	find_reason(row, PROBE_STEP_CLONE, e.code);
}

static void try_idmap(const struct probe_conf *, struct probe_row *row)
{
	_cleanup_buf_ struct buf why = BUF_INIT(WHY);
	struct err e = ERR_NONE;
	struct idmap m;

	if (idmap_choose(NULL, &m, &why, &e) < 0) {
		set_fatal(row, &e);
		return;
	}
	set_rung(row, idmap_kind_name(m.kind));
	if (!why.len)
		return;
	set_line(row, buf_cstr(&why));
	if (idmap_traits(&m)->single && sys_geteuid() != 0)
		row->reason = text_starts(row->cause, "newuidmap") ? PROBE_NO_NEWUIDMAP
								   : PROBE_NO_SUBIDS;
}

/* What boxes have in common: the threat model's "Limits" and "How strong, by id map". */
static void try_sharing(const struct probe_conf *, struct probe_row *row)
{
	_cleanup_buf_ struct buf why = BUF_INIT(WHY);
	struct err e = ERR_NONE;
	struct idmap m;

	if (idmap_choose(NULL, &m, &why, &e) < 0) {
		set_fatal(row, &e);
	} else if (idmap_traits(&m)->apart && !idmap_lease_overlay()) {
		set_rung(row, "one range of ids");
		set_line(row,
			 "this kernel cannot show an image's files with the ids of "
			 "each box; fix: Linux 5.19 or later");
	} else {
		set_rung(row, idmap_traits(&m)->shared);
		if (idmap_traits(&m)->by_root && !idmap_traits(&m)->apart)
			set_line(row, "who gets out of a box is root here");
	}
}

static int make_private(struct err *e)
{
	int r = sys_mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);

	return r < 0 ? err_sys(e, r, "cannot make the mounts private") : 0;
}

static int mount_proc(void *, struct err *e)
{
	int r = make_private(e);

	if (r < 0)
		return r;
	r = sys_mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
	return r < 0 ? err_sys(e, r, "cannot mount proc") : 0;
}

static void try_proc(const struct probe_conf *, struct probe_row *row)
{
	const struct idmap_trial t = { .namespaces = CLONE_NEWNS | CLONE_NEWPID,
				       .fn = mount_proc };
	struct err e = ERR_NONE;

	if (idmap_trial(&t, &e) >= 0) {
		set_rung(row, "fresh");
		return;
	}
	find_reason(row, PROBE_STEP_PROC, e.code);
	(void)cause_explain(PROBE_STEP_PROC, &e);
	set_fatal(row, &e);
}

/* ---- the root ------------------------------------------------------------------- */

/* By its path: a descriptor from before the namespace is one of another mount. */
static int mount_overlay(void *ctx, struct err *e)
{
	int r = make_private(e) ?: sys_chdir(ctx);

	if (r >= 0 &&
	    sys_getxattr("upper", "user.overlay.opaque", NULL, 0) == -EOPNOTSUPP)
		r = -EINVAL; /* it would mount: see mount/root.c */
	if (r >= 0)
		r = sys_mount("overlay", "merged", "overlay", MS_NODEV,
			      "lowerdir=lower,upperdir=upper,workdir=work,userxattr");
	return r < 0 ? err_sys(e, r, "cannot mount overlay") : 0;
}

/* @ret: the path of the directory of the trial */
static int make_layers(const struct probe_conf *conf, const char *name,
		       char ret[PATH_MAX], struct err *e)
{
	static const char *const layers[] = { "lower", "upper", "work", "merged" };
	_cleanup_close_ int dir = -1;
	int r = sys_mkdirat(conf->store, name, 0700);

	if (r >= 0)
		r = dir = sys_openat(conf->store, name, O_RDONLY | O_DIRECTORY, 0);
	for (size_t i = 0; i < ARRAY_SIZE(layers) && r >= 0; i++)
		r = sys_mkdirat(dir, layers[i], 0755);
	if (r >= 0)
		r = procfs_fd_name(dir, ret, PATH_MAX);
	if (r < 0)
		return err_sys(e, r, "cannot make a directory in the store");
	ret[r] = '\0';
	return 0;
}

static int trial_overlay(const struct probe_conf *conf, struct err *e)
{
	char name[TRIAL_NAME], path[PATH_MAX];
	int r;

	snprintf(name, sizeof(name), "probe-%d", sys_getpid());
	r = make_layers(conf, name, path, e);
	if (r >= 0)
		r = idmap_trial(&(struct idmap_trial){ .namespaces = CLONE_NEWNS,
						       .fn = mount_overlay,
						       .ctx = path },
				e);
	(void)tree_remove(conf->store, name, ERR_IGNORED);
	return r;
}

static const struct {
	int64_t magic;
	const char *name;
} filesystems[] = {
	{ 0x794c7630, "overlay" }, { 0x6969, "NFS" },	    { 0x65735546, "FUSE" },
	{ 0x01021994, "tmpfs" },   { 0xef53, "ext4" },	    { 0x58465342, "xfs" },
	{ 0x9123683e, "btrfs" },   { 0xff534d42, "CIFS" },  { 0xfe534d42, "SMB" },
	{ 0x01021997, "9p" },	   { 0x4d44, "FAT" },	    { 0xf15f, "eCryptfs" },
	{ 0x2fc12fc1, "ZFS" },	   { 0x858458f6, "ramfs" },
};

static const char *filesystem_of(int fd)
{
	struct statfs st;

	if (sys_fstatfs(fd, &st) < 0)
		return "an unknown filesystem";
	for (size_t i = 0; i < ARRAY_SIZE(filesystems); i++)
		if ((int64_t)st.f_type == filesystems[i].magic)
			return filesystems[i].name;
	return "an unknown filesystem";
}

static void try_root(const struct probe_conf *conf, struct probe_row *row)
{
	struct utsname u = { 0 };
	struct err e = ERR_NONE;
	int r = trial_overlay(conf, &e);

	if (r >= 0) {
		set_rung(row, "overlay");
		return;
	}
	set_rung(row, "copy");
	(void)sys_uname(&u);
	if (r == -EINVAL)
		set_reason(row, PROBE_OVERLAY_STORE, filesystem_of(conf->store));
	else if (r == -EPERM || r == -ENODEV)
		set_reason(row, PROBE_OVERLAY_NONE, u.release);
	else
		set_line(row, e.msg);
}

int probe_root(int store, struct err *e)
{
	struct probe_row row = { .id = "root" };

	try_root(&(struct probe_conf){ .store = store }, &row);
	return strcmp(row.rung, "overlay") != 0
		       ? err_set(e, -EOPNOTSUPP, "%s", row.cause)
		       : 0;
}

static void try_project(const struct probe_conf *conf, struct probe_row *row)
{
	_cleanup_close_ int fd = -1;
	struct statfs st;

	set_rung(row, "not looked at");
	if (!conf->project)
		return;
	fd = sys_open(conf->project, O_PATH | O_DIRECTORY);
	if (fd < 0 || sys_fstatfs(fd, &st) < 0)
		return;
	set_rung(row, "read, write, execute");
	if (!((uint64_t)st.f_flags & ST_NOEXEC))
		return;
	set_rung(row, "read, write");
	set_reason(row, PROBE_NOEXEC, conf->project);
}

/* ---- limits, init, filter ------------------------------------------------------- */

static void try_cgroup(const struct probe_conf *, struct probe_row *row)
{
	const struct limits lim = { .memory_bytes = 64 << 20,
				    .pids = 64,
				    .cpu_milli = 1000 };
	_cleanup_cgroup_ struct cgroup *cg = NULL;
	_cleanup_buf_ struct buf why = BUF_INIT(WHY);
	struct err e = ERR_NONE;
	const char *last;
	char name[TRIAL_NAME];

	snprintf(name, sizeof(name), "cubby-probe-%d", sys_getpid());
	if (cgroup_create(name, &lim, &cg, &why, &e) < 0) {
		set_rung(row, "none");
		set_line(row, e.msg);
		return;
	}
	set_rung(row, cgroup_method_name(cgroup_get_method(cg)));
	if (!why.len)
		return;
	buf_truncate(&why, why.len - 1);
	last = strrchr(buf_cstr(&why), '\n');
	set_line(row, last ? last + 1 : buf_cstr(&why));
	row->reason = cgroup_missing(cg);
	if (row->reason == PROBE_NONE)
		row->reason = PROBE_NO_CPU;
}

static int clone_file(void *ctx, struct err *e)
{
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID };
	_cleanup_close_ int fd = -1;
	int r = make_private(e);

	if (r < 0)
		return r;
	fd = sys_open_tree(AT_FDCWD, ctx, OPEN_TREE_CLONE);
	r = fd < 0 ? fd : sys_mount_setattr(fd, "", AT_EMPTY_PATH, &attr);
	return r < 0 ? err_sys(e, r, "cannot clone the mount of a file") : 0;
}

static void try_init(const struct probe_conf *, struct probe_row *row)
{
	char self[PATH_MAX];
	const struct idmap_trial t = { .namespaces = CLONE_NEWNS,
				       .fn = clone_file,
				       .ctx = self };
	struct utsname u = { 0 };
	struct probe_facts f;
	struct err e = ERR_NONE;

	if (proc_self(self, &e) >= 0 && idmap_trial(&t, &e) >= 0) {
		set_rung(row, "read-only mount");
		return;
	}
	set_rung(row, "memfd");
	set_line(row, e.msg);
	cause_facts(&f);
	if (e.code == -ENOSYS && f.old) {
		(void)sys_uname(&u);
		set_reason(row, PROBE_OLD_KERNEL, u.release);
		set_rung(row, "none");
		row->fatal = true;
		return;
	}
	if (f.memfd_noexec != 2)
		return;
	set_reason(row, PROBE_MEMFD, NULL);
	set_rung(row, "none");
	row->fatal = true;
}

static int install_filter(void *, struct err *e)
{
	int r = sys_prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);

	if (r < 0)
		return err_sys(e, r, "cannot set no_new_privs");
	return secfilter_apply(SECFILTER_BOX, e);
}

static void try_filter(const struct probe_conf *, struct probe_row *row)
{
	struct err e = ERR_NONE;
	size_t len;

	(void)secfilter_program(SECFILTER_BOX, &len);
	if (idmap_trial(&(struct idmap_trial){ .fn = install_filter }, &e) < 0) {
		set_fatal(row, &e);
		return;
	}
	snprintf(row->rung, sizeof(row->rung), "%zu instructions",
		 len / sizeof(uint64_t));
}

/* ---- the table ------------------------------------------------------------------ */

static const struct facility {
	const char *id, *name;
	void (*run)(const struct probe_conf *conf, struct probe_row *row);
} facilities[] = {
	{ "userns", "namespaces", try_userns },
	{ "idmap", "id map", try_idmap },
	{ "sharing", "boxes share", try_sharing },
	{ "proc", "/proc", try_proc },
	{ "root", "root filesystem", try_root },
	{ "project", "project directory", try_project },
	{ "init", "init's image", try_init },
	{ "cgroup", "limits", try_cgroup },
	{ "filter", "system call filter", try_filter },
};
_Static_assert(ARRAY_SIZE(facilities) <= PROBE_ROWS, "the caller's array");

unsigned probe_run(const struct probe_conf *conf, struct probe_row *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(facilities); i++) {
		ret[i] = (struct probe_row){ .id = facilities[i].id,
					     .name = facilities[i].name };
		facilities[i].run(conf, &ret[i]);
		/* Without namespaces every other trial says the same. */
		if (!i && ret[i].fatal)
			return 1;
	}
	return ARRAY_SIZE(facilities);
}

bool probe_ok(const struct probe_row *rows, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (rows[i].fatal)
			return false;
	return true;
}
