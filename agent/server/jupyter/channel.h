/* channel - the WebSockets of a kernel: what it says goes to all of them, each in JSON.
 * Needs:  whoever acts on what their clients say.
 * Owns:   the list; an exchange that was added is the list's until it is gone.
 * Never:  knows what a message means. */
#ifndef AGENT_SERVER_JUPYTER_CHANNEL_H
#define AGENT_SERVER_JUPYTER_CHANNEL_H

#include "agent/server/exchange/exchange.h"

enum { CHANNEL_ID = 37 };

struct channel;

struct channels {
	struct channel *first;	  /* owned */
	char session[CHANNEL_ID]; /* in the headers of what is told */
	/* @from said @message, an object; borrowed for the call */
	void (*said)(void *ctx, struct channel *from, const struct json *message);
	/* one of them has more, or less, to send than before */
	void (*pace)(void *ctx);
	void *ctx; /* borrowed */
};

/** channel_make_id() - a random UUID */
void channel_make_id(char ret[CHANNEL_ID]);

/** channel_add() - accept the WebSocket @x */
int channel_add(struct channels *all, struct exchange *x, struct err *e);
/** channel_close_all() - as they are told by @why */
void channel_close_all(struct channels *all, const char *why);
unsigned channel_count(const struct channels *all);
/** channel_cork() - what is told waits until it is false again */
void channel_cork(struct channels *all, bool cork);
/** channel_slow() - one of them has more to send than it should */
bool channel_slow(const struct channels *all);

struct channel_message {
	const char *channel;	   /* "iopub", "shell", … */
	const char *type;	   /* of the message */
	const struct json *parent; /* the header that it is about; NULL = none */
	struct json *content;	   /* taken over */
};

/** channel_fixed() - what is answered with the same words each time: false = not this
 *  @type; @m gets type and content */
bool channel_fixed(const char *type, struct channel_message *m);

/** channel_tell() - one message, to @only or, NULL, to all */
void channel_tell(struct channels *all, struct channel *only,
		  const struct channel_message *m);

#endif
