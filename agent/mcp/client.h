/* mcp_client - a server of the Model Context Protocol that somebody else wrote, as tools of a
 * model: a program that is spoken with by lines of JSON.
 * Needs:  a running box, or another way to start programs (the port).
 * Owns:   the program, from its start to mcp_client_free().
 * Never:  runs it outside of the box by itself (outside.h); believes a length, a name or a
 *         schema of it (foreign.h); waits without an end; does what it asks for (roots,
 *         sampling). */
#ifndef AGENT_MCP_CLIENT_H
#define AGENT_MCP_CLIENT_H

#include "agent/tool/tool.h"
#include "base/aside.h"
#include "runtime/box/box.h"

enum { MCP_CLIENT_TOOLS = 32, MCP_CLIENT_WORDS = 24 << 10 };

/* Who starts programs with pipes, and ends them with all that they started. */
struct mcp_client_port {
	int (*spawn)(void *ctx, const struct box_command *c, struct box_proc *ret,
		     struct err *e);
	void (*end)(void *ctx, struct box_proc *p);
	void *ctx;
};

/** mcp_client_box() - the port of a box, which has to outlive it */
struct mcp_client_port mcp_client_box(struct box *box);

/* All borrowed, for as long as the client is. */
struct mcp_client_conf {
	struct mcp_client_port port;
	const char *name; /* in the names of its tools (foreign.h) */
	const char *const *argv, *const *env;
	const char *user; /* NULL = root */
	bool outside;	  /* of the box: a model is told so */
	const char *version;
	size_t keep;		     /* bytes of a result's text; 0 = TOOL_KEEP */
	uint64_t call_ms;	     /* limit of a call; 0 = 600 s */
	uint64_t start_ms;	     /* until it has told its tools; 0 = 60 s */
	uint64_t (*left_ms)(void *); /* of the task's time; may be NULL */
	void *ctx;
	struct aside aside; /* looked at while it is waited for; ready NULL = none */
	int interrupt_fd;   /* readable = the person pressed ^C; 0 or -1 = none */
};

struct mcp_client;
int mcp_client_new(const struct mcp_client_conf *conf, struct mcp_client **ret,
		   struct err *e);
void mcp_client_free(struct mcp_client **c);
#define _cleanup_mcp_client_ _cleanup_(mcp_client_free)

/** mcp_client_start() - run the program; others may be started before it is asked */
int mcp_client_start(struct mcp_client *c, struct err *e);

/**
 * mcp_client_offer() - ask it for its tools, and add them to @t
 * @notes: gets a line for each that cannot be used
 *
 * Return: 0; -EPROTO (it does not speak the protocol), -EPIPE (it ended), -ETIMEDOUT,
 *         -EINTR, or box gone. It is ended then.
 */
int mcp_client_offer(struct mcp_client *c, struct toolbox *t, struct buf *notes,
		     struct err *e);

#endif
