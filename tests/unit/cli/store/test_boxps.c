#include "tests/unit/unit.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/store/boxps.h"

/* A child with a child of its own, both waiting: what a box looks like from outside. */
static pid_t start_tree(int *hold)
{
	int fds[2], ready[2];
	char c;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		close(fds[1]);
		(void)fork();
		(void)!write(ready[1], "x", 1);
		(void)!read(fds[0], &c, 1); /* until the test closes its end */
		_exit(0);
	}
	close(fds[0]);
	assert_int_equal(read(ready[0], &c, 1), 1);
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	close(ready[1]);
	*hold = fds[1];
	return pid;
}

static void end_tree(pid_t pid, int hold)
{
	int status;

	close(hold);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void lists_descendants_only(void)
{
	_cleanup_boxps_ struct boxps ps = BOXPS_NONE;
	struct err e = ERR_NONE;
	int hold;
	pid_t pid = start_tree(&hold);

	unit_ok(boxps_list(pid, &ps, &e), &e);
	assert_int_equal(ps.n, 2);
	assert_int_equal(ps.v[0].host_pid, pid);
	assert_int_equal(ps.v[0].parent, 0); /* its parent is not of the box */
	assert_int_equal(ps.v[1].host_parent, pid);
	assert_int_equal(ps.v[1].parent, ps.v[0].pid);
	assert_non_null(strstr(ps.v[1].command, "test_boxps"));
	end_tree(pid, hold);
}

static void signals_go_to_descendants_only(void)
{
	_cleanup_boxps_ struct boxps ps = BOXPS_NONE;
	struct err e = ERR_NONE;
	int hold;
	pid_t pid = start_tree(&hold);

	unit_ok(boxps_list(pid, &ps, &e), &e);
	unit_ok(boxps_signal(pid, ps.v[1].pid, SIGCONT, &e), &e);
	assert_int_equal(boxps_signal(pid, ps.v[0].pid, SIGKILL, &e), -EPERM);
	assert_int_equal(boxps_signal(pid, getppid(), SIGKILL, &e), -ESRCH);
	end_tree(pid, hold);
}

/* A box in which nothing runs is known by its init, which has no child: also where no other
 * process could be listed. */
static void counts_what_init_has(void)
{
	struct err e = ERR_NONE;
	int hold, fds[2];
	char c;
	pid_t pid = start_tree(&hold);

	assert_int_equal(boxps_count(pid, &e), 2);
	end_tree(pid, hold);
	assert_int_equal(boxps_count(pid, &e), -ESRCH);
	assert_int_equal(boxps_end(pid, SIGTERM, &e), -ESRCH);
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (pid == 0) {
		close(fds[1]);
		(void)!read(fds[0], &c, 1);
		_exit(0);
	}
	close(fds[0]);
	assert_int_equal(boxps_count(pid, &e), 0);
	assert_int_equal(boxps_end(pid, SIGKILL, &e), 0);
	end_tree(pid, fds[1]); /* it was not signalled */
}

static void no_such_box(void)
{
	_cleanup_boxps_ struct boxps ps = BOXPS_NONE;
	struct err e = ERR_NONE;

	assert_int_equal(boxps_list(0x7ffffffe, &ps, &e), -ESRCH);
	unit_err(&e, -ESRCH, "cannot list the box's processes: No such process");
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "lists descendants only", lists_descendants_only },
		{ "signals go to descendants only", signals_go_to_descendants_only },
		{ "counts what init has", counts_what_init_has },
		{ "no such box", no_such_box },
	};

	return unit_cases("boxps", cases);
}
