/* regular - a file that is opened to be read, for an applet.
 * Needs:  to be in an applet (applet.h).
 * Owns:   nothing: the descriptor is the caller's.
 * Never:  waits for whoever is at the other end of what is no file. */
#ifndef RUNTIME_INIT_REGULAR_H
#define RUNTIME_INIT_REGULAR_H

#include <sys/stat.h>

#include "base/err.h"

/** regular_open() - @ret: what it is; a descriptor, -EISDIR, -EINVAL: it is something else
 *  that is no file, or why it cannot be opened */
int regular_open(const char *path, struct stat *ret, struct err *e);

#endif
