/* Theory of operation
 *
 * A client that finds no monitor for its directory takes the start lock, starts this
 * process and sends it the spec of the box, and what it wants to run there first. The
 * monitor takes the box's lock, which it holds to its end (the kernel would let two
 * overlays share one upper layer), starts the box, makes the control socket and says
 * READY. The starting client's socket is its first client connection.
 *
 * From then on it is a switchboard: requests of clients go to init under a number of the
 * monitor's own, answers go back under the client's. It does no work for the box and
 * holds no byte of its input or output; those descriptors went from init to the client.
 *
 * The end: the last client has left, nothing was asked to stay and nobody came back for a
 * while (linger.c), or somebody said stop, or init has died. Closing init's socket ends
 * init, that ends every process of the box; then the cgroup, the socket and the runtime
 * directory go, and last the lock. Killed at any instant, the monitor takes the box with
 * it: init dies by PDEATHSIG, and what stays on disk (a socket nobody listens on, an empty
 * cgroup) is replaced by the next start. */
#include "runtime/monitor/monitor.h"

#include <string.h>
#include <sys/signalfd.h>

#include "base/file.h"
#include "base/signals.h"
#include "base/sys/sys.h"
#include "runtime/cause/cause.h"
#include "runtime/monitor/identity.h"
#include "runtime/monitor/impl.h"
#include "runtime/mount/project.h"
#include "runtime/spec/volume.h"
#include "runtime/wire/holder.h"
#include "runtime/wire/rundir.h"

enum {
	MONITOR_LOCK_MS = 5000,
	MONITOR_LOCK_TRIES = 60, /* while it is ending */
	MONITOR_KEPT = 16384,
	LEAVE_MS = 5000
};

/* ---- events ----------------------------------------------------------------------------- */

/* Though nobody is there. */
static bool stays(const struct monitor *m)
{
	bool stay = m->spec.keep || m->background || json_len(m->spec.publish) > 0;

	for (const struct program *p = m->programs; p && !stay; p = p->next)
		stay = p->keep;
	return stay;
}

/* Whoever knocks after the last one has left is let in when that has had its consequences:
 * the box has been cleared, or has ended. */
static int on_listener(void *ctx, uint32_t, struct err *e)
{
	struct monitor *m = ctx;
	int fd;

	if (m->idle == MONITOR_AWAKE && !stays(m) && !monitor_client_is_there(m, NULL))
		return 0;
	fd = sys_accept(m->listener, NULL, NULL);
	if (fd < 0)
		return 0; /* the client has gone again, or the host is short of something */
	if (monitor_client_add(m, fd, false, e) < 0)
		*e = ERR_NONE;
	return 0;
}

/* A program has ended: its client is told, after what it did to git was taken over. */
static void on_exit_of(struct monitor *m, const struct wire_msg *msg)
{
	struct program *p = monitor_client_exit(m, msg);

	if (!p)
		return;
	monitor_quiet_begin(m, p);
	monitor_review_exit(&m->spec, m->boxdir);
	monitor_git_exit(m, p);
	monitor_volumes_exit(m, p);
}

static int on_init(void *ctx, uint32_t events, struct err *)
{
	struct monitor *m = ctx;
	_cleanup_wire_ struct wire_msg msg;
	int r;

	wire_msg_init(&msg);
	if (events & EPOLLOUT)
		monitor_client_resume(m);
	if (!(events & ~(uint32_t)EPOLLOUT))
		return 0;
	r = wire_recv(m->run.sock, &msg, 3);
	if (msg.reset || (r == 0 && outbox_waits(&m->to_init)))
		monitor_client_unheard(m);
	if (r == 0 || (r < 0 && r != -EAGAIN && r != -EBADMSG)) {
		m->ending = true; /* init has died, and the box with it */
		return 0;
	}
	/* A malformed one is told to whom it was for, as a failure. */
	if (msg.head.type == WIRE_SPAWNED)
		monitor_client_spawned(m, &msg);
	else if (r > 0 && msg.head.type == WIRE_EXIT)
		on_exit_of(m, &msg);
	else if (r > 0 && msg.head.type == WIRE_CLEARED)
		monitor_linger_cleared(m, &msg);
	return 0;
}

static int on_end(void *ctx, uint32_t, struct err *)
{
	struct monitor *m = ctx;

	m->ending = true;
	return 0;
}

/* A logout or a shutdown means the programs of the box, too, which may end by themselves
 * first. Who says it a second time does not want to wait. */
static int on_signal(void *ctx, uint32_t, struct err *)
{
	struct monitor *m = ctx;
	struct signalfd_siginfo si;

	while (sys_read(m->signals, &si, sizeof(si)) > 0)
		;
	m->ending = m->leaving || !m->programs ||
		    loop_timer(m->loop, LEAVE_MS, on_end, m, NULL) < 0;
	m->leaving = true;
	if (!m->ending)
		monitor_client_signal_all(m, SIGTERM);
	return 0;
}

static int on_memory(void *ctx, uint32_t, struct err *)
{
	struct monitor *m = ctx;

	loop_rearm(m->loop, m->on_memory, memwatch_look(&m->memory));
	if (!memwatch_is_lost(&m->memory))
		return 0;
	monitor_client_end_all(m, LIMIT_MEMORY);
	m->ending = true;
	return 0;
}

/* A box that cannot be counted is treated as one that is too large: it may be what it
 * wants. */
static int on_disk(void *ctx, uint32_t, struct err *)
{
	struct monitor *m = ctx;

	if (diskwatch_look(&m->disk, ERR_IGNORED) != 0) {
		monitor_client_end_all(m, LIMIT_DISK);
		m->ending = true;
		return 0;
	}
	loop_rearm(m->loop, m->on_disk, DISKWATCH_MS);
	return 0;
}

/* ---- start ------------------------------------------------------------------------------ */

static int receive_spec(struct monitor *m, struct err *e)
{
	_cleanup_wire_ struct wire_msg msg;
	_cleanup_json_ struct json *j = NULL;
	struct wire_wish wish;
	int r;

	wire_msg_init(&msg);
	r = wire_recv(MONITOR_STARTER, &msg, 0);
	if (r <= 0 || msg.head.type != WIRE_START || msg.body.len < sizeof(wish))
		return err_set(e, -EBADMSG,
			       "the monitor was started without a spec; it is "
			       "not meant to be run by hand");
	memcpy(&wish, msg.body.data, sizeof(wish));
	m->sign = wish.sign;
	m->linger_ms = wish.linger_ms;
	r = json_parse(buf_cstr(&msg.body) + sizeof(wish), msg.body.len - sizeof(wish),
		       &j, e);
	r = r < 0 ? r : spec_from_json(j, &m->spec, e);
	m->wanted = m->spec.project_mode;
	return r;
}

/* A monitor that is just ending holds the lock for some milliseconds more, or until a busy
 * disk has all that the box wrote; one that does not answer on its socket may hold it for
 * ever. */
static int take_lock(struct monitor *m, struct err *e)
{
	struct holder holder;

	for (int i = 0; i < MONITOR_LOCK_TRIES; i++) {
		m->lock = file_lock_within(m->boxdir, "lock", MONITOR_LOCK_MS, e);
		if (m->lock != -EWOULDBLOCK)
			return MIN(m->lock, 0);
		if (!holder_is_ending(m->boxdir))
			break;
		if (i == 0)
			monitor_starter_note(
				NULL, "the box that ran here is still ending: the "
				      "kernel writes to the disk what it had");
	}
	if (holder_read(m->boxdir, &holder) == 0)
		return holder_lost(&holder, e);
	return err_set(e, -EBUSY,
		       "the box is held by another process; if no cubby runs in this "
		       "directory, end its monitor (ps: cubby __monitor)");
}

static int open_box(struct monitor *m, struct err *e)
{
	char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s/boxes/%s", m->spec.store, m->spec.key);
	m->boxdir = file_open_dir(AT_FDCWD, path, e);
	if (m->boxdir < 0)
		return m->boxdir;
	return take_lock(m, e);
}

/* The limits that nobody but the monitor keeps. */
static int watch_limits(struct monitor *m, struct err *e)
{
	const struct limits *lim = &m->spec.limits;
	struct diskwatch_conf disk = { .boxdir = m->boxdir,
				       .layer = m->run.copy ? "copy" : "upper",
				       .map = &m->spec.map,
				       .store = m->spec.store,
				       .limit = lim->disk_bytes };
	const struct memwatch_conf ours = {
		.memory = cgroup_keeps_memory(m->run.cg) ? 0 : lim->memory_bytes,
		.pids = cgroup_keeps_pids(m->run.cg) ? 0 : lim->pids,
	};
	int r = 0;

	if (ours.memory || ours.pids)
		r = memwatch_open(m->run.watch, &ours, &m->memory, e);
	disk.proc = m->run.watch[MEMWATCH_PROC];
	if (r == 0 && lim->disk_bytes)
		r = diskwatch_open(&disk, &m->disk, e);
	if (r < 0)
		return r;
	if (m->memory.fds[MEMWATCH_PROC] >= 0)
		r = loop_timer(m->loop, memwatch_look(&m->memory), on_memory, m,
			       &m->on_memory);
	if (r == 0 && m->disk.dir >= 0)
		r = loop_timer(m->loop, 0, on_disk, m, &m->on_disk);
	return r < 0 ? err_sys(e, r, "cannot watch the limits of the box") : 0;
}

/* What the monitor cannot keep either is said at once, not only by "info". */
static void say_unkept(const struct monitor *m)
{
	_cleanup_buf_ struct buf line = BUF_INIT(WIRE_BODY);
	enum probe_reason r = cgroup_missing_cpu(m->run.cg);

	if (!m->spec.limits.cpu_milli || r == PROBE_NONE)
		return;
	if (cause_text_line(&line, r, NULL, cause_distro()) == 0)
		monitor_starter_note(NULL, buf_cstr(&line));
}

static int open_events(struct monitor *m, struct err *e)
{
	int r;

	m->signals = signals_watch((const int[]){ SIGTERM, SIGINT, SIGHUP, 0 }, NULL);
	if (m->signals < 0)
		return err_sys(e, m->signals, "cannot wait for signals");
	r = loop_new(&m->loop, e);
	if (r < 0)
		return r;
	return monitor_client_add(m, MONITOR_STARTER, true, e);
}

/* What can be done, and can go wrong, before the box is there: it has better things to do
 * than to wait for it afterwards. */
static int prepare(struct monitor *m, struct err *e)
{
	int r = monitor_gate_check(m, e);

	if (r < 0)
		return r;
	m->rundir = rundir_open(m->spec.key, e);
	if (m->rundir < 0)
		return m->rundir;
	m->listener = rundir_bind(m->rundir, e);
	if (m->listener < 0)
		return m->listener;
	r = holder_note(m->lock, m->rundir, e);
	return r < 0 ? r : open_events(m, e);
}

static int meanwhile(void *ctx, int sock, struct err *e)
{
	struct monitor *m = ctx;
	int r = m->loop ? 0 : prepare(m, e);

	outbox_init(&m->to_init, sock, MONITOR_KEPT);
	if (r >= 0 && !json_len(m->spec.publish)) /* a port of the host may be taken */
		monitor_client_first(m);
	return r;
}

static int watch(struct monitor *m, struct err *e)
{
	struct loop *l = m->loop;
	int r = sys_setfl(m->run.sock, O_NONBLOCK) ?:
		loop_add(l, m->listener, EPOLLIN, on_listener, m, &m->on_listener) ?:
		loop_add(l, m->run.sock, EPOLLIN, on_init, m, &m->on_init) ?:
		loop_add(l, m->signals, EPOLLIN, on_signal, m, &m->on_signal) ?:
		loop_add(l, m->run.pidfd, EPOLLIN, on_end, m, &m->on_pidfd);

	return r < 0 ? err_sys(e, r, "cannot watch the box") : watch_limits(m, e);
}

static void renew(void *ctx)
{
	struct monitor *m = ctx;

	monitor_review_renew(m->run.pidfd, m->spec.project, &m->view);
}

static bool has_programs(void *ctx)
{
	const struct monitor *m = ctx;

	return m->programs;
}

/* What the host changes in a project under review is to be seen in the box. */
static int watch_host(struct monitor *m)
{
	const struct hostwatch_conf conf = { .loop = m->loop,
					     .project = m->spec.project,
					     .renew = renew,
					     .runs = has_programs,
					     .ctx = m };

	return m->spec.project_mode == PROJECT_REVIEW ? hostwatch_begin(&m->host, &conf)
						      : 0;
}

/* What the starter's person has to know of the box that is there now. */
static void say_ready(struct monitor *m)
{
	say_unkept(m);
	if (m->gate)
		gate_tell_chosen(m->gate, monitor_starter_note, NULL);
}

static int start(struct monitor *m, struct err *e)
{
	struct start_conf conf = { .spec = &m->spec,
				   .note = monitor_starter_note,
				   .git = monitor_git_find,
				   .meanwhile = meanwhile,
				   .meanwhile_ctx = m };
	_cleanup_buf_ struct buf gitconfig = BUF_INIT(4096);
	int r = receive_spec(m, e);

	if (r < 0)
		return r;
	r = open_box(m, e);
	if (r < 0)
		return r;
	r = monitor_volumes_begin(m, e);
	if (r < 0)
		return r;
	if (m->spec.git_identity && monitor_identity(m->spec.project, &gitconfig) == 0)
		conf.gitconfig = buf_cstr(&gitconfig);
	conf.boxdir = m->boxdir;
	monitor_linger_begin(m);
	r = monitor_review_begin(&m->spec, m->boxdir, e)
		    ?: start_box(&conf, &m->run, e);
	if (r == MOUNT_PROJECT_NO_VIEW)
		r = monitor_review_refused(&m->spec, m->boxdir, e)
			    ?: start_box(&conf, &m->run, e);
	wire_msg_done(&m->first);
	if (r < 0)
		return r;
	monitor_git_started(m);
	r = watch(m, e) ?: watch_host(m);
	if (r < 0)
		return r;
	monitor_git_watch(m);
	r = monitor_gate_begin(m, e);
	if (r < 0)
		return r;
	r = rundir_listen(m->listener, e);
	if (r < 0)
		return r;
	say_ready(m);
	if (monitor_client_greet(m->clients) < 0)
		r = err_set(e, -ESHUTDOWN, "the box has ended");
	return r;
}

/* ---- end -------------------------------------------------------------------------------- */

/* The kernel takes a while to end the box: what else there is to do is done meanwhile.
 * Whoever starts it next waits for the lock alone. To close a packet socket or a watch
 * takes 10 ms, until no processor looks at it any more: they are the last. */
static void finish(struct monitor *m)
{
	_cleanup_close_ _unused_ int syn = take(&m->run.net[NETNS_FD_SYN], -1);
	_cleanup_close_ _unused_ int host = take(&m->host.fd, -1);
	_cleanup_close_ _unused_ int watch = -1;
	_cleanup_close_ int box = -1;
	const bool quiet = monitor_quiet_is(m);

	m->ending = true;
	sys_prctl(PR_SET_NAME, (unsigned long)HOLDER_ENDING, 0, 0, 0);
	monitor_still_release(&m->held, NULL);
	start_kill(&m->run);
	if (monitor_quiet_runs(m)) /* of what has ended it is kept by now */
		monitor_review_exit(&m->spec, m->boxdir);
	while (m->clients)
		monitor_client_drop(m->clients);
	while (m->programs) {
		struct program *p = m->programs;

		m->programs = p->next;
		free(p);
	}
	outbox_done(&m->to_init);
	scope_close(&m->listener);
	diskwatch_close(&m->disk);
	if (m->rundir >= 0)
		rundir_remove(m->spec.key);
	gate_stop(&m->gate);
	scope_close(&m->view);
	start_done(&m->run);
	monitor_git_finish(m, quiet);
	monitor_volumes_finish(m, quiet);
	if (m->git)
		watch = gitgate_watch_take(m->git);
	gitgate_free(&m->git);
	loop_free(&m->loop);
	scope_close(&m->mounts);
	monitor_linger_used(m);
	/* Whoever has the lock may unmount the store. */
	if (m->lock >= 0 && monitor_shorten_wanted(m->boxdir))
		box = take(&m->boxdir, -1);
	scope_close(&m->boxdir);
	sys_prctl(PR_SET_NAME, (unsigned long)HOLDER_ENDED, 0, 0, 0);
	scope_close(&m->lock);
	if (box >= 0)
		monitor_shorten(&m->spec, box);
	spec_done(&m->spec);
}

/* What events change, all of a round, has its consequences here: whoever left and whoever
 * joined in one round are both seen. */
static int serve(struct monitor *m, struct err *e)
{
	int r = 0;

	while (r == 0 && !m->ending) {
		r = loop_step(m->loop, -1, e);
		monitor_client_tell_ended(m);
		m->ending |= m->leaving && !m->programs;
		if (!m->clients && !stays(m))
			monitor_linger(m);
	}
	return r;
}

int monitor_main(int, char **)
{
	struct monitor m = { .run = RUNNING_NONE,
			     .mounts = -1,
			     .view = -1,
			     .host = HOSTWATCH_NONE,
			     .memory = MEMWATCH_NONE,
			     .disk = DISKWATCH_NONE,
			     .held = { .still = STILL_NONE },
			     .git = NULL,
			     .volumes_dir = -1,
			     .volumes = BUF_INIT(SPEC_VOLUMES * PATH_MAX),
			     .volumes_work = GITWORK_NONE,
			     .boxdir = -1,
			     .lock = -1,
			     .rundir = -1,
			     .listener = -1,
			     .signals = -1 };
	struct err e = ERR_NONE;
	int r;

	m.started = sys_wall().tv_sec;
	sys_prctl(PR_SET_NAME, (unsigned long)HOLDER_NAME, 0, 0, 0);
	sys_setfd(MONITOR_STARTER, FD_CLOEXEC);
	sys_close_range(4, ~0U, 0);
	r = start(&m, &e);
	/* Later that number may be another's: the starter is a client like all others. */
	if (r < 0)
		monitor_starter_say(WIRE_FAILED, &e, sizeof(e));
	else
		r = serve(&m, &e);
	finish(&m);
	return r < 0;
}
