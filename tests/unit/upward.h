/* upward - what a process finds above its root and its working directory: seen by a child
 * that takes on the very same root.
 * Needs:  CAP_SYS_CHROOT, and the right to look into the process: else a skip. */
#ifndef TESTS_UNIT_UPWARD_H
#define TESTS_UNIT_UPWARD_H

#include <sys/types.h>

/** upward_shut() - assert that nothing of the host is above @pid's root */
void upward_shut(pid_t pid);

/** upward_seen() - a bit for each way by which the calling process finds the host's tree
 *  above its root; the working directory is changed */
int upward_seen(void);

#endif
