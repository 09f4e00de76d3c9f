/* h2 - the server's side of one HTTP/2 connection: bytes become requests' parts, and answers
 * bytes. Door of libnghttp2, which is loaded when TLS is asked for (docs/adr/0002, 0029).
 * Needs:  TLS below it, which chose "h2" (base/tls.h).
 * Owns:   what libnghttp2 keeps of a connection: frames, tables of fields, windows.
 * Never:  does more for a client than the client pays for: what a connection may cost is
 *         counted (see h2.c), and one that costs more is ended; pushes; takes priorities. */
#ifndef BASE_H2_H
#define BASE_H2_H

#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

enum {
	H2_STREAMS = 100,	  /* requests at once; RFC 9113 wants no fewer */
	H2_WINDOW = 256 << 10,	  /* of a body that the client may be ahead */
	H2_WINDOW_ALL = 1 << 20,  /* of all bodies of a connection */
	H2_FIELDS_MAX = 32 << 10, /* that a client is told it may send */
	H2_ANSWER_FIELDS = 300
};

/* Why a request ends before its answer does. RFC 9113, 7. */
enum h2_code {
	H2_DONE = 0, /* the answer is whole: the rest of the body is not wanted */
	H2_MALFORMED = 1,
	H2_BROKEN = 2,
	H2_REFUSED = 7, /* nothing was done: it may come again */
	H2_STALLED = 8,
	H2_TOO_MUCH = 11
};

struct h2_text {
	const char *s;
	size_t len;
};

struct h2_field {
	struct h2_text name, value;
};

/* Requests have a number each. They may call h2_answer(), h2_reset()
 * and h2_took(), and nothing else of the connection. */
struct h2_hooks {
	/* a field of a head that comes; the first one begins the request. false: the
	 * head is beyond all measure, the request is reset and closed() follows */
	bool (*field)(void *ctx, int32_t id, const struct h2_field *f);
	/* the head is whole. @last: so is the request */
	void (*head_end)(void *ctx, int32_t id, bool last);
	/* some of its body: to be h2_took() */
	void (*body)(void *ctx, int32_t id, const char *data, size_t len);
	/* the body is whole */
	void (*end)(void *ctx, int32_t id);
	/* it is over, in whichever way; also one of which field() alone was called */
	void (*closed)(void *ctx, int32_t id);
	/* up to @len bytes of the answer's body: bytes, or -EAGAIN (h2_more() follows
	 * later); @last = no more come */
	ssize_t (*answer)(void *ctx, int32_t id, char *data, size_t len, bool *last);
};

struct h2_lib;
/** h2_load() - 0, or what dl_load() says, or -ENOPKG: built without the library */
int h2_load(struct h2_lib **ret, struct err *e);
void h2_unload(struct h2_lib **lp);

struct h2;
/** h2_new() - @hooks and @lib are borrowed; NULL = out of memory */
struct h2 *h2_new(const struct h2_lib *lib, const struct h2_hooks *hooks, void *ctx);
/** h2_free() - no hook is called */
void h2_free(struct h2 **hp);

/** h2_recv() - what came. Return: 0, or -EPROTO: the connection is to be ended once what
 *  h2_send() has still to say has left */
int h2_recv(struct h2 *h, const void *data, size_t len, uint64_t now_ms);
/** h2_send() - append what is to be sent, until @out has @most bytes or nothing is left */
int h2_send(struct h2 *h, struct buf *out, size_t most);
/** h2_over() - nothing more can come of it */
bool h2_over(const struct h2 *h);
/** h2_head_since() - since when a head is on its way; 0 = none is */
uint64_t h2_head_since(const struct h2 *h);

/** h2_answer() - the head of an answer. @body: hooks.answer is asked for one. A status of
 *  1xx comes before the answer. What is wrong with it becomes a reset. */
void h2_answer(struct h2 *h, int32_t id, int status, const struct h2_field *fields,
	       size_t n, bool body);
/** h2_more() - hooks.answer has something again */
void h2_more(struct h2 *h, int32_t id);
/** h2_took() - so many bytes of a body have been used: the client may send more. @id 0: of
 *  a request that is over */
void h2_took(struct h2 *h, int32_t id, size_t len);
void h2_reset(struct h2 *h, int32_t id, enum h2_code code);
/** h2_goodbye() - no more requests are taken */
void h2_goodbye(struct h2 *h);

#endif
