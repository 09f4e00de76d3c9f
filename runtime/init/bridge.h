/* bridge - the applet that connects to a port of the box: standard input and output are
 * the connection.
 * Needs:  to be in an applet (applet.h).
 * Owns:   the connection.
 * Never:  connects to anything but this box's own loopback. */
#ifndef RUNTIME_INIT_BRIDGE_H
#define RUNTIME_INIT_BRIDGE_H

#include "base/err.h"

/** bridge_run() - argv[1]: the port */
int bridge_run(char *const argv[], struct err *e);

#endif
