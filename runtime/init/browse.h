/* browse - the applets that a file panel needs: list, read a text, make, remove, move.
 * Needs:  to be in an applet (applet.h); absolute paths.
 * Owns:   nothing.
 * Never:  follows a link to remove what it leads to. */
#ifndef RUNTIME_INIT_BROWSE_H
#define RUNTIME_INIT_BROWSE_H

#include "base/err.h"

/* Each is an applet: argv[0] is its name; JSON goes to standard output. */
int browse_list(char *const argv[], struct err *e);
int browse_text(char *const argv[], struct err *e);
int browse_mkdir(char *const argv[], struct err *e);
int browse_remove(char *const argv[], struct err *e);
int browse_move(char *const argv[], struct err *e);

#endif
