#include "base/signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/sys/sys.h"
#include "tests/unit/unit.h"

static void reads_what_is_watched(void)
{
	struct signalfd_siginfo si = { 0 };
	sigset_t old, now;
	_cleanup_close_ int fd =
		signals_watch((const int[]){ SIGUSR1, SIGUSR2, 0 }, &old);

	assert_true(fd >= 0);
	assert_false(sigismember(&old, SIGUSR1));
	assert_int_equal(sys_read(fd, &si, sizeof(si)), -EAGAIN);
	raise(SIGUSR2);
	assert_int_equal(sys_read(fd, &si, sizeof(si)), (int)sizeof(si));
	assert_int_equal(si.ssi_signo, SIGUSR2);
	sys_sigprocmask(SIG_SETMASK, &old, &now);
	assert_true(sigismember(&now, SIGUSR1) && sigismember(&now, SIGUSR2));
	assert_false(sigismember(&now, SIGINT));
}

static void needs_no_place_for_the_mask(void)
{
	sigset_t before;
	int fd;

	sys_sigprocmask(SIG_SETMASK, NULL, &before);
	fd = signals_watch((const int[]){ SIGUSR1, 0 }, NULL);
	assert_true(fd >= 0);
	scope_close(&fd);
	sys_sigprocmask(SIG_SETMASK, &before, NULL);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "what is watched is read", reads_what_is_watched },
		{ "the old mask may not matter", needs_no_place_for_the_mask },
	};

	return unit_cases("signals", cases);
}
