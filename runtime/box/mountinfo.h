/* mountinfo - the other names of a directory, from the kernel's list of mounts.
 * Needs:  the text of /proc/PID/mountinfo.
 * Owns:   nothing.
 * Never:  asks the kernel: what it returns may be hidden by another mount. */
#ifndef RUNTIME_BOX_MOUNTINFO_H
#define RUNTIME_BOX_MOUNTINFO_H

#include <limits.h>
#include <stdbool.h>

/**
 * mountinfo_other() - a name of the directory @path by another mount of its filesystem
 * @path:  real and absolute
 * @index: which of them, from 0
 * @ret:   absolute; filled on success only
 *
 * Return: 0; -ENOENT: there are no more, -ENAMETOOLONG.
 */
int mountinfo_other(const char *text, const char *path, unsigned index,
		    char ret[PATH_MAX]);

/* A mount: where it is, and the kind of its filesystem ("" = too long a word). */
struct mountinfo_place {
	char point[PATH_MAX], type[64];
};

/** mountinfo_at() - the mount that shows the directory @path */
bool mountinfo_at(const char *text, const char *path, struct mountinfo_place *ret);

/** mountinfo_below() - the next mount within the directory @path
 *  @at: where to go on; first the whole text */
bool mountinfo_below(const char **at, const char *path, struct mountinfo_place *ret);

#endif
