#include "runtime/gate/resolve.h"

#include <poll.h>

#include "base/scope.h"
#include "base/sys/sys.h"
#include "tests/unit/unit.h"

static void wait_for(int fd, struct resolve_reply *ret)
{
	struct pollfd p = { fd, POLLIN, 0 };

	assert_int_equal(sys_poll(&p, 1, 20000), 1);
	assert_int_equal(resolve_take(fd, ret), 1);
}

static bool has(const struct resolve_reply *r, const char *text)
{
	struct netaddr want;

	assert_int_equal(netaddr_parse(text, &want), 0);
	for (uint32_t i = 0; i < r->n; i++)
		if (netaddr_equal(&r->addr[i], &want))
			return true;
	return false;
}

/* What the host's own files say: that needs no name server. */
static void answers_come_back(void)
{
	_cleanup_close_ int fd = -1, who = -1;
	struct resolve_reply reply;
	struct err e = ERR_NONE;

	unit_ok(resolve_start(&fd, &who, &e), &e);
	assert_int_equal(resolve_take(fd, &reply), 0);
	assert_int_equal(resolve_ask(fd, 7, "localhost"), 0);
	wait_for(fd, &reply);
	assert_int_equal(reply.id, 7);
	assert_int_equal(reply.error, 0);
	assert_true(has(&reply, "127.0.0.1"));
}

/* More questions than workers: each is answered once. */
static void many_are_answered(void)
{
	_cleanup_close_ int fd = -1, who = -1;
	struct resolve_reply reply;
	struct err e = ERR_NONE;
	bool seen[60] = { false };

	unit_ok(resolve_start(&fd, &who, &e), &e);
	for (uint32_t i = 0; i < ARRAY_SIZE(seen); i++)
		assert_int_equal(resolve_ask(fd, i, "localhost"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(seen); i++) {
		wait_for(fd, &reply);
		assert_true(reply.id < ARRAY_SIZE(seen) && !seen[reply.id]);
		seen[reply.id] = true;
		assert_true(reply.error == 0 || reply.error == -EAGAIN);
	}
}

static void long_names_are_refused(void)
{
	_cleanup_close_ int fd = -1, who = -1;
	struct err e = ERR_NONE;
	char name[300];

	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	unit_ok(resolve_start(&fd, &who, &e), &e);
	assert_int_equal(resolve_ask(fd, 1, name), -EINVAL);
}

/* The helper ends with the gate's socket. */
static void the_helper_ends(void)
{
	struct err e = ERR_NONE;
	struct resolve_reply reply;
	siginfo_t info = { 0 };
	int fd, who;

	unit_ok(resolve_start(&fd, &who, &e), &e);
	assert_int_equal(resolve_ask(fd, 1, "localhost"), 0);
	wait_for(fd, &reply);
	close(who);
	close(fd);
	assert_int_equal(sys_waitid(P_ALL, 0, &info, WEXITED), 0);
	assert_int_equal(info.si_status, 0);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "the helper ends", the_helper_ends },
		{ "answers come back", answers_come_back },
		{ "many are answered", many_are_answered },
		{ "long names are refused", long_names_are_refused },
	};

	return unit_cases("resolve", cases);
}
