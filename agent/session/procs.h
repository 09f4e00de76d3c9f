/* procs - what the host's /proc says about processes of a box.
 * Needs:  /proc of the host; for another user's processes the right to trace them,
 *         which the owner of the box's user namespace has.
 * Owns:   nothing.
 * Never:  believes a name or a link for more than it is: pids are reused and programs
 *         choose their names. */
#ifndef AGENT_SESSION_PROCS_H
#define AGENT_SESSION_PROCS_H

#include <stdint.h>
#include <sys/types.h>

#include "base/procfs.h"

enum { PROCS_MAX = 4096 }; /* processes, or threads of one, that a walk looks at */

typedef procfs_fn procs_fn;

/** procs_walk() - @root and its descendants, parents first; 0 or -errno of the root */
int procs_walk(pid_t root, procs_fn *fn, void *ctx);
/** procs_children() - of a process of one thread, oldest first; 0 or -errno */
int procs_children(pid_t pid, procs_fn *fn, void *ctx);
/** procs_tasks() - the threads of a process */
int procs_tasks(pid_t pid, procs_fn *fn, void *ctx);

int procs_stat(pid_t pid, pid_t tid, struct procfs_stat *ret);
/** procs_ends() - it is on its way out, or a zombie: no signal reaches it */
bool procs_ends(const struct procfs_stat *st);
/** procs_is_copy() - of its parent: forked, and no program started since */
bool procs_is_copy(const struct procfs_stat *st);

struct procs_call {
	long nr; /* -1 = not in a system call */
	uint64_t args[5];
};
/** procs_call() - 1 = blocked in @ret, 0 = running, or -errno (-EPERM: not allowed) */
int procs_call(pid_t pid, pid_t tid, struct procs_call *ret);
/** procs_wchan() - the kernel function that a task sleeps in; "" when not told */
int procs_wchan(pid_t pid, pid_t tid, char *ret, size_t size);
/** procs_switches() - how often the task gave up the processor by itself */
int procs_switches(pid_t pid, pid_t tid, uint64_t *ret);
/** procs_catches() - has the process a handler for the signal? */
bool procs_catches(pid_t pid, int sig);
/** procs_args() - the words that it was started with, each NUL-ended; cut at @size
 *  Return: bytes, or -errno */
int procs_args(pid_t pid, char *ret, size_t size);
/** procs_same_args() - were both started with the same words? */
bool procs_same_args(pid_t a, pid_t b);
/** procs_inside() - its number in the innermost pid namespace that it is in, or -errno */
int procs_inside(pid_t pid);
/** procs_is_32bit() - does the process run a 32-bit program? */
bool procs_is_32bit(pid_t pid);
/** procs_fd_device() - device number behind a descriptor; 0 = none or not known */
dev_t procs_fd_device(pid_t pid, int fd);
/** procs_master() - the pty master with the highest descriptor; -ENOENT. A copy, owned
 *  by the caller. */
int procs_master(pid_t pid);

#endif
