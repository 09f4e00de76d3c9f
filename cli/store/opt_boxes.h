/* opt_boxes - which boxes a command is for: those named, all, or the one of app->dir.
 * Needs:  a command with a struct opt_boxes among its arguments, whose list is its operands.
 * Owns:   nothing.
 * Never:  looks into the store: opt_boxes_each() does, when the work begins. */
#ifndef CLI_STORE_OPT_BOXES_H
#define CLI_STORE_OPT_BOXES_H

#include "cli/opt/cmd.h"
#include "cli/opt/words.h"
#include "cli/store/boxlist.h"

struct opt_boxes {
	struct words names; /* owned by cmd_do() */
	bool exact;	    /* set by the command: not the box of a directory above */
	bool all;
};

extern const struct cmd_option opt_boxes[];

/** opt_boxes_check() - all, or those that are named */
int opt_boxes_check(struct app *app, void *args, struct err *e);
#define OPT_BOXES(type, member)                                     \
	{                                                           \
		.options = opt_boxes, .at = offsetof(type, member), \
		.check = opt_boxes_check                            \
	}

/* @args: of the command */
typedef int opt_boxes_fn(const struct app *app, const void *args,
			 const struct boxlist_item *b, struct err *e);

/**
 * opt_boxes_each() - call @fn for each box that is meant
 *
 * Failures are shown one by one and do not keep the others from their turn.
 * Return: the exit status.
 */
int opt_boxes_each(const struct app *app, const struct opt_boxes *o, opt_boxes_fn *fn,
		   const void *args);

#endif
