/* trees - a file, or a directory with all that is in it: removed, or moved to another file
 * system.
 * Needs:  to be in an applet (applet.h).
 * Owns:   nothing after it returned.
 * Never:  follows a link; goes into what is mounted within. */
#ifndef RUNTIME_INIT_TREES_H
#define RUNTIME_INIT_TREES_H

#include "base/err.h"

/** trees_remove() - 0, or why something of it is still there; -EBUSY: it is a mount, or has
 *  one in it, which stays as it is */
int trees_remove(int dirfd, const char *name, struct err *e);

/**
 * trees_move() - where rename(2) says EXDEV: a copy beside @to, which gets its name when it is
 * whole, and then @from goes
 * @from, @to: absolute paths
 *
 * Contents with their holes, links, pipes, modes and times come along, and owners and
 * attributes as far as the caller may give them; several names of one file become several
 * files. Until the last step nothing but @from is seen; if that cannot be removed, both are
 * there and the error says so. A copy that an earlier call for @to was killed at
 * (".NAME.cubby-PID", which nobody holds) goes first.
 * Return: 0, -EEXIST: there is @to; -ENOENT: there is no directory for it; -EBUSY: @from is a
 *         mount, or has one in it; or another negative errno.
 */
int trees_move(const char *from, const char *to, struct err *e);

#endif
