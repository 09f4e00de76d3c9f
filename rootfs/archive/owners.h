/* owners - the record of owners and modes that the disk cannot show.
 * Needs:  nothing.
 * Owns:   its records.
 * Never:  holds more than OWNERS_BYTES: past that, an error.
 *
 * Regular files and directories carry their record in an xattr that other tools know;
 * links and fifos cannot, so theirs are lines of a table, sorted by path:
 *   UID:GID:MODE PATH
 * with PATH escaped as text_escape() does. */
#ifndef ROOTFS_ARCHIVE_OWNERS_H
#define ROOTFS_ARCHIVE_OWNERS_H

#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

#define OWNERS_XATTR "user.containers.override_stat"

enum { OWNERS_BYTES = 256 << 20, OWNERS_VALUE = 48 };

struct owners {
	struct buf text;    /* NUL-ended "UID:GID:MODE" NUL-ended path, … */
	struct buf offsets; /* size_t of each record in text */
};
#define OWNERS_NONE                                               \
	((struct owners){ .text = BUF_INIT((size_t)OWNERS_BYTES), \
			  .offsets = BUF_INIT((size_t)OWNERS_BYTES) })
void owners_done(struct owners *o);
#define _cleanup_owners_ _cleanup_(owners_done)

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

/** owners_add() - record for a path that cannot hold the xattr; a later one counts
 *  Return: 0, -E2BIG or -ENOMEM. */
int owners_add(struct owners *o, const char *path, const struct owners_stat *st,
	       struct err *e);

/** owners_print() - append the table, sorted */
int owners_print(const struct owners *o, struct buf *out);

#endif
