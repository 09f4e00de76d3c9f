/* floor - the least that starting a container can cost: clone3 into the namespaces that
 * a box has, an id map, a bind mount, /proc, pivot_root and exec. No cgroup, no overlay,
 * no seccomp filter, no network: every container runtime does all of this and more.
 *
 * usage: floor ROOTFS COMMAND [ARG...] */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sys.h"

enum {
	NAMESPACES = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET |
		     CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP
};

static void check(long r, const char *what)
{
	if (r >= 0)
		return;
	fprintf(stderr, "floor: %s: %s\n", what, strerror((int)-r));
	sys_exit(125);
}

static void write_file(const char *path, const char *text)
{
	int fd = sys_open(path, O_WRONLY);

	check(fd, path);
	check(sys_write(fd, text, strlen(text)), path);
	close(fd);
}

static void child(int go, const char *root, char **argv)
{
	char c;

	check(sys_read(go, &c, 1), "wait for the id map");
	check(sys_mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), "private /");
	check(sys_mount(root, root, NULL, MS_BIND | MS_REC, NULL), root);
	check(sys_chdir(root), root);
	check(sys_mount("proc", "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL),
	      "/proc");
	check(sys_pivot_root(".", "."), "pivot_root");
	check(sys_umount2(".", MNT_DETACH), "umount of the old root");
	check(sys_execve(argv[0], argv, environ), argv[0]);
}

int main(int argc, char **argv)
{
	struct clone_args args = { .flags = NAMESPACES, .exit_signal = SIGCHLD };
	char path[64], map[64];
	siginfo_t si;
	int go[2];
	pid_t pid;

	if (argc < 3)
		check(-EINVAL, "usage: floor ROOTFS COMMAND [ARG...]");
	check(sys_pipe2(go, 0), "pipe");
	pid = sys_clone3(&args);
	check(pid, "clone3");
	if (!pid)
		child(go[0], argv[1], argv + 2);
	snprintf(path, sizeof(path), "/proc/%d/setgroups", pid);
	write_file(path, "deny");
	snprintf(path, sizeof(path), "/proc/%d/uid_map", pid);
	snprintf(map, sizeof(map), "0 %u 1", sys_geteuid());
	write_file(path, map);
	snprintf(path, sizeof(path), "/proc/%d/gid_map", pid);
	snprintf(map, sizeof(map), "0 %u 1", sys_getegid());
	write_file(path, map);
	check(sys_write(go[1], "", 1), "pipe");
	check(sys_waitid(P_PID, (id_t)pid, &si, WEXITED), "wait");
	return si.si_code == CLD_EXITED ? si.si_status : 128 + si.si_status;
}
