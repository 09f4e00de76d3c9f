/* removal - no box that cannot be got back is removed unasked.
 * Needs:  place_open().
 * Owns:   nothing.
 * Never:  asks where nobody can answer; removes anything. */
#ifndef CLI_REVIEW_REMOVAL_H
#define CLI_REVIEW_REMOVAL_H

#include "cli/show/app.h"
#include "cli/store/boxlist.h"

/**
 * removal_confirm() - show which boxes would be removed, and ask
 * @boxes: borrowed, @n of them
 * @yes:   the person has said so already
 *
 * Return: 0 = go on, -ECANCELED = no, -EPERM = nobody can be asked and @yes is not given.
 */
int removal_confirm(const struct app *app, const struct boxlist_item *const *boxes,
		    size_t n, bool yes, struct err *e);

/** removal_confirm_one() - the same about a box that was named: it is asked about on a
 *  terminal alone, a script means what it says */
int removal_confirm_one(const struct app *app, const char *key, struct err *e);

#endif
