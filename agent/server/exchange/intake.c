/* Theory of operation
 *
 * What comes of a request on its way to the handler: the head, whose lines are complete
 * before anything is believed of them, and the body, which a route has as JSON, in pieces,
 * or not at all. A handler that works in a box is run when that is there. */
#include <errno.h>
#include <string.h>

#include "agent/server/exchange/impl.h"
#include "base/sys/sys.h"

enum {
	DISCARD_MAX = 64 << 10,
	VALUES_MAX = 128 << 10, /* of a body of JSON */
};

/* ---- to the handler ------------------------------------------------------------- */

static void run_handler(struct exchange *x)
{
	struct err e = ERR_NONE;
	int r;

	x->state = EXCHANGE_BUSY;
	x->deadline_ms = UINT64_MAX;
	r = x->match.route->run(x, &e);
	if (r < 0 && !x->begun)
		exchange_fail_err(x, &e);
	else if (r < 0)
		exchange_cut(x);
	x->kick |= x->streams;
	exchange_watch(x);
}

static void on_box(void *ctx, const struct err *e)
{
	struct exchange *x = ctx;

	x->waiting = false;
	if (x->state == EXCHANGE_DEAD)
		return;
	if (e)
		exchange_fail(x, 503, "%s", e->msg);
	else
		run_handler(x);
}

static void dispatch(struct exchange *x)
{
	const struct tenant_who who = exchange_who(x);
	struct err e = ERR_NONE;

	if (!x->match.route->box) {
		run_handler(x);
		return;
	}
	x->state = EXCHANGE_BUSY;
	x->deadline_ms = UINT64_MAX;
	if (tenants_get(x->server->tenants, &who, &x->tenant, &e) < 0) {
		exchange_fail_err(x, &e);
		return;
	}
	tenant_hold(x->tenant);
	x->waiting = true;
	x->wait = (struct tenant_wait){ .ready = on_box, .ctx = x };
	tenant_open(x->tenant, &x->wait);
}

/* ---- the body ------------------------------------------------------------------- */

/* The next bytes of it at the front of x->in: 1 = there were some, or it is complete. */
static int next_part(struct exchange *x, struct chunked_data *d, size_t *used)
{
	int r;

	*d = (struct chunked_data){ x->in.data, 0 };
	*used = 0;
	if (x->head.length != HEAD_CHUNKED) {
		*used = d->len = (size_t)MIN((uint64_t)x->in.len, x->body_left);
		x->body_left -= d->len;
		x->body_done = !x->body_left;
		return x->body_done || d->len;
	}
	if (!x->in.len)
		return 0;
	r = chunked_feed(&x->chunked, x->in.data, x->in.len, used, d);
	x->body_done = r == 1;
	return r < 0 ? r : r || *used;
}

static void refuse_body(struct exchange *x, int status, const char *why)
{
	exchange_gone(x);
	if (x->begun)
		exchange_cut(x);
	else
		exchange_fail(x, status, "%s", why);
}

/* false = it was refused */
static bool take_part(struct exchange *x, const struct chunked_data *d)
{
	const struct route *route = x->match.route;

	if (x->streams) {
		if (d->len && x->hooks && x->hooks->body)
			x->hooks->body(x->ctx, d->data, d->len);
		return x->state == EXCHANGE_BUSY;
	}
	x->discarded += d->len;
	if (route->body == ROUTE_NO_BODY && x->discarded <= DISCARD_MAX)
		return true;
	if (route->body == ROUTE_JSON && share_hold(x, d->len) < 0) {
		refuse_body(x, 503, "too many large bodies at once; try again");
		return false;
	}
	if (route->body == ROUTE_JSON && buf_add(&x->body, d->data, d->len) == 0)
		return true;
	refuse_body(x, 413, "the body is too large");
	return false;
}

static bool parse_body(struct exchange *x)
{
	size_t left = VALUES_MAX, taken;
	struct err e = ERR_NONE;
	int r;

	if (x->match.route->body != ROUTE_JSON || !x->body.len)
		return true;
	r = json_parse_within(x->body.data, x->body.len, &left, &x->json, &e);
	if (r < 0) {
		exchange_fail(x, r == -E2BIG ? 413 : 422, "the body: %s", e.msg);
		return false;
	}
	taken = (VALUES_MAX - left) * JSON_VALUE_BYTES;
	x->counted += taken;
	x->server->counts.held += taken;
	buf_done(&x->body);
	return true;
}

void intake_body(struct exchange *x)
{
	while (!x->body_done && !x->paused) {
		struct chunked_data d;
		size_t used;
		int r = next_part(x, &d, &used);

		if (r < 0) {
			refuse_body(x, 400, "malformed chunk");
			return;
		}
		if (r == 0)
			return;
		/* what nobody asked for comes at once, or not at all */
		if (x->match.route->body != ROUTE_NO_BODY)
			x->deadline_ms = sys_now_ms() + EXCHANGE_STALL_MS;
		if (d.len && !take_part(x, &d))
			return;
		buf_consume(&x->in, used);
	}
	if (!x->body_done)
		return;
	if (!x->streams) {
		if (parse_body(x))
			dispatch(x);
		return;
	}
	x->streams = false;
	x->deadline_ms = UINT64_MAX;
	if (x->hooks && x->hooks->body)
		x->hooks->body(x->ctx, NULL, 0);
}

/* ---- the head ------------------------------------------------------------------- */

static void on_head(struct exchange *x)
{
	x->began_ms = sys_now_ms();
	x->server->counts.requests++;
	x->body_done = x->head.length == 0;
	x->body_left = x->head.length > 0 ? (uint64_t)x->head.length : 0;
	if (!admit_request(x))
		return;
	buf_init(&x->body, EXCHANGE_JSON_MAX);
	if (x->head.expects && !x->body_done &&
	    buf_adds(&x->out, "HTTP/1.1 100 Continue\r\n\r\n") == 0)
		exchange_push(x);
	if (x->match.route->body == ROUTE_STREAM) {
		x->streams = !x->body_done;
		dispatch(x);
		return;
	}
	exchange_enter(x, EXCHANGE_BODY,
		       x->match.route->body == ROUTE_NO_BODY ? EXCHANGE_HEAD_MS
							     : EXCHANGE_STALL_MS);
	intake_body(x);
}

void intake_refuse(struct exchange *x, int status, const char *why)
{
	x->close = true;
	x->server->counts.refused++;
	x->state = EXCHANGE_BUSY;
	x->began_ms = sys_now_ms();
	exchange_fail(x, status, "%s", why);
}

/* One empty line before a request, as some clients send behind a body, is passed over (RFC
 * 9112, 2.2). false = there is no more than that. */
static bool skip_line(struct exchange *x)
{
	if (x->blank || x->in.len < 2 || memcmp(x->in.data, "\r\n", 2) != 0)
		return true;
	buf_consume(&x->in, 2);
	x->blank = true;
	if (!x->in.len)
		exchange_enter(x, EXCHANGE_HEAD,
			       x->served ? EXCHANGE_KEEP_MS : EXCHANGE_HEAD_MS);
	return x->in.len;
}

void intake_head(struct exchange *x)
{
	size_t n;
	int r;

	if (!skip_line(x))
		return;
	n = head_length(buf_cstr(&x->in), x->in.len);
	if (!n) {
		if (x->in.len >= HEAD_MAX)
			intake_refuse(x, 431, "the head is too large");
		return;
	}
	x->head_text = strndup(x->in.data, n);
	if (!x->head_text || strlen(x->head_text) != n) {
		intake_refuse(x, 400, "malformed head");
		return;
	}
	buf_consume(&x->in, n);
	r = head_parse(x->head_text, n, &x->head);
	if (r) {
		const char *why = x->head.wrong;

		x->head = (struct head){ .query = "" }; /* nothing of it is believed */
		intake_refuse(x, r, why);
		return;
	}
	on_head(x);
}
