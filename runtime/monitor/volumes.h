/* monitor_volumes - repositories in what a box may write beside its project: git on the
 * host runs what their settings and hooks name.
 * Needs:  rootfs/git.
 * Owns:   nothing.
 * Never:  lets a box write one that is there, or leaves one that a box has made and that
 *         could name a program. */
#ifndef RUNTIME_MONITOR_VOLUMES_H
#define RUNTIME_MONITOR_VOLUMES_H

#include "runtime/monitor/gitgate.h"
#include "runtime/spec/spec.h"

/** monitor_volumes_check() - before the start: -EPERM: there is one */
int monitor_volumes_check(const struct spec *spec, struct err *e);

/** monitor_volumes_vet() - a command, or the box, has ended: those that it made and that
 *  git on the host may not meet are renamed to .git.from-box, which is said
 *  @say: NULL = nobody listens */
void monitor_volumes_vet(const struct spec *spec, gitgate_say_fn *say, void *ctx);

#endif
