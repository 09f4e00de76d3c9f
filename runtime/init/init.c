/* Theory of operation
 *
 * init is a program of its own (cubby-init), linked statically: what is executed after the
 * pivot finds no loader and no library but the image's, and those are hostile. It holds
 * four kinds of descriptors and waits for all of them in one poll:
 *
 *  - the monitor's socket. Its end is the end of the box: init exits, the kernel kills
 *    the rest of the pid namespace;
 *  - a signalfd for SIGCHLD. Every zombie is reaped, known or not;
 *  - for each program on its way to exec, a pipe that closes when exec worked and carries
 *    a struct err when it did not: only then does the client hear of it. A program that
 *    hangs in exec holds up nobody else;
 *  - for each terminal session, the reports of its leader.
 *
 * Programs live in a table by the monitor's number for them. An entry goes when the client
 * has heard both that it started and that it ended. */
#include "runtime/init/init.h"

#include <string.h>

#include "base/sys/sys.h"
#include "runtime/confine/caps.h"
#include "runtime/init/leader.h"
#include "runtime/init/payload.h"
#include "runtime/init/setid.h"
#include "runtime/init/traces.h"
#include "runtime/net/sock.h"
#include "runtime/wire/wire.h"

enum {
	INIT_SOCK = 3,
	INIT_NET = 4,
	INIT_PROCS = 4096, /* programs of clients at once */
	INIT_FIXED = 4,	   /* poll places before those of the table */
	INIT_GRACE_MS = LEADER_GRACE_MS
};

struct proc_entry {
	uint32_t id;
	struct payload_run run; /* owned */
	pid_t main; /* what signals go to; of a leader: its first process; 0 = not known,
		       a negative errno: it could not make one */
	bool failed; /* the client was told that nothing runs: the rest is silence */
	bool reaped; /* run.pid is gone */
	bool killed; /* the client asked for the end of the session */
	bool ended, told_start, told_end;
	struct wire_exit end;
	uint64_t kill_at_ms; /* 0 = no; else the group gets SIGKILL then, also when the
				program has ended before */
	uint64_t early;	     /* signals that came before it was there: bits by number */
};

struct init {
	struct payload_box box;
	struct userdb_last users;
	struct setid setid;
	char project[PATH_MAX];
	struct proc_entry **procs; /* owned */
	size_t n;
	int signals, net;
	struct traces traces; /* before anything has run */
	bool noted;	      /* those are known */
	bool clearing;	      /* the monitor wants to hear that nothing runs */
};

/* Whoever has no parent any more is a child of init: without one there is nobody else. */
static bool is_alone(void)
{
	siginfo_t si;

	return sys_waitid(P_ALL, 0, &si, WEXITED | WNOHANG | WNOWAIT) == -ECHILD;
}

/* ---- talking to the monitor ---------------------------------------------------------- */

/* The monitor always reads; a failure means that it is gone, which poll tells as well. */
static void say(uint32_t type, uint32_t id, const void *body, uint32_t len)
{
	struct wire_head head = { .type = type, .id = id, .len = len };

	wire_send(INIT_SOCK, &head, body, NULL, 0);
}

static void say_failed(uint32_t id, const struct err *err)
{
	struct wire_spawned s = { .err = *err };

	say(WIRE_SPAWNED, id, &s, sizeof(s));
}

/* With what the monitor may count the box's memory by (memwatch.h), in its order. A kernel
 * without System V's segments has no list of them. */
static void say_ready(const struct init *in)
{
	int fds[] = { sys_open("/proc", O_RDONLY | O_DIRECTORY),
		      sys_open("/tmp", O_RDONLY | O_DIRECTORY),
		      sys_open("/proc/sysvipc/shm", O_RDONLY),
		      sys_open("/proc/sysvipc/sem", O_RDONLY),
		      sys_open("/proc/sysvipc/msg", O_RDONLY) };
	struct wire_inside body = { .no_setid = setid_refused(&in->setid) };
	struct wire_head head = { .type = WIRE_READY, .len = sizeof(body) };
	unsigned n = 0;

	while (n < ARRAY_SIZE(fds) && fds[n] >= 0)
		n++;
	wire_send(INIT_SOCK, &head, &body, fds, n);
	scope_close_set(fds, ARRAY_SIZE(fds));
}

static void fail(struct proc_entry *p, const struct err *err)
{
	say_failed(p->id, err);
	p->failed = true;
	scope_close_set(p->run.fds, 3);
}

/* A leader that ended without a first process: it could not fork, or it was killed. */
static void say_stillborn(struct proc_entry *p)
{
	struct err e = ERR_NONE;

	if (p->main < 0)
		err_sys(&e, p->main, "cannot start another process");
	else
		err_set(&e, -ECANCELED, "the program was killed before it began");
	fail(p, &e);
}

static void say_started(struct proc_entry *p)
{
	struct wire_head head = { .type = WIRE_SPAWNED,
				  .id = p->id,
				  .len = sizeof(struct wire_spawned) };
	struct wire_spawned s = { .pid = p->main };
	unsigned n = 0;

	while (n < 3 && p->run.fds[n] >= 0)
		n++;
	wire_send(INIT_SOCK, &head, &s, p->run.fds, n);
	scope_close_set(p->run.fds, 3);
	p->told_start = true;
}

/* ---- the table ----------------------------------------------------------------------- */

static void entry_free(struct proc_entry *p)
{
	payload_run_done(&p->run);
	free(p);
}

static struct proc_entry *by_id(struct init *in, uint32_t id)
{
	for (size_t i = 0; i < in->n; i++)
		if (in->procs[i]->id == id)
			return in->procs[i];
	return NULL;
}

static bool is_session(const struct proc_entry *p)
{
	return p->run.report_fd >= 0;
}

#define BIT_OF(sig) (UINT64_C(1) << ((sig)-1))

/* Before its exec it has perhaps no group of its own yet, and its first process may not
 * be known. */
static bool is_there(const struct proc_entry *p)
{
	return p->main > 1 && p->run.status_fd < 0;
}

/* What was sent meanwhile. */
static void signal_late(struct proc_entry *p)
{
	if (!is_there(p) || p->ended)
		return;
	for (int sig = 1; p->early && sig < NSIG; sig++)
		if (p->early & BIT_OF(sig))
			sys_kill(-p->main, sig);
	p->early = 0;
}

/* Tells the client what it does not know yet; true when nothing is left to tell or to
 * wait for. */
static bool settle(struct proc_entry *p)
{
	bool decided = p->run.status_fd < 0 && !p->failed && !p->told_start;

	signal_late(p);
	if (decided && p->main > 0)
		say_started(p);
	else if (decided && p->ended)
		say_stillborn(p);
	/* who ended a session starts the next one, and must not meet it */
	if (p->told_start && p->ended && !p->told_end &&
	    !(p->killed && is_session(p))) {
		p->end.nothing_left = is_alone();
		say(WIRE_EXIT, p->id, &p->end, sizeof(p->end));
		p->told_end = true;
	}
	return (p->failed || p->told_end) && p->reaped && !is_session(p) &&
	       !p->kill_at_ms;
}

static void settle_all(struct init *in)
{
	size_t kept = 0;

	for (size_t i = 0; i < in->n; i++) {
		struct proc_entry *p = in->procs[i];

		if (settle(p))
			entry_free(p);
		else
			in->procs[kept++] = p;
	}
	in->n = kept;
}

static int add(struct init *in, uint32_t id, struct payload_run *run, struct err *e)
{
	struct proc_entry **procs, *p;

	procs = realloc(in->procs, (in->n + 1) * sizeof(*procs));
	if (procs)
		in->procs = procs;
	p = procs ? calloc(1, sizeof(*p)) : NULL;
	if (!p)
		return err_sys(e, -ENOMEM, "cannot note another program");
	p->id = id;
	p->run = take(run, PAYLOAD_RUN_NONE);
	p->main = is_session(p) ? 0 : p->run.pid;
	in->procs[in->n++] = p;
	return 0;
}

static void note_traces(void *ctx)
{
	struct init *in = ctx;

	if (!in->noted)
		traces_note(&in->traces);
	in->noted = true;
	in->box.before = NULL;
}

/* ---- requests ------------------------------------------------------------------------ */

static void do_spawn(struct init *in, struct wire_msg *m)
{
	_cleanup_payload_ struct payload p = PAYLOAD_NONE;
	_cleanup_(payload_run_done) struct payload_run run = PAYLOAD_RUN_NONE;
	struct err e = ERR_NONE;
	int r;

	if (in->n >= INIT_PROCS || by_id(in, m->head.id))
		r = err_set(&e, -EAGAIN, "too many programs at once");
	else
		r = payload_parse(m, &p, &e) ?:
			payload_start(&in->box, &p, &run, &e) ?:
			add(in, m->head.id, &run, &e);
	if (r < 0)
		say_failed(m->head.id, &e);
}

static void do_signal(struct init *in, const struct wire_msg *m)
{
	const struct wire_signal *s = wire_body(m, sizeof(*s));
	struct proc_entry *p = by_id(in, m->head.id);

	if (!s || !p || p->ended || p->failed || s->signal <= 0 || s->signal >= NSIG)
		return;
	if (is_there(p))
		sys_kill(-p->main, s->signal);
	else
		p->early |= BIT_OF(s->signal);
}

/* A session is ended by its leader; anything else by its group, in two steps. */
static void do_kill(struct init *in, const struct wire_msg *m)
{
	struct proc_entry *p = by_id(in, m->head.id);

	if (!p)
		return;
	if (is_session(p)) {
		p->killed = true;
		sys_kill(p->run.pid, SIGTERM);
		return;
	}
	if (p->ended || p->main <= 1)
		return;
	p->early |= BIT_OF(SIGHUP) | BIT_OF(SIGCONT) | BIT_OF(SIGTERM);
	signal_late(p);
	p->kill_at_ms = sys_now_ms() + INIT_GRACE_MS;
}

/* Whoever waits in the kernel still is waited for, as at the end of a box. */
static void do_clear(struct init *in)
{
	in->clearing = true;
	sys_kill(-1, SIGKILL);
}

static void say_cleared(struct init *in)
{
	struct wire_cleared c = { .traces = false };

	if (!is_alone())
		return;
	for (size_t i = 0; i < in->n; i++)
		in->procs[i]->kill_at_ms = 0;
	settle_all(in);
	if (in->n)
		return; /* a session whose leader's end is not read yet */
	in->clearing = false;
	note_traces(in);
	c.traces = traces_left(&in->traces);
	say(WIRE_CLEARED, 0, &c, sizeof(c));
}

/* Return: false = the box is to end. */
static bool on_monitor(struct init *in)
{
	_cleanup_wire_ struct wire_msg m;
	struct err e = ERR_NONE;
	int r;

	wire_msg_init(&m);
	r = wire_recv(INIT_SOCK, &m, 1 + WIRE_EXTRA);
	if (r == -EBADMSG && m.head.type == WIRE_SPAWN) {
		/* its descriptors were more than there is room for */
		err_set(&e, -EMFILE, "the box's init has no room for more descriptors");
		say_failed(m.head.id, &e);
	}
	if (r <= 0)
		return r == -EBADMSG;
	if (m.head.type == WIRE_SPAWN)
		do_spawn(in, &m);
	else if (m.head.type == WIRE_SIGNAL)
		do_signal(in, &m);
	else if (m.head.type == WIRE_KILL)
		do_kill(in, &m);
	else if (m.head.type == WIRE_CLEAR)
		do_clear(in);
	return true;
}

/* ---- what happens to programs ---------------------------------------------------------- */

static void note_end(struct proc_entry *p, int signal, int status)
{
	p->ended = true;
	p->end = (struct wire_exit){ .signal = signal, .status = status };
}

static void reap(struct init *in)
{
	siginfo_t si;

	for (;;) {
		si.si_pid = 0;
		if (sys_waitid(P_ALL, 0, &si, WEXITED | WNOHANG) < 0 || !si.si_pid)
			return;
		setid_reaped(&in->setid, si.si_pid);
		for (size_t i = 0; i < in->n; i++) {
			struct proc_entry *p = in->procs[i];
			int sig = si.si_code == CLD_EXITED ? 0 : si.si_status;

			if (p->reaped || p->run.pid != si.si_pid)
				continue;
			p->reaped = true;
			/* Others of its group keep its number, and get what is owed to
			 * them; without any it is free for a stranger. */
			if (p->kill_at_ms && sys_kill(-p->main, 0) == -ESRCH)
				p->kill_at_ms = 0;
			if (!is_session(p))
				note_end(p, sig, sig ? 128 + sig : si.si_status);
			payload_note_end(&p->run, p->end.status);
		}
	}
}

/* The pipe of exec: closed without a word, or one struct err. */
static void on_status(struct proc_entry *p)
{
	struct err e = ERR_NONE;
	ssize_t n = sys_read(p->run.status_fd, &e, sizeof(e));

	scope_close(&p->run.status_fd);
	if (n != sizeof(e) || e.code >= 0)
		return;
	e.msg[sizeof(e.msg) - 1] = '\0';
	fail(p, &e);
}

static void on_report(struct proc_entry *p)
{
	struct leader_report rep;
	ssize_t n = sys_read(p->run.report_fd, &rep, sizeof(rep));

	if (n == sizeof(rep) && !rep.ended) {
		p->main = rep.pid;
	} else if (n == sizeof(rep)) {
		note_end(p, rep.signal, rep.status);
	} else {
		scope_close(&p->run.report_fd);
		if (!p->ended) /* its leader was killed */
			note_end(p, SIGKILL, 128 + SIGKILL);
	}
}

static void run_timers(struct init *in)
{
	uint64_t now = sys_now_ms();

	for (size_t i = 0; i < in->n; i++) {
		struct proc_entry *p = in->procs[i];

		if (p->kill_at_ms && p->kill_at_ms <= now) {
			p->kill_at_ms = 0;
			sys_kill(-p->main, SIGKILL);
		}
	}
}

static int next_timeout(const struct init *in)
{
	uint64_t now = sys_now_ms(), first = UINT64_MAX;

	for (size_t i = 0; i < in->n; i++)
		if (in->procs[i]->kill_at_ms)
			first = MIN(first, in->procs[i]->kill_at_ms);
	if (first == UINT64_MAX)
		return -1;
	return first <= now ? 0 : (int)(first - now);
}

/* ---- the loop -------------------------------------------------------------------------- */

static void watch(struct pollfd *f, int fd)
{
	*f = (struct pollfd){ .fd = fd, .events = POLLIN };
}

/* Two places for each program: exec's pipe and its leader's reports. */
static int wait_all(struct init *in, struct pollfd *fds, size_t n)
{
	watch(&fds[0], INIT_SOCK);
	watch(&fds[1], in->signals);
	watch(&fds[2], in->net);
	watch(&fds[3], setid_fd(&in->setid));
	for (size_t i = 0; i < n; i++) {
		watch(&fds[INIT_FIXED + 2 * i], in->procs[i]->run.status_fd);
		watch(&fds[INIT_FIXED + 2 * i + 1], in->procs[i]->run.report_fd);
	}
	return sys_poll(fds, (unsigned)(INIT_FIXED + 2 * n), next_timeout(in));
}

static bool serve(struct init *in, const struct pollfd *fds, size_t n)
{
	struct signalfd_siginfo si[8];

	for (size_t i = 0; i < n; i++) {
		if (fds[INIT_FIXED + 2 * i].revents)
			on_status(in->procs[i]);
		if (fds[INIT_FIXED + 2 * i + 1].revents)
			on_report(in->procs[i]);
	}
	if (fds[1].revents) {
		while (sys_read(in->signals, si, sizeof(si)) > 0)
			;
		reap(in);
	}
	if (fds[2].revents && netsock_serve(in->net) < 0) {
		scope_close(&in->net);
	}
	if (fds[3].revents)
		setid_serve(&in->setid);
	run_timers(in);
	/* New programs last: the places of @fds are those of the table until here. */
	if (fds[0].revents && !on_monitor(in))
		return false;
	settle_all(in);
	if (in->clearing)
		say_cleared(in);
	return true;
}

static void run(struct init *in)
{
	struct pollfd *fds = NULL;
	size_t room = 0;

	for (;;) {
		size_t n = in->n;

		if (!fds || INIT_FIXED + 2 * n > room) {
			struct pollfd *more;

			room = INIT_FIXED + 4 * n + 8;
			more = realloc(fds, room * sizeof(*fds));
			if (!more)
				break;
			fds = more;
		}
		if (wait_all(in, fds, n) >= 0 && !serve(in, fds, n))
			break;
	}
	free(fds);
}

/* The only process here besides this one is the one that helped to make the box. Its last
 * work is to detach the host's tree: nothing is served before that is gone. */
static int await_assistant(struct err *e)
{
	siginfo_t si;

	while (sys_waitid(P_ALL, 0, &si, WEXITED) >= 0)
		if (si.si_code != CLD_EXITED || si.si_status)
			return err_set(e, -EIO, "cannot leave the host's root");
	return 0;
}

/* Those that we began with are on the host's mount of /dev, and by a name like /dev/stdin a
 * program may come to those of whoever makes a call for it (setid_work.c). */
static int take_streams(struct err *e)
{
	_cleanup_close_ int null = sys_open("/dev/null", O_RDWR);
	int r = MIN(null, 0);

	for (int i = STDIN_FILENO; i <= STDERR_FILENO && r >= 0; i++)
		r = sys_dup2(null, i);
	return r < 0 ? err_sys(e, r, "cannot open /dev/null") : 0;
}

static int set_up(struct init *in, struct err *e)
{
	_cleanup_wire_ struct wire_msg m;
	const struct wire_setup *s;
	int r;

	wire_msg_init(&m);
	r = wire_recv(INIT_SOCK, &m, 0);
	s = r > 0 ? wire_body(&m, sizeof(*s)) : NULL;
	if (!s || m.head.type != WIRE_SETUP)
		return err_set(e, -EBADMSG, "no set-up message from the monitor");
	memcpy(in->project, s->project, sizeof(in->project));
	in->project[sizeof(in->project) - 1] = '\0';
	in->box.project = in->project;
	in->box.fake = s->single;
	in->box.users = &in->users;
	return setid_begin(s->root ? SECFILTER_SETID_ROOT : SECFILTER_SETID,
			   in->project, s->review, !s->root, &in->setid, e);
}

/* As every program of the box is to find them: exec keeps what is ignored. */
static void reset_signals(void)
{
	for (int sig = 1; sig < NSIG; sig++)
		(void)sys_signal_default(sig); /* not for KILL and STOP */
}

/* Nobody in the box may trace this process or read its memory. */
static int protect(struct init *in, struct err *e)
{
	sigset_t set;
	int r = sys_prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);

	reset_signals();

	/* Executed by descriptor, it is called by a number otherwise; a cubby inside the
	 * box knows by this name where it is (cause.c). */
	sys_prctl(PR_SET_NAME, (unsigned long)"cubby-init", 0, 0, 0);
	if (r == 0)
		r = sys_prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (r < 0)
		return err_sys(e, r, "cannot protect init");
	sys_setfd(INIT_SOCK, FD_CLOEXEC);
	in->net = sys_setfd(INIT_NET, FD_CLOEXEC) < 0 ? -1 : INIT_NET;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM); /* for a leader, which may be told before it waits */
	r = sys_sigprocmask(SIG_SETMASK, &set, NULL);
	if (r < 0)
		return err_sys(e, r, "cannot wait for signals");
	sigdelset(&set, SIGTERM);
	r = in->signals = sys_signalfd(&set);
	return r < 0 ? err_sys(e, r, "cannot wait for signals") : 0;
}

int init_main(void)
{
	struct init in = { .setid = SETID_NONE, .signals = -1, .net = -1 };
	struct wire_head head = { .type = WIRE_FAILED, .len = sizeof(struct err) };
	struct err e = ERR_NONE;
	int r = protect(&in, &e) ?:
		caps_keep_own(&e) ?:
		await_assistant(&e) ?:
		take_streams(&e) ?:
		set_up(&in, &e);

	if (r < 0) {
		wire_send(INIT_SOCK, &head, &e, NULL, 0);
		return 1;
	}
	say_ready(&in);
	in.box.before = note_traces;
	in.box.before_ctx = &in;
	run(&in);
	return 0;
}
