/* pathname - what a client calls a file, as an absolute path of the box.
 * Needs:  nothing: pure.
 * Owns:   nothing.
 * Never:  asks a file system: what a path leads to is decided inside the box.  */
#ifndef AGENT_SERVER_FILES_PATHNAME_H
#define AGENT_SERVER_FILES_PATHNAME_H

#include <limits.h>

#include "base/err.h"

/**
 * pathname_resolve() - "." and ".." and empty parts taken out
 * @base: absolute; what a relative one begins at
 * Return: 0; -EINVAL (empty), -ENAMETOOLONG.
 */
int pathname_resolve(const char *base, const char *path, char ret[PATH_MAX],
		     struct err *e);

/** pathname_base() - the last part of any path of any system; "" = none */
const char *pathname_base(const char *path);

/** pathname_type() - the MIME type that a name says; "application/octet-stream" */
const char *pathname_type(const char *path);

#endif
