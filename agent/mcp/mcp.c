/* Theory of operation
 *
 * One thread. Everything that may happen stands in one epoll descriptor: input, the
 * end of the output's reader, the order to stop, the tick of progress. While idle the
 * server waits for it itself. While a tool runs, whoever runs it waits, with that
 * descriptor among its own, and calls watch(): requests are then read and answered at
 * once, but for tools/call, which is queued. So a cancellation is seen when it comes.
 *
 * At the end of the input what was asked is still done: `cubby mcp < frames` answers
 * all. A client that is gone shows by the output that nobody reads. */
#include "agent/mcp/mcp.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "agent/mcp/impl.h"
#include "agent/mcp/salvage.h"
#include "base/scope.h"
#include "base/sys/sys.h"

enum { CHUNK = 64 << 10 };

enum source { IN, OUT, STOP, TICK };

/* ---- input --------------------------------------------------------------- */

static void fail(struct mcp *m, int code, const char *text)
{
	mcp_send(m, mcp_rpc_error(NULL, code, text));
}

static void on_batch(struct mcp *m, const struct json *list)
{
	struct mcp_batch *b;

	if (!mcp_method_batches(m)) {
		fail(m, MCP_RPC_BAD_REQUEST,
		     "batches are not part of the negotiated revision");
		return;
	}
	if (!json_len(list)) {
		fail(m, MCP_RPC_BAD_REQUEST, "the batch is empty");
		return;
	}
	b = calloc(1, sizeof(*b));
	if (!b)
		return;
	b->answers = json_array();
	b->open = 1;
	json_each(item, list) mcp_method_message(m, item, b);
	mcp_send_batch_end(m, b);
}

/* What is wrong with a frame, for everybody in it who waits for an answer. */
struct refusal {
	struct json *answers; /* borrowed */
	int code;
	const char *text; /* borrowed */
};

static void on_salvaged(void *ctx, const struct json *id)
{
	const struct refusal *r = ctx;

	(void)json_add(r->answers, mcp_rpc_error(id, r->code, r->text));
}

static void refuse_frame(struct mcp *m, const char *line, size_t len, int code,
			 const char *text)
{
	_cleanup_json_ struct json *answers = json_array();
	struct refusal r = { .answers = answers, .code = code, .text = text };
	size_t n = mcp_salvage(line, len, on_salvaged, &r);

	if (!n)
		fail(m, code, text);
	else if (line[strspn(line, " \t\r\n")] != '[')
		mcp_send(m, json_dup(json_first(answers)));
	else if (mcp_method_batches(m))
		mcp_send(m, take(&answers, NULL));
	else
		json_each(one, answers) mcp_send(m, json_dup(one));
}

/* Says what is unusual in a frame that has the form of JSON. */
static void refuse_json(struct mcp *m, const char *line, size_t len, struct err *why)
{
	_cleanup_json_ struct json *j = NULL;

	if (json_parse_pieces(line, len, &j, ERR_IGNORED) == 0)
		err_wrap(why, "a string holds U+0000, half a surrogate pair or broken "
			      "UTF-8");
	refuse_frame(m, line, len, MCP_RPC_PARSE, why->msg);
}

static void on_frame(void *ctx, const char *line, size_t len, bool whole)
{
	_cleanup_json_ struct json *j = NULL;
	struct err e = ERR_NONE;
	struct mcp *m = ctx;

	if (!whole)
		refuse_frame(m, line, len, MCP_RPC_BAD_REQUEST,
			     "the frame is larger than 16 MiB");
	else if (json_parse(line, len, &j, &e) < 0)
		refuse_json(m, line, len, &e);
	else if (json_type(j) == JSON_ARRAY)
		on_batch(m, j);
	else
		mcp_method_message(m, j, NULL);
}

static void forget(struct mcp *m, int fd)
{
	(void)sys_epoll_ctl(m->epfd, EPOLL_CTL_DEL, fd, NULL);
}

static void read_input(struct mcp *m)
{
	char data[CHUNK];
	ssize_t n = sys_read(m->conf->in_fd, data, sizeof(data));

	if (n == -EAGAIN)
		return;
	if (n > 0) {
		(void)mcp_frame_feed(&m->in, data, (size_t)n, on_frame, m);
		return;
	}
	mcp_frame_end(&m->in, on_frame, m);
	m->eof = true;
	forget(m, m->conf->in_fd);
}

/* ---- what happens -------------------------------------------------------- */

static void happened(struct mcp *m, enum source what)
{
	uint64_t count;

	switch (what) {
	case IN:
		read_input(m);
		break;
	case OUT: /* watched for errors alone: nobody reads it any more */
		forget(m, m->conf->out_fd);
		mcp_send_stop(m);
		break;
	case STOP:
		forget(m, m->conf->stop_fd);
		mcp_send_stop(m);
		break;
	case TICK:
		(void)sys_read(m->timer_fd, &count, sizeof(count));
		mcp_call_tick(m);
	}
}

static void look(struct mcp *m, int timeout_ms)
{
	struct epoll_event evs[4];
	int n = sys_epoll_wait(m->epfd, evs, ARRAY_SIZE(evs), timeout_ms);

	for (int i = 0; i < n && !m->stop; i++)
		happened(m, (enum source)evs[i].data.u32);
}

static void watch(void *ctx)
{
	look(ctx, 0);
}

/* Waits for whatever happens, and lets the tools read what their programs print. */
static void idle(struct mcp *m)
{
	struct aside a = { .fd = -1 };
	struct pollfd p[] = { { .fd = m->epfd, .events = POLLIN },
			      { .fd = -1, .events = POLLIN } };

	if (m->conf->idle)
		a = m->conf->idle(m->conf->ctx);
	if (!a.ready || a.fd < 0) {
		look(m, -1);
		return;
	}
	p[1].fd = a.fd;
	if (sys_poll(p, ARRAY_SIZE(p), -1) < 0)
		return;
	if (p[1].revents)
		a.ready(a.ctx);
	if (p[0].revents)
		look(m, 0);
}

static void on_output(void *ctx, const void *data, size_t len)
{
	mcp_call_output(ctx, data, len);
}

static void on_note(void *ctx, const char *line)
{
	mcp_send_log(ctx, MCP_INFO, line);
}

/* ---- from start to end --------------------------------------------------- */

static int add(struct mcp *m, int fd, uint32_t events, enum source what)
{
	struct epoll_event ev = { .events = events, .data.u32 = what };

	return fd < 0 ? 0 : sys_epoll_ctl(m->epfd, EPOLL_CTL_ADD, fd, &ev);
}

/* Files cannot be waited for: as input they are always ready, as output they have no
 * reader that could go away. */
static int watch_all(struct mcp *m)
{
	int r = add(m, m->conf->in_fd, EPOLLIN, IN);

	m->plain_in = r == -EPERM;
	if (!r || m->plain_in)
		r = add(m, m->conf->out_fd, 0, OUT);
	if (!r || r == -EPERM)
		r = add(m, m->conf->stop_fd, EPOLLIN, STOP);
	if (!r)
		r = add(m, m->timer_fd, EPOLLIN, TICK);
	return r;
}

static void mcp_close(struct mcp *m)
{
	m->stop = true;
	mcp_call_done(m);
	mcp_frame_done(&m->in);
	scope_close(&m->epfd);
	scope_close(&m->timer_fd);
	scope_close(&m->interrupt_fd);
}

static int mcp_open(struct mcp *m, struct err *e)
{
	int r;

	mcp_frame_init(&m->in, MCP_FRAME_MAX);
	m->level = MCP_INFO;
	m->epfd = r = sys_epoll_create();
	if (r >= 0)
		m->timer_fd = r = sys_timerfd();
	if (r >= 0)
		m->interrupt_fd = r = sys_eventfd(0);
	if (r >= 0)
		r = watch_all(m);
	if (r < 0)
		return err_sys(e, r, "cannot serve MCP");
	m->hooks = (struct mcp_hooks){ .interrupt_fd = m->interrupt_fd,
				       .aside = { m->epfd, watch, m },
				       .output = on_output,
				       .note = on_note,
				       .ctx = m };
	return 0;
}

int mcp_serve(const struct mcp_conf *conf, struct err *e)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, old;
	_cleanup_(mcp_close) struct mcp m = {
		.conf = conf, .epfd = -1, .timer_fd = -1, .interrupt_fd = -1
	};
	int r = mcp_open(&m, e);

	if (r < 0)
		return r;
	(void)sys_sigaction(SIGPIPE, &ignore, &old);
	while (!m.stop) {
		if (mcp_call_next(&m))
			continue;
		if (m.eof)
			break;
		if (m.plain_in)
			read_input(&m);
		else
			idle(&m);
	}
	(void)sys_sigaction(SIGPIPE, &old, NULL);
	return m.failed ? err_sys(e, m.failed, "cannot write standard output") : 0;
}
