/* owners - the applet that says whose the ports are that something listens on.
 * Needs:  to be in an applet (applet.h); /proc.
 * Owns:   nothing.
 * Never:  looks at more than OWNERS_PORTS ports and OWNERS_LINKS descriptors. */
#ifndef RUNTIME_INIT_OWNERS_H
#define RUNTIME_INIT_OWNERS_H

#include "base/err.h"

enum { OWNERS_PORTS = 256, OWNERS_LINKS = 200000, OWNERS_NAME = 16 };

/* JSON to standard output: [{"port": N, "pid": N, "process": NAME}, …], those alone whose
 * process may be looked at. */
int owners_run(char *const argv[], struct err *e);

#endif
