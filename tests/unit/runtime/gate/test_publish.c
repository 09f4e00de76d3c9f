#include "runtime/gate/publish.h"

#include <stdio.h>
#include <unistd.h>

#include "tests/unit/unit.h"

#define FORM "; it is [IP:]HOSTPORT:PORT, HOSTPORT 0 for any that is free"

static const struct row {
	const char *name, *spec;
	const char *addr; /* NULL = refused */
	uint16_t host_port, port;
} rows[] = {
	{ "two ports", "8080:80", "127.0.0.1", 8080, 80 },
	{ "any port", "0:80", "127.0.0.1", 0, 80 },
	{ "an address", "192.0.2.1:8080:80", "192.0.2.1", 8080, 80 },
	{ "every address", "0.0.0.0:8080:80", "0.0.0.0", 8080, 80 },
	{ "IPv6", "[::1]:8080:80", "::1", 8080, 80 },
	{ "one port", "80", NULL, 0, 0 },
	{ "port 0 of the box", "8080:0", NULL, 0, 0 },
	{ "a name", "localhost:8080:80", NULL, 0, 0 },
	{ "too big", "65536:80", NULL, 0, 0 },
	{ "empty", "", NULL, 0, 0 },
	{ "text behind", "8080:80/tcp", NULL, 0, 0 },
	{ "half a bracket", "[::1:8080:80", NULL, 0, 0 },
};

static void parses(const void *p)
{
	const struct row *row = p;
	struct gate_publish got = GATE_PUBLISH_NONE;
	struct err e = ERR_NONE;
	char text[NETADDR_TEXT], msg[256];
	int r = gate_publish_parse(row->spec, &got, &e);

	if (!row->addr) {
		snprintf(msg, sizeof(msg), "bad port '%s'" FORM, row->spec);
		assert_int_equal(r, -EINVAL);
		unit_err(&e, -EINVAL, msg);
		return;
	}
	unit_ok(r, &e);
	assert_string_equal(netaddr_format(&got.addr, text), row->addr);
	assert_int_equal(got.host_port, row->host_port);
	assert_int_equal(got.port, row->port);
}

static void listens(void)
{
	_cleanup_gate_publish_ struct gate_publish one = GATE_PUBLISH_NONE;
	_cleanup_gate_publish_ struct gate_publish two = GATE_PUBLISH_NONE;
	struct err e = ERR_NONE;
	char spec[64], msg[160];

	unit_ok(gate_publish_listen("0:80", &one, &e), &e);
	assert_true(one.fd >= 0 && one.host_port > 0);
	snprintf(spec, sizeof(spec), "%u:80", one.host_port);
	assert_int_equal(gate_publish_listen(spec, &two, &e), -EADDRINUSE);
	snprintf(msg, sizeof(msg),
		 "cannot publish '%s': Address already in use; "
		 "HOSTPORT 0 takes one that is free",
		 spec);
	unit_err(&e, -EADDRINUSE, msg);
	assert_int_equal(two.fd, -1);
}

/* By who may not: root, who may, is somebody else for the moment. */
static void listens_low(void)
{
	_cleanup_gate_publish_ struct gate_publish p = GATE_PUBLISH_NONE;
	bool root = geteuid() == 0;
	struct err e = ERR_NONE;
	int r;

	assert_true(!root || seteuid(65534) == 0);
	r = gate_publish_listen("80:81", &p, &e);
	assert_true(!root || seteuid(0) == 0);
	if (r == 0)
		unit_skip("every port is anybody's here");
	unit_err(
		&e, -EACCES,
		"cannot publish '80:81': Permission denied; a port this low is root's, "
		"'8080:81' is anybody's");
}

int main(void)
{
	static const struct unit_case cases[] = { { "listens", listens },
						  { "listens low", listens_low } };
	int r = unit_rows("gate_publish_parse", rows, parses);

	return r | unit_cases("netpublish", cases);
}
