#include <arpa/inet.h>
#include <stdio.h>
#include <unistd.h>

#include "base/sys/sys.h"
#include "runtime/gate/dnsmsg.h"
#include "tests/unit/networld.h"
#include "tests/unit/rig.h"
#include "tests/unit/unit.h"

static const struct dns_row {
	const char *name;
	struct rig_question q;
	int want;
} dns_rows[] = {
	{ "A", { "example.com", NULL, 1, false, 0 }, 100 },
	{ "A, odd case", { "eXample.COM", NULL, 1, false, 0 }, 100 },
	{ "A at another address", { "example.com", "8.8.8.8", 1, false, 0 }, 100 },
	{ "A by TCP", { "example.com", NULL, 1, true, 0 }, 100 },
	{ "A by TCP at another address",
	  { "example.com", "1.1.1.1", 1, true, 0 },
	  100 },
	{ "ten by TCP at once", { "example.com", NULL, 1, true, 10 }, 100 },
	{ "AAAA", { "example.com", NULL, 28, false, 0 }, 0 },
	{ "AAAA of an IPv6 host", { "six.example.com", NULL, 28, false, 0 }, 0 },
	{ "A of an IPv6 host", { "six.example.com", NULL, 1, false, 0 }, 100 },
	{ "MX", { "example.com", NULL, 15, false, 0 }, 0 },
	{ "HTTPS", { "example.com", NULL, 65, false, 0 }, 0 },
	{ "ANY", { "example.com", NULL, 255, false, 0 }, 100 },
	{ "AXFR", { "example.com", NULL, 252, true, 0 }, 5 },
	{ "the root", { "", NULL, 2, false, 0 }, 5 },
	{ "no such name", { "nothing.example.com", NULL, 1, false, 0 }, 3 },
	{ "no such name, AAAA", { "nothing.example.com", NULL, 28, false, 0 }, 3 },
	{ "server failure", { "broken.test", NULL, 1, false, 0 }, 2 },
	{ "localhost", { "localhost", NULL, 1, false, 0 }, 100 },
	{ "below localhost", { "a.localhost", NULL, 28, false, 0 }, 0 },
	{ "a number", { "2130706433", NULL, 1, false, 0 }, 3 },
	{ "hexadecimal", { "0x7f.1", NULL, 1, false, 0 }, 3 },
	{ "octal", { "0177.0.0.1", NULL, 1, false, 0 }, 3 },
	{ "an address", { "127.0.0.1", NULL, 1, false, 0 }, 3 },
	{ "an international name, as it is looked up",
	  { "xn--bcher-kva.wild.example.com", NULL, 1, false, 0 },
	  100 },
	{ "odd bytes", { "ex\xe4mple.com", NULL, 1, false, 0 }, 3 },
	{ "a space", { "exam ple.com", NULL, 1, false, 0 }, 3 },
	{ "PTR of the gate", { "1.0.18.198.in-addr.arpa", NULL, 12, false, 0 }, 100 },
	{ "PTR of loopback", { "1.0.0.127.in-addr.arpa", NULL, 12, false, 0 }, 100 },
	{ "PTR of another", { "8.8.8.8.in-addr.arpa", NULL, 12, false, 0 }, 3 },
	{ "PTR of a free one", { "9.9.19.198.in-addr.arpa", NULL, 12, false, 0 }, 3 },
};

static void dns_answers(const void *row)
{
	const struct dns_row *d = row;
	struct rig_question q = d->q;
	struct rig r;

	rig_open(&r, NETNS_CATCH_HELD, NULL, NULL);
	assert_int_equal(netbox_call(&r.box, rig_ask_dns, &q), d->want);
	rig_close(&r);
}

/* A tunnel by names that nobody has: only so many leave the host, and the others get a
 * quick answer. */
static int ask_for_many(void *)
{
	int later = 0;

	for (int i = 0; i < 900; i++) {
		char name[64];
		struct rig_question q = { .name = name, .type = 1 };

		snprintf(name, sizeof(name), "secret-%d.wild.example.com", i);
		later += rig_ask_dns(&q) == DNSMSG_SERVFAIL;
	}
	return later > 100 ? 0 : 1;
}

static void floods_are_bounded(void)
{
	struct rig_question q = { .name = "example.com", .type = 1 };
	struct rig r;

	rig_open(&r, NETNS_CATCH_HELD, NULL, NULL);
	assert_int_equal(netbox_call(&r.box, ask_for_many, NULL), 0);
	assert_true(rig_stat(&r, "lookups") < 800);
	assert_int_equal(rig_stat(&r, "waiting"), 0);
	rig_want_audit(&r, "\"why\":\"this box asks for too many names at once\"");
	rig_want_event(&r, "this box asks for more names than are looked up");
	/* and names come back when it is over */
	for (int i = 0; i < 50 && netbox_call(&r.box, rig_ask_dns, &q) != 100; i++)
		sys_poll(NULL, 0, 20);
	assert_int_equal(netbox_call(&r.box, rig_ask_dns, &q), 100);
	rig_close(&r);
}

/* Whole and broken messages, without end: whatever comes, the gate stays. */
static int send_rubbish(void *)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(53) };
	int fd = sys_socket(AF_INET, SOCK_DGRAM, 0);
	unsigned seed = 7;

	inet_pton(AF_INET, NETNS_GATE_ADDR, &a.sin_addr);
	for (int i = 0; i < 20000; i++) {
		uint8_t out[600];
		size_t len = (seed = seed * 1103515245 + 12345) >> 16;

		for (size_t k = 0; k < sizeof(out); k += 4) {
			seed = seed * 1103515245 + 12345;
			memcpy(out + k, &seed, 4);
		}
		if (i % 2)
			memcpy(out, "\x12\x34\1\0\0\1\0\0\0\0\0\0", 12);
		sendto(fd, out, len % sizeof(out), MSG_DONTWAIT, (struct sockaddr *)&a,
		       sizeof(a));
	}
	return 0;
}

static int ask_the_silent(void *)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(53) };
	int fd = sys_socket(AF_INET, SOCK_DGRAM, 0);

	inet_pton(AF_INET, NETNS_GATE_ADDR, &a.sin_addr);
	if (connect(fd, (struct sockaddr *)&a, sizeof(a)) < 0)
		return 1;
	for (int i = 0; i < 130; i++) {
		char name[32];
		const struct rig_question q = { .name = name, .type = 1 };
		uint8_t out[512];

		snprintf(name, sizeof(name), "n%d.silent.test", i);
		sys_send(fd, out, rig_put_question(&q, out), 0);
		sys_poll(NULL, 0, 2);
	}
	close(fd);
	return 0;
}

/* What nobody waits for any more is in nobody's way. */
static void silence_ends(void)
{
	struct rig r;

	rig_open(&r, NETNS_CATCH_HELD, NULL, NULL);
	assert_int_equal(netbox_call(&r.box, ask_the_silent, NULL), 0);
	for (int i = 0; i < 100 && rig_stat(&r, "lookups") < 130; i++)
		sys_poll(NULL, 0, 20);
	assert_true(rig_stat(&r, "lookups") > 100);
	sys_poll(NULL, 0, 8500); /* RESOLVE_WORK_MS, and then some */
	rig_want(&r, "getent hosts example.com", 0, "198.18.");
	rig_close(&r);
}

static void rubbish_is_survived(void)
{
	struct rig_question q = { .name = "example.com", .type = 1 };
	struct rig r;
	pid_t gate;

	rig_open(&r, NETNS_CATCH_HELD, NULL, NULL);
	gate = gate_pid(r.gate);
	assert_int_equal(netbox_call(&r.box, send_rubbish, NULL), 0);
	assert_int_equal(netbox_call(&r.box, rig_ask_dns, &q), 100);
	assert_int_equal(gate_pid(r.gate), gate);
	rig_close(&r);
}

/* The gate answers to whoever asked from any address of the namespace: all are its. */
static int ask_from_elsewhere(void *)
{
	struct sockaddr_in from = { .sin_family = AF_INET };
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(53) };
	struct rig_question q = { .name = "example.com", .type = 1 };
	struct timeval limit = { .tv_sec = 5 };
	uint8_t out[512], in[512];
	int fd = sys_socket(AF_INET, SOCK_DGRAM, 0);
	size_t len = rig_put_question(&q, out);

	inet_pton(AF_INET, "8.8.8.8", &from.sin_addr);
	inet_pton(AF_INET, NETNS_GATE_ADDR, &to.sin_addr);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	if (bind(fd, (struct sockaddr *)&from, sizeof(from)) < 0)
		return 1;
	sendto(fd, out, len, 0, (struct sockaddr *)&to, sizeof(to));
	return recv(fd, in, sizeof(in), 0) > 12 ? 0 : 2;
}

static void odd_sources_stay_inside(void)
{
	struct rig r;

	rig_open(&r, NETNS_CATCH_HELD, NULL, NULL);
	assert_int_equal(netbox_call(&r.box, ask_from_elsewhere, NULL), 0);
	rig_close(&r);
}

int main(int argc, char **argv)
{
	static const struct unit_case cases[] = {
		{ "floods are bounded", floods_are_bounded },
		{ "silence ends", silence_ends },
		{ "rubbish is survived", rubbish_is_survived },
		{ "odd sources stay inside", odd_sources_stay_inside },
	};
	int r = 0;

	if (rig_main(argc, argv, &r))
		return r;
	r |= unit_rows("gate dns", dns_rows, dns_answers);
	return r | unit_cases("gate dns", cases);
}
