/* monitor_identity - by which name the person commits, for the git of the box: name and
 * e-mail of the user's own settings, never a key.
 * Needs:  rootfs/git/userconf.h.
 * Owns:   nothing.
 * Never:  guesses: where the settings say another one for a repository that may be in the
 *         project, by a condition on a branch or a remote, it is none. */
#ifndef RUNTIME_MONITOR_IDENTITY_H
#define RUNTIME_MONITOR_IDENTITY_H

#include "base/buf.h"

/** monitor_identity() - a git configuration that says it, behind what @ret holds; nothing
 *  when there is no name or no address
 *  @project: absolute, without links */
int monitor_identity(const char *project, struct buf *ret);

#endif
