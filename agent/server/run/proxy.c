/* Theory of operation
 *
 * A request for a port of the box goes through a program of the box's init that connects
 * there: its standard input and output are the connection. The request is sent on with
 * "Connection: close", and what comes back goes to the client as it is, to the end that its
 * head says, which was looked at (relay.h): a connection from a proxy in front may be another
 * user's the moment after, so nothing of the box decides how long it lives. Then the
 * client's connection is closed, too. So answers of any kind and length pass, and a
 * WebSocket is no more than bytes in both directions. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>

#include "agent/server/conf/conf.h"
#include "agent/server/exchange/exchange.h"
#include "agent/server/http/head.h"
#include "agent/server/http/relay.h"
#include "agent/server/tenant/tenant.h"
#include "base/loop.h"
#include "base/num.h"
#include "base/sys/sys.h"

enum { CHUNK = 64 << 10, HEAD_OUT = 96 << 10, IN_MAX = 2 << 20, SAID = 512 };

struct proxy {
	struct exchange *x;
	struct loop *loop;
	struct tenant_program program;
	int fds[3];		     /* owned */
	struct loop_source *ends[3]; /* owned by the loop */
	struct buf in;		     /* on its way into the box */
	struct buf head;	     /* of the answer, until it is complete */
	struct relay relay;
	char said[SAID + 1];
	bool chunked, begun, exited;
};

static void proxy_free(struct proxy *p)
{
	tenant_forget(&p->program);
	for (int i = 0; i < 3; i++)
		loop_remove(p->loop, &p->ends[i]);
	scope_close_set(p->fds, 3);
	buf_done(&p->in);
	buf_done(&p->head);
	free(p);
}

static void close_end(struct proxy *p, int i)
{
	loop_remove(p->loop, &p->ends[i]);
	scope_close_set(&p->fds[i], 1);
}

/* Whose ports are told from others': what nobody listens on in this box may be another's. */
static bool is_of_user(const struct exchange *x)
{
	return exchange_conf(x)->boxes && exchange_header(x, "x-user-id");
}

/* Nothing more will come out of the box. */
static void finish(struct proxy *p)
{
	struct exchange *x = p->x;
	char *text = NULL;
	long code = strtol(p->said, &text, 10);
	bool begun = p->begun;
	char why[SAID] = "the port has ended the connection";

	if (code > 0 && *text == ' ')
		snprintf(why, sizeof(why), "%.*s", (int)strcspn(text + 1, "\n"),
			 text + 1);
	proxy_free(p);
	exchange_later(x, NULL, NULL);
	if (begun)
		exchange_raw_end(x);
	else if (code == ECONNREFUSED && is_of_user(x))
		exchange_fail(x, 404, "Port not found");
	else
		exchange_fail(x, 502, "%s", why);
}

static void watch(struct proxy *p)
{
	if (p->ends[0])
		(void)loop_modify(p->loop, p->ends[0], p->in.len ? EPOLLOUT : 0);
	if (p->ends[1])
		(void)loop_modify(p->loop, p->ends[1],
				  exchange_backlog(p->x) > EXCHANGE_FULL ? 0 : EPOLLIN);
}

static int on_input(void *ctx, uint32_t, struct err *)
{
	struct proxy *p = ctx;
	ssize_t n = p->in.len ? sys_write(p->fds[0], p->in.data, p->in.len) : 0;

	if (n > 0)
		buf_consume(&p->in, (size_t)n);
	else if (n < 0 && n != -EAGAIN)
		close_end(p, 0);
	if (p->in.len < EXCHANGE_FULL / 2)
		exchange_pause(p->x, false);
	watch(p);
	return 0;
}

/* More of the answer's body. Behind its end nothing is passed on. */
static void pass_body(struct proxy *p, const char *data, size_t len)
{
	ssize_t n = relay_body(&p->relay, data, len);

	if (n > 0)
		exchange_raw_write(p->x, data, (size_t)n);
	if (n < 0 || p->relay.whole) {
		close_end(p, 1);
		finish(p);
	} else {
		watch(p);
	}
}

/* More of the answer's head. */
static int take_head(struct proxy *p, const char *data, size_t len)
{
	_cleanup_buf_ struct buf out = BUF_INIT(2L * RELAY_HEAD_MAX);
	_cleanup_buf_ struct buf rest = BUF_INIT(0);
	ssize_t n = buf_add(&p->head, data, len);

	while (n >= 0 && !out.len) {
		n = relay_head(&p->relay, p->head.data, p->head.len, &out);
		if (n == 0)
			return 0;
		if (n > 0)
			buf_consume(&p->head, (size_t)n);
	}
	if (n < 0) {
		(void)snprintf(p->said, sizeof(p->said),
			       "%d the port's answer is no HTTP", EPROTO);
		close_end(p, 1);
		finish(p);
		return 0;
	}
	p->begun = true;
	exchange_raw_begin(p->x, p->relay.status == 101);
	exchange_raw_write(p->x, out.data, out.len);
	rest = take(&p->head, BUF_INIT(0));
	pass_body(p, rest.data, rest.len);
	return 0;
}

static int on_output(void *ctx, uint32_t, struct err *)
{
	struct proxy *p = ctx;
	char data[CHUNK];
	ssize_t n = sys_read(p->fds[1], data, sizeof(data));

	if (n > 0 && p->begun) {
		pass_body(p, data, (size_t)n);
	} else if (n > 0) {
		return take_head(p, data, (size_t)n);
	} else if (n != -EAGAIN) {
		close_end(p, 1);
		if (p->exited || p->begun)
			finish(p);
	}
	return 0;
}

static int on_said(void *ctx, uint32_t, struct err *)
{
	struct proxy *p = ctx;
	size_t len = strlen(p->said);
	char data[SAID];
	ssize_t n = sys_read(p->fds[2], data, sizeof(data));

	if (n > 0)
		memcpy(p->said + len, data, MIN((size_t)n, SAID - len));
	else if (n != -EAGAIN)
		close_end(p, 2);
	return 0;
}

static void on_started(void *ctx, struct box_proc *proc, const struct err *e)
{
	static loop_fn *const fns[3] = { on_input, on_output, on_said };
	struct proxy *p = ctx;
	int r = e ? e->code : 0;

	for (int i = 0; i < 3 && r == 0; i++) {
		p->fds[i] = take(&proc->fds[i], -1);
		sys_setfl(p->fds[i], (i ? O_RDONLY : O_WRONLY) | O_NONBLOCK);
		r = loop_add(p->loop, p->fds[i], i ? EPOLLIN : EPOLLOUT, fns[i], p,
			     &p->ends[i]);
	}
	if (r < 0)
		finish(p);
}

static void on_exited(void *ctx, const struct box_exit *)
{
	struct proxy *p = ctx;

	p->exited = true;
	if (p->fds[2] >= 0)
		(void)on_said(p, 0, ERR_IGNORED);
	if (p->fds[1] < 0)
		finish(p);
}

/* ---- the client ----------------------------------------------------------------------- */

static void on_gone(void *ctx)
{
	proxy_free(ctx);
}

static void on_drained(void *ctx)
{
	watch(ctx);
}

static void on_body(void *ctx, const char *data, size_t len)
{
	struct proxy *p = ctx;

	if (p->chunked)
		buf_addf(&p->in, "%zx\r\n", len);
	buf_add(&p->in, data, len);
	if (p->chunked)
		buf_adds(&p->in, "\r\n");
	if (p->in.len > EXCHANGE_FULL)
		exchange_pause(p->x, true);
	watch(p);
}

static const struct exchange_hooks hooks = { .gone = on_gone,
					     .drained = on_drained,
					     .body = on_body };

/* Fields that are about this connection, or for this server alone. */
static bool stays(const char *name)
{
	static const char *const names[] = { "host",
					     "connection",
					     "authorization",
					     "transfer-encoding",
					     "content-length",
					     "keep-alive",
					     "proxy-connection",
					     "http2-settings",
					     "proxy-authorization",
					     "te",
					     "trailer",
					     "expect",
					     "upgrade",
					     "x-user-id",
					     "x-cubby-box",
					     "x-session-id",
					     "x-terminal-context-id" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* The request as the program behind the port gets it. */
static int write_head(struct proxy *p, const char *port)
{
	const struct head *h = exchange_head(p->x);
	const char *rest = strchr(h->path + strlen("/proxy/"), '/');

	buf_addf(&p->in, "%s %s%s%s HTTP/1.1\r\nHost: localhost:%s\r\n", h->method,
		 rest, *h->query ? "?" : "", h->query, port);
	for (unsigned i = 0; i < h->count; i++)
		if (!stays(h->fields[i].name) &&
		    !head_connection(h, h->fields[i].name)) /* RFC 9110, 7.6.1 */
			buf_addf(&p->in, "%s: %s\r\n", h->fields[i].name,
				 h->fields[i].value);
	if (h->websocket)
		buf_adds(&p->in, "Connection: Upgrade\r\nUpgrade: websocket\r\n");
	else
		buf_adds(&p->in, "Connection: close\r\n");
	p->chunked = h->length == HEAD_CHUNKED;
	if (p->chunked)
		buf_adds(&p->in, "Transfer-Encoding: chunked\r\n");
	else if (head_field(h, "content-length"))
		buf_addf(&p->in, "Content-Length: %lld\r\n", (long long)h->length);
	buf_adds(&p->in, "\r\n");
	return buf_failed(&p->in);
}

static int proxy(struct exchange *x, struct err *e)
{
	const char *port = exchange_param(x, "port");
	const char *const argv[] = { "connect", port, NULL };
	const struct box_command c = {
		.argv = argv, .cwd = "/", .io = BOX_IO_PIPES, .applet = true
	};
	const struct head *head = exchange_head(x);
	struct proxy *p;
	uint64_t n;
	int r;

	if (num_range(port, 1, 65535, &n) < 0)
		return err_set(e, -EBADMSG, "bad port");
	p = calloc(1, sizeof(*p));
	if (!p)
		return err_sys(e, -ENOMEM, "cannot connect");
	*p = (struct proxy){
		.x = x,
		.loop = exchange_loop(x),
		.fds = { -1, -1, -1 },
		.in = BUF_INIT(IN_MAX),
		.head = BUF_INIT(RELAY_HEAD_MAX + CHUNK),
		.relay = { .websocket = head->websocket,
			   .to_head = strcmp(head->method, "HEAD") == 0 },
		.program = { .started = on_started, .exited = on_exited, .ctx = p }
	};
	r = write_head(p, port);
	if (r < 0)
		r = err_sys(e, r, "cannot connect");
	else
		r = tenant_run(exchange_tenant(x), &c, &p->program, e);
	if (r < 0) {
		proxy_free(p);
		return r;
	}
	exchange_later(x, &hooks, p);
	return 0;
}

static const struct route rows[] = {
	{ "*", "/proxy/{port}/{rest*}", proxy, ROUTE_KEY, ROUTE_STREAM, .box = true },
};

const struct route_table proxy_routes = { rows, ARRAY_SIZE(rows) };
