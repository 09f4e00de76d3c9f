/* modellist - the models that a service says it has.
 * Needs:  a key or an address, as a task does.
 * Owns:   nothing.
 * Never:  asks more than one service. */
#ifndef CLI_TASK_MODELLIST_H
#define CLI_TASK_MODELLIST_H

#include "base/err.h"
#include "cli/show/app.h"

/** modellist_show() - those of the provider that a task would ask, by --model too */
int modellist_show(struct app *app, struct err *e);

#endif
