/* opt_boxes - which boxes a command is for: those named, all, or the one of app->dir.
 * Needs:  cmd_parse(); state->child_inputs set to a struct opt_boxes.
 * Owns:   the list of operands.
 * Never:  looks into the store: opt_boxes_each() does, when the work begins. */
#ifndef CLI_BOX_OPT_BOXES_H
#define CLI_BOX_OPT_BOXES_H

#include "cli/box/list.h"
#include "cli/opt/cmd.h"
#include "cli/opt/words.h"

struct opt_boxes {
	struct words names; /* owned */
	bool exact;	    /* set by the command: not the box of a directory above */
	bool all;
};
void opt_boxes_done(struct opt_boxes *o);
#define _cleanup_opt_boxes_ _cleanup_(opt_boxes_done)

extern const struct argp opt_boxes;

struct opt_boxes_work {
	const struct app *app;
	const struct store *store;
	const void *args; /* of the command */
};
typedef int opt_boxes_fn(const struct opt_boxes_work *w, const struct boxlist_item *b,
			 struct err *e);

/**
 * opt_boxes_each() - call @fn for each box that is meant
 *
 * Failures are shown one by one and do not keep the others from their turn.
 * Return: the exit status.
 */
int opt_boxes_each(const struct app *app, const struct opt_boxes *o, opt_boxes_fn *fn,
		   const void *args);

#endif
