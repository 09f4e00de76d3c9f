/* monitor_identity - by which name the person commits, for the git of the box: name and
 * e-mail of the user's own settings, never a key.
 * Needs:  rootfs/git/userconf.h.
 * Owns:   nothing.
 * Never:  guesses: where the settings say two, as with conditional includes, it is none. */
#ifndef RUNTIME_MONITOR_IDENTITY_H
#define RUNTIME_MONITOR_IDENTITY_H

#include "base/buf.h"

/** monitor_identity() - a git configuration that says it, behind what @ret holds; nothing
 *  when there is no name or no address */
int monitor_identity(struct buf *ret);

#endif
