#include <stdio.h>

#include "base/sys/sys.h"
#include "tests/unit/networld.h"
#include "tests/unit/rig.h"
#include "tests/unit/unit.h"

enum { ECHO_PORT = 7, ROOM = 512 };

/* What a program of the box sends to a port that echoes, some bytes at a time. */
static const struct row {
	const char *name, *rules, *host;
	const char *sni; /* NULL: @text is sent */
	const char *text;
	size_t step;
	const char *audit; /* NULL = all comes back */
} rows[] = {
	/* clang-format off */
	{ .name = "TLS to the name that was dialled", .rules = "[\"allow example.com\"]",
	  .host = "example.com", .sni = "example.com" },
	{ .name = "TLS to another allowed name", .rules = "[\"allow *.example.com\",\"allow example.com\"]",
	  .host = "example.com", .sni = "other.example.com" },
	{ .name = "TLS without a name", .rules = "[\"allow example.com\"]",
	  .host = "example.com", .sni = "" },
	{ .name = "TLS to a name that is not allowed", .rules = "[\"allow example.com\"]",
	  .host = "example.com", .sni = "other.example.com",
	  .audit = "\"name\":\"other.example.com\",\"port\":7,\"why\":\"TLS to example.com names it\"" },
	{ .name = "the same in single bytes", .rules = "[\"allow example.com\"]", .step = 1,
	  .host = "example.com", .sni = "other.example.com",
	  .audit = "\"verdict\":\"refused\",\"name\":\"other.example.com\"" },
	{ .name = "allowed at another port", .rules = "[\"allow example.com\",\"allow other.example.com:443\"]",
	  .host = "example.com", .sni = "other.example.com",
	  .audit = "\"verdict\":\"refused\",\"name\":\"other.example.com\"" },
	{ .name = "TLS to a denied name, by number", .rules = "[\"deny other.example.com\"]",
	  .host = NETWORLD_PUBLIC, .sni = "other.example.com",
	  .audit = "TLS to 93.184.216.34 names it" },
	{ .name = "TLS to any name, by number", .rules = "[\"deny other.example.com\"]",
	  .host = NETWORLD_PUBLIC, .sni = "example.com" },
	{ .name = "a number that is allowed as such", .rules = "[\"allow 93.184.216.34\",\"allow a.test\"]",
	  .host = NETWORLD_PUBLIC, .sni = "other.example.com" },
	{ .name = "rules that are not by name", .rules = "[\"deny 1.2.3.4\",\"allow *\"]",
	  .host = "example.com", .sni = "other.evil.test" },
	{ .name = "HTTP to the name", .rules = "[\"allow example.com\"]",
	  .host = "example.com", .text = "GET / HTTP/1.1\r\nHost: example.com:7\r\n\r\n" },
	{ .name = "HTTP to another", .rules = "[\"allow example.com\"]",
	  .host = "example.com", .text = "GET / HTTP/1.1\r\nHost: other.example.com\r\n\r\n",
	  .audit = "HTTP to example.com names it" },
	{ .name = "HTTP to another, in pieces", .rules = "[\"allow example.com\"]", .step = 3,
	  .host = "example.com", .text = "\r\nGET / HTTP/1.1\nX: y\nHost: other.example.com\n\n",
	  .audit = "HTTP to example.com names it" },
	{ .name = "HTTP to another's number", .rules = "[\"allow example.com\"]",
	  .host = "example.com", .text = "GET / HTTP/1.1\r\nHost: 93.184.216.35\r\n\r\n",
	  .audit = "\"name\":\"93.184.216.35\"" },
	{ .name = "HTTP to a private number", .rules = "[\"deny a.test\"]",
	  .host = "example.com", .text = "GET / HTTP/1.1\r\nHost: 10.0.0.1\r\n\r\n",
	  .audit = "\"name\":\"10.0.0.1\"" },
	{ .name = "HTTP by number", .rules = "[\"deny a.test\"]",
	  .host = NETWORLD_PUBLIC, .text = "GET / HTTP/1.1\r\nHost: 93.184.216.34\r\n\r\n" },
	{ .name = "HTTP without a host", .rules = "[\"allow example.com\"]",
	  .host = "example.com", .text = "GET / HTTP/1.0\r\n\r\n" },
	{ .name = "through a proxy", .rules = "[\"allow example.com\",\"allow other.example.com:80\"]",
	  .host = "example.com", .text = "GET http://other.example.com/ HTTP/1.1\r\nHost: other.example.com\r\n\r\n" },
	{ .name = "through a proxy to another", .rules = "[\"allow example.com\"]",
	  .host = "example.com", .text = "CONNECT other.example.com:443 HTTP/1.1\r\n\r\n",
	  .audit = "\"name\":\"other.example.com\",\"port\":443" },
	{ .name = "a request that can be read in two ways", .rules = "[\"allow example.com\"]",
	  .host = "example.com", .text = "GET / HTTP/1.1\r\nX: y\r\n Host: b\r\n\r\n",
	  .audit = "HTTP that cannot be read" },
	{ .name = "another protocol", .rules = "[\"allow example.com\"]",
	  .host = "example.com", .text = "EHLO other.example.com\r\nHost: other.example.com\r\n" },
	{ .name = "half a greeting", .rules = "[\"allow example.com\"]",
	  .host = "example.com", .text = "JDWP-Handshake" },
	/* clang-format on */
};

static void put(uint8_t *to, size_t *len, size_t v, unsigned n)
{
	while (n--)
		to[(*len)++] = (uint8_t)(v >> 8 * n);
}

/* Of 43 bytes and one extension, for @sni at most. */
static size_t client_hello(const char *sni, uint8_t *out)
{
	size_t name = strlen(sni), ext = name ? name + 9 : 0, len = 0;

	put(out, &len, 0x160301, 3);
	put(out, &len, ext + 47, 2);
	put(out, &len, 1, 1);
	put(out, &len, ext + 43, 3);
	put(out, &len, 0x0303, 2);
	memset(out + len, 7, 32);
	len += 32;
	put(out, &len, 0, 1);
	put(out, &len, 0x00021301, 4);
	put(out, &len, 0x0100, 2);
	put(out, &len, ext, 2);
	if (!name)
		return len;
	put(out, &len, 0, 2);
	put(out, &len, name + 5, 2);
	put(out, &len, name + 3, 2);
	put(out, &len, 0, 1);
	put(out, &len, name, 2);
	memcpy(out + len, sni, name);
	return len + name;
}

/* 0 = every byte came back before more was sent; 100 = the connection was reset. */
static int speak(void *ctx)
{
	const struct row *row = ctx;
	const struct rig_peer p = { .host = row->host, .port = ECHO_PORT };
	const struct timeval limit = { .tv_sec = 20 };
	uint8_t out[ROOM], in[ROOM];
	size_t len = row->sni ? client_hello(row->sni, out) : strlen(row->text);
	size_t step = row->step ? row->step : len;
	int fd = rig_dial(&p);

	if (fd < 0)
		return 1;
	if (row->text)
		memcpy(out, row->text, len);
	sys_setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	for (size_t at = 0, end; at < len; at = end) {
		end = MIN(at + step, len);
		if (sys_send(fd, out + at, end - at, MSG_NOSIGNAL) < 0)
			return 100;
		for (size_t got = at; got < end;) {
			ssize_t n = sys_recv(fd, in + got, end - got, 0);

			if (n <= 0)
				return n == -ECONNRESET ? 100 : 2;
			got += (size_t)n;
		}
	}
	return memcmp(in, out, len) ? 3 : 0;
}

static void first_bytes_decide(const void *p)
{
	struct row row = *(const struct row *)p;
	struct rig r;

	rig_open(&r, NETNS_CATCH_HELD, row.rules, NULL);
	assert_int_equal(netbox_call(&r.box, speak, &row), row.audit ? 100 : 0);
	if (row.audit)
		rig_want_audit(&r, row.audit);
	rig_quiet(&r);
	assert_int_equal(rig_stat(&r, "refused"), row.audit ? 1 : 0);
	rig_close(&r);
}

/* A megabyte after the names, in both directions, and urgent bytes before them. */
static int goes_on(void *ctx)
{
	static const char head[] = "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n";
	int fd = rig_dial(ctx);
	char in[sizeof(head)];
	size_t got = 0;

	if (fd < 0)
		return 1;
	sys_send(fd, head, 5, MSG_OOB);
	sys_send(fd, head + 5, sizeof(head) - 6, 0);
	while (got < sizeof(head) - 1) {
		ssize_t n = sys_recv(fd, in + got, sizeof(head) - 1 - got, 0);

		if (n <= 0)
			return 2;
		got += (size_t)n;
	}
	return memcmp(in, head, got) ? 3 : rig_echo(fd, 1 << 20);
}

static void the_rest_goes_on(void)
{
	struct rig_peer p = { "example.com", ECHO_PORT, 0, 0 };
	struct rig r;

	rig_open(&r, NETNS_CATCH_HELD, "[\"allow example.com\"]", NULL);
	assert_int_equal(netbox_call(&r.box, goes_on, &p), 0);
	rig_quiet(&r);
	rig_close(&r);
}

/* Nobody has to speak first, and an end is passed on. */
static void the_server_speaks_first(void)
{
	struct rig r;

	rig_open(&r, NETNS_CATCH_HELD, "[\"allow example.com\"]", NULL);
	rig_want(
		&r,
		"perl -MIO::Socket -e '$c = IO::Socket::INET->new(\"example.com:19\"); "
		"read $c, $b, 7; print $b'",
		0, "ccccccc");
	rig_want(&r, CURL "http://example.com/", 0, "reached");
	rig_want(&r, CURL "-H 'Host: other.example.com' http://example.com/ 2>&1", 56,
		 "reset");
	rig_want_event(&r, "other.example.com port 80 is not allowed in this box");
	rig_close(&r);
}

int main(int argc, char **argv)
{
	static const struct unit_case cases[] = {
		{ "the rest goes on", the_rest_goes_on },
		{ "the server speaks first", the_server_speaks_first },
	};
	int status;

	if (rig_main(argc, argv, &status))
		return status;
	status = unit_rows("gate_look", rows, first_bytes_decide);
	return status | unit_cases("gate_look", cases);
}
