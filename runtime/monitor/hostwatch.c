/* What the host changes in a project under review: the box looks it up again, before each
 * program that starts and while one runs. Directories are watched; where there are too many,
 * what a clock says has to do. A box that ends soon pays for nothing, and one where nothing
 * runs for no look: the next program finds what there is.
 * A file that the box has changed has another inode number after each look: the kernel lets
 * no user namespace keep it (capable(CAP_DAC_READ_SEARCH) in ovl_can_decode_fh()). git then
 * compares contents; where that happens in the middle of `git stash create`, that one ends
 * without a word. So no look is taken that cannot show anything.
 * A repository's .git is the box's from its beginning, and no link is followed. */
#include "runtime/monitor/hostwatch.h"

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
static void watch_all(struct hostwatch *w)
{
	_cleanup_close_ int root =
		inroot_open_real(w->conf.project, O_RDONLY | O_DIRECTORY);
	unsigned n = 0;
	int r = root;

	if (r >= 0 && w->fd < 0) {
		r = w->fd = sys_inotify_init();
		if (r >= 0)
			r = loop_add(w->conf.loop, w->fd, 0, on_event, w, &w->on_event);
	}
	if (r >= 0)
		r = watch_below(w->fd, root, &n, 0);
	w->clock = r < 0;
	if (w->clock) {
		loop_remove(w->conf.loop, &w->on_event);
		scope_close(&w->fd);
	}
}

/* Return: there were some. */
static bool take_events(struct hostwatch *w)
{
	_Alignas(struct inotify_event) char events[4096];
	bool any = false, again = false;
	ssize_t n;

	while ((n = sys_read(w->fd, events, sizeof(events))) > 0) {
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
		watch_all(w);
	return any;
}

/* Return: whether there was something to be looked up again. */
static bool look(struct hostwatch *w)
{
	const bool all = w->fd < 0;

	if (all && !w->clock)
		watch_all(w);
	if (!all && !take_events(w))
		return false;
	w->conf.renew(w->conf.ctx);
	return true;
}

static void listen_again(struct hostwatch *w, bool on)
{
	if (w->on_event)
		(void)loop_modify(w->conf.loop, w->on_event, on ? EPOLLIN : 0);
}

static int on_event(void *ctx, uint32_t, struct err *)
{
	struct hostwatch *w = ctx;

	listen_again(w, false);
	if (w->conf.runs(w->conf.ctx))
		loop_rearm(w->conf.loop, w->on_time, w->rest_ms);
	return 0;
}

/* Once more after a change: a lookup in the box that began before may have kept what it saw
 * then. */
static int on_time(void *ctx, uint32_t, struct err *)
{
	struct hostwatch *w = ctx;
	const uint64_t began = sys_now_ms();
	const bool again = w->again;

	if (!w->conf.runs(w->conf.ctx) && (w->fd >= 0 || w->clock))
		return 0;
	w->again = look(w);
	if (again && !w->again)
		w->conf.renew(w->conf.ctx);
	w->rest_ms = MAX((uint64_t)REST_MS, REST_TIMES * (sys_now_ms() - began));
	w->rest_ms =
		w->clock ? (uint64_t)CLOCK_MS : MIN(w->rest_ms, (uint64_t)CLOCK_MS);
	listen_again(w, !w->again);
	if (w->again)
		loop_rearm(w->conf.loop, w->on_time, w->rest_ms);
	return 0;
}

int hostwatch_begin(struct hostwatch *w, const struct hostwatch_conf *conf)
{
	w->conf = *conf;
	w->rest_ms = REST_MS;
	return loop_timer(conf->loop, FIRST_MS, on_time, w, &w->on_time);
}

void hostwatch_spawn(struct hostwatch *w, bool alone)
{
	const bool first = !w->begun;

	w->begun = true;
	if (!w->on_time)
		return;
	if (w->fd >= 0)
		w->again |= look(w) && !alone; /* another may be looking */
	else if (!first)		       /* that one has just seen it */
		w->conf.renew(w->conf.ctx);
	listen_again(w, true);
	if (w->again || w->fd < 0)
		loop_rearm(w->conf.loop, w->on_time, w->rest_ms);
}
