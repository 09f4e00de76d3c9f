/* mountinfo - the kernel's list of mounts, and the other names that they give a directory.
 * Needs:  the text of /proc/PID/mountinfo.
 * Owns:   nothing.
 * Never:  asks the kernel: what it returns may be hidden by another mount. */
#ifndef BASE_MOUNTINFO_H
#define BASE_MOUNTINFO_H

#include <limits.h>
#include <stdbool.h>

enum {
	MOUNTINFO_BYTES = 8 << 20
}; /* of the text; hosts of containers have many mounts */

struct mountinfo {
	char dev[32];	     /* MAJOR:MINOR of its filesystem */
	char root[PATH_MAX]; /* what of that it shows */
	char point[PATH_MAX];
	char type[64], options[256]; /* of its filesystem; "" = too long */
};

/** mountinfo_next() - the next mount whose type begins with @type
 *  @text: where to go on; first the whole text. A line that says no mount is passed over. */
bool mountinfo_next(const char **text, const char *type, struct mountinfo *ret);

/** mountinfo_shown() - where @m shows what its filesystem has at @path
 *  Return: 0; -ENOENT (nowhere), -ENAMETOOLONG; @ret is filled on success only */
int mountinfo_shown(const struct mountinfo *m, const char *path, char ret[PATH_MAX]);

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

/** mountinfo_at() - the mount that shows the directory @path */
bool mountinfo_at(const char *text, const char *path, struct mountinfo *ret);

/** mountinfo_below() - the next mount within the directory @path
 *  @at: where to go on; first the whole text */
bool mountinfo_below(const char **at, const char *path, struct mountinfo *ret);

#endif
