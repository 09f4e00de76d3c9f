/* What the host changes in a project under review: the box looks it up again, before each
 * program that starts and while one runs. Directories are watched; where there are too many,
 * what a clock says has to do. A box that ends soon pays for nothing, and one where nothing
 * runs for no look: the next program finds what there is.
 * A file that the box has changed has another inode number after each look: the kernel lets
 * no user namespace keep it (capable(CAP_DAC_READ_SEARCH) in ovl_can_decode_fh()). git then
 * compares contents; where that happens in the middle of `git stash create`, that one ends
 * without a word. So no look is taken that cannot show anything.
 * A repository's .git is the box's from its beginning, and no link is followed. */
#include "runtime/monitor/impl.h"

#include <dirent.h>
#include <string.h>
#include <sys/inotify.h>

#include "base/dirscan.h"
#include "base/inroot.h"
#include "base/procfs.h"
#include "base/sys/sys.h"

enum {
	DIRS = 4096, /* of the account's watches, which others need, too */
	DEPTH = 64,
	FIRST_MS = 300, /* from the start of the box */
	CLOCK_MS = 2000,
	REST_MS =
		50, /* from one look to the next, for a build is thousands of events; */
	REST_TIMES = 10 /* and so many times as long as one takes */
};
enum {
	/* A file that is written in place is seen without this. */
	NAMES = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ONLYDIR
};

static int on_event(void *ctx, uint32_t events, struct err *e);

/* Return: 0 or, where there are too many, -ENOSPC. */
static int watch_below(int to, int dir, unsigned *n, int depth)
{
	struct dirscan scan;
	int r;

	r = (*n)++ < DIRS ? sys_inotify_add(to, procfs_fd(dir), NAMES) : -ENOSPC;
	dirscan_start(&scan, r < 0 ? r : dir);
	while (r >= 0 && dirscan_next(&scan)) {
		_cleanup_close_ int sub = -1;

		if ((scan.type != DT_DIR && scan.type != DT_UNKNOWN) ||
		    depth >= DEPTH || strcmp(scan.name, ".git") == 0)
			continue;
		sub = sys_openat(dir, scan.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW,
				 0);
		r = sub < 0 ? 0 : watch_below(to, sub, n, depth + 1);
	}
	return r == -ENOSPC ? r : 0;
}

/* Also what is watched already, for new directories below it. */
static void watch_all(struct monitor *m)
{
	struct hostwatch *w = &m->host;
	_cleanup_close_ int root =
		inroot_open_real(m->spec.project, O_RDONLY | O_DIRECTORY);
	unsigned n = 0;
	int r = root;

	if (r >= 0 && w->fd < 0) {
		r = w->fd = sys_inotify_init();
		if (r >= 0)
			r = loop_add(m->loop, w->fd, 0, on_event, m, &w->on_event);
	}
	if (r >= 0)
		r = watch_below(w->fd, root, &n, 0);
	w->clock = r < 0;
	if (w->clock) {
		loop_remove(m->loop, &w->on_event);
		scope_close(&w->fd);
	}
}

/* Return: there were some. */
static bool take_events(struct monitor *m)
{
	_Alignas(struct inotify_event) char events[4096];
	bool any = false, again = false;
	ssize_t n;

	while ((n = sys_read(m->host.fd, events, sizeof(events))) > 0) {
		any = true;
		for (const char *p = events; p < events + n;) {
			const struct inotify_event *x = (const void *)p;

			again |= x->mask & IN_Q_OVERFLOW ||
				 (x->mask & IN_ISDIR &&
				  x->mask & (IN_CREATE | IN_MOVED_TO));
			p += sizeof(*x) + x->len;
		}
	}
	if (again)
		watch_all(m);
	return any;
}

/* Return: whether there was something to be looked up again. */
static bool look(struct monitor *m)
{
	const bool all = m->host.fd < 0;

	if (all && !m->host.clock)
		watch_all(m);
	if (!all && !take_events(m))
		return false;
	m->host.renew(m);
	return true;
}

static void listen_again(struct monitor *m, bool on)
{
	if (m->host.on_event)
		(void)loop_modify(m->loop, m->host.on_event, on ? EPOLLIN : 0);
}

static int on_event(void *ctx, uint32_t, struct err *)
{
	struct monitor *m = ctx;

	listen_again(m, false);
	if (m->programs)
		loop_rearm(m->loop, m->host.on_time, m->host.rest_ms);
	return 0;
}

/* Once more after a change: a lookup in the box that began before may have kept what it saw
 * then. */
static int on_time(void *ctx, uint32_t, struct err *)
{
	struct monitor *m = ctx;
	struct hostwatch *w = &m->host;
	const uint64_t began = sys_now_ms();
	const bool again = w->again;

	if (!m->programs && (w->fd >= 0 || w->clock))
		return 0;
	w->again = look(m);
	if (again && !w->again)
		m->host.renew(m);
	w->rest_ms = MAX((uint64_t)REST_MS, REST_TIMES * (sys_now_ms() - began));
	w->rest_ms =
		w->clock ? (uint64_t)CLOCK_MS : MIN(w->rest_ms, (uint64_t)CLOCK_MS);
	listen_again(m, !w->again);
	if (w->again)
		loop_rearm(m->loop, w->on_time, w->rest_ms);
	return 0;
}

int monitor_hostwatch_begin(struct monitor *m, void (*renew)(struct monitor *m))
{
	m->host.rest_ms = REST_MS;
	m->host.renew = renew;
	return m->spec.project_mode == PROJECT_REVIEW
		       ? loop_timer(m->loop, FIRST_MS, on_time, m, &m->host.on_time)
		       : 0;
}

void monitor_hostwatch_spawn(struct monitor *m)
{
	struct hostwatch *w = &m->host;

	if (!w->on_time)
		return;
	if (w->fd >= 0)
		w->again |= look(m) && m->programs->next; /* one that may be looking */
	else if (m->last_id > 1) /* the first one has just seen it */
		m->host.renew(m);
	listen_again(m, true);
	if (w->again || w->fd < 0)
		loop_rearm(m->loop, w->on_time, w->rest_ms);
}
