#include "runtime/box/box.h"

#include <string.h>

#include "base/file.h"
#include "base/grow.h"
#include "base/proc.h"
#include "base/sys/sys.h"
#include "runtime/box/asked.h"
#include "runtime/box/spawned.h"
#include "runtime/box/wish.h"
#include "runtime/confine/abstract.h"
#include "runtime/monitor/monitor.h"
#include "runtime/spec/spec.h"
#include "runtime/start/start.h"
#include "runtime/wire/build.h"
#include "runtime/wire/holder.h"
#include "runtime/wire/rundir.h"
#include "runtime/wire/spawn_pack.h"
#include "runtime/wire/wire.h"

enum {
	/* Whoever starts it gives up before: so long with the start, half a minute
	 * with what comes before it, which is a lock and looks at volumes. */
	BOX_START_MS = START_MOST_MS + 40000,
	BOX_ANSWER_MS = 20000,
	BOX_EXITS = 4096,
	BOX_TRIES = 50,
	BOX_LOST_MS = 5000,   /* for a monitor without a socket to end */
	BOX_LOST_LOOK_MS = 1, /* its lock is free long before the process has ended */
	BOX_AGAIN = 5,	      /* boxes that end before they hear of a command */
};

struct box {
	int fd;		     /* owned; -1 = the box has ended and no other is there */
	struct box_open how; /* its spec is borrowed; first is NULL */
	struct box_facts facts;
	uint32_t last_id;
	struct box_exit *exits; /* owned: came, not asked for yet */
	size_t n_exits;
	struct proc monitor; /* owned; only of the client that started it */
	bool gone;	     /* the monitor closed the connection */
	bool unread;	     /* and had not read what was sent last */
	bool full;	     /* because the box has reached its disk limit */
	bool stopping;	     /* somebody is about to end the box */
	bool used;	     /* it has run something of ours */
	uint32_t lost_id;    /* programs up to this one were in a box that has ended */
	unsigned ends;	     /* boxes that were used, have ended and were replaced */
	const struct box_command
		*first; /* borrowed: asked for, not answered; or NULL */
	uint32_t first_id;
	struct asked asked; /* owned: by box_request() */
};

void box_proc_done(struct box_proc *p)
{
	scope_close_set(p->fds, 3);
	*p = BOX_PROC_NONE;
}

/* The monitor lives on while others use the box: it is reaped if it has ended already, and
 * by the system's init else. */
static void leave(struct box *b)
{
	siginfo_t si;

	scope_close_set(&b->fd, 1);
	if (b->monitor.pid > 0)
		sys_waitid(P_PID, (id_t)b->monitor.pid, &si, WEXITED | WNOHANG);
	scope_close(&b->monitor.pidfd);
	b->monitor = PROC_NONE;
	b->stopping = false;
}

void box_close(struct box **b)
{
	if (!*b)
		return;
	leave(*b);
	asked_done(&(*b)->asked);
	free((*b)->exits);
	free(*b);
	*b = NULL;
}

int box_unblock(struct box *b)
{
	return sys_setfl(b->fd, O_NONBLOCK);
}

int box_fd(const struct box *b)
{
	return b->fd;
}

const struct box_facts *box_facts(const struct box *b)
{
	return &b->facts;
}

unsigned box_ends(const struct box *b)
{
	return b->ends + (b->used && (b->gone || b->fd < 0));
}

bool box_stopping(const struct box *b)
{
	return b->stopping;
}

/* ---- messages ---------------------------------------------------------------------------- */

static int gone(struct box *b, struct err *e)
{
	b->gone = true;
	if (b->full) /* another would have reached it, too */
		return err_set(e, -ENOTCONN,
			       "the box has ended: it had reached its disk limit");
	return err_set(e, -ECONNRESET, "the box has ended");
}

static int keep_exit(struct box *b, const struct wire_msg *m, struct err *e)
{
	const struct wire_exit *x = wire_body(m, sizeof(*x));

	if (!x || b->n_exits >= BOX_EXITS)
		return err_set(e, -EBADMSG, "malformed message from the monitor");
	if (!grow_room(b->exits, b->n_exits))
		return err_sys(e, -ENOMEM, "cannot note the end of a program");
	b->exits[b->n_exits++] = (struct box_exit){ .id = m->head.id,
						    .status = x->status,
						    .signal = x->signal,
						    .oom = x->oom,
						    .disk = x->disk,
						    .nothing_left = x->nothing_left };
	b->full |= x->disk;
	return 0;
}

/* An answer to box_request() is put aside, too. true = it was one */
static bool keep_asked(struct box *b, struct wire_msg *m)
{
	struct asked_one *a = asked_find(&b->asked, m->head.id);

	if (!a)
		return false;
	a->came = true;
	if (m->head.type == WIRE_SPAWNED)
		(void)spawned_take(a->io, m, &a->proc, &a->why);
	else
		(void)wire_failed(m, &a->why);
	return true;
}

static int tell_answer(struct box *b, const struct wire_msg *m)
{
	_cleanup_json_ struct json *j = NULL;
	struct err why = ERR_NONE;

	if (m->head.type == WIRE_FAILED)
		(void)wire_failed(m, &why);
	else
		(void)json_parse(buf_cstr(&m->body), m->body.len, &j, &why);
	b->how.answered(b->how.answered_ctx, m->head.id, j, &why);
	return 0;
}

/* The next message within the time; exits are put aside. 1 = @m holds another one, 0 = an
 * exit came or, with no time left, nothing (-ETIMEDOUT). */
static int next_message(struct box *b, struct wire_msg *m, int timeout_ms,
			struct err *e)
{
	struct pollfd p = { .fd = b->fd, .events = POLLIN };
	int r = sys_poll(&p, 1, timeout_ms);

	if (r == 0 || r == -EINTR) {
		err_set(e, r ? r : -ETIMEDOUT, "no answer from the box's monitor");
		return err_hint(e, "'cubby stop' ends it");
	}
	r = wire_recv(b->fd, m, 3);
	b->unread |= m->reset;
	if (r == 0 || r == -ECONNRESET || r == -EPIPE)
		return gone(b, e);
	if (r < 0)
		return err_sys(e, r, "cannot hear from the box's monitor");
	if (m->head.type == WIRE_EXIT)
		return keep_exit(b, m, e);
	if ((m->head.type == WIRE_SPAWNED || m->head.type == WIRE_FAILED) &&
	    keep_asked(b, m))
		return 0;
	if ((m->head.type == WIRE_ANSWER || m->head.type == WIRE_FAILED) &&
	    b->how.answered && m->head.id)
		return tell_answer(b, m);
	if (m->head.type == WIRE_STOPPING) {
		b->stopping = m->body.len && m->body.data[0];
		return 0;
	}
	if (m->head.type == WIRE_NOTE) {
		if (b->how.note)
			b->how.note(b->how.note_ctx, buf_cstr(&m->body));
		return 0;
	}
	return 1;
}

/* Waits for the answer to @id: of @type, or a failure. */
static int answer(struct box *b, uint32_t id, uint32_t type, struct wire_msg *m,
		  struct err *e)
{
	uint64_t end = sys_now_ms() + (b->how.answer_ms ?: BOX_ANSWER_MS);

	for (;;) {
		uint64_t now = sys_now_ms();
		int r = next_message(b, m, now < end ? (int)(end - now) : 0, e);

		if (r == -EINTR || r == 0)
			continue;
		if (r < 0)
			return r;
		if (m->head.id != id)
			continue; /* late, of a question that was given up */
		if (m->head.type == WIRE_FAILED)
			return wire_failed(m, e);
		if (m->head.type == type)
			return 0;
	}
}

static int send_to(struct box *b, uint32_t type, uint32_t id, const void *body,
		   size_t len)
{
	struct wire_head head = { .type = type, .id = id, .len = (uint32_t)len };

	return wire_send(b->fd, &head, body, NULL, 0);
}

/* ---- asking for a program ------------------------------------------------------------------ */

/* -ESHUTDOWN: the box has ended and will not hear of it. */
static int send_spawn(struct box *b, const struct box_command *c, uint32_t *id,
		      struct err *e)
{
	_cleanup_spawn_pack_ struct spawn_pack p = SPAWN_PACK_NONE;
	int r = spawn_pack(c, ++b->last_id, &p, e);

	if (r < 0)
		return r;
	r = b->fd < 0 ? -EPIPE : wire_send(b->fd, &p.head, p.body.data, p.fds, p.n_fds);
	if (r == -EPIPE || r == -ECONNRESET) {
		(void)gone(b, e);
		return -ESHUTDOWN;
	}
	if (r < 0)
		return err_sys(e, r, "cannot reach the box's monitor");
	*id = p.head.id;
	return 0;
}

/* Behind the greeting or the spec, before they are answered: what is wrong with the command
 * itself box_spawn() will find again, and why a monitor that has ended did not take them it has
 * said already: that is still to be read. */
static void send_first(struct box *b, const struct box_open *o)
{
	int r = o->first ? send_spawn(b, o->first, &b->first_id, ERR_IGNORED) : 0;

	b->first = r < 0 ? NULL : o->first;
	b->gone = false;
}

static int send_hello(struct box *b, const struct box_open *o, struct err *e)
{
	struct wire_hello hello = { .project = (uint8_t)o->spec->project_mode };
	int r = wish_make(o, &hello.wish, e);

	if (r < 0)
		return r;
	build_id(hello.build, sizeof(hello.build));
	r = send_to(b, WIRE_HELLO, 0, &hello, sizeof(hello));
	return r < 0 ? err_sys(e, r == -EPIPE ? -ECONNRESET : r,
			       "cannot greet the monitor")
		     : 0;
}

/* ---- joining and starting ------------------------------------------------------------------ */

static int take_ready(struct box *b, const struct wire_msg *m, struct err *e)
{
	const struct wire_ready *r = wire_body(m, sizeof(*r));
	char build[sizeof(r->build)];

	build_id(build, sizeof(build));
	if (!r || memcmp(r->build, build, sizeof(build)) != 0)
		return err_set(e, -EPROTO,
			       "the box runs under another version of cubby; "
			       "run 'cubby stop' with that version first");
	b->facts.init = r->init_pid;
	b->facts.reviews = r->project == PROJECT_REVIEW;
	b->facts.owner = (struct idmap_owner){ r->owner, r->group };
	return 0;
}

/* A monitor that was just ending closes the socket without a READY: -ECONNRESET, and the
 * caller tries again. */
static int join(struct box *b, const struct box_open *o, int rundir, struct err *e)
{
	_cleanup_wire_ struct wire_msg m;
	int r;

	wire_msg_init(&m);
	b->gone = b->unread = false; /* that was another monitor */
	b->fd = rundir_connect(rundir, e);
	if (b->fd < 0)
		return b->fd;
	r = send_hello(b, o, e);
	if (r < 0)
		return r;
	send_first(b, o);
	r = answer(b, 0, WIRE_READY, &m, e);
	return r < 0 ? r : take_ready(b, &m, e);
}

static bool nobody(int r)
{
	return r == -ENOENT || r == -ECONNREFUSED;
}

static int open_boxdir(const struct spec *s, struct err *e)
{
	char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s/boxes/%s", s->store, s->key);
	return file_open_dir(AT_FDCWD, path, e);
}

/* In the runtime directory of this process; else where the monitor noted its socket. */
static int join_any(struct box *b, const struct box_open *o, struct err *e)
{
	_cleanup_close_ int here = rundir_find(o->spec->key, e);
	_cleanup_close_ int boxdir = -1, there = -1;
	struct holder holder;
	int r;

	scope_close_set(&b->fd, 1);
	r = here < 0 ? here : join(b, o, here, e);
	if (!nobody(r))
		return r;
	boxdir = open_boxdir(o->spec, ERR_IGNORED);
	if (boxdir < 0 || holder_read(boxdir, &holder) < 0)
		return r;
	there = rundir_at(holder.dir, ERR_IGNORED);
	scope_close_set(&b->fd, 1);
	return there < 0 ? r : join(b, o, there, e);
}

/* Nobody answers, but somebody may hold the box all the same: one that is just ending is
 * waited for, one whose socket was removed will never answer. */
static int nobody_answers(const struct box_open *o, struct err *e)
{
	_cleanup_close_ int boxdir = open_boxdir(o->spec, e);
	uint64_t end = sys_now_ms() + BOX_LOST_MS;
	struct holder holder;

	/* Not for its lock: who only looks is in nobody's way who needs it at once. */
	while (sys_now_ms() < end &&
	       (holder_is_ending(boxdir) || holder_is_lost(boxdir, &holder)))
		holder_await_end(boxdir, BOX_LOST_LOOK_MS);
	return holder_is_lost(boxdir, &holder)
		       ? holder_lost(&holder, e)
		       : err_set(e, -ENOENT, "no box is running in this directory");
}

static int be_monitor(void)
{
	return monitor_main(0, NULL);
}

/* What is to be started, to the monitor that waits for it. */
static int send_start(struct box *b, const struct box_open *o, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(WIRE_BODY);
	struct wire_wish wish;
	int r = wish_make(o, &wish, e);

	if (r < 0)
		return r;
	buf_add(&text, &wish, sizeof(wish));
	r = wish_describe(o->spec, &text, e);
	if (r < 0)
		return r;
	r = send_to(b, WIRE_START, 0, text.data, text.len);
	if (r < 0)
		return err_sys(e, r, "cannot reach the new monitor");
	send_first(b, o);
	return 0;
}

/* A copy of a process with one thread is as good as a fresh one, and is there a millisecond
 * earlier (docs/adr/0013). Whether the box may be is looked at while it comes to life: a
 * monitor that is told nothing ends, when our end of the socket is closed. */
static int spawn_monitor(struct box *b, const struct box_open *o, struct err *e)
{
	static const char *const argv[] = { "/proc/self/exe", "__monitor", NULL };
	struct proc_conf conf = {
		.argv = argv, .fds = { -1, -1, -1 }, .pass_fd = -1, .new_session = true
	};
	int pair[2], r = sys_socketpair(SOCK_SEQPACKET, pair);

	if (r < 0)
		return err_sys(e, r, "cannot make a socket pair");
	b->fd = pair[0];
	b->gone = b->unread = false; /* that was the one before */
	conf.pass_fd = pair[1];
	r = proc_fork(&conf, be_monitor, &b->monitor, e);
	if (r == -EBUSY)
		r = proc_start(&conf, &b->monitor, e);
	scope_close(&pair[1]);
	if (r == 0 && o->permit)
		r = o->permit(o->permit_ctx, e);
	return r < 0 ? r : send_start(b, o, e);
}

static int await_start(struct box *b, struct err *e)
{
	uint64_t end = sys_now_ms() + BOX_START_MS;
	_cleanup_wire_ struct wire_msg m;
	int r;

	wire_msg_init(&m);
	for (;;) {
		uint64_t now = sys_now_ms();

		r = next_message(b, &m, now < end ? (int)(end - now) : 0, e);
		if (r == -ECONNRESET)
			return err_set(e, r, "the box's monitor died while it started");
		if (r == -EINTR || r == 0)
			continue;
		if (r < 0)
			return r;
		if (m.head.type == WIRE_FAILED)
			return wire_failed(&m, e);
		if (m.head.type == WIRE_READY)
			return take_ready(b, &m, e);
	}
}

/* One starter at a time; whoever waited finds the box running. */
static int start(struct box *b, const struct box_open *o, struct err *e)
{
	_cleanup_close_ int dir = open_boxdir(o->spec, e), lock = -1;
	int r;

	if (dir < 0)
		return dir;
	lock = file_lock(dir, "start", true, e);
	if (lock < 0)
		return lock;
	r = join_any(b, o, e);
	if (!nobody(r) && r != -ECONNRESET)
		return r;
	scope_close_set(&b->fd, 1);
	r = spawn_monitor(b, o, e) ?: await_start(b, e);
	b->facts.started = r == 0;
	if (b->facts.started && o->spec->net == NET_HOST && o->note)
		o->note(o->note_ctx, abstract_warning());
	return r;
}

static int join_or_start(struct box *b, const struct box_open *o, struct err *e)
{
	int r = -ECONNRESET;

	for (int i = 0; i < BOX_TRIES && r == -ECONNRESET && !b->facts.started; i++) {
		r = join_any(b, o, e);
		if (!nobody(r))
			continue;
		r = o->join_only ? nobody_answers(o, e) : start(b, o, e);
		if (r < 0)
			return r;
	}
	return r;
}

int box_open(const struct box_open *o, struct box **ret, struct err *e)
{
	_cleanup_box_ struct box *b = calloc(1, sizeof(*b));
	int r;

	if (!b)
		return err_sys(e, -ENOMEM, "cannot open the box");
	b->fd = -1;
	b->monitor = PROC_NONE;
	b->how = *o;
	b->how.first = NULL;
	r = join_or_start(b, o, e);
	if (r < 0)
		return r;
	*ret = take(&b, NULL);
	return 0;
}

/* The box has ended: another of the same directory takes its place, started by us or by
 * somebody else in the meantime. */
static int reopen(struct box *b, const struct box_command *first, struct err *e)
{
	struct box_open how = b->how;
	int r;

	leave(b);
	b->ends += b->used;
	b->lost_id = b->last_id;
	b->n_exits = 0;
	b->used = b->facts.started = false;
	how.first = first;
	*e = ERR_NONE;
	r = join_or_start(b, &how, e);
	if (r == 0)
		return 0;
	leave(b);
	err_wrap(e, "the box has ended and cannot be started again");
	return e->code = -ENOTCONN;
}

/* ---- programs ------------------------------------------------------------------------------ */

/* -ESHUTDOWN: as of send_spawn(), or the monitor has left it unread: it was the last. */
static int spawn(struct box *b, const struct box_command *c, struct box_proc *ret,
		 struct err *e)
{
	_cleanup_wire_ struct wire_msg m;
	uint32_t id = b->first_id;
	int r = 0;

	wire_msg_init(&m);
	if (c == b->first)
		b->first = NULL;
	else
		r = send_spawn(b, c, &id, e);
	if (r < 0)
		return r;
	r = answer(b, id, WIRE_SPAWNED, &m, e);
	if (r == -ECONNRESET && b->unread && id == b->last_id)
		return -ESHUTDOWN;
	return r < 0 ? r : spawned_take(c->io, &m, ret, e);
}

int box_spawn(struct box *b, const struct box_command *c, struct box_proc *ret,
	      struct err *e)
{
	for (int i = 0;; i++) {
		bool stillborn = i && b->facts.started;
		int r = spawn(b, c, ret, e);

		b->used |= r == 0 || r == -ECONNRESET;
		if (r != -ESHUTDOWN)
			return r;
		if (stillborn || b->full || b->how.join_only || i == BOX_AGAIN)
			return e->code = -ENOTCONN;
		r = reopen(b, c, e);
		if (r < 0)
			return r;
	}
}

int box_request(struct box *b, const struct box_command *c, uint32_t *id, struct err *e)
{
	int r = asked_reserve(&b->asked, e) ?: send_spawn(b, c, id, e);

	if (r < 0)
		return r == -ESHUTDOWN ? e->code = -ECONNRESET : r;
	b->used = true;
	asked_add(&b->asked, *id, c->io);
	return 0;
}

int box_next_spawned(struct box *b, uint32_t *id, struct box_proc *ret, struct err *why,
		     struct err *e)
{
	_cleanup_wire_ struct wire_msg m;

	wire_msg_init(&m);
	while (!asked_take(&b->asked, id, ret, why)) {
		int r = b->gone ? gone(b, e) : next_message(b, &m, 0, e);

		if (r == -ETIMEDOUT || r == -EINTR)
			return 0;
		if (r < 0)
			return r;
	}
	return 1;
}

void box_stay(struct box *b)
{
	b->how.join_only = true;
}

bool box_kept(const struct box *b)
{
	return b->n_exits || asked_came(&b->asked);
}

/* A program that ran in a box that another has replaced. */
static int lost(const struct box *b, uint32_t id, struct err *e)
{
	return id <= b->lost_id ? err_set(e, -ECONNRESET, "the box has ended") : 0;
}

static int take_exit(struct box *b, size_t i, struct box_exit *ret)
{
	*ret = b->exits[i];
	memmove(&b->exits[i], &b->exits[i + 1],
		(--b->n_exits - i) * sizeof(b->exits[0]));
	return 1;
}

int box_next_exit(struct box *b, struct box_exit *ret, struct err *e)
{
	_cleanup_wire_ struct wire_msg m;
	int r;

	wire_msg_init(&m);
	while (!b->n_exits) {
		r = b->gone ? gone(b, e) : next_message(b, &m, 0, e);
		if (r == -ETIMEDOUT || r == -EINTR)
			return 0;
		if (r < 0)
			return r;
	}
	return take_exit(b, 0, ret);
}

int box_wait(struct box *b, uint32_t id, int timeout_ms, struct box_exit *ret,
	     struct err *e)
{
	uint64_t end =
		timeout_ms < 0 ? UINT64_MAX : sys_now_ms() + (uint64_t)timeout_ms;
	_cleanup_wire_ struct wire_msg m;

	wire_msg_init(&m);
	if (lost(b, id, e) < 0)
		return -ECONNRESET;
	for (;;) {
		uint64_t now = sys_now_ms();
		int left = timeout_ms < 0 ? -1 : now < end ? (int)(end - now) : 0;
		int r;

		for (size_t i = 0; i < b->n_exits; i++)
			if (b->exits[i].id == id)
				return take_exit(b, i, ret) < 0;
		r = b->gone ? gone(b, e) : next_message(b, &m, left, e);
		if (r < 0 && r != -EINTR)
			return r;
	}
}

int box_signal(struct box *b, uint32_t id, int sig, struct err *e)
{
	struct wire_signal s = { .signal = sig };
	int r = lost(b, id, e) ?: send_to(b, WIRE_SIGNAL, id, &s, sizeof(s));

	return r < 0 ? err_sys(e, r, "cannot reach the box's monitor") : 0;
}

int box_kill_session(struct box *b, uint32_t id, struct err *e)
{
	int r = lost(b, id, e) ?: send_to(b, WIRE_KILL, id, NULL, 0);

	return r < 0 ? err_sys(e, r, "cannot reach the box's monitor") : 0;
}

/* ---- questions ------------------------------------------------------------------------------ */

int box_question(struct box *b, const char *what, const struct json *args, uint32_t *id,
		 struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(WIRE_BODY);
	int r = asked_question(what, args, &text);

	if (r < 0)
		return err_sys(e, r, "cannot ask the monitor");
	*id = ++b->last_id;
	r = send_to(b, WIRE_ASK, *id, text.data, text.len);
	if (r == -EPIPE || r == -ECONNRESET)
		return gone(b, e);
	return r < 0 ? err_sys(e, r, "cannot reach the box's monitor") : 0;
}

int box_ask(struct box *b, const char *what, const struct json *args, struct json **ret,
	    struct err *e)
{
	_cleanup_wire_ struct wire_msg m;
	uint32_t id;
	int r;

	wire_msg_init(&m);
	r = box_question(b, what, args, &id, e) ?: answer(b, id, WIRE_ANSWER, &m, e);
	if (r < 0 || !ret)
		return r;
	return json_parse(buf_cstr(&m.body), m.body.len, ret, e);
}
