/* volumes - repositories in what a box may write beside its project.
 * Needs:  the directory of a box.
 * Owns:   nothing.
 * Never:  lets stay what was not looked at, without a word. */
#ifndef RUNTIME_MONITOR_VOLUMES_H
#define RUNTIME_MONITOR_VOLUMES_H

#include "runtime/monitor/gitwork.h"

/** volumes_recover() - look at what an earlier monitor of the box, which was killed, did not
 *  @note: what the person should know */
void volumes_recover(int boxdir, gitwork_say_fn *note, void *ctx);

#endif
