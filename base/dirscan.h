/* dirscan - the names in a directory, in the kernel's own order.
 * Needs:  a directory opened for reading, whose position nobody else moves.
 * Owns:   nothing: the descriptor is borrowed.
 * Never:  yields "." or ".."; recurses; allocates. */
#ifndef BASE_DIRSCAN_H
#define BASE_DIRSCAN_H

#include <stdint.h>

#include "base/err.h"

enum { DIRSCAN_BYTES = 8192 };

struct dirscan {
	int fd; /* borrowed */
	size_t at, len;
	_Alignas(uint64_t) char bytes[DIRSCAN_BYTES];
};

struct dirscan_entry {
	const char *name;   /* borrowed until the next call */
	unsigned char type; /* DT_DIR, DT_REG, …; DT_UNKNOWN on some filesystems */
};

/** dirscan_start() - begin, or begin again, at the first name
 *  Return: 0 or a negative errno of the seek. */
int dirscan_start(struct dirscan *s, int fd, struct err *e);

/** dirscan_next() - 1 = @ret filled, 0 = no more names, or a negative errno */
int dirscan_next(struct dirscan *s, struct dirscan_entry *ret, struct err *e);

#endif
