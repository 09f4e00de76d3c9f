/* outlog - the output of a program in numbered entries, to be read again from any.
 * Needs:  memory, outside of this process's own: a file on a disk would make the server wait
 *         for that.
 * Owns:   the bytes, OUTLOG_MAX at most and what is left for all: past that the oldest entries
 *         are gone.
 * Never:  changes an entry that was shown; splits a character between two. */
#ifndef AGENT_SERVER_RUN_OUTLOG_H
#define AGENT_SERVER_RUN_OUTLOG_H

#include <stdint.h>

#include "base/buf.h"

enum { OUTLOG_MAX = 8 << 20, OUTLOG_ENTRY = 4096, OUTLOG_SMALL = OUTLOG_ENTRY };

struct outlog_entry {
	uint64_t at;
	uint32_t len;
};

struct outlog {
	int fd;		/* owned; -1 = what there is is in small */
	char *small;	/* owned; OUTLOG_SMALL bytes; NULL = none */
	uint64_t room;	/* bytes of the ring */
	uint64_t *left; /* borrowed; for all together; NULL = it stays as it is */
	uint64_t total; /* bytes */
	struct outlog_entry *entries; /* owned; ordered */
	size_t count;
	uint64_t first; /* number of entries[0] */
	bool closed;	/* the last one was shown: the next byte begins another */
	char cut[4];	/* the start of a character whose end has not come */
	unsigned n_cut;
};
/** OUTLOG() - @all: how many bytes this one and others may still take; outlives it, or the
 *  call of outlog_leave() */
#define OUTLOG(all) ((struct outlog){ .fd = -1, .left = (all) })
void outlog_done(struct outlog *l);
/** outlog_leave() - give back what it has taken of what is there for all; it grows no more */
void outlog_leave(struct outlog *l);

/** outlog_add() - 0, -ENOMEM, or why it cannot be kept */
int outlog_add(struct outlog *l, const char *data, size_t len);
/** outlog_flush() - no more comes: half a character is kept as it is */
int outlog_flush(struct outlog *l);
/** outlog_next() - the number of the entry that comes next; the last one is closed */
uint64_t outlog_next(struct outlog *l);
/** outlog_read() - append entry @number; 0, -ENOENT: it is gone, or is not there yet */
int outlog_read(const struct outlog *l, uint64_t number, struct buf *out);
/** outlog_print() - the same as {"type":"output","data":…}, a comma before it if it is not the
 *  @first; nothing of one that is gone. 0, or -ENOMEM */
int outlog_print(const struct outlog *l, uint64_t number, bool first, struct buf *out);

#endif
