/* acting - tells the person which files that act on this machine a command has made or
 * changed: a line each, nothing where there are none.
 * Needs:  the project directory.
 * Owns:   what it saw before.
 * Never:  says anything with --quiet.
 *
 * With --json each is an object {"acting": {"path", "why", "new"}} on standard error. */
#ifndef CLI_RUN_ACTING_H
#define CLI_RUN_ACTING_H

#include "cli/show/app.h"
#include "runtime/spec/effects_watch.h"

struct acting {
	struct effects_watch *before; /* owned; NULL = nothing is to be said */
	int dir;		      /* owned */
};
#define ACTING_NONE ((struct acting){ .dir = -1 })

/** acting_begin() - look before anything runs; @dir: of the project, absolute or not */
void acting_begin(const struct app *app, const char *dir, struct acting *ret);
/** acting_tell() - look again, and say what there is to be said */
void acting_tell(const struct app *app, const struct acting *a);
void acting_done(struct acting *a);
#define _cleanup_acting_ _cleanup_(acting_done)

#endif
