/* monitor - the one host-side process of a running box: parent of its init, owner of its
 * cgroup, gate and control socket. Theory of operation in monitor.c.
 * Needs:  to be a fresh execution of the binary ("cubby __monitor") or a copy of a process
 *         with one thread; descriptor 3 a socket to the client that starts it, no other.
 * Owns:   the box, from its start to its end.
 * Never:  outlives its last client, unless something in the box was asked to stay. */
#ifndef RUNTIME_MONITOR_MONITOR_H
#define RUNTIME_MONITOR_MONITOR_H

/** monitor_main() - the whole process; called from cli/main.c, and from box.c in a copy of
 *  the client. Returns the exit status. */
int monitor_main(int argc, char **argv);

#endif
