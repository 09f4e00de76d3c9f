/* command - a cubby of its own works for a request: what it prints is the answer.
 * Needs:  server_conf.command; an exchange whose box has a directory (exchange_who()).
 * Owns:   the process, until it has ended; one that only reads is ended with its client.
 * Never:  waits for it; takes a word of the client for an option. */
#ifndef AGENT_SERVER_V1_COMMAND_H
#define AGENT_SERVER_V1_COMMAND_H

#include "agent/server/exchange/exchange.h"

enum command_how {
	COMMAND_JSON,	/* one value; nothing at all becomes {} */
	COMMAND_EVENTS, /* a line is an event: text/event-stream */
	COMMAND_BYTES	/* as they are */
};

struct command_conf {
	const char *const *argv; /* NULL-ended, without "cubby"; copied */
	const char *in;		 /* its standard input; NULL = none; copied */
	const char *more;	 /* the same at its descriptor 3 */
	bool inside;		 /* it runs in the box's directory */
	enum command_how how;
	const char *type; /* of the answer, for COMMAND_BYTES */
	bool all;	  /* it is about all boxes */
	bool options;	  /* it takes the options that the server's boxes have */
	bool changes;	  /* it goes on when the client has gone */
	/* of COMMAND_JSON: what is answered instead of @said, which is taken over */
	struct json *(*answer)(struct exchange *x, struct json *said);
	int status; /* of the answer; 0 = 200 */
};

/** command_run() - from a handler: 0, or why it cannot be run */
int command_run(struct exchange *x, const struct command_conf *c, struct err *e);
/** commands_free() - end those that run */
void commands_free(struct server *s);

#endif
