#include "tests/unit/upward.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/unit.h"

enum { CANNOT = 100 };

static const char *const ways[] = {
	"/../etc/passwd",    "/etc/passwd",	 "/../../etc/passwd",
	"../etc/passwd",     "../../etc/passwd", "/../proc/self/cwd/..",
	"/proc/self/cwd/..",
};

int upward_seen(void)
{
	struct stat root, up;
	int seen = 0;

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++)
		if (access(ways[i], F_OK) == 0)
			seen |= 1 << i;
	if (stat("/", &root) < 0 || stat("/..", &up) < 0 || root.st_dev != up.st_dev ||
	    root.st_ino != up.st_ino)
		seen |= 1 << ARRAY_SIZE(ways);
	return seen;
}

/* In its place: first at its working directory, then at its root. */
static int look(pid_t pid)
{
	char path[64];
	int root, cwd, seen;

	snprintf(path, sizeof(path), "/proc/%d/root", (int)pid);
	root = open(path, O_PATH | O_DIRECTORY);
	snprintf(path, sizeof(path), "/proc/%d/cwd", (int)pid);
	cwd = open(path, O_PATH | O_DIRECTORY);
	if (root < 0 || cwd < 0 || fchdir(root) < 0 || chroot(".") < 0)
		return CANNOT;
	if (fchdir(cwd) < 0)
		return CANNOT;
	seen = upward_seen();
	if (chdir("/") < 0)
		return CANNOT;
	return (seen | upward_seen()) ? 1 : 0;
}

void upward_shut(pid_t pid)
{
	pid_t child = fork();
	int status = 0;

	assert_true(child >= 0);
	if (!child)
		_exit(look(pid));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == CANNOT && geteuid())
		unit_skip("only root can take on the root of another process");
	assert_int_equal(WEXITSTATUS(status), 0);
}
