/* near - which known word a mistyped one was meant to be.
 * Needs:  nothing.
 * Owns:   nothing.
 * Never:  guesses from far: a suggestion that is not plausible is none. */
#ifndef CLI_OPT_NEAR_H
#define CLI_OPT_NEAR_H

#include <stddef.h>

/**
 * near_distance() - letters added, dropped, changed or two neighbours swapped
 *
 * Words longer than 31 bytes have the distance 99 to everything.
 */
unsigned near_distance(const char *a, const char *b);

/** near_find() - the nearest of @n words (NULL entries are skipped) that differs in at
 *  most a third of its letters, 1 at least; NULL when there is none; borrowed */
const char *near_find(const char *word, const char *const *known, size_t n);

#endif
