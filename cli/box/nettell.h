/* nettell - tells the person at a terminal what a box's gate refused while a command or a task ran
 * there: the program itself says no more than that a host does not exist.
 * Needs:  an open box.
 * Owns:   nothing.
 * Never:  says anything where nobody looks, with -q or --json; fails. */
#ifndef CLI_BOX_NETTELL_H
#define CLI_BOX_NETTELL_H

#include "cli/show/app.h"

struct box;

struct nettell {
	struct box *box; /* borrowed; NULL = nobody is to be told */
	int64_t next;	 /* place in the monitor's record */
};

/** nettell_wanted() - whether there is a person to be told */
bool nettell_wanted(const struct app *app);
/** nettell_begin() - before anything is run in @b: what was refused until now is not told */
void nettell_begin(const struct app *app, struct box *b, struct nettell *ret);
/** nettell_say() - a line for each of a few, and what permits a host; what others ran in the
 *  box meanwhile is not told apart */
void nettell_say(const struct app *app, const struct nettell *r);

#endif
