/* setid_call - what a call that was handed to the listener asks for. Pure.
 * Needs:  the numbers that the filter saw; nothing that a pointer leads to.
 * Owns:   nothing.
 * Never:  takes a call that it does not know for another one. */
#ifndef RUNTIME_INIT_SETID_CALL_H
#define RUNTIME_INIT_SETID_CALL_H

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The architecture of this program's own calls. */
#if defined(__x86_64__)
#define SETID_CALL_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define SETID_CALL_ARCH AUDIT_ARCH_AARCH64
#else
#define SETID_CALL_ARCH 0U /* of none: every call is refused */
#endif

enum setid_what {
	SETID_CHMOD,
	SETID_OPEN,
	SETID_MKNOD,
	SETID_RENAME,
	SETID_XATTR,
	SETID_XATTR_GONE
};

struct setid_call {
	enum setid_what what;
	int dirfd;     /* AT_FDCWD, or a number of the caller's */
	bool by_fd;    /* on @dirfd itself: there is no path */
	uint64_t path; /* address in the caller */
	int to_dirfd;  /* of a rename: the new name */
	uint64_t to_path;
	mode_t mode;
	int flags; /* of open, AT_…, RENAME_… or XATTR_… */
	dev_t dev;
};

/* Of an attribute, besides: addresses in the caller, and a length. */
struct setid_attribute {
	bool nofollow; /* of the link itself */
	uint64_t name, value, n;
};

struct setid_attribute setid_call_attribute(const struct seccomp_data *d);

/** setid_call_read() - 0, or -ENOSYS: no such call on this architecture */
int setid_call_read(const struct seccomp_data *d, struct setid_call *ret);

/**
 * setid_call_own_fd() - the number when @path is a process's name for a descriptor of its
 * own: /proc/self/fd/N, /proc/thread-self/fd/N or /dev/fd/N; else -1
 *
 * Another process resolves these names to its own descriptors. libc's fchmodat() uses the
 * first.
 */
int setid_call_own_fd(const char *path);

/** setid_call_own_name() - @path says that it goes by what is another for each process */
bool setid_call_own_name(const char *path);

#endif
