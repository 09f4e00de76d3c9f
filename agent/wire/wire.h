/* wire - how a provider's protocol is written and read: a history becomes the body of a
 * request, the bytes of an answer become a turn.
 * Needs:  a server and a model's name; an HTTP client above (model/http.c).
 * Owns:   nothing: what a request points to is the caller's.
 * Never:  sends anything; shows a key other than in the header that it is for. */
#ifndef AGENT_WIRE_WIRE_H
#define AGENT_WIRE_WIRE_H

#include <stdint.h>

#include "agent/tool/tool.h"
#include "agent/turn/history.h"
#include "agent/turn/turn.h"
#include "agent/wire/answer.h"
#include "agent/wire/retry.h"
#include "base/buf.h"

enum wire_effort {
	WIRE_EFFORT_NONE,
	WIRE_EFFORT_LOW,
	WIRE_EFFORT_MEDIUM,
	WIRE_EFFORT_HIGH
};

/* What a wire must know of whom it writes to; strings borrowed. */
struct wire_server {
	const char *url;	     /* base, without a slash at its end */
	const char *name;	     /* of the model */
	const char *key;	     /* may be NULL */
	uint64_t window, max_output; /* tokens */
	uint32_t without; /* bits of enum retry_field: what this server does not take */
	enum wire_effort effort; /* how long the model thinks */
	bool reasons;		 /* it is known to think before it answers */
};

static inline bool wire_without(const struct wire_server *s, enum retry_field f)
{
	return s->without & (1U << f);
}

/* What is asked. Everything is borrowed for the call. */
struct wire_request {
	struct history *history; /* keeps what it rendered */
	const struct tool *tools;
	size_t n_tools;
	bool no_calls; /* the model shall answer in words */
};

enum { WIRE_BODY_MAX = 128 << 20 };

struct wire {
	const char *name;
	const char *accept; /* content type of a stream */
	/* The address of a request, appended to @out. */
	int (*url)(const struct wire_server *s, struct buf *out);
	/* The line with the key, and what this wire wants: "Name: value\n" each. */
	int (*headers)(const struct wire_server *s, struct buf *out);
	int (*body)(const struct wire_server *s, const struct wire_request *req,
		    struct buf *out, struct err *e);
	const struct answer_ops *answer; /* reads what comes back */
};

extern const struct wire openai_wire;
extern const struct wire responses_wire;
extern const struct wire anthropic_wire;
extern const struct wire ollama_wire;

/* What the wires share. All append, and @out remembers what failed: buf_failed(). */

/** wire_json_text() - @s as a JSON string, quotes included */
int wire_json_text(struct buf *out, const char *s);

/* One entry of a history in a wire's words. 0, or why it has none (@e). */
typedef int wire_entry_fn(const struct wire_server *s, const struct history_entry *x,
			  struct buf *out, struct err *e);

/** wire_render() - let @x keep what @put makes of it, if it does not yet */
int wire_render(const struct wire_server *s, struct history_entry *x,
		wire_entry_fn *put, struct err *e);

/** wire_put_entries() - what @put makes of each, commas between */
int wire_put_entries(const struct wire_server *s, struct history *h, wire_entry_fn *put,
		     struct buf *out, struct err *e);
/** wire_put_messages() - the member "messages": the system's, then a message an entry */
int wire_put_messages(const struct wire_server *s, struct history *h,
		      wire_entry_fn *put, struct buf *out, struct err *e);

struct wire_tool_words {
	const char *before, *after; /* around each tool */
	const char *schema;	    /* what it calls the schema of the arguments */
};

/** wire_put_tools() - the member "tools" */
void wire_put_tools(const struct wire_request *req, const struct wire_tool_words *w,
		    struct buf *out);
/** wire_picture() - is @x a picture that goes out as one? Else its text does */
bool wire_picture(const struct wire_server *s, const struct history_entry *x);
/** wire_picture_text() - what stands for it, or beside it */
void wire_picture_text(const struct wire_server *s, const struct history_entry *x,
		       struct buf *out);
/** wire_effort() - its word; NULL = none is asked for, or none is taken */
const char *wire_effort(const struct wire_server *s);
/** wire_openai_url() - @leaf behind a base that may end at the host, at /v1, at a deployment
 *  with a query (Azure), or be the whole address */
int wire_openai_url(const struct wire_server *s, const char *leaf, struct buf *out);
bool wire_is_azure(const struct wire_server *s);
int wire_openai_headers(const struct wire_server *s, struct buf *out);
/** wire_built() - is @body whole? 0, or what failed of all that was appended */
int wire_built(const struct buf *body, struct err *e);

#endif
