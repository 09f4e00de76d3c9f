/* owner - who the caller is in the project of a box: the user that commands run as, where
 * the box's ids can be shown so (docs/adr/0028).
 * Needs:  the layers of the box, of which whoever was in it may have made all; root, for
 *         the map that can do it is root's.
 * Owns:   nothing.
 * Never:  is a reason for a box not to start: who cannot be found is root. */
#ifndef CLI_BOX_OWNER_H
#define CLI_BOX_OWNER_H

#include "cli/show/app.h"
#include "rootfs/store/boxdir.h"
#include "runtime/spec/spec.h"

/** owner_choose() - fill s->owner; @dir is open, or the box is a new one */
void owner_choose(const struct app *app, const struct boxdir *dir, struct spec *s);

/** owner_check() - is there such a user, or does it need no account? Of a box that is made
 *  only now its image says so.
 *  Return: 0, also where that cannot be told; -EINVAL, with what to do */
int owner_check(const struct app *app, const struct boxdir *dir, const struct spec *s,
		struct err *e);

/** owner_tell() - in a line, of a box that runs: that the caller is somebody else in the project
 *  than the user of this command, why, and what to do. @has: whom the box shows as the caller */
void owner_tell(const struct app *app, const struct boxdir *dir, const struct spec *s,
		struct idmap_owner has);

#endif
