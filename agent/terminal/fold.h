/* fold - lines that only say that work goes on become one line with their count.
 * Needs:  plain text (output.h makes it), split anywhere.
 * Owns:   the line that is not complete yet, and the first lines of a run.
 * Never:  folds a line that it does not know the like of; looks further back than a run,
 *         and the line before it.
 *
 * What apt, pip, npm, compilers and downloads print by the hundred tells a model nothing, and
 * it pays for each line in every turn that follows. Binary output is folded likewise, and
 * what repeats the line above, which is shown: pip's warnings, and many equal lines. */
#ifndef AGENT_TERMINAL_FOLD_H
#define AGENT_TERMINAL_FOLD_H

#include <stdint.h>

#include "base/buf.h"

enum { FOLD_LINE = 4096, FOLD_LEAST = 4 };

typedef void fold_fn(void *ctx, const char *text, size_t len);

struct fold {
	fold_fn *out;
	void *ctx;	      /* borrowed */
	char line[FOLD_LINE]; /* whose end has not come */
	size_t len;
	enum {
		FOLD_AT_START,
		FOLD_PASS,
		FOLD_DROP
	} rest;		      /* of a line that is too long */
	char last[FOLD_LINE]; /* the line before, if it was no longer */
	size_t last_len;
	uint64_t warned; /* what stands for the last line, if it warned; 0 = not */
	unsigned kind;	 /* of the run; 0 = none */
	uint64_t lines, bytes; /* of the run */
	struct buf held;       /* owned: it, while it may yet be shown as it is */
	bool folded;	       /* something was left out, and nobody has said so */
};

void fold_init(struct fold *f, fold_fn *out, void *ctx);
void fold_done(struct fold *f);
void fold_feed(struct fold *f, const char *text, size_t len);
/** fold_flush() - hand on all there is, half a line too; what comes next continues it */
void fold_flush(struct fold *f);
/** fold_reset() - a command begins: nothing was left out of it yet */
void fold_reset(struct fold *f);

#endif
