/* state - what a server has while it runs.
 * Needs:  server_run() has set it up.
 * Owns:   see the struct.
 * Never:  is at hand where what it was given (conf.h), or a tenant, will do. */
#ifndef AGENT_SERVER_EXCHANGE_STATE_H
#define AGENT_SERVER_EXCHANGE_STATE_H

#include "agent/server/exchange/login.h"
#include "agent/server/exchange/route.h"

struct command;
struct exchange;
struct loop;
struct loop_source;
struct server_conf;
struct tenants;

struct server_counts {
	uint64_t requests, connections, refused, bytes_out;
	size_t held; /* bytes of bodies, files and answers that are in memory */
	uint64_t by_class[6]; /* of answers: by_class[2] = 2xx */
	unsigned terminals;
};

/* When output was read, and how much of it (run/pace.h). */
struct server_pace {
	uint64_t since_ms, until_ms;
	size_t taken; /* bytes since then */
};

struct server {
	const struct server_conf *conf; /* borrowed */
	struct loop *loop;		/* owned */
	struct exchange *exchanges;	/* owned */
	unsigned n_exchanges;
	struct loop_source *tick; /* owned by the loop */
	struct loop_source *listeners[8];
	bool full;    /* no connection is taken at the moment */
	bool starved; /* there is no descriptor for one */
	bool stopping, reap;
	struct route_table tables[20];
	unsigned n_tables;
	/* @fd becomes the connection of a request that came by @outer: 0 and it is taken
	 * over, or a negative errno: there is no place for one */
	int (*take_request)(struct server *s, int fd, struct exchange *outer);
	struct tenants *tenants;  /* owned */
	struct command *commands; /* owned */
	unsigned n_commands;
	struct server_counts counts;
	struct server_pace pace;
	struct logins logins;
	uint64_t began_ms;
};

#endif
