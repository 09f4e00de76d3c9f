#include "agent/server/relay.h"

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
	size_t len = strlen(row->in);
	int status = 0;

	for (size_t i = 0; row->in[0] == 'H' && i + 1 < len; i++)
		assert_int_equal(relay_head(row->in, i, row->websocket, &status, &out),
				 0);
	assert_int_equal(relay_head(row->in, len, row->websocket, &status, &out),
			 row->want ? row->want : (ssize_t)len);
	assert_int_equal(status, row->status);
	assert_string_equal(buf_cstr(&out), row->out);
}

static void too_large(void)
{
	_cleanup_buf_ struct buf in = BUF_INIT(2L * RELAY_HEAD_MAX),
				 out = BUF_INIT(2L * RELAY_HEAD_MAX);
	int status = 0;

	buf_adds(&in, OK);
	while (in.len < RELAY_HEAD_MAX - 64)
		buf_adds(&in, "A: b\r\n");
	assert_int_equal(relay_head(in.data, in.len, false, &status, &out), 0);
	buf_adds(&in, "\r\n");
	assert_int_equal(relay_head(in.data, in.len, false, &status, &out), -EMSGSIZE);
	assert_int_equal(out.len, 0);
	buf_truncate(&in, in.len - 2);
	while (in.len < RELAY_HEAD_MAX)
		buf_adds(&in, "A: b\r\n");
	assert_int_equal(relay_head(in.data, in.len, false, &status, &out), -EMSGSIZE);
}

static const struct unit_case cases[] = { { "too large", too_large } };

int main(void)
{
	return unit_rows("relay_head", rows, test_head) +
	       unit_cases("relay_head more", cases);
}
