#include "runtime/wire/peer.h"

#include <sched.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/scope.h"
#include "tests/unit/unit.h"

static int listen_at(struct sockaddr_un *a)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	*a = (struct sockaddr_un){ .sun_family = AF_UNIX };
	snprintf(a->sun_path, sizeof(a->sun_path), "%s/s", unit_tmpdir());
	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)a, sizeof(*a)), 0);
	assert_int_equal(listen(fd, 5), 0);
	return fd;
}

/* Connects, says whether it got so far, and lives on until its stream ends. */
static void visit(const struct sockaddr_un *a, int stay)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	char byte;

	if (connect(fd, (const struct sockaddr *)a, sizeof(*a)) < 0)
		_exit(2);
	while (stay >= 0 && read(stay, &byte, 1) > 0)
		;
	_exit(0);
}

static const struct row {
	const char *name;
	int flags; /* of unshare(2) */
	bool ends; /* before it is looked at */
	int want;
} rows[] = {
	{ "a child", 0, false, 0 },
	{ "a network of its own", CLONE_NEWNET, false, 0 },
	{ "users of its own", CLONE_NEWUSER, false, -EPERM },
	{ "processes of its own", CLONE_NEWPID, false, -EPERM },
	{ "a box's namespaces",
	  CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWNS, false, -EPERM },
	{ "one that has ended", 0, true, -ESRCH },
};

static void child(const struct row *row, const struct sockaddr_un *a, const int stay[2])
{
	int status = 0;

	close(stay[1]);
	if (unshare(row->flags) < 0)
		_exit(3);
	if (row->flags & CLONE_NEWPID) { /* for the children alone */
		pid_t pid = fork();

		if (pid == 0)
			visit(a, stay[0]);
		waitpid(pid, &status, 0);
		_exit(WEXITSTATUS(status));
	}
	visit(a, row->ends ? -1 : stay[0]);
}

static void test_row(const void *p)
{
	const struct row *row = p;
	struct err e = ERR_NONE;
	struct sockaddr_un a;
	int listener = listen_at(&a), stay[2], fd, r, status;
	pid_t pid;

	assert_int_equal(pipe(stay), 0);
	pid = fork();
	if (pid == 0)
		child(row, &a, stay);
	close(stay[0]);
	if (row->ends || row->flags) { /* a refusal ends it at once */
		struct timeval tv = { .tv_sec = 1 };

		setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	}
	fd = accept(listener, NULL, NULL);
	if (row->ends)
		waitpid(pid, &status, 0);
	r = fd < 0 ? 0 : peer_check(fd, &e);
	close(stay[1]);
	if (!row->ends)
		waitpid(pid, &status, 0);
	close(listener);
	if (fd < 0 && WEXITSTATUS(status) == 3)
		unit_skip("no such namespaces here");
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(status, 0);
	if (row->ends) /* before 6.16 a descriptor of it is not to be had at all */
		assert_true(r < 0);
	else
		assert_int_equal(r, row->want);
	if (r == -EPERM)
		unit_err(
			&e, -EPERM,
			"the other end of the control socket is not a process of yours "
			"on this host, but one of a box or a container");
}

static void both_ends_of_a_pair(void)
{
	struct err e = ERR_NONE;
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	unit_ok(peer_check(pair[0], &e), &e);
	close(pair[0]);
	close(pair[1]);
	assert_true(peer_check(0, &e) < 0);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "both ends of a pair", both_ends_of_a_pair },
	};

	return unit_rows("peer_check", rows, test_row) + unit_cases("peer", cases);
}
