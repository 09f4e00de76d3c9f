/* What the client gets: messages, the answers to a batch when all are there, its log. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/mcp/impl.h"
#include "agent/mcp/modern.h"
#include "base/sys/sys.h"

enum {
	FRAME_OUT_MAX = 64 << 20, /* a text of 4 MiB, every byte escaped, and more */
	ATOM = PIPE_BUF		  /* a pipe that is ready takes this much at once */
};

/* In the order of enum mcp_level and beyond. Source: RFC 5424. */
static const char *const levels[] = { "debug", "info",	   "notice", "warning",
				      "error", "critical", "alert",  "emergency" };

void mcp_send_stop(struct mcp *m)
{
	uint64_t one = 1;

	m->stop = true;
	(void)sys_write(m->interrupt_fd, &one, sizeof(one));
}

/* Waits for the reader, but no longer than the order to stop. */
static int write_out(struct mcp *m, const char *data, size_t len)
{
	while (len) {
		struct pollfd p[] = { { .fd = m->conf->out_fd, .events = POLLOUT },
				      { .fd = m->conf->stop_fd, .events = POLLIN } };
		ssize_t n = sys_poll(p, ARRAY_SIZE(p), -1);

		if (n < 0 && n != -EINTR)
			return (int)n;
		if (p[0].revents && n > 0) {
			n = sys_write(m->conf->out_fd, data, MIN(len, (size_t)ATOM));
			if (n < 0 && n != -EAGAIN)
				return (int)n;
			if (n > 0) {
				data += n;
				len -= (size_t)n;
			}
		} else if (p[1].revents && n > 0) {
			return -ECANCELED;
		}
	}
	return 0;
}

void mcp_send(struct mcp *m, struct json *message)
{
	_cleanup_json_ struct json *j = message;
	_cleanup_buf_ struct buf b = BUF_INIT(FRAME_OUT_MAX);
	int r;

	if (!j || m->stop)
		return;
	if (json_print(j, false, &b) < 0 || buf_addc(&b, '\n') < 0)
		return;
	r = write_out(m, b.data, b.len);
	if (r == 0)
		return;
	/* a client that is gone needs no answers, and no more does one that said stop */
	if (r != -EPIPE && r != -ECONNRESET && r != -ECANCELED)
		m->failed = r;
	mcp_send_stop(m);
}

void mcp_send_batch_end(struct mcp *m, struct mcp_batch *b)
{
	if (--b->open)
		return;
	if (json_len(b->answers))
		mcp_send(m, take(&b->answers, NULL));
	json_free(&b->answers);
	free(b);
}

void mcp_send_answer(struct mcp *m, struct mcp_batch *batch, struct json *message)
{
	if (!batch) {
		mcp_send(m, message);
		return;
	}
	if (message)
		(void)json_add(batch->answers, message);
	mcp_send_batch_end(m, batch);
}

struct json *mcp_send_server(const struct mcp *m)
{
	struct json *i = json_object();

	json_set_str(i, "name", "cubby");
	json_set_str(i, "version", m->conf->version);
	return i;
}

void mcp_send_result(struct mcp *m, struct mcp_batch *batch, const struct json *id,
		     struct json *result, bool modern, bool kept)
{
	if (modern)
		(void)mcp_modern_result(result, mcp_send_server(m), kept);
	mcp_send_answer(m, batch, mcp_rpc_result(id, result));
}

bool mcp_send_level(struct mcp *m, const char *level)
{
	for (size_t i = 0; level && i < ARRAY_SIZE(levels); i++)
		if (!strcmp(level, levels[i])) {
			m->level = i;
			return true;
		}
	return false;
}

void mcp_send_log(struct mcp *m, enum mcp_level level, const char *text)
{
	struct json *p;

	if (!m->revision || level < m->level || (m->running && m->running->modern))
		return;
	p = json_object();
	json_set_str(p, "level", levels[level]);
	json_set_str(p, "logger", "cubby");
	json_set_str(p, "data", text);
	mcp_send(m, mcp_rpc_notify("notifications/message", p));
}
