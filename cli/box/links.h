/* boxlinks - files of the project that have names outside of it: said once for a box, or
 * made the project's own.
 * Needs:  boxsetup_prepare(): where the project and the box are.
 * Owns:   the file 'links' in the box's directory: when it was last looked, and whether
 *         it was said.
 * Never:  breaks a link up while the box runs. */
#ifndef CLI_BOX_LINKS_H
#define CLI_BOX_LINKS_H

#include "cli/store/boxsetup.h"

/** boxlinks_tell() - say once that there are some; for whoever starts the box */
void boxlinks_tell(const struct boxsetup *s);

/** boxlinks_break() - --unlink; -EBUSY: the box runs */
int boxlinks_break(const struct boxsetup *s, struct err *e);

/** boxlinks_git() - say what becomes of a repository of the project's that lies outside of it
 *  (of a worktree, of a submodule) */
void boxlinks_git(const struct boxsetup *s);

#endif
