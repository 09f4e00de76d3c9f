#include "agent/server/http/relay.h"

#include <errno.h>

#include "tests/unit/unit.h"

#define OK "HTTP/1.1 200 OK\r\n"
#define CLOSE "Connection: close\r\n\r\n"

static const struct row {
	const char *name, *in;
	ssize_t want; /* 0 = all of it */
	int status;
	const char *out;
	bool websocket;
} rows[] = {
	{ "plain", OK "Content-Length: 5\r\n\r\n", 0, 200,
	  OK "Content-Length: 5\r\n" CLOSE, false },
	{ "without fields", "HTTP/1.0 404\r\n\r\n", 0, 404, "HTTP/1.1 404\r\n" CLOSE,
	  false },
	{ "bare line feeds", "HTTP/1.0 200 OK\nX: a\n\n", 0, 200, OK "X: a\r\n" CLOSE,
	  false },
	{ "its own idea of the connection",
	  OK "Connection: keep-alive\r\nKEEP-ALIVE: timeout=99\r\nUpgrade: h2c\r\nX: "
	     "a\r\n\r\n",
	  0, 200, OK "X: a\r\n" CLOSE, false },
	{ "orders for a proxy in front",
	  OK "X-Accel-Redirect: /secret\r\nx-sendfile: /etc/passwd\r\n\r\n", 0, 200,
	  OK CLOSE, false },
	{ "what the connection names",
	  OK "Connection: close ,X-Hop, x-other\r\nx-hop: a\r\nX-OTHER: b\r\nX-Ho: "
	     "c\r\nX-Hop2: d\r\n\r\n",
	  0, 200, OK "X-Ho: c\r\nX-Hop2: d\r\n" CLOSE, false },
	{ "a second line names more",
	  OK "X: a\r\nY: b\r\nConnection: ,\r\nConnection:x\r\n\r\n", 0, 200,
	  OK "Y: b\r\n" CLOSE, false },
	{ "where it ends is not named away",
	  OK "Connection: content-length\r\nContent-Length: 5\r\n\r\n", 0, 200,
	  OK "Content-Length: 5\r\n" CLOSE, false },
	{ "what is of HTTP/2", OK ":status: 500\r\n\r\n", -EPROTO, 200, "", false },
	{ "a name with a NUL's neighbour", OK "X\x01: a\r\n\r\n", -EPROTO, 200, "",
	  false },
	{ "a name that is no token", OK "X(: a\r\n\r\n", -EPROTO, 200, "", false },
	{ "a name beyond ASCII", OK "X\xc3\xa4: a\r\n\r\n", -EPROTO, 200, "", false },
	{ "no name", OK ": a\r\n\r\n", -EPROTO, 200, "", false },
	{ "a value with an escape", OK "X: \x1b[31m\r\n\r\n", -EPROTO, 200, "", false },
	{ "a value with DEL", OK "X: \x7f\r\n\r\n", -EPROTO, 200, "", false },
	{ "a value beyond ASCII, a tab", OK "X: \xc3\xa4\tb\r\n\r\n", 0, 200,
	  OK "X: \xc3\xa4\tb\r\n" CLOSE, false },
	{ "no value", OK "X:\r\n\r\n", 0, 200, OK "X:\r\n" CLOSE, false },
	{ "interim", "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n", 0, 103, "", false },
	{ "a WebSocket",
	  "HTTP/1.1 101 Yes\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n",
	  0, 101,
	  "HTTP/1.1 101 Yes\r\nSec-WebSocket-Accept: x\r\nConnection: Upgrade\r\n"
	  "Upgrade: websocket\r\n\r\n",
	  true },
	{ "a WebSocket that nobody asked for", "HTTP/1.1 101 Yes\r\n\r\n", -EPROTO, 101,
	  "", false },
	{ "a WebSocket with a length", "HTTP/1.1 101 Yes\r\nContent-Length: 0\r\n\r\n",
	  -EPROTO, 101, "", true },
	{ "two lengths", OK "Content-Length: 5\r\nContent-Length: 5\r\n\r\n", -EPROTO,
	  200, "", false },
	{ "a length and chunks",
	  OK "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", -EPROTO, 200,
	  "", false },
	{ "another coding", OK "Transfer-Encoding: gzip\r\n\r\n", -EPROTO, 200, "",
	  false },
	{ "chunks", OK "transfer-encoding:\tChunked \r\n\r\n", 0, 200,
	  OK "transfer-encoding:\tChunked \r\n" CLOSE, false },
	{ "a signed length", OK "Content-Length: +5\r\n\r\n", -EPROTO, 200, "", false },
	{ "no length", OK "Content-Length:\r\n\r\n", -EPROTO, 200, "", false },
	{ "a folded line", OK "X: a\r\n Content-Length: 5\r\n\r\n", -EPROTO, 200, "",
	  false },
	{ "a blank before the colon", OK "Content-Length : 5\r\n\r\n", -EPROTO, 200, "",
	  false },
	{ "no colon", OK "Content-Length\r\n\r\n", -EPROTO, 200, "", false },
	{ "a bare carriage return", OK "X: a\rContent-Length: 5\r\n\r\n", -EPROTO, 200,
	  "", false },
	{ "a bare carriage return in the first line", "HTTP/1.1 200 O\rK\r\n\r\n",
	  -EPROTO, -EPROTO, "", false },
	{ "no HTTP", "220 smtp ready\r\n\r\n", -EPROTO, -EPROTO, "", false },
	{ "a status of four digits", "HTTP/1.1 2000 OK\r\n\r\n", -EPROTO, -EPROTO, "",
	  false },
	{ "an empty line first", "\r\n" OK "\r\n", -EPROTO, -EPROTO, "", false },
};

static void test_head(const void *p)
{
	const struct row *row = p;
	_cleanup_buf_ struct buf out = BUF_INIT(4096);
	struct relay r = { .websocket = row->websocket };
	size_t len = strlen(row->in);

	for (size_t i = 0; row->in[0] == 'H' && i + 1 < len; i++)
		assert_int_equal(relay_head(&r, row->in, i, &out), 0);
	assert_int_equal(relay_head(&r, row->in, len, &out),
			 row->want ? row->want : (ssize_t)len);
	assert_int_equal(r.status, row->status);
	assert_string_equal(buf_cstr(&out), row->out);
}

/* A program that never comes to its answer, or has all looked for in long lists, would keep
 * the server's only thread. */
static void heads_cost_little(void)
{
	static const char interim[] = "HTTP/1.1 100 Continue\r\n\r\n";
	_cleanup_buf_ struct buf out = BUF_INIT(4096), in = BUF_INIT(4096);
	struct relay r = { 0 };

	for (int i = 0; i < 16; i++)
		assert_int_equal(relay_head(&r, interim, strlen(interim), &out),
				 strlen(interim));
	assert_int_equal(relay_head(&r, interim, strlen(interim), &out), -EPROTO);
	assert_int_equal(out.len, 0);
	r = (struct relay){ 0 };
	buf_adds(&in, OK "Connection: ");
	for (int i = 0; i < 130; i++)
		buf_adds(&in, "a,");
	buf_adds(&in, "\r\n\r\n");
	assert_int_equal(relay_head(&r, in.data, in.len, &out), -EMSGSIZE);
	buf_truncate(&in, 0);
	buf_adds(&in, OK);
	for (int i = 0; i < 5; i++)
		buf_adds(&in, "Connection: a\r\n");
	buf_adds(&in, "\r\n");
	assert_int_equal(relay_head(&r, in.data, in.len, &out), -EMSGSIZE);
}

static const struct body_row {
	const char *name, *head, *in;
	bool to_head;
	ssize_t want; /* how much of it */
	bool whole;
} bodies[] = {
	{ "to the end", OK "\r\n", "abc", false, 3, false },
	{ "a length", OK "Content-Length: 3\r\n\r\n", "abc", false, 3, true },
	{ "more than its length", OK "Content-Length: 3\r\n\r\n",
	  "abcHTTP/1.1 200 EVIL\r\n\r\n", false, 3, true },
	{ "less than its length", OK "Content-Length: 9\r\n\r\n", "abc", false, 3,
	  false },
	{ "no length", OK "Content-Length: 0\r\n\r\n", "HTTP/1.1 200 EVIL\r\n\r\n",
	  false, 0, true },
	{ "a length of many digits", OK "Content-Length: 000000000000000003\r\n\r\n",
	  "abcd", false, 3, true },
	{ "HEAD has none", OK "Content-Length: 3\r\n\r\n", "abc", true, 0, true },
	{ "nor has 304", "HTTP/1.1 304 Same\r\n\r\n", "abc", false, 0, true },
	{ "nor has 204", "HTTP/1.1 204 No\r\nTransfer-Encoding: chunked\r\n\r\n",
	  "0\r\n\r\n", false, 0, true },
	{ "chunks", OK "Transfer-Encoding: chunked\r\n\r\n", "1\r\na\r\n0\r\n\r\n",
	  false, 11, true },
	{ "more than chunks", OK "Transfer-Encoding: chunked\r\n\r\n",
	  "1\r\na\r\n0\r\n\r\nHTTP/1.1 200 EVIL\r\n\r\n", false, 11, true },
	{ "half a chunk", OK "Transfer-Encoding: chunked\r\n\r\n", "9\r\nabc", false, 6,
	  false },
	{ "no chunks", OK "Transfer-Encoding: chunked\r\n\r\n", "hello", false, -EPROTO,
	  false },
	{ "a signed chunk", OK "Transfer-Encoding: chunked\r\n\r\n", "-1\r\na", false,
	  -EPROTO, false },
};

static void test_body(const void *p)
{
	const struct body_row *row = p;
	_cleanup_buf_ struct buf out = BUF_INIT(4096);
	struct relay r = { .to_head = row->to_head };
	size_t len = strlen(row->in);
	ssize_t n = 0, got = 0;
	struct relay bytewise;

	assert_int_equal(relay_head(&r, row->head, strlen(row->head), &out),
			 strlen(row->head));
	bytewise = r;
	assert_int_equal(relay_body(&r, row->in, len), row->want);
	assert_int_equal(r.whole, row->whole);
	for (size_t i = 0; n >= 0 && i < len; i++) {
		n = relay_body(&bytewise, row->in + i, 1);
		got = n < 0 ? n : got + n;
	}
	assert_int_equal(got, row->want);
	assert_int_equal(bytewise.whole, row->whole);
}

static void too_large(void)
{
	_cleanup_buf_ struct buf in = BUF_INIT(2L * RELAY_HEAD_MAX),
				 out = BUF_INIT(2L * RELAY_HEAD_MAX);
	struct relay r = { 0 };

	buf_adds(&in, OK);
	while (in.len < RELAY_HEAD_MAX - 64)
		buf_adds(&in, "A: b\r\n");
	assert_int_equal(relay_head(&r, in.data, in.len, &out), 0);
	buf_adds(&in, "\r\n");
	assert_int_equal(relay_head(&r, in.data, in.len, &out), -EMSGSIZE);
	assert_int_equal(out.len, 0);
	buf_truncate(&in, in.len - 2);
	while (in.len < RELAY_HEAD_MAX)
		buf_adds(&in, "A: b\r\n");
	assert_int_equal(relay_head(&r, in.data, in.len, &out), -EMSGSIZE);
}

static const struct unit_case cases[] = { { "too large", too_large },
					  { "heads cost little", heads_cost_little } };

int main(void)
{
	return unit_rows("relay_head", rows, test_head) +
	       unit_rows("relay_body", bodies, test_body) +
	       unit_cases("relay_head more", cases);
}
