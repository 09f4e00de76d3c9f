/* project_setup - packages and setup of .cubby/box.json are brought into a box, each step
 * once: what a step made of a new box is kept, and is what other boxes begin with that want
 * the same.
 * Needs:  a box that is prepared (setup.h), the project's file.
 * Owns:   "setup" (what was done) and "setup-begun" (nothing but steps ran in the box yet) in
 *         box.json (of a snapshot: setup_kept.h); a lock in the directory of the box.
 * Never:  keeps what anything else may have had a hand in: the person in a running box, a
 *         process that a step left, a change to the project. */
#ifndef CLI_PROJECT_SETUP_H
#define CLI_PROJECT_SETUP_H

#include "base/err.h"
#include "cli/show/app.h"

struct box_command;
struct boxdir;
struct boxsetup;

/** project_setup_needed() - what the project wants in the box is not what was done in it */
bool project_setup_needed(const struct boxsetup *s);

/** project_setup_skip() - the box is used as it is: it is no new one any more */
int project_setup_skip(const struct boxdir *dir, struct err *e);

/* Starts or joins the box of @s: s->box. */
typedef int project_setup_start_fn(struct boxsetup *s, const struct box_command *first,
				   struct err *e);

/** project_setup_run() - run what is missing; the box is open then
 *  Return: 0; -EIO "…: setup: 'STEP' ended with status N". */
int project_setup_run(struct boxsetup *s, project_setup_start_fn *start, struct err *e);

/** project_setup_settle() - stop the open box, where nothing is in it but the caller
 *  Return: 1; 0: something else is, such as what a step has left there: it stays open. */
int project_setup_settle(struct boxsetup *s, struct err *e);

#endif
