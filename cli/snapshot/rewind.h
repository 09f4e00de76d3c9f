/* rewind - what is under review in the box of this directory, kept turn by turn, and
 * gone back to.
 * Needs:  a review (review.h), which is not open.
 * Owns:   nothing.
 * Never:  goes back in a box that somebody uses. */
#ifndef CLI_SNAPSHOT_REWIND_H
#define CLI_SNAPSHOT_REWIND_H

#include "cli/review/review.h"
#include "cli/show/app.h"

struct checkpoint;

/**
 * rewind_keep() - keep what is under review, also of a box that runs
 * @name: a turn's number, before which later ones are forgotten; or a person's
 * @task: the transcript; "" = of no task
 * Return: 0; -ENOENT: nothing of it was ever under review; -EDQUOT: it is too much.
 */
int rewind_keep(const struct review *rv, const char *name, const char *task,
		struct err *e);

/**
 * rewind_back() - the project is what it was then: what was taken over since is
 * taken back, and what waits is what waited
 * @c: of checkpoint_load()
 * Return: 0, also when a file was changed since and stays, which is said; -EBUSY.
 */
int rewind_back(const struct app *app, const struct review *rv,
		const struct checkpoint *c, struct err *e);

/** rewind_task() - the project is what it was after so many turns of that task; -ESTALE: the
 *  checkpoints are of another */
int rewind_task(const struct app *app, const struct review *rv, const char *task,
		unsigned rounds, struct err *e);

#endif
