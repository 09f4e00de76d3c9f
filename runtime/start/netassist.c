#include "runtime/start/netassist.h"

#include "base/sys/sys.h"
#include "runtime/mount/root.h"

/* What the two leave for each other. */
struct netassist_desk {
	int ns; /* of the network; in the shared table of descriptors; -1 = the host's */
	struct netns_fds fds;
	enum probe_step step;
	struct err err;
	int root;   /* of the box, after the pivot */
	int mounts; /* in the shared table: locked ones, once the host's are gone */
};

/* ---- the process ------------------------------------------------------------------ */

static int make_network(enum net_mode mode, struct netassist_desk *d)
{
	int r = sys_unshare(CLONE_NEWNET);

	d->step = PROBE_STEP_CLONE;
	if (r < 0)
		return err_sys(&d->err, r, "cannot create namespaces");
	d->step = PROBE_STEP_NET;
	d->ns = sys_open("/proc/self/ns/net", O_RDONLY);
	if (d->ns < 0)
		return err_sys(&d->err, d->ns, "cannot open the network namespace");
	return netns_setup(mode, NETNS_CATCH_HELD, &d->fds, &d->err);
}

static int signal_event(int fd)
{
	const uint64_t one = 1;

	return (int)sys_write(fd, &one, sizeof(one));
}

/* Nothing but the death of the child, which is the end of this process as well, can keep
 * it waiting for ever. */
static int await_event(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int r;

	do
		r = sys_poll(&p, 1, -1);
	while (r == -EINTR);
	return MIN(r, 0);
}

static _noreturn_ void work(enum net_mode mode, const struct netassist *a)
{
	int r = 0;

	if (mode != NET_HOST)
		r = make_network(mode, a->desk);
	if (signal_event(a->done) < 0 || r < 0 || await_event(a->go) < 0)
		sys_exit(1);
	r = mount_root_leave(a->desk->root, &a->desk->err);
	if (r == 0)
		r = a->desk->mounts = mount_root_lock(&a->desk->err);
	sys_exit(signal_event(a->done) < 0 || r < 0);
}

/* ---- the child -------------------------------------------------------------------- */

int netassist_begin(enum net_mode mode, struct netassist *ret, struct err *e)
{
	struct netassist a = NETASSIST_NONE;
	void *shared = NULL;
	int r = sys_mmap_shared(sizeof(*a.desk), &shared);

	if (r >= 0)
		r = a.done = sys_eventfd(0);
	if (r >= 0)
		r = a.go = sys_eventfd(0);
	if (r < 0 || !shared)
		return err_sys(e, r, "cannot prepare another process");
	a.desk = shared;
	*a.desk = (struct netassist_desk){
		.ns = -1, .fds = NETNS_FDS_NONE, .root = -1, .mounts = -1
	};
	a.pid = sys_clone(CLONE_FILES, &a.pidfd);
	if (a.pid == 0)
		work(mode, &a);
	if (a.pid < 0)
		return err_sys(e, a.pid, "cannot start another process");
	*ret = a;
	return 0;
}

static int await_done(const struct netassist *a)
{
	struct pollfd p[] = { { .fd = a->done, .events = POLLIN },
			      { .fd = a->pidfd, .events = POLLIN } };
	uint64_t n;
	int r;

	do
		r = sys_poll(p, ARRAY_SIZE(p), -1);
	while (r == -EINTR);
	if (r < 0)
		return r;
	if (!(p[0].revents & POLLIN))
		return -ESRCH;
	return MIN((int)sys_read(a->done, &n, sizeof(n)), 0);
}

int netassist_network(struct netassist *a, struct netns_fds *ret, enum probe_step *step,
		      struct err *e)
{
	int r = await_done(a);

	*step = PROBE_STEP_NET;
	if (r < 0)
		return err_sys(e, r, "cannot hear from the other process");
	if (a->desk->err.code < 0) {
		*step = a->desk->step;
		*e = a->desk->err;
		return e->code;
	}
	r = a->desk->ns < 0 ? 0 : sys_setns(a->desk->ns, CLONE_NEWNET);
	if (r < 0)
		return err_sys(e, r, "cannot enter the network namespace");
	*ret = take(&a->desk->fds, NETNS_FDS_NONE);
	return 0;
}

int netassist_detach(struct netassist *a, int root, struct err *e)
{
	int r;

	a->desk->root = root;
	r = signal_event(a->go);
	if (r >= 0)
		r = await_done(a);
	if (r < 0)
		return err_sys(e, r, "cannot hear from the other process");
	if (a->desk->err.code < 0) {
		*e = a->desk->err;
		return e->code;
	}
	r = mount_root_locked(a->desk->mounts, e);
	scope_close(&a->desk->mounts);
	return r;
}
