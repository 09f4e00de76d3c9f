/* owners - the record of an owner and a mode that the disk cannot show: an attribute of the
 * file, which other tools know. Links and fifos cannot carry one.
 * Needs:  nothing.
 * Owns:   nothing.
 * Never:  believes a record, which may come from inside a box. */
#ifndef ROOTFS_ARCHIVE_OWNERS_H
#define ROOTFS_ARCHIVE_OWNERS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define OWNERS_XATTR "user.containers.override_stat"

enum { OWNERS_VALUE = 48 };

struct owners_stat {
	uint32_t uid, gid;
	mode_t mode; /* permission bits, at most 07777 */
};

/** owners_format() - the value of the xattr, "UID:GID:0MODE"; @out */
char *owners_format(char out[OWNERS_VALUE], const struct owners_stat *st);

/**
 * owners_parse() - read such a value, which may come from inside a box
 * Return: 0, or -EINVAL: an id past 2^32-2, a mode past 07777, any other text.
 */
int owners_parse(const char *value, size_t len, struct owners_stat *ret);

#endif
