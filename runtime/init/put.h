/* put - a file gets its content, all of it or none.
 * Needs:  to be in an applet (applet.h).
 * Owns:   what is written beside the file, until that takes its place.
 * Never:  leaves half of it behind, but where another file could not have the owner and the
 *         mode of this one: then it is written into. */
#ifndef RUNTIME_INIT_PUT_H
#define RUNTIME_INIT_PUT_H

#include "base/err.h"

/* Writes the content to @fd. */
typedef int put_fill_fn(void *ctx, int fd, struct err *e);

/** put_file() - parents are made, mode and owner kept, a link is followed */
int put_file(const char *path, put_fill_fn *fill, void *ctx, struct err *e);

#endif
