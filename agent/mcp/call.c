#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/mcp/impl.h"
#include "agent/mcp/modern.h"
#include "base/sys/sys.h"
#include "base/text.h"

enum {
	TICK_MS = 500, /* progress is told at most this often, */
	SILENT_MS =
		5000 /* and this often when there is nothing new: the client may give
			    up on a request that says nothing */
};

static void call_free(struct mcp_call **cp)
{
	struct mcp_call *c = take(cp, NULL);

	if (!c)
		return;
	json_free(&c->id);
	json_free(&c->args);
	json_free(&c->token);
	free(c);
}

/* ---- the queue ----------------------------------------------------------- */

static const struct tool *offered(const struct mcp *m, const char *name)
{
	for (size_t i = 0; name && i < m->conf->tool_count; i++)
		if (!strcmp(name, m->conf->tools[i].name) &&
		    strcmp(name, "finish") != 0)
			return &m->conf->tools[i];
	return NULL;
}

static bool is_used(const struct mcp *m, const struct json *id)
{
	if (m->running && mcp_rpc_same_id(m->running->id, id))
		return true;
	for (const struct mcp_call *c = m->head; c; c = c->next)
		if (mcp_rpc_same_id(c->id, id))
			return true;
	return false;
}

static struct mcp_call *call_new(const struct mcp_rpc *rq, const struct tool *tool,
				 struct mcp_batch *batch)
{
	const struct json *args = json_get(rq->params, "arguments");
	const struct json *token =
		json_get(json_get(rq->params, "_meta"), "progressToken");
	struct mcp_call *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->tool = tool;
	c->batch = batch;
	c->modern = mcp_modern(rq);
	c->id = json_dup(rq->id);
	c->args = args ? json_dup(args) : json_object();
	if (mcp_rpc_is_id(token)) /* it has the same form */
		c->token = json_dup(token);
	if (!c->id || !c->args)
		call_free(&c);
	return c;
}

static void refuse(struct mcp *m, const struct mcp_rpc *rq, struct mcp_batch *batch,
		   int code, const char *text)
{
	mcp_send_answer(m, batch, mcp_rpc_error(rq->id, code, text));
}

void mcp_call_request(struct mcp *m, const struct mcp_rpc *rq, struct mcp_batch *batch)
{
	const char *name = json_get_str(rq->params, "name");
	const struct tool *tool = offered(m, name);
	struct mcp_call *c, **end = &m->head;
	char text[120], shown[80];

	if (!tool) {
		snprintf(text, sizeof(text), "no tool '%s'",
			 name ? text_escaped(shown, sizeof(shown), name, strlen(name))
			      : "");
		refuse(m, rq, batch, MCP_RPC_BAD_PARAMS, text);
		return;
	}
	if (is_used(m, rq->id)) {
		refuse(m, rq, batch, MCP_RPC_BAD_REQUEST, "this id is in use");
		return;
	}
	c = m->waiting < MCP_WAITING_MAX ? call_new(rq, tool, batch) : NULL;
	if (!c) {
		refuse(m, rq, batch, MCP_RPC_BUSY, "too many calls wait");
		return;
	}
	while (*end)
		end = &(*end)->next;
	*end = c;
	m->waiting++;
}

void mcp_call_cancel(struct mcp *m, const struct json *id)
{
	uint64_t one = 1;

	if (m->running && mcp_rpc_same_id(m->running->id, id)) {
		m->cancelled = true;
		(void)sys_write(m->interrupt_fd, &one, sizeof(one));
		return;
	}
	for (struct mcp_call **at = &m->head; *at; at = &(*at)->next) {
		struct mcp_call *c = *at;

		if (!mcp_rpc_same_id(c->id, id))
			continue;
		*at = c->next;
		m->waiting--;
		mcp_send_answer(m, c->batch, NULL);
		call_free(&c);
		return;
	}
}

void mcp_call_done(struct mcp *m)
{
	while (m->head) {
		struct mcp_call *c = m->head;

		m->head = c->next;
		mcp_send_answer(m, c->batch, NULL);
		call_free(&c);
	}
	m->waiting = 0;
}

/* ---- progress ------------------------------------------------------------ */

static void set_timer(struct mcp *m, bool on)
{
	struct timespec t = { .tv_nsec = on ? TICK_MS * 1000000L : 0 };
	struct itimerspec when = { t, t };

	(void)sys_timerfd_set(m->timer_fd, &when);
}

static void keep_line(struct mcp_progress *p, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!memchr(" \t\n", s[i], 3)) {
			text_escaped(p->said, sizeof(p->said), s + i, len - i);
			return;
		}
}

/* Whole lines, as output.h hands them on. */
static void on_text(void *ctx, const char *text, size_t len)
{
	while (len) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) : len;

		keep_line(ctx, text, n);
		n += end != NULL;
		text += n;
		len -= n;
	}
}

void mcp_call_output(struct mcp *m, const void *data, size_t len)
{
	if (!m->running || !m->running->token)
		return;
	output_feed(&m->progress.output, data, len);
	m->progress.fresh = true;
}

void mcp_call_tick(struct mcp *m)
{
	_cleanup_json_ struct json *params = NULL;
	struct mcp_progress *p = &m->progress;
	uint64_t now = sys_now_ms();
	char text[MCP_SAID + 64];

	if (!m->running || !m->running->token || m->cancelled)
		return;
	if (!p->fresh && now - p->told_ms < SILENT_MS)
		return;
	keep_line(p, p->output.line, p->output.len); /* a line that has no end yet */
	snprintf(text, sizeof(text), "%s%s%s", text_ms(now - p->began_ms),
		 p->said[0] ? ": " : "", p->said);
	p->value = MAX((int64_t)(now - p->began_ms), p->value + 1);
	p->told_ms = now;
	p->fresh = false;
	params = json_object();
	json_set(params, "progressToken", json_dup(m->running->token));
	json_set_int(params, "progress", p->value);
	json_set_str(params, "message", text);
	if (json_failed(params) == 0)
		mcp_send(m,
			 mcp_rpc_notify("notifications/progress", take(&params, NULL)));
}

static void begin_progress(struct mcp *m)
{
	struct mcp_progress *p = &m->progress;

	if (!m->running->token)
		return;
	output_init(&p->output, on_text, NULL, p);
	p->said[0] = '\0';
	p->fresh = false;
	p->began_ms = p->told_ms = sys_now_ms();
	p->value = 0;
	set_timer(m, true);
}

/* ---- running ------------------------------------------------------------- */

static struct json *content(const struct tool_result *res)
{
	struct json *list = json_array(), *block = json_object();

	json_set_str(block, "type", "text");
	json_set(block, "text", json_stringn(res->text.data, res->text.len));
	json_add(list, block);
	if (res->picture) {
		block = json_object();
		json_set_str(block, "type", "image");
		json_set_str(block, "data", res->picture);
		json_set_str(block, "mimeType", res->mime);
		json_add(list, block);
	}
	return list;
}

/* For programs: the text says all of it to a model. */
static struct json *meta(const struct tool_result *res)
{
	struct json *m = json_object();

	json_set_int(m, "cubby/timeMs", (int64_t)res->time_ms);
	if (res->state[0])
		json_set_str(m, "cubby/state", res->state);
	if (res->exit >= 0)
		json_set_int(m, "cubby/exit", res->exit);
	if (res->cwd)
		json_set_str(m, "cubby/cwd", res->cwd);
	if (res->log_path)
		json_set_str(m, "cubby/logPath", res->log_path);
	return m;
}

static struct json *result_of(const struct tool_result *res)
{
	_cleanup_json_ struct json *j = json_object();

	json_set(j, "content", content(res));
	json_set_bool(j, "isError", res->outcome == TOOL_ERROR);
	json_set(j, "_meta", meta(res));
	return json_failed(j) < 0 ? NULL : take(&j, NULL);
}

static void answer(struct mcp *m, const struct mcp_call *c, int r,
		   const struct tool_result *res, const struct err *e)
{
	struct json *result = r < 0 ? NULL : result_of(res);

	if (m->cancelled)
		json_free(&result);
	if (m->cancelled)
		mcp_send_answer(m, c->batch, NULL);
	else if (result)
		mcp_send_result(m, c->batch, c->id, result, c->modern, false);
	else
		mcp_send_answer(m, c->batch,
				mcp_rpc_error(c->id, MCP_RPC_INTERNAL,
					      r < 0 ? e->msg : "out of memory"));
}

bool mcp_call_next(struct mcp *m)
{
	_cleanup_(call_free) struct mcp_call *c = m->head;
	_cleanup_tool_result_ struct tool_result res;
	struct err e = ERR_NONE;
	uint64_t count;
	int r;

	tool_result_init(&res);
	if (!c)
		return false;
	m->head = c->next;
	m->waiting--;
	m->running = c;
	m->cancelled = false;
	(void)sys_read(m->interrupt_fd, &count, sizeof(count)); /* of an earlier call */
	mcp_send_log(m, MCP_DEBUG, c->tool->name);
	begin_progress(m);
	r = m->conf->run(m->conf->ctx, &m->hooks, c->tool->name, c->args, &res, &e);
	set_timer(m, false);
	m->running = NULL;
	if (r < 0 && !m->cancelled && !c->modern)
		mcp_send_log(m, MCP_ERROR, e.msg);
	answer(m, c, r, &res, &e);
	return true;
}
