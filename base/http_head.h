/* http_head - what we need of an answer's status line and header fields.
 * Needs:  the lines in their order, as they come.
 * Owns:   nothing.
 * Never:  keeps a control character; fails: a line that makes no sense is skipped. */
#ifndef BASE_HTTP_HEAD_H
#define BASE_HTTP_HEAD_H

#include "base/http.h"

struct http_head {
	struct http_reply reply; /* times are the caller's */
	bool done;		 /* the final answer's head is complete */
};
#define HTTP_HEAD_INIT ((struct http_head){ .reply.length = -1 })

/**
 * http_head_line() - take one line, with or without its line break
 *
 * The empty line completes the head, unless the status was an interim 1xx. Lines after
 * that are trailers and change nothing.
 */
void http_head_line(struct http_head *h, const char *line, size_t len);

/** http_head_date() - "Sun, 06 Nov 1994 08:49:47 GMT" as seconds since 1970; -1: it is none */
int64_t http_head_date(const char *s);

#endif
