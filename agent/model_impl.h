/* model_impl - what a provider's wire gives to model.c. For model*.c, the wires
 * (openai.c, anthropic.c, ollama.c, replay.c) and their tests alone.
 * Needs:  model.h.
 * Owns:   nothing.
 * Never:  reaches the loop: above this line no provider has a name. */
#ifndef AGENT_MODEL_IMPL_H
#define AGENT_MODEL_IMPL_H

#include "agent/answer.h"
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
	struct prices prices;
	bool priced;
	uint64_t seed;	 /* of made-up call ids */
	uint64_t window; /* tokens; never 0 after model_new() */
	uint64_t max_output;
	uint64_t output_top; /* the server's limit of it; 0 = not known */
	bool window_told;    /* by the server itself */
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

struct model_wire {
	const char *name;
	const char *accept; /* content type of a stream */
	/* The address of a request, appended to @out. */
	int (*url)(const struct model *m, struct buf *out);
	/* The line with the key, and what this wire wants: "Name: value\n" each. */
	int (*headers)(const struct model *m, struct buf *out);
	int (*body)(struct model *m, const struct model_request *req, struct buf *out,
		    struct err *e);
	const struct answer_ops *answer; /* reads what comes back */
};

extern const struct model_wire openai_wire;
extern const struct model_wire anthropic_wire;
extern const struct model_wire ollama_wire;

/** model_http_ask() - one attempt over HTTP (model_http.c) */
int model_http_ask(struct model *m, const struct model_request *req, struct turn *ret,
		   struct retry_cause *why, struct err *e);

/** model_discover_window() - tokens that the server says it takes; 0 = it does not say, or
 *  is not asked (model_discover.c) */
uint64_t model_discover_window(struct model *m);

/** model_http_json() - ask @m's server something beside a task: a GET, or a POST with
 *  @body; -ENOENT when the answer is no 200 with JSON. @ret is the caller's */
int model_http_json(struct model *m, const char *url, const char *body,
		    struct json **ret, struct err *e);

/** model_json_text() - append @s as a JSON string, quotes included */
int model_json_text(struct buf *out, const char *s);

#endif
