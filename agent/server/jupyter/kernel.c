/* Theory of operation
 *
 * A kernel has any number of channels, each a WebSocket. An execute_request is queued with
 * its header; the first one runs. Its messages have that header as their parent, and go to
 * all channels. Between two cells there is no parent. When a channel has more to send than
 * is good, the interpreter's descriptor is not looked at, until it has less: the cell then
 * waits in its pipe. */
#include "agent/server/jupyter/kernel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "agent/python/frame.h"
#include "agent/python/python.h"
#include "agent/server/conf/conf.h"
#include "agent/server/jupyter/cell.h"
#include "agent/server/jupyter/channel.h"
#include "agent/server/jupyter/content.h"
#include "agent/server/tenant/tenant.h"
#include "base/list.h"
#include "base/loop.h"
#include "base/pieces.h"
#include "base/sys/sys.h"
#include "base/text.h"

enum {
	WAITING_MAX = 64,	 /* of a kernel */
	MESSAGES_ALL = 20 << 20, /* the same of messages whose end has not come */
	DATE = 40
};

struct kernel {
	struct kernel *next;
	struct kernels *all;
	char id[KERNEL_ID];
	char *cwd; /* owned */
	struct kernel_session of;
	struct python *python;		 /* owned */
	struct tenant_program program;	 /* its process */
	struct box_exit exit;		 /* of it */
	bool exited;			 /* exit is known */
	struct loop_source *source;	 /* of the interpreter */
	struct channels channels;	 /* owned */
	struct cell *requests, *running; /* owned; running: the first */
	unsigned waiting;
	struct pieces pieces[3];
	int64_t count;
	bool asked; /* the open question was passed on */
	bool paused;
	struct timespec active;
	uint64_t active_ms;	  /* the same by the clock of the loop */
	struct loop_source *idle; /* timer */
};

struct kernels {
	struct tenant *tenant; /* borrowed */
	struct kernel *first;
	unsigned count;
	size_t cells_left;	 /* of CELL_ALL */
	struct python_room room; /* MESSAGES_ALL */
};

static struct loop *loop_of(const struct kernel *k)
{
	return tenant_loop(k->all->tenant);
}

/* ---- messages -------------------------------------------------------------------------- */

static void look_at_speed(void *ctx)
{
	struct kernel *k = ctx;
	const struct kernel_watch *w = k->running ? k->running->watch : NULL;
	bool slow = channel_slow(&k->channels) || (w && w->slow(w->ctx));

	if (slow != k->paused && k->source &&
	    loop_modify(loop_of(k), k->source, slow ? 0 : EPOLLIN) == 0)
		k->paused = slow;
}

/* To all; @content is taken over. */
static void tell(struct kernel *k, const char *channel, const char *type,
		 const struct json *parent, struct json *content)
{
	struct channel_message m = { channel, type, parent, content };
	const struct kernel_watch *w = k->running ? k->running->watch : NULL;

	if (w && parent == k->running->header) {
		if (strcmp(type, "execute_reply") == 0)
			k->running->watch = NULL;
		w->said(w->ctx, type, content);
	}
	channel_tell(&k->channels, NULL, &m);
}

static const struct json *parent_of(const struct kernel *k)
{
	return k->running ? k->running->header : NULL;
}

/* On iopub, about the running cell; @content is taken over. */
static void publish(struct kernel *k, const char *type, struct json *content)
{
	tell(k, "iopub", type, parent_of(k), content);
}

static void tell_status(struct kernel *k, const struct json *parent, const char *state)
{
	struct json *c = json_object();

	json_set_str(c, "execution_state", state);
	tell(k, "iopub", "status", parent, c);
}

/* ---- cells ------------------------------------------------------------------------------- */

static void mark_active(struct kernel *k)
{
	k->active = sys_wall();
	k->active_ms = sys_now_ms();
}

static struct cell *new_cell(struct kernel *k, const struct json *header,
			     const char *code, const struct json *env, struct err *e)
{
	if (k->waiting < WAITING_MAX)
		return cell_new(header, code, env, &k->all->cells_left, e);
	err_set(e, -EAGAIN, "too many cells wait");
	return NULL;
}

static void begin_next(struct kernel *k);

/* The reply to the running one, which is over; @reply is taken over. */
static void end_running(struct kernel *k, struct json *reply, bool failed)
{
	struct cell *r = k->running;

	mark_active(k);
	if (!r->look) {
		json_set_int(reply, "execution_count", k->count);
		json_set(reply, "user_expressions", json_object());
		json_set(reply, "payload", json_array());
	}
	tell(k, "shell", content_reply(r->look), r->header, reply);
	k->running = NULL;
	tell_status(k, r->header, "idle");
	failed = failed && r->stop_on_error;
	cell_free(r);
	while (failed && k->requests) {
		struct json *aborted = json_object();

		r = k->requests;
		k->requests = r->next;
		k->waiting--;
		json_set_str(aborted, "status", "aborted");
		tell(k, "shell", content_reply(r->look), r->header, aborted);
		tell_status(k, r->header, "idle");
		cell_free(r);
	}
}

static void fail_running(struct kernel *k, const char *ename, const char *evalue,
			 const struct json *tb)
{
	struct json *reply = content_error(ename, evalue, tb);

	json_set_str(reply, "status", "error");
	if (!k->running->look)
		publish(k, "error", content_error(ename, evalue, tb));
	end_running(k, reply, true);
}

static int begin_cell(struct kernel *k, const struct cell *r, struct err *e)
{
	const struct python_cell cell = { .code = r->code,
					  .silent = r->silent,
					  .env = r->env };
	const struct python_look look = { r->look, r->code, r->pos };
	struct json *input;

	if (r->look)
		return python_look(k->python, &look, e);
	input = json_object();
	json_set_str(input, "code", r->code);
	json_set_int(input, "execution_count", k->count + !r->silent);
	publish(k, "execute_input", input);
	return python_run(k->python, &cell, e);
}

static void begin_next(struct kernel *k)
{
	while (k->requests && !k->running) {
		struct cell *r = k->requests;
		struct err e = ERR_NONE;

		k->requests = r->next;
		k->waiting--;
		k->running = r;
		tell_status(k, r->header, "busy");
		if (begin_cell(k, r, &e) < 0)
			fail_running(k, "KernelError", e.msg, NULL);
	}
}

/* ---- what the interpreter says ------------------------------------------------------------- */

static void on_stream(void *ctx, int fd, const char *data, size_t len)
{
	static const char *const names[] = { "", "stdout", "stderr" };
	_cleanup_buf_ struct buf text = BUF_INIT(4 * len + 16);
	struct kernel *k = ctx;
	struct json *c;

	(void)pieces_add(&k->pieces[fd], data, len, &text);
	if (!text.len)
		return;
	c = json_object();
	json_set_str(c, "name", names[fd]);
	json_set(c, "text", json_stringn(text.data, text.len));
	publish(k, "stream", c);
}

static void on_message(void *ctx, const struct python_message *m)
{
	struct kernel *k = ctx;
	struct json *c = NULL;

	if (m->kind == PYTHON_RESULT) {
		publish(k, "execute_result", content_value(m));
	} else if (m->kind == PYTHON_DISPLAY) {
		publish(k, m->update ? "update_display_data" : "display_data",
			content_value(m));
	} else if (k->running && k->running->look == m->kind) {
		json_free(&k->running->found);
		k->running->found = content_look(m);
	} else if (m->kind == PYTHON_CLEAR) {
		c = json_object();
		json_set_bool(c, "wait", m->wait);
		publish(k, "clear_output", c);
	} else if (m->kind == PYTHON_ASK && k->running && k->running->stdin_allowed) {
		c = json_object();
		json_set_str(c, "prompt", m->prompt);
		json_set_bool(c, "password", m->password);
		k->asked = true;
		tell(k, "stdin", "input_request", parent_of(k), c);
	} else if (m->kind == PYTHON_DONE && k->running) {
		k->asked = false;
		k->count = m->count;
		if (m->status != PYTHON_OK) {
			fail_running(k, m->ename, m->evalue, m->tb);
			return;
		}
		c = take(&k->running->found, NULL) ?: json_object();
		json_set_str(c, "status", "ok");
		end_running(k, c, false);
	}
}

static void on_death(void *ctx, const struct python_death *d)
{
	struct kernel *k = ctx;
	const char *why = "Python has ended; what was defined in it is lost";

	k->count = 0;
	k->asked = false;
	if (d->exit.oom)
		why = "Python was killed for the box's memory limit; what was defined "
		      "in it is lost";
	else if (d->killed)
		why = "Python was killed, for an interrupt had no effect; what was "
		      "defined in it is lost";
	else if (d->why)
		why = d->why;
	if (k->running)
		fail_running(k, "KernelDied", why, NULL);
}

static const struct python_events events = { on_stream, on_message, on_death };

static int on_python(void *ctx, uint32_t, struct err *)
{
	struct kernel *k = ctx;

	channel_cork(&k->channels, true); /* what is said at once leaves at once */
	python_pump(k->python);
	if (python_state(k->python) == PYTHON_ASKING && !k->asked)
		(void)python_input(k->python, NULL, ERR_IGNORED);
	begin_next(k);
	channel_cork(&k->channels, false);
	return 0;
}

/* ---- what clients ask ---------------------------------------------------------------------- */

static void answer_fixed(struct kernel *k, struct channel *c, const struct json *header,
			 const char *channel, const char *type)
{
	struct channel_message m = { channel, NULL, header, NULL };

	if (!channel_fixed(type, &m))
		return;
	tell_status(k, header, "busy");
	channel_tell(&k->channels, c, &m);
	tell_status(k, header, "idle");
}

static void queue(struct kernel *k, struct cell *r)
{
	struct cell **at = &k->requests;

	while (*at)
		at = &(*at)->next;
	*at = r;
	k->waiting++;
	channel_cork(&k->channels, true);
	begin_next(k);
	channel_cork(&k->channels, false);
}

int kernel_execute(struct kernel *k, const char *code, const struct json *env,
		   const struct kernel_watch *w, struct err *e)
{
	_cleanup_json_ struct json *header = json_object();
	struct cell *r;
	char id[CHANNEL_ID];

	channel_make_id(id);
	json_set_str(header, "msg_id", id);
	json_set_str(header, "msg_type", "execute_request");
	r = new_cell(k, header, code, env, e);
	if (!r)
		return e->code;
	mark_active(k);
	r->watch = w;
	queue(k, r);
	return 0;
}

void kernel_pace(struct kernel *k)
{
	look_at_speed(k);
}

void kernel_leave(struct kernel *k, const struct kernel_watch *w)
{
	if (k->running && k->running->watch == w) {
		k->running->watch = NULL;
		look_at_speed(k);
		kernel_interrupt(k);
	} else if (cell_drop(&k->requests, w)) {
		k->waiting--;
	}
}

/* Who sent it would wait for an end of it for ever. */
static void refuse_cell(struct kernel *k, const struct json *header,
			enum python_kind look, const struct err *why)
{
	struct json *reply = content_error("KernelError", why->msg, NULL);

	json_set_str(reply, "status", "error");
	tell_status(k, header, "busy");
	if (!look)
		tell(k, "iopub", "error", header,
		     content_error("KernelError", why->msg, NULL));
	tell(k, "shell", content_reply(look), header, reply);
	tell_status(k, header, "idle");
}

/* @look: READY: it is to be run */
static void take_cell(struct kernel *k, const struct json *header,
		      const struct json *content, enum python_kind look)
{
	const char *code = json_get_str(content, "code");
	struct err e = ERR_NONE;
	struct cell *r;

	if (!code)
		return;
	r = new_cell(k, header, code, NULL, &e);
	if (!r) {
		refuse_cell(k, header, look, &e);
		return;
	}
	r->look = look;
	r->pos = json_get_int(content, "cursor_pos", -1);
	r->silent = json_get_bool(content, "silent", false);
	r->stdin_allowed = json_get_bool(content, "allow_stdin", true);
	r->stop_on_error = !look && json_get_bool(content, "stop_on_error", true);
	queue(k, r);
}

static void take_input(struct kernel *k, const struct json *content)
{
	const char *value = json_get_str(content, "value");

	if (k->asked && python_input(k->python, value ? value : "", ERR_IGNORED) == 0)
		k->asked = false;
}

static void take_message(void *ctx, struct channel *c, const struct json *m)
{
	const struct json *header = json_get(m, "header"),
			  *content = json_get(m, "content");
	const char *type = json_get_str(header, "msg_type");
	struct kernel *k = ctx;

	mark_active(k);
	if (!type || !json_get_str(header, "msg_id") || !cell_fits(header))
		return;
	if (strcmp(type, "execute_request") == 0)
		take_cell(k, header, content, PYTHON_READY);
	else if (strcmp(type, "complete_request") == 0)
		take_cell(k, header, content, PYTHON_COMPLETE);
	else if (strcmp(type, "inspect_request") == 0)
		take_cell(k, header, content, PYTHON_INSPECT);
	else if (strcmp(type, "input_reply") == 0)
		take_input(k, content);
	else if (strcmp(type, "interrupt_request") == 0)
		kernel_interrupt(k);
	answer_fixed(k, c, header,
		     json_is(m, "channel", "control") ? "control" : "shell", type);
	if (strcmp(type, "shutdown_request") == 0)
		kernel_restart(k);
}

/* ---- its process --------------------------------------------------------------------------- */

static void on_started(void *ctx, struct box_proc *p, const struct err *e)
{
	struct err none = ERR_NONE;
	struct kernel *k = ctx;

	/* else it may be the directory that is not there */
	if (e && e->code == -ENOENT && strcmp(k->cwd, tenant_home(k->all->tenant)) == 0)
		(void)python_missing(&none);
	python_spawned(k->python, p, none.code ? &none : e);
	begin_next(k);
}

static void on_exited(void *ctx, const struct box_exit *x)
{
	struct kernel *k = ctx;

	k->exited = true;
	k->exit = x ? *x : (struct box_exit){ .status = -1 };
	(void)on_python(k, 0, ERR_IGNORED); /* it may have been waited for */
}

static int port_spawn(void *ctx, const struct box_command *c, struct box_proc *,
		      struct err *e)
{
	struct kernel *k = ctx;
	int r;

	k->exited = false;
	tenant_forget(&k->program);
	k->program = (struct tenant_program){ .started = on_started,
					      .exited = on_exited,
					      .ctx = k };
	r = tenant_run(k->all->tenant, c, &k->program, e);
	return r < 0 ? r : 1;
}

static int port_wait(void *ctx, uint32_t, int, struct box_exit *ret, struct err *e)
{
	struct kernel *k = ctx;

	if (!k->exited)
		return err_set(e, -ETIMEDOUT, "it is not known");
	*ret = k->exit;
	return 0;
}

static int port_signal(void *ctx, uint32_t, int sig, struct err *e)
{
	struct kernel *k = ctx;
	struct box *box = tenant_box(k->all->tenant);

	return box && k->program.runs ? box_signal(box, k->program.id, sig, e) : 0;
}

static int port_end(void *ctx, uint32_t, struct err *)
{
	struct kernel *k = ctx;

	tenant_forget(&k->program);
	return 0;
}

/* ---- kernels of a tenant --------------------------------------------------------------------- */

static void kernels_free(void *ctx)
{
	struct kernels *all = ctx;

	while (all->first)
		kernel_end(all->first);
	free(all);
}

static struct kernels *kernels_of(struct tenant *t)
{
	struct kernels *all = tenant_slot(t, TENANT_PYTHON, sizeof(*all), kernels_free);

	if (all && !all->tenant)
		*all = (struct kernels){ .tenant = t,
					 .cells_left = CELL_ALL,
					 .room = { MESSAGES_ALL } };
	return all;
}

/* Who makes one and never ends it must not keep the box for ever. */
static int on_idle(void *ctx, uint32_t, struct err *)
{
	struct kernel *k = ctx;
	uint64_t most = tenant_conf(k->all->tenant)->idle_ms;
	uint64_t since = sys_now_ms() - k->active_ms;

	if (channel_count(&k->channels) || k->running || since < most)
		loop_rearm(loop_of(k), k->idle, since < most ? most - since : most);
	else
		kernel_end(k);
	return 0;
}

int kernel_new(struct tenant *t, const char *cwd, struct kernel **ret, struct err *e)
{
	struct kernels *all = kernels_of(t);
	_cleanup_free_ struct kernel *k = all ? calloc(1, sizeof(*k)) : NULL;
	_cleanup_free_ char *dir = k ? strdup(cwd ? cwd : tenant_home(t)) : NULL;
	struct python_conf conf = {
		.port = { port_spawn, port_wait, port_signal, port_end, k, true },
		.events = &events,
		.ctx = k,
		.cwd = dir,
		.env = tenant_conf(t)->env,
		.room = all ? &all->room : NULL,
	};
	int r = dir ? 0 : err_sys(e, -ENOMEM, "cannot make a kernel");

	if (r == 0 && all->count >= KERNEL_MAX)
		r = err_set(e, -EAGAIN, "there are %d kernels already", KERNEL_MAX);
	if (r < 0)
		return r;
	k->all = all;
	channel_make_id(k->id);
	channel_make_id(k->channels.session);
	k->channels.said = take_message;
	k->channels.pace = look_at_speed;
	k->channels.ctx = k;
	mark_active(k);
	r = python_new(&conf, &k->python, e) ?:
		loop_add(loop_of(k), python_fd(k->python), EPOLLIN, on_python, k,
			     &k->source) ?:
		loop_timer(loop_of(k), tenant_conf(t)->idle_ms, on_idle, k,
			       &k->idle);
	if (r < 0) {
		loop_remove(loop_of(k), &k->source);
		python_free(&k->python);
		return e->code ? r : err_sys(e, r, "cannot make a kernel");
	}
	k->cwd = take(&dir, NULL);
	k->next = all->first;
	all->first = *ret = take(&k, NULL);
	all->count++;
	return 0;
}

int kernel_find(struct tenant *t, const char *id, struct kernel **ret, struct err *e)
{
	struct kernels *all = kernels_of(t);
	struct kernel *k = all ? all->first : NULL;

	while (k && strcmp(k->id, id) != 0)
		k = k->next;
	if (!k)
		return err_set(e, -ENOENT, "Kernel does not exist");
	*ret = k;
	return 0;
}

struct kernel *kernel_next(struct tenant *t, struct kernel *k)
{
	struct kernels *all = kernels_of(t);

	return k ? k->next : all ? all->first : NULL;
}

static void drop_requests(struct kernel *k)
{
	while (k->requests) {
		struct cell *r = k->requests;

		k->requests = r->next;
		cell_free(r);
	}
	k->waiting = 0;
}

void kernel_end(struct kernel *k)
{
	(void)list_drop(k->all->first, k);
	k->all->count--;
	channel_close_all(&k->channels, "the kernel has ended");
	drop_requests(k);
	if (k->running)
		cell_free(k->running);
	loop_remove(loop_of(k), &k->source);
	loop_remove(loop_of(k), &k->idle);
	python_free(&k->python);
	tenant_forget(&k->program);
	free(k->cwd);
	free(k->of.path);
	free(k->of.name);
	free(k->of.type);
	free(k);
}

const char *kernel_id(const struct kernel *k)
{
	return k->id;
}

const char *kernel_cwd(const struct kernel *k)
{
	return k->cwd;
}

struct kernel_session *kernel_session(struct kernel *k)
{
	return &k->of;
}

struct json *kernel_model(const struct kernel *k)
{
	struct json *j = json_object();
	char date[DATE];

	json_set_str(j, "id", k->id);
	json_set_str(j, "name", "python3");
	json_set_str(
		j, "last_activity",
		text_time(date, sizeof(date), k->active.tv_sec, k->active.tv_nsec));
	json_set_str(j, "execution_state", k->running ? "busy" : "idle");
	json_set_int(j, "connections", channel_count(&k->channels));
	return j;
}

void kernel_interrupt(struct kernel *k)
{
	python_interrupt(k->python);
}

void kernel_restart(struct kernel *k)
{
	python_restart(k->python);
	k->count = 0;
	k->asked = false;
	if (k->running)
		fail_running(k, "KernelRestarted", "the kernel was restarted", NULL);
	tell_status(k, NULL, "restarting");
	tell_status(k, NULL, "idle");
	begin_next(k);
}

int kernel_attach(struct kernel *k, struct exchange *x, struct err *e)
{
	return channel_add(&k->channels, x, e);
}
