/* mcp_impl - what the files of the MCP server share. For agent/mcp/ alone.
 * Needs:  mcp_serve() has set it up.
 * Owns:   see struct mcp.
 * Never:  is included by others. */
#ifndef AGENT_MCP_IMPL_H
#define AGENT_MCP_IMPL_H

#include "agent/mcp/frame.h"
#include "agent/mcp/mcp.h"
#include "agent/mcp/rpc.h"
#include "agent/terminal/output.h"

/* The answers to one batch; sent when all its requests have theirs. */
struct mcp_batch {
	struct json *answers; /* owned */
	size_t open;	      /* requests without an answer, and the reading of it */
};

/* A tools/call that waits or runs. */
struct mcp_call {
	struct mcp_call *next;
	struct json *id, *args, *token; /* owned; token NULL = no progress wanted */
	const struct tool *tool;	/* borrowed */
	struct mcp_batch *batch;	/* borrowed; NULL = alone */
	bool modern;			/* of a revision without sessions */
};

enum { MCP_SAID = 160 };

/* What is told while a tool runs. */
struct mcp_progress {
	struct output output; /* raw bytes to text */
	char said[MCP_SAID];  /* the last line that says anything */
	bool fresh;	      /* there was output since the last message */
	uint64_t began_ms, told_ms;
	int64_t value; /* of the last message; it must grow */
};

struct mcp {
	const struct mcp_conf *conf; /* borrowed */
	struct mcp_hooks hooks;
	struct mcp_frame in;   /* owned */
	int epfd;	       /* owned; what is looked at while idle and in a call */
	int timer_fd;	       /* owned; ticks while a call wants progress */
	int interrupt_fd;      /* owned; an eventfd */
	bool plain_in;	       /* the input is a file: always readable */
	bool eof;	       /* of the input */
	bool stop;	       /* nothing more is run or written */
	const char *revision;  /* NULL = not initialised */
	int failed;	       /* negative errno: an answer could not be written */
	size_t level;	       /* of log messages that the client wants */
	struct mcp_call *head; /* owned; waiting calls in their order */
	size_t waiting;
	struct mcp_call *running; /* owned */
	bool cancelled;		  /* the running call needs no answer */
	struct mcp_progress progress;
};

/* ---- send.c: what the client gets ---------------------------------------- */

/** mcp_send() - write a message, which is taken over; NULL is out of memory: nothing */
void mcp_send(struct mcp *m, struct json *message);
/** mcp_send_answer() - an answer, alone or with its batch; NULL = there is none */
void mcp_send_answer(struct mcp *m, struct mcp_batch *batch, struct json *message);
/** mcp_send_batch_end() - one less is open: with the last, all answers are sent */
void mcp_send_batch_end(struct mcp *m, struct mcp_batch *batch);
/** mcp_send_stop() - nothing more is sent, and the running tool returns soon */
void mcp_send_stop(struct mcp *m);
/** mcp_send_server() - who this server is */
struct json *mcp_send_server(const struct mcp *m);
/** mcp_send_level() - which log messages the client wants; false = no such level */
bool mcp_send_level(struct mcp *m, const char *level);
/** mcp_send_log() - tell the client, if it wants that level */
enum mcp_level { MCP_DEBUG, MCP_INFO, MCP_NOTICE, MCP_WARNING, MCP_ERROR };
void mcp_send_log(struct mcp *m, enum mcp_level level, const char *text);

/** mcp_send_result() - the result of a request; of a @modern one, with what those have */
void mcp_send_result(struct mcp *m, struct mcp_batch *batch, const struct json *id,
		     struct json *result, bool modern, bool kept);

/* ---- call.c: the tools, above send.c ----------------------------------------------------- */

/** mcp_call_request() - queue a tools/call, or answer what is wrong with it */
void mcp_call_request(struct mcp *m, const struct mcp_rpc *rq, struct mcp_batch *batch);
/** mcp_call_cancel() - forget a waiting call, interrupt a running one */
void mcp_call_cancel(struct mcp *m, const struct json *id);
/** mcp_call_next() - run the call that waited longest; false = there is none */
bool mcp_call_next(struct mcp *m);
/** mcp_call_output() - take live output of the running tool */
void mcp_call_output(struct mcp *m, const void *data, size_t len);
/** mcp_call_tick() - the timer fired: tell how far the tool is, if that is due */
void mcp_call_tick(struct mcp *m);
/** mcp_call_done() - throw away what waits */
void mcp_call_done(struct mcp *m);

/* ---- method.c: the messages of the client, above call.c ------------------- */

/** mcp_method_message() - act on one message of the client */
void mcp_method_message(struct mcp *m, const struct json *message,
			struct mcp_batch *batch);
/** mcp_method_batches() - has the negotiated revision got batches? */
bool mcp_method_batches(const struct mcp *m);

#endif
