#include "base/signals.h"

#include <stddef.h>

#include "base/def.h"
#include "base/sys/sys.h"

int signals_watch(const int *signals, sigset_t *old)
{
	sigset_t set;

	sigemptyset(&set);
	for (; *signals; signals++)
		sigaddset(&set, *signals);
	return sys_sigprocmask(SIG_BLOCK, &set, old) ?: sys_signalfd(&set);
}

/* What is watched is heard also where it is ignored: that is left out. */
static int hold(const int *signals, struct signals_held *ret, struct err *e)
{
	int held[8] = { 0 };
	struct sigaction now;
	size_t n = 0;

	for (; *signals; signals++)
		if (sys_sigaction(*signals, NULL, &now) == 0 &&
		    now.sa_handler != SIG_IGN)
			held[n++] = *signals;
	ret->fd = signals_watch(held, &ret->old);
	return ret->fd < 0 ? err_sys(e, ret->fd, "cannot watch signals") : 0;
}

int signals_hold(struct signals_held *ret, struct err *e)
{
	return hold((const int[]){ SIGINT, SIGTERM, SIGHUP, 0 }, ret, e);
}

int signals_hold_stops(struct signals_held *ret, struct err *e)
{
	return hold((const int[]){ SIGINT, SIGTERM, SIGHUP, SIGTSTP, 0 }, ret, e);
}

void signals_release(struct signals_held *s)
{
	if (s->fd < 0)
		return;
	scope_close(&s->fd);
	(void)sys_sigprocmask(SIG_SETMASK, &s->old, NULL);
}
