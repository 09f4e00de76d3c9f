/* signer - what stands between the programs of one command in a box and its person's
 * ssh-agent: it lets a login through at a host that was named, once the person has agreed,
 * and nothing else. A process of its own on the host, confined as the gate is.
 * Needs:  a listening socket that was made in the box; a client (client.c) that is asked
 *         for connections to the agent and for the person's answers.
 * Owns:   the process, its connections.
 * Never:  sees a private key, or a file; signs for a host by its name: what counts is the
 *         key that the host has proved, which the agent checks (session-bind@openssh.com,
 *         since OpenSSH 8.9). */
#ifndef RUNTIME_SIGNER_SIGNER_H
#define RUNTIME_SIGNER_SIGNER_H

/** signer_main() - the process itself: "cubby __signer", descriptor 3 is its client.
 *  Called from cli/main.c and from nowhere else. Returns the exit status. */
int signer_main(int argc, char **argv);

#endif
