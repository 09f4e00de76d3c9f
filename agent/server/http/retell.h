/* retell - a request of HTTP/2 in the words of HTTP/1.1, and the answer the other way round.
 * Needs:  nothing: pure. A request's fields in their order; an answer of this server.
 * Owns:   the words that it gathers.
 * Never:  lets a request say more than its fields say: what could become another line, or
 *         another end of the body, is refused. Sources: RFC 9113, 8; RFC 9112.
 *
 * A request is read by head.c afterwards as any other is: which fields may stand once, how
 * many there may be, what they mean is decided there. */
#ifndef AGENT_SERVER_HTTP_RETELL_H
#define AGENT_SERVER_HTTP_RETELL_H

#include "agent/server/http/chunked.h"
#include "base/buf.h"
#include "base/h2.h"

struct retell {
	struct buf method, path, authority, host, cookie, fields; /* owned */
	size_t size; /* as RFC 9113 counts it */
	bool scheme, wrong, fielded;
	int64_t length; /* -1 = not said */
};

void retell_init(struct retell *r);
void retell_done(struct retell *r);
/** retell_field() - false: it is twice as large as may be, and no more is to come */
bool retell_field(struct retell *r, const struct h2_field *f);

/**
 * retell_head() - append the whole head
 * @last: the request has no body. Else it has r->length bytes, or comes in chunks.
 * Return: 0, -EBADMSG (malformed), -EMSGSIZE, -ENOMEM.
 */
int retell_head(const struct retell *r, bool last, struct buf *out);
bool retell_is_head(const struct retell *r);

/** retell_piece() - append a piece of a body without a length as a chunk; 0 = the end */
int retell_piece(const char *data, size_t len, struct buf *out);

/* ---- the answer ------------------------------------------------------------------------ */

enum { RETELL_ANSWER_MAX = 128 << 10 }; /* of its head */

struct retell_answer {
	struct buf
		text; /* owned; what is not yet understood of the head, then the head */
	struct h2_field fields[H2_ANSWER_FIELDS];
	size_t n;
	int status; /* 0 = the head is not complete */
	bool to_head, chunks, to_end, whole;
	uint64_t left;
	struct chunked chunked;
};

/** retell_answer_init() - @to_head: of HEAD, it has no body */
void retell_answer_init(struct retell_answer *a, bool to_head);
void retell_answer_done(struct retell_answer *a);

/**
 * retell_answer() - take bytes of it
 * @used: bytes that were taken; more may follow once @a has been looked at
 * @body: what of them is its body is appended
 * Return: 0, 1 = a head is complete now (status and fields, until the next call; below 200
 *         another head follows), -EBADMSG, -EMSGSIZE, -ENOMEM.
 */
int retell_answer(struct retell_answer *a, const char *data, size_t len, size_t *used,
		  struct buf *body);
/** retell_answer_end() - no more bytes come: is it whole? */
bool retell_answer_end(struct retell_answer *a);

#endif
