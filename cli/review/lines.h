/* reviewlines - the changes of a box as lines for a person: the kind, the name, how many lines
 * came and went, and why it acts on this machine.
 * Needs:  what review_ask() told.
 * Owns:   nothing.
 * Never:  writes to a terminal what is hidden in a name. */
#ifndef CLI_REVIEW_LINES_H
#define CLI_REVIEW_LINES_H

#include <limits.h>
#include <stdio.h>

#include "base/json.h"
#include "cli/show/app.h"

enum { REVIEWLINES_FOLD = 30 /* more than these are folded by directory and reason */ };

struct reviewlines {
	const struct app *app; /* borrowed */
	FILE *out;	       /* borrowed */
};

/** reviewlines_name() - of a change, without the '/' in front; for a person */
const char *reviewlines_name(const struct json *j, char ret[4 * PATH_MAX]);

/** reviewlines_put() - the line of one change */
void reviewlines_put(const struct reviewlines *to, const struct json *j);

/** reviewlines_count() - how many changes there are.
 *  @chosen: of those that were taken over; else of those that were not; so below */
size_t reviewlines_count(const struct json *list, bool chosen);

/** reviewlines_stat() - a line for each change */
void reviewlines_stat(const struct reviewlines *to, const struct json *list,
		      bool chosen);

/** reviewlines_names() - only the names, a line each: raw, but on a terminal what is
 *  hidden is made visible */
void reviewlines_names(FILE *out, const struct json *list);

#endif
