#include "runtime/confine/emptyroot.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sys/sys.h"
#include "tests/unit/unit.h"
#include "tests/unit/upward.h"

enum { NO_NAMESPACE = 90, REFUSED = 91, WRITABLE = 92, HOST_THERE = 93, LOST = 94 };

static int enter_and_look(void)
{
	int kept = sys_open("/etc", O_RDONLY | O_DIRECTORY);
	struct err e = ERR_NONE;

	if (sys_unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
		return NO_NAMESPACE;
	if (emptyroot_enter(&e) < 0)
		return REFUSED;
	if (sys_mkdirat(AT_FDCWD, "/new", 0755) != -EROFS)
		return WRITABLE;
	if (sys_faccessat(kept, "passwd", F_OK, 0) < 0)
		return LOST;
	return upward_seen() ? HOST_THERE : 0;
}

static void nothing_is_above_it(void)
{
	pid_t child = fork();
	int status = 0;

	assert_true(child >= 0);
	if (!child)
		_exit(enter_and_look());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == NO_NAMESPACE)
		unit_skip("no user namespaces here");
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* Without a mount namespace of one's own it must not take the host's tree away. */
static void an_ordinary_process_is_refused(void)
{
	pid_t child = fork();
	int status = 0;

	assert_true(child >= 0);
	if (!child) {
		struct err e = ERR_NONE;

		if (!geteuid() && (setgid(65534) < 0 || setuid(65534) < 0))
			_exit(2);
		_exit(emptyroot_enter(&e) == -EPERM ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "nothing is above it", nothing_is_above_it },
		{ "an ordinary process is refused", an_ordinary_process_is_refused },
	};

	return unit_cases("emptyroot", cases);
}
