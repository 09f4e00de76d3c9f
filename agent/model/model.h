/* model - a language model as one small interface: a history in, one turn out.
 * Needs:  a provider row, a model name and, where the provider wants one, a key.
 * Owns:   the HTTP connection and what was learned about the server.
 * Never:  runs a tool; shows, logs or stores a key: it is in a request header only.
 *
 * A provider is a name, an address and a wire; a wire (impl.h) turns a history
 * into a request body and the bytes of an answer into a struct turn. */
#ifndef AGENT_MODEL_MODEL_H
#define AGENT_MODEL_MODEL_H

#include <stdint.h>

#include "agent/model/prices.h"
#include "agent/turn/turn.h"
#include "agent/wire/retry.h"
#include "agent/wire/wire.h"
#include "base/aside.h"
#include "base/err.h"
#include "base/scope.h"

struct buf;
struct json;
struct model;

struct model_provider {
	const char *name;
	const char *wire; /* "openai", "responses", "anthropic", "ollama" or "replay" */
	const char *url;  /* default base URL; NULL = must be given */
	const char *key_var; /* environment variable of the key; NULL = none */
	const char *url_var; /* environment variable of the base URL; NULL = none */
	const char *default_model; /* NULL = asked of the server, else must be given */
	const char *const *families; /* how the names of its own models begin, in lower
					case; NULL-ended; NULL = not known */
	bool key_needed; /* an empty key is an error before the first request */
	bool local;	 /* model_discover() looks for it at its URL */
};
extern const struct model_provider model_providers[];
extern const size_t model_provider_count;
const struct model_provider *model_provider_find(const char *name); /* NULL: unknown */
/** model_provider_of() - who makes the model of this name; NULL: anybody may serve it */
const struct model_provider *model_provider_of(const char *model);

/* All strings borrowed until model_free(). Zero and NULL mean "the default". */
struct model_conf {
	const char *provider; /* a row of model_providers */
	const char *shown;    /* what the user calls the service; NULL = as its row */
	const char *name;
	const char *url;
	const char *key;
	const char *key_var;	    /* what an error tells the user to set */
	const char *const *headers; /* more "Name: value"; NULL-ended */
	uint64_t window; /* tokens, the user's word; 0 = the server's, then a table */
	uint64_t max_output;	     /* tokens of one turn; 0 = chosen by window */
	enum wire_effort effort;     /* how long it thinks */
	const struct prices *prices; /* the user's word; NULL = the table's */
	int replay_fd; /* provider "replay": a transcript; borrowed; else -1 */
	int abort_fd;  /* readable = give a request up; borrowed; -1 = none */
	/* For tests: shorter times, 0 = those of every day. */
	uint64_t connect_ms, first_byte_ms, stall_ms;
};

int model_new(const struct model_conf *conf, struct model **ret, struct err *e);
void model_free(struct model **m);
#define _cleanup_model_ _cleanup_(model_free)

/* Facts for transcripts, prompts and people; borrowed from the model. */
const char *model_name(const struct model *m);
const char *model_provider_name(const struct model *m);
const char *model_shown(const struct model *m); /* as the user calls the service */
const char *model_url(const struct model *m);	/* where it asks; "" for a replay */
uint64_t model_window(const struct model *m);
uint64_t model_max_output(const struct model *m);
/** model_prices() - NULL: not known. A server on this machine costs nothing */
const struct prices *model_prices(const struct model *m);
/** model_learn_window() - the server said how large its context is */
void model_learn_window(struct model *m, uint64_t tokens);
/** model_ask_window() - ask the server itself, where it is known to tell; silent when it
 *  does not. Blocks for 5 s at most, less when abort_fd becomes readable */
void model_ask_window(struct model *m);
/** model_raise_output() - double the output limit, up to what the window allows;
 *  false when it is at its top */
bool model_raise_output(struct model *m);
/** model_lower_output() - halve it (input and output together exceed the window) */
bool model_lower_output(struct model *m);
/** model_params() - what shapes its requests, as a JSON object for the transcript */
struct json *model_params(const struct model *m);
/** model_set_params() - take them over from a transcript, to rebuild its requests */
void model_set_params(struct model *m, const struct json *params);

/* What is asked. Everything is borrowed for the call. */
struct model_request {
	struct wire_request what;
	const struct buf *body; /* from model_body(); NULL = built by model_ask() */
	uint64_t total_ms;  /* the whole answer must be there by then; 0 = any time */
	struct aside aside; /* looked at while the answer is awaited; may be empty */
	struct turn_sink sink; /* gets the words as they come */
};

/** model_body() - the bytes that model_ask() would send, appended to @out */
int model_body(struct model *m, const struct model_request *req, struct buf *out,
	       struct err *e);

/**
 * model_ask() - send one request and read one turn: a single attempt
 * @ret:   an initialised turn, filled on success only
 * @why:   filled on failure: what may be done about it (retry.h)
 *
 * Context: blocks; ends within 100 ms of abort_fd becoming readable.
 * Return: 0; -ECANCELED (aborted); or what @why describes.
 */
int model_ask(struct model *m, const struct model_request *req, struct turn *ret,
	      struct retry_cause *why, struct err *e);

/** model_switch_wire() - the service wants this model asked in another way; false when there
 *  is none (left). The history has to be rendered anew */
bool model_switch_wire(struct model *m);
/** model_wire() - the name of the wire, for transcripts; "" for a replay */
const char *model_wire(const struct model *m);

/** model_adapt() - after a failure that named an optional field: leave it out from now
 *  on; false when there is nothing (more) to leave out */
bool model_adapt(struct model *m, const struct retry_cause *why);

/* A model that a server has; @window: as it says, 0 = it does not. A negative return ends it. */
typedef int model_list_fn(void *ctx, const char *name, uint64_t window, struct err *e);
/** model_discover_list() - the models of its server; @m's own name does not matter */
int model_discover_list(struct model *m, model_list_fn *fn, void *ctx, struct err *e);

/* A local server that was found, and the first model that it has. */
struct model_found {
	const struct model_provider *provider;
	char url[128];
	char name[128];
};
/* Whether a server may be asked that nobody has named. */
typedef bool model_may_fn(void *ctx, const struct model_provider *p);
/**
 * model_discover() - look for Ollama and llama.cpp at their default ports on loopback
 * Return: 0, or -ENOENT when neither answers within 3 s; where nobody listens that is
 *         known at once.
 */
int model_discover(model_may_fn *may, void *ctx, struct model_found *ret,
		   struct err *e);
/** model_discover_at() - ask one server, as a provider of the table, what it has */
int model_discover_at(const struct model_provider *p, const char *url,
		      struct model_found *ret, struct err *e);

#endif
