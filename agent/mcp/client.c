/* The program is started with pipes. One question at a time: while its answer is awaited the
 * server may say what it likes; only the answer with our number counts, a ping is answered,
 * and other questions are refused. It is ended when it floods, and started again by the next
 * call when it has ended, a few times. */
#include "agent/mcp/client.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "agent/mcp/foreign.h"
#include "agent/mcp/frame.h"
#include "agent/mcp/rpc.h"
#include "base/sys/sys.h"
#include "base/text.h"

enum {
	FRAME_MAX = 4 << 20,
	SEND_MAX = 8 << 20,
	REPLIES_MAX = 64 << 10, /* to its own questions, while it reads none */
	FLOOD_MAX = 64 << 20,	/* bytes before an answer */
	SAID_MAX = 1000,
	CHUNK = 64 << 10,
	START_MS = 60 * 1000,
	CALL_MS = 600 * 1000,
	PAGES_MAX = 16,
	STARTS_MAX = 5
};

/* A tool of the server: ctx of its plug. */
struct offered {
	struct mcp_client *c; /* borrowed */
	char *name;	      /* owned; as the server calls it */
};

struct mcp_client {
	struct mcp_client_conf conf;
	struct box_proc p; /* owned */
	bool running, greeted;
	unsigned starts;
	struct mcp_frame in;	 /* owned */
	struct buf out;		 /* owned; what it has not read yet */
	struct buf said;	 /* owned; the end of its standard error */
	int64_t id;		 /* of the question that is open */
	struct json *answer;	 /* owned */
	bool large;		 /* a frame did not fit */
	uint64_t came;		 /* bytes since the question */
	struct sigaction broken; /* of SIGPIPE, during a question */
	struct offered tools[MCP_CLIENT_TOOLS];
	size_t n, words; /* bytes of their descriptions */
};

/* ---- the program ---- */

static int in_box_spawn(void *ctx, const struct box_command *c, struct box_proc *ret,
			struct err *e)
{
	return box_spawn(ctx, c, ret, e);
}

static void in_box_end(void *ctx, struct box_proc *p)
{
	(void)box_kill_session(ctx, p->id, ERR_IGNORED);
}

struct mcp_client_port mcp_client_box(struct box *box)
{
	return (struct mcp_client_port){ in_box_spawn, in_box_end, box };
}

static void stop(struct mcp_client *c)
{
	if (!c->running)
		return;
	c->running = false;
	c->conf.port.end(c->conf.port.ctx, &c->p);
	box_proc_done(&c->p);
}

int mcp_client_start(struct mcp_client *c, struct err *e)
{
	const struct box_command cmd = { .argv = c->conf.argv,
					 .env = c->conf.env,
					 .user = c->conf.user,
					 .io = BOX_IO_PIPES };
	int r;

	if (c->starts == STARTS_MAX)
		return err_set(e, -EPIPE, "it ended %d times and is not started again",
			       STARTS_MAX);
	c->p = BOX_PROC_NONE;
	r = c->conf.port.spawn(c->conf.port.ctx, &cmd, &c->p, e);
	if (r < 0)
		return r;
	c->running = true;
	c->greeted = false;
	c->starts++;
	mcp_frame_done(&c->in);
	mcp_frame_init(&c->in, FRAME_MAX);
	buf_truncate(&c->out, 0);
	buf_truncate(&c->said, 0);
	for (int i = 0; i < 3; i++)
		sys_setfl(c->p.fds[i], (i ? O_RDONLY : O_WRONLY) | O_NONBLOCK);
	return 0;
}

/* ---- what it says ---- */

static int post(struct mcp_client *c, struct json *message)
{
	_cleanup_json_ struct json *m = message;
	size_t before = c->out.len;
	int r = json_print(m, false, &c->out);

	if (r == 0 && buf_addc(&c->out, '\n') < 0) {
		buf_truncate(&c->out, before);
		r = -EMSGSIZE;
	}
	return r;
}

static void on_frame(void *ctx, const char *line, size_t len, bool whole)
{
	_cleanup_json_ struct json *j = NULL;
	struct mcp_client *c = ctx;
	struct mcp_rpc m;
	int64_t id = 0;

	c->large |= !whole;
	if (!whole || json_parse(line, len, &j, ERR_IGNORED) < 0)
		return; /* some greet a person on their standard output */
	mcp_rpc_read(j, &m);
	if (m.kind == MCP_RPC_RESPONSE && !c->answer && json_int(m.id, &id) == 0 &&
	    id == c->id)
		c->answer = take(&j, NULL);
	else if (m.kind == MCP_RPC_REQUEST && c->out.len < REPLIES_MAX)
		(void)post(c,
			   strcmp(m.method, "ping") == 0
				   ? mcp_rpc_result(m.id, json_object())
				   : mcp_rpc_error(m.id, MCP_RPC_NO_METHOD,
						   "this client has no such method"));
}

/* Return: false: it has ended. */
static bool read_some(struct mcp_client *c, int i)
{
	char data[CHUNK];
	ssize_t n = sys_read(c->p.fds[i], data, sizeof(data));
	size_t last;

	if (n == -EAGAIN || n == -EINTR)
		return true;
	if (n <= 0)
		return false;
	c->came += (uint64_t)n;
	if (i == 1)
		return mcp_frame_feed(&c->in, data, (size_t)n, on_frame, c) >= 0;
	last = MIN((size_t)n, (size_t)SAID_MAX);
	if (c->said.len + last > SAID_MAX)
		buf_consume(&c->said, c->said.len + last - SAID_MAX);
	buf_add(&c->said, data + n - last, last);
	return true;
}

static int has_ended(struct mcp_client *c, struct err *e)
{
	char shown[300];

	while (c->p.fds[2] >= 0 &&
	       sys_poll(&(struct pollfd){ c->p.fds[2], POLLIN, 0 }, 1, 100) > 0)
		if (!read_some(c, 2))
			break;
	while (c->said.len && strchr(" \r\n", c->said.data[c->said.len - 1]))
		buf_truncate(&c->said, c->said.len - 1);
	if (c->said.len > sizeof(shown) / 2)
		buf_consume(&c->said, c->said.len - sizeof(shown) / 2);
	text_escaped(shown, sizeof(shown), buf_cstr(&c->said), c->said.len);
	stop(c);
	return err_set(e, -EPIPE, "it has ended%s%s",
		       *shown ? "; its last words: " : "", shown);
}

static void write_some(struct mcp_client *c)
{
	ssize_t n = sys_write(c->p.fds[0], c->out.data, c->out.len);

	if (n > 0)
		buf_consume(&c->out, (size_t)n);
	else if (n < 0 && n != -EAGAIN && n != -EINTR)
		buf_truncate(&c->out, 0); /* it reads no more: its end says why */
}

/* ---- a question ---- */

static int give_up(struct mcp_client *c, int code, const char *why, struct err *e)
{
	struct json *params = json_object();

	json_set_int(params, "requestId", c->id);
	if (post(c, mcp_rpc_notify("notifications/cancelled", params)) == 0)
		write_some(c);
	return err_set(e, code, "%s", why);
}

static int step(struct mcp_client *c, uint64_t until, struct err *e)
{
	const struct aside *aside = &c->conf.aside;
	struct pollfd f[] = {
		{ c->out.len ? c->p.fds[0] : -1, POLLOUT, 0 },
		{ c->p.fds[1], POLLIN, 0 },
		{ c->p.fds[2], POLLIN, 0 },
		{ c->conf.interrupt_fd > 0 ? c->conf.interrupt_fd : -1, POLLIN, 0 },
		{ aside->ready ? aside->fd : -1, POLLIN, 0 },
	};
	uint64_t now = sys_now_ms();
	int n = now < until ? sys_poll(f, ARRAY_SIZE(f),
				       (int)MIN(until - now, (uint64_t)INT32_MAX))
			    : 0;

	if (n == -EINTR)
		return 0;
	if (n <= 0)
		return give_up(c, -ETIMEDOUT, "it does not answer in time", e);
	if (f[3].revents)
		return give_up(c, -EINTR, "the person interrupted the call", e);
	if (f[4].revents && aside->ready)
		aside->ready(aside->ctx);
	if (f[0].revents)
		write_some(c);
	if (f[2].revents && !read_some(c, 2))
		scope_close(&c->p.fds[2]);
	if (f[1].revents && !read_some(c, 1) && !c->answer)
		return has_ended(c, e);
	if (c->large || c->came > FLOOD_MAX) {
		stop(c);
		return err_set(e, -EPROTO, "it says too much at once and was ended");
	}
	return 0;
}

/* Return: 0, @ret is the result; -EPROTO: it answered with an error. */
static int take_answer(struct mcp_client *c, struct json **ret, struct err *e)
{
	const struct json *error = json_get(c->answer, "error");
	const char *message = json_get_str(error, "message");
	char shown[300];

	if (error || json_type(json_get(c->answer, "result")) != JSON_OBJECT)
		return err_set(e, -EPROTO, "it answers with an error: %s",
			       text_escaped(shown, sizeof(shown), message ?: "",
					    message ? strlen(message) : 0));
	*ret = json_remove(c->answer, "result");
	return 0;
}

/* @params are taken over. */
static int question(struct mcp_client *c, const char *method, struct json *params,
		    uint64_t limit_ms, struct json **ret, struct err *e)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct json *m = mcp_rpc_notify(method, params);
	uint64_t until = sys_now_ms() + limit_ms;
	int r = json_set_int(m, "id", ++c->id);

	c->large = false;
	c->came = 0;
	json_free(&c->answer);
	r = post(c, m) ?: r;
	if (r < 0)
		return err_sys(e, r, "cannot ask it");
	(void)sys_sigaction(SIGPIPE, &ignore, &c->broken);
	while (r == 0 && !c->answer)
		r = step(c, until, e);
	(void)sys_sigaction(SIGPIPE, &c->broken, NULL);
	if (r == 0)
		r = take_answer(c, ret, e);
	json_free(&c->answer);
	return r;
}

/* ---- the beginning ---- */

static int greet(struct mcp_client *c, uint64_t limit_ms, struct err *e)
{
	static const char *const known[] = { "2024-11-05", "2025-03-26", "2025-06-18",
					     "2025-11-25" };
	struct json *params = json_object(), *info = json_object();
	_cleanup_json_ struct json *said = NULL;
	const char *revision;
	int r;

	json_set_str(info, "name", "cubby");
	json_set_str(info, "version", c->conf.version ?: "");
	json_set_str(params, "protocolVersion", "2025-06-18");
	json_set(params, "capabilities", json_object());
	json_set(params, "clientInfo", info);
	r = question(c, "initialize", params, limit_ms, &said, e);
	if (r < 0)
		return r;
	revision = json_get_str(said, "protocolVersion");
	for (size_t i = 0; revision && i < ARRAY_SIZE(known); i++)
		if (strcmp(revision, known[i]) == 0) {
			c->greeted = true;
			r = post(c, mcp_rpc_notify("notifications/initialized",
						   json_object()));
			return r < 0 ? err_sys(e, r, "cannot greet it") : 0;
		}
	return err_set(e, -EPROTO, "it speaks another version of the protocol");
}

static uint64_t start_ms(const struct mcp_client *c)
{
	return c->conf.start_ms ? c->conf.start_ms : START_MS;
}

/* ---- a call ---- */

static uint64_t call_ms(const struct mcp_client *c)
{
	uint64_t ms = c->conf.call_ms ? c->conf.call_ms : CALL_MS;

	return c->conf.left_ms ? MIN(ms, c->conf.left_ms(c->conf.ctx)) : ms;
}

static int failed(struct mcp_client *c, int r, struct tool_result *ret,
		  const struct err *e)
{
	if (r == -ECONNRESET || r == -ENOTCONN)
		return r;
	ret->outcome = TOOL_ERROR;
	return buf_addf(&ret->text, "MCP server '%s': %s", c->conf.name, e->msg);
}

static int call(void *ctx, const struct json *args, struct tool_result *ret,
		struct err *e)
{
	const struct offered *o = ctx;
	struct mcp_client *c = o->c;
	_cleanup_json_ struct json *result = NULL;
	struct json *params;
	int r = c->running ? 0 : mcp_client_start(c, e);

	if (r == 0 && !c->greeted)
		r = greet(c, MIN(start_ms(c), call_ms(c)), e);
	if (r < 0)
		return failed(c, r, ret, e);
	params = json_object();
	json_set_str(params, "name", o->name);
	json_set(params, "arguments", json_dup(args));
	r = question(c, "tools/call", params, call_ms(c), &result, e);
	if (r < 0)
		return failed(c, r, ret, e);
	r = mcp_foreign_result(result, c->conf.keep ? c->conf.keep : TOOL_KEEP, ret);
	return r < 0 ? err_sys(e, r, "cannot keep the result") : 0;
}

/* ---- its tools ---- */

static void leave_out(const struct mcp_client *c, const struct json *tool,
		      const char *why, struct buf *notes)
{
	const char *name = json_get_str(tool, "name") ?: "";

	buf_addf(notes, "MCP server '%s': its tool '%s' is left out: %s\n",
		 c->conf.name, text_shown(name), why);
}

static const char *add_tool(struct mcp_client *c, struct toolbox *t, const char *name,
			    const struct json *tool, struct err *e)
{
	struct offered *o = &c->tools[c->n];
	const struct tool how = { .plug = call, .ctx = o };
	_cleanup_json_ struct json *words = NULL;
	_cleanup_buf_ struct buf printed = BUF_INIT(MCP_CLIENT_WORDS - c->words);
	_cleanup_free_ char *real = NULL;
	int r;

	if (mcp_foreign_words(c->conf.name, c->conf.outside, tool, &words, e) < 0)
		return e->msg;
	if (json_print(words, false, &printed) < 0)
		return "the descriptions of this server are too long together";
	real = strdup(json_get_str(tool, "name"));
	r = real ? toolbox_add(t, name, take(&words, NULL), &how) : -ENOMEM;
	if (r < 0)
		return r == -EEXIST ? "there is a tool of that name"
				    : "there are too many tools";
	*o = (struct offered){ c, take(&real, NULL) };
	c->words += printed.len;
	c->n++;
	return NULL;
}

static void take_tools(struct mcp_client *c, const struct json *list, struct toolbox *t,
		       struct buf *notes)
{
	json_each(it, list)
	{
		char name[MCP_FOREIGN_NAME];
		const char *why;

		if (c->n == MCP_CLIENT_TOOLS) {
			leave_out(c, it, "it and all behind it: a server may have 32",
				  notes);
			return;
		}
		why = mcp_foreign_name(c->conf.name, it, name)
			      ? add_tool(c, t, name, it, ERR_IGNORED)
			      : "it has no name, or one that is too long";
		if (why)
			leave_out(c, it, why, notes);
	}
}

static int list_tools(struct mcp_client *c, struct toolbox *t, uint64_t until,
		      struct buf *notes, struct err *e)
{
	_cleanup_json_ struct json *page = NULL;
	int r = 0;

	for (unsigned i = 0; i < PAGES_MAX && r == 0; i++) {
		struct json *params = json_object();
		const char *cursor = json_get_str(page, "nextCursor");
		uint64_t now = sys_now_ms();

		if (i && (!cursor || c->n == MCP_CLIENT_TOOLS)) {
			json_free(&params);
			break;
		}
		if (cursor)
			json_set_str(params, "cursor", cursor);
		json_free(&page);
		r = question(c, "tools/list", params, now < until ? until - now : 0,
			     &page, e);
		if (r == 0)
			take_tools(c, json_get(page, "tools"), t, notes);
	}
	return r;
}

int mcp_client_offer(struct mcp_client *c, struct toolbox *t, struct buf *notes,
		     struct err *e)
{
	uint64_t until = sys_now_ms() + start_ms(c);
	int r = c->running ? greet(c, start_ms(c), e)
			   : err_set(e, -EPIPE, "it is not running");

	if (r == 0)
		r = list_tools(c, t, until, notes, e);
	if (r < 0)
		stop(c);
	return r;
}

int mcp_client_new(const struct mcp_client_conf *conf, struct mcp_client **ret,
		   struct err *e)
{
	struct mcp_client *c = calloc(1, sizeof(*c));

	if (!c)
		return err_sys(e, -ENOMEM, "cannot make a client");
	c->conf = *conf;
	c->p = BOX_PROC_NONE;
	mcp_frame_init(&c->in, FRAME_MAX);
	buf_init(&c->out, SEND_MAX);
	buf_init(&c->said, SAID_MAX);
	*ret = c;
	return 0;
}

void mcp_client_free(struct mcp_client **c)
{
	if (!*c)
		return;
	stop(*c);
	for (size_t i = 0; i < (*c)->n; i++)
		free((*c)->tools[i].name);
	mcp_frame_done(&(*c)->in);
	buf_done(&(*c)->out);
	buf_done(&(*c)->said);
	json_free(&(*c)->answer);
	free(*c);
	*c = NULL;
}
