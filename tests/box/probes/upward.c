/* upward PID - takes on the root and the working directory of a process and says what of the
 * host is found from there, or "nothing". Runs on the host. */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_of(const char *pid, const char *what, int flags)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%s/%s", pid, what);
	return open(path, flags);
}

static int look(void)
{
	static const char *const ways[] = {
		"/..",		 "/../etc/passwd",	"/etc/passwd",
		"../etc/passwd", "../../../etc/passwd", "/proc/self/cwd/..",
		"/../usr"
	};
	struct stat root, up;
	int found = 0;

	stat("/", &root);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (stat(ways[i], &up) < 0 ||
		    (up.st_dev == root.st_dev && up.st_ino == root.st_ino))
			continue;
		printf("%s\n", ways[i]);
		found = 1;
	}
	return found;
}

int main(int argc, char **argv)
{
	int root, cwd, user, found;

	if (argc != 2)
		return 2;
	root = open_of(argv[1], "root", O_PATH | O_DIRECTORY);
	cwd = open_of(argv[1], "cwd", O_PATH | O_DIRECTORY);
	user = open_of(argv[1], "ns/user", O_RDONLY);
	if (user >= 0 && geteuid())
		(void)setns(user, CLONE_NEWUSER);
	if (root < 0 || cwd < 0 || fchdir(root) < 0 || chroot(".") < 0 ||
	    fchdir(cwd) < 0) {
		perror("upward");
		return 2;
	}
	found = look();
	if (chdir("/") < 0)
		return 2;
	found |= look();
	if (!found)
		puts("nothing");
	return found;
}
