/* outlog - the output of a program in numbered entries, to be read again from any.
 * Needs:  a temporary directory whose file system knows O_TMPFILE, else a memfd.
 * Owns:   the file, OUTLOG_MAX bytes at most: past that the oldest entries are gone.
 * Never:  changes an entry that was shown; splits a character between two. */
#ifndef AGENT_SERVER_RUN_OUTLOG_H
#define AGENT_SERVER_RUN_OUTLOG_H

#include <stdint.h>

#include "base/buf.h"

enum { OUTLOG_MAX = 8 << 20, OUTLOG_ENTRY = 4096 };

struct outlog_entry {
	uint64_t at;
	uint32_t len;
};

struct outlog {
	int fd;			      /* owned; -1 = nothing written yet */
	uint64_t total;		      /* bytes */
	struct outlog_entry *entries; /* owned; ordered */
	size_t count;
	uint64_t first; /* number of entries[0] */
	bool closed;	/* the last one was shown: the next byte begins another */
	char cut[4];	/* the start of a character whose end has not come */
	unsigned n_cut;
};
#define OUTLOG_NONE ((struct outlog){ .fd = -1 })
void outlog_done(struct outlog *l);

/** outlog_add() - 0, -ENOMEM, or why it cannot be kept */
int outlog_add(struct outlog *l, const char *data, size_t len);
/** outlog_flush() - no more comes: half a character is kept as it is */
int outlog_flush(struct outlog *l);
/** outlog_next() - the number of the entry that comes next; the last one is closed */
uint64_t outlog_next(struct outlog *l);
/** outlog_read() - append entry @number; 0, -ENOENT: it is gone, or is not there yet */
int outlog_read(const struct outlog *l, uint64_t number, struct buf *out);

#endif
