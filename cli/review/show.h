/* reviewshow - the changes of a box for a person, and the question what becomes of those
 * that are held.
 * Needs:  what review_ask() told.
 * Owns:   nothing.
 * Never:  takes over what is held without an answer that says so. */
#ifndef CLI_REVIEW_SHOW_H
#define CLI_REVIEW_SHOW_H

#include "cli/review/lines.h"
#include "cli/review/review.h"

struct reviewshow {
	const struct app *app; /* borrowed */
	FILE *out;	       /* borrowed */
	int in;		       /* where answers come from; -1 = nobody is asked */
	bool meanwhile;	       /* what is held comes up again */
	bool elsewhere;	       /* it goes to another directory, without a way back */
	bool asked; /* by the person: that nothing waits is said, on a terminal */
};

/** reviewshow_undo() - take back by the arguments of the operation "undo", first what git
 *  got, then files, and tell what is back and what could not be */
int reviewshow_undo(const struct app *app, const struct review *rv,
		    const struct json *args, struct err *e);

/** reviewshow_rules() - what the configuration says of "apply", into its arguments */
int reviewshow_rules(const struct config *c, struct json *args, struct err *e);

/**
 * reviewshow_take() - take over what the rules permit, show it, ask about the rest; while it
 * asks others may use the box
 * @args: of the operation "apply"
 * Return: 0, also when something was kept; 1: something could not be done, and was named; or
 * why nothing could.
 */
int reviewshow_take(const struct reviewshow *s, struct review *rv,
		    const struct json *args, struct err *e);

/** reviewshow_end() - the same at the end of a task, by the configuration; the box has been
 *  left. Nothing where the project was not under review, or nothing has changed.
 *  @rv: not open
 *  Return: 0, also when it has to wait, which is said. */
int reviewshow_end(const struct app *app, const struct review *rv, struct err *e);

/** reviewshow_meanwhile() - the same while the box goes on, which is open: what is held is
 *  only counted */
int reviewshow_meanwhile(const struct app *app, const struct review *rv, struct err *e);

#endif
