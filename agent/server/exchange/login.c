#include "agent/server/exchange/login.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "agent/server/exchange/impl.h"
#include "agent/server/http/cookie.h"
#include "base/nonce.h"
#include "base/sys/sys.h"

enum { XSRF_ID = 33 };

static const char page[] =
	"<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>cubby</title>"
	"<form method=\"post\"><input type=\"hidden\" name=\"_xsrf\" value=\"%s\">"
	"<label>Key <input type=\"password\" name=\"password\" required autofocus>"
	"</label> <button>Log in</button></form></html>\n";

/* ---- tokens ----------------------------------------------------------------------------- */

/* As long for any two of a length. Nothing is the same as nothing. */
static bool same(const char *a, const char *b)
{
	size_t n = strlen(a);
	volatile unsigned differ = 0;

	if (!n || strlen(b) != n)
		return false;
	for (size_t i = 0; i < n; i++)
		differ |= (unsigned)(unsigned char)a[i] ^ (unsigned char)b[i];
	return !differ;
}

static void cookie(const struct exchange *x, const char *name, char ret[COOKIE_VALUE])
{
	cookie_value(head_field(&x->head, "cookie"), name, ret);
}

/* ---- sessions --------------------------------------------------------------------------- */

const struct key *login_key(struct exchange *x)
{
	const char *header = head_field(&x->head, "x-xsrftoken");
	struct logins *l = &x->server->logins;
	uint64_t now = sys_now_ms();
	char xsrf[COOKIE_VALUE], id[COOKIE_VALUE];

	cookie(x, "_xsrf", xsrf);
	cookie(x, "cubby-login", id);
	if (!header || !*id || !same(xsrf, header))
		return NULL;
	for (size_t i = 0; i < LOGIN_SESSIONS; i++) {
		if (!*l->list[i].id || !same(l->list[i].id, id) ||
		    now - l->list[i].used_ms > LOGIN_IDLE_MS)
			continue;
		l->list[i].used_ms = now;
		return l->list[i].key;
	}
	return NULL;
}

static int session_new(struct logins *l, const struct key *key, const char **ret,
		       struct err *e)
{
	size_t oldest = 0;
	int r;

	for (size_t i = 1; i < LOGIN_SESSIONS; i++)
		if (l->list[i].used_ms < l->list[oldest].used_ms)
			oldest = i;
	r = nonce_make(l->list[oldest].id, LOGIN_ID, e);
	if (r < 0) {
		l->list[oldest].id[0] = '\0';
		return r;
	}
	l->list[oldest].key = key;
	l->list[oldest].used_ms = sys_now_ms();
	*ret = l->list[oldest].id;
	return 0;
}

/* Is another password looked at? Those who have a key need no form. */
static bool may_try(struct logins *l)
{
	uint64_t now = sys_now_ms();

	if (now - l->since_ms > LOGIN_WINDOW_MS)
		l->wrong = 0;
	if (!l->wrong)
		l->since_ms = now;
	return l->wrong < LOGIN_WRONG;
}

/* Cookies know no ports: of a plain one all ports of the host are told that the person looks
 * at, those that a box publishes among them. So it is none where there is TLS, also a proxy's
 * in front. */
static const char *secure(const struct exchange *x)
{
	const char *front = head_field(&x->head, "x-forwarded-proto");

	return x->server->conf->tls || (front && strcasecmp(front, "https") == 0)
		       ? "; Secure"
		       : "";
}

/* ---- the form --------------------------------------------------------------------------- */

static int get_login(struct exchange *x, struct err *e)
{
	char token[XSRF_ID], set[128], text[sizeof(page) + XSRF_ID];
	const char *const headers[] = {
		set,
		"Content-Security-Policy: default-src 'none'; form-action 'self'; "
		"frame-ancestors 'none'",
		NULL
	};
	int r = nonce_make(token, sizeof(token), e);

	if (r < 0)
		return r;
	snprintf(set, sizeof(set), "Set-Cookie: _xsrf=%s; Path=/; SameSite=Lax%s",
		 token, secure(x));
	snprintf(text, sizeof(text), page, token);
	exchange_begin(x, 200, "text/html; charset=utf-8", headers,
		       (int64_t)strlen(text));
	exchange_write(x, text, strlen(text));
	exchange_end(x);
	return 0;
}

struct form {
	struct exchange *x;
	struct buf body; /* owned */
};

static void form_free(void *ctx)
{
	struct form *f = ctx;

	buf_done(&f->body);
	free(f);
}

static void welcome(struct exchange *x, const struct key *key)
{
	char set[LOGIN_ID + 128];
	const char *const headers[] = { set, "Location: /", NULL };
	struct err e = ERR_NONE;
	const char *id;

	if (session_new(&x->server->logins, key, &id, &e) < 0) {
		exchange_fail_err(x, &e);
		return;
	}
	/* not for "/proxy/": what is there belongs to a box */
	snprintf(set, sizeof(set),
		 "Set-Cookie: cubby-login=%s; Path=/api; HttpOnly; SameSite=Strict%s",
		 id, secure(x));
	exchange_begin(x, 302, NULL, headers, 0);
	exchange_end(x);
}

static void refuse_password(struct exchange *x)
{
	x->server->logins.wrong++;
	exchange_fail(x, 401, "Invalid credentials");
}

/* The body is whole. */
static void judge(struct exchange *x, const struct buf *body)
{
	_cleanup_buf_ struct buf token = BUF_INIT(LOGIN_BODY_MAX),
				 password = BUF_INIT(LOGIN_BODY_MAX);
	struct logins *l = &x->server->logins;
	char xsrf[COOKIE_VALUE];

	cookie(x, "_xsrf", xsrf);
	(void)route_query(buf_cstr(body), "_xsrf", 0, &token);
	(void)route_query(buf_cstr(body), "password", 0, &password);
	if (buf_failed(body) < 0)
		exchange_fail(x, 413, "the form is too large");
	else if (!*xsrf || !same(xsrf, buf_cstr(&token)))
		exchange_fail(x, 403, "'_xsrf' argument missing from POST");
	else if (!may_try(l))
		exchange_fail(x, 429, "too many wrong passwords; wait a minute");
	else if (exchange_key_is(x, buf_cstr(&password)))
		welcome(x, x->key);
	else
		refuse_password(x);
}

static void form_body(void *ctx, const char *data, size_t len)
{
	struct form *f = ctx;
	struct exchange *x = f->x;

	if (len) {
		(void)buf_add(&f->body, data, len);
		return;
	}
	exchange_later(x, NULL, NULL);
	judge(x, &f->body);
	form_free(f);
}

static const struct exchange_hooks form_hooks = { .gone = form_free,
						  .body = form_body };

static int post_login(struct exchange *x, struct err *e)
{
	struct form *f = x->body_done ? NULL : calloc(1, sizeof(*f));

	if (x->body_done) { /* there is none, and no end of one to wait for */
		judge(x, &BUF_INIT(0));
		return 0;
	}
	if (!f)
		return err_sys(e, -ENOMEM, "cannot take a form");
	*f = (struct form){ .x = x, .body = BUF_INIT(LOGIN_BODY_MAX) };
	exchange_later(x, &form_hooks, f);
	return 0;
}

static const struct route rows[] = {
	{ "GET", "/login", get_login, .right = ROUTE_ANYBODY },
	{ "POST", "/login", post_login, .right = ROUTE_ANYBODY, .body = ROUTE_STREAM },
};

const struct route_table login_routes = { rows, ARRAY_SIZE(rows) };
