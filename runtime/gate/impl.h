/* gate_impl - the gate process from within: its state, and what its files offer each
 * other. For the files of this folder alone.
 * Needs:  main.c, which fills struct gated before any other file is called.
 * Owns:   all of it; one process serves one box.
 * Never:  blocks, opens a file, starts a process, or trusts what comes from the box.
 *
 * The files stand here in order: each calls only those before it, and these call back what
 * was handed down to them.
 *
 * Theory of operation. The box's network namespace delivers every TCP connection to a
 * listener that is served here, and the socket's own address says where the connection was
 * meant to go (gate_accept); where the kernel can it hands over the packet that asks for one
 * first, and there is no connection before there is another end (gate_syn). An address of
 * 198.18.0.0/15 stands for a name that was given to the box by our DNS (gate_dns); it is
 * judged by that name, another address by itself (netpolicy). gate_dial makes the real
 * connection: the name is looked up outside (gate_lookup, in helper processes), the
 * addresses are tried in turns, and each is judged again by what kind of place it is, just
 * before it is dialled. Then gate_conn joins the two, and gate_pump moves the bytes; where
 * rules are by name, gate_look sees the first of them. Ports of the box that the host may
 * reach come the other way round (gate_ports). Every decision is told (gate_note).
 */
#ifndef RUNTIME_GATE_IMPL_H
#define RUNTIME_GATE_IMPL_H

#include "base/json.h"
#include "base/loop.h"
#include "runtime/gate/audit.h"
#include "runtime/gate/gate.h"
#include "runtime/gate/names.h"
#include "runtime/gate/owner.h"
#include "runtime/gate/policy.h"
#include "runtime/gate/proxy.h"
#include "runtime/gate/resolve.h"

enum {
	GATE_CONNS = 2048,	   /* connections at once; more wait to be accepted */
	GATE_FDS_PER_CONN = 6,	   /* two sockets, two pipes while data is on its way;
				      or one, and five attempts at the other */
	GATE_REST_MS = 100,	   /* after the host had no descriptor for one more */
	GATE_DIAL_MS = 30000,	   /* until a connection is there, lookup included */
	GATE_FULL_MS = 3000,	   /* the same, while most places are taken */
	GATE_COME_MS = 3000,	   /* from the answer until the program is there */
	GATE_HELD = 256,	   /* lists of connections that wait for an answer */
	GATE_EAGER_US = 50,	   /* between events of which it does not sleep */
	GATE_NEXT_MS = 250,	   /* RFC 8305: before the next address is tried too */
	GATE_PIPE_BYTES = 1 << 20, /* data under way in one direction, if the host
				      grants that much; else what a pipe holds */
	GATE_POOL = 16,		   /* empty pipes kept for the next connection */
	GATE_LOOKUPS = 512,	   /* names whose addresses are remembered */
	GATE_LOOKUP_MS = RESOLVE_WORK_MS, /* then the answer is "try again" */
	GATE_KEEP_MS = 60000,	  /* addresses of a name; getaddrinfo tells no TTL */
	GATE_KEEP_NONE_MS = 5000, /* that there is no such name */
	GATE_LOOKUP_RATE = 50,	  /* new names per second, after a burst of … */
	GATE_LOOKUP_BURST = 500,  /* … this many */
	GATE_LINE_RATE = 1000, /* lines of the audit log per second and kind, after … */
	GATE_LINE_BURST = 20000,    /* … this many */
	GATE_TELL_RATE = 16,	    /* events for the monitor, per second, after … */
	GATE_TELL_BURST = 64,	    /* … this many, which is what it keeps */
	GATE_DNS_PENDING = 256,	    /* DNS questions that wait for an answer */
	GATE_DNS_TCP = 32,	    /* DNS conversations by TCP at once */
	GATE_DNS_TCP_MS = 10000,    /* one of them may idle this long */
	GATE_PUBLISHED = 64,	    /* ports of the box that the host may reach */
	GATE_WHO = 16,		    /* questions about processes at once, … */
	GATE_WHO_RATE = 200,	    /* … in a second, after a burst of … */
	GATE_WHO_BURST = 1000,	    /* … this many */
	GATE_WHO_MS = 50,	    /* a line waits for its process no longer, … */
	GATE_WHO_RATE_US = 100,	    /* … all lines so long in a millisecond, … */
	GATE_WHO_BURST_US = 500000, /* … after this, … */
	GATE_WHO_LEAST_US = 200,    /* … and each costs this much of it */
	GATE_WHO_HOPE_MS = 1000	    /* an answer that takes longer will not come */
};

struct gate_conn;
struct gate_held;
struct gate_hello;
struct gate_look;
struct gate_lookup;
struct gate_dns_tcp;

/* ---- gate_pump: bytes between two sockets --------------------------------------- */

struct gate_pool {
	int pipes[GATE_POOL][2]; /* owned */
	unsigned n;
};
void gate_pump_drain(struct gate_pool *pool);

struct gate_flow {
	int from, to; /* borrowed */
	int pipe[2];  /* owned while held > 0; else -1 */
	size_t held;  /* bytes in the pipe */
	uint64_t bytes;
	bool looked_at; /* what comes from @from is gate_look's, which puts it here */
	bool ready;	/* @from may have something */
	bool last;	/* and nothing will come after that */
	bool eof;	/* all of it was taken */
	bool shut;	/* and @to was told */
	bool urgent;	/* there was urgent data, at which splice(2) stands still */
};

struct gate_pump {
	struct gate_flow up, down;
	struct gate_pool *pool; /* borrowed */
};

enum gate_pump_state { GATE_PUMP_WAIT, GATE_PUMP_MORE, GATE_PUMP_DONE };

void gate_pump_init(struct gate_pump *p, int in, int out, struct gate_pool *pool);
void gate_pump_free(struct gate_pump *p);
/** gate_pump_event() - @events of the socket that @f comes from */
void gate_pump_event(struct gate_flow *f, uint32_t events);
/** gate_pump_run() - move what can be moved; enum gate_pump_state, or why the
 *  connection is broken */
int gate_pump_run(struct gate_pump *p);
/** gate_pump_put() - @bytes are next on the way up; copied; how many of them there was room
 *  for, or -errno */
ssize_t gate_pump_put(struct gate_pump *p, const void *bytes, size_t len);

/* ---- the process ---------------------------------------------------------------- */

struct gate_stats {
	uint64_t accepted, opened, refused, failed, queries, lookups, published;
	uint64_t sent, received; /* by the box: bytes of connections that ended */
};

struct gate_published {
	int fd; /* owned; listens on the host; -1 = an empty place */
	uint16_t port;
	struct gated *g; /* borrowed */
	struct loop_source *src;
};

/* What gate_note needs. */
struct gate_notes {
	int control; /* borrowed; to the monitor */
	struct gate_audit audit;
	uint32_t told[16];		     /* hashes of what was told lately … */
	uint64_t told_ms[16];		     /* … and when */
	uint64_t line_credit[2], line_ms[2]; /* thousandths of a line, and when counted:
					      * of refusals, and of what was let out */
	uint64_t tell_credit, tell_ms;	     /* the same of an event */
	uint64_t lines_lost;
	uint64_t rotate_ms; /* when another file was asked for */
};

/* What gate_who needs. */
struct gate_finder {
	int fd;		   /* to netwho; owned; -1 = nobody can be asked */
	struct loop *loop; /* borrowed; that of the process */
	struct loop_source *src;
	int diag;   /* borrowed; where the kernel says which sockets there are; or -1 */
	pid_t init; /* the box's, as the host numbers it; 0 = not known */
	uint32_t next_id, seq;
	struct gate_who *waiting[GATE_WHO]; /* borrowed; NULL = free */
	uint64_t credit, credit_us;   /* thousandths of a question; of waiting … */
	uint64_t asked_ms, credit_ms; /* … and when they were counted */
};

/* What gate_place needs. */
struct gate_places {
	int networks; /* the host's addresses of IPv6; owned; 0 = not known */
	int routes;   /* its routing tables; owned; 0 = cannot be asked */
};

struct gated {
	struct loop *loop; /* owned, as everything below */
	int control, signals;
	struct loop_source *control_src, *signals_src;
	enum net_mode mode;
	struct netns_facts facts;
	int fds[NETNS_FDS];
	struct loop_source *fd_src[NETNS_FDS];
	bool listening, accepting; /* there is room for more connections; the TCP
				    * listeners are being watched */
	struct loop_source *rest;  /* they are not, until this fires; NULL = they are */
	struct gate_held *held[GATE_HELD]; /* borrowed from connections; by port */

	struct gate_policy *policy;
	unsigned rules; /* how often they have changed */
	struct gate_proxy_conf proxy;
	struct gate_names *names;
	struct gate_notes notes;

	int resolver;
	struct loop_source *resolver_src;
	struct gate_lookup *lookups;
	unsigned n_lookups;
	uint32_t next_lookup;
	uint64_t lookup_credit, lookup_ms; /* thousandths of a lookup; when counted */

	struct gate_places places;
	struct gate_finder finder;

	unsigned n_dns_pending, n_dns_tcp;
	struct gate_dns_tcp *dns_tcp;

	struct gate_conn *conns;
	unsigned n_conns, max_conns;
	unsigned n_coming; /* were held, sent on, and have not come to a listener yet */
	uint64_t next_id;
	struct gate_pool pool;
	struct gate_published published[GATE_PUBLISHED];
	struct gate_want *wants; /* sockets that were asked for, in turn */

	struct gate_stats stats;
	bool rooted; /* the file system is an empty one */
	const char
		*end_why; /* it ends by itself: for the monitor; NULL = it does not */
};

/* ---- gate_memory: what is allocated --------------------------------------------- */

/** gate_memory_gone() - there is no more: say so in the record and end the process, which
 *  its monitor replaces */
void gate_memory_gone(struct gated *g);
/** gate_memory_check() - @r; -ENOMEM ends the process */
int gate_memory_check(struct gated *g, int r);
/** gate_memory_get() - zeroed, to be freed with free(); NULL: the process ends */
void *gate_memory_get(struct gated *g, size_t size);
/** gate_memory_watch(), gate_memory_timer() - loop_add(), loop_timer(); the same */
int gate_memory_watch(struct gated *g, int fd, uint32_t events, loop_fn *fn, void *ctx,
		      struct loop_source **ret);
int gate_memory_timer(struct gated *g, uint64_t ms, loop_fn *fn, void *ctx,
		      struct loop_source **ret);

/* ---- gate_note: what is told ---------------------------------------------------- */

/** gate_note_tell() - an event for the monitor; the same text once a second at most */
void gate_note_tell(struct gate_notes *n, const char *fmt, ...) _printf_(2, 3);
/** gate_note_line() - a line of the audit log; asks for another file when it is full */
void gate_note_line(struct gate_notes *n, const struct gate_audit_line *line);

/* ---- gate_who: which process of the box it was ----------------------------------- */

/* The two ends of what the box began. */
struct gate_ends {
	bool udp;
	struct sockaddr_in theirs, ours; /* the program's socket; where it sent to */
};

typedef void gate_who_fn(void *ctx);

/* Part of whatever is to be noted; forget it before that goes. */
struct gate_who {
	struct gate_owner found; /* pid 0 until it is known */
	uint64_t asked_ms;
	gate_who_fn *then; /* what waits for this, and is told @ctx; NULL = nothing */
	void *ctx;
};

/** gate_who_ask() - begin to find out; never waits */
void gate_who_ask(struct gate_finder *f, struct gate_who *w,
		  const struct gate_ends *ends);
/** gate_who_listens() - the same of who listens at an address of the box */
void gate_who_listens(struct gate_finder *f, struct gate_who *w,
		      const struct netaddr *at, uint16_t port);
/** gate_who_settle() - what is known by now, or within GATE_WHO_MS; borrowed from @w */
const struct gate_owner *gate_who_settle(struct gate_finder *f, struct gate_who *w);
/** gate_who_later() - true: not known yet, @then is called when it is, or when there is no
 *  more hope; false: @w says what is known */
bool gate_who_later(struct gate_finder *f, struct gate_who *w, gate_who_fn *then,
		    void *ctx);
int gate_who_ready(void *finder, uint32_t events, struct err *e); /* loop_fn */
void gate_who_forget(struct gate_finder *f, const struct gate_who *w);

/* ---- gate_place ------------------------------------------------------------------ */

/** gate_place_open() - before the confinement: where the host can be asked for its addresses
 *  and networks; 0 or -errno */
int gate_place_open(struct gate_places *p, struct err *e);

/** gate_place_class() - what kind of place, the host's own addresses and its neighbours'
 *  included */
enum netaddr_class gate_place_class(const struct gate_places *p,
				    const struct netaddr *a);

/* ---- gate_lookup: names into real addresses ------------------------------------- */

typedef void gate_lookup_fn(void *ctx, const struct resolve_reply *reply);

/* Part of whatever waits; zero before use and after the call. */
struct gate_waiter {
	gate_lookup_fn *fn;
	void *ctx;
	struct gate_waiter *next;
	struct gate_lookup *of; /* borrowed; NULL = not waiting */
};

/** gate_lookup_start() - @fn is called once, maybe before this returns */
void gate_lookup_start(struct gated *g, const char *name, struct gate_waiter *w,
		       gate_lookup_fn *fn, void *ctx);
/** gate_lookup_too_many() - tells that names are not looked up because of our own limits,
 *  which is -EDQUOT in an answer */
void gate_lookup_too_many(struct gated *g);
void gate_lookup_cancel(struct gate_waiter *w);
int gate_lookup_ready(void *g, uint32_t events, struct err *e); /* loop_fn */
void gate_lookup_free(struct gated *g);

/* ---- gate_dns ------------------------------------------------------------------- */

int gate_dns_udp(void *g, uint32_t events, struct err *e); /* loop_fn */
/** gate_dns_accept() - serve DNS on a TCP connection, which becomes its own */
void gate_dns_accept(struct gated *g, int fd, const struct gate_ends *ends);
void gate_dns_free(struct gated *g);

/* ---- a connection ---------------------------------------------------------------- */

/* What becomes of it, for who brought it. */
struct gate_conn_calls {
	void (*reached)(
		struct gate_conn *c); /* the other end of one that is held is there */
	void (*gone)(struct gate_conn *c, int r); /* it ends; @r < 0: with a reset */
};

struct gate_conn {
	struct gate_conn *prev, *next;
	struct gated *g; /* borrowed */
	uint64_t id, start_ms;
	int in, out; /* owned; who asked, and the other end once it is there */
	const struct gate_conn_calls *brought; /* who did; NULL = gate_accept */
	struct gate_held *held; /* of gate_syn: @in will come later; else NULL */
	struct loop_source *in_src, *out_src, *again;
	struct gate_dial *dial; /* owned, until the other end is there */
	struct gate_pump pump;
	struct gate_look *look; /* owned; NULL = first bytes do not matter (any more) */
	struct gate_hello
		*said;	     /* owned; what they named, if not what was dialled; NULL */
	const char *proxy;   /* borrowed from gated.proxy; NULL = direct */
	const char *name;    /* borrowed from gated.names; NULL = a literal address */
	struct netaddr addr; /* as asked; then the one that was dialled */
	uint16_t port;
	struct gate_who who;
	bool published; /* from the host into the box */
	bool open;
};

/* ---- gate_look: what the first bytes name ---------------------------------------- */

/** gate_look_start() - @c is about to move bytes: look at the first ones if rules are by
 *  name; 0 or -ENOMEM */
int gate_look_start(struct gate_conn *c);
/** gate_look_run() - look at what has come; 1 = there is more to move, 0 = not, -EACCES =
 *  what they name is not allowed, which was told, another -errno = broken */
int gate_look_run(struct gate_conn *c);
/** gate_look_still() - do the rules allow what it named, now? */
bool gate_look_still(const struct gate_conn *c);
void gate_look_free(struct gate_look **l);

/* ---- gate_dial: the other end ---------------------------------------------------- */

/* How it ends: one of these is called, once, maybe before gate_dial_start() returns. */
struct gate_dial_calls {
	/* @out becomes the callee's; @addr: that was dialled */
	void (*reached)(struct gate_conn *c, int out, const struct netaddr *addr);
	void (*failed)(struct gate_conn *c, int r);
	void (*denied)(struct gate_conn *c, enum gate_policy_verdict v);
	/* the rules do not allow this kind of place */
	void (*refused)(struct gate_conn *c, const struct netaddr *addr,
			enum netaddr_class class);
};

/** gate_dial_start() - judge where @c wants to go, and dial it; 0 or -ENOMEM, and then
 *  nothing is called; @calls: borrowed */
int gate_dial_start(struct gate_conn *c, const struct gate_dial_calls *calls);
void gate_dial_free(struct gate_dial **d);

/* ---- gate_conn: what becomes of a connection ------------------------------------- */

/** gate_conn_new() - @in becomes its own, also on failure (NULL) */
struct gate_conn *gate_conn_new(struct gated *g, int in);
/** gate_conn_begin() - @c is new, and wants to go to @ends->ours */
void gate_conn_begin(struct gate_conn *c, const struct gate_ends *ends);
/** gate_conn_join() - both ends are there: say so, and move bytes */
void gate_conn_join(struct gate_conn *c);
/** gate_conn_fail() - count and tell that there is no connection, and end it; @r: why */
void gate_conn_fail(struct gate_conn *c, int r);
/** gate_conn_end() - close both ends; @r < 0: with a reset; @why for the audit log */
void gate_conn_end(struct gate_conn *c, int r, const char *why);
/** gate_conn_rest() - a connection failed with @r: when the host is short of something,
 *  which does not stop the listeners from being ready, take more later; true = it is */
bool gate_conn_rest(struct gated *g, int r);
/** gate_conn_stats() - of all connections, with the bytes of those that are open */
struct gate_stats gate_conn_stats(const struct gated *g);
/** gate_conn_tune() - of a socket, or of all that a listener will accept: bytes go on as
 *  they come; a peer that vanished is found out in two minutes; urgent data stays in the
 *  stream; whatever closes it, a kill of this process too, is a reset */
void gate_conn_tune(int fd);
/** gate_conn_orderly() - but from now on it is an end */
void gate_conn_orderly(int fd);
/** gate_conn_recheck() - cut what the rules no longer allow */
void gate_conn_recheck(struct gated *g);

/* ---- gate_syn: connections before they are there --------------------------------- */

/** gate_syn_run() - take first packets: judge, dial, and send on what is there at once */
void gate_syn_run(struct gated *g);
/** gate_syn_take() - that was answered between these ends, no longer held; NULL = none */
struct gate_conn *gate_syn_take(struct gated *g, const struct gate_ends *ends);

/* ---- gate_accept ----------------------------------------------------------------- */

int gate_accept_ready(void *g, uint32_t events, struct err *e); /* loop_fn: listeners */
int gate_accept_held(void *g, uint32_t events, struct err *e);	/* loop_fn: packets */

/* ---- gate_ports: into the box --------------------------------------------------- */

/* A socket of the box that init was asked for. */
struct gate_want {
	struct gate_want *next;
	struct gate_conn *c; /* borrowed: for whom; NULL = that one has gone */
};

/** gate_ports_add() - accept on @fd for the box's @port; @fd becomes its own */
int gate_ports_add(struct gated *g, int fd, uint16_t port);
int gate_ports_remove(struct gated *g, uint16_t host_port);
int gate_ports_sock(void *g, uint32_t events, struct err *e); /* loop_fn: from init */
/** gate_ports_list() - [{"port", "address", "uid"}] of what listens in the box; owned; NULL: the
 *  kernel did not say, or -ENOMEM */
struct json *gate_ports_list(const struct gated *g, struct err *e);
void gate_ports_free(struct gated *g);

#endif
