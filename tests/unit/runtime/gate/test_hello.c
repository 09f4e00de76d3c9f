#include "runtime/gate/hello.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/unit.h"

/* "TLS a.example; HTTP", … of what was found. */
static void describe(enum gate_hello_verdict v, const struct gate_hello *h,
		     char out[512])
{
	static const char *const verdicts[] = { "more", "other", "done", "bad" };
	size_t at = (size_t)snprintf(out, 512, "%s", verdicts[v]);

	for (unsigned i = 0; i < h->n && v != GATE_HELLO_BAD; i++)
		at += (size_t)snprintf(out + at, 512 - at, " %s:%u%s", h->names[i].host,
				       h->names[i].port, h->names[i].target ? "!" : "");
}

static const struct row {
	const char *name, *in, *want;
} http[] = {
	/* clang-format off */
	{ "a request", "GET / HTTP/1.1\r\nHost: A.Example.\r\n\r\n", "done a.example:0" },
	{ "a request with a body", "POST /x HTTP/1.1\r\nHost: a\r\n\r\n\1\2\3", "done a:0" },
	{ "a port", "GET / HTTP/1.1\r\nHost: a:8080\r\n\r\n", "done a:8080" },
	{ "an empty port", "GET / HTTP/1.1\r\nHost: a:\r\n\r\n", "done a:0" },
	{ "an address", "GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", "done ::1:80" },
	{ "no host", "GET / HTTP/1.0\r\n\r\n", "done" },
	{ "an empty host", "GET / HTTP/1.1\r\nHost:\r\n\r\n", "done" },
	{ "host in capitals", "GET / HTTP/1.1\nHOST:a\n\n", "done a:0" },
	{ "two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "done a:0 b:0" },
	{ "before its end", "GET / HTTP/1.1\r\nHost: a\r\n", "more a:0" },
	{ "before the name's end", "GET / HTTP/1.1\r\nHost: a", "more" },
	{ "empty lines first", "\r\n\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "done a:0" },
	{ "only empty lines", "\r\n\r\n", "more" },
	{ "a method of its own", "M-SEARCH * HTTP/1.1\r\nHost: a\r\n\r\n", "done a:0" },
	{ "a small method", "get / http/1.1\r\nhost: a\r\n\r\n", "done a:0" },
	{ "letters beyond ASCII", "GET /\xc3\xbc HTTP/1.1\r\nHost: a\r\n\r\n", "done a:0" },
	{ "begun with letters beyond ASCII", "GET /\xc3\xbc", "more" },
	{ "absolute", "GET http://a/ HTTP/1.1\r\nHost: b\r\n\r\n", "done a:80! b:0" },
	{ "absolute, user", "GET http://b@a:81?x@y HTTP/1.1\r\n\r\n", "done a:81!" },
	{ "absolute, two users", "GET http://b@c@a/ HTTP/1.1\r\n\r\n", "done a:80!" },
	{ "absolute, backslash", "GET http://a\\@b/ HTTP/1.1\r\n\r\n", "bad" },
	{ "absolute, fragment", "GET http://a#@b/ HTTP/1.1\r\n\r\n", "bad" },
	{ "absolute, https", "GET https://a/ HTTP/1.1\r\n\r\n", "done a:443!" },
	{ "absolute, before versions", "GET http://a/\r\n", "more a:80!" },
	{ "before versions, with a head", "GET /\r\nHost: a\r\n\r\n", "done a:0" },
	{ "a word for a target, with a head", "GET ?x\r\nHost: a\r\n\r\n", "done a:0" },
	{ "the same of another method", "POST /\r\nHost: a\r\n\r\n", "done a:0" },
	{ "a proxy's, without a version", "CONNECT a:443\r\n\r\n", "done a:443!" },
	{ "ssh with a comment", "SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n\x14:\n", "other" },
	{ "a store of paths", "get /key\r\nget /other\r\n", "other" },
	{ "a store of keys", "GET key\r\nGET other\r\n", "other" },
	{ "absolute, with a head", "GET http://a/\r\nHost: b\r\n\r\n", "done a:80! b:0" },
	{ "CONNECT", "CONNECT a:443 HTTP/1.1\r\n\r\n", "done a:443!" },
	{ "CONNECT in small letters", "connect a:443 HTTP/1.1\r\n\r\n", "done a:443!" },
	{ "two spaces", "GET  /  HTTP/1.1\r\nHost: a\r\n\r\n", "done a:0" },
	{ "a tab", "GET\t/\tHTTP/1.1\r\nHost: a\r\n\r\n", "done a:0" },
	{ "spaces of Latin 1", "GET\xa0/\x85HTTP/1.1\r\nHost: a\r\n\r\n", "done a:0" },
	{ "a carriage return for a space", "GET\r/ HTTP/1.1\r\nHost: a\r\n\r\n", "bad" },
	{ "spaces of Python", "GET\x1c/ HTTP/1.1\r\nHost: a\r\n\r\n", "bad" },
	{ "a space in the target", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", "bad" },
	{ "a word behind", "GET / HTTP/1.1 x\r\nHost: a\r\n\r\n", "bad" },
	{ "a space in front", " GET / HTTP/1.1\r\nHost: a\r\n\r\n", "bad" },
	{ "HTTP/2 in the manner of 1", "GET / HTTP/2.0\r\nHost: a\r\n\r\n", "done a:0" },
	{ "no such target", "GET a HTTP/1.1\r\n\r\n", "bad" },
	{ "a folded line", "GET / HTTP/1.1\r\nX: y\r\n Host: a\r\n\r\n", "bad" },
	{ "a space before the colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n", "bad" },
	{ "a line without a colon", "GET / HTTP/1.1\r\nHost a\r\n\r\n", "bad" },
	{ "a carriage return alone", "GET / HTTP/1.1\r\nX: y\rHost: a\r\n\r\n", "bad" },
	{ "no name", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", "bad" },
	{ "two names", "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", "bad" },
	{ "a port that is none", "GET / HTTP/1.1\r\nHost: a:99999\r\n\r\n", "bad" },
	{ "an open bracket", "GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", "bad" },
	{ "too many hosts", "GET / HTTP/1.1\nHost: a\nHost: a\nHost: a\nHost: a\nHost: a\n\n", "bad" },
	{ "HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "other" },
	{ "a method that is none", "G(T / HTTP/1.1\r\nHost: a\r\n\r\n", "bad" },
	{ "a method beyond ASCII", "G\xc3T / HTTP/1.1\r\nHost: a\r\n\r\n", "bad" },
	{ "a control in it", "\5\1GET / HTTP/1.1\r\nHost: a\r\n\r\n", "other" },
	{ "a log in JSON", "{\"said\":\"GET / HTTP/1.1\"}\n", "other" },
	{ "a line of syslog", "<34>1 GET / HTTP/1.1\n", "other" },
	{ "ssh", "SSH-2.0-OpenSSH_9.6\r\n", "other" },
	{ "smtp", "EHLO a.example\r\n", "other" },
	{ "redis", "*1\r\n$4\r\nPING\r\n", "other" },
	{ "nats", "CONNECT {\"verbose\":false}\r\n", "other" },
	{ "rtsp", "DESCRIBE rtsp://a/ RTSP/1.0\r\n", "other" },
	{ "words first", "JDWP-Handshake", "more" },
	{ "a binary protocol", "\x03\x02", "other" },
	{ "nothing", "", "more" },
	/* clang-format on */
};

/* The verdict of all of it, and no other one on the way to it. */
static void feed(const void *data, size_t len, const char *want)
{
	struct gate_hello h;
	char got[512];

	describe(gate_hello_parse(data, len, &h), &h, got);
	assert_string_equal(got, want);
	for (size_t i = 0; i < len; i++) {
		enum gate_hello_verdict v = gate_hello_parse(data, i, &h);

		describe(v, &h, got);
		if (v != GATE_HELLO_MORE)
			assert_string_equal(got, want);
	}
}

static void reads_http(const void *p)
{
	const struct row *row = p;

	feed(row->in, strlen(row->in), row->want);
}

/* ---- ClientHellos ---------------------------------------------------------------- */

struct bytes {
	uint8_t b[GATE_HELLO_MAX * 2];
	size_t len;
};

static void put(struct bytes *to, size_t v, unsigned n)
{
	while (n--)
		to->b[to->len++] = (uint8_t)(v >> 8 * n);
}

static void put_text(struct bytes *to, const char *s)
{
	memcpy(to->b + to->len, s, strlen(s));
	to->len += strlen(s);
}

static const struct tls_row {
	const char *name, *sni; /* NULL = no extensions, "" = without this one */
	size_t padding, record; /* bytes of another extension; of a record */
	const char *want;
	int type; /* of the handshake message; 0 = ClientHello */
	int name_type;
	unsigned version; /* of the records; 0 = TLS 1.0 */
	bool alert;	  /* a record of it comes first */
	bool more;	  /* a byte behind the extensions */
} tls[] = {
	{ .name = "a name", .sni = "A.example", .want = "done a.example:0" },
	{ .name = "no extensions", .want = "done" },
	{ .name = "no name", .sni = "", .padding = 8, .want = "done" },
	{ .name = "a name behind", .sni = "a", .padding = 900, .want = "done a:0" },
	{ .name = "records of one byte", .sni = "a", .record = 1, .want = "done a:0" },
	{ .name = "records of 16", .sni = "a.b", .record = 16, .want = "done a.b:0" },
	{ .name = "an alert first", .sni = "a", .alert = true, .want = "done a:0" },
	{ .name = "a version that is none",
	  .sni = "a",
	  .version = 0x0201,
	  .want = "done a:0" },
	{ .name = "one of later days",
	  .sni = "a",
	  .version = 0x7f00,
	  .record = 9,
	  .want = "done a:0" },
	{ .name = "an alert of it",
	  .sni = "a",
	  .version = 0x0400,
	  .alert = true,
	  .want = "done a:0" },
	{ .name = "of it, with a byte behind",
	  .sni = "a",
	  .version = 0x0400,
	  .more = true,
	  .want = "bad" },
	{ .name = "of it, too long",
	  .sni = "a",
	  .version = 0x0400,
	  .padding = GATE_HELLO_MAX,
	  .want = "bad" },
	{ .name = "a NUL", .sni = "a\1b", .want = "bad" },
	{ .name = "a colon", .sni = "::1", .want = "bad" },
	{ .name = "another message", .sni = "a", .type = 2, .want = "bad" },
	{ .name = "another kind of name", .sni = "a", .name_type = 1, .want = "bad" },
	{ .name = "a byte behind", .sni = "a", .more = true, .want = "bad" },
	{ .name = "too long", .sni = "a", .padding = GATE_HELLO_MAX, .want = "bad" },
};

static void put_sni(struct bytes *to, const struct tls_row *row)
{
	size_t len = strlen(row->sni);

	put(to, 0, 2);
	put(to, len + 5, 2);
	put(to, len + 3, 2);
	put(to, (size_t)row->name_type, 1);
	put(to, len, 2);
	put_text(to, row->sni);
}

static void put_hello(struct bytes *to, const struct tls_row *row)
{
	struct bytes ext = { .len = 0 }, body = { .len = 0 };

	put(&body, 0x0303, 2);
	body.len += 32;
	put(&body, 0, 1);
	put(&body, 2, 2);
	put(&body, 0x1301, 2);
	put(&body, 1, 1);
	put(&body, 0, 1);
	if (row->padding) {
		put(&ext, 21, 2);
		put(&ext, row->padding, 2);
		ext.len += row->padding;
	}
	if (row->sni && *row->sni)
		put_sni(&ext, row);
	if (row->sni) {
		put(&body, ext.len, 2);
		memcpy(body.b + body.len, ext.b, ext.len);
		body.len += ext.len;
	}
	if (row->more)
		put(&body, 0, 1);
	put(to, row->type ? (size_t)row->type : 1, 1);
	put(to, body.len, 3);
	memcpy(to->b + to->len, body.b, body.len);
	to->len += body.len;
}

static void reads_tls(const void *p)
{
	const struct tls_row *row = p;
	struct bytes hello = { .len = 0 }, wire = { .len = 0 };
	size_t step = row->record ? row->record : 16384;
	unsigned version = row->version ? row->version : 0x0301;

	put_hello(&hello, row);
	if (row->alert) {
		put(&wire, 0x150000 | version, 3);
		put(&wire, 2, 2);
		put(&wire, 0x015a, 2);
	}
	for (size_t at = 0; at < hello.len; at += step) {
		size_t n = MIN(step, hello.len - at);

		put(&wire, 0x160000 | version, 3);
		put(&wire, n, 2);
		memcpy(wire.b + wire.len, hello.b + at, n);
		wire.len += n;
	}
	feed(wire.b, wire.len, row->want);
}

static void other_records(void)
{
	static uint8_t same[GATE_HELLO_MAX];
	struct gate_hello h;

	feed("\x16\x00\x00\x00\x00\x01", 6, "more");
	feed("\x16\x01\x00\x01\x00\x00\x01\x00\x00\x00\x00", 11, "other");
	feed("\x16\x01\x00\x00\x00\x09\x00\x00\x00\x00", 10, "other");
	memset(same, 0x15, sizeof(same)); /* records, but no handshake */
	assert_int_equal(gate_hello_parse(same, sizeof(same) - 1, &h), GATE_HELLO_MORE);
	assert_int_equal(gate_hello_parse(same, sizeof(same), &h), GATE_HELLO_OTHER);
	feed("\x17\x03\x03\x00\x01", 5, "other"); /* no handshake begins so */
	feed("\x15\x03\x03\x00\x00\x17\x03\x03\x00\x00", 10, "bad");
	feed("\x16\x03", 2, "more");
}

/* 16 KiB without an end: refused if it went on like a request, else another's. */
static void long_lines(void)
{
	static char text[GATE_HELLO_MAX + 1];
	struct gate_hello h;

	memset(text, 'x', sizeof(text));
	assert_int_equal(gate_hello_parse(text, GATE_HELLO_MAX - 1, &h),
			 GATE_HELLO_MORE);
	assert_int_equal(gate_hello_parse(text, sizeof(text), &h), GATE_HELLO_OTHER);
	memcpy(text, "GET /", 5);
	assert_int_equal(gate_hello_parse(text, GATE_HELLO_MAX - 1, &h),
			 GATE_HELLO_MORE);
	assert_int_equal(gate_hello_parse(text, sizeof(text), &h), GATE_HELLO_BAD);
	memcpy(text, "GET / HTTP/1.1\r\nHost: a\r\n", 25);
	assert_int_equal(gate_hello_parse(text, sizeof(text), &h), GATE_HELLO_BAD);
	text[9] = '\0';
	assert_int_equal(gate_hello_parse(text, 10, &h), GATE_HELLO_MORE);
	feed("GET /?\0 HTTP/1.1\r\nHost: a\r\n\r\n", 30, "bad");
	feed("GET\0/ HTTP/1.1\r\n", 17, "other");
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "other records", other_records },
		{ "long lines", long_lines },
	};
	int r = unit_rows("gate_hello_parse: HTTP", http, reads_http);

	r |= unit_rows("gate_hello_parse: TLS", tls, reads_tls);
	return r | unit_cases("gate_hello_parse", cases);
}
