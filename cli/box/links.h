/* boxlinks - files of the project that have names outside of it: said once for a box, or
 * made the project's own.
 * Needs:  boxsetup_prepare(): where the project and the box are.
 * Owns:   the file 'links' in the box's directory: when it was last looked, and whether
 *         it was said.
 * Never:  breaks a link up while the box runs. */
#ifndef CLI_BOX_LINKS_H
#define CLI_BOX_LINKS_H

#include "cli/show/app.h"
#include "rootfs/store/boxdir.h"
#include "runtime/spec/spec.h"

/** boxlinks_tell() - say once that there are some; for whoever starts the box */
void boxlinks_tell(const struct app *app, const struct boxdir *dir,
		   const struct spec *s);

/** boxlinks_break() - --unlink; -EBUSY: the box runs */
int boxlinks_break(const struct app *app, const struct spec *s, struct err *e);

/** boxlinks_git() - say what becomes of a repository of the project's that lies outside of it
 *  (of a worktree, of a submodule) */
void boxlinks_git(const struct app *app, const char *project);

#endif
