/* init - pid 1 of a box: reaps, and starts, signals and ends programs for the monitor.
 * Needs:  to have been executed by the child (child.h): descriptor 3 is the monitor,
 *         descriptor 4, where there is one, the gate's request for sockets.
 * Owns:   every process of the box.
 * Never:  outlives the monitor; runs code of the image in itself. */
#ifndef RUNTIME_INIT_INIT_H
#define RUNTIME_INIT_INIT_H

/** init_main() - the whole program; returns the exit status */
int init_main(void);

#endif
