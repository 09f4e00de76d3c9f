/* The doors of base/sys_*.h ask sys_fault() before each call in VARIANT=asan. */
#include "tests/unit/unit.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef CUBBY_FAULT

long sys_fault(void);

/* Shared with forked children: a door that fails there counts like any other. */
struct plan {
	unsigned passed; /* doors so far */
	unsigned fail;	 /* the one that fails, from 1; 0 = none */
	long code;	 /* what it returns */
	bool kills;	 /* it does not return: the process is killed there */
	unsigned event;	 /* the one before which something happens, from 1; 0 = none */
	void (*happens)(void *ctx);
	void *ctx;
};
static struct plan *plan;

long sys_fault(void)
{
	unsigned door;

	if (!plan || (!plan->fail && !plan->event))
		return 0;
	door = __atomic_add_fetch(&plan->passed, 1, __ATOMIC_RELAXED);
	if (door == plan->event)
		plan->happens(plan->ctx);
	if (door != plan->fail)
		return 0;
	if (plan->kills)
		raise(SIGKILL);
	return plan->code;
}

/* The open descriptors as a sorted text of a few hundred bytes. */
static void open_fds(char *ret, size_t size)
{
	bool open[1024] = { false };
	DIR *dir = opendir("/proc/self/fd");
	size_t len = 0;

	assert_non_null(dir);
	for (struct dirent *d; (d = readdir(dir));) {
		long fd = strtol(d->d_name, NULL, 10);

		if (d->d_name[0] != '.' && fd != dirfd(dir) && fd < 1024)
			open[fd] = true;
	}
	closedir(dir);
	ret[0] = '\0';
	for (int fd = 0; fd < 1024 && len < size; fd++)
		if (open[fd])
			len += (size_t)snprintf(ret + len, size - len, "%d ", fd);
}

/* Returns whether a door failed, so whether there may be a next one. */
static bool fail_door(unsigned n, long code, unit_fault_fn *fn, void *ctx)
{
	struct err e = ERR_NONE;
	char before[512], after[512];
	bool fired;
	int r;

	open_fds(before, sizeof(before));
	*plan = (struct plan){ .fail = n, .code = code };
	r = fn(ctx, &e);
	fired = plan->passed >= n;
	plan->fail = 0;
	open_fds(after, sizeof(after));
	if (strcmp(before, after) != 0)
		fail_msg("door %u failed with %ld: open before: %s, after: %s", n, code,
			 before, after);
	if (r < 0 && !fired)
		fail_msg("no door failed, yet %d: %s", r, e.msg);
	if (r < 0 && (e.code != r || !e.msg[0]))
		fail_msg("door %u failed with %ld: returned %d, but e is %d '%s'", n,
			 code, r, e.code, e.msg);
	return fired;
}

static void make_plan(void)
{
	if (!plan)
		plan = mmap(NULL, sizeof(*plan), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(plan != MAP_FAILED);
}

/* Returns how many doors it passed. */
static unsigned run_by_plan(const struct plan *how, unit_fault_fn *fn, void *ctx)
{
	struct err e = ERR_NONE;
	int status;
	pid_t pid;

	*plan = *how;
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(fn(ctx, &e) < 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	plan->fail = plan->event = 0;
	if (!how->code && status && (!how->fail || plan->passed < how->fail))
		fail_msg("without a kill it failed: %d", status);
	return plan->passed;
}

/* All of them are of the long pass; of the other one in so many. */
static unsigned one_in(unsigned many)
{
	return getenv("CUBBY_TEST_MORE") ? 1 : many;
}

void unit_kills(unit_fault_fn *fn, void (*after)(void *ctx), void *ctx)
{
	bool fired = true;

	make_plan();
	for (unsigned n = 1; fired; n += one_in(3)) {
		fired = run_by_plan(&(struct plan){ .fail = n, .kills = true }, fn,
				    ctx) >= n;
		after(ctx);
	}
}

void unit_meanwhile(unit_fault_fn *fn, const struct unit_event *x,
		    void (*after)(void *ctx), void *ctx)
{
	struct plan p = { .happens = x->happens, .ctx = ctx };
	unsigned doors, pair = 0;

	make_plan();
	do {
		p.event++;
		doors = run_by_plan(&p, fn, ctx);
		after(ctx);
	} while (doors >= p.event);
	p.kills = true;
	for (p.event = doors > x->last ? doors - x->last : 1; p.event <= doors;
	     p.event++)
		for (unsigned k = 0; k < x->kills; k++) {
			if (pair++ % one_in(5))
				continue;
			p.fail = p.event + k;
			(void)run_by_plan(&p, fn, ctx);
			after(ctx);
		}
}

void unit_fails(unit_fault_fn *fn, long code, void (*after)(void *ctx), void *ctx)
{
	bool fired = true;

	make_plan();
	for (unsigned n = 1; fired; n++) {
		fired = run_by_plan(&(struct plan){ .fail = n, .code = code }, fn,
				    ctx) >= n;
		after(ctx);
	}
}

void unit_faults(unit_fault_fn *fn, void *ctx)
{
	static const long codes[] = { -EIO, -ENOSYS };
	unsigned doors = 0;

	make_plan();
	for (size_t c = 0; c < ARRAY_SIZE(codes); c++) {
		unsigned n = 1;

		while (fail_door(n, codes[c], fn, ctx))
			n++;
		doors = n - 1;
	}
	if (!doors)
		fail_msg("the code passed no door: nothing was tested");
}

#else

void unit_faults(unit_fault_fn *, void *)
{
	fail_msg("unit_faults() needs VARIANT=asan");
}

void unit_kills(unit_fault_fn *, void (*after)(void *ctx), void *)
{
	(void)after;
	fail_msg("unit_kills() needs VARIANT=asan");
}

void unit_meanwhile(unit_fault_fn *, const struct unit_event *,
		    void (*after)(void *ctx), void *)
{
	(void)after;
	fail_msg("unit_meanwhile() needs VARIANT=asan");
}

void unit_fails(unit_fault_fn *, long, void (*after)(void *ctx), void *)
{
	(void)after;
	fail_msg("unit_fails() needs VARIANT=asan");
}

#endif
