#include "agent/session/waiting_calls.h"

#include <sys/syscall.h>

#include "tests/unit/unit.h"

static const struct row {
	const char *name;
	long nr;
	bool is_32bit;
	enum waiting_call want;
} rows[] = {
	{ "read", SYS_read, false, WAITING_CALL_READ },
	{ "readv", SYS_readv, false, WAITING_CALL_READ },
	{ "preadv2", SYS_preadv2, false, WAITING_CALL_READ },
	{ "ppoll", SYS_ppoll, false, WAITING_CALL_POLL },
	{ "pselect6", SYS_pselect6, false, WAITING_CALL_SELECT },
	{ "epoll_pwait", SYS_epoll_pwait, false, WAITING_CALL_EPOLL },
	{ "restart_syscall", SYS_restart_syscall, false, WAITING_CALL_EPOLL },
#ifdef SYS_poll
	{ "poll", SYS_poll, false, WAITING_CALL_POLL },
	{ "select", SYS_select, false, WAITING_CALL_SELECT },
	{ "epoll_wait", SYS_epoll_wait, false, WAITING_CALL_EPOLL },
#endif
	{ "write", SYS_write, false, WAITING_CALL_OTHER },
	{ "nanosleep", SYS_nanosleep, false, WAITING_CALL_OTHER },
	{ "wait4", SYS_wait4, false, WAITING_CALL_OTHER },
	{ "futex", SYS_futex, false, WAITING_CALL_OTHER },
	{ "32-bit read", 3, true, WAITING_CALL_READ },
	{ "32-bit restart_syscall", 0, true, WAITING_CALL_EPOLL },
	{ "32-bit write", 4, true, WAITING_CALL_OTHER },
};

static void test_row(const void *p)
{
	const struct row *row = p;

	assert_int_equal(waiting_calls_kind(row->nr, row->is_32bit), row->want);
}

static void both(void)
{
	assert_true(waiting_calls_both(3));
	assert_false(waiting_calls_both(SYS_exit_group));
}

int main(void)
{
	static const struct unit_case cases[] = { { "meanings in both modes", both } };

	return unit_rows("waiting_calls_kind", rows, test_row) +
	       unit_cases("waiting_calls", cases);
}
