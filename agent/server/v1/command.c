/* Theory of operation
 *
 * What is about the store (lists of boxes, reviews, transcripts) is the business of cubby's
 * commands, which a person runs, too: they may take long, and use memory that is theirs. So
 * the server starts one for each request, reads its standard output as far as the client
 * takes it, and makes the object that `--json` prints on standard error the answer when it
 * failed. The answer is complete when the process has ended and its output is read. */
#include "agent/server/v1/command.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>

#include "agent/server/conf/conf.h"
#include "agent/server/exchange/exchange.h"
#include "agent/server/exchange/state.h"
#include "agent/server/tenant/tenant.h"
#include "base/file.h"
#include "base/loop.h"
#include "base/num.h"
#include "base/proc.h"
#include "base/sys/sys.h"

enum {
	COMMANDS = 64, /* at once */
	CHUNK = 64 << 10,
	SAID_MAX = 8 << 20, /* of one value, or one event */
	WRONG_MAX = 64 << 10,
	ALIVE_MS = 15000
};

enum end { OUT, WRONG, EXIT, ENDS };

struct command {
	struct command *prev, *next;
	struct server *server; /* borrowed */
	struct exchange *x;    /* NULL = the client has gone */
	struct proc proc;      /* owned */
	int fds[2];	       /* owned; what it says, and why it failed */
	struct loop_source *ends[ENDS], *alive;
	struct buf said, wrong; /* owned */
	struct command_conf conf;
	uint64_t line, seen;	  /* events so far; those that the client has */
	bool begun, exited, torn; /* torn: the event is too large */
	int status;
};

static void command_free(struct command *c)
{
	struct server *s = c->server;

	for (int i = 0; i < ENDS; i++)
		loop_remove(s->loop, &c->ends[i]);
	loop_remove(s->loop, &c->alive);
	scope_close_set(c->fds, 2);
	proc_done(&c->proc);
	buf_done(&c->said);
	buf_done(&c->wrong);
	*(c->prev ? &c->prev->next : &s->commands) = c->next;
	if (c->next)
		c->next->prev = c->prev;
	s->n_commands--;
	free(c);
}

void commands_free(struct server *s)
{
	while (s->commands)
		command_free(s->commands);
}

static void begin(struct command *c, struct exchange *x)
{
	static const char *const headers[] = { "X-Accel-Buffering: no", NULL };

	if (c->begun)
		return;
	c->begun = true;
	exchange_begin(x, 200,
		       c->conf.how == COMMAND_EVENTS ? "text/event-stream"
						     : c->conf.type,
		       headers, -1);
}

/* ---- the end -------------------------------------------------------------------- */

static int code_of(const char *name)
{
	static const struct {
		const char *name;
		int code;
	} table[] = {
		{ "ENOENT", -ENOENT },	 { "EACCES", -EACCES },
		{ "EPERM", -EPERM },	 { "EEXIST", -EEXIST },
		{ "EBUSY", -EEXIST },	 { "EINVAL", -EINVAL },
		{ "ENOSPC", -ENOSPC },	 { "ESRCH", -EEXIST },
		{ "ENOTCONN", -EEXIST }, { "EAGAIN", -EAGAIN },
		{ "E2BIG", -EMSGSIZE },	 { "EROFS", -EROFS },
		{ "ENOTUNIQ", -EINVAL }, { "EXDEV", -EXDEV },
		{ "ENOKEY", -ENOTCONN },
	};

	for (size_t i = 0; name && i < ARRAY_SIZE(table); i++)
		if (strcmp(table[i].name, name) == 0)
			return table[i].code;
	return -EIO;
}

/* The last object on standard error that tells of an error. */
static int why_failed(struct command *c, struct err *e)
{
	if (!c->status)
		return 0;
	err_set(e, c->status == 2 ? -EINVAL : -EIO, "the command has failed");
	for (const char *line = buf_cstr(&c->wrong), *end; *line; line = end) {
		_cleanup_json_ struct json *j = NULL;
		size_t len = strcspn(line, "\n");
		const char *text;

		end = line + len + (line[len] == '\n');
		if (json_parse(line, len, &j, ERR_IGNORED) < 0)
			continue;
		text = json_get_str(json_get(j, "error"), "message");
		if (text)
			err_set(e, code_of(json_get_str(json_get(j, "error"), "code")),
				"%s", text);
	}
	return e->code;
}

static void finish_value(struct command *c, struct exchange *x)
{
	struct err e = ERR_NONE;
	struct json *j = NULL;
	int r = 0;

	if (buf_failed(&c->said) < 0)
		r = err_set(&e, -EMSGSIZE, "the answer is too large");
	else if (c->said.len)
		r = json_parse(c->said.data, c->said.len, &j, &e);
	else
		j = json_object();
	if (r < 0)
		exchange_fail(x, 500, "%s", e.msg);
	else
		exchange_reply(x, c->conf.status ? c->conf.status : 200,
			       c->conf.answer ? c->conf.answer(x, j) : j);
}

static void finish(struct command *c)
{
	struct exchange *x = take(&c->x, NULL);
	struct err e = ERR_NONE;
	bool begun = c->conf.how != COMMAND_JSON && (c->begun || !c->status);

	if (x && begun)
		begin(c, x);
	else if (x)
		exchange_later(x, NULL, NULL);
	if (x && begun && !c->status)
		exchange_end(x);
	else if (x && begun)
		exchange_cut(x);
	else if (x && why_failed(c, &e) < 0)
		exchange_fail_err(x, &e);
	else if (x)
		finish_value(c, x);
	command_free(c);
}

/* ---- what it says --------------------------------------------------------------- */

static void tell_event(struct command *c, const char *line, size_t len)
{
	static const char lost[] = "{\"type\":\"too_large\"}";
	char id[48];

	begin(c, c->x);
	if (++c->line <= c->seen)
		return;
	snprintf(id, sizeof(id), "id: %" PRIu64 "\ndata: ", c->line);
	exchange_write(c->x, id, strlen(id));
	exchange_write(c->x, c->torn ? lost : line, c->torn ? sizeof(lost) - 1 : len);
	exchange_write(c->x, "\n\n", 2);
}

static void take_events(struct command *c, const char *data, size_t len)
{
	while (len && c->x) {
		const char *end = memchr(data, '\n', len);
		size_t n = end ? (size_t)(end - data) : len;

		if (c->said.len + n > SAID_MAX)
			c->torn = true;
		else
			(void)buf_add(&c->said, data, n);
		n += end ? 1 : 0;
		data += n;
		len -= n;
		if (!end)
			return;
		tell_event(c, buf_cstr(&c->said), c->said.len);
		buf_truncate(&c->said, 0);
		c->torn = false;
	}
}

static void watch(struct command *c)
{
	bool wait = c->x && exchange_backlog(c->x) > EXCHANGE_FULL;

	if (c->ends[OUT])
		(void)loop_modify(c->server->loop, c->ends[OUT],
				  wait ? 0 : (uint32_t)EPOLLIN);
}

static void close_end(struct command *c, enum end end)
{
	loop_remove(c->server->loop, &c->ends[end]);
	scope_close_set(&c->fds[end], 1);
}

/* 1 = there was some, 0 = none at the moment, or no more */
static int take_output(struct command *c)
{
	char data[CHUNK];
	ssize_t n = c->fds[OUT] < 0 ? 0 : sys_read(c->fds[OUT], data, sizeof(data));

	if (n == -EAGAIN)
		return 0;
	if (n <= 0) {
		close_end(c, OUT);
		return 0;
	}
	if (!c->x)
		return 1; /* nobody wants to know */
	if (c->conf.how == COMMAND_JSON) {
		(void)buf_add(&c->said, data, (size_t)n);
	} else if (c->conf.how == COMMAND_EVENTS) {
		take_events(c, data, (size_t)n);
	} else {
		begin(c, c->x);
		exchange_write(c->x, data, (size_t)n);
	}
	watch(c);
	return 1;
}

static int on_output(void *ctx, uint32_t, struct err *)
{
	struct command *c = ctx;

	(void)take_output(c);
	if (c->exited && c->fds[OUT] < 0)
		finish(c);
	return 0;
}

static int on_wrong(void *ctx, uint32_t, struct err *)
{
	struct command *c = ctx;
	char data[4096];
	ssize_t n = sys_read(c->fds[WRONG], data, sizeof(data));

	if (n > 0)
		(void)buf_add(&c->wrong, data,
			      MIN((size_t)n, WRONG_MAX - c->wrong.len));
	else if (n != -EAGAIN)
		close_end(c, WRONG);
	return 0;
}

static int on_ended(void *ctx, uint32_t, struct err *e)
{
	struct command *c = ctx;

	loop_remove(c->server->loop, &c->ends[EXIT]); /* it can be read: it has ended */
	if (proc_wait(&c->proc, -1, &c->status, ERR_IGNORED) < 0)
		c->status = 1;
	c->exited = true;
	while (c->fds[WRONG] >= 0 && c->wrong.len < WRONG_MAX) {
		size_t before = c->wrong.len;

		(void)on_wrong(c, 0, e);
		if (c->wrong.len == before)
			break;
	}
	if (c->conf.how == COMMAND_JSON || !c->x)
		while (take_output(c))
			;
	if (c->fds[OUT] < 0 || c->conf.how == COMMAND_JSON || !c->x)
		finish(c);
	return 0;
}

static int on_alive(void *ctx, uint32_t, struct err *)
{
	struct command *c = ctx;

	begin(c, c->x);
	if (!exchange_backlog(c->x))
		exchange_write(c->x, ":\n\n", 3);
	loop_rearm(c->server->loop, c->alive, ALIVE_MS);
	return 0;
}

/* ---- the client ----------------------------------------------------------------- */

static void on_gone(void *ctx)
{
	struct command *c = ctx;

	c->x = NULL;
	if (!c->conf.changes)
		command_free(c);
}

static void on_drained(void *ctx)
{
	watch(ctx);
}

static const struct exchange_hooks hooks = { .gone = on_gone, .drained = on_drained };

/* ---- the start ------------------------------------------------------------------ */

static int input(const char *text, struct err *e)
{
	_cleanup_close_ int fd = sys_memfd("cubby-request", 0);
	int r = fd < 0 ? fd : file_write_fd(fd, text, strlen(text), e);

	if (r >= 0)
		r = (int)sys_lseek(fd, 0, SEEK_SET);
	return r < 0 ? err_sys(e, r, "cannot pass the request on") : take(&fd, -1);
}

static int start(struct command *c, const struct server_box *box, struct err *e)
{
	const struct server_conf *conf = c->server->conf;
	_cleanup_close_ int in = c->conf.in ? input(c->conf.in, e) : -1;
	_cleanup_close_ int more = c->conf.more ? input(c->conf.more, e) : -1;
	_cleanup_close_ int out = -1, wrong = -1;
	struct server_command what = { .box = *box,
				       .argv = c->conf.argv,
				       .options = c->conf.options,
				       .pass_fd = more,
				       .inside = c->conf.inside };
	int r = c->conf.in && in < 0 ? in : c->conf.more ? MIN(more, 0) : 0, ends[2];

	for (int i = 0; r == 0 && i < 2; i++) {
		r = sys_pipe2(ends, O_CLOEXEC);
		if (r < 0)
			return err_sys(e, r, "cannot make a pipe");
		c->fds[i] = ends[0];
		*(i ? &wrong : &out) = ends[1];
		(void)sys_setfl(ends[0], O_RDONLY | O_NONBLOCK);
	}
	if (r < 0)
		return r;
	what.fds[0] = in;
	what.fds[1] = out;
	what.fds[2] = wrong;
	return conf->command(conf->ctx, &what, &c->proc, e);
}

static int listen_to(struct command *c)
{
	static loop_fn *const fns[ENDS] = { on_output, on_wrong, on_ended };
	const int fds[ENDS] = { c->fds[OUT], c->fds[WRONG], c->proc.pidfd };
	struct loop *l = c->server->loop;
	int r = 0;

	for (int i = 0; r == 0 && i < ENDS; i++)
		r = loop_add(l, fds[i], EPOLLIN, fns[i], c, &c->ends[i]);
	if (r == 0 && c->conf.how == COMMAND_EVENTS)
		r = loop_timer(l, ALIVE_MS, on_alive, c, &c->alive);
	return r;
}

int command_run(struct exchange *x, const struct command_conf *conf, struct err *e)
{
	struct server *s = exchange_server(x);
	const struct tenant_who who = exchange_who(x);
	_cleanup_free_ char *dir = NULL;
	struct server_box box = { .dir = NULL };
	const char *seen = exchange_header(x, "last-event-id");
	struct command *c;
	int r = conf->all ? 0 : tenants_box(s->tenants, &who, &dir, &box, e);

	if (r == 0 && s->n_commands >= COMMANDS)
		r = err_set(e, -EAGAIN, "too many commands run for this server");
	c = r < 0 ? NULL : calloc(1, sizeof(*c));
	if (!c)
		return r < 0 ? r : err_sys(e, -ENOMEM, "cannot run a command");
	*c = (struct command){ .server = s,
			       .next = s->commands,
			       .conf = *conf,
			       .proc = PROC_NONE,
			       .fds = { -1, -1 },
			       .said = BUF_INIT(SAID_MAX),
			       .wrong = BUF_INIT(WRONG_MAX) };
	if (c->next)
		c->next->prev = c;
	s->commands = c;
	s->n_commands++;
	if (seen && num_u64(seen, &c->seen) < 0)
		c->seen = 0;
	r = start(c, &box, e);
	c->conf.argv = NULL; /* were borrowed */
	c->conf.in = c->conf.more = NULL;
	if (r == 0 && listen_to(c) < 0)
		r = err_sys(e, -ENOMEM, "cannot run a command");
	if (r < 0) {
		command_free(c);
		return r;
	}
	c->x = x;
	exchange_later(x, &hooks, c);
	return 0;
}
