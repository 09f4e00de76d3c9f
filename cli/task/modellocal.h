/* modellocal - whose a server on this machine is that nobody has named: all that a task says goes
 * to it, and it drives the box.
 * Needs:  /proc/net, and the boxes of the store, which are asked for their ports.
 * Owns:   nothing.
 * Never:  passes over one without a word. */
#ifndef CLI_TASK_MODELLOCAL_H
#define CLI_TASK_MODELLOCAL_H

#include <stdbool.h>

#include "agent/model/model.h"

/** modellocal_may() - as a model_may_fn, @app is the struct app: neither another person's nor a
 *  box's, as far as that can be seen */
bool modellocal_may(void *app, const struct model_provider *p);

#endif
