/* http - one HTTP request at a time, streamed. Door of libcurl, which is loaded at the
 * first http_new(): a process that never talks HTTP must not pay for it (see
 * docs/adr/0002-libraries-on-demand.md).
 * Needs:  libcurl.so.4 at run time; a single thread in the caller.
 * Owns:   the connections of one struct http, reused between its requests.
 * Never:  follows a redirect unless asked; logs a header; verifies less than TLS asks.
 *
 * Proxies come from the environment as libcurl reads it (https_proxy, no_proxy, …);
 * certificates from the system, or from the file that SSL_CERT_FILE names. */
#ifndef BASE_HTTP_H
#define BASE_HTTP_H

#include <stdint.h>

#include "base/aside.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/http_head.h"

struct http;
int http_new(struct http **ret, struct err *e);
void http_free(struct http **h);
#define _cleanup_http_ _cleanup_(http_free)

/* Called with body bytes as they come. Return 0 to go on, a negative errno to end the
 * request with that code. */
typedef int http_data_fn(void *ctx, const void *data, size_t len);
/* Called once, when status and headers are known and before the first body byte. */
typedef int http_head_fn(void *ctx, const struct http_reply *reply);

/* What is sent from a file, whose offset is left alone. */
struct http_file {
	int fd; /* borrowed */
	uint64_t size;
	int (*tick)(void *ctx, uint64_t more); /* bytes sent; negative: give up */
	void *ctx;
};

struct http_request {
	const char *method; /* NULL = GET, POST with a body, or PUT with a file */
	const char *url;
	const char *const *headers; /* NULL-ended "Name: value"; NULL = none */
	const void *body;	    /* borrowed until the call returns */
	size_t body_len;
	const struct http_file *file; /* instead of a body; NULL = none */
	const struct buf *ca; /* certificates beside the system's, for the URL's host
				 alone; NULL = none */
	uint64_t range_from; /* 0 = all; else the bytes from there on are asked for, and
				206 or 200 says whether that is what comes */
	bool follow; /* redirects of a GET: 10 at most, https stays https, no headers of
			ours to another host */
	uint64_t connect_ms;	/* 0 = 15 s */
	uint64_t first_byte_ms; /* 0 = 600 s */
	uint64_t stall_ms;	/* without any byte, after the first; 0 = 120 s */
	uint64_t total_ms;	/* 0 = none */
	int abort_fd;	    /* readable = give up within 100 ms with -ECANCELED; -1 */
	struct aside aside; /* looked at meanwhile; ready NULL = none */
	http_head_fn *on_head; /* may be NULL */
	http_data_fn *on_data; /* NULL = body thrown away */
	void *ctx;
};

/**
 * http_perform() - do one request and wait for its end
 * @ret: filled as far as the answer got, on failure too
 *
 * Any status is a success here; a redirect that is followed is not seen by the
 * callbacks. Return: 0, -ECANCELED (abort_fd), what a callback returned, -EHOSTUNREACH
 * (name lookup), -ECONNREFUSED (no connection), -ECONNRESET (cut off, or ended before
 * content-length), -ETIMEDOUT, -EKEYREJECTED (TLS verification), -ENOKEY (no
 * certificates to verify with), -EPROTO (not HTTP, or redirects that lead nowhere),
 * -EINVAL (URL), -ENOMEM. The message names the host, never a header or the rest of the
 * URL.
 */
int http_perform(struct http *h, const struct http_request *req, struct http_reply *ret,
		 struct err *e);

#endif
