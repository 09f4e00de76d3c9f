/* cause - which reason stands behind a failed step of a start: by what the host
 * says of itself first, by errno last, since one errno has many causes.
 * Needs:  /proc.
 * Owns:   nothing.
 * Never:  names a cause that it has not seen. */
#ifndef RUNTIME_CAUSE_CAUSE_H
#define RUNTIME_CAUSE_CAUSE_H

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "runtime/cause/text.h"

enum probe_step {
	PROBE_STEP_CLONE,   /* clone or unshare with namespaces */
	PROBE_STEP_MAP,	    /* uid_map, gid_map; ids in the child */
	PROBE_STEP_NET,	    /* netlink in the new network namespace */
	PROBE_STEP_MOUNT,   /* any mount but the two below */
	PROBE_STEP_PROC,    /* procfs and the kernel's other filesystems */
	PROBE_STEP_OVERLAY, /* the root */
	PROBE_STEP_EXEC,    /* of init */
	PROBE_STEP_OTHER    /* no reason of ours can be behind it */
};

enum { PROBE_LIMIT_NAME = 64, PROBE_UNKNOWN = -1 };

/* What the host says of itself. A sysctl that is not there is PROBE_UNKNOWN. */
struct probe_facts {
	bool root; /* effective user 0 */
	int64_t apparmor_restrict;
	int64_t userns_clone;
	int64_t memfd_noexec;
	char limit[PROBE_LIMIT_NAME]; /* "user.max_net_namespaces=0", the first that is
					 0; "" = none is */
	int64_t max_userns;
	bool has_userns; /* /proc/self/ns/user is there */
	int seccomp;	 /* of /proc/self/status; PROBE_UNKNOWN */
	bool no_new_privs;
	bool thin;   /* the bounding set lacks CAP_SYS_ADMIN, as in containers */
	bool old;    /* the kernel is one before 5.12 */
	bool in_box; /* pid 1 is a box's init */
};

/** cause_facts() - read them; what cannot be read is unknown */
void cause_facts(struct probe_facts *ret);

/** cause_status() - pure: seccomp, no_new_privs and the bounding set out of
 *  /proc/PID/status */
void cause_status(const char *status, struct probe_facts *ret);

/** cause_is_old() - pure: a release of the kernel is one before 5.12, which is the oldest
 *  that confines a tree of mounts as a whole (mount_setattr) */
bool cause_is_old(const char *release);

/** cause_of() - pure: the reason, or PROBE_NONE; @code: negative errno */
enum probe_reason cause_of(const struct probe_facts *f, enum probe_step step, int code);

/**
 * cause_newuidmap() - pure: why newuidmap failed, by what it @said
 *
 * A setuid newuidmap writes as root, who has to own the new namespace or to have
 * CAP_SYS_ADMIN outside of it (kernel/user_namespace.c, map_write). Thin containers
 * leave neither; with file capabilities it stays the caller, who owns the namespace.
 */
enum probe_reason cause_newuidmap(const struct probe_facts *f, const char *said);

/**
 * cause_explain() - turn the failure of a step of a start into cause and remedy
 * @e: filled by the step that failed; its text stays when no cause is seen
 *
 * Context: host side; reads /proc. Return: e->code.
 */
int cause_explain(enum probe_step step, struct err *e);

/** cause_distro() - of this host, from /etc/os-release */
enum probe_distro cause_distro(void);

#endif
