#include "runtime/idmap/trial.h"

#include <errno.h>

#include "base/proc.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "runtime/cause/cause.h"

enum { TIMEOUT_MS = 15000 };

static _noreturn_ void try_in_child(const struct idmap_trial *t,
				    const struct idmap *map, int fd)
{
	struct err e = ERR_NONE;
	char go;
	int r;

	if (sys_recv(fd, &go, 1, 0) != 1)
		sys_exit(1);
	r = idmap_adopt(map, &e);
	if (r >= 0 && t->fn)
		r = t->fn(t->ctx, &e);
	if (r < 0)
		(void)sys_send(fd, &e, sizeof(e), 0);
	sys_exit(r < 0);
}

/* What became of the child: its own message when it had one. */
static int result(int fd, struct proc *p, struct err *e)
{
	struct err said = ERR_NONE;
	int status, r = proc_wait(p, TIMEOUT_MS, &status, e);

	if (r < 0 || !status)
		return r;
	if (sys_recv(fd, &said, sizeof(said), MSG_DONTWAIT) != sizeof(said) ||
	    said.code >= 0)
		return err_set(e, -EPERM, "the trial ended with status %d", status);
	said.msg[sizeof(said.msg) - 1] = '\0';
	*e = said;
	return e->code;
}

static struct idmap only_caller(void)
{
	struct idmap m = { .kind = IDMAP_SINGLE, .n_uid = 1, .n_gid = 1 };

	m.uid[0] = (struct idmap_range){ .outside = sys_geteuid(), .count = 1 };
	m.gid[0] = (struct idmap_range){ .outside = sys_getegid(), .count = 1 };
	return m;
}

static int give_map(const struct idmap *map, pid_t pid, struct err *e)
{
	int r = idmap_write(map, pid, e);

	/* What newuidmap says is the cause. */
	return r < 0 && !idmap_traits(map)->delegated ? cause_explain(PROBE_STEP_MAP, e)
						      : r;
}

int idmap_trial(const struct idmap_trial *t, struct err *e)
{
	const struct idmap own = only_caller(), *map = t->map ? t->map : &own;
	_cleanup_proc_ struct proc p = PROC_NONE;
	_cleanup_close_ int ours = -1, theirs = -1;
	int fds[2], r = sys_socketpair(SOCK_SEQPACKET, fds);

	if (r < 0)
		return err_sys(e, r, "cannot make a socket pair");
	ours = fds[0];
	theirs = fds[1];
	r = sys_clone(CLONE_NEWUSER | t->namespaces, &p.pidfd);
	if (r == 0) {
		scope_close(&ours); /* its end of file is how the child sees us end */
		try_in_child(t, map, theirs);
	}
	if (r < 0) {
		err_sys(e, r, "cannot make a user namespace");
		return cause_explain(PROBE_STEP_CLONE, e);
	}
	p.pid = r;
	scope_close(&theirs);
	r = give_map(map, p.pid, e);
	if (r < 0)
		return r;
	r = (int)sys_send(ours, "g", 1, 0);
	return r < 0 ? err_sys(e, r, "cannot start a trial") : result(ours, &p, e);
}
