/* http_head - what we need of an answer's status line and header fields.
 * Needs:  the lines in their order, as they come.
 * Owns:   nothing.
 * Never:  keeps a control character; fails: a line that makes no sense is skipped. */
#ifndef BASE_HTTP_HEAD_H
#define BASE_HTTP_HEAD_H

#include "base/def.h"

enum { HTTP_TYPE = 128, HTTP_VALUE = 256, HTTP_LONG = 2048 };

struct http_reply {
	int status;		      /* 0 until the status line arrived */
	char content_type[HTTP_TYPE]; /* lower case, parameters included; "" = none */
	char retry_after[HTTP_VALUE];
	char retry_after_ms[HTTP_VALUE];
	char should_retry[HTTP_VALUE]; /* x-should-retry */
	char request_id[HTTP_VALUE];   /* x-request-id or request-id */
	char challenge[HTTP_LONG];     /* www-authenticate */
	char content_range[HTTP_VALUE];
	char content_digest[HTTP_VALUE]; /* docker-content-digest */
	char warning[HTTP_LONG];	 /* all of that name, with commas between */
	char limit[HTTP_VALUE];		 /* ratelimit-limit: "100;w=21600" */
	char limit_left[HTTP_VALUE];	 /* ratelimit-remaining, in the same way */
	char location[HTTP_LONG];	 /* as it was written */
	int64_t length;			 /* content-length; -1 = unknown */
	uint64_t first_byte_ms;		 /* from the call to the first body byte */
	uint64_t total_ms;
};

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
