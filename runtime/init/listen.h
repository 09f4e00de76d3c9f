/* listen - the applet that makes a socket in the box whose other side is served outside.
 * Needs:  to be in an applet (applet.h); descriptor 3: a socket of messages to who serves.
 * Owns:   the directory until all is well.
 * Never:  serves it. */
#ifndef RUNTIME_INIT_LISTEN_H
#define RUNTIME_INIT_LISTEN_H

#include "base/err.h"

#define LISTEN_NAME "agent" /* of the socket */

/** listen_run() - argv[1]: a directory that is not there yet: it is made, for this user
 *  alone, and the socket in it, which goes out through descriptor 3 */
int listen_run(char *const argv[], struct err *e);

#endif
