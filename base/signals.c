#include "base/signals.h"

#include "base/sys/sys.h"

int signals_watch(const int *signals, sigset_t *old)
{
	sigset_t set;

	sigemptyset(&set);
	for (; *signals; signals++)
		sigaddset(&set, *signals);
	return sys_sigprocmask(SIG_BLOCK, &set, old) ?: sys_signalfd(&set);
}
