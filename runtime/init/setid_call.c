#include "runtime/init/setid_call.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/def.h"

/* ---- the numbers ------------------------------------------------------------------ */

enum { FCHMODAT2 = 452, NO = -1 }; /* NO: the call has no such argument */

#if defined(__x86_64__)
enum { OURS = SETID_CALL_ARCH, THEIRS = AUDIT_ARCH_I386 };
#define THEIR(i386, arm) i386
#elif defined(__aarch64__)
enum { OURS = SETID_CALL_ARCH, THEIRS = AUDIT_ARCH_ARM };
#define THEIR(i386, arm) arm
#endif

/* Where a call has what; calls of a path alone are relative to the working directory. */
struct shape {
	enum setid_what what;
	int8_t dir, path, mode, flags, dev;
	int fixed;		/* flags that the call means, when it has none */
	int8_t to_dir, to_path; /* behind a path alone there is no other one: 0 */
};

static const struct shape chmod_ = { SETID_CHMOD, NO, 0, 1, NO, NO, 0, 0, 0 };
static const struct shape fchmod_ = { SETID_CHMOD, 0, NO, 1, NO, NO, 0, 0, 0 };
static const struct shape fchmodat_ = { SETID_CHMOD, 0, 1, 2, NO, NO, 0, 0, 0 };
static const struct shape fchmodat2_ = { SETID_CHMOD, 0, 1, 2, 3, NO, 0, 0, 0 };
static const struct shape open_ = { SETID_OPEN, NO, 0, 2, 1, NO, 0, 0, 0 };
static const struct shape openat_ = { SETID_OPEN, 0, 1, 3, 2, NO, 0, 0, 0 };
static const struct shape creat_ = {
	SETID_OPEN, NO, 0, 1, NO, NO, O_CREAT | O_WRONLY | O_TRUNC, 0, 0
};
static const struct shape mknod_ = { SETID_MKNOD, NO, 0, 1, NO, 2, 0, 0, 0 };
static const struct shape mknodat_ = { SETID_MKNOD, 0, 1, 2, NO, 3, 0, 0, 0 };
static const struct shape renameat2_ = { SETID_RENAME, 0, 1, NO, 4, NO, 0, 2, 3 };
static const struct shape renameat_ = { SETID_RENAME, 0, 1, NO, NO, NO, 0, 2, 3 };
static const struct shape rename_ = { SETID_RENAME, NO, 0, NO, NO, NO, 0, NO, 1 };
static const struct shape setxattr_ = { SETID_XATTR, NO, 0, NO, 4, NO, 0, 0, 0 };
static const struct shape fsetxattr_ = { SETID_XATTR, 0, NO, NO, 4, NO, 0, 0, 0 };
static const struct shape removexattr_ = {
	SETID_XATTR_GONE, NO, 0, NO, NO, NO, 0, 0, 0
};
static const struct shape fremovexattr_ = {
	SETID_XATTR_GONE, 0, NO, NO, NO, NO, 0, 0, 0
};

static const struct {
	uint32_t arch;
	int nr;
	const struct shape *shape;
} calls[] = {
#ifdef THEIR
#ifdef SYS_open
	{ OURS, SYS_open, &open_ },
	{ OURS, SYS_creat, &creat_ },
	{ OURS, SYS_mknod, &mknod_ },
	{ OURS, SYS_chmod, &chmod_ },
	{ OURS, SYS_rename, &rename_ },
#endif
	{ OURS, SYS_openat, &openat_ },
	{ OURS, SYS_mknodat, &mknodat_ },
	{ OURS, SYS_fchmod, &fchmod_ },
	{ OURS, SYS_fchmodat, &fchmodat_ },
	{ OURS, FCHMODAT2, &fchmodat2_ },
	{ OURS, SYS_renameat, &renameat_ },
	{ OURS, SYS_renameat2, &renameat2_ },
	{ OURS, SYS_setxattr, &setxattr_ },
	{ OURS, SYS_lsetxattr, &setxattr_ },
	{ OURS, SYS_fsetxattr, &fsetxattr_ },
	{ OURS, SYS_removexattr, &removexattr_ },
	{ OURS, SYS_lremovexattr, &removexattr_ },
	{ OURS, SYS_fremovexattr, &fremovexattr_ },
	{ THEIRS, 5, &open_ },
	{ THEIRS, 8, &creat_ },
	{ THEIRS, 14, &mknod_ },
	{ THEIRS, 15, &chmod_ },
	{ THEIRS, 94, &fchmod_ },
	{ THEIRS, THEIR(295, 322), &openat_ },
	{ THEIRS, THEIR(297, 324), &mknodat_ },
	{ THEIRS, THEIR(306, 333), &fchmodat_ },
	{ THEIRS, FCHMODAT2, &fchmodat2_ },
#else
	/* Elsewhere nothing is known of the numbers: such calls are refused. */
	{ 0, NO, &open_ },
#endif
};

static const struct shape *find(const struct seccomp_data *d)
{
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (calls[i].arch == d->arch && calls[i].nr == d->nr)
			return calls[i].shape;
	return NULL;
}

/* As the kernel: numbers are the low half of a register. */
static int low(const struct seccomp_data *d, int8_t arg, int otherwise)
{
	return arg == NO ? otherwise : (int)(uint32_t)d->args[arg];
}

int setid_call_read(const struct seccomp_data *d, struct setid_call *ret)
{
	const struct shape *s = find(d);

	if (!s)
		return -ENOSYS;
	*ret = (struct setid_call){
		.what = s->what,
		.dirfd = low(d, s->dir, AT_FDCWD),
		.by_fd = s->path == NO,
		.path = s->path == NO ? 0 : d->args[s->path],
		.mode = (mode_t)low(d, s->mode, 0) & (S_IFMT | 07777),
		.flags = low(d, s->flags, s->fixed),
		.dev = (dev_t)(unsigned)low(d, s->dev, 0),
	};
	if (s->what == SETID_RENAME) {
		ret->to_dirfd = low(d, s->to_dir, AT_FDCWD);
		ret->to_path = d->args[s->to_path];
	}
	return 0;
}

struct setid_attribute setid_call_attribute(const struct seccomp_data *d)
{
	return (struct setid_attribute){ .nofollow = d->nr == SYS_lsetxattr ||
						     d->nr == SYS_lremovexattr,
					 .name = d->args[1],
					 .value = d->args[2],
					 .n = d->args[3] };
}

/* ---- names of descriptors ----------------------------------------------------------- */

bool setid_call_own_name(const char *path)
{
	static const char *const names[] = { "/proc/self/", "/proc/thread-self/",
					     "/dev/fd/" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strstr(path, names[i]))
			return true;
	return false;
}

int setid_call_own_fd(const char *path)
{
	static const char *const names[] = { "/proc/self/fd/", "/proc/thread-self/fd/",
					     "/dev/fd/" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		size_t n = strlen(names[i]), digits;

		if (strncmp(path, names[i], n) != 0)
			continue;
		digits = strspn(path + n, "0123456789");
		if (digits && digits <= 9 && !path[n + digits])
			return atoi(path + n);
	}
	return -1;
}
