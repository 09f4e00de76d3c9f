/* model_impl - the state of a model. For the files of model/ and their tests alone.
 * Needs:  model.h.
 * Owns:   nothing.
 * Never:  reaches the loop: above this line no provider has a name. */
#ifndef AGENT_MODEL_IMPL_H
#define AGENT_MODEL_IMPL_H

#include "agent/model/model.h"
#include "agent/turn/history.h"
#include "agent/turn/turn.h"
#include "agent/wire/wire.h"

struct http;
struct replay;

struct model {
	struct model_conf conf; /* strings in it borrowed */
	const struct model_provider *provider;
	const struct wire *wire;
	struct wire_server to; /* name and url owned here: the next two */
	char *shown;	       /* owned */
	char *name, *url;      /* owned; url is "" for a replay */
	struct http *http;     /* owned; NULL until the first request */
	struct replay *replay; /* owned; NULL but for a replay */
	struct prices prices;
	bool priced;
	uint64_t seed;	     /* of made-up call ids */
	uint64_t output_top; /* the server's limit of it; 0 = not known */
	bool window_told;    /* by the server itself */
	bool switched;	     /* the wire, once */
};

enum {
	MODEL_LOCAL_WINDOW = 32768,
	MODEL_HEADERS_MAX = 12,
	MODEL_REPLY_MAX = 64 << 20,
	MODEL_ERROR_MAX = 64 << 10
};

/** model_http_ask() - one attempt over HTTP (http.c) */
int model_http_ask(struct model *m, const struct model_request *req, struct turn *ret,
		   struct retry_cause *why, struct err *e);

/** model_discover_window() - tokens that the server says it takes; 0 = it does not say, or
 *  is not asked (discover.c) */
uint64_t model_discover_window(struct model *m);

/** model_http_json() - ask @m's server something beside a task: a GET, or a POST with
 *  @body; -ENOENT when the answer is no 200 with JSON. @ret is the caller's */
int model_http_json(struct model *m, const char *url, const char *body,
		    struct json **ret, struct err *e);

#endif
