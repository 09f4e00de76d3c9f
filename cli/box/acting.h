/* acting - tells the person which files that act on this machine a command has made or
 * changed: a line each, nothing where there are none.
 * Needs:  the project directory.
 * Owns:   what it saw before.
 * Never:  says anything with --quiet.
 *
 * What runs on when its command is over (detached, in the background, behind a server)
 * makes files that nobody is there to tell of. What was seen before it is therefore kept
 * with the box (boxes/KEY/acting), where the box cannot reach it, until it has been told
 * and nothing runs on: the next command there tells what came since, 'cubby info' too.
 *
 * With --json each is an object {"acting": {"path", "why", "new"}} on standard error. */
#ifndef CLI_BOX_ACTING_H
#define CLI_BOX_ACTING_H

#include "base/json.h"
#include "cli/show/app.h"
#include "rootfs/store/boxdir.h"
#include "runtime/spec/effects_watch.h"

struct box;

struct acting {
	struct effects_watch *before; /* owned; NULL = nothing is to be said */
	int project;		      /* owned; the directory */
	int box;		      /* borrowed; the box's in the store; -1 = none */
	bool kept;		      /* @before is what was kept there */
};
#define ACTING_NONE ((struct acting){ .project = -1, .box = -1 })

/** acting_begin() - look before anything runs, or get what was kept
 *  @box: descriptor of its directory in the store, borrowed; -1 = nothing is kept
 *  @dir: of the project, absolute or not */
void acting_begin(const struct app *app, int box, const char *dir, struct acting *ret);
/** acting_tell() - look again, and say what there is to be said
 *  @runs_on: something may still write: what is seen now is kept for the next one */
void acting_tell(const struct app *app, const struct acting *a, bool runs_on);
/** acting_runs_on() - whether that is so of what was kept: only then @box is asked */
bool acting_runs_on(const struct acting *a, struct box *box);
/** acting_keep() - keep what is seen now, if nothing is kept yet */
void acting_keep(int box, const char *dir);
/** acting_rest() - the box is stopped: tell what was left to be told */
void acting_rest(const struct app *app, const char *key, const char *dir);
/** acting_list() - what that would be, as a list of objects; NULL = nothing is kept */
struct json *acting_list(int box, const char *dir);
void acting_done(struct acting *a);
#define _cleanup_acting_ _cleanup_(acting_done)

#endif
