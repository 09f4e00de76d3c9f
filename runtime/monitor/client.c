#include "base/list.h"
#include "runtime/monitor/impl.h"

#include <string.h>

#include "base/sys/sys.h"
#include "runtime/wire/build.h"
#include "runtime/wire/peer.h"

enum { MONITOR_PROGRAMS = 4096, MONITOR_ANSWERS = 2 * MONITOR_PROGRAMS + 64 };

/* A client is not asked again while something of its is on the way: a request to init, or
 * an answer that it has not read. */
static void watch_client(struct client *c)
{
	bool pending = outbox_waits(&c->out);
	bool busy = pending || outbox_holds(&c->m->to_init, c);

	loop_modify(c->m->loop, c->source,
		    (busy ? 0 : EPOLLIN) | (pending ? EPOLLOUT : 0));
}

/* A client that does not read what it asked for is not waited for, and not lied to: its
 * answers are kept, and one with too many of them is left. */
static void pass(struct client *c, const struct outbox_message *m)
{
	int r = outbox_put(&c->out, m);

	if (r < 0)
		sys_shutdown(c->fd, SHUT_RDWR);
	else if (r > 0 && c->source)
		watch_client(c);
}

static void say(struct client *c, uint32_t type, uint32_t id, const void *body,
		uint32_t len)
{
	pass(c, &(struct outbox_message){
			.head = { .type = type, .id = id, .len = len }, .body = body });
}

static void say_failed(struct client *c, uint32_t id, const struct err *e)
{
	say(c, WIRE_FAILED, id, e, sizeof(*e));
}

static void say_stopping(struct client *c)
{
	const uint8_t on = c->m->stopping != NULL;

	say(c, WIRE_STOPPING, 0, &on, sizeof(on));
}

/* A box whose init was killed a moment ago is not worth joining, though the monitor may
 * not have come to see it yet. It hangs up long before it has ended: in between the kernel
 * waits for every other process of the box. */
static bool is_over(const struct monitor *m)
{
	struct pollfd p[] = { { .fd = m->run.pidfd, .events = POLLIN },
			      { .fd = m->to_init.fd } };

	return m->ending || sys_poll(p, ARRAY_SIZE(p), 0) != 0;
}

int monitor_client_greet(struct client *c)
{
	struct wire_ready r = { .init_pid = c->m->run.init,
				.project = (uint8_t)c->m->spec.project_mode,
				.owner = c->m->spec.owner.uid,
				.group = c->m->spec.owner.gid };

	if (is_over(c->m))
		return -ESHUTDOWN;
	build_id(r.build, sizeof(r.build));
	c->greeted = true;
	say(c, WIRE_READY, 0, &r, sizeof(r));
	if (c->m->stopping)
		say_stopping(c);
	return 0;
}

/* Clients hear of it before anything in the box does. */
static void note_stopping(struct monitor *m, struct client *by)
{
	m->stopping = by;
	for (struct client *c = m->clients; c; c = c->next)
		if (c->greeted && c != by)
			say_stopping(c);
}

/* ---- programs ------------------------------------------------------------------------- */

static struct program *find(struct monitor *m, const struct client *c, uint32_t id)
{
	for (struct program *p = m->programs; p; p = p->next)
		if (c ? p->client == c && p->client_id == id : p->id == id)
			return p;
	return NULL;
}

static void forget(struct monitor *m, struct program *p)
{
	(void)list_drop(m->programs, p);
	free(p);
}

static struct program *note_program(struct client *c, uint32_t id, bool keep)
{
	struct monitor *m = c->m;
	struct program *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	do
		m->last_id++;
	while (!m->last_id || find(m, NULL, m->last_id));
	*p = (struct program){ .next = m->programs,
			       .id = m->last_id,
			       .client = c,
			       .client_id = id,
			       .keep = keep,
			       .kills = monitor_ask_kills(m) };
	m->programs = p;
	return p;
}

static unsigned count_programs(const struct monitor *m)
{
	unsigned n = 0;

	for (const struct program *p = m->programs; p; p = p->next)
		n++;
	return n;
}

/* What init has no room for yet is kept; its client is asked again when that has gone. */
static int to_init(struct client *c, const struct wire_msg *msg, uint32_t id)
{
	struct outbox_message o = {
		.head = msg->head,
		.body = msg->body.data,
		.fds = msg->fds,
		.n_fds = msg->n_fds,
		.owner = c,
	};
	int r;

	o.head.id = id;
	r = monitor_quiet_send(c->m, &o);
	if (outbox_waits(&c->m->to_init) && c->source)
		watch_client(c);
	return r;
}

void monitor_client_resume(struct monitor *m)
{
	if (outbox_flush(&m->to_init) == 0)
		loop_modify(m->loop, m->on_init, EPOLLIN);
	for (struct client *c = m->clients; c; c = c->next)
		watch_client(c);
}

/* Also when nobody waits for the program any more. */
static void kill_program(struct monitor *m, const struct program *p)
{
	struct outbox_message o = { .head = { .type = WIRE_KILL, .id = p->id } };

	(void)monitor_quiet_send(m, &o);
}

void monitor_client_signal_all(struct monitor *m, int signal)
{
	const struct wire_signal s = { signal };

	for (const struct program *p = m->programs; p; p = p->next) {
		struct outbox_message o = {
			.head = { .type = WIRE_SIGNAL, .id = p->id, .len = sizeof(s) },
			.body = &s
		};

		(void)monitor_quiet_send(m, &o);
	}
}

/* Init has died before it heard of the program, which the client may run in another box.
 * While this one is started, the starter says why it cannot be. */
static int init_died(struct monitor *m, struct err *e)
{
	if (m->on_init)
		m->ending = true;
	return err_set(e, -ESHUTDOWN, "the box has ended");
}

static void do_spawn(struct client *c, const struct wire_msg *msg)
{
	const struct wire_spawn *s = wire_spawn(msg);
	struct program *p = NULL;
	struct err e = ERR_NONE;
	int r;

	if (!s)
		r = err_set(&e, -EBADMSG, "malformed request to run a program");
	else if (!monitor_linger_wake(c->m, c->m->sign))
		r = init_died(c->m, &e);
	else if (find(c->m, c, msg->head.id) ||
		 count_programs(c->m) >= MONITOR_PROGRAMS)
		r = err_set(&e, -EAGAIN, "too many programs at once");
	else
		r = (p = note_program(c, msg->head.id, s->keep))
			    ? 0
			    : err_sys(&e, -ENOMEM, "cannot note a program");
	if (r == 0) {
		hostwatch_spawn(&c->m->host, !c->m->programs->next);
		r = to_init(c, msg, p->id);
		if (r < 0)
			forget(c->m, p);
		if (r == -EPIPE || r == -ECONNRESET)
			r = init_died(c->m, &e);
		else if (r < 0)
			err_sys(&e, r, "cannot reach the box's init");
	}
	if (r < 0 && (r != -ESHUTDOWN || c->m->on_init))
		say_failed(c, msg->head.id, &e);
}

static void do_forward(struct client *c, const struct wire_msg *msg)
{
	struct program *p = find(c->m, c, msg->head.id);

	if (p)
		(void)to_init(c, msg, p->id);
}

/* Its descriptors did not arrive, as when there are too many here: it is of no use. */
static void lose_program(struct monitor *m, struct program *p)
{
	struct err e = ERR_NONE;

	err_set(&e, -EMFILE, "the ends of the program's pipes got lost on their way");
	if (p->client)
		say_failed(p->client, p->client_id, &e);
	kill_program(m, p);
	p->client = NULL;
	p->keep = false;
}

void monitor_client_spawned(struct monitor *m, struct wire_msg *msg)
{
	const struct wire_spawned *s = wire_body(msg, sizeof(*s));
	struct program *p = find(m, NULL, msg->head.id);

	struct outbox_message o = {
		.head = msg->head, .body = s, .fds = msg->fds, .n_fds = msg->n_fds
	};

	if (!p)
		return;
	if (m->unheard == p->id)
		m->unheard = 0;
	if (!s || msg->n_fds > 3) {
		lose_program(m, p);
		return;
	}
	o.head.id = p->client_id;
	if (p->client)
		pass(p->client, &o);
	if (s->err.code)
		forget(m, p);
}

void monitor_client_unheard(struct monitor *m)
{
	struct program *p = m->unheard ? find(m, NULL, m->unheard) : NULL;
	struct err e = ERR_NONE;

	if (!p)
		return;
	init_died(m, &e);
	if (p->client)
		say_failed(p->client, p->client_id, &e);
	forget(m, p);
}

/* A kill by the kernel for memory shows as a SIGKILL that nobody sent and a counter that
 * moved since the program began. Each is said of one program only: what moved it before,
 * as a child that was killed in a shell, is nothing to the next that is killed. */
static bool was_oom(struct monitor *m, const struct program *p,
		    const struct wire_exit *x)
{
	uint64_t old = MAX(p->kills, m->oom_told);

	if (x->signal != SIGKILL && x->status != 128 + SIGKILL)
		return false;
	if (monitor_ask_kills(m) <= old)
		return false;
	m->oom_told = old + 1;
	return true;
}

struct program *monitor_client_exit(struct monitor *m, const struct wire_msg *msg)
{
	const struct wire_exit *x = wire_body(msg, sizeof(*x));
	struct program *p = find(m, NULL, msg->head.id);

	if (!x || !p || p->state != PROGRAM_RUNS)
		return NULL;
	p->exit = *x;
	p->exit.oom = was_oom(m, p, x);
	p->state = PROGRAM_ENDED;
	/* one that ended before and was not told yet was perhaps not the last */
	for (struct program *q = m->programs; q; q = q->next)
		if (q->state != PROGRAM_RUNS)
			q->exit.nothing_left = x->nothing_left;
	return p;
}

bool monitor_client_settle(struct monitor *m, enum monitor_work w, bool all)
{
	bool more = false;

	for (struct program *p = m->programs; p; p = p->next) {
		bool waits = false;

		if (p->state != PROGRAM_TAKEN_OVER)
			continue;
		if (all || p->rounds[w] == m->rounds[w])
			p->rounds[w] = 0;
		more |= p->rounds[w] != 0;
		for (size_t i = 0; i < MONITOR_WORKS; i++)
			waits |= p->rounds[i] != 0;
		if (!waits)
			p->state = PROGRAM_ENDED;
	}
	return more;
}

static bool others_run(const struct monitor *m, const struct program *but)
{
	for (const struct program *p = m->programs; p; p = p->next)
		if (p != but && p->state != PROGRAM_ENDED)
			return true;
	return false;
}

/* Where a box is being stopped its programs end one by one, and then it does: a client
 * that was told of the first end would begin anew in what is left. */
void monitor_client_tell_ended(struct monitor *m)
{
	struct program *next;

	for (struct program *p = m->stopping ? NULL : m->programs; p; p = next) {
		next = p->next;
		if (p->state != PROGRAM_ENDED)
			continue;
		if (p->exit.nothing_left)
			m->background = false;
		p->exit.nothing_left |= others_run(m, p); /* who tell it themselves */
		if (p->client)
			say(p->client, WIRE_EXIT, p->client_id, &p->exit,
			    sizeof(p->exit));
		forget(m, p);
	}
}

void monitor_client_note(struct monitor *m, const char *line)
{
	for (struct client *c = m->clients; c; c = c->next)
		if (c->greeted)
			say(c, WIRE_NOTE, 0, line, (uint32_t)strlen(line));
}

void monitor_client_end_all(struct monitor *m, enum monitor_limit why)
{
	const struct wire_exit x = { .status = 128 + SIGKILL,
				     .signal = SIGKILL,
				     .oom = why == LIMIT_MEMORY,
				     .disk = why == LIMIT_DISK };

	while (m->programs) {
		struct program *p = m->programs;

		if (p->client)
			say(p->client, WIRE_EXIT, p->client_id, &x, sizeof(x));
		forget(m, p);
	}
}

/* ---- clients -------------------------------------------------------------------------- */

/* What the client ran in the foreground goes with it: a hang-up, then the end. */
static void leave_programs(struct client *c)
{
	for (struct program *p = c->m->programs; p; p = p->next) {
		if (p->client != c)
			continue;
		p->client = NULL;
		if (!p->keep && p->state != PROGRAM_ENDED)
			kill_program(c->m, p);
	}
}

void monitor_client_drop(struct client *c)
{
	struct monitor *m = c->m;

	(void)list_drop(m->clients, c);
	leave_programs(c);
	if (m->held.holder == c)
		monitor_still_release(&m->held, NULL);
	if (m->stopping == c && !m->ending)
		note_stopping(m, NULL); /* it left without having stopped the box */
	outbox_disown(&m->to_init, c);
	outbox_done(&c->out);
	loop_remove(m->loop, &c->source);
	scope_close(&c->fd);
	free(c);
}

static int parse_question(const struct wire_msg *msg, struct json **ret, struct err *e)
{
	int r = json_parse(buf_cstr(&msg->body), msg->body.len, ret, e);

	if (r == 0 && !json_get_str(*ret, "what"))
		r = err_set(e, -EBADMSG, "malformed question to the monitor");
	return r;
}

static int answer_question(struct client *c, const struct json *q, struct json **ret,
			   struct err *e)
{
	const char *what = json_get_str(q, "what");

	if (strcmp(what, "hold") == 0)
		return monitor_still_hold(c, e);
	if (strcmp(what, "stopping") == 0)
		note_stopping(c->m, c);
	else if (strcmp(what, "release") == 0 && c->m->held.holder == c)
		monitor_still_release(&c->m->held, ret);
	else
		return monitor_ask(c->m, what, json_get(q, "args"), ret, e);
	return 0;
}

static void do_ask(struct client *c, const struct wire_msg *msg)
{
	_cleanup_json_ struct json *q = NULL, *a = NULL;
	_cleanup_buf_ struct buf text = BUF_INIT(WIRE_BODY);
	struct err e = ERR_NONE;
	int r = parse_question(msg, &q, &e) ?: answer_question(c, q, &a, &e);

	if (r == 0) {
		r = a ? json_print(a, false, &text) : buf_adds(&text, "{}");
		if (r < 0)
			err_sys(&e, r, "the answer is too long");
	}
	if (r < 0)
		say_failed(c, msg->head.id, &e);
	else
		say(c, WIRE_ANSWER, msg->head.id, text.data, (uint32_t)text.len);
}

bool monitor_client_is_there(const struct monitor *m, const struct client *but)
{
	for (const struct client *c = m->clients; c; c = c->next)
		if (c != but && peer_is_there(c->fd))
			return true;
	return false;
}

/* Whether anybody else uses the box, or it was asked to stay. */
static bool is_busy(const struct monitor *m, const struct client *but)
{
	if (monitor_client_is_there(m, but))
		return true;
	for (const struct program *p = m->programs; p; p = p->next)
		if (p->keep)
			return true;
	return m->spec.keep || json_len(m->spec.publish);
}

/* A view of the project is had from the start on. A box that nobody uses ends for one that
 * has another; one in use is not joined by who wants the project to be safer. */
static int match_project(struct client *c, const struct wire_hello *h)
{
	struct monitor *m = c->m;
	struct err e = ERR_NONE;

	if (h->wish.visit || h->project == m->wanted)
		return 0;
	if (!is_busy(m, c)) {
		m->ending = true;
		return -ESHUTDOWN; /* it starts another one */
	}
	if (h->project == PROJECT_LIVE)
		return 0;
	err_set(&e, -EBUSY,
		"the box is in use, and sees the project with --project %s; 'cubby "
		"stop' ends it",
		spec_project_name(m->wanted));
	say_failed(c, 0, &e);
	return -EPROTO;
}

static int do_hello(struct client *c, const struct wire_msg *msg)
{
	const struct wire_hello *h = wire_body(msg, sizeof(*h));
	char build[sizeof(h->build)];
	struct err e = ERR_NONE;
	int r;

	build_id(build, sizeof(build));
	if (!h || memcmp(h->build, build, sizeof(build)) != 0) {
		err_set(&e, -EPROTO,
			"this box was started by another version of cubby; run 'cubby "
			"stop' with that version, or wait until its last command ends");
		say_failed(c, 0, &e);
		return -EPROTO;
	}
	r = match_project(c, h);
	if (r < 0)
		return r;
	if (!h->wish.visit) {
		if (!monitor_linger_wake(c->m, h->wish.sign))
			return -ESHUTDOWN;
		c->m->linger_ms = h->wish.linger_ms;
	}
	return monitor_client_greet(c);
}

static const struct request {
	enum wire_type type;
	void (*run)(struct client *c, const struct wire_msg *msg);
} requests[] = {
	{ WIRE_SPAWN, do_spawn },
	{ WIRE_SIGNAL, do_forward },
	{ WIRE_KILL, do_forward },
	{ WIRE_ASK, do_ask },
};

static int serve(struct client *c, const struct wire_msg *msg)
{
	if (!c->greeted)
		return msg->head.type == WIRE_HELLO ? do_hello(c, msg) : -EPROTO;
	for (size_t i = 0; i < ARRAY_SIZE(requests); i++)
		if (requests[i].type == msg->head.type) {
			requests[i].run(c, msg);
			return 0;
		}
	return -EPROTO;
}

static int on_client(void *ctx, uint32_t events, struct err *)
{
	struct client *c = ctx;
	_cleanup_wire_ struct wire_msg msg;
	int r;

	wire_msg_init(&msg);
	if (events & EPOLLOUT) {
		(void)outbox_flush(&c->out); /* its end is heard below */
		watch_client(c);
	}
	if (!(events & ~(uint32_t)EPOLLOUT))
		return 0;
	r = wire_recv(c->fd, &msg, 1 + WIRE_EXTRA);
	if (r == -EAGAIN)
		return 0;
	if (r <= 0 || serve(c, &msg) < 0)
		monitor_client_drop(c);
	return 0;
}

/* Before it was told READY a starter asks for this and for nothing else. */
static bool receive_first(struct monitor *m)
{
	struct pollfd p = { .fd = m->clients->fd, .events = POLLIN };

	if (m->first.head.type)
		return true;
	wire_msg_init(&m->first);
	return sys_poll(&p, 1, 0) > 0 &&
	       wire_recv(m->clients->fd, &m->first, 1 + WIRE_EXTRA) > 0;
}

void monitor_client_first(struct monitor *m)
{
	while (m->programs) /* of an attempt that failed */
		forget(m, m->programs);
	if (m->clients && receive_first(m) && m->first.head.type == WIRE_SPAWN)
		do_spawn(m->clients, &m->first);
}

int monitor_client_add(struct monitor *m, int fd, bool starter, struct err *e)
{
	/* the starter's stays: what went wrong is still to be said there */
	_cleanup_close_ int owned = starter ? -1 : fd;
	struct client *c;
	int r;

	/* The path is 0600 in a directory of ours, and still a project that is mounted
	 * into a box may hold it. Who is not heard is told nothing. */
	if (!starter && peer_check(fd, e) < 0)
		return e->code;
	c = calloc(1, sizeof(*c));
	if (!c)
		return err_sys(e, -ENOMEM, "cannot take another client");
	*c = (struct client){ .m = m, .fd = fd, .greeted = starter };
	outbox_init(&c->out, fd, MONITOR_ANSWERS);
	r = sys_setfl(fd, O_NONBLOCK)
		    ?: loop_add(m->loop, fd, EPOLLIN, on_client, c, &c->source);
	if (r < 0) {
		free(c);
		return err_sys(e, r, "cannot take another client");
	}
	owned = -1;
	c->next = m->clients;
	m->clients = c;
	return 0;
}
