/* edit - replace the one occurrence of a piece of text.
 * Needs:  nothing.
 * Owns:   nothing.
 * Never:  guesses: no or several occurrences change nothing. Pure.
 *
 * In a file whose lines end in CR LF a piece given with bare newlines is found and put
 * back with that file's line ends. */
#ifndef AGENT_TOOL_EDIT_H
#define AGENT_TOOL_EDIT_H

#include <stdint.h>

#include "base/buf.h"

enum { EDIT_LINES = 8 };

struct edit {
	unsigned count;		    /* occurrences */
	uint64_t lines[EDIT_LINES]; /* where the first of them begin */
	uint64_t first, last;	    /* changed lines of the new text */
};

/**
 * edit_replace() - @out becomes @in with the one occurrence of @old replaced
 * Return: 0, -ENOENT (none), -EEXIST (several), -EMSGSIZE or -ENOMEM.
 */
int edit_replace(const struct buf *in, const char *old, const char *new,
		 struct buf *out, struct edit *ret);

#endif
