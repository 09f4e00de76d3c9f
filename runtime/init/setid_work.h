/* setid_work - the process that makes one call in its caller's place (setid.h).
 * Needs:  to be forked from init: not dumpable, able to look at every process of the box.
 * Owns:   itself.
 * Never:  returns; touches a file with more rights than the caller's, but for a capability
 *         on the box's own root. */
#ifndef RUNTIME_INIT_SETID_WORK_H
#define RUNTIME_INIT_SETID_WORK_H

#include <limits.h>
#include <linux/seccomp.h>

#include "runtime/init/setid.h"

/** setid_work() - make the call, answer, and exit; init answers for one that was killed */
_noreturn_ void setid_work(int listener, const struct seccomp_notif *ask,
			   const struct setid_places *own);

/** setid_work_is_capability() - what is at @address of process @pid names a file's
 *  capability */
bool setid_work_is_capability(pid_t pid, uint64_t address);

/** setid_work_path() - the string at @address of process @pid
 *  Return: 0, -EFAULT, -ENAMETOOLONG, or -EPERM: it cannot be looked at */
int setid_work_path(pid_t pid, uint64_t address, char ret[PATH_MAX]);

#endif
