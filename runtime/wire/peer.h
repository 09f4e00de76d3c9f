/* peer - who is at the other end of a Unix socket: a process of ours on the host, or one
 * that a mount let reach the socket's path from inside a box.
 * Needs:  /proc; SO_PEERPIDFD (Linux 6.5) to be sure of a number that is used again.
 * Owns:   nothing.
 * Never:  goes by the user alone: a box may run as the caller. */
#ifndef RUNTIME_WIRE_PEER_H
#define RUNTIME_WIRE_PEER_H

#include <stdbool.h>

#include "base/err.h"

/**
 * peer_check() - whether the other end is of our user, in our user and pid namespace
 * @fd: a connected Unix socket; borrowed. Whoever connected it or, seen from there,
 *      listened on it counts, not whom the descriptor was handed to
 *
 * Return: 0; -EPERM: it is somebody else; another errno: it has ended, or is not to be
 *         looked at.
 */
int peer_check(int fd, struct err *e);

/** peer_is_there() - the other end has not hung up, heard or not */
bool peer_is_there(int fd);

#endif
