/* expr - a regular expression, as Python and grep -P have them, and one line after another.
 * Needs:  a process of the box: expression and text are both somebody else's.
 * Owns:   the compiled expression, until expr_free().
 * Never:  makes code (no JIT); takes more memory than EXPR_HEAP for a line, or more than
 *         EXPR_STEPS steps back from where an attempt begins. A line has as many attempts as
 *         characters: whoever calls has a clock. */
#ifndef RUNTIME_INIT_EXPR_H
#define RUNTIME_INIT_EXPR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/scope.h"

enum { EXPR_MAX = 4096, EXPR_STEPS = 1000000, EXPR_HEAP = 32 << 20 };

struct expr;

/**
 * expr_new() - compile
 * @text:    UTF-8, at most EXPR_MAX bytes
 * @literal: it is no expression, but what is looked for
 * @fold:    upper and lower case are the same
 * Return: 0, or -EINVAL with what is wrong in it and where.
 */
int expr_new(const char *text, bool literal, bool fold, struct expr **ret,
	     struct err *e);
/** expr_words() - what a person types, wherever it stands, in upper or lower case of any
 *  alphabet (each character for itself: "ß" is not "SS"); also in bytes that are no UTF-8
 *  throughout. Return: as expr_new(). */
int expr_words(const char *text, struct expr **ret, struct err *e);
void expr_free(struct expr **xp);
#define _cleanup_expr_ _cleanup_(expr_free)

/** expr_matches() - is there a match in these bytes? 1, 0, or -EINVAL: it takes too much.
 *  What is no UTF-8 matches nothing. */
int expr_matches(const struct expr *x, const char *line, size_t len, struct err *e);

/** expr_find() - the same of expr_words(), and where the first one is; false = nowhere */
bool expr_find(const struct expr *x, const char *text, size_t len, size_t *start,
	       size_t *end);

#endif
