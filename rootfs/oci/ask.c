/* One request at a time. Each may end in a challenge, which is answered with a token or a
 * login once; in "later", which is waited for; or in a cut, after which it asks for the
 * rest. */
#include "rootfs/oci/ask.h"

#include <arpa/inet.h>
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "base/file.h"
#include "base/http_head.h"
#include "base/num.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "rootfs/oci/certs.h"
#include "rootfs/oci/challenge.h"

enum {
	ERROR_BODY = 8 << 10,
	WAIT_MAX_S = 60,
	SHOWN = 200,
	WANTED = 6 * CHALLENGE_VALUE + 32 /* of a token, each byte as "%XX" */
};

enum {
	OK = 200,
	PARTIAL = 206,
	UNAUTHORIZED = 401,
	FORBIDDEN = 403,
	NOT_FOUND = 404,
	NO_METHOD = 405,
	TIMEOUT = 408,
	TOO_MANY = 429,
	CLIENT_CLOSED = 499, /* what nginx says of a proxy before it that went away */
	SERVER_ERROR = 500
};

void ask_done(struct ask *x)
{
	buf_done(&x->body);
}

static bool is_success(const struct ask *x)
{
	int status = x->reply.status;

	return x->want ? status == x->want : status == OK || status == PARTIAL;
}

bool ask_is_itself(const struct oci_registry *r)
{
	return !r->closed && r->at == &r->places[r->n - 1];
}

static int on_head(void *ctx, const struct http_reply *reply)
{
	struct ask *x = ctx;
	char from[64];

	x->skip = reply->status == OK ? x->got : 0;
	if (reply->status != PARTIAL)
		return 0;
	snprintf(from, sizeof(from), "bytes %llu-", (unsigned long long)x->got);
	return text_starts(reply->content_range, from) ? 0 : -EPROTO;
}

static int hand_on(struct ask *x, const char *data, size_t len)
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
	struct ask *x = ctx;

	(void)len;
	if (!is_success(x)) {
		(void)buf_add(&x->body, data, len); /* the beginning says enough */
		return 0;
	}
	return hand_on(x, data, len);
}

static int on_first(void *ctx, const struct http_reply *reply)
{
	struct ask *x = ctx;

	x->reply = *reply;
	return on_head(ctx, reply);
}

/* Of a mirror whose description names a file of them; one that cannot be read is none. */
static void add_named_ca(struct oci_registry *r, const char *host)
{
	char of[ASK_BASE];

	for (size_t i = 0; i < r->n; i++) {
		_cleanup_buf_ struct buf one = BUF_INIT((size_t)CERTS_MAX);

		ask_host(r->places[i].base, of);
		if (r->places[i].ca[0] && strcmp(of, host) == 0 &&
		    file_read(AT_FDCWD, r->places[i].ca, &one, ERR_IGNORED) == 0 &&
		    buf_add(&r->ca, buf_cstr(&one), one.len) == 0)
			(void)buf_adds(&r->ca, "\n");
	}
}

int ask_http(struct oci_registry *r, struct http_request *req, struct http_reply *ret,
	     struct err *e)
{
	char host[ASK_BASE], shown[SHOWN];
	int n;

	ask_host(req->url, host);
	if (strcmp(r->ca_of, host) != 0) {
		r->ca.len = 0;
		certs_find(host, &r->ca);
		add_named_ca(r, host);
		text_copy(r->ca_of, sizeof(r->ca_of), host);
	}
	req->ca = &r->ca;
	n = http_perform(r->http, req, ret, e);
	/* Who is redirected to is another, and these are not for it. */
	if (n == -EKEYREJECTED && strstr(e->msg, host))
		err_hint(e,
			 "or put its own into ~/.config/containers/certs.d/%s/ca.crt",
			 text_escaped(shown, sizeof(shown), host, strlen(host)));
	return n;
}

static int put_url(const struct ask *x, char ret[ASK_URL])
{
	const struct ask_place *at = x->r->at;

	assert(x->path); /* without a URL */
	if (x->path[0] == '/')
		return snprintf(ret, ASK_URL, "%s%s", at->base, x->path);
	return snprintf(ret, ASK_URL, "%s%s/%s/%s%s%s", at->base,
			at->whole ? "" : "/v2", at->repo, x->path,
			at->ns[0] ? "?ns=" : "", at->ns);
}

static int perform(struct ask *x, struct err *e)
{
	struct oci_registry *r = x->r;
	const char *headers[5] = { NULL };
	char url[ASK_URL];
	struct http_request req = { .method = x->method,
				    .url = x->url ? x->url : url,
				    .headers = headers,
				    .file = x->file,
				    .body = x->form,
				    .body_len = x->form ? strlen(x->form) : 0,
				    .follow = x->path != NULL,
				    .range_from = x->got,
				    .connect_ms = ASK_CONNECT_MS,
				    .first_byte_ms = ASK_STALL_MS,
				    .stall_ms = ASK_STALL_MS,
				    .abort_fd = r->conf.abort_fd,
				    .on_head = on_first,
				    .on_data = on_data,
				    .ctx = x };
	const char *own = r->authorization.len ? buf_cstr(&r->authorization) : NULL;
	size_t n = 0;

	if (!x->url && put_url(x, url) >= ASK_URL)
		return err_set(e, -ENAMETOOLONG, "the image's name is too long");
	if (x->accept)
		headers[n++] = x->accept;
	if (x->type)
		headers[n++] = x->type;
	if (x->form)
		headers[n++] = "Content-Type: application/x-www-form-urlencoded";
	if (x->authorization || (x->path && own))
		headers[n++] = x->authorization ? x->authorization : own;
	x->body.len = 0;
	x->reply = (struct http_reply){ .status = 0 };
	return ask_http(r, &req, &x->reply, e);
}

/* ---- tokens ------------------------------------------------------------------------- */

int ask_into_buf(void *ctx, const void *data, size_t len, struct err *e)
{
	return buf_add(ctx, data, len) < 0
		       ? err_set(e, -EMSGSIZE, "the answer is too large")
		       : 0;
}

void ask_host(const char *url, char ret[ASK_BASE])
{
	const char *at = strstr(url, "://");
	size_t n;

	at = at ? at + 3 : url;
	n = strcspn(at, "/?");
	snprintf(ret, ASK_BASE, "%.*s", (int)MIN(n, (size_t)ASK_BASE - 1), at);
}

/* A registry must not send us to whatever else can be reached from here. */
static int check_realm(const struct oci_registry *r, const char *realm, struct err *e)
{
	char host[ASK_BASE], own[ASK_BASE], shown[SHOWN];
	struct in6_addr a;
	bool literal;

	ask_host(realm, host);
	ask_host(r->at->base, own);
	text_escaped(shown, sizeof(shown), realm, strlen(realm));
	if (!strcmp(host, own))
		return text_starts(realm, "https://") ||
				       text_starts(r->at->base, "http://")
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

static int find_login(struct oci_registry *r, struct err *e)
{
	int n;

	if (r->looked || !ask_is_itself(r))
		return 0;
	r->looked = true;
	n = login_find(&r->name, &r->login, e);
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

/* What a token is to permit. Some name a scope that is only an example, so theirs is the
 * second. */
static void name_wanted(const struct oci_registry *r, const struct challenge *c,
			char ret[WANTED])
{
	char service[3 * CHALLENGE_VALUE], scope[3 * CHALLENGE_VALUE];
	char wanted[OCI_REPO + 32];

	snprintf(wanted, sizeof(wanted), "repository:%s:pull%s", r->at->repo,
		 r->conf.push ? ",push" : "");
	challenge_escape(c->service, service, sizeof(service));
	challenge_escape(strcmp(c->error, "insufficient_scope") == 0 && *c->scope
				 ? c->scope
				 : wanted,
			 scope, sizeof(scope));
	snprintf(ret, WANTED, "service=%s&scope=%s", service, scope);
}

/* By OAuth2, for a login that gives tokens. 0 = not everybody who gives them knows that. */
static int ask_by_form(struct ask *x, const char *realm, const char *wanted,
		       struct err *e)
{
	_cleanup_buf_ struct buf form = BUF_INIT((size_t)4 * LOGIN_TEXT);
	char identity[3 * LOGIN_TEXT];
	int n;

	challenge_escape(buf_cstr(&x->r->login.secret), identity, sizeof(identity));
	(void)buf_addf(&form,
		       "grant_type=refresh_token&%s&client_id=cubby&refresh_token=%s",
		       wanted, identity);
	if (buf_failed(&form) < 0)
		return err_set(e, -EMSGSIZE, "the login is too long");
	x->url = realm;
	x->form = buf_cstr(&form);
	n = perform(x, e);
	x->form = NULL;
	return n < 0 ? n : x->reply.status != NOT_FOUND && x->reply.status != NO_METHOD;
}

/* By distribution's "token" specification. */
static int ask_by_url(struct ask *x, const char *realm, const char *wanted, bool login,
		      struct err *e)
{
	_cleanup_buf_ struct buf own = BUF_INIT((size_t)4 * LOGIN_TEXT);
	_cleanup_buf_ struct buf url = BUF_INIT((size_t)ASK_URL);
	int n = login ? basic(x->r, &own, e) : 0;

	if (n < 0)
		return n;
	(void)buf_addf(&url, "%s%c%s", realm, strchr(realm, '?') ? '&' : '?', wanted);
	if (buf_failed(&url) < 0)
		return err_set(e, -EMSGSIZE, "the realm is too long");
	x->url = buf_cstr(&url);
	x->authorization = login ? buf_cstr(&own) : NULL;
	return perform(x, e);
}

static int get_token(struct oci_registry *r, const struct challenge *c, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT((size_t)ASK_TOKEN);
	struct oci_put put = { ask_into_buf, &text };
	_cleanup_(ask_done) struct ask x = { .r = r,
					     .put = &put,
					     .body = BUF_INIT((size_t)ERROR_BODY) };
	const bool known = ask_is_itself(r) && r->login.secret.len;
	const bool identity = known && r->login.identity;
	char wanted[WANTED];
	int n = check_realm(r, c->realm, e);

	if (n < 0)
		return n;
	name_wanted(r, c, wanted);
	n = identity ? ask_by_form(&x, c->realm, wanted, e) : 0;
	if (n == 0)
		n = ask_by_url(&x, c->realm, wanted, known && !identity, e);
	if (n < 0)
		return err_wrap(e, "token");
	if (x.reply.status != OK)
		return err_set(e, -EACCES, "no token was given (%d)%s", x.reply.status,
			       known ? "; log in again" : "");
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
	if (c.kind == CHALLENGE_BASIC && ask_is_itself(r) && r->login.secret.len &&
	    !r->login.identity)
		return basic(r, &r->authorization, e);
	return err_set(e, -EACCES,
		       "it wants a login: 'docker login %s' or 'podman login %s' "
		       "keeps one",
		       r->name.registry, r->name.registry);
}

/* ---- until it is answered ----------------------------------------------------------- */

bool ask_is_passing(const struct ask *x, int code)
{
	int status = x->reply.status;

	if (code == -ECONNRESET || code == -ETIMEDOUT)
		return true;
	return (code == 0 || code == -EBUSY || code == -EREMOTEIO) &&
	       (status == TOO_MANY || status == TIMEOUT || status >= CLIENT_CLOSED);
}

static uint64_t seconds_to_wait(const struct http_reply *reply, int attempt)
{
	int64_t date = http_head_date(reply->retry_after), now = sys_wall().tv_sec;
	uint64_t s;

	if (num_u64(reply->retry_after, &s) == 0)
		return MIN(MAX(s, (uint64_t)1), (uint64_t)WAIT_MAX_S);
	if (date >= 0)
		return (uint64_t)MIN(MAX(date - now, (int64_t)1), (int64_t)WAIT_MAX_S);
	return MIN((uint64_t)1 << attempt, (uint64_t)WAIT_MAX_S);
}

int ask_wait(const struct ask *x, int attempt, struct err *e)
{
	const struct oci_registry *r = x->r;
	uint64_t s = seconds_to_wait(&x->reply, attempt);
	struct pollfd abort = { .fd = r->conf.abort_fd, .events = POLLIN };
	char line[SHOWN + OCI_HOST];

	if (x->reply.status == TOO_MANY)
		snprintf(line, sizeof(line),
			 "%s has had too many requests, and is asked again in %llu s",
			 r->name.registry, (unsigned long long)s);
	else
		snprintf(line, sizeof(line),
			 "%s does not answer as it should, and is asked "
			 "again in %llu s",
			 r->name.registry, (unsigned long long)s);
	if (r->conf.note)
		r->conf.note(r->conf.ctx, line);
	if (sys_poll(&abort, 1, (int)s * 1000) > 0)
		return err_set(e, -ECANCELED, "interrupted");
	return 0;
}

/* {"errors":[{"code":…,"message":…}]} */
static void first_error(const struct ask *x, char ret[SHOWN])
{
	_cleanup_json_ struct json *j = NULL;
	const struct json *first;
	const char *text;

	ret[0] = '\0';
	if (json_parse(buf_cstr(&x->body), x->body.len, &j, ERR_IGNORED) < 0)
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

static int explain(const struct ask *x, struct err *e)
{
	const char *registry = x->r->name.registry;
	char why[SHOWN];

	first_error(x, why);
	switch (x->reply.status) {
	case UNAUTHORIZED:
	case FORBIDDEN:
	case NOT_FOUND:
		if (x->r->conf.push)
			return err_set(e, -EACCES,
				       "%s does not take it, or not without another "
				       "login (%d%s)",
				       registry, x->reply.status, why);
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

/* Each text once, and not without an end of them. Layers come by other processes, each of
 * which would tell it, and mostly from elsewhere. */
static void tell_warnings(const struct ask *x)
{
	struct oci_registry *r = x->r;
	const char *at = x->reply.warning;
	char host[ASK_BASE], text[CHALLENGE_VALUE];
	char line[sizeof(host) + sizeof(text) + 16];

	ask_host(r->at->base, host);
	while (r->conf.note && !x->layer && challenge_warning(&at, text)) {
		snprintf(line, sizeof(line), "%s says: %s\n", host, text);
		if (strstr(buf_cstr(&r->warned), line) ||
		    buf_adds(&r->warned, line) < 0)
			continue;
		line[strlen(line) - 1] = '\0';
		r->conf.note(r->conf.ctx, line);
	}
}

int ask_registry(struct ask *x, struct err *e)
{
	struct oci_registry *r = x->r;
	int attempt = 0, logins = 0;
	uint64_t before;

	if (!x->body.max)
		x->body = BUF_INIT((size_t)ERROR_BODY);
	for (;;) {
		int n;

		before = x->got;
		n = perform(x, e);
		if (x->failed.code < 0) {
			*e = x->failed;
			return e->code;
		}
		tell_warnings(x);
		if (n == 0 && is_success(x))
			return 0;
		if (n == 0 && x->reply.status == UNAUTHORIZED && logins++ < 2) {
			n = answer_challenge(r, x->reply.challenge, e);
			if (n < 0)
				return err_wrap(e, "%s", r->name.registry);
			continue;
		}
		attempt = x->got > before ? 0 : attempt;
		if (x->once || !ask_is_passing(x, n) || ++attempt == ASK_ATTEMPTS)
			return n < 0 ? n : explain(x, e);
		n = ask_wait(x, attempt - 1, e);
		if (n < 0)
			return n;
	}
}
