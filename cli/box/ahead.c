#include "cli/box/ahead.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>

#include "base/proc.h"
#include "base/sys/sys.h"
#include "cli/box/acting.h"
#include "cli/box/setup.h"

static void tell(int fd, const struct err *e)
{
	(void)sys_write(fd, e, sizeof(*e)); /* smaller than PIPE_BUF: whole or not */
}

/* Signals as a program has them at its start: the caller may block those that end it. */
static void plain_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	(void)sys_sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Nothing of the caller's stays open here: the far end of a connection would wait for it. */
static void close_others(int a, int b)
{
	unsigned low = (unsigned)MIN(a, b), high = (unsigned)MAX(a, b);

	(void)sys_close_range(STDERR_FILENO + 1, low - 1, 0);
	if (high > low + 1)
		(void)sys_close_range(low + 1, high - 1, 0);
	(void)sys_close_range(high + 1, ~0U, 0);
}

/* The configuration is the child's own by now. */
static int add_options(const struct app *app, const char *const *options, struct err *e)
{
	int r = 0;

	for (; options && *options && r == 0; options++)
		r = opt_box_word(app->config, *options, e);
	return r;
}

static _noreturn_ void child(const struct app *app, const struct opt_box *o,
			     const struct boxahead_conf *conf, int said, int hold)
{
	struct boxsetup s;
	struct err e = ERR_NONE;
	char byte;

	(void)sys_prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	close_others(said, hold);
	*app->store = STORE_NONE; /* closed with them */
	plain_signals();
	if (conf->files)
		(void)proc_files(conf->files);
	s = BOXSETUP(app);
	if (add_options(app, conf->options, &e) == 0 &&
	    boxsetup_prepare(o, &s, &e) >= 0) {
		if (conf->unseen)
			acting_keep(s.dir.dirfd, s.spec.project);
		if (boxsetup_start(&s, NULL, &e) >= 0)
			e = ERR_NONE;
	}
	tell(said, &e);
	(void)sys_read(hold, &byte, 1); /* until the caller has joined the box */
	boxsetup_done(&s);
	sys_exit(0);
}

int boxahead_start(const struct app *app, const struct opt_box *o,
		   const struct boxahead_conf *conf, struct boxahead *ret,
		   struct err *e)
{
	_cleanup_boxahead_ struct boxahead b = BOXAHEAD_NONE;
	_cleanup_close_ int said = -1, hold = -1;
	int pipe_said[2], pipe_hold[2], r;

	r = sys_pipe2(pipe_said, O_CLOEXEC);
	if (r < 0)
		return err_sys(e, r, "cannot make a pipe");
	b.said = pipe_said[0];
	said = pipe_said[1];
	r = sys_pipe2(pipe_hold, O_CLOEXEC);
	if (r < 0)
		return err_sys(e, r, "cannot make a pipe");
	hold = pipe_hold[0];
	b.hold = pipe_hold[1];
	b.pid = sys_fork();
	if (b.pid < 0)
		return err_sys(e, (int)b.pid, "cannot fork");
	if (b.pid == 0)
		child(app, o, conf, said, hold);
	*ret = take(&b, BOXAHEAD_NONE);
	return 0;
}

int boxahead_result(struct boxahead *b, struct err *e)
{
	struct err said;
	ssize_t n = sys_read(b->said, &said, sizeof(said));

	if (n != (ssize_t)sizeof(said))
		return err_set(e, -EIO, "the start of the box was ended");
	if (!said.code)
		return 0;
	*e = said;
	return said.code;
}

void boxahead_done(struct boxahead *b)
{
	siginfo_t si = { 0 };

	scope_close(&b->hold);
	scope_close(&b->said);
	/* a start may be ended anywhere: the store bears it, a monitor without clients
	 * ends by itself */
	if (b->pid > 0 && sys_kill(b->pid, SIGKILL) == 0)
		(void)sys_waitid(P_PID, (id_t)b->pid, &si, WEXITED);
	*b = BOXAHEAD_NONE;
}
