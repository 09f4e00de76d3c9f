/* One request at a time. Each may end in a challenge, which is answered with a token or a
 * login once; in "later", which is waited for; or in a cut, after which it asks for the
 * rest. A mirror (CUBBY_MIRRORS) is asked first for everything, and what it does not have
 * is asked of the registry: the digests say whether it is the same. */
#include "rootfs/oci/registry.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/http.h"
#include "base/num.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "rootfs/oci/challenge.h"
#include "rootfs/oci/login.h"

enum {
	BASE = 300, /* "https://host:port" */
	URL = 2048,
	MIRRORS = 4,
	TOKEN = 64 << 10, /* of a token's answer */
	ERROR_BODY = 8 << 10,
	ATTEMPTS = 5,
	WAIT_MAX_S = 60,
	STALL_MS = 60000,
	CONNECT_MS = 10000,
	SHOWN = 200
};

enum {
	OK = 200,
	PARTIAL = 206,
	UNAUTHORIZED = 401,
	FORBIDDEN = 403,
	NOT_FOUND = 404,
	TIMEOUT = 408,
	TOO_MANY = 429,
	SERVER_ERROR = 500
};

struct oci_registry {
	struct oci_registry_conf conf;
	struct http *http;	   /* owned */
	char bases[MIRRORS][BASE]; /* whom to ask, in this order */
	size_t n;
	const char *base;	  /* the one that is asked now */
	struct buf authorization; /* owned: the header field; empty = none */
	struct login login;	  /* owned */
	bool closed;		  /* the registry itself is not to be asked */
	bool looked;		  /* for a login */
};

void oci_registry_free(struct oci_registry **rp)
{
	struct oci_registry *r = take(rp, NULL);

	if (!r)
		return;
	http_free(&r->http);
	buf_done(&r->authorization);
	login_done(&r->login);
	free(r);
}

/* ---- one request -------------------------------------------------------------------- */

struct exchange {
	struct oci_registry *r;
	const char *path; /* behind the base; NULL: @url */
	const char *url;
	const char *accept;	   /* a header field; NULL = none */
	const char *authorization; /* the same; NULL = the registry's */
	const char *form;	   /* of a POST; NULL = GET */
	const struct oci_put *put;
	bool layer;    /* its bytes are progress */
	uint64_t got;  /* bytes handed on */
	uint64_t skip; /* bytes to come that were handed on before */
	struct http_reply reply;
	struct buf body;   /* owned: of an answer that is no success */
	struct err failed; /* of whom the bytes were handed to */
};

static void exchange_done(struct exchange *x)
{
	buf_done(&x->body);
}

static bool is_success(int status)
{
	return status == OK || status == PARTIAL;
}

static int on_head(void *ctx, const struct http_reply *reply)
{
	struct exchange *x = ctx;
	char from[64];

	x->skip = reply->status == OK ? x->got : 0;
	if (reply->status != PARTIAL)
		return 0;
	snprintf(from, sizeof(from), "bytes %llu-", (unsigned long long)x->got);
	return text_starts(reply->content_range, from) ? 0 : -EPROTO;
}

static int hand_on(struct exchange *x, const char *data, size_t len)
{
	size_t known = (size_t)MIN((uint64_t)len, x->skip);
	int r;

	x->skip -= known;
	data += known;
	len -= known;
	if (!len)
		return 0;
	x->got += len;
	r = x->put->fn(x->put->ctx, data, len, &x->failed);
	if (r == 0 && x->layer && x->r->conf.tick &&
	    x->r->conf.tick(x->r->conf.ctx, len) < 0)
		r = err_set(&x->failed, -ECANCELED, "interrupted");
	return r;
}

static int on_data(void *ctx, const void *data, size_t len)
{
	struct exchange *x = ctx;

	(void)len;
	if (!is_success(x->reply.status)) {
		(void)buf_add(&x->body, data, len); /* the beginning says enough */
		return 0;
	}
	return hand_on(x, data, len);
}

static int on_first(void *ctx, const struct http_reply *reply)
{
	struct exchange *x = ctx;

	x->reply = *reply;
	return on_head(ctx, reply);
}

static int perform(struct exchange *x, struct err *e)
{
	struct oci_registry *r = x->r;
	const char *headers[4] = { NULL };
	char url[URL];
	struct http_request req = { .url = x->url ? x->url : url,
				    .headers = headers,
				    .body = x->form,
				    .body_len = x->form ? strlen(x->form) : 0,
				    .follow = x->path != NULL,
				    .range_from = x->got,
				    .connect_ms = CONNECT_MS,
				    .first_byte_ms = STALL_MS,
				    .stall_ms = STALL_MS,
				    .abort_fd = r->conf.abort_fd,
				    .on_head = on_first,
				    .on_data = on_data,
				    .ctx = x };
	const char *own = r->authorization.len ? buf_cstr(&r->authorization) : NULL;
	size_t n = 0;

	if (!x->url && snprintf(url, sizeof(url), "%s%s", r->base, x->path) >= URL)
		return err_set(e, -ENAMETOOLONG, "the image's name is too long");
	if (x->accept)
		headers[n++] = x->accept;
	if (x->form)
		headers[n++] = "Content-Type: application/x-www-form-urlencoded";
	if (x->authorization || (x->path && own))
		headers[n++] = x->authorization ? x->authorization : own;
	x->body.len = 0;
	x->reply = (struct http_reply){ .status = 0 };
	return http_perform(r->http, &req, &x->reply, e);
}

/* ---- tokens ------------------------------------------------------------------------- */

static int into_buf(void *ctx, const void *data, size_t len, struct err *e)
{
	return buf_add(ctx, data, len) < 0
		       ? err_set(e, -EMSGSIZE, "the answer is too large")
		       : 0;
}

static void host_of(const char *url, char ret[BASE])
{
	const char *at = strstr(url, "://");
	size_t n;

	at = at ? at + 3 : url;
	n = strcspn(at, "/?");
	snprintf(ret, BASE, "%.*s", (int)MIN(n, (size_t)BASE - 1), at);
}

/* A registry must not send us to whatever else can be reached from here. */
static int check_realm(const struct oci_registry *r, const char *realm, struct err *e)
{
	char host[BASE], own[BASE], shown[SHOWN];
	struct in6_addr a;
	bool literal;

	host_of(realm, host);
	host_of(r->base, own);
	text_escaped(shown, sizeof(shown), realm, strlen(realm));
	if (!strcmp(host, own))
		return text_starts(realm, "https://") || text_starts(r->base, "http://")
			       ? 0
			       : err_set(e, -EPROTO, "its tokens are had by http, '%s'",
					 shown);
	if (strchr(host, '@'))
		return err_set(e, -EPROTO, "its tokens are had at an odd place, '%s'",
			       shown);
	host[strcspn(host, host[0] == '[' ? "]" : ":")] = '\0';
	literal = host[0] == '[' || inet_pton(AF_INET, host, &a) == 1;
	if (!text_starts(realm, "https://") &&
	    !(oci_name_is_loopback(own) && oci_name_is_loopback(host)))
		return err_set(e, -EPROTO, "its tokens are had by http, '%s'", shown);
	if ((literal || oci_name_is_loopback(host)) && !oci_name_is_loopback(own))
		return err_set(e, -EPROTO,
			       "it wants a token to be had from an address, '%s'",
			       shown);
	return 0;
}

/* The registry itself is the last that is asked: a mirror before it gets no login. */
static int find_login(struct oci_registry *r, struct err *e)
{
	bool mirror = r->closed || r->base != r->bases[r->n - 1];
	int n;

	if (r->looked || mirror)
		return 0;
	r->looked = true;
	n = login_find(r->conf.name, &r->login, e);
	return MIN(n, 0);
}

static int basic(const struct oci_registry *r, struct buf *out, struct err *e)
{
	_cleanup_buf_ struct buf pair = BUF_INIT((size_t)2 * LOGIN_TEXT);

	(void)buf_addf(&pair, "%s:%s", buf_cstr(&r->login.user),
		       buf_cstr(&r->login.secret));
	(void)buf_adds(out, "Authorization: Basic ");
	(void)base64_add(out, buf_cstr(&pair), pair.len);
	return buf_failed(out) < 0 ? err_set(e, -EMSGSIZE, "the login is too long") : 0;
}

/* Printable, and no blank: it becomes a header field. */
static int set_bearer(struct oci_registry *r, const char *token, struct err *e)
{
	for (const char *p = token; p && *p; p++)
		if (*p <= ' ' || *p > '~')
			token = NULL;
	if (!token || !*token)
		return err_set(e, -EPROTO, "it gave no token");
	r->authorization.len = 0;
	return buf_addf(&r->authorization, "Authorization: Bearer %s", token) < 0
		       ? err_set(e, -EPROTO, "its token is too long")
		       : 0;
}

static int read_token(struct oci_registry *r, const struct buf *text, struct err *e)
{
	_cleanup_json_ struct json *j = NULL;
	const char *token;
	int n = json_parse(buf_cstr(text), text->len, &j, e);

	if (n < 0)
		return err_wrap(e, "its token");
	token = json_get_str(j, "token");
	return set_bearer(r, token ? token : json_get_str(j, "access_token"), e);
}

/* distribution's "token" specification, and its OAuth2 for tokens that give tokens. */
static int get_token(struct oci_registry *r, const struct challenge *c, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT((size_t)TOKEN);
	_cleanup_buf_ struct buf own = BUF_INIT((size_t)4 * LOGIN_TEXT);
	_cleanup_buf_ struct buf form = BUF_INIT((size_t)4 * LOGIN_TEXT);
	_cleanup_buf_ struct buf url = BUF_INIT((size_t)URL);
	char service[3 * CHALLENGE_VALUE], scope[3 * CHALLENGE_VALUE];
	char identity[3 * LOGIN_TEXT], wanted[OCI_REPO + 32];
	struct oci_put put = { into_buf, &text };
	_cleanup_(exchange_done) struct exchange x = {
		.r = r, .put = &put, .body = BUF_INIT((size_t)ERROR_BODY)
	};
	int n = check_realm(r, c->realm, e);

	if (n < 0)
		return n;
	snprintf(wanted, sizeof(wanted), "repository:%s:pull", r->conf.name->repo);
	challenge_escape(c->service, service, sizeof(service));
	challenge_escape(wanted, scope, sizeof(scope));
	(void)buf_addf(&url, "%s", c->realm);
	if (r->login.identity) {
		challenge_escape(buf_cstr(&r->login.secret), identity,
				 sizeof(identity));
		(void)buf_addf(&form,
			       "grant_type=refresh_token&service=%s&scope=%s&"
			       "client_id=cubby&refresh_token=%s",
			       service, scope, identity);
		x.form = buf_cstr(&form);
	} else {
		(void)buf_addf(&url, "%cservice=%s&scope=%s",
			       strchr(c->realm, '?') ? '&' : '?', service, scope);
		if (r->login.secret.len)
			n = basic(r, &own, e);
		x.authorization = own.len ? buf_cstr(&own) : NULL;
	}
	x.url = buf_cstr(&url);
	if (n == 0 && (buf_failed(&url) < 0 || buf_failed(&form) < 0))
		n = err_set(e, -EMSGSIZE, "the login is too long");
	if (n == 0)
		n = perform(&x, e);
	if (n < 0)
		return err_wrap(e, "token");
	if (x.reply.status != OK)
		return err_set(e, -EACCES, "no token was given (%d)%s", x.reply.status,
			       r->login.secret.len ? "; log in again" : "");
	return read_token(r, &text, e);
}

static int answer_challenge(struct oci_registry *r, const char *field, struct err *e)
{
	struct challenge c;
	int n;

	challenge_parse(field, &c);
	n = find_login(r, e);
	if (n < 0)
		return n;
	r->authorization.len = 0;
	if (c.kind == CHALLENGE_BEARER)
		return get_token(r, &c, e);
	if (c.kind == CHALLENGE_BASIC && r->login.secret.len && !r->login.identity)
		return basic(r, &r->authorization, e);
	return err_set(e, -EACCES,
		       "it wants a login: 'docker login %s' or 'podman login %s' "
		       "keeps one",
		       r->conf.name->registry, r->conf.name->registry);
}

/* ---- until it is answered ----------------------------------------------------------- */

static bool is_passing(int code, int status)
{
	return code == -ECONNRESET || code == -ETIMEDOUT ||
	       (code == 0 &&
		(status == TOO_MANY || status == TIMEOUT || status >= SERVER_ERROR));
}

static uint64_t seconds_to_wait(const struct http_reply *reply, int attempt)
{
	uint64_t s;

	if (num_range(reply->retry_after, 1, WAIT_MAX_S, &s) == 0)
		return s;
	return MIN((uint64_t)1 << attempt, (uint64_t)WAIT_MAX_S);
}

static int wait_a_while(struct oci_registry *r, const struct exchange *x, int attempt,
			struct err *e)
{
	uint64_t s = seconds_to_wait(&x->reply, attempt);
	struct pollfd abort = { .fd = r->conf.abort_fd, .events = POLLIN };
	char line[SHOWN + OCI_HOST];

	if (x->reply.status == TOO_MANY)
		snprintf(line, sizeof(line),
			 "%s has had too many requests, and is asked "
			 "again in %llu s",
			 r->conf.name->registry, (unsigned long long)s);
	else
		snprintf(line, sizeof(line),
			 "%s does not answer as it should, and is asked "
			 "again in %llu s",
			 r->conf.name->registry, (unsigned long long)s);
	if (r->conf.note)
		r->conf.note(r->conf.ctx, line);
	if (sys_poll(&abort, 1, (int)s * 1000) > 0)
		return err_set(e, -ECANCELED, "interrupted");
	return 0;
}

/* {"errors":[{"code":…,"message":…}]} */
static void first_error(const struct exchange *x, char ret[SHOWN])
{
	_cleanup_json_ struct json *j = NULL;
	struct err ignored = ERR_NONE;
	const struct json *first;
	const char *text;

	ret[0] = '\0';
	if (json_parse(buf_cstr(&x->body), x->body.len, &j, &ignored) < 0)
		return;
	first = json_first(json_get(j, "errors"));
	text = json_get_str(first, "message");
	if (!text || !*text)
		text = json_get_str(first, "code");
	if (text && *text) {
		memcpy(ret, ": ", 3);
		text_escaped(ret + 2, SHOWN - 2, text, strlen(text));
	}
}

static int explain(const struct exchange *x, struct err *e)
{
	const char *registry = x->r->conf.name->registry;
	char why[SHOWN];

	first_error(x, why);
	switch (x->reply.status) {
	case UNAUTHORIZED:
	case FORBIDDEN:
	case NOT_FOUND:
		err_set(e, -ENOENT,
			"%s does not have it, or not without a login (%d%s)", registry,
			x->reply.status, why);
		return e->code;
	case TOO_MANY:
		err_set(e, -EBUSY, "%s has had too many requests from here (429%s)",
			registry, why);
		return err_hint(
			e, "wait, or log in with 'docker login' or 'podman login'");
	default:
		return err_set(e, -EREMOTEIO, "%s answered %d%s", registry,
			       x->reply.status, why);
	}
}

static int request(struct exchange *x, struct err *e)
{
	struct oci_registry *r = x->r;
	int attempt = 0, logins = 0;
	uint64_t before;

	for (;;) {
		int n;

		before = x->got;
		n = perform(x, e);
		if (x->failed.code < 0) {
			*e = x->failed;
			return e->code;
		}
		if (n == 0 && is_success(x->reply.status))
			return 0;
		if (n == 0 && x->reply.status == UNAUTHORIZED && logins++ < 2) {
			n = answer_challenge(r, x->reply.challenge, e);
			if (n < 0)
				return err_wrap(e, "%s", r->conf.name->registry);
			continue;
		}
		attempt = x->got > before ? 0 : attempt;
		if (!is_passing(n, x->reply.status) || ++attempt == ATTEMPTS)
			return n < 0 ? n : explain(x, e);
		n = wait_a_while(r, x, attempt - 1, e);
		if (n < 0)
			return n;
	}
}

/* ---- the source --------------------------------------------------------------------- */

static const char accept_documents[] =
	"Accept: application/vnd.oci.image.index.v1+json, "
	"application/vnd.docker.distribution.manifest.list.v2+json, "
	"application/vnd.oci.image.manifest.v1+json, "
	"application/vnd.docker.distribution.manifest.v2+json";

static int get(struct exchange *x, struct err *e)
{
	struct oci_registry *r = x->r;
	int n = -ENOENT;

	x->body = BUF_INIT((size_t)ERROR_BODY);
	for (size_t i = 0; i < r->n; i++) {
		struct err last = ERR_NONE;

		if (r->base != r->bases[i])
			r->authorization.len = 0; /* a token is for one host */
		r->base = r->bases[i];
		n = request(x, &last);
		if (n < 0)
			*e = last;
		if (n == 0 || n == -ECANCELED || x->failed.code < 0 || x->got)
			break;
	}
	return n;
}

static int on_top(void *ctx, struct buf *doc, char digest[HASH_HEX],
		  struct oci_manifest *ret, struct err *e)
{
	struct oci_registry *r = ctx;
	const struct oci_name *name = r->conf.name;
	struct oci_put put = { into_buf, doc };
	char path[OCI_REPO + OCI_TAG + 64];
	_cleanup_(exchange_done) struct exchange x = {
		.r = r, .path = path, .accept = accept_documents, .put = &put
	};
	struct err ignored = ERR_NONE;
	int n;

	(void)ret;
	snprintf(path, sizeof(path), "/v2/%s/manifests/%s%s", name->repo,
		 name->digest[0] ? "sha256:" : "",
		 name->digest[0] ? name->digest : name->tag);
	n = get(&x, e);
	if (n < 0)
		return n;
	if (name->digest[0])
		memcpy(digest, name->digest, HASH_HEX);
	else if (x.reply.content_digest[0])
		(void)oci_doc_digest(x.reply.content_digest, digest, &ignored);
	return 0;
}

static int on_blob(void *ctx, const struct oci_blob *b, bool document,
		   const struct oci_put *put, struct err *e)
{
	struct oci_registry *r = ctx;
	char path[OCI_REPO + 128];
	_cleanup_(exchange_done) struct exchange x = {
		.r = r,
		.path = path,
		.put = put,
		.accept = document ? accept_documents : NULL,
		.layer = !document,
	};

	snprintf(path, sizeof(path), "/v2/%s/%s/sha256:%s", r->conf.name->repo,
		 document ? "manifests" : "blobs", b->digest);
	return get(&x, e);
}

struct oci_source oci_registry_source(struct oci_registry *r)
{
	return (struct oci_source){ on_top, on_blob, r };
}

/* ---- whom to ask -------------------------------------------------------------------- */

/* CUBBY_MIRRORS=REGISTRY=URL[,REGISTRY=URL…]; http for this machine alone. Without a URL
 * the registry itself is not asked. */
static int add_mirrors(struct oci_registry *r, const char *text, struct err *e)
{
	const char *registry = r->conf.name->registry;
	size_t len = strlen(registry), n;
	char host[BASE];

	for (; *text; text += n + (text[n] == ',')) {
		n = strcspn(text, ",");
		if (strncmp(text, registry, len) != 0 || text[len] != '=')
			continue;
		if (n == len + 1) {
			r->closed = true;
			continue;
		}
		if (r->n + 1 == MIRRORS || n - len - 1 >= BASE)
			return err_set(e, -EINVAL,
				       "CUBBY_MIRRORS: too many or too long");
		snprintf(r->bases[r->n], BASE, "%.*s", (int)(n - len - 1),
			 text + len + 1);
		host_of(r->bases[r->n], host);
		if (!text_starts(r->bases[r->n], "https://") &&
		    !(text_starts(r->bases[r->n], "http://") &&
		      oci_name_is_loopback(host)))
			return err_set(e, -EINVAL,
				       "CUBBY_MIRRORS: '%s' is no https:// URL",
				       r->bases[r->n]);
		r->n++;
	}
	return 0;
}

/* On this machine https is tried first, and http when nobody speaks that. */
static int add_own(struct oci_registry *r, struct err *e)
{
	const struct oci_name *name = r->conf.name;
	char *own = r->bases[r->n], url[URL];
	struct http_request req = { .url = url,
				    .connect_ms = CONNECT_MS,
				    .first_byte_ms = STALL_MS,
				    .abort_fd = r->conf.abort_fd };
	struct http_reply reply;
	struct err why = ERR_NONE;
	int n;

	if (r->closed)
		return r->n ? 0
			    : err_set(e, -EHOSTUNREACH,
				      "'%s' is not to be asked (CUBBY_MIRRORS)",
				      name->registry);
	r->n++;
	snprintf(own, BASE, "https://%s", name->host);
	if (!name->loopback)
		return 0;
	snprintf(url, sizeof(url), "%s/v2/", own);
	n = http_perform(r->http, &req, &reply, &why);
	if (n == -ECANCELED || n == -ECONNREFUSED) {
		*e = why;
		return n;
	}
	if (n < 0)
		snprintf(own, BASE, "http://%s", name->host);
	return 0;
}

int oci_registry_new(const struct oci_registry_conf *conf, struct oci_registry **ret,
		     struct err *e)
{
	_cleanup_(oci_registry_free) struct oci_registry *r = calloc(1, sizeof(*r));
	const char *mirrors = getenv("CUBBY_MIRRORS");
	int n;

	if (!r)
		return err_sys(e, -ENOMEM, "cannot ask a registry");
	r->conf = *conf;
	r->authorization = BUF_INIT((size_t)TOKEN);
	r->login = LOGIN_NONE;
	n = http_new(&r->http, e);
	if (n == 0 && mirrors)
		n = add_mirrors(r, mirrors, e);
	if (n == 0)
		n = add_own(r, e);
	if (n < 0)
		return n;
	*ret = take(&r, NULL);
	return 0;
}
