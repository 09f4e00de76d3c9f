/* Theory of operation
 *
 * A head that could be read is looked at before anything of its body is: whether there is
 * such a path, whether the key that it shows (in four ways, where the route says so) is
 * one, what the route asks of a key, and whether the request is of a kind that is answered.
 * Who is refused has had no box started, and no byte of the body was kept. */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "agent/server/exchange/impl.h"

enum { SESSION_MAX = 256 };

/* What was shown before, at /login. */
static bool has_session(struct exchange *x)
{
	const struct key *key = login_key(x);

	return key && exchange_key_is(x, key->text);
}

static bool has_token(struct exchange *x)
{
	const char *value = head_field(&x->head, "authorization");

	if (value && strncasecmp(value, "token ", 6) == 0)
		return exchange_key_is(x, value + 6 + strspn(value + 6, " "));
	return exchange_key_is(x, exchange_arg(x, "token", 0)) || has_session(x);
}

static bool has_key(struct exchange *x)
{
	const char *value = head_field(&x->head, "authorization");

	if (value && strncasecmp(value, "bearer ", 7) == 0)
		return exchange_key_is(x, value + 7 + strspn(value + 7, " "));
	return exchange_key_is(x, NULL);
}

/* What a route asks of its key: what looks at a box, what acts in it, its ports, all. */
static unsigned needed(const struct exchange *x)
{
	const struct route *route = x->match.route;
	bool get = strcmp(x->head.method, "GET") == 0 ||
		   strcmp(x->head.method, "HEAD") == 0;

	if (route->right == ROUTE_HOLDER)
		return KEY_HOLDER;
	if (strncmp(route->path, "/proxy/", 7) == 0)
		return KEY_NETWORK;
	return get && !x->head.websocket && strcmp(route->path, "/mcp") != 0 ? KEY_READ
									     : KEY_RUN;
}

/* A page asks whether it may ask. */
static void answer_preflight(struct exchange *x)
{
	static const char *const headers[] = {
		"Access-Control-Allow-Methods: GET, POST, PUT, PATCH, DELETE",
		"Access-Control-Allow-Headers: Authorization, Content-Type, X-User-Id, "
		"X-Session-Id, X-Terminal-Context-Id, X-Cubby-Box, Mcp-Session-Id, "
		"Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID",
		"Access-Control-Max-Age: 600", NULL
	};

	exchange_begin(x, 204, NULL, headers, 0);
	exchange_end(x);
}

/* The list of boxes has those alone that the key is for. */
static bool may(struct exchange *x)
{
	if (x->match.route->right == ROUTE_HOLDER && !*exchange_param(x, "box"))
		return x->key->rights & KEY_HOLDER;
	return exchange_may(x, needed(x));
}

/* false: it was answered */
static bool check_right(struct exchange *x)
{
	enum route_right right = x->match.route->right;
	bool key = right == ROUTE_ANYBODY || right == ROUTE_FIRST || has_key(x) ||
		   (right == ROUTE_TOKEN && has_token(x));

	if (!key)
		exchange_fail(x, 401, "Invalid API key");
	else if (x->key && !may(x))
		exchange_fail(x, 403, "this key has no right to that");
	else if (right == ROUTE_HOLDER &&
		 (*x->policy || head_field(&x->head, "x-user-id") ||
		  head_field(&x->head, "x-terminal-context-id")))
		exchange_fail(x, 403,
			      "this is for the holder of the key, not for a "
			      "user of a service");
	else
		return true;
	return false;
}

/* Who is named in the query of a WebSocket is a user of a service: one that makes no sense
 * is nobody, and not the holder of the key. NULL = it does, or nobody is named. */
static const char *wrong_user(const struct exchange *x)
{
	_cleanup_buf_ struct buf name = BUF_INIT(HEAD_MAX), more = BUF_INIT(HEAD_MAX);
	int r = route_query(x->head.query, "user_id", 0, &name);

	if (!x->head.websocket || r == 0)
		return NULL;
	if (route_query(x->head.query, "user_id", 1, &more) != 0)
		return "user_id stands twice";
	for (size_t i = 0; i < name.len; i++)
		if ((unsigned char)name.data[i] < ' ' || name.data[i] == 0x7f)
			r = -EINVAL;
	return r < 0 || !name.len || strcasecmp(buf_cstr(&name), "null") == 0
		       ? "user_id is no name of a user"
		       : NULL;
}

/* What another server is asked is its own affair. Here an argument that cannot be read
 * would be none, and that of a path the whole directory. */
static bool passes_on(const struct route *row)
{
	return *row->method == '*';
}

static bool check_kind(struct exchange *x)
{
	const char *wrong = wrong_user(x);
	const char *key = head_field(&x->head, "sec-websocket-key");
	const char *session = head_field(&x->head, "x-session-id");

	if (x->head.websocket && (!key || strlen(key) != 24))
		exchange_fail(x, 400, "bad sec-websocket-key");
	else if (!passes_on(x->match.route) && !route_query_is_text(x->head.query))
		exchange_fail(x, 400,
			      "the query has a NUL, or a '%%' that is not %%25");
	else if (wrong)
		exchange_fail(x, 400, "%s", wrong);
	else if (session && strlen(session) > SESSION_MAX)
		exchange_fail(x, 400, "x-session-id is too long");
	else if (!share_place(x))
		exchange_fail(x, 429, "too many requests of one user at once");
	else if (x->match.route->body == ROUTE_JSON &&
		 x->head.length > EXCHANGE_JSON_MAX)
		exchange_fail(x, 413, "the body is too large");
	else
		return true;
	return false;
}

/* "/p/ID/…": a service asks for a policy by its name (Open WebUI's policy_id). */
static void take_policy(struct exchange *x)
{
	const char *id = x->head.path + 3;
	size_t len = strcspn(id, "/");

	if (strncmp(x->head.path, "/p/", 3) != 0 || !len || len >= sizeof(x->policy))
		return;
	snprintf(x->policy, sizeof(x->policy), "%.*s", (int)len, id);
	x->head.path = id + len;
}

bool admit_request(struct exchange *x)
{
	const struct server *s = x->server;
	int r;

	if (s->conf->policies)
		take_policy(x);
	r = route_find(s->tables, s->n_tables,
		       x->head.websocket ? "WEBSOCKET" : x->head.method, x->head.path,
		       &x->match);
	x->close |= x->head.websocket; /* frames may follow */
	if (r < 0)
		exchange_fail(x, 400, "malformed path");
	else if (strcmp(x->head.method, "OPTIONS") == 0 && exchange_origin_allowed(x) &&
		 head_field(&x->head, "access-control-request-method"))
		answer_preflight(x);
	else if (!x->match.route)
		exchange_fail(x, x->match.path_known ? 405 : 404, "%s",
			      x->match.path_known ? "Method Not Allowed" : "Not Found");
	else
		return check_right(x) && check_kind(x);
	return false;
}
