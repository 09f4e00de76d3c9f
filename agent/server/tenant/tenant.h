/* tenant - whose box a request is for, and that box: opened when it is asked for, joined
 * by everybody of the same user and chat, left when nobody asked for long.
 * Needs:  the server's loop; somebody who starts boxes (server.h).
 * Owns:   the connection to each box's monitor; programs that run in it.
 * Never:  lets one tenant's name lead to another's directory: it is a hash of the names;
 *         waits for a box, nor for its monitor, but two seconds when it joins it: a monitor
 *         that is held up holds up its own box alone. */
#ifndef AGENT_SERVER_TENANT_TENANT_H
#define AGENT_SERVER_TENANT_TENANT_H

#include <stdint.h>

#include "base/err.h"
#include "base/json.h"
#include "runtime/box/box.h"

struct server_box;
struct server_conf;
struct loop;
struct tenant;
struct tenants;

#define TENANT_HERE \
	"here" /* how who.box names the one box of a server without --boxes */

/* Where the boxes of one user of the service are told apart. */
struct tenant_who {
	const char *user;    /* X-User-Id; NULL = none */
	const char *context; /* X-Terminal-Context-Id; NULL = none */
	const char *policy;  /* that the service asks for (/p/ID/…); NULL = none */
	/* or one by its name, for the holder of the key: DIRECTORY or DIRECTORY@NAME, where
	 * a directory has several; NULL */
	const char *box;
	bool make; /* a box of that name, if there is none */
};

/** tenants_new() - both are borrowed, and outlive it */
int tenants_new(const struct server_conf *conf, struct loop *loop, struct tenants **ret,
		struct err *e);
void tenants_free(struct tenants **t);
/** tenants_tick() - leave boxes that are not used */
void tenants_tick(struct tenants *t, uint64_t now_ms);
unsigned tenants_open_count(const struct tenants *t);
/** tenants_programs() - how many run, in all of them */
unsigned tenants_programs(const struct tenants *t);

/** tenants_get() - the tenant of a name; made when it is not known.
 *  Return: 0; -EAGAIN: too many; -EINVAL: no name; -ENOENT: no box of this name;
 *  -EEXIST: it is in use without its user's policy. */
int tenants_get(struct tenants *t, const struct tenant_who *who, struct tenant **ret,
		struct err *e);

/** tenants_find() - the same; NULL: it is not known */
struct tenant *tenants_find(const struct tenants *t, const struct tenant_who *who);

/** tenants_box() - which box is meant, which need not be known; @dir: owned, and what
 *  @ret points to along with @who */
int tenants_box(struct tenants *t, const struct tenant_who *who, char **dir,
		struct server_box *ret, struct err *e);
/** tenants_leave() - the box of one is left, unless something runs in it */
void tenants_leave(struct tenants *t, const struct tenant_who *who);
/* Somebody who waits for the box. */
struct tenant_wait {
	struct tenant_wait *next;
	/* @e NULL = it is open */
	void (*ready)(void *ctx, const struct err *e);
	void *ctx;
};

/** tenant_hold() - a user of @t more: it is not closed until tenant_release() */
void tenant_hold(struct tenant *t);
void tenant_release(struct tenant *t);

/** tenant_open() - call w->ready when the box is open, which may be at once */
void tenant_open(struct tenant *t, struct tenant_wait *w);
void tenant_unwait(struct tenant *t, struct tenant_wait *w);

/** tenant_where() - which box it is */
const struct server_box *tenant_where(const struct tenant *t);
/** tenant_home() - where it is begun, as it is called inside */
const char *tenant_home(const struct tenant *t);
/** tenant_box() - NULL: it is not open */
struct box *tenant_box(const struct tenant *t);
struct loop *tenant_loop(const struct tenant *t);
/** tenant_conf() - what its server was given */
const struct server_conf *tenant_conf(const struct tenant *t);
/** tenant_look() - which files of its project act on the host now; NULL = none can be
 *  told of */
struct effects_watch *tenant_look(const struct tenant *t);
/** tenant_acting() - a list of those that came or changed since @before; NULL = none */
struct json *tenant_acting(const struct tenant *t, const struct effects_watch *before);

/* ---- programs in it ------------------------------------------------------------- */

/* One that runs, or that was asked for. The caller's; tenant_forget() before it goes. */
struct tenant_program {
	struct tenant_program *prev, *next;
	struct tenant *tenant; /* NULL = not asked for, or over */
	uint32_t id;
	bool runs;
	/* It runs: @p is the callee's to take. Or @e: it does not, and there is no exit */
	void (*started)(void *ctx, struct box_proc *p, const struct err *e);
	/* It has ended; NULL: the box has */
	void (*exited)(void *ctx, const struct box_exit *x);
	void *ctx;
};

/** tenant_run() - ask for a program; @p->started says how that went. -ENOTCONN: no box */
int tenant_run(struct tenant *t, const struct box_command *c, struct tenant_program *p,
	       struct err *e);
/** tenant_forget() - nothing of @p is called any more; what runs is ended */
void tenant_forget(struct tenant_program *p);

/* A question to its monitor. The caller's; tenant_unask() before it goes. */
struct tenant_question {
	struct tenant_question *next;
	struct tenant *tenant; /* NULL = not asked, or answered */
	uint32_t id;
	/* @answer NULL: @why not */
	void (*answered)(void *ctx, const struct json *answer, const struct err *why);
	void *ctx;
};

/** tenant_ask() - as box_ask(); q->answered, which says what came of it, is not called before
 *  this returns */
int tenant_ask(struct tenant *t, const char *what, const struct json *args,
	       struct tenant_question *q, struct err *e);
/** tenant_unask() - it is not called any more */
void tenant_unask(struct tenant_question *q);

/* ---- where sessions are --------------------------------------------------------- */

/** tenant_cwd() - of the session of this name, or the home; NULL = no session */
const char *tenant_cwd(struct tenant *t, const char *session);
/** tenant_set_cwd() - remember, in the store, too; does nothing without a session */
void tenant_set_cwd(struct tenant *t, const char *session, const char *path);
/** tenant_lose_cwd() - what failed with @why began there: where it is gone, the session is at
 *  home from now on. Is it? */
bool tenant_lose_cwd(struct tenant *t, const char *session, const struct err *why);

/* What a face keeps for each tenant: programs of /execute, terminals, … */
enum tenant_slot {
	TENANT_EXECUTE,
	TENANT_TERMINALS,
	TENANT_PYTHON,
	TENANT_MCP,
	TENANT_MCP_SHARED,
	TENANT_SLOTS
};
/** tenant_slot() - what it keeps there: @size bytes, zeroed when they are first asked for;
 *  @release frees them when the tenant goes. NULL = out of memory */
void *tenant_slot(struct tenant *t, enum tenant_slot slot, size_t size,
		  void (*release)(void *));

#endif
