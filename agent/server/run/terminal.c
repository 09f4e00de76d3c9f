/* Theory of operation
 *
 * A person's shell in a browser. It belongs to the tenant, not to the socket: one that is
 * lost leaves the shell, whose last output is kept and sent to the next socket, so that a
 * page that was loaded again shows what was there. It ends with its program, by DELETE,
 * or when nobody was there for TERMINAL_ALONE_MS; a shell that nobody ever typed in, and
 * that runs nothing, after TERMINAL_UNUSED_MS: there is nothing in it to come back to.
 * Source of the contract: Open Terminal, /api/terminals. */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#include "agent/server/conf/conf.h"
#include "agent/server/conf/keys.h"
#include "agent/server/exchange/exchange.h"
#include "agent/server/exchange/state.h"
#include "agent/server/http/ws.h"
#include "agent/server/run/run.h"
#include "agent/server/run/ttyenv.h"
#include "agent/server/tenant/tenant.h"
#include "base/list.h"
#include "base/loop.h"
#include "base/nonce.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "runtime/spec/effects_watch.h"

enum {
	TERMINALS = 16, /* of a tenant */
	ID = 9,
	ROWS = 24,
	COLS = 80,
	ACTING_LINES = 20,
	SHOWN = 64 << 10,			  /* of its last output is kept */
	INPUT_MAX = WS_MESSAGE_MAX + (512 << 10), /* no message is cut */
	INPUT_FULL = 128 << 10,
	TERMINAL_ALONE_MS = 3600000,
	TERMINAL_UNUSED_MS =
		60000, /* or as long as a box may be idle, if that is less */
	AUTH_MS = 10000,
	AUTH_BYTES = 16 << 10,
	CHUNK = 32 << 10
};

enum { CLOSE_KEY = 4001, CLOSE_NONE = 4004, CLOSE_TAKEN = 4009 };

struct terminals {
	struct tenant *tenant;
	struct terminal *first;
	unsigned count;
};

struct terminal {
	struct terminal *next;
	struct terminals *all;
	struct server *server; /* borrowed */
	struct loop *loop;
	char id[ID];
	char created[40];
	char *session; /* owned; NULL = none */
	pid_t pid;
	struct tenant_program program;
	struct effects_watch *before;	    /* owned; NULL = nothing is to be said */
	int master;			    /* owned */
	struct loop_source *source, *alone; /* alone: a timer, while nobody is there */
	uint64_t left_ms;		    /* since when; nothing while somebody is */
	struct buf shown;		    /* the last output */
	struct buf input;		    /* not written yet */
	struct viewer *viewer;		    /* NULL = nobody is there */
	struct exchange
		*asked; /* who asked for it, until it runs; hooks.gone: forget */
	bool dead;
	bool typed; /* somebody has */
};

/* A socket. */
struct viewer {
	struct exchange *x;
	struct loop *loop;
	struct terminal *t;	   /* NULL = the key has not come */
	struct loop_source *timer; /* until it has */
	char id[ID];
};

/* ---- the shell ------------------------------------------------------------------ */

static void on_viewer_lost(struct viewer *v, unsigned code, const char *why)
{
	struct exchange *x = v->x;

	if (v->t)
		v->t->viewer = NULL;
	loop_remove(v->loop, &v->timer);
	free(v);
	exchange_ws_close(x, code, why);
}

/* The last that its person reads. */
static void tell_acting(const struct terminal *t)
{
	_cleanup_json_ struct json *list = tenant_acting(t->all->tenant, t->before);
	_cleanup_buf_ struct buf b = BUF_INIT(1 << 20);
	size_t n = 0;

	json_each(it, list)
	{
		if (n++ == ACTING_LINES)
			break;
		buf_addf(&b, "cubby: %s '%s' acts on the host: %s\r\n",
			 json_get_bool(it, "new", false) ? "new" : "changed",
			 json_get_str(it, "path"), json_get_str(it, "why"));
	}
	if (n > ACTING_LINES)
		buf_addf(&b, "cubby: and %zu more\r\n", json_len(list) - ACTING_LINES);
	if (b.len && !buf_failed(&b))
		exchange_ws_send(t->viewer->x, EXCHANGE_BINARY, b.data, b.len);
}

static void terminal_free(struct terminal *t)
{
	if (list_drop(t->all->first, t)) {
		t->all->count--;
		t->server->counts.terminals--;
	}
	if (t->viewer) {
		tell_acting(t);
		on_viewer_lost(t->viewer, 1000, "the shell has ended");
	}
	tenant_forget(&t->program);
	effects_watch_free(&t->before);
	loop_remove(t->loop, &t->source);
	loop_remove(t->loop, &t->alone);
	scope_close(&t->master);
	buf_done(&t->shown);
	buf_done(&t->input);
	free(t->session);
	free(t);
}

static void terminals_free(void *ctx)
{
	struct terminals *all = ctx;

	while (all->first)
		terminal_free(all->first);
	free(all);
}

static struct terminals *terminals_of(struct tenant *tenant)
{
	struct terminals *all =
		tenant_slot(tenant, TENANT_TERMINALS, sizeof(*all), terminals_free);

	if (all)
		all->tenant = tenant;
	return all;
}

static struct terminal *find(struct terminals *all, const char *id)
{
	for (struct terminal *t = all ? all->first : NULL; t; t = t->next)
		if (strcmp(t->id, id) == 0 && !t->dead && t->source)
			return t;
	return NULL;
}

/* Nobody typed in it, and its shell has the terminal: no program of it does. */
static bool unused(const struct terminal *t)
{
	pid_t leader = sys_tcgetsid(t->master);

	return !t->typed && leader > 0 && sys_tcgetpgrp(t->master) == leader;
}

static int on_alone(void *ctx, uint32_t, struct err *)
{
	struct terminal *t = ctx;
	uint64_t since = sys_now_ms() - t->left_ms;

	if (since >= TERMINAL_ALONE_MS || unused(t))
		terminal_free(t);
	else
		loop_rearm(t->loop, t->alone, TERMINAL_ALONE_MS - since);
	return 0;
}

static void leave_alone(struct terminal *t)
{
	uint64_t idle_ms = tenant_conf(t->all->tenant)->idle_ms;

	t->left_ms = sys_now_ms();
	(void)loop_timer(t->loop, MIN(idle_ms, (uint64_t)TERMINAL_UNUSED_MS), on_alone,
			 t, &t->alone);
}

static void watch(struct terminal *t)
{
	bool wait = t->viewer && exchange_backlog(t->viewer->x) > EXCHANGE_FULL;

	if (t->source)
		(void)loop_modify(t->loop, t->source,
				  (wait ? 0U : (uint32_t)EPOLLIN) |
					  (t->input.len ? (uint32_t)EPOLLOUT : 0U));
}

static void keep(struct terminal *t, const char *data, size_t len)
{
	if (len > SHOWN / 2) {
		data += len - SHOWN / 2;
		len = SHOWN / 2;
	}
	if (t->shown.len + len > SHOWN)
		buf_consume(&t->shown, t->shown.len + len - SHOWN / 2);
	(void)buf_add(&t->shown, data, len);
}

static void write_input(struct terminal *t)
{
	ssize_t n =
		t->input.len ? sys_write(t->master, t->input.data, t->input.len) : 0;

	if (n > 0)
		buf_consume(&t->input, (size_t)n);
	if (t->viewer && t->input.len < INPUT_FULL)
		exchange_pause(t->viewer->x, false);
}

static int on_master(void *ctx, uint32_t events, struct err *)
{
	struct terminal *t = ctx;
	char data[CHUNK];
	ssize_t n = 0;

	if (events & EPOLLOUT)
		write_input(t);
	if (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) {
		n = sys_read(t->master, data, sizeof(data));
		if (n > 0) {
			keep(t, data, (size_t)n);
			if (t->viewer)
				exchange_ws_send(t->viewer->x, EXCHANGE_BINARY, data,
						 (size_t)n);
		} else if (n != -EAGAIN) {
			terminal_free(t); /* nobody has the other end any more */
			return 0;
		}
	}
	watch(t);
	return 0;
}

static void describe(const struct terminal *t, struct json *j)
{
	json_set_str(j, "id", t->id);
	json_set_str(j, "created_at", t->created);
	json_set_int(j, "pid", t->pid);
}

static void on_started(void *ctx, struct box_proc *proc, const struct err *e)
{
	struct terminal *t = ctx;
	struct exchange *x = take(&t->asked, NULL);
	struct json *j = json_object();

	if (x)
		exchange_later(x, NULL, NULL);
	if (!e) {
		t->pid = proc->pid;
		t->master = take(&proc->fds[0], -1);
		sys_setfl(t->master, O_RDWR | O_NONBLOCK);
		(void)loop_add(t->loop, t->master, EPOLLIN, on_master, t, &t->source);
		leave_alone(t);
		describe(t, j);
	} else {
		(void)tenant_lose_cwd(t->all->tenant, t->session, e);
	}
	if (x && !e)
		exchange_reply(x, 200, take(&j, NULL));
	else if (x)
		exchange_fail_err(x, e);
	json_free(&j);
	if (e || !t->source)
		terminal_free(t);
}

static void on_exited(void *ctx, const struct box_exit *)
{
	struct terminal *t = ctx;

	if (t->source) /* what it wrote last */
		for (int i = 0, left = 1; i < 16 && left; i++) {
			char data[CHUNK];
			ssize_t n = sys_read(t->master, data, sizeof(data));

			left = n > 0;
			if (n > 0 && t->viewer)
				exchange_ws_send(t->viewer->x, EXCHANGE_BINARY, data,
						 (size_t)n);
		}
	terminal_free(t);
}

/* ---- asking for one ------------------------------------------------------------- */

static void on_asker_gone(void *ctx)
{
	struct terminal *t = ctx;

	t->asked = NULL;
}

static const struct exchange_hooks asked_hooks = { .gone = on_asker_gone };

/* {"error": "…"}, as these routes say it. */
static int refuse(struct exchange *x, int status, const char *why)
{
	struct json *j = json_object();

	json_set_str(j, "error", why);
	exchange_reply(x, status, j);
	return 0;
}

static int start_shell(struct terminal *t, struct exchange *x, struct err *e)
{
	/* The person's own shell, if the image has it. As a login shell it would read
	 * /etc/profile, which sets a PATH without what the image puts there. */
	static const char *const argv[] = { "/bin/sh", "-c",
					    "for s in \"$SHELL\" /bin/bash; do [ -x "
					    "\"$s\" ] && exec \"$s\"; done; "
					    "exec /bin/sh",
					    NULL };
	_cleanup_ttyenv_ struct ttyenv env = { .n_text = 0 };
	const struct box_command c = { .argv = argv,
				       .env = env.list,
				       .cwd = tenant_cwd(t->all->tenant, t->session),
				       .io = BOX_IO_TTY,
				       .rows = ROWS,
				       .cols = COLS };

	return ttyenv_make(exchange_conf(x)->env, NULL, &env, e)
		       ?: tenant_run(t->all->tenant, &c, &t->program, e);
}

static int post_terminal(struct exchange *x, struct err *e)
{
	struct server *s = exchange_server(x);
	struct terminals *all = terminals_of(exchange_tenant(x));
	const char *session = exchange_header(x, "x-session-id");
	struct timespec now = sys_wall();
	struct terminal *t;
	int r;

	if (!all || all->count >= TERMINALS ||
	    s->counts.terminals >= s->conf->max_terminals)
		return refuse(x, 429, "Maximum number of terminals reached");
	t = calloc(1, sizeof(*t));
	if (!t)
		return err_sys(e, -ENOMEM, "cannot open a terminal");
	*t = (struct terminal){
		.all = all,
		.server = s,
		.loop = exchange_loop(x),
		.session = session ? strdup(session) : NULL,
		.program = { .started = on_started, .exited = on_exited, .ctx = t },
		.before = tenant_look(all->tenant),
		.master = -1,
		.shown = BUF_INIT(SHOWN),
		.input = BUF_INIT(INPUT_MAX),
		.asked = x,
	};
	t->next = all->first;
	all->first = t;
	all->count++;
	s->counts.terminals++;
	text_time(t->created, sizeof(t->created), now.tv_sec, now.tv_nsec);
	r = nonce_make(t->id, ID, e) ?: start_shell(t, x, e);
	if (r < 0) {
		terminal_free(t);
		return r;
	}
	exchange_later(x, &asked_hooks, t);
	return 0;
}

static int list_terminals(struct exchange *x, struct err *)
{
	struct terminals *all = terminals_of(exchange_tenant(x));
	struct json *list = json_array();

	for (const struct terminal *t = all ? all->first : NULL; t; t = t->next) {
		struct json *j = json_object();

		describe(t, j);
		json_add(list, j);
	}
	exchange_reply(x, 200, list);
	return 0;
}

static int get_terminal(struct exchange *x, struct err *)
{
	struct terminal *t =
		find(terminals_of(exchange_tenant(x)), exchange_param(x, "id"));
	struct json *j;

	if (!t)
		return refuse(x, 404, "Terminal not found");
	j = json_object();
	describe(t, j);
	exchange_reply(x, 200, j);
	return 0;
}

static int delete_terminal(struct exchange *x, struct err *)
{
	struct terminal *t =
		find(terminals_of(exchange_tenant(x)), exchange_param(x, "id"));

	if (!t)
		return refuse(x, 404, "Terminal not found");
	terminal_free(t);
	exchange_reply_text(x, 200, "application/json", "{\"status\":\"deleted\"}");
	return 0;
}

/* ---- a socket ------------------------------------------------------------------- */

/* {"type": "auth", "token": …}: a browser cannot set fields of a WebSocket. */
static void take_auth(struct viewer *v, const char *text, size_t len)
{
	_cleanup_json_ struct json *j = NULL;
	struct tenant_who who;
	struct tenant *tenant;
	struct terminal *t;

	if (json_parse(text, len, &j, ERR_IGNORED) < 0)
		j = NULL;
	if (!json_is(j, "type", "auth") ||
	    !exchange_key_is(v->x, json_get_str(j, "token")) ||
	    !exchange_may(v->x, KEY_RUN)) {
		on_viewer_lost(v, CLOSE_KEY, "Invalid API key");
		return;
	}
	who = exchange_who(v->x);
	tenant = tenants_find(exchange_tenants(v->x), &who);
	t = tenant ? find(terminals_of(tenant), v->id) : NULL;
	if (!t) {
		on_viewer_lost(v, CLOSE_NONE, "Terminal not found");
		return;
	}
	if (t->viewer) {
		on_viewer_lost(v, CLOSE_TAKEN, "Terminal is in use");
		return;
	}
	loop_remove(v->loop, &v->timer);
	loop_remove(v->loop, &t->alone);
	v->t = t;
	t->viewer = v;
	exchange_ws_limit(v->x, WS_MESSAGE_MAX);
	if (t->shown.len)
		exchange_ws_send(v->x, EXCHANGE_BINARY, t->shown.data, t->shown.len);
}

static void take_text(struct viewer *v, const char *text, size_t len)
{
	_cleanup_json_ struct json *j = NULL;
	struct winsize size = { 0 };
	int64_t rows, cols;

	if (json_parse(text, len, &j, ERR_IGNORED) < 0 || !json_is(j, "type", "resize"))
		return; /* to keep it alive */
	rows = json_get_int(j, "rows", 0);
	cols = json_get_int(j, "cols", 0);
	if (rows < 1 || rows > 1000 || cols < 1 || cols > 1000)
		return;
	size.ws_row = (unsigned short)rows;
	size.ws_col = (unsigned short)cols;
	(void)sys_set_winsize(v->t->master, &size);
}

static void on_message(void *ctx, enum exchange_message kind, const char *data,
		       size_t len)
{
	struct viewer *v = ctx;
	struct terminal *t = v->t;

	if (!t) {
		take_auth(v, kind == EXCHANGE_TEXT ? data : "",
			  kind == EXCHANGE_TEXT ? len : 0);
		return;
	}
	if (kind == EXCHANGE_TEXT) {
		take_text(v, data, len);
		return;
	}
	t->typed |= len > 0;
	(void)buf_add(&t->input, data, MIN(len, t->input.max - t->input.len));
	write_input(t);
	if (t->input.len > INPUT_FULL) /* the program does not read */
		exchange_pause(v->x, true);
	watch(t);
}

static void on_gone(void *ctx)
{
	struct viewer *v = ctx;
	struct terminal *t = v->t;

	loop_remove(v->loop, &v->timer);
	free(v);
	if (!t)
		return;
	t->viewer = NULL;
	leave_alone(t);
	watch(t);
}

static void on_drained(void *ctx)
{
	struct viewer *v = ctx;

	if (v->t)
		watch(v->t);
}

static const struct exchange_hooks viewer_hooks = { .gone = on_gone,
						    .drained = on_drained,
						    .message = on_message };

static int on_auth_time(void *ctx, uint32_t, struct err *)
{
	on_viewer_lost(ctx, CLOSE_KEY, "the key did not come in time");
	return 0;
}

/* The upgrade is not authenticated: nothing of the terminal is said before the key, not
 * even whether there is one; and no box is opened for it. */
static int view_terminal(struct exchange *x, struct err *e)
{
	struct viewer *v = calloc(1, sizeof(*v));

	if (!v)
		return err_sys(e, -ENOMEM, "cannot open a terminal");
	*v = (struct viewer){ .x = x, .loop = exchange_loop(x) };
	(void)text_copy(v->id, sizeof(v->id), exchange_param(x, "id"));
	exchange_later(x, &viewer_hooks, v);
	exchange_ws_accept(x);
	exchange_ws_limit(x, AUTH_BYTES);
	(void)loop_timer(v->loop, AUTH_MS, on_auth_time, v, &v->timer);
	return 0;
}

/* ---- what a model sees of the person's shell ------------------------------------ */

static struct terminal *connected(struct exchange *x)
{
	struct terminals *all = terminals_of(exchange_tenant(x));

	for (struct terminal *t = all ? all->first : NULL; t; t = t->next)
		if (t->viewer)
			return t;
	return NULL;
}

static int read_user(struct exchange *x, struct err *e)
{
	const struct terminal *t = connected(x);
	struct json *j;
	size_t len = 0;
	_cleanup_buf_ struct buf b = BUF_INIT(SHOWN);

	if (!t)
		return err_set(e, -ENOENT, "No connected user shell");
	for (size_t i = 0; i < t->shown.len; i++)
		len += t->shown.data[i] && buf_addc(&b, t->shown.data[i]) == 0;
	j = json_object();
	json_set(j, "output", json_stringn(buf_cstr(&b), len));
	exchange_reply(x, 200, j);
	return 0;
}

static int type_user(struct exchange *x, struct err *e)
{
	struct terminal *t = connected(x);
	const char *text = "";
	int r = exchange_text(x, "input", &text, e);

	if (r < 0)
		return r;
	if (!t)
		return err_set(e, -EEXIST, "No connected user shell");
	if (strlen(text) > t->input.max - t->input.len)
		return err_set(e, -EAGAIN, "the shell does not read its input");
	t->typed |= *text != '\0';
	(void)buf_adds(&t->input, text);
	write_input(t);
	watch(t);
	exchange_reply_text(x, 200, "application/json", "{\"status\":\"ok\"}");
	return 0;
}

/* clang-format off */
static const struct route rows[] = {
	{ "GET", "/api/terminals/user/output", read_user, ROUTE_KEY, .box = true, .operation = "read_user_terminal" },
	{ "POST", "/api/terminals/user/input", type_user, ROUTE_KEY, ROUTE_JSON, .box = true, .operation = "send_user_terminal_input" },
	{ "POST", "/api/terminals", post_terminal, ROUTE_KEY, .box = true },
	{ "GET", "/api/terminals", list_terminals, ROUTE_KEY, .box = true },
	{ "WEBSOCKET", "/api/terminals/{id}", view_terminal, .right = ROUTE_FIRST },
	{ "GET", "/api/terminals/{id}", get_terminal, ROUTE_KEY, .box = true },
	{ "DELETE", "/api/terminals/{id}", delete_terminal, ROUTE_KEY, .box = true },
};
/* clang-format on */

const struct route_table terminal_routes = { rows, ARRAY_SIZE(rows) };
