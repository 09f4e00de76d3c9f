/* exchange_impl - what the files of connections and requests share.
 * Needs:  server_run() has set the server up.
 * Owns:   see the structs.
 * Never:  is included by others. */
#ifndef AGENT_SERVER_EXCHANGE_IMPL_H
#define AGENT_SERVER_EXCHANGE_IMPL_H

#include "agent/server/conf/conf.h"
#include "agent/server/conf/keys.h"
#include "agent/server/conf/policies.h"
#include "agent/server/exchange/exchange.h"
#include "agent/server/exchange/state.h"
#include "agent/server/exchange/streams.h"
#include "agent/server/http/chunked.h"
#include "agent/server/http/head.h"
#include "agent/server/http/ws.h"
#include "agent/server/tenant/tenant.h"
#include "base/loop.h"
#include "base/tls.h"

enum {
	EXCHANGE_ARGS = 24, /* values of a query that were asked for */
	EXCHANGE_HELD_MAX =
		128 << 20, /* of bodies, files and answers that are held at once */
	EXCHANGE_LOC = 40
};

enum {
	EXCHANGE_HEAD_MS = 10000,   /* from the first byte of a head to its last */
	EXCHANGE_KEEP_MS = 90000,   /* between two requests; clients assume 75 s */
	EXCHANGE_STALL_MS = 60000,  /* nothing came of a body, or nothing left */
	EXCHANGE_STRANGER_MS = 500, /* without key, when others wait for its place */
	EXCHANGE_HALF_MS = 2000,    /* of silence, for who has closed its side */
	EXCHANGE_PING_MS = 30000,
	EXCHANGE_LINGER_MS = 2000
};

enum exchange_state {
	EXCHANGE_HEAD,	 /* a request is awaited, or its head comes */
	EXCHANGE_BODY,	 /* its body is gathered */
	EXCHANGE_BUSY,	 /* the handler has it */
	EXCHANGE_FLUSH,	 /* the answer is complete and leaves */
	EXCHANGE_WS,	 /* a WebSocket */
	EXCHANGE_H2,	 /* HTTP/2: each of its requests is a connection of its own */
	EXCHANGE_LINGER, /* no more is said; what still comes is thrown away, so that the
			    client reads the answer before it hears of the end */
	EXCHANGE_DEAD
};

/* A connection, and the request that is on it. */
struct exchange {
	struct server *server; /* borrowed */
	struct exchange *prev, *next;
	struct loop_source *source; /* owned by the loop */
	int fd;			    /* owned */
	struct tls_conn *tls;	    /* owned; NULL = the bytes are as they are */
	struct streams *h2;	    /* owned; of HTTP/2; NULL = it is none */
	struct exchange *outer; /* borrowed; that brought it; NULL = a client's own, or
				   that one has ended */
	enum exchange_state state;
	struct buf in, out; /* owned */
	uint64_t deadline_ms;
	bool served;	       /* a request was answered on it */
	bool known;	       /* a key was shown on it */
	bool half;	       /* the client has closed its side */
	uint64_t half_ms;      /* since when nothing was sent after that */
	const struct key *key; /* borrowed; that this request has; NULL = none */
	uint64_t born_ms;
	size_t counted;	 /* bytes of it in server_counts.held */
	size_t gathered; /* the same, of a message that comes, or a stream that leaves */
	bool pinged;	 /* a WebSocket whose answer to a ping is awaited */

	char *head_text; /* owned; what @head points into */
	struct head head;
	char policy[POLICY_NAME]; /* that it asks for; "" = none */
	struct route_match match;
	struct json *json;	   /* owned; the body */
	struct buf body;	   /* owned; while it is gathered */
	char *args[EXCHANGE_ARGS]; /* owned */
	unsigned n_args;
	struct chunked chunked;
	uint64_t body_left; /* of a body with a length */
	uint64_t discarded;
	bool body_done, streams, paused;
	bool blank; /* an empty line came before the request */
	bool kick;  /* look at what was read before, although nothing more came */
	char wrong_in[8], wrong_at[EXCHANGE_LOC]; /* which argument is wrong */

	struct tenant *tenant; /* borrowed; held */
	struct tenant_wait wait;
	bool waiting;			    /* for the tenant's box */
	const struct exchange_hooks *hooks; /* borrowed; NULL = none */
	void *ctx;

	bool raw; /* another server's bytes in both directions */
	bool begun, ended, cut, close, corked;
	bool flows;		   /* exchange_flows() */
	bool out_chunked, no_body; /* no_body: of HEAD, 204, 304 */
	int status;
	uint64_t sent, began_ms;

	struct ws ws;
};

/* ---- exchange.c */
/** exchange_watch() - wait for what its state needs */
void exchange_watch(struct exchange *x);
/** exchange_recv() - as recv(), of what the connection's bytes mean */
ssize_t exchange_recv(struct exchange *x, void *data, size_t len);
/** exchange_stirs() - there may be more to read although the socket has nothing */
bool exchange_stirs(const struct exchange *x);
/** exchange_push() - send what can be sent */
void exchange_push(struct exchange *x);
/** exchange_enter() - @ms: in that state for so long at most; 0 = for ever */
void exchange_enter(struct exchange *x, enum exchange_state state, uint64_t ms);
/** exchange_gone() - the handler is told that it is over, once */
void exchange_gone(struct exchange *x);
/** exchange_die() - it is closed with the next round of the loop */
void exchange_die(struct exchange *x);

/* ---- conn.c */
/** conn_new() - @outer: of a request of HTTP/2, the connection it came by; NULL = none */
int conn_new(struct server *s, int fd, struct exchange *outer, struct err *e);
/** conn_reap() - free those that are dead */
void conn_reap(struct server *s);
void conn_tick(struct exchange *x, uint64_t now_ms);
/** conn_idle() - no request is on it: it may be closed for another */
bool conn_idle(const struct exchange *x);
bool conn_stranger(const struct exchange *x, uint64_t now_ms);

/* ---- intake.c */
/** intake_head() - look for a whole head in what has come */
void intake_head(struct exchange *x);
/** intake_body() - what has come of the body goes where it belongs */
void intake_body(struct exchange *x);
/** intake_refuse() - nothing of the head is believed; the connection ends */
void intake_refuse(struct exchange *x, int status, const char *why);

/* ---- share.c, of which exchange.h has the rest */
/** share_place() - may this request's owner have another place? */
bool share_place(const struct exchange *x);
/** share_gather() - of a message that comes, or a stream that leaves, @n bytes are kept: 0,
 *  or -EAGAIN, as share_hold() */
int share_gather(struct exchange *x, size_t n);

/* ---- admit.c */
/** admit_request() - false: it was answered */
bool admit_request(struct exchange *x);

#endif
