#include "cli/task/hostwatch.h"

#include <dirent.h>
#include <string.h>
#include <sys/inotify.h>

#include "base/dirscan.h"
#include "base/procfs.h"
#include "base/sys/sys.h"
#include "cli/review/review.h"

enum {
	DEPTH = 64,
	FAILURES = 5,
	/* A file that is written in place is seen without this. */
	NAMES = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ONLYDIR
};

/* Return: 0 or, where there are too many, -ENOSPC. */
static int watch_below(struct hostwatch *w, int dir, int depth)
{
	struct dirscan scan;
	int r;

	r = w->n++ < HOSTWATCH_DIRS ? sys_inotify_add(w->fd, procfs_fd(dir), NAMES)
				    : -ENOSPC;
	dirscan_start(&scan, r < 0 ? r : dir);
	while (r >= 0 && dirscan_next(&scan)) {
		_cleanup_close_ int sub = -1;

		if ((scan.type != DT_DIR && scan.type != DT_UNKNOWN) ||
		    depth >= DEPTH || strcmp(scan.name, ".git") == 0)
			continue;
		sub = sys_openat(dir, scan.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW,
				 0);
		r = sub < 0 ? 0 : watch_below(w, sub, depth + 1);
	}
	return r == -ENOSPC ? r : 0;
}

static int add(const struct hostwatch *w, int fd)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.fd = fd };

	return sys_epoll_ctl(w->epfd, EPOLL_CTL_ADD, fd, &ev);
}

static int watch_clock(struct hostwatch *w)
{
	const struct itimerspec when = {
		.it_interval.tv_sec = HOSTWATCH_MS / 1000,
		.it_value.tv_sec = HOSTWATCH_MS / 1000,
	};

	scope_close(&w->fd);
	w->clock = true;
	w->fd = sys_timerfd();
	if (w->fd < 0)
		return w->fd;
	if (w->epfd >= 0) /* there were not so many at first */
		(void)add(w, w->fd);
	return sys_timerfd_set(w->fd, &when);
}

static int watch_all(struct hostwatch *w)
{
	_cleanup_close_ int root =
		sys_openat(w->project, ".", O_RDONLY | O_DIRECTORY, 0);
	int r = root;

	w->n = 0;
	if (root >= 0 && w->fd < 0)
		r = w->fd = sys_inotify_init();
	if (r >= 0)
		r = watch_below(w, root, 0);
	return r < 0 ? watch_clock(w) : 0;
}

static int open_rests(struct hostwatch *w)
{
	int r = w->epfd = sys_epoll_create();

	if (r >= 0)
		r = w->rest = sys_timerfd();
	if (r >= 0)
		r = add(w, w->rest);
	return r < 0 ? r : add(w, w->fd);
}

int hostwatch_open(const struct boxsetup *setup, int project, struct hostwatch *ret,
		   struct err *e)
{
	struct hostwatch w = HOSTWATCH_NONE;
	int r;

	*ret = w;
	if (!box_reviews(setup->box))
		return 0;
	w.setup = setup;
	w.project = project;
	r = watch_all(&w);
	if (r == 0 && !w.clock)
		r = open_rests(&w);
	if (r < 0) {
		hostwatch_close(&w);
		return err_sys(e, r, "cannot watch the project directory");
	}
	*ret = w;
	return 0;
}

void hostwatch_close(struct hostwatch *w)
{
	scope_close(&w->epfd);
	scope_close(&w->rest);
	scope_close(&w->fd);
	*w = HOSTWATCH_NONE;
}

/* @any: there were some
 * Return: a directory has come, or not all is known: all are watched again. */
static bool take_events(const struct hostwatch *w, bool *any)
{
	_Alignas(struct inotify_event) char events[4096];
	bool again = false;
	ssize_t n;

	while ((n = sys_read(w->fd, events, w->clock ? 8 : sizeof(events))) > 0) {
		for (const char *p = events; p < events + n && !w->clock;) {
			const struct inotify_event *x = (const void *)p;

			*any = true;
			again |= x->mask & IN_Q_OVERFLOW ||
				 (x->mask & IN_ISDIR &&
				  x->mask & (IN_CREATE | IN_MOVED_TO));
			p += sizeof(*x) + x->len;
		}
	}
	return again;
}

static void rest(const struct hostwatch *w)
{
	const struct itimerspec when = {
		.it_value.tv_nsec = HOSTWATCH_REST_MS * 1000000L,
	};

	(void)sys_timerfd_set(w->rest, &when);
}

/* A build on the host is thousands of events: between two looks they are left where they
 * are. */
static bool is_due(const struct hostwatch *w)
{
	uint64_t times;

	if (sys_read(w->rest, &times, sizeof(times)) > 0) {
		(void)add(w, w->fd);
		return true;
	}
	if (sys_now_ms() - w->last_ms >= HOSTWATCH_REST_MS)
		return true;
	(void)sys_epoll_ctl(w->epfd, EPOLL_CTL_DEL, w->fd, NULL);
	rest(w);
	return false;
}

static void renew(void *ctx)
{
	struct hostwatch *w = ctx;
	bool any = false, failed;

	if (w->epfd >= 0 && !is_due(w))
		return;
	if (take_events(w, &any))
		(void)watch_all(w);
	failed = review_renew(w->setup) < 0;
	w->last_ms = sys_now_ms();
	w->failures = failed ? w->failures + 1 : 0;
	/* Once more: a lookup in the box that began before may have kept what it saw then. */
	if (w->epfd >= 0 && (any || (failed && w->failures < FAILURES)))
		rest(w);
}

struct aside hostwatch_aside(struct hostwatch *w)
{
	return w->fd < 0 ? (struct aside){ .fd = -1 }
			 : (struct aside){ w->epfd < 0 ? w->fd : w->epfd, renew, w };
}
