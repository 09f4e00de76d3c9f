/* rundir - the runtime directory of a box: its control socket and its start lock.
 * $XDG_RUNTIME_DIR/cubby/<key>/, else /tmp/cubby-<uid>/<key>/, mode 0700, the caller's.
 * Needs:  a writable runtime directory.
 * Owns:   nothing on its own; the monitor owns the socket while it runs.
 * Never:  uses a directory that somebody else could have put there. */
#ifndef RUNTIME_WIRE_RUNDIR_H
#define RUNTIME_WIRE_RUNDIR_H

#include <sys/un.h>

#include "base/err.h"

/** rundir_path() - where the directories of the boxes are, there or not; @ret, or NULL when
 *  it is too long */
const char *rundir_path(char *ret, size_t size);

/** rundir_open() - open, making it, the directory of box @key; returns a descriptor */
int rundir_open(const char *key, struct err *e);

/** rundir_find() - the same, but -ENOENT when it is not there: no monitor is */
int rundir_find(const char *key, struct err *e);

/** rundir_at() - the same at a path that a monitor noted (holder.h) */
int rundir_at(const char *path, struct err *e);

/** rundir_connect() - to the control socket in @dirfd; -ENOENT or -ECONNREFUSED when
 *  nobody listens, -EPERM when it is a process of a box that does; returns the socket */
int rundir_connect(int dirfd, struct err *e);

/** rundir_bind() - make the control socket, replacing a dead one; returns it. Until
 *  rundir_listen() a connection is refused */
int rundir_bind(int dirfd, struct err *e);
int rundir_listen(int fd, struct err *e);

/** rundir_remove() - unlink the socket and the directory of box @key, if they are there
 */
void rundir_remove(const char *key);

#endif
