/* Theory of operation
 *
 * A command runs on a terminal of its own in the box; what it writes goes to an outlog,
 * which any number of requests read from where they left off. A request that waits is a
 * struct answer: it is sent when the command has ended or its time is over, entry by
 * entry, as fast as the client takes them. The shell says by descriptor 3 where it was at
 * its end, so that the next command of the session starts there. Source of the contract:
 * Open Terminal, /execute. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>

#include "agent/server/conf/conf.h"
#include "agent/server/exchange/exchange.h"
#include "agent/server/jupyter/jupyter.h"
#include "agent/server/run/outlog.h"
#include "agent/server/run/pace.h"
#include "agent/server/run/ttyenv.h"
#include "agent/server/run/typed.h"
#include "agent/server/tenant/tenant.h"
#include "base/list.h"
#include "base/loop.h"
#include "base/nonce.h"
#include "base/sys/sys.h"
#include "runtime/spec/effects_watch.h"

enum {
	KEPT_MS = 300000, /* a command that has ended is known so long */
	PROCESSES = 64,	  /* of a tenant */
	ROWS = 24,
	COLS = 80,
	WAIT_MAX = 300,
	INPUT_MAX = 64 << 10,
	CHUNK = 64 << 10,
	OUTPUT_ALL = 32 << 20, /* of all commands of a tenant is kept */
	RUNID = 32
};

struct process {
	struct process *next;
	struct processes
		*all;	   /* borrowed; NULL = forgotten, freed with its last answer */
	struct loop *loop; /* borrowed */
	char id[RUNID];
	char *command, *session; /* owned; session NULL = none */
	struct tenant_program program;
	int master, place; /* owned; of the terminal, and of descriptor 3 */
	struct loop_source *source;
	struct loop_source *forget; /* timer, once it has ended */
	struct loop_source *rest;   /* timer; while its output is not read */
	struct server_pace *pace;   /* borrowed; the server's */
	struct outlog log;
	struct effects_watch *before; /* owned; NULL = nothing is to be said */
	struct json *acting; /* owned; what it has made that acts on the host; NULL */
	struct buf input;    /* not written yet */
	bool done, killed;
	int exit_code;
	struct answer *answers; /* that wait for its end */
	struct answer *first;	/* the one that started it, until it runs */
	unsigned users;		/* answers */
	bool sh;		/* and not bash */
};

/* A request that is answered with a process. */
struct answer {
	struct answer *next;
	struct exchange *x;
	struct process *p;
	struct loop_source *timer;
	uint64_t at, end;
	int64_t wait_ms, offset, tail; /* tail 0 = all */
	bool first_entry;
};

struct processes {
	struct tenant *tenant;
	struct process *first;
	unsigned count;
	uint64_t left; /* of OUTPUT_ALL */
	bool no_bash;
};

/* ---- the life of one ------------------------------------------------------------ */

static void process_free(struct process *p)
{
	tenant_forget(&p->program);
	loop_remove(p->loop, &p->source);
	loop_remove(p->loop, &p->forget);
	loop_remove(p->loop, &p->rest);
	scope_close(&p->master);
	scope_close(&p->place);
	outlog_done(&p->log);
	effects_watch_free(&p->before);
	json_free(&p->acting);
	buf_done(&p->input);
	free(p->command);
	free(p->session);
	free(p);
}

static void process_forget(struct process *p)
{
	(void)list_drop(p->all->first, p);
	p->all->count--;
	p->all = NULL;
	outlog_leave(&p->log);
	tenant_forget(&p->program);
	if (!p->users)
		process_free(p);
}

static void processes_free(void *ctx)
{
	struct processes *all = ctx;

	while (all->first)
		process_forget(all->first);
	free(all);
}

static struct processes *processes_of(struct tenant *t)
{
	struct processes *all =
		tenant_slot(t, TENANT_EXECUTE, sizeof(*all), processes_free);

	if (all && !all->tenant)
		*all = (struct processes){ .tenant = t, .left = OUTPUT_ALL };
	return all;
}

/* ---- answers -------------------------------------------------------------------- */

static void answer_free(struct answer *a)
{
	struct process *p = a->p;

	(void)list_drop(p->answers, a);
	if (p->first == a)
		p->first = NULL;
	loop_remove(p->loop, &a->timer);
	if (--p->users == 0 && !p->all)
		process_free(p);
	free(a);
}

static struct json *describe(const struct process *p)
{
	struct json *j = json_object();

	json_set_str(j, "id", p->id);
	json_set_str(j, "command", p->command);
	json_set_str(j, "status", p->killed ? "killed" : p->done ? "done" : "running");
	if (p->done)
		json_set_int(j, "exit_code", p->exit_code);
	else
		json_set(j, "exit_code", json_null());
	json_set(j, "log_path", json_null());
	if (p->acting)
		json_set(j, "acting", json_dup(p->acting));
	return j;
}

/* More entries, as long as the client takes them; then the end. */
static void answer_more(void *ctx)
{
	struct answer *a = ctx;
	struct exchange *x = a->x;

	while (a->at < a->end && exchange_backlog(x) < EXCHANGE_FULL) {
		_cleanup_buf_ struct buf b = BUF_INIT(16L * OUTLOG_ENTRY);
		size_t n;

		if (outlog_print(&a->p->log, a->at++, a->first_entry, &b) < 0) {
			answer_free(a);
			exchange_cut(x);
			return;
		}
		n = b.len;
		exchange_write(x, b.data, n);
		a->first_entry &= !n;
	}
	if (a->at < a->end)
		return;
	answer_free(a);
	exchange_write(x, "]}", 2);
	exchange_end(x);
}

static void answer_gone(void *ctx)
{
	answer_free(ctx);
}

static const struct exchange_hooks answer_hooks = { .gone = answer_gone,
						    .goes_on = true,
						    .drained = answer_more };

static void answer_send(struct answer *a)
{
	_cleanup_json_ struct json *j = describe(a->p);
	_cleanup_buf_ struct buf b = BUF_INIT(EXCHANGE_OUT_MAX / 4);
	uint64_t first;

	loop_remove(a->p->loop, &a->timer);
	a->end = outlog_next(&a->p->log);
	first = MAX((uint64_t)a->offset, a->p->log.first);
	a->at = first;
	if (a->tail && a->end > first && a->end - first > (uint64_t)a->tail)
		a->at = a->end - (uint64_t)a->tail;
	json_set_bool(j, "truncated", a->at > (uint64_t)a->offset && a->at < a->end);
	json_set_int(j, "next_offset", (int64_t)a->end);
	if (json_print(j, false, &b) < 0) {
		struct exchange *x = a->x;

		answer_free(a);
		exchange_fail(x, 500, "out of memory");
		return;
	}
	buf_truncate(&b, b.len - 1); /* the brace */
	buf_adds(&b, ",\"output\":[");
	exchange_cork(a->x);
	exchange_begin(a->x, 200, "application/json", NULL, -1);
	exchange_write(a->x, b.data, b.len);
	answer_more(a);
}

static int on_answer_time(void *ctx, uint32_t, struct err *)
{
	answer_send(ctx);
	return 0;
}

/* The command runs: now, at its end, or when the time is over. */
static void answer_wait(struct answer *a)
{
	if (a->p->done || a->wait_ms <= 0 ||
	    loop_timer(a->p->loop, (uint64_t)a->wait_ms, on_answer_time, a, &a->timer) <
		    0) {
		answer_send(a);
		return;
	}
	a->next = a->p->answers;
	a->p->answers = a;
}

static struct answer *answer_new(struct exchange *x, struct process *p, struct err *e)
{
	struct answer *a = calloc(1, sizeof(*a));

	if (!a) {
		err_sys(e, -ENOMEM, "cannot answer");
		return NULL;
	}
	*a = (struct answer){ .x = x, .p = p, .first_entry = true };
	if (exchange_arg_ms(x, "wait", WAIT_MAX, &a->wait_ms, e) < 0 ||
	    exchange_arg_num(x, "offset", 0, INT32_MAX, &a->offset, e) < 0 ||
	    exchange_arg_num(x, "tail", 1, INT32_MAX, &a->tail, e) < 0) {
		free(a);
		return NULL;
	}
	p->users++;
	exchange_later(x, &answer_hooks, a);
	return a;
}

/* ---- what the program does ------------------------------------------------------ */

static void watch(const struct process *p)
{
	if (p->source)
		(void)loop_modify(p->loop, p->source,
				  (p->rest ? 0U : (uint32_t)EPOLLIN) |
					  (p->input.len ? (uint32_t)EPOLLOUT : 0U));
}

static int on_rested(void *ctx, uint32_t, struct err *)
{
	struct process *p = ctx;

	loop_remove(p->loop, &p->rest);
	watch(p);
	return 0;
}

/* Has there been enough output for now? */
static bool rests(struct process *p)
{
	unsigned ms = p->rest ? 0 : pace_rest(p->pace, sys_now_ms());

	if (ms && loop_timer(p->loop, ms, on_rested, p, &p->rest) == 0)
		watch(p);
	return p->rest;
}

/* false = nothing more will come */
static bool read_output(struct process *p)
{
	char data[CHUNK];
	ssize_t n = 0;

	/* one that never stops writing must not hold the others up */
	for (int i = 0; i < 4; i++) {
		n = sys_read(p->master, data, sizeof(data));
		if (n <= 0)
			break;
		(void)outlog_add(&p->log, data, (size_t)n);
		p->pace->taken += (size_t)n;
	}
	return n > 0 || n == -EAGAIN;
}

static void write_input(struct process *p)
{
	ssize_t n =
		p->input.len ? sys_write(p->master, p->input.data, p->input.len) : 0;

	if (n > 0)
		buf_consume(&p->input, (size_t)n);
	else if (n < 0 && n != -EAGAIN)
		buf_truncate(&p->input, 0);
	watch(p);
}

static int on_master(void *ctx, uint32_t events, struct err *)
{
	struct process *p = ctx;

	if (events & EPOLLOUT)
		write_input(p);
	if (!(events & (EPOLLHUP | EPOLLERR)) && rests(p))
		return 0;
	if (events & (EPOLLIN | EPOLLHUP | EPOLLERR) && !read_output(p)) {
		(void)outlog_flush(&p->log);
		loop_remove(p->loop, &p->source);
		scope_close_set(&p->master, 1);
	}
	return 0;
}

/* Where the shell was at its end: a line, if it is a path. */
static void take_place(struct process *p)
{
	char path[PATH_MAX + 1];
	ssize_t n = p->place < 0 ? -1 : sys_read(p->place, path, sizeof(path) - 1);

	while (n > 0 && path[n - 1] == '\n')
		n--;
	if (n <= 0 || path[0] != '/' || memchr(path, '\0', (size_t)n))
		return;
	path[n] = '\0';
	tenant_set_cwd(p->all->tenant, p->session, path);
}

static int on_forget(void *ctx, uint32_t, struct err *)
{
	process_forget(ctx);
	return 0;
}

static void on_exited(void *ctx, const struct box_exit *x)
{
	struct process *p = ctx;
	bool more = p->source != NULL;

	for (int i = 0; more && i < OUTLOG_MAX / CHUNK; i++) {
		int left = 0;

		more = read_output(p) && sys_pending(p->master, &left) == 0 && left;
	}
	(void)outlog_flush(&p->log);
	p->done = true;
	p->exit_code = !x ? -SIGKILL : x->signal ? -x->signal : x->status;
	if (p->all) {
		take_place(p);
		scope_close_set(&p->place, 1);
		p->acting = tenant_acting(p->all->tenant, p->before);
		(void)loop_timer(p->loop, KEPT_MS, on_forget, p, &p->forget);
	}
	while (p->answers) {
		struct answer *a = p->answers;

		p->answers = a->next;
		answer_send(a);
	}
}

static int start_process(struct process *p, struct exchange *x, struct err *e);

static const char *asked_cwd(struct exchange *x)
{
	const char *cwd = json_get_str(exchange_json(x), "cwd");

	return cwd ? cwd : "";
}

static void on_started(void *ctx, struct box_proc *proc, const struct err *e)
{
	struct process *p = ctx;
	struct answer *a = take(&p->first, NULL);

	if (!e) {
		p->all->no_bash = p->sh;
		p->master = take(&proc->fds[0], -1);
		sys_setfl(p->master, O_RDWR | O_NONBLOCK);
		if (loop_add(p->loop, p->master, EPOLLIN, on_master, p, &p->source) < 0)
			tenant_forget(&p->program);
		if (a)
			answer_wait(a);
		return;
	}
	if (a) {
		struct err shown = *e, again = ERR_NONE;
		struct exchange *x = a->x;

		if (e->code == -ENOENT && !p->sh) {
			p->sh = true; /* the image has that at least */
			p->first = a;
			if (start_process(p, x, &again) == 0)
				return;
			p->first = NULL;
			shown = again;
		}
		if (!*asked_cwd(x) &&
		    tenant_lose_cwd(p->all->tenant, p->session, &shown))
			err_hint(&shown, "the next command begins at home");
		answer_free(a);
		exchange_fail_err(x, &shown);
	}
	process_forget(p);
}

/* ---- starting one --------------------------------------------------------------- */

static int cwd_of(struct exchange *x, struct buf *ret, struct err *e)
{
	const char *cwd = asked_cwd(x);
	const char *from =
		tenant_cwd(exchange_tenant(x), exchange_header(x, "x-session-id"));
	int r;

	if (!*cwd)
		r = buf_adds(ret, from);
	else if (*cwd == '/')
		r = buf_adds(ret, cwd);
	else
		r = buf_addf(ret, "%s/%s", from, cwd);
	return r < 0 ? err_sys(e, -ENAMETOOLONG, "cwd") : 0;
}

/* At its end the shell tells where it is, whatever ended it. */
static const char wrapper[] = "trap 'pwd >&3 2>/dev/null' EXIT; eval \"$1\"";

static int start_process(struct process *p, struct exchange *x, struct err *e)
{
	const char *shell = p->sh ? "sh" : "bash";
	const char *argv[] = { shell, "-c", wrapper, shell, p->command, NULL };
	_cleanup_buf_ struct buf cwd = BUF_INIT(PATH_MAX);
	_cleanup_close_ int write_end = -1;
	_cleanup_ttyenv_ struct ttyenv env = { .n_text = 0 };
	int fds[2], r;

	scope_close_set(&p->place, 1);
	r = sys_pipe2(fds, O_CLOEXEC | O_NONBLOCK);
	if (r < 0)
		return err_sys(e, r, "cannot make a pipe");
	p->place = fds[0];
	write_end = fds[1];
	r = cwd_of(x, &cwd, e)
		    ?: ttyenv_make(exchange_conf(x)->env,
				   json_get(exchange_json(x), "env"), &env, e);
	if (r == 0) {
		const struct box_command c = { .argv = argv,
					       .env = env.list,
					       .cwd = buf_cstr(&cwd),
					       .io = BOX_IO_TTY,
					       .rows = ROWS,
					       .cols = COLS,
					       .extra_fds = &write_end,
					       .n_extra_fds = 1 };
		r = tenant_run(p->all->tenant, &c, &p->program, e);
	}
	return r;
}

/* The oldest that has ended; NULL = none. @large: that has more output than little. */
static struct process *oldest_done(const struct processes *all, bool large)
{
	struct process *oldest = NULL;

	for (struct process *p = all->first; p; p = p->next)
		if (p->done && (!large || p->log.room > OUTLOG_SMALL))
			oldest = p;
	return oldest;
}

/* The oldest that has ended makes place, and room for the output of the next. */
static int make_place(struct processes *all, struct err *e)
{
	struct process *oldest;

	while (all->left < OUTLOG_MAX && (oldest = oldest_done(all, true)))
		process_forget(oldest);
	if (all->count < PROCESSES)
		return 0;
	oldest = oldest_done(all, false);
	if (!oldest)
		return err_set(e, -EAGAIN, "too many commands run in this box");
	process_forget(oldest);
	return 0;
}

/* Such as 20260309-141502-ab12cd, in UTC: when it was begun, and random digits. */
static int make_id(char ret[RUNID], struct err *e)
{
	struct timespec now = sys_wall();
	struct tm tm;

	gmtime_r(&now.tv_sec, &tm);
	return nonce_make(ret + strftime(ret, RUNID, "%Y%m%d-%H%M%S-", &tm), 7, e);
}

/* NULL: @e says why */
static struct process *process_new(struct exchange *x, struct processes *all,
				   const char *command, struct err *e)
{
	const char *session = exchange_header(x, "x-session-id");
	struct process *p = calloc(1, sizeof(*p));

	if (!p) {
		err_sys(e, -ENOMEM, "cannot run a command");
		return NULL;
	}
	*p = (struct process){
		.all = all,
		.loop = exchange_loop(x),
		.pace = &exchange_server(x)->pace,
		.master = -1,
		.place = -1,
		.sh = all->no_bash,
		.log = OUTLOG(&all->left),
		.command = strdup(command),
		.session = session ? strdup(session) : NULL,
		.program = { .started = on_started, .exited = on_exited, .ctx = p }
	};
	buf_init(&p->input, INPUT_MAX);
	p->next = all->first;
	all->first = p;
	all->count++;
	if (p->command && (!session || p->session) && make_id(p->id, e) == 0)
		return p;
	process_forget(p);
	err_sys(e, -ENOMEM, "cannot run a command");
	return NULL;
}

static int post_execute(struct exchange *x, struct err *e)
{
	struct processes *all = processes_of(exchange_tenant(x));
	const char *command = "";
	struct process *p;
	int r;

	if (!json_get(exchange_json(x), "command") &&
	    json_get(exchange_json(x), "code"))
		return e2b_execute(x, e); /* another contract has the same path */
	r = exchange_text(x, "command", &command, e);
	if (r == 0 && !all)
		r = err_sys(e, -ENOMEM, "cannot run a command");
	if (r == 0)
		r = make_place(all, e);
	if (r < 0)
		return r;
	p = process_new(x, all, command, e);
	if (!p)
		return e->code;
	p->before = tenant_look(all->tenant);
	p->first = answer_new(x, p, e);
	r = p->first ? start_process(p, x, e) : e->code;
	if (r == 0)
		return 0;
	exchange_later(x, NULL, NULL);
	if (p->first)
		answer_free(p->first);
	process_forget(p);
	return r;
}

/* ---- the others ----------------------------------------------------------------- */

static bool same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* NULL: @e says why */
static struct process *find(struct exchange *x, struct err *e)
{
	struct processes *all = processes_of(exchange_tenant(x));
	const char *id = exchange_param(x, "id");
	const char *session = exchange_header(x, "x-session-id");

	for (struct process *p = all ? all->first : NULL; p; p = p->next)
		if (strcmp(p->id, id) == 0 && same(p->session, session))
			return p;
	err_set(e, -ENOENT, "Process not found");
	return NULL;
}

static int list_execute(struct exchange *x, struct err *)
{
	struct processes *all = processes_of(exchange_tenant(x));
	const char *session = exchange_header(x, "x-session-id");
	struct json *list = json_array();

	for (const struct process *p = all ? all->first : NULL; p; p = p->next)
		if (same(p->session, session))
			json_add(list, describe(p));
	exchange_reply(x, 200, list);
	return 0;
}

static int get_status(struct exchange *x, struct err *e)
{
	struct process *p = find(x, e);
	struct answer *a;

	if (!p)
		return e->code;
	a = answer_new(x, p, e);
	if (!a)
		return e->code;
	answer_wait(a);
	return 0;
}

static int post_input(struct exchange *x, struct err *e)
{
	const char *text = "";
	struct process *p = find(x, e);
	int r;

	if (!p)
		return e->code;
	r = exchange_text(x, "input", &text, e);
	if (r < 0)
		return r;
	if (p->done)
		return err_set(e, -EINVAL, "Process has already exited");
	if (!p->source)
		return err_set(e, -EINVAL, "Process stdin is closed");
	if (strlen(text) > p->input.max - p->input.len)
		return err_set(e, -EAGAIN, "the process does not read its input");
	typed_unescape(text, &p->input);
	write_input(p);
	exchange_reply_text(x, 200, "application/json", "{\"status\":\"ok\"}");
	return 0;
}

static int delete_execute(struct exchange *x, struct err *e)
{
	bool force = exchange_arg_bool(x, "force", false);
	struct box *box = tenant_box(exchange_tenant(x));
	struct process *p = find(x, e);

	if (!p)
		return e->code;
	if (!p->done && p->program.runs && box) {
		int r = box_signal(box, p->program.id, force ? SIGKILL : SIGTERM, e);
		if (r < 0)
			return r;
	}
	p->killed |= !p->done;
	exchange_reply_text(x, 200, "application/json", "{\"status\":\"killed\"}");
	return 0;
}

static const struct route rows[] = {
	{ "GET", "/execute", list_execute, ROUTE_KEY, .box = true,
	  .operation = "list_processes" },
	{ "POST", "/execute", post_execute, ROUTE_KEY, ROUTE_JSON, true,
	  .operation = "run_command" },
	{ "GET", "/execute/{id}/status", get_status, ROUTE_KEY, .box = true,
	  .operation = "get_process_status" },
	{ "POST", "/execute/{id}/input", post_input, ROUTE_KEY, ROUTE_JSON, true,
	  .operation = "send_process_input" },
	{ "DELETE", "/execute/{id}", delete_execute, ROUTE_KEY, .box = true,
	  .operation = "kill_process" },
};

const struct route_table execute_routes = { rows, ARRAY_SIZE(rows) };
