/* entry_path - the name of an archive's entry as a path below the root, or an error.
 * Needs:  nothing; pure.
 * Owns:   nothing.
 * Never:  lets "..", an absolute path or a name beyond the limits through. */
#ifndef ROOTFS_ARCHIVE_ENTRY_PATH_H
#define ROOTFS_ARCHIVE_ENTRY_PATH_H

#include <limits.h>

#include "base/err.h"
#include "rootfs/archive/untar.h"

enum { ENTRY_PATH = PATH_MAX };

/**
 * entry_path_clean() - bring a name into its only form: no leading, trailing or double
 *                      slash, no "." component
 * @raw: as in the archive
 * @ret: "" for the root itself
 *
 * Return: 0; -EINVAL (empty, or has a ".." component); -E2BIG (a limit).
 */
int entry_path_clean(const char *raw, const struct untar_limits *l,
		     char ret[ENTRY_PATH], struct err *e);

enum entry_whiteout {
	ENTRY_PLAIN,	/* no whiteout */
	ENTRY_REMOVE,	/* ".wh.NAME": NAME of a lower layer is gone */
	ENTRY_OPAQUE,	/* ".wh..wh..opq": all of the lower directory is gone */
	ENTRY_METADATA, /* other ".wh..wh.*": of no meaning here */
	ENTRY_MALFORMED /* ".wh.", ".wh..", ".wh...": names no entry */
};

/** entry_path_whiteout() - what the last component of a name means in a layer; for
 *  ENTRY_REMOVE, @removed points at NAME in @name */
enum entry_whiteout entry_path_whiteout(const char *name, const char **removed);

#endif
