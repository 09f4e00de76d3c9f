/* dirscan - the names in a directory, in the kernel's own order.
 * Needs:  a directory opened for reading, whose position nobody else moves.
 * Owns:   nothing: the descriptor is borrowed.
 * Never:  yields "." or ".."; recurses; allocates. */
#ifndef BASE_DIRSCAN_H
#define BASE_DIRSCAN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

enum { DIRSCAN_BYTES = 8192 };

struct dirscan {
	const char *name;   /* borrowed until the next call */
	unsigned char type; /* DT_DIR, DT_REG, …; DT_UNKNOWN on some filesystems */
	off_t next;	    /* behind this one: dirscan_resume() */
	int fd;		    /* borrowed */
	int failed;
	size_t at, len;
	_Alignas(uint64_t) char bytes[DIRSCAN_BYTES];
};

/** dirscan_start() - begin, or begin again, before the first name
 *  @fd: a negative errno is what failed: there are no names */
void dirscan_start(struct dirscan *s, int fd);

/** dirscan_resume() - go on where an earlier scan of the directory was: @next of it; 0 is
 *  before the first name */
void dirscan_resume(struct dirscan *s, int fd, off_t next);

/** dirscan_next() - is there one more? It is @s->name. False: no more, or it failed */
bool dirscan_next(struct dirscan *s);

/** dirscan_failed() - 0, or why there were no more names, for who must have all of them */
int dirscan_failed(const struct dirscan *s, struct err *e);

#endif
