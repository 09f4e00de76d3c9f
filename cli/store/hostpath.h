/* hostpath - files of this computer that the caller names, where a box may have put links in
 * the way: what lies in a directory that a box has to write is opened beneath it.
 * Needs:  the caller's store, which says what boxes write.
 * Owns:   nothing.
 * Never:  follows a link out of such a directory; touches the links of other places, which
 *         are the caller's. */
#ifndef CLI_STORE_HOSTPATH_H
#define CLI_STORE_HOSTPATH_H

#include <limits.h>

#include "base/buf.h"
#include "base/err.h"

/**
 * hostpath_open() - open @path, as open(2) without O_CREAT
 *
 * The working directory is such a one for what is opened to be read in it.
 * Return: a descriptor; -EXDEV: a link leads out of a directory that a box can write;
 *         -EINVAL: a device, a FIFO or a socket is there; or another negative errno. The
 *         message names @path.
 */
int hostpath_open(const char *path, int flags, struct err *e);

/** hostpath_read() - append what @path has to @ret, whose max is the limit: -EMSGSIZE */
int hostpath_read(const char *path, struct buf *ret, struct err *e);

/** hostpath_real() - the path of what @path leads to, without links */
int hostpath_real(const char *path, char ret[PATH_MAX], struct err *e);

/** hostpath_meant() - the same, or @path as it is where it leads nowhere, which is for the
 *  caller to say. Return: 0; -EXDEV: a link of a box leads away; -ENAMETOOLONG */
int hostpath_meant(const char *path, char ret[PATH_MAX], struct err *e);

/** hostpath_parent() - open the directory of @path, with O_PATH, for the file @name in it;
 *  @name points into @path and is "" where that ends in '/' */
int hostpath_parent(const char *path, const char **name, struct err *e);

#endif
