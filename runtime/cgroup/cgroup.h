/* cgroup - one leaf per box: limits, usage, kill. This file chooses the
 * method; v2.c, v1.c, systemd.c and child.c do the work.
 * Needs:  whatever the host delegates; best effort by rlimits where it is nothing.
 * Owns:   the leaf, from cgroup_create() to cgroup_destroy().
 * Never:  moves a process that it was not handed; touches a cgroup it did not make. */
#ifndef RUNTIME_CGROUP_CGROUP_H
#define RUNTIME_CGROUP_CGROUP_H

#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "runtime/cause/text.h"
#include "runtime/spec/limits.h"

enum cgroup_method { CGROUP_V2, CGROUP_SYSTEMD, CGROUP_V1, CGROUP_RLIMIT };
const char *
cgroup_method_name(enum cgroup_method m); /* "v2", "systemd", "v1", "rlimits" */

struct cgroup; /* opaque */

/**
 * cgroup_create() - make the leaf and write its limits
 * @name: leaf name, made of [a-z0-9-]; "cubby-" and part of the box key
 * @lim:  0 in a field = not limited
 * @why:  a line for each better method not taken and each limit without effect
 *
 * Context: monitor, before the child is cloned. A leaf of that name left behind by a
 * dead monitor is emptied (killed) and reused.
 */
int cgroup_create(const char *name, const struct limits *lim, struct cgroup **ret,
		  struct buf *why, struct err *e);
/** cgroup_destroy() - kill what is left, remove the leaf, free */
void cgroup_destroy(struct cgroup **cg);
#define _cleanup_cgroup_ _cleanup_(cgroup_destroy)

/** cgroup_keeps_memory() - the kernel keeps the memory limit of the whole box */
bool cgroup_keeps_memory(const struct cgroup *cg);
/** cgroup_keeps_pids() - the same for the number of processes */
bool cgroup_keeps_pids(const struct cgroup *cg);
enum cgroup_method cgroup_get_method(const struct cgroup *cg);
/** cgroup_missing() - why it is RLIMIT, or PROBE_NONE */
enum probe_reason cgroup_missing(const struct cgroup *cg);
/** cgroup_missing_cpu() - why nothing keeps a limit on processor time, or PROBE_NONE */
enum probe_reason cgroup_missing_cpu(const struct cgroup *cg);
/** cgroup_clone_fd() - directory of a v2 leaf for CLONE_INTO_CGROUP, borrowed; or -1 */
int cgroup_clone_fd(const struct cgroup *cg);
/** cgroup_enter() - move @pid in (every v1 hierarchy; v2 when it was not cloned into).
 *  Waits for an RCU grace period: 10 to 20 ms. Prefer the next one. */
int cgroup_enter(struct cgroup *cg, pid_t pid, struct err *e);
/**
 * cgroup_join() - the calling thread moves itself into every v1 hierarchy, in 0.1 ms
 *
 * The one way around that wait: the kernel takes no lock when a thread moves itself.
 * The descriptors carry the monitor's rights.
 * Context: the child, single-threaded, at once after the clone and before anything of
 * the box runs; only doors. The v2 leaf is entered by clone (cgroup_clone_fd()).
 */
int cgroup_join(const struct cgroup *cg, struct err *e);
/** cgroup_update() - change the limits of a running box */
int cgroup_update(struct cgroup *cg, const struct limits *lim, struct err *e);
/** cgroup_freeze() - everything in it stands still until cgroup_thaw(), the process @pid
 *  among them
 *  Return: 0; -ETIMEDOUT: not within @timeout_ms, and all go on; another: it cannot be done
 *  here. */
int cgroup_freeze(const struct cgroup *cg, pid_t pid, unsigned timeout_ms);
void cgroup_thaw(const struct cgroup *cg);
/** cgroup_child_limits() - rlimits for the payloads, in the child before exec
 *  @keeps_pids: a cgroup counts the processes of the whole box */
int cgroup_child_limits(const struct limits *lim, bool keeps_pids, struct err *e);

struct cgroup_usage {
	uint64_t memory_bytes, memory_peak_bytes; /* 0 = not known */
	uint64_t pids;
	uint64_t cpu_us;
	uint64_t oom_kills;
	uint64_t pids_refused; /* forks that the limit stopped */
};
void cgroup_usage(struct cgroup *cg, struct cgroup_usage *ret);
/** cgroup_oom_kills() - of these alone that number: one file is read */
uint64_t cgroup_oom_kills(const struct cgroup *cg);

#endif
