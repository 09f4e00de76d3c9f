/* ask - one request to a registry, until it is answered: challenges, waits, cuts.
 * Needs:  libcurl.
 * Owns:   nothing but an answer's text.
 * Never:  shows a login or token to another host than the registry's or the one that it
 *         names over https, or by http where both are this machine; used but by
 *         registry.c and push.c. */
#ifndef ROOTFS_OCI_ASK_H
#define ROOTFS_OCI_ASK_H

#include "base/http.h"
#include "rootfs/oci/hosts.h"
#include "rootfs/oci/login.h"
#include "rootfs/oci/registries.h"
#include "rootfs/oci/registry.h"

enum {
	ASK_BASE = HOSTS_URL, /* "https://host:port", with a path of a mirror's */
	ASK_URL = 2048,
	ASK_PLACES = REGISTRIES_MIRRORS + HOSTS_MOST + 1,
	ASK_TOKEN = 64 << 10, /* of a token's answer */
	ASK_WARNED = 8 << 10, /* of all warnings of one that are told */
	ASK_ATTEMPTS = 5,
	ASK_STALL_MS = 60000,
	ASK_CONNECT_MS = 10000
};

/* Whom to ask, and for what. */
struct ask_place {
	char base[ASK_BASE];
	char repo[OCI_REPO];
	char ns[OCI_HOST]; /* whose it is the mirror of, where it has to be told; "" */
	char ca[HOSTS_PATH]; /* a file of certificates; "" = none */
	bool whole;	     /* the interface is at the base, and not in its "/v2" */
	bool by_digest;	     /* not asked what a tag is */
};

struct oci_registry {
	struct oci_registry_conf conf;
	struct oci_name name;		     /* after aliases and locations */
	struct http *http;		     /* owned */
	struct ask_place places[ASK_PLACES]; /* in this order; the last is itself */
	size_t n;
	const struct ask_place *at; /* the one that is asked now */
	struct buf authorization;   /* owned: the header field; empty = none */
	struct login login;	    /* owned: of the registry itself */
	struct buf warned;	    /* owned: lines of warnings that were told */
	struct buf ca;		    /* owned: certificates for @ca_of */
	char ca_of[ASK_BASE];	    /* a host; "" = not looked for yet */
	bool moved;		    /* by containerd's hosts.toml */
	bool closed;		    /* the registry itself is not to be asked */
	bool looked;		    /* for a login */
	char type[HTTP_TYPE];	    /* Content-Type of the last document */
};

struct ask {
	struct oci_registry *r;
	const char *path; /* "/x": behind the base; "x": of the image; NULL: @url */
	const char *url;
	const char *accept;	   /* a header field; NULL = none */
	const char *authorization; /* the same; NULL = the registry's */
	const char *type;	   /* the same, of what is sent */
	const char *form;	   /* of a POST; NULL = none */
	const char *method;	   /* NULL = GET, or POST with a form */
	int want; /* the status that is success; 0 = those of bytes as asked for */
	const struct http_file *file; /* what is sent; NULL = nothing */
	bool once;		      /* what fails is not tried again here */
	const struct oci_put *put;
	bool layer;    /* its bytes are progress */
	bool tagged;   /* it has no digest: elsewhere it may be another */
	uint64_t got;  /* bytes handed on */
	uint64_t skip; /* bytes to come that were handed on before */
	struct http_reply reply;
	struct buf body;   /* owned: of an answer that is no success */
	struct err failed; /* of whom the bytes were handed to */
};
void ask_done(struct ask *x);

/** ask_registry() - whom r->at names now; fails as registry.h says */
int ask_registry(struct ask *x, struct err *e);

/** ask_is_itself() - is it the registry that is asked now? It is the last of all: a mirror
 *  before it gets no login. */
bool ask_is_itself(const struct oci_registry *r);

/** ask_is_passing() - did @x fail in a way that may be another next time? @code: of
 *  ask_registry() with once */
bool ask_is_passing(const struct ask *x, int code);

/** ask_wait() - before the next attempt, as long as the answer said; -ECANCELED */
int ask_wait(const struct ask *x, int attempt, struct err *e);

/** ask_http() - http_perform() with the certificates that are kept for the URL's host */
int ask_http(struct oci_registry *r, struct http_request *req, struct http_reply *ret,
	     struct err *e);

/** ask_host() - "host:port" of a URL */
void ask_host(const char *url, char ret[ASK_BASE]);

/** ask_into_buf() - an oci_put_fn; its context is the buffer */
int ask_into_buf(void *ctx, const void *data, size_t len, struct err *e);

#endif
