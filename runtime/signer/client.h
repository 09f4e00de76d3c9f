/* client - the signer's client: starts it, and answers what it wants.
 * Needs:  the running binary.
 * Owns:   the process.
 * Never:  touches what comes from the box. */
#ifndef RUNTIME_SIGNER_CLIENT_H
#define RUNTIME_SIGNER_CLIENT_H

#include "base/json.h"
#include "base/proc.h"

struct signer_client {
	struct proc proc; /* owned */
	int sock;	  /* owned; what it asks: below */
};
#define SIGNER_CLIENT_NONE ((struct signer_client){ .proc = PROC_NONE, .sock = -1 })

/**
 * signer_client_start() - start the process
 * @hosts:    array of { "name": TEXT, "keys": [BASE64, …] }
 * @listener: a socket of messages, by which the box will send a listening one: it is not
 *            believed; borrowed, to be closed before the box has the other end
 */
int signer_client_start(const struct json *hosts, int listener,
			struct signer_client *ret, struct err *e);
void signer_client_stop(struct signer_client *s);
#define _cleanup_signer_client_ _cleanup_(signer_client_stop)

enum signer_wish {
	SIGNER_ENDED,
	SIGNER_WANTS_AGENT, /* a connection to the agent: signer_client_agent() */
	SIGNER_WANTS_YES, /* { "host", "user", "key": BASE64 }: signer_client_answer() */
	SIGNER_SAYS	  /* a line for the person; nothing is answered */
};
/** signer_client_next() - wait for what it wants, with its @text: enum signer_wish, or -errno */
int signer_client_next(const struct signer_client *s, struct buf *text);
/** signer_client_agent() - -1 = there is none; borrowed */
int signer_client_agent(const struct signer_client *s, int fd);
int signer_client_answer(const struct signer_client *s, bool yes);

#endif
