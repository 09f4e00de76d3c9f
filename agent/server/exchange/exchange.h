/* exchange - a request and its answer, as a handler sees them.
 * Needs:  a row of a table of routes (route.h) that the request was found by.
 * Owns:   what was read of the request, until the answer is complete.
 * Never:  calls a handler's hooks after the answer has ended, or the client has gone.
 *
 * A failure becomes {"detail": "…"} with the status of its errno: -ENOENT 404, -EACCES and
 * -EPERM 403, -EBADMSG (an argument is missing or wrong) 422, -EINVAL and other faults of
 * the request 400, -EEXIST 409, -EMSGSIZE 413,
 * -EMEDIUMTYPE 415, -EAGAIN 429, -ENOTCONN 503, -ETIMEDOUT 504, all else 500. */
#ifndef AGENT_SERVER_EXCHANGE_EXCHANGE_H
#define AGENT_SERVER_EXCHANGE_EXCHANGE_H

#include "agent/server/exchange/route.h"
#include "base/json.h"

struct head;
struct key;
struct loop;
struct server;
struct server_conf;
struct tenant;
struct tenant_who;
struct tenants;

enum {
	EXCHANGE_JSON_MAX = 32 << 20, /* a body that is parsed */
	EXCHANGE_OUT_MAX = 16 << 20   /* an answer in one piece */
};

/* ---- the request: borrowed, until the answer has ended -------------------------- */

/** exchange_route() - the row that it was found by */
const struct route *exchange_route(const struct exchange *x);
/** exchange_param() - of the path, decoded; "" for a name that the route does not have */
const char *exchange_param(const struct exchange *x, const char *name);
/** exchange_header() - by its name in lower case; NULL = none */
const char *exchange_header(const struct exchange *x, const char *name);
/** exchange_arg() - the @nth value of a name of the query; NULL: none, or "null" */
const char *exchange_arg(struct exchange *x, const char *name, unsigned nth);
/** exchange_arg_num() - @ret becomes the value, or stays without one; else -EBADMSG */
int exchange_arg_num(struct exchange *x, const char *name, int64_t least, int64_t most,
		     int64_t *ret, struct err *e);
/** exchange_arg_ms() - the same of seconds, which may have a fraction, as milliseconds */
int exchange_arg_ms(struct exchange *x, const char *name, int64_t most_s, int64_t *ret,
		    struct err *e);
bool exchange_arg_bool(struct exchange *x, const char *name, bool none);
/** exchange_missing() - -EBADMSG: the query has to have @name */
int exchange_missing(struct exchange *x, const char *name, struct err *e);
/** exchange_json() - the body, of a route with ROUTE_JSON; NULL = none */
const struct json *exchange_json(const struct exchange *x);
/** exchange_text() - a member of it that has to be a string: 0 or -EBADMSG */
int exchange_text(struct exchange *x, const char *name, const char **ret,
		  struct err *e);
/** exchange_key_is() - in constant time; who has shown it keeps its place (accept.c) */
bool exchange_key_is(struct exchange *x, const char *key);
/** exchange_may() - has the key that was shown the right (keys.h), about who is named? */
bool exchange_may(struct exchange *x, unsigned right);
/** exchange_key() - that it has shown; NULL = none */
const struct key *exchange_key(const struct exchange *x);
/** exchange_head() - all of it, as it came */
const struct head *exchange_head(const struct exchange *x);
bool exchange_origin_allowed(const struct exchange *x);
/** exchange_origin_own() - a page of this server itself, at a name of loopback */
bool exchange_origin_own(const struct exchange *x);
struct server *exchange_server(const struct exchange *x);
/** exchange_conf() - what its server was given */
const struct server_conf *exchange_conf(const struct exchange *x);
struct loop *exchange_loop(const struct exchange *x);
/** exchange_who() - whose box is meant */
struct tenant_who exchange_who(struct exchange *x);
/** exchange_tenants() - all of them */
struct tenants *exchange_tenants(const struct exchange *x);
/** exchange_tenant() - whose box it is (tenant.h); of a route with box, else NULL */
struct tenant *exchange_tenant(const struct exchange *x);

/* ---- answers in one piece ------------------------------------------------------- */

/** exchange_reply() - @j is taken over; NULL (out of memory) becomes 500 */
void exchange_reply(struct exchange *x, int status, struct json *j);
void exchange_reply_text(struct exchange *x, int status, const char *type,
			 const char *text);
/** exchange_fail() - {"detail": text} */
void exchange_fail(struct exchange *x, int status, const char *fmt, ...) _printf_(3, 4);
/** exchange_fail_err() - the same, with the status of the errno */
void exchange_fail_err(struct exchange *x, const struct err *e);

/* ---- answers that come later or in parts ---------------------------------------- */

enum exchange_message { EXCHANGE_TEXT, EXCHANGE_BINARY };

/* Any may be NULL. None is called once the answer has ended or was refused. */
struct exchange_hooks {
	/* the client has gone before the end: @x is no more after this */
	void (*gone)(void *ctx);
	/* what was asked for goes on without the client, and is told about when it ends */
	bool goes_on;
	/* what was written has left: write more */
	void (*drained)(void *ctx);
	/* of a ROUTE_STREAM; @len 0 = that was all */
	void (*body)(void *ctx, const char *data, size_t len);
	/* of a WebSocket: a whole message, of 1 MiB at most */
	void (*message)(void *ctx, enum exchange_message kind, const char *data,
			size_t len);
};

/** exchange_later() - the handler goes on after it returned; @hooks is borrowed */
void exchange_later(struct exchange *x, const struct exchange_hooks *hooks, void *ctx);

/**
 * exchange_begin() - status and header fields
 * @headers: NULL-ended "Name: value"; NULL = none; copied
 * @length:  of the body; -1 = not known yet
 */
void exchange_begin(struct exchange *x, int status, const char *type,
		    const char *const *headers, int64_t length);
/** exchange_flows() - what is written waits for the client, however much that is: it is one
 *  of the large answers that are held at once, and who finds no room there is cut */
void exchange_flows(struct exchange *x);
/** exchange_cork() - what is written waits for the end, or for 16 KiB: packets that wake
 *  the client one by one cost more than they bring */
void exchange_cork(struct exchange *x);
/** exchange_uncork() - what waits leaves; for a WebSocket, which has no end */
void exchange_uncork(struct exchange *x);
/** exchange_write() - more of the body. Look at exchange_backlog() before there is much */
void exchange_write(struct exchange *x, const void *data, size_t len);
/** exchange_end() - that was all; @x is no more after this */
void exchange_end(struct exchange *x);
/** exchange_cut() - end an answer that cannot be completed, so that the client sees it */
void exchange_cut(struct exchange *x);
/** exchange_backlog() - bytes that have not left yet; above EXCHANGE_FULL wait for
 *  hooks.drained */
size_t exchange_backlog(const struct exchange *x);
/* Bytes as they are, head and all, from another server: the connection ends with them.
 * @both: it is no more HTTP; what comes from the client goes to hooks.body, also what
 * comes behind its request. */
void exchange_raw_begin(struct exchange *x, bool both);
void exchange_raw_write(struct exchange *x, const void *data, size_t len);
void exchange_raw_end(struct exchange *x);
enum { EXCHANGE_FULL = 256 << 10 };
/** share_hold() - @n more bytes are kept for it until its answer has left: 0, or -EAGAIN:
 *  too much is kept already, for all or for its user */
int share_hold(struct exchange *x, size_t n);
/** share_release() - all of that has left, or is dropped */
void share_release(struct exchange *x);
/** exchange_pause() - of a ROUTE_STREAM or a WebSocket: read no more for now */
void exchange_pause(struct exchange *x, bool pause);

/* ---- WebSockets: the handler of a route with websocket -------------------------- */

/** exchange_ws_accept() - after exchange_later() */
void exchange_ws_accept(struct exchange *x);
void exchange_ws_send(struct exchange *x, enum exchange_message kind, const void *data,
		      size_t len);
/** exchange_ws_limit() - of a message; nobody who has not shown the key sends a long one */
void exchange_ws_limit(struct exchange *x, size_t most);
/** exchange_ws_close() - @x is no more after this */
void exchange_ws_close(struct exchange *x, unsigned code, const char *reason);

#endif
