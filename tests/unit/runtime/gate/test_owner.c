#include "runtime/gate/owner.h"

#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/sys/sys.h"
#include "tests/unit/unit.h"

/* A descendant that holds a socket, and says so. */
struct holder {
	pid_t pid;	/* our child … */
	int go;		/* … which lives until this end closes */
	uint32_t inode; /* of the socket */
	pid_t holds;	/* who has it: @pid, or one below */
};

static uint32_t inode_of(int fd)
{
	struct stat st = { 0 };

	assert_int_equal(sys_fstat(fd, &st), 0);
	return (uint32_t)st.st_ino;
}

static void hold(int ready, int go, const char *name)
{
	int fd = sys_socket(AF_INET, SOCK_STREAM, 0);
	struct holder h = { .inode = inode_of(fd), .holds = sys_getpid() };
	char c;

	sys_prctl(PR_SET_NAME, (unsigned long)(uintptr_t)name, 0, 0, 0);
	if (write(ready, &h, sizeof(h)) != sizeof(h) || read(go, &c, 1) != 0)
		_exit(1);
	_exit(0);
}

/* @depth: 0 = our child has it, 1 = a child of it, … */
static struct holder start(int depth, const char *name)
{
	struct holder ret = { 0 };
	int ready[2], go[2];
	pid_t pid;

	assert_true(sys_pipe2(ready, 0) >= 0 && sys_pipe2(go, 0) >= 0);
	pid = fork();
	if (!pid) {
		close(go[1]);
		while (depth-- && !fork())
			;
		if (depth >= 0) {
			char c;

			_exit(read(go[0], &c, 1) == 0 ? 0 : 1);
		}
		hold(ready[1], go[0], name);
	}
	close(ready[1]);
	close(go[0]);
	assert_int_equal(read(ready[0], &ret, sizeof(ret)), sizeof(ret));
	close(ready[0]);
	ret.pid = pid;
	ret.go = go[1];
	return ret;
}

static void stop(struct holder *h)
{
	close(h->go);
	waitpid(h->pid, NULL, 0);
}

static const struct row {
	const char *name;
	int depth;
	const char *called, *want;
} rows[] = {
	{ "a child", 0, "curl", "curl" },
	{ "a child of its child", 2, "curl", "curl" },
	{ "a name that is cut off", 0, "0123456789abcdefgh", "0123456789abcde" },
	{ "a name with a line's end", 0, "a\nb", "a\nb" },
	{ "a name that is empty", 0, "", "" },
};

static void test_find(const void *data)
{
	const struct row *row = data;
	struct holder h = start(row->depth, row->called);
	struct gate_owner_query q = { .id = 7, .inode = h.inode, .root = sys_getpid() };
	struct gate_owner who;

	gate_owner_find(&q, &who);
	assert_int_equal(who.id, 7);
	assert_int_equal(who.pid, h.holds);
	assert_string_equal(who.name, row->want);
	stop(&h);
	gate_owner_find(&q, &who);
	assert_int_equal(who.pid, 0);
}

static void only_below_the_root(void)
{
	struct holder h = start(0, "x"), other = start(0, "y");
	struct gate_owner_query q = { .inode = h.inode, .root = other.pid };
	struct gate_owner who;

	gate_owner_find(&q, &who);
	assert_int_equal(who.pid, 0);
	q.root = 0;
	gate_owner_find(&q, &who);
	assert_int_equal(who.pid, 0);
	stop(&other); /* it has the other's descriptor too */
	stop(&h);
}

/* The eldest child of a process with many descriptors opens one more; its sisters have as
 * many, are looked at first, and together have more than is looked at. */
static int search_among(int sisters, int descriptors)
{
	struct gate_owner_query q = { .root = sys_getpid() };
	struct gate_owner who;
	int ready[2], go[2];

	if (sys_pipe2(ready, 0) < 0 || sys_pipe2(go, 0) < 0)
		return 10;
	for (int i = 0; i < descriptors; i++)
		if (sys_dup(0, 0) < 0)
			return 11;
	for (int i = 0; i <= sisters; i++) {
		pid_t pid = fork();

		if (pid < 0)
			return 12;
		if (pid)
			continue;
		close(go[1]);
		q.inode = i ? 0 : inode_of(sys_socket(AF_INET, SOCK_DGRAM, 0));
		if (write(ready[1], &q.inode, sizeof(q.inode)) != sizeof(q.inode))
			_exit(1);
		_exit(read(go[0], &q, 1) == 0 ? 0 : 1);
	}
	for (int i = 0; i <= sisters; i++) {
		uint32_t inode;

		if (read(ready[0], &inode, sizeof(inode)) != sizeof(inode))
			return 13;
		q.inode = inode ? inode : q.inode;
	}
	gate_owner_find(&q, &who);
	return who.pid ? 1 : 0;
}

static void a_search_is_bounded(void)
{
	enum { EACH = 800 };
	const int many = GATE_OWNER_DESCRIPTORS / EACH + 1;

	for (int i = 0; i < 2; i++) {
		int status;
		pid_t pid = fork();

		if (!pid)
			_exit(search_among(i ? many : 0, EACH));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(WEXITSTATUS(status), !i);
	}
}

static void it_serves(void)
{
	struct holder h = start(0, "served");
	struct gate_owner_query q = { .id = 1, .inode = h.inode, .root = sys_getpid() };
	struct gate_owner who = { 0 };
	struct pollfd p;
	int pair[2], status;
	pid_t pid;

	assert_true(sys_socketpair(SOCK_SEQPACKET, pair) >= 0);
	pid = fork();
	if (!pid) {
		close(pair[0]);
		gate_owner_serve(pair[1]);
	}
	close(pair[1]);
	p = (struct pollfd){ pair[0], POLLIN, 0 };
	for (uint32_t i = 1; i < 5; i++) {
		q.id = i;
		assert_int_equal(sys_send(pair[0], &q, sizeof(q), 0), sizeof(q));
		assert_int_equal(sys_poll(&p, 1, 20000), 1);
		assert_int_equal(sys_recv(pair[0], &who, sizeof(who), 0), sizeof(who));
		assert_int_equal(who.id, i);
		assert_int_equal(who.pid, h.holds);
		assert_string_equal(who.name, "served");
	}
	close(pair[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	stop(&h);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "only below the root", only_below_the_root },
		{ "a search is bounded", a_search_is_bounded },
		{ "it serves", it_serves },
	};

	if (access("/proc/thread-self/children", R_OK) < 0) {
		printf("# SKIP this kernel does not tell the children of a process\n");
		return 77;
	}
	return unit_rows("gate_owner_find", rows, test_find) |
	       unit_cases("netwho", cases);
}
