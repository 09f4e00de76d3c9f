/* spill - the whole text of a long output, in an unnamed file of the host.
 * Needs:  a temporary directory whose file system knows O_TMPFILE, else a memfd.
 * Owns:   the file, SPILL_MAX bytes at most: past that the end wins.
 * Never:  has a name on the host; blocks for longer than a write to the page cache. */
#ifndef AGENT_TERMINAL_SPILL_H
#define AGENT_TERMINAL_SPILL_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum { SPILL_MAX = 64 << 20 };

struct spill {
	int fd;		/* owned; -1 = nothing written yet */
	struct buf mem; /* not yet in the file */
	uint64_t total; /* bytes added */
	int failed;	/* negative errno of the first write that failed */
};

void spill_init(struct spill *s);
void spill_done(struct spill *s);
/** spill_add() - failures show in spill_copy() */
void spill_add(struct spill *s, const char *text, size_t len);

typedef int spill_fn(void *ctx, const void *data, size_t len, struct err *e);
/** spill_copy() - hand all that is kept to @fn, in order; 0 or the first failure */
int spill_copy(struct spill *s, spill_fn *fn, void *ctx, struct err *e);

#endif
