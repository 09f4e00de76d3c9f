#include "agent/server/exchange/exchange.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>

#include "agent/server/exchange/impl.h"
#include "base/sys/sys.h"
#include "base/text.h"

enum { WS_OUT_FULL = 2 * EXCHANGE_FULL, CORKED = 16 << 10 };

/* ---- the request ---------------------------------------------------------------- */

const struct route *exchange_route(const struct exchange *x)
{
	return x->match.route;
}

const char *exchange_param(const struct exchange *x, const char *name)
{
	for (unsigned i = 0; i < x->match.count; i++)
		if (strcmp(x->match.params[i].name, name) == 0)
			return x->match.params[i].value;
	return "";
}

const char *exchange_header(const struct exchange *x, const char *name)
{
	return head_field(&x->head, name);
}

const char *exchange_arg(struct exchange *x, const char *name, unsigned nth)
{
	_cleanup_buf_ struct buf b = BUF_INIT(HEAD_MAX);
	int r = route_query(x->head.query, name, nth, &b);

	if (r <= 0 || x->n_args == EXCHANGE_ARGS ||
	    strcasecmp(buf_cstr(&b), "null") == 0)
		return NULL;
	if (buf_addc(&b, '\0') < 0) /* an empty value is a string, too */
		return NULL;
	return x->args[x->n_args++] = buf_steal(&b);
}

static int wrong(struct exchange *x, const char *in, const char *at, struct err *e,
		 const char *why)
{
	(void)text_copy(x->wrong_in, sizeof(x->wrong_in), in);
	(void)text_copy(x->wrong_at, sizeof(x->wrong_at), at);
	return err_set(e, -EBADMSG, "%s", why);
}

int exchange_missing(struct exchange *x, const char *name, struct err *e)
{
	return wrong(x, "query", name, e, "Field required");
}

int exchange_arg_num(struct exchange *x, const char *name, int64_t least, int64_t most,
		     int64_t *ret, struct err *e)
{
	const char *text = exchange_arg(x, name, 0);
	char why[96], *end;
	double v;

	if (!text || !*text)
		return 0;
	v = strtod(text, &end); /* clients that know floats alone send 10.0 */
	if (*end || !(v >= (double)least && v <= (double)most) ||
	    (double)(int64_t)v != v) {
		snprintf(why, sizeof(why),
			 "a whole number from %" PRId64 " to %" PRId64 " is needed",
			 least, most);
		return wrong(x, "query", name, e, why);
	}
	*ret = (int64_t)v;
	return 0;
}

int exchange_arg_ms(struct exchange *x, const char *name, int64_t most_s, int64_t *ret,
		    struct err *e)
{
	const char *text = exchange_arg(x, name, 0);
	char why[96], *end;
	double v;

	if (!text || !*text)
		return 0;
	v = strtod(text, &end);
	if (*end || !(v >= 0 && v <= (double)most_s)) {
		snprintf(why, sizeof(why),
			 "a number of seconds from 0 to %" PRId64 " is needed", most_s);
		return wrong(x, "query", name, e, why);
	}
	*ret = (int64_t)(v * 1000);
	return 0;
}

bool exchange_arg_bool(struct exchange *x, const char *name, bool none)
{
	const char *text = exchange_arg(x, name, 0);

	if (!text || !*text)
		return none;
	return strcasecmp(text, "true") == 0 || strcmp(text, "1") == 0 ||
	       strcasecmp(text, "yes") == 0 || strcasecmp(text, "on") == 0;
}

const struct json *exchange_json(const struct exchange *x)
{
	return x->json;
}

int exchange_text(struct exchange *x, const char *name, const char **ret, struct err *e)
{
	const char *text = json_get_str(x->json, name);

	if (!text)
		return wrong(x, "body", name, e, "a text is needed");
	*ret = text;
	return 0;
}

bool exchange_key_is(struct exchange *x, const char *key)
{
	x->key = key ? keys_find(x->server->conf->keys, key) : NULL;
	x->known |= x->key != NULL;
	if (x->key && x->outer)
		x->outer->known = true;
	return x->key != NULL;
}

bool exchange_may(struct exchange *x, unsigned right)
{
	const struct tenant_who who = exchange_who(x);
	const char *name = who.box ? who.box : who.user;

	if (!x->server->conf->boxes) /* there is one, whoever is named */
		name = TENANT_HERE;
	else if (who.box && x->server->conf->policies) /* no policy is asked then */
		right |= KEY_HOLDER;
	return x->key && keys_may(x->key, right, name ? name : "");
}

/* WebSockets of a browser cannot set fields: Open WebUI puts the user into the query. */
struct tenant_who exchange_who(struct exchange *x)
{
	struct tenant_who who = {
		.user = head_field(&x->head, "x-user-id"),
		.context = head_field(&x->head, "x-terminal-context-id"),
		.policy = *x->policy ? x->policy : NULL,
	};

	if (!who.user && x->head.websocket)
		who.user = exchange_arg(x, "user_id", 0);
	who.box = exchange_param(x, "box");
	who.make = *who.box && strcmp(x->head.method, "PUT") == 0;
	if (!*who.box)
		who.box = x->head.websocket ? exchange_arg(x, "box", 0)
					    : head_field(&x->head, "x-cubby-box");
	/* A user's is made when it is asked for, by a key that may do something in it. */
	if (!who.box && x->key && keys_may(x->key, KEY_RUN, who.user ? who.user : ""))
		who.make = true;
	return who;
}

const struct key *exchange_key(const struct exchange *x)
{
	return x->key;
}

const struct head *exchange_head(const struct exchange *x)
{
	return &x->head;
}

struct server *exchange_server(const struct exchange *x)
{
	return x->server;
}

const struct server_conf *exchange_conf(const struct exchange *x)
{
	return x->server->conf;
}

struct loop *exchange_loop(const struct exchange *x)
{
	return x->server->loop;
}

struct tenants *exchange_tenants(const struct exchange *x)
{
	return x->server->tenants;
}

struct tenant *exchange_tenant(const struct exchange *x)
{
	return x->tenant;
}

/* ---- bytes to the client -------------------------------------------------------- */

void exchange_enter(struct exchange *x, enum exchange_state state, uint64_t ms)
{
	x->state = state;
	x->deadline_ms = ms ? sys_now_ms() + ms : UINT64_MAX;
}

void exchange_die(struct exchange *x)
{
	x->state = EXCHANGE_DEAD;
	x->server->reap = true;
}

ssize_t exchange_recv(struct exchange *x, void *data, size_t len)
{
	return x->tls ? tls_recv(x->tls, data, len) : sys_recv(x->fd, data, len, 0);
}

static bool reads(const struct exchange *x)
{
	return x->state == EXCHANGE_HEAD || x->state == EXCHANGE_LINGER ||
	       x->state == EXCHANGE_BODY ||
	       /* pongs wait for room like everything else */
	       (x->state == EXCHANGE_WS && !x->paused && x->out.len < WS_OUT_FULL) ||
	       (x->state == EXCHANGE_H2 && x->out.len < STREAMS_FULL) ||
	       (x->state == EXCHANGE_BUSY && x->streams && x->hooks && !x->paused);
}

bool exchange_stirs(const struct exchange *x)
{
	return x->tls && reads(x) && tls_stirs(x->tls);
}

void exchange_push(struct exchange *x)
{
	ssize_t n = 0;

	while (x->out.len && x->state != EXCHANGE_DEAD) {
		n = x->tls ? tls_send(x->tls, x->out.data, x->out.len)
			   : sys_send(x->fd, x->out.data, x->out.len, 0);
		if (n <= 0)
			break;
		buf_consume(&x->out, (size_t)n);
		if (x->tls || !x->server->conf->tls) /* else it is of HTTP/2 itself */
			x->server->counts.bytes_out += (uint64_t)n;
		x->half_ms = sys_now_ms();
		x->deadline_ms = x->half_ms + EXCHANGE_STALL_MS;
	}
	if ((n < 0 && n != -EAGAIN) ||
	    (x->flows &&
	     share_gather(x, x->out.len > EXCHANGE_FULL ? x->out.len : 0) < 0))
		exchange_die(x);
	if (!x->out.len && x->state == EXCHANGE_WS) {
		share_release(x);
		if (x->out.cap > 2L * EXCHANGE_FULL)
			buf_done(&x->out);
	}
	exchange_watch(x);
}

void exchange_watch(struct exchange *x)
{
	uint32_t events = x->half ? 0 : EPOLLRDHUP; /* it would be told for ever */

	if (x->state == EXCHANGE_DEAD || !x->source)
		return;
	if (reads(x))
		events |= EPOLLIN;
	if (x->out.len || x->state == EXCHANGE_FLUSH || x->kick || exchange_stirs(x))
		events |= EPOLLOUT;
	if (loop_modify(x->server->loop, x->source, events) < 0)
		exchange_die(x);
}

static void put(struct exchange *x, const void *data, size_t len)
{
	if (x->state != EXCHANGE_DEAD && buf_add(&x->out, data, len) < 0)
		exchange_die(x);
}

static void put_text(struct exchange *x, const char *text)
{
	put(x, text, strlen(text));
}

/* ---- answers -------------------------------------------------------------------- */

static const char *reason(int status)
{
	static const struct {
		int status;
		const char *text;
	} table[] = {
		{ 101, "Switching Protocols" },
		{ 200, "OK" },
		{ 201, "Created" },
		{ 202, "Accepted" },
		{ 204, "No Content" },
		{ 304, "Not Modified" },
		{ 400, "Bad Request" },
		{ 401, "Unauthorized" },
		{ 403, "Forbidden" },
		{ 404, "Not Found" },
		{ 405, "Method Not Allowed" },
		{ 408, "Request Timeout" },
		{ 409, "Conflict" },
		{ 413, "Content Too Large" },
		{ 415, "Unsupported Media Type" },
		{ 422, "Unprocessable Content" },
		{ 426, "Upgrade Required" },
		{ 429, "Too Many Requests" },
		{ 431, "Request Header Fields Too Large" },
		{ 500, "Internal Server Error" },
		{ 501, "Not Implemented" },
		{ 502, "Bad Gateway" },
		{ 503, "Service Unavailable" },
		{ 504, "Gateway Timeout" },
		{ 507, "Insufficient Storage" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (table[i].status == status)
			return table[i].text;
	return "Other";
}

bool exchange_origin_allowed(const struct exchange *x)
{
	const char *const *list = x->server->conf->origins;
	const char *origin = head_field(&x->head, "origin");

	for (; origin && list && *list; list++)
		if (strcmp(*list, origin) == 0)
			return true;
	return false;
}

/* A name that anybody may point at this host (DNS rebinding) is none of ours. */
bool exchange_origin_own(const struct exchange *x)
{
	static const char *const names[] = { "localhost", "127.0.0.1", "[::1]" };
	const char *origin = head_field(&x->head, "origin");
	const char *host = head_field(&x->head, "host");

	if (origin && host &&
	    x->server->conf->tls) /* the browser has looked whose name it is */
		return strncmp(origin, "https://", 8) == 0 &&
		       strcasecmp(origin + 8, host) == 0;
	if (!origin || !host || strncmp(origin, "http://", 7) != 0 ||
	    strcasecmp(origin + 7, host) != 0)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		size_t n = strlen(names[i]);

		if (strncasecmp(host, names[i], n) == 0 && (!host[n] || host[n] == ':'))
			return true;
	}
	return false;
}

/* A page of another origin that may call hears so. */
static void put_origin(struct exchange *x)
{
	const char *origin = head_field(&x->head, "origin");

	if (!origin || !exchange_origin_allowed(x))
		return;
	put_text(x, "Access-Control-Allow-Origin: ");
	put_text(x, origin);
	put_text(x, "\r\nAccess-Control-Allow-Credentials: true\r\nVary: Origin\r\n");
}

void exchange_begin(struct exchange *x, int status, const char *type,
		    const char *const *headers, int64_t length)
{
	char line[128];

	if (x->state == EXCHANGE_DEAD || x->begun)
		return;
	x->begun = true;
	x->status = status;
	x->no_body = status == 204 || status == 304 || status == 101 ||
		     (x->head.method && strcmp(x->head.method, "HEAD") == 0);
	x->out_chunked = length < 0 && x->head.minor && status != 101;
	if (length < 0 && !x->head.minor)
		x->close = true;
	x->kick |= x->no_body; /* whoever has more to say need not */
	snprintf(line, sizeof(line), "HTTP/1.1 %d %s\r\n", status, reason(status));
	put_text(x, line);
	if (type) {
		put_text(x, "Content-Type: ");
		put_text(x, type);
		put_text(x, "\r\n");
	}
	if (length >= 0 && status != 101 && status != 204) {
		snprintf(line, sizeof(line), "Content-Length: %" PRId64 "\r\n", length);
		put_text(x, line);
	} else if (x->out_chunked) {
		put_text(x, "Transfer-Encoding: chunked\r\n");
	}
	for (; headers && *headers; headers++) {
		put_text(x, *headers);
		put_text(x, "\r\n");
	}
	put_origin(x);
	if (status == 401)
		put_text(x, "WWW-Authenticate: Bearer\r\n");
	if (status != 101) {
		x->close |= !x->head.keep_alive || !x->body_done || x->server->stopping;
		put_text(x, "X-Content-Type-Options: nosniff\r\n"
			    "Cache-Control: no-store\r\n");
		put_text(x, x->close ? "Connection: close\r\n" : "");
	}
	put_text(x, "\r\n");
}

void exchange_flows(struct exchange *x)
{
	x->flows = true;
}

void exchange_cork(struct exchange *x)
{
	x->corked = true;
}

void exchange_uncork(struct exchange *x)
{
	x->corked = false;
	exchange_push(x);
}

void exchange_write(struct exchange *x, const void *data, size_t len)
{
	char line[24];

	if (x->state == EXCHANGE_DEAD || !x->begun || !len)
		return;
	x->sent += len;
	if (!x->no_body) {
		snprintf(line, sizeof(line), "%zx\r\n", len);
		put_text(x, x->out_chunked ? line : "");
		put(x, data, len);
		put_text(x, x->out_chunked ? "\r\n" : "");
	}
	if (!x->corked || x->out.len > CORKED)
		exchange_push(x);
}

static void say(struct exchange *x)
{
	const struct server_conf *c = x->server->conf;
	char line[512], path[256];

	x->server->counts.by_class[x->status / 100 % 6]++;
	if (!c->log || !x->head.method)
		return;
	text_escaped(path, sizeof(path), x->head.path, strlen(x->head.path));
	snprintf(line, sizeof(line), "%.16s %s %d %" PRIu64 " B %" PRIu64 " ms%s%.32s",
		 x->head.method, path, x->status, x->sent, sys_now_ms() - x->began_ms,
		 x->key && *x->key->name ? " " : "", x->key ? x->key->name : "");
	c->log(c->ctx, line);
}

void exchange_end(struct exchange *x)
{
	x->hooks = NULL;
	if (x->state == EXCHANGE_DEAD)
		return;
	if (x->out_chunked && !x->no_body)
		put_text(x, "0\r\n\r\n");
	say(x);
	x->ended = true;
	x->state = EXCHANGE_FLUSH;
	exchange_push(x);
}

void exchange_gone(struct exchange *x)
{
	const struct exchange_hooks *hooks = take(&x->hooks, NULL);

	if (hooks && hooks->gone)
		hooks->gone(x->ctx);
}

void exchange_cut(struct exchange *x)
{
	x->hooks = NULL;
	if (x->state == EXCHANGE_DEAD)
		return;
	say(x);
	x->ended = x->close = true;
	x->cut = true; /* the last chunk is missing: the client sees it */
	x->state = EXCHANGE_FLUSH;
	exchange_push(x);
}

void exchange_raw_begin(struct exchange *x, bool both)
{
	x->begun = x->close = true;
	if (both && x->state == EXCHANGE_BUSY) {
		x->raw = x->streams = true;
		x->body_done = false;
		x->body_left = UINT64_MAX;
		exchange_watch(x);
	}
}

void exchange_raw_write(struct exchange *x, const void *data, size_t len)
{
	const char *line = data;

	if (!x->sent && len > 12 && memcmp(line, "HTTP/1.", 7) == 0)
		x->status = atoi(line + 9) % 1000;
	x->sent += len;
	put(x, data, len);
	exchange_push(x);
}

void exchange_raw_end(struct exchange *x)
{
	x->out_chunked = false;
	exchange_end(x);
}

size_t exchange_backlog(const struct exchange *x)
{
	return x->out.len;
}

void exchange_pause(struct exchange *x, bool pause)
{
	if (x->paused == pause)
		return;
	x->paused = pause;
	x->kick = !pause;
	exchange_watch(x);
}

void exchange_later(struct exchange *x, const struct exchange_hooks *hooks, void *ctx)
{
	x->hooks = hooks;
	x->ctx = ctx;
}

void exchange_reply_text(struct exchange *x, int status, const char *type,
			 const char *text)
{
	exchange_begin(x, status, type, NULL, (int64_t)strlen(text));
	exchange_write(x, text, strlen(text));
	exchange_end(x);
}

void exchange_reply(struct exchange *x, int status, struct json *j)
{
	_cleanup_buf_ struct buf b = BUF_INIT(EXCHANGE_OUT_MAX);
	_cleanup_json_ struct json *owned = j;
	int r = json_print(owned, false, &b);

	if (r == 0 && b.len > EXCHANGE_FULL && share_hold(x, b.len) < 0)
		exchange_reply_text(x, 503, "application/json",
				    "{\"detail\":\"too many large answers at once; try "
				    "again\"}");
	else if (r < 0)
		exchange_reply_text(x, 500, "application/json",
				    "{\"detail\":\"out of memory\"}");
	else
		exchange_reply_text(x, status, "application/json", buf_cstr(&b));
}

void exchange_fail(struct exchange *x, int status, const char *fmt, ...)
{
	struct json *j = json_object();
	char text[sizeof(struct err)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	json_set_str(j, "detail", text);
	exchange_reply(x, status, j);
}

static int status_of(int code)
{
	static const struct {
		int code, status;
	} table[] = {
		{ -ENOENT, 404 },      { -ENOTDIR, 404 },   { -EACCES, 403 },
		{ -EPERM, 403 },       { -EROFS, 403 },	    { -EEXIST, 409 },
		{ -EINVAL, 400 },      { -EISDIR, 400 },    { -ENAMETOOLONG, 400 },
		{ -ELOOP, 400 },       { -ENOTEMPTY, 400 }, { -ENOSPC, 507 },
		{ -EDQUOT, 507 },      { -EMSGSIZE, 413 },  { -EFBIG, 413 },
		{ -EMEDIUMTYPE, 415 }, { -EAGAIN, 429 },    { -ENOTCONN, 503 },
		{ -ECONNRESET, 503 },  { -ETIMEDOUT, 504 }, { -ECONNREFUSED, 502 },
		{ -EXDEV, 400 },       { -ETXTBSY, 409 },   { -EBUSY, 409 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (table[i].code == code)
			return table[i].status;
	return 500;
}

/* As the framework of the original says it. */
static void fail_wrong(struct exchange *x, const struct err *e)
{
	struct json *j = json_object(), *list = json_array(), *one = json_object();
	struct json *at = json_array();
	bool query = strcmp(x->wrong_in, "query") == 0;
	const char *text = query ? exchange_arg(x, x->wrong_at, 0) : NULL;
	const struct json *member = query ? NULL : json_get(x->json, x->wrong_at);

	json_set_str(one, "type", text || member ? "value_error" : "missing");
	json_add(at, json_string(x->wrong_in));
	json_add(at, json_string(x->wrong_at));
	json_set(one, "loc", at);
	json_set_str(one, "msg", e->msg);
	json_set(one, "input",
		 text	  ? json_string(text)
		 : member ? json_dup(member)
			  : json_null());
	json_add(list, one);
	json_set(j, "detail", list);
	exchange_reply(x, 422, j);
}

void exchange_fail_err(struct exchange *x, const struct err *e)
{
	if (e->code == -EBADMSG && x->wrong_at[0])
		fail_wrong(x, e);
	else
		exchange_fail(x, e->code == -EBADMSG ? 422 : status_of(e->code), "%s",
			      e->msg);
}

/* ---- WebSockets ----------------------------------------------------------------- */

void exchange_ws_accept(struct exchange *x)
{
	char accept[64] = "Sec-WebSocket-Accept: ";
	const char *headers[] = { "Upgrade: websocket", "Connection: Upgrade", accept,
				  NULL };

	ws_accept(head_field(&x->head, "sec-websocket-key"), accept + strlen(accept));
	exchange_begin(x, 101, NULL, headers, 0);
	if (x->state == EXCHANGE_DEAD)
		return;
	ws_init(&x->ws);
	x->state = EXCHANGE_WS;
	x->deadline_ms = sys_now_ms() + EXCHANGE_PING_MS;
	exchange_push(x);
}

void exchange_ws_limit(struct exchange *x, size_t most)
{
	x->ws.message.max = most;
}

void exchange_ws_send(struct exchange *x, enum exchange_message kind, const void *data,
		      size_t len)
{
	if (x->state != EXCHANGE_WS)
		return;
	x->sent += len;
	/* also of many small ones to one that does not read */
	if (x->out.len + len > EXCHANGE_FULL && share_hold(x, len) < 0) {
		exchange_die(x);
		return;
	}
	if (ws_frame(kind == EXCHANGE_TEXT ? WS_TEXT : WS_BINARY, data, len, &x->out) <
	    0)
		exchange_die(x);
	if (!x->corked || x->out.len > CORKED)
		exchange_push(x);
}

void exchange_ws_close(struct exchange *x, unsigned code, const char *reason_text)
{
	char body[WS_CONTROL_MAX + 1];
	int n = snprintf(body + 2, sizeof(body) - 2, "%.100s", reason_text);

	x->hooks = NULL;
	if (x->state != EXCHANGE_WS)
		return;
	body[0] = (char)(code >> 8);
	body[1] = (char)code;
	(void)ws_frame(WS_CLOSE, body, (size_t)n + 2, &x->out);
	say(x);
	x->ended = x->close = true;
	x->state = EXCHANGE_FLUSH;
	exchange_push(x);
}
