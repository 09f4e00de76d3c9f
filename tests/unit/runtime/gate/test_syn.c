/* What a program's connect says before there is a connection. */
#include <errno.h>
#include <unistd.h>

#include "base/sys/sys.h"
#include "tests/unit/networld.h"
#include "tests/unit/rig.h"
#include "tests/unit/unit.h"

/* Where no way leads connect says so, and not that the port is closed. */
static void no_way_is_told(void)
{
	struct rig_peer p = { "93.184.216.77", 80, 0, 0 };
	struct rig r;

	rig_open(&r, NETNS_CATCH_HELD, NULL, NULL);
	assert_true(rig_outside("ip route add unreachable 93.184.216.77"));
	assert_int_equal(netbox_call(&r.box, rig_refusal, &p), EHOSTUNREACH);
	assert_true(rig_outside("ip route del unreachable 93.184.216.77"));
	rig_quiet(&r);
	rig_close(&r);
}

/* The program's kernel asks again each second for a connection that is not there yet: it
 * is still one. */
static void asking_again_changes_nothing(void)
{
	struct rig_peer p = { "93.184.216.99", 80, 0, 0 };
	struct rig r;
	pid_t pid;

	rig_open(&r, NETNS_CATCH_HELD, NULL, NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(netbox_call(&r.box, rig_refusal, &p));
	rig_want(&r,
		 "until ss -Htno state syn-sent | grep -q 'timer:(on,[^,]*,[1-9]'; do "
		 "sleep 0.02; done",
		 0, "");
	assert_int_equal(rig_stat(&r, "accepted"), 1);
	assert_int_equal(rig_stat(&r, "connections"), 1);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	rig_close(&r);
}

/* Begins to connect, and thinks better of it. */
static int give_up(void *ctx)
{
	int fd = rig_dial_begin(ctx);

	return fd < 0 ? 1 : close(fd);
}

/* What was dialled for a program that is gone is closed, and nothing of it stays. */
static void nobody_comes(void)
{
	struct rig_peer p = { NETWORLD_PUBLIC, 7, 0, 0 };
	int64_t before;
	struct rig r;

	rig_open(&r, NETNS_CATCH_HELD, NULL, NULL);
	before = rig_stat(&r, "descriptors");
	assert_int_equal(kill(gate_pid(r.gate), SIGSTOP), 0);
	assert_int_equal(netbox_call(&r.box, give_up, &p), 0);
	assert_int_equal(kill(gate_pid(r.gate), SIGCONT), 0);
	rig_want_audit(&r,
		       "\"verdict\":\"failed\",\"address\":\"" NETWORLD_PUBLIC
		       "\",\"port\":7,\"why\":\"Software caused connection abort\"");
	rig_quiet(&r);
	assert_int_equal(rig_stat(&r, "descriptors"), before);
	assert_int_equal(rig_stat(&r, "opened"), 0);
	rig_close(&r);
}

int main(int argc, char **argv)
{
	static const struct unit_case cases[] = {
		{ "no way is told", no_way_is_told },
		{ "asking again changes nothing", asking_again_changes_nothing },
		{ "nobody comes", nobody_comes },
	};
	int r = 0;

	if (rig_main(argc, argv, &r))
		return r;
	return r | unit_cases("gate syn", cases);
}
