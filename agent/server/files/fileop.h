/* fileop - a built-in program of the box's init works for a request, and its output is
 * the answer.
 * Needs:  an exchange whose tenant's box is open.
 * Owns:   the program and its pipes, until the answer has ended.
 * Never:  keeps more than FILEOP_AHEAD bytes of an answer. */
#ifndef AGENT_SERVER_FILES_FILEOP_H
#define AGENT_SERVER_FILES_FILEOP_H

#include "agent/server/exchange/exchange.h"

enum { FILEOP_AHEAD = 16 << 10, FILEOP_ARGS = 40 };

struct fileop;

/* Answers in place of the failure; a negative return is answered as an error. */
typedef int fileop_failed_fn(struct exchange *x, const struct err *why, struct err *e);

struct fileop_conf {
	const char *const *argv; /* NULL-ended; copied by the box's monitor */
	const char *type;	 /* of the answer; NULL = JSON */
	/* "MODE SIZE\n" comes before the content, which is SIZE bytes long */
	bool has_head;
	const char *const *headers; /* NULL-ended; NULL = none; copied */
	const char *reply; /* said instead of its output, which there is none of */
	struct buf *in;	   /* its input, taken over; NULL = none */
	bool more;	   /* and more of it by fileop_feed() */
	uint64_t limit_ms; /* then it has failed with -ETIMEDOUT; 0 = none */
	fileop_failed_fn *failed; /* NULL = the failure is the answer */
	/* of a ROUTE_STREAM: its body, and that nothing more of it will be given */
	void (*body)(void *ctx, const char *data, size_t len);
	void (*released)(void *ctx);
	void *ctx;
	/* the whole output is wanted, of this many bytes at the most, and no answer */
	size_t gather;
	int (*gathered)(struct exchange *x, struct buf *out, struct err *e);
};

/** fileop_run() - from a handler: 0, or why it cannot be asked for */
int fileop_run(struct exchange *x, const struct fileop_conf *c, struct err *e);
/** fileop_start() - the same, for one that is fed; @ret: until the answer has ended */
int fileop_start(struct exchange *x, const struct fileop_conf *c, struct fileop **ret,
		 struct err *e);
/** fileop_feed() - a frame of its input (applet.h); @len 0 = that was all */
int fileop_feed(struct fileop *f, const char *data, size_t len);
/** fileop_say() - conf.reply, which is not known before */
void fileop_say(struct fileop *f, const char *reply);
size_t fileop_backlog(const struct fileop *f);
/** fileop_abandon() - the request is over: what has been begun is not completed */
void fileop_abandon(struct fileop *f);

#endif
