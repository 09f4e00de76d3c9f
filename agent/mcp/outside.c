#include "agent/mcp/outside.h"

#include <poll.h>
#include <signal.h>

#include "base/sys/sys.h"

enum { GRACE_MS = 1000 };

/* Both ends of three pipes; what is still here at the end of a start is closed. */
struct pipes {
	int ours[3], theirs[3];
};

static void pipes_done(struct pipes *p)
{
	scope_close_set(p->ours, 3);
	scope_close_set(p->theirs, 3);
}

static int make_pipes(struct pipes *p)
{
	for (int i = 0; i < 3; i++) {
		int fds[2], r = sys_pipe2(fds, 0);

		if (r < 0)
			return r;
		p->ours[i] = fds[i == 0];
		p->theirs[i] = fds[i != 0];
	}
	return 0;
}

static int spawn(void *ctx, const struct box_command *c, struct box_proc *ret,
		 struct err *e)
{
	_cleanup_(pipes_done) struct pipes p = { { -1, -1, -1 }, { -1, -1, -1 } };
	struct mcp_outside *o = ctx;
	struct proc_conf conf = { .argv = c->argv,
				  .env = c->env,
				  .dir = "/",
				  .pass_fd = -1,
				  .new_session = true };
	int r = make_pipes(&p);

	if (r < 0)
		return err_sys(e, r, "cannot start '%s'", c->argv[0]);
	for (int i = 0; i < 3; i++)
		conf.fds[i] = p.theirs[i];
	r = proc_start(&conf, &o->proc, e);
	if (r < 0)
		return r;
	ret->pid = o->proc.pid;
	for (int i = 0; i < 3; i++)
		ret->fds[i] = take(&p.ours[i], -1);
	return 0;
}

/* It leads a group of its own: what it started ends with it, once it had a moment. Until
 * it is reaped the number is that group's alone. */
static void end(void *ctx, struct box_proc *p)
{
	struct mcp_outside *o = ctx;
	struct pollfd ended = { .fd = o->proc.pidfd, .events = POLLIN };

	scope_close(&p->fds[0]);
	(void)sys_kill(-o->proc.pid, SIGTERM);
	(void)sys_poll(&ended, 1, GRACE_MS);
	(void)sys_kill(-o->proc.pid, SIGKILL);
	proc_done(&o->proc);
}

struct mcp_client_port mcp_outside_port(struct mcp_outside *o)
{
	return (struct mcp_client_port){ spawn, end, o };
}
