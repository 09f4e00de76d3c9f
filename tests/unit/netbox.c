#include "tests/unit/netbox.h"

#include <poll.h>
#include <stdio.h>
#include <sys/wait.h>

#include "base/file.h"
#include "base/sys/sys.h"
#include "runtime/net/sock.h"
#include "tests/unit/unit.h"

struct note {
	struct netns_facts facts;
	uint32_t mask;
	struct err err;
};

static void write_map(const char *path, const char *text)
{
	int fd = sys_open(path, O_WRONLY);

	if (fd < 0 || sys_write(fd, text, strlen(text)) < 0)
		_exit(100);
	close(fd);
}

static void become_root(uid_t uid, gid_t gid)
{
	char map[64];

	write_map("/proc/self/setgroups", "deny");
	snprintf(map, sizeof(map), "0 %u 1", gid);
	write_map("/proc/self/gid_map", map);
	snprintf(map, sizeof(map), "0 %u 1", uid);
	write_map("/proc/self/uid_map", map);
}

static void send_note(int fd, const struct note *n, const int *fds)
{
	union {
		char data[CMSG_SPACE(sizeof(int) * NETNS_FDS)];
		struct cmsghdr align;
	} control = { 0 };
	struct iovec iov = { .iov_base = (void *)(uintptr_t)n, .iov_len = sizeof(*n) };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };
	int list[NETNS_FDS];
	size_t count = 0;

	for (int i = 0; i < NETNS_FDS; i++)
		if (fds[i] >= 0)
			list[count++] = fds[i];
	if (count) {
		struct cmsghdr *c;

		m.msg_control = &control;
		m.msg_controllen = CMSG_SPACE(sizeof(int) * count);
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int) * count);
		memcpy(CMSG_DATA(c), list, sizeof(int) * count);
	}
	if (sys_sendmsg(fd, &m, 0) < 0)
		_exit(101);
}

static void take_note(int fd, struct note *n, int *fds)
{
	union {
		char data[CMSG_SPACE(sizeof(int) * NETNS_FDS)];
		struct cmsghdr align;
	} control;
	struct iovec iov = { .iov_base = n, .iov_len = sizeof(*n) };
	struct msghdr m = { .msg_iov = &iov,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = sizeof(control) };
	const struct cmsghdr *c;
	int list[NETNS_FDS] = { 0 }, *at = list;

	if (sys_recvmsg(fd, &m, 0) != sizeof(*n))
		fail_msg("the network's setup ended without a word");
	c = CMSG_FIRSTHDR(&m);
	if (c)
		memcpy(list, CMSG_DATA(c), c->cmsg_len - CMSG_LEN(0));
	for (int i = 0; i < NETNS_FDS; i++)
		fds[i] = n->mask & 1u << i ? *at++ : -1;
}

static void inside(int fd, enum net_mode mode, enum netns_catch first)
{
	struct netns_fds f = NETNS_FDS_NONE;
	struct note n = { 0 };
	struct pollfd p[2];
	uid_t uid = getuid();
	gid_t gid = getgid();

	sys_prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (sys_unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0)
		_exit(77);
	become_root(uid, gid);
	sys_prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	netns_setup(mode, first, &f, &n.err);
	n.facts = f.facts;
	for (int i = 0; i < NETNS_FDS; i++)
		n.mask |= f.fd[i] >= 0 ? 1u << i : 0;
	send_note(fd, &n, f.fd);
	scope_close_set(f.fd, NETNS_FDS);
	p[0] = (struct pollfd){ .fd = fd, .events = POLLIN };
	p[1] = (struct pollfd){ .fd = f.init_fd, .events = POLLIN };
	while (sys_poll(p, 2, -1) >= 0 && !p[0].revents)
		if (p[1].revents && netsock_serve(f.init_fd) < 0)
			p[1].fd = -1;
	_exit(0);
}

void netbox_open(enum net_mode mode, enum netns_catch first, struct netbox *ret)
{
	struct note n = { 0 };
	int pair[2], status;

	*ret = NETBOX_NONE;
	assert_true(sys_socketpair(SOCK_SEQPACKET, pair) >= 0);
	ret->pid = fork();
	assert_true(ret->pid >= 0);
	if (!ret->pid) {
		close(pair[0]);
		inside(pair[1], mode, first);
	}
	close(pair[1]);
	if (sys_recv(pair[0], &n, 1, MSG_PEEK) <= 0 &&
	    waitpid(ret->pid, &status, 0) == ret->pid && WEXITSTATUS(status) == 77)
		unit_skip("no user namespaces here");
	take_note(pair[0], &n, ret->fds);
	if (n.err.code)
		fail_msg("%s", n.err.msg);
	ret->facts = n.facts;
	/* The process ends when this end closes: keep it as long as this one lives. */
}

void netbox_close(struct netbox *b)
{
	scope_close_set(b->fds, NETNS_FDS);
	if (b->pid > 0) {
		kill(b->pid, SIGKILL);
		waitpid(b->pid, NULL, 0);
	}
	*b = NETBOX_NONE;
}

static void enter(const struct netbox *b)
{
	char path[64];
	int user, net;

	snprintf(path, sizeof(path), "/proc/%d/ns/user", b->pid);
	user = sys_open(path, O_RDONLY);
	snprintf(path, sizeof(path), "/proc/%d/ns/net", b->pid);
	net = sys_open(path, O_RDONLY);
	if (sys_setns(user, CLONE_NEWUSER) < 0 || sys_setns(net, CLONE_NEWNET) < 0)
		_exit(102);
}

pid_t netbox_spawn(const struct netbox *b, const char *command, int out)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid)
		return pid;
	setpgid(0, 0);
	sys_prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	enter(b);
	dup2(sys_open("/dev/null", O_RDONLY), 0);
	if (out >= 0) {
		dup2(out, 1);
		dup2(out, 2);
	}
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

int netbox_run(const struct netbox *b, const char *command, struct buf *ret)
{
	struct buf none = BUF_INIT(1 << 20);
	struct err e = ERR_NONE;
	int p[2], status = 0;
	pid_t pid;

	assert_true(sys_pipe2(p, 0) >= 0);
	pid = netbox_spawn(b, command, p[1]);
	close(p[1]);
	unit_ok(file_read_fd(p[0], ret ? ret : &none, &e), &e);
	close(p[0]);
	buf_done(&none);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int netbox_call(const struct netbox *b, int (*fn)(void *ctx), void *ctx)
{
	int status = 0;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		sys_prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		enter(b);
		_exit(fn(ctx));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
