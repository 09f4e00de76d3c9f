/* hop - the least that a command in a running box can cost where a client, a monitor and
 * the box's init stand between: connect, pass on, pipes, fork, exec, and the status back.
 * Nobody is checked, nothing is read, no limit, user or environment is set.
 *
 * usage: hop serve SOCKET PID   a monitor, and an init in the namespaces of process PID;
 *                               until its input ends
 *        hop run SOCKET COMMAND */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/def.h"
#include "base/sys/sys.h"

enum {
	NAMESPACES = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET |
		     CLONE_NEWIPC | CLONE_NEWUTS,
	TEXT = 256,
	ENDS = 3
};

static int check(long r, const char *what)
{
	if (r >= 0)
		return (int)r;
	fprintf(stderr, "hop: %s: %s\n", what, strerror((int)-r));
	sys_exit(125);
}

union control {
	struct cmsghdr head;
	char room[CMSG_SPACE(sizeof(int[ENDS]))];
};

/* @fds: ENDS of them, or NULL */
static void send_on(int sock, void *text, size_t len, const int *fds)
{
	union control c = { .head = { .cmsg_len = CMSG_LEN(sizeof(int[ENDS])),
				      .cmsg_level = SOL_SOCKET,
				      .cmsg_type = SCM_RIGHTS } };
	struct iovec v = { text, len };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1 };

	if (fds) {
		memcpy(CMSG_DATA(&c.head), fds, sizeof(int[ENDS]));
		m.msg_control = &c;
		m.msg_controllen = sizeof(c);
	}
	check(sys_sendmsg(sock, &m, MSG_NOSIGNAL), "send");
}

/* Return: the length; 0 = nobody is there any more */
static size_t receive(int sock, char text[TEXT], int *fds)
{
	union control c = { .room = "" };
	struct iovec v = { text, TEXT };
	struct msghdr m = { .msg_iov = &v,
			    .msg_iovlen = 1,
			    .msg_control = &c,
			    .msg_controllen = sizeof(c) };
	int n = check(sys_recvmsg(sock, &m, MSG_CMSG_CLOEXEC), "receive");

	if (fds && m.msg_controllen)
		memcpy(fds, CMSG_DATA(&c.head), sizeof(int[ENDS]));
	return (size_t)n;
}

static void close_all(const int *fds)
{
	for (int i = 0; i < ENDS; i++)
		close(fds[i]);
}

_noreturn_ static void be_init(int sock)
{
	int inside[ENDS], outside[ENDS], ends[2];
	char path[TEXT];
	siginfo_t si;

	while (receive(sock, path, NULL)) {
		char *argv[] = { path, NULL };
		pid_t pid;

		for (int i = 0; i < ENDS; i++) {
			check(sys_pipe2(ends, 0), "pipe");
			inside[i] = ends[i > 0];
			outside[i] = ends[i == 0];
		}
		pid = check(sys_fork(), "fork");
		if (!pid) {
			for (int i = 0; i < ENDS; i++)
				check(sys_dup2(inside[i], i), "dup2");
			check(sys_execve(path, argv, environ), path);
		}
		close_all(inside);
		send_on(sock, path, 1, outside);
		close_all(outside);
		check(sys_waitid(P_PID, (id_t)pid, &si, WEXITED), "wait");
		send_on(sock, &si.si_status, sizeof(si.si_status), NULL);
	}
	sys_exit(0);
}

/* In the namespaces of @of; a process is in another pid namespace only as a child. */
static int start_init(pid_t of)
{
	int pidfd = check(sys_pidfd_open(of), "pidfd_open"), pair[2];

	check(sys_socketpair(SOCK_SEQPACKET, pair), "socketpair");
	if (check(sys_fork(), "fork"))
		return pair[0];
	close(pair[0]);
	check(sys_setns(pidfd, NAMESPACES), "setns");
	if (check(sys_fork(), "fork"))
		sys_exit(0);
	be_init(pair[1]);
}

static void serve(const struct sockaddr_un *at, pid_t of)
{
	int init = start_init(of), fds[ENDS];
	int listener = check(sys_socket(AF_UNIX, SOCK_SEQPACKET, 0), "socket");
	struct pollfd p[] = { { .fd = listener, .events = POLLIN },
			      { .fd = STDIN_FILENO, .events = POLLIN } };
	char text[TEXT];

	check(sys_bind(listener, (const struct sockaddr *)at, sizeof(*at)), "bind");
	check(sys_listen(listener, 1), "listen");
	puts("up");
	fflush(stdout);
	while (sys_poll(p, ARRAY_SIZE(p), -1) > 0 && !p[1].revents) {
		int client = accept(listener, NULL, NULL);
		size_t n = receive(check(client, "accept"), text, NULL);

		send_on(init, text, n, NULL);
		n = receive(init, text, fds);
		send_on(client, text, n, fds);
		close_all(fds);
		n = receive(init, text, NULL);
		send_on(client, text, n, NULL);
		close(client);
	}
}

static void copy(int from, int to)
{
	char text[TEXT];
	ssize_t n;

	while ((n = sys_read(from, text, sizeof(text))) > 0)
		check(sys_write(to, text, (size_t)n), "write");
}

static int run(const struct sockaddr_un *at, char *command)
{
	int sock = check(sys_socket(AF_UNIX, SOCK_SEQPACKET, 0), "socket");
	char text[TEXT];
	int fds[ENDS], status;

	check(sys_connect(sock, (const struct sockaddr *)at, sizeof(*at)), "connect");
	send_on(sock, command, strlen(command) + 1, NULL);
	receive(sock, text, fds);
	close(fds[0]);
	copy(fds[1], STDOUT_FILENO);
	copy(fds[2], STDERR_FILENO);
	receive(sock, text, NULL);
	memcpy(&status, text, sizeof(status));
	return status;
}

int main(int argc, char **argv)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };

	if (argc != 4 || strlen(argv[2]) >= sizeof(at.sun_path))
		check(-EINVAL, "usage: hop serve SOCKET PID | hop run SOCKET COMMAND");
	memcpy(at.sun_path, argv[2], strlen(argv[2]));
	if (strcmp(argv[1], "run") == 0)
		return run(&at, argv[3]);
	serve(&at, (pid_t)strtol(argv[3], NULL, 10));
	return 0;
}
