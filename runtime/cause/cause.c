#include "runtime/cause/cause.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/num.h"
#include "base/procfs.h"
#include "base/sys/sys.h"

enum { SYS_ADMIN = 21 }; /* of linux/capability.h */

static const char *const limits[] = { "user", "mnt", "pid",   "net",
				      "ipc",  "uts", "cgroup" };

/* The number in a file of /proc/sys, or PROBE_UNKNOWN. */
static int64_t read_number(const char *path)
{
	_cleanup_buf_ struct buf text = BUF_INIT(64);
	uint64_t n;

	if (file_read(AT_FDCWD, path, &text, ERR_IGNORED) < 0)
		return PROBE_UNKNOWN;
	buf_truncate(&text, strcspn(buf_cstr(&text), "\n"));
	return num_u64(buf_cstr(&text), &n) < 0 || n > INT64_MAX ? PROBE_UNKNOWN
								 : (int64_t)n;
}

static void read_limits(struct probe_facts *f)
{
	char path[96];

	f->limit[0] = '\0';
	f->max_userns = read_number("/proc/sys/user/max_user_namespaces");
	for (size_t i = 0; i < ARRAY_SIZE(limits) && !f->limit[0]; i++) {
		snprintf(path, sizeof(path), "/proc/sys/user/max_%s_namespaces",
			 limits[i]);
		if (read_number(path) == 0)
			snprintf(f->limit, sizeof(f->limit), "user.max_%s_namespaces=0",
				 limits[i]);
	}
}

/* The bounding set is whole where the text does not say. */
void cause_status(const char *status, struct probe_facts *ret)
{
	uint64_t caps = UINT64_MAX, seccomp = 0, no_new = 0;

	(void)procfs_number(status, "CapBnd", 16, &caps);
	(void)procfs_number(status, "NoNewPrivs", 10, &no_new);
	ret->thin = !(caps >> SYS_ADMIN & 1);
	ret->seccomp = procfs_number(status, "Seccomp", 10, &seccomp) ? (int)seccomp
								      : PROBE_UNKNOWN;
	ret->no_new_privs = no_new == 1;
}

bool cause_is_old(const char *release)
{
	unsigned major, minor;

	return sscanf(release, "%u.%u", &major, &minor) == 2 &&
	       (major < 5 || (major == 5 && minor < 12));
}

void cause_facts(struct probe_facts *ret)
{
	struct utsname u = { 0 };

	_cleanup_buf_ struct buf status = BUF_INIT(PROCFS_STATUS), comm = BUF_INIT(64);
	struct err e = ERR_NONE;

	*ret = (struct probe_facts){ .root = sys_geteuid() == 0 };
	ret->apparmor_restrict =
		read_number("/proc/sys/kernel/apparmor_restrict_unprivileged_userns");
	ret->userns_clone = read_number("/proc/sys/kernel/unprivileged_userns_clone");
	ret->memfd_noexec = read_number("/proc/sys/vm/memfd_noexec");
	read_limits(ret);
	ret->has_userns = sys_faccessat(AT_FDCWD, "/proc/self/ns/user", F_OK, 0) == 0;
	ret->in_box = file_read(AT_FDCWD, "/proc/1/comm", &comm, &e) == 0 &&
		      strcmp(buf_cstr(&comm), "cubby-init\n") == 0;
	(void)file_read(AT_FDCWD, "/proc/self/status", &status, &e);
	cause_status(buf_cstr(&status), ret);
	(void)sys_uname(&u);
	ret->old = cause_is_old(u.release);
}

static bool denied(int code)
{
	return code == -EPERM || code == -EACCES;
}

static enum probe_reason cause_of_clone(const struct probe_facts *f, int code)
{
	if (f->in_box)
		return PROBE_NESTED;
	if (denied(code) && !f->root && f->userns_clone == 0)
		return PROBE_USERNS_OFF;
	if (denied(code) && !f->root && f->apparmor_restrict == 1)
		return PROBE_APPARMOR;
	if (code == -ENOSPC || code == -EUSERS) /* EUSERS: before 4.9 */
		return PROBE_USERNS_LIMIT;
	if ((code == -EINVAL || code == -ENOSYS) && !f->has_userns)
		return PROBE_NO_USERNS;
	if ((denied(code) || code == -ENOSYS) && f->seccomp == 2)
		return PROBE_SECCOMP;
	return code == -EPERM ? PROBE_CHROOT : PROBE_NONE;
}

enum probe_reason cause_of(const struct probe_facts *f, enum probe_step step, int code)
{
	if (step == PROBE_STEP_CLONE)
		return cause_of_clone(f, code);
	if (step == PROBE_STEP_OTHER)
		return PROBE_NONE;
	if (code == -ENOSYS && f->old)
		return PROBE_OLD_KERNEL;
	/* AppArmor lets the namespace be made and takes its capabilities away. */
	if (denied(code) && !f->root && f->apparmor_restrict == 1)
		return PROBE_APPARMOR;
	if (step == PROBE_STEP_PROC && denied(code))
		return PROBE_PROC;
	if (step == PROBE_STEP_OVERLAY && (code == -EPERM || code == -ENODEV))
		return PROBE_OVERLAY_NONE;
	if (step == PROBE_STEP_EXEC && code == -EACCES && f->memfd_noexec == 2)
		return PROBE_MEMFD;
	return step == PROBE_STEP_MOUNT && (denied(code) || code == -ENOSYS) &&
			       f->seccomp == 2
		       ? PROBE_SECCOMP
		       : PROBE_NONE;
}

enum probe_reason cause_newuidmap(const struct probe_facts *f, const char *said)
{
	return f->thin && !f->no_new_privs &&
			       strstr(said, "map failed: Operation not permitted")
		       ? PROBE_WEAK_NEWUIDMAP
		       : PROBE_NO_NEWUIDMAP;
}

static const char *subject_of(const struct probe_facts *f, enum probe_reason r,
			      char *ret, size_t size)
{
	struct utsname u = { 0 };

	if (r == PROBE_OVERLAY_NONE || r == PROBE_OLD_KERNEL) {
		(void)sys_uname(&u);
		snprintf(ret, size, "%.40s", u.release);
	} else if (f->limit[0]) {
		snprintf(ret, size, "%s", f->limit);
	} else {
		snprintf(ret, size,
			 "all of user.max_user_namespaces=%" PRId64
			 " are used, or 32 are nested",
			 f->max_userns);
	}
	return ret;
}

int cause_explain(enum probe_step step, struct err *e)
{
	_cleanup_buf_ struct buf line = BUF_INIT(sizeof(e->msg));
	struct probe_facts f;
	enum probe_reason r;
	char subject[128];

	cause_facts(&f);
	r = cause_of(&f, step, e->code);
	if (r == PROBE_NONE)
		return e->code;
	(void)cause_text_line(&line, r, subject_of(&f, r, subject, sizeof(subject)),
			      cause_distro());
	return err_set(e, e->code, "%s", buf_cstr(&line));
}

enum probe_distro cause_distro(void)
{
	_cleanup_buf_ struct buf text = BUF_INIT(1 << 16);

	if (file_read(AT_FDCWD, "/etc/os-release", &text, ERR_IGNORED) < 0)
		return PROBE_OTHER;
	return cause_text_distro(buf_cstr(&text));
}
