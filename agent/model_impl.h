/* model_impl - what a provider's wire gives to model.c. For model*.c, the wires
 * (openai.c, anthropic.c, ollama.c, replay.c) and their tests alone.
 * Needs:  model.h.
 * Owns:   nothing.
 * Never:  reaches the loop: above this line no provider has a name. */
#ifndef AGENT_MODEL_IMPL_H
#define AGENT_MODEL_IMPL_H

#include "agent/history.h"
#include "agent/model.h"
#include "agent/tool.h"
#include "agent/turn.h"
#include "base/buf.h"

struct http;
struct replay;

struct model {
	struct model_conf conf; /* strings in it borrowed */
	const struct model_provider *provider;
	const struct model_wire *wire;
	char *name; /* owned */
	char *url;  /* owned; base, without a slash at its end; "" for a replay */
	struct http *http;     /* owned; NULL until the first request */
	struct replay *replay; /* owned; NULL but for a replay */
	uint64_t seed;	       /* of made-up call ids */
	uint64_t window;       /* tokens; never 0 after model_new() */
	uint64_t max_output;
	uint32_t without; /* bits of enum retry_field: what this server does not take */
};

static inline bool model_without(const struct model *m, enum retry_field f)
{
	return m->without & (1U << f);
}

enum {
	MODEL_BODY_MAX = 128 << 20,
	MODEL_HEADERS_MAX = 12,
	MODEL_REPLY_MAX = 64 << 20,
	MODEL_ERROR_MAX = 64 << 10
};

/* Reads one answer. A wire embeds it as the first member of its own. */
struct model_reader {
	struct retry_cause
		cause; /* what the stream itself said when a function failed */
};

struct model_wire {
	const char *name;
	const char *accept; /* content type of a stream */
	/* The address of a request, appended to @out. */
	int (*url)(const struct model *m, struct buf *out);
	/* The line with the key, and what this wire wants: "Name: value\n" each. */
	int (*headers)(const struct model *m, struct buf *out);
	int (*body)(struct model *m, const struct model_request *req, struct buf *out,
		    struct err *e);
	struct model_reader *(*reader_new)(const struct turn_sink *sink);
	void (*reader_free)(struct model_reader **r);
	int (*feed)(struct model_reader *r, const void *data, size_t len,
		    struct err *e);
	/* A reply that came as one JSON value, and not as a stream. */
	int (*whole)(struct model_reader *r, const struct json *j, struct err *e);
	/* The stream is over: the turn, or -ECONNRESET when that was no clean end. */
	int (*end)(struct model_reader *r, uint64_t *seed, struct turn *ret,
		   struct err *e);
};

extern const struct model_wire openai_wire;
extern const struct model_wire anthropic_wire;
extern const struct model_wire ollama_wire;

/** model_http_ask() - one attempt over HTTP (model_http.c) */
int model_http_ask(struct model *m, const struct model_request *req, struct turn *ret,
		   struct retry_cause *why, struct err *e);

/** model_json_text() - append @s as a JSON string, quotes included */
int model_json_text(struct buf *out, const char *s);

#endif
