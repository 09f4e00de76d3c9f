/* networld - a host and an internet for tests of the gate, made of network namespaces:
 * nothing of it reaches the machine's own network.
 * Needs:  user namespaces, veth, the programs ip and mount; any user.
 * Owns:   the namespaces of this process, and the process that is the internet.
 * Never:  is undone: a test program enters it once, in main().
 *
 * The host has 10.99.0.1 and, as one of its public addresses, 93.184.216.200. The
 * internet answers at the addresses below, on any of them:
 *   port 7 echoes, 9 swallows, 19 sends "chargen" without end, 25 resets, 80 is a tiny
 *   HTTP server that says which address was reached; others refuse.
 * Names: see networld.c. /etc/resolv.conf names the internet's DNS server. */
#ifndef TESTS_UNIT_NETWORLD_H
#define TESTS_UNIT_NETWORLD_H

#include <stdbool.h>
#include <sys/types.h>

#define NETWORLD_PUBLIC "93.184.216.34"
#define NETWORLD_PRIVATE "10.0.0.1"
#define NETWORLD_METADATA "169.254.169.254"
#define NETWORLD_SILENT "93.184.216.99" /* packets to it vanish */

enum { NETWORLD_WHY = 128 };
/** networld_enter() - false: cannot be had here, @why (NETWORLD_WHY bytes) says why */
bool networld_enter(char *why);

/** networld_queries() - how often a name was asked for, of the internet's DNS server */
int networld_queries(const char *name);

/** networld_serve() - the servers of the internet on this namespace's loopback, at
 *  ports + @offset; its process */
pid_t networld_serve(int offset);

#endif
