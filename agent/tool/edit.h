/* edit - replace pieces of a text, all of them or none.
 * Needs:  nothing.
 * Owns:   nothing.
 * Never:  guesses: a piece that is not there, or more than once, changes nothing. Pure.
 *
 * In a file whose lines end in CR LF a piece given with bare newlines is found and put
 * back with that file's line ends. */
#ifndef AGENT_TOOL_EDIT_H
#define AGENT_TOOL_EDIT_H

#include <stdint.h>

#include "base/buf.h"

enum { EDIT_LINES = 8 };

struct edit {
	const char *old, *new; /* borrowed */
	bool all;	       /* every occurrence */
};

/* Why nothing was changed. */
struct edit_fault {
	size_t nth;		    /* of the edits */
	unsigned count;		    /* occurrences */
	uint64_t lines[EDIT_LINES]; /* where the first of them begin */
};

/**
 * edit_apply() - @out becomes @in with each edit done, one after the other
 * Return: 0; -ENOENT (a piece is not there) or -EEXIST (several times) with @ret filled;
 *         -EMSGSIZE or -ENOMEM.
 */
int edit_apply(const struct buf *in, const struct edit *v, size_t n, struct buf *out,
	       struct edit_fault *ret);

/**
 * edit_near() - append what of @in is most like @old, which is not there, and why it is not
 *               that
 *
 * Nothing is appended when nothing is alike.
 */
int edit_near(const struct buf *in, const char *old, struct buf *out);

#endif
