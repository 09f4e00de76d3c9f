#include "agent/server/http/retell.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/unit.h"

#define GET ":method", "GET", ":scheme", "https", ":path", "/a?b=c"
#define HOST ":authority", "h:1"

static const struct row {
	const char *name;
	const char *fields[24]; /* name and value in turns */
	bool last;
	int want;
	const char *text;
} rows[] = {
	{ "plain",
	  { GET, HOST, "x-user-id", "u" },
	  true,
	  0,
	  "GET /a?b=c HTTP/1.1\r\nhost: h:1\r\nx-user-id: u\r\n\r\n" },
	{ "host alone",
	  { GET, "host", "h" },
	  true,
	  0,
	  "GET /a?b=c HTTP/1.1\r\nhost: h\r\n\r\n" },
	{ "both, the same",
	  { GET, HOST, "host", "H:1" },
	  true,
	  0,
	  "GET /a?b=c HTTP/1.1\r\nhost: h:1\r\n\r\n" },
	{ "both, not the same", { GET, HOST, "host", "other" }, true, -EBADMSG, NULL },
	{ "no host", { GET }, true, -EBADMSG, NULL },
	{ "a length",
	  { GET, HOST, "content-length", "5" },
	  false,
	  0,
	  "GET /a?b=c HTTP/1.1\r\nhost: h:1\r\ncontent-length: 5\r\n\r\n" },
	{ "no length",
	  { GET, HOST },
	  false,
	  0,
	  "GET /a?b=c HTTP/1.1\r\nhost: h:1\r\ntransfer-encoding: chunked\r\n\r\n" },
	{ "a length and no body",
	  { GET, HOST, "content-length", "5" },
	  true,
	  -EBADMSG,
	  NULL },
	{ "two lengths",
	  { GET, HOST, "content-length", "5", "content-length", "5" },
	  false,
	  -EBADMSG,
	  NULL },
	{ "a signed length",
	  { GET, HOST, "content-length", "+5" },
	  false,
	  -EBADMSG,
	  NULL },
	{ "an empty length",
	  { GET, HOST, "content-length", "" },
	  false,
	  -EBADMSG,
	  NULL },
	{ "a huge length",
	  { GET, HOST, "content-length", "99999999999999999999" },
	  false,
	  -EBADMSG,
	  NULL },
	{ "crumbs of cookies",
	  { GET, HOST, "cookie", "a=1", "cookie", "b=2" },
	  true,
	  0,
	  "GET /a?b=c HTTP/1.1\r\nhost: h:1\r\ncookie: a=1; b=2\r\n\r\n" },
	{ "trailers may come",
	  { GET, HOST, "te", "trailers" },
	  true,
	  0,
	  "GET /a?b=c HTTP/1.1\r\nhost: h:1\r\n\r\n" },
	{ "another coding", { GET, HOST, "te", "gzip" }, true, -EBADMSG, NULL },
	{ "a transfer coding",
	  { GET, HOST, "transfer-encoding", "chunked" },
	  false,
	  -EBADMSG,
	  NULL },
	{ "a connection", { GET, HOST, "connection", "close" }, true, -EBADMSG, NULL },
	{ "an upgrade", { GET, HOST, "upgrade", "websocket" }, true, -EBADMSG, NULL },
	{ "a name in capitals", { GET, HOST, "X-User-Id", "u" }, true, -EBADMSG, NULL },
	{ "a name that is none",
	  { GET, HOST, "x: y\r\nz", "u" },
	  true,
	  -EBADMSG,
	  NULL },
	{ "an empty name", { GET, HOST, "", "u" }, true, -EBADMSG, NULL },
	{ "a line in a value",
	  { GET, HOST, "x", "a\r\nx-user-id: b" },
	  true,
	  -EBADMSG,
	  NULL },
	{ "a bare line feed", { GET, HOST, "x", "a\nb" }, true, -EBADMSG, NULL },
	{ "a blank before a value", { GET, HOST, "x", " a" }, true, -EBADMSG, NULL },
	{ "a line in a path",
	  { ":method", "GET", ":scheme", "https", HOST, ":path", "/ HTTP/1.1\r\nx: y" },
	  true,
	  -EBADMSG,
	  NULL },
	{ "a blank in a method",
	  { ":method", "GET /b", ":scheme", "https", HOST, ":path", "/a" },
	  true,
	  -EBADMSG,
	  NULL },
	{ "two paths", { GET, HOST, ":path", "/b" }, true, -EBADMSG, NULL },
	{ "no path",
	  { ":method", "GET", ":scheme", "https", HOST },
	  true,
	  -EBADMSG,
	  NULL },
	{ "another scheme",
	  { ":method", "GET", ":scheme", "file", ":path", "/", HOST },
	  true,
	  -EBADMSG,
	  NULL },
	{ "what comes first comes last",
	  { GET, "x", "y", HOST },
	  true,
	  -EBADMSG,
	  NULL },
	{ "a protocol",
	  { GET, HOST, ":protocol", "websocket" },
	  false,
	  -EBADMSG,
	  NULL },
};

static void test_request(const void *data)
{
	const struct row *row = data;
	_cleanup_buf_ struct buf out = BUF_INIT(64 << 10);
	struct retell r;

	retell_init(&r);
	for (size_t i = 0; row->fields[i]; i += 2) {
		const struct h2_field f = {
			{ row->fields[i], strlen(row->fields[i]) },
			{ row->fields[i + 1], strlen(row->fields[i + 1]) },
		};

		assert_true(retell_field(&r, &f));
	}
	assert_int_equal(retell_head(&r, row->last, &out), row->want);
	assert_string_equal(buf_cstr(&out), row->text ?: "");
	retell_done(&r);
}

/* The client is told a measure: beyond it is a refusal, far beyond it no more is read. */
static void test_measure(void)
{
	_cleanup_buf_ struct buf out = BUF_INIT(64 << 10);
	char value[1000];
	const struct h2_field f = { { "x", 1 }, { value, sizeof(value) } };
	struct retell r;
	unsigned n = 0;

	memset(value, 'v', sizeof(value));
	retell_init(&r);
	while (retell_field(&r, &f)) {
		n++;
		if (n > 32)
			assert_int_equal(retell_head(&r, true, &out), -EMSGSIZE);
	}
	assert_in_range(n, 60, 66);
	assert_in_range(r.fields.len, 1, H2_FIELDS_MAX);
	retell_done(&r);
}

static const struct answer_row {
	const char *name, *text;
	bool to_head;
	int want; /* 1 = whole */
	int status;
	const char *fields, *body;
} answers[] = {
	{ "a length", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-A: b \r\n\r\nok",
	  false, 1, 200, "content-length=2 x-a=b ", "ok" },
	{ "chunks",
	  "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\nConnection: "
	  "close\r\n\r\n1\r\na\r\n2\r\nbc\r\n0\r\n\r\n",
	  false, 1, 201, "", "abc" },
	{ "to the end", "HTTP/1.1 200 OK\r\n\r\nabc", false, 1, 200, "", "abc" },
	{ "of HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", true, 1, 200,
	  "content-length=9 ", "" },
	{ "nothing", "HTTP/1.1 204 No Content\r\n\r\n", false, 1, 204, "", "" },
	{ "another head first",
	  "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
	  false, 1, 200, "content-length=0 ", "" },
	{ "two cookies",
	  "HTTP/1.1 200 OK\r\nSet-Cookie: a\r\nSet-Cookie: b\r\n"
	  "Content-Length: 0\r\n\r\n",
	  false, 1, 200, "set-cookie=a set-cookie=b content-length=0 ", "" },
	{ "cut", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", false, 0, 200,
	  "content-length=9 ", "abc" },
	{ "cut chunks",
	  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n", false, 0,
	  200, "", "a" },
	{ "half a head", "HTTP/1.1 200 OK\r\nX: y", false, 0, 0, "", "" },
	{ "a switch", "HTTP/1.1 101 Switching Protocols\r\n\r\n", false, -EBADMSG, 0,
	  "", "" },
	{ "two ends",
	  "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
	  false, -EBADMSG, 0, NULL, "" },
	{ "a bare line feed in a field", "HTTP/1.1 200 OK\r\nA:\nB: c\r\n\r\n", false,
	  -EBADMSG, 0, "", "" },
	{ "no name", "HTTP/1.1 200 OK\r\n: c\r\n\r\n", false, -EBADMSG, 0, "", "" },
	{ "what only a frame says", "HTTP/1.1 200 OK\r\n:status: 500\r\n\r\n", false,
	  -EBADMSG, 0, "", "" },
	{ "a name that is no token", "HTTP/1.1 200 OK\r\nA B: c\r\n\r\n", false,
	  -EBADMSG, 0, "", "" },
	{ "an escape in a value", "HTTP/1.1 200 OK\r\nA: \x1b\r\n\r\n", false, -EBADMSG,
	  0, "", "" },
	{ "blanks round a length", "HTTP/1.1 200 OK\r\nContent-Length:\t2 \r\n\r\nok",
	  false, 1, 200, "content-length=2 ", "ok" },
	{ "blanks round a coding",
	  "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\t\r\n\r\n0\r\n\r\n", false, 1,
	  200, "", "" },
	{ "what is about a connection",
	  "HTTP/1.1 200 OK\r\nKeep-Alive: 5\r\nProxy-Connection: x\r\nUPGRADE: h2c\r\n"
	  "Trailer: x\r\nContent-Length: 0\r\n\r\n",
	  false, 1, 200, "content-length=0 ", "" },
	{ "no HTTP", "SSH-2.0-x\r\n\r\n", false, -EBADMSG, 0, "", "" },
	{ "bad chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
	  false, -EBADMSG, 200, NULL, "" },
};

static void read_answer(const struct answer_row *row, size_t step)
{
	_cleanup_buf_ struct buf body = BUF_INIT(1 << 10), fields = BUF_INIT(1 << 10);
	size_t len = strlen(row->text);
	struct retell_answer a;
	int r = 0;

	retell_answer_init(&a, row->to_head);
	for (size_t at = 0, used; r >= 0 && at < len; at += used) {
		r = retell_answer(&a, row->text + at, MIN(step, len - at), &used,
				  &body);
		for (size_t i = 0; r == 1 && i < a.n; i++)
			buf_addf(&fields, "%.*s=%.*s ", (int)a.fields[i].name.len,
				 a.fields[i].name.s, (int)a.fields[i].value.len,
				 a.fields[i].value.s);
	}
	assert_int_equal(r < 0 ? r : retell_answer_end(&a), row->want);
	assert_int_equal(a.status, row->status);
	if (row->fields)
		assert_string_equal(buf_cstr(&fields), row->fields);
	assert_string_equal(buf_cstr(&body), row->body);
	retell_answer_done(&a);
}

static void test_answer(const void *data)
{
	read_answer(data, SIZE_MAX);
	read_answer(data, 1);
}

static const struct unit_case cases[] = { { "measure", test_measure } };

int main(void)
{
	return unit_rows("retell_head", rows, test_request) +
	       unit_rows("retell_answer", answers, test_answer) +
	       unit_cases("retell more", cases);
}
