/* mcp - a server of the Model Context Protocol on two descriptors: the tools of a box
 * for any client that speaks it.
 * Needs:  a function that runs a tool, and that watches for the server meanwhile.
 * Owns:   nothing after mcp_serve() returned.
 * Never:  writes anything but frames to its output; runs two tools at a time.
 *
 * Revisions 2026-07-28 (modern.h), and by "initialize" 2025-11-25, 2025-06-18, 2025-03-26
 * and 2024-11-05; the newest of those when a client asks for one that is not known. Source:
 * modelcontextprotocol.io, specification. */
#ifndef AGENT_MCP_MCP_H
#define AGENT_MCP_MCP_H

#include "agent/tool/tool.h"
#include "base/err.h"

/* What the server gives to whoever runs a tool: the same members as a toolbox takes. */
struct mcp_hooks {
	int interrupt_fd;   /* readable: the call was cancelled, or the server stops */
	struct aside aside; /* while a tool runs, that is how requests are read */
	tool_output_fn *output;			   /* live output, for progress */
	void (*note)(void *ctx, const char *line); /* a line for the client's log */
	void *ctx;				   /* of these functions; borrowed */
};

typedef int mcp_run_fn(void *ctx, const struct mcp_hooks *hooks, const char *name,
		       const struct json *args, struct tool_result *ret, struct err *e);

struct mcp_conf {
	const char *version;	  /* of this program */
	const char *instructions; /* for the client's model; may be NULL */
	const struct tool *tools; /* what is offered; `finish` is left out */
	size_t tool_count;
	int in_fd, out_fd; /* borrowed */
	int stop_fd;	   /* readable: stop soon; -1 = none */
	mcp_run_fn *run;   /* a negative return is answered as an internal error */
	struct aside (*idle)(void *ctx); /* looked at between two calls; may be NULL */
	void *ctx;
};

enum { MCP_FRAME_MAX = 16 << 20, MCP_WAITING_MAX = 64 };

/**
 * mcp_serve() - answer until the input ends, stop_fd is readable or nobody reads the
 *               output any more
 *
 * At the end of the input all that was asked is still answered. A tool that runs when
 * the server has to stop is interrupted.
 * Return: 0, or a negative errno when the server could not be set up or an answer not be
 *         written; a client that has gone is no failure.
 */
int mcp_serve(const struct mcp_conf *conf, struct err *e);

#endif
