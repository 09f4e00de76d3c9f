/* floor - the least that starting a container can cost: clone3 into the namespaces that
 * a box has, an id map, a bind mount, /proc, pivot_root and exec. No cgroup, no overlay,
 * no seccomp filter, no network: every container runtime does all of this and more.
 *
 * With -b DIR the mounts of a box are added (an overlay with its upper layer in DIR, /dev,
 * /sys, /run, /tmp, masks), and a first process that starts the command and waits for it:
 * what no implementation of a box can leave out, without the rest of one (limits, filter,
 * network, clients that join, errors that are told).
 *
 * usage: floor [-b DIR] ROOTFS COMMAND [ARG...] */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/def.h"
#include "base/sys/sys.h"

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

/* As runtime/mount/kernel.c has them; those that the kernel has not are passed over. */
static const struct {
	const char *at, *type, *options;
} own[] = {
	{ "dev", "tmpfs", "mode=755" }, { "dev/pts", "devpts", "newinstance" },
	{ "dev/shm", "tmpfs", "" },	{ "dev/mqueue", "mqueue", "" },
	{ "run", "tmpfs", "mode=755" }, { "tmp", "tmpfs", "mode=1777" },
	{ "sys", "sysfs", "" },
};
static const char *const nodes[] = {
	"null", "zero", "full", "random", "urandom", "tty"
};
static const char *const files[] = { "proc/interrupts", "proc/kcore", "proc/keys",
				     "proc/sched_debug", "proc/timer_list" };
static const char *const dirs[] = { "proc/acpi", "proc/scsi", "sys/firmware" };
static const char *const read_only[] = { "proc/bus", "proc/fs", "proc/irq", "proc/sys",
					 "proc/sysrq-trigger" };

static void overlay(const char *dir, const char *root)
{
	char options[512], at[128];

	snprintf(at, sizeof(at), "%s/merged", dir);
	snprintf(options, sizeof(options),
		 "userxattr,lowerdir=%s,upperdir=%s/upper,workdir=%s/work", root, dir,
		 dir);
	check(sys_mount("overlay", at, "overlay", 0, options), "overlay");
	check(sys_chdir(at), at);
}

static void box_mounts(void)
{
	char from[64], to[64];
	int fd;

	for (size_t i = 0; i < ARRAY_SIZE(own); i++) {
		(void)sys_mkdirat(AT_FDCWD, own[i].at, 0755);
		check(sys_mount(own[i].type, own[i].at, own[i].type, MS_NOSUID,
				own[i].options),
		      own[i].at);
	}
	for (size_t i = 0; i < ARRAY_SIZE(nodes); i++) {
		snprintf(from, sizeof(from), "/dev/%s", nodes[i]);
		snprintf(to, sizeof(to), "dev/%s", nodes[i]);
		fd = sys_openat(AT_FDCWD, to, O_CREAT | O_WRONLY, 0600);
		check(fd, to);
		close(fd);
		check(sys_mount(from, to, NULL, MS_BIND, NULL), to);
	}
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		(void)sys_mount("/dev/null", files[i], NULL, MS_BIND, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		(void)sys_mount("none", dirs[i], "tmpfs", MS_RDONLY, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(read_only); i++) {
		(void)sys_mount(read_only[i], read_only[i], NULL, MS_BIND, NULL);
		(void)sys_mount(NULL, read_only[i], NULL,
				MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID |
					MS_NODEV | MS_NOEXEC,
				NULL);
	}
}

static void wait_for(pid_t pid)
{
	siginfo_t si;

	check(sys_waitid(P_PID, (id_t)pid, &si, WEXITED), "wait");
	sys_exit(si.si_code == CLD_EXITED ? si.si_status : 128 + si.si_status);
}

static void child(int go, const char *dir, const char *root, char **argv)
{
	pid_t pid = 0;
	char c;

	check(sys_read(go, &c, 1), "wait for the id map");
	check(sys_mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), "private /");
	if (dir) {
		overlay(dir, root);
	} else {
		check(sys_mount(root, root, NULL, MS_BIND | MS_REC, NULL), root);
		check(sys_chdir(root), root);
	}
	check(sys_mount("proc", "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL),
	      "/proc");
	if (dir)
		box_mounts();
	check(sys_pivot_root(".", "."), "pivot_root");
	check(sys_umount2(".", MNT_DETACH), "umount of the old root");
	if (dir)
		pid = sys_fork();
	check(pid, "fork");
	if (pid)
		wait_for(pid);
	check(sys_execve(argv[0], argv, environ), argv[0]);
}

int main(int argc, char **argv)
{
	struct clone_args args = { .flags = NAMESPACES, .exit_signal = SIGCHLD };
	char path[64], map[64];
	const char *dir = NULL;
	int go[2];
	pid_t pid;

	if (argc > 2 && !strcmp(argv[1], "-b")) {
		dir = argv[2];
		argv += 2;
		argc -= 2;
	}
	if (argc < 3)
		check(-EINVAL, "usage: floor [-b DIR] ROOTFS COMMAND [ARG...]");
	check(sys_pipe2(go, 0), "pipe");
	pid = sys_clone3(&args);
	check(pid, "clone3");
	if (!pid)
		child(go[0], dir, argv[1], argv + 2);
	snprintf(path, sizeof(path), "/proc/%d/setgroups", pid);
	write_file(path, "deny");
	snprintf(path, sizeof(path), "/proc/%d/uid_map", pid);
	snprintf(map, sizeof(map), "0 %u 1", sys_geteuid());
	write_file(path, map);
	snprintf(path, sizeof(path), "/proc/%d/gid_map", pid);
	snprintf(map, sizeof(map), "0 %u 1", sys_getegid());
	write_file(path, map);
	check(sys_write(go[1], "", 1), "pipe");
	wait_for(pid);
}
