/* netlog - "cubby log --net": the record of what a box did on the network.
 * Needs:  the directory of a box; the box need not run.
 * Owns:   nothing.
 * Never:  changes the record. */
#ifndef CLI_TASK_RECORD_NETLOG_H
#define CLI_TASK_RECORD_NETLOG_H

#include "base/err.h"
#include "cli/show/app.h"

/** netlog_show() - all lines, oldest first: for people, or as they are for JSON
 *  @none: the box has no network, which is said where there is none of them */
int netlog_show(const struct app *app, int dirfd, bool none, struct err *e);

#endif
