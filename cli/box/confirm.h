/* confirm - nothing that cannot be got back goes unasked.
 * Needs:  nothing.
 * Owns:   nothing.
 * Never:  takes silence, or the end of input, for a yes; asks where nobody can answer. */
#ifndef CLI_BOX_CONFIRM_H
#define CLI_BOX_CONFIRM_H

#include "cli/box/list.h"
#include "cli/show/app.h"

/**
 * confirm_removal() - show which boxes would be removed, and ask
 * @boxes: borrowed, @n of them
 * @yes:   the person has said so already
 *
 * Return: 0 = go on, -ECANCELED = no, -EPERM = nobody can be asked and @yes is not given.
 */
int confirm_removal(const struct app *app, const struct store *st,
		    const struct boxlist_item *const *boxes, size_t n, bool yes,
		    struct err *e);

/** confirm_person() - is there somebody at a terminal who can be asked? */
bool confirm_person(const struct app *app);
/** confirm_is_yes() - a line that was typed, with its end */
bool confirm_is_yes(const char *line);
/** confirm_ask() - print how a question ends, read the answer */
bool confirm_ask(const struct app *app);

/** confirm_one() - the same about a box that was named: it is asked about on a terminal
 *  alone, a script means what it says */
int confirm_one(const struct app *app, const struct store *st, const char *key,
		struct err *e);

#endif
