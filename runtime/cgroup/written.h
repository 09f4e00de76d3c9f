/* written - what a box had written to disks, as the kernel counts it for its processes: those
 * that live, and those that ended, whose count goes to who waited for them, init at last: at
 * least so much, as the count of one whose parent ignores SIGCHLD is lost.
 * (io.stat of a cgroup has it later, and twice where one device lies on another.)
 * Needs:  the box's /proc, opened by its init; the rights over the box's processes that the
 *         maker of their user namespace has.
 * Owns:   nothing.
 * Never:  guesses: what cannot be read of one process is not known of the box. */
#ifndef RUNTIME_CGROUP_WRITTEN_H
#define RUNTIME_CGROUP_WRITTEN_H

#include <stdint.h>

#include "base/err.h"

/**
 * written_bytes() - of all processes in @proc, at least
 * Return: 0; -EACCES: a process of another user of the box; -ENOENT: the kernel does not
 *         count; or why it cannot be read
 */
int written_bytes(int proc, uint64_t *ret, struct err *e);

#endif
