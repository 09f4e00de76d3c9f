/* conf - what a server is given: its sockets and keys, whose boxes it serves, and how
 * they are started.
 * Needs:  a way to start a box and to run commands (cli/ knows how).
 * Owns:   nothing: all of it is borrowed, and outlives the server.
 * Never:  changes while the server runs. */
#ifndef AGENT_SERVER_CONF_CONF_H
#define AGENT_SERVER_CONF_CONF_H

#include "base/def.h"
#include "base/err.h"

struct h2_lib;
struct json;
struct keys;
struct policies;
struct proc;
struct route_table;
struct tls;

/* A box that is being started by somebody else: a child of cli/. */
struct server_start {
	int said; /* borrowed; readable: it is known how that went */
	void *of; /* whoever starts */
};

/* Which box, as a command is told. */
struct server_box {
	const char *dir;  /* absolute; NULL = it is about no box alone */
	const char *name; /* of several boxes of that directory; NULL = the one */
	/* "--memory=1G": of its policy, besides the server's own; NULL-ended; NULL */
	const char *const *options;
};

/* A cubby that works for a request. */
struct server_command {
	struct server_box box;
	const char *const *argv; /* NULL-ended, without "cubby" and the directory */
	bool options;		 /* it takes those of boxes */
	int fds[3];		 /* its standard streams; -1 = none */
	int pass_fd;		 /* its descriptor 3; -1 = none */
	bool inside;		 /* it runs in the box's directory */
};

struct server_conf {
	const int *listen_fds; /* borrowed; non-blocking */
	unsigned n_listen;
	int stop_fd;		 /* readable: stop; borrowed */
	struct tls *tls;	 /* spoken on all of them; borrowed; NULL = none is */
	const struct h2_lib *h2; /* what TLS may agree on; borrowed; NULL = HTTP/1.1 */

	const struct keys *keys;	 /* borrowed */
	const struct policies *policies; /* borrowed; NULL = none */
	const char *const
		*origins; /* of pages that may call; NULL-ended; NULL = none */
	const struct route_table *more; /* tables besides the server's own */
	size_t n_more;

	const char *dir;	/* absolute: the directory of the one box, */
	const char *box;	/* its key, */
	const char *home;	/* and where it is begun; or */
	const char *boxes;	/* absolute: a box for each user and chat, below it */
	const char *store;	/* path of the store of boxes */
	const char *user;	/* in the box; NULL = root */
	const char *const *env; /* NULL-ended; NULL = none */
	const char *version;
	const char *info; /* what a model is told of the machine; NULL = nothing */
	int page; /* directory with the files of the page; borrowed; -1 = none */

	/* Starts the box @b: returns at once. */
	int (*start)(void *ctx, const struct server_box *b, struct server_start *ret,
		     struct err *e);
	/* once said is readable: 0, or why there is none */
	int (*started)(void *ctx, struct server_start *s, struct err *e);
	/* the box was joined, or is not wanted any more */
	void (*start_done)(void *ctx, struct server_start *s);

	/* What the image of the box @key says of how it is run, owned: image_run().
	 * NULL = it says nothing, or nobody is to be asked. */
	struct json *(*image)(void *ctx, const char *key);

	/* Starts `cubby mcp` for the box @b, with @fds as its standard streams. */
	int (*mcp)(void *ctx, const struct server_box *b, const int fds[2],
		   struct proc *ret, struct err *e);

	/* Starts `cubby --json ARGV` for the box of c. */
	int (*command)(void *ctx, const struct server_command *c, struct proc *ret,
		       struct err *e);

	void (*log)(void *ctx, const char *line); /* a line for each request; NULL */
	void *ctx;

	unsigned max_connections, max_boxes, max_programs, max_terminals;
	uint64_t idle_ms; /* a box that nobody asked for so long is left */
};

#endif
