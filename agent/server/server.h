/* server - the boxes of this user over HTTP: one process, one thread, one event loop.
 * Needs:  sockets that listen; a way to start a box (cli/ knows how).
 * Owns:   the connections, and the server's part of each open box.
 * Never:  opens a file of a box by a path on the host: all work on files and programs is
 *         done inside, as the box's user; logs a key or a query. */
#ifndef AGENT_SERVER_SERVER_H
#define AGENT_SERVER_SERVER_H

#include "base/err.h"

struct server_conf;

/** server_run() - serve until stop_fd is readable; 0, or why it cannot */
int server_run(const struct server_conf *conf, struct err *e);

#endif
