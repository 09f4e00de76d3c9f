#include "agent/server/http/head.h"

#include <stdio.h>

#include "tests/unit/unit.h"

#define LINE "GET /a?b=c HTTP/1.1\r\n"
#define HOST "Host: h\r\n"

static const struct row {
	const char *name, *text;
	int want;
	int64_t length;
	const char *wrong; /* of a refusal */
	bool keep_alive, websocket;
} rows[] = {
	{ "plain", LINE HOST "\r\n", 0, 0, NULL, true, false },
	{ "a length", LINE HOST "Content-Length: 5\r\n\r\n", 0, 5, NULL, true, false },
	{ "chunks", LINE HOST "Transfer-Encoding: Chunked\r\n\r\n", 0, HEAD_CHUNKED,
	  NULL, true, false },
	{ "the last one", LINE HOST "Connection: keep-alive, Close\r\n\r\n", 0, 0, NULL,
	  false, false },
	{ "the last one, said in a line of its own",
	  LINE HOST "Connection: keep-alive\r\nConnection: close\r\n\r\n", 0, 0, NULL,
	  false, false },
	{ "1.0 ends", "GET / HTTP/1.0\r\n\r\n", 0, 0, NULL, false, false },
	{ "a WebSocket",
	  LINE HOST "Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n"
		    "Sec-WebSocket-Version: 13\r\n\r\n",
	  0, 0, NULL, true, true },
	{ "h2c is not taken", LINE HOST "Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
	  0, 0, NULL, true, false },
	{ "two lengths", LINE HOST "Content-Length: 5\r\nContent-Length: 6\r\n\r\n",
	  400, 0, "a header field that may stand once stands twice", false, false },
	{ "two equal lengths",
	  LINE HOST "Content-Length: 5\r\ncontent-length: 5\r\n\r\n", 400, 0,
	  "a header field that may stand once stands twice", false, false },
	{ "a list of lengths", LINE HOST "Content-Length: 5, 5\r\n\r\n", 400, 0,
	  "bad content-length", false, false },
	{ "a signed length", LINE HOST "Content-Length: +5\r\n\r\n", 400, 0,
	  "bad content-length", false, false },
	{ "a huge length", LINE HOST "Content-Length: 99999999999999999999\r\n\r\n",
	  400, 0, "bad content-length", false, false },
	{ "a length and chunks",
	  LINE HOST "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", 400, 0,
	  "a transfer coding besides a length", false, false },
	{ "another coding", LINE HOST "Transfer-Encoding: gzip, chunked\r\n\r\n", 501,
	  0, "unknown transfer coding", false, false },
	{ "nearly chunked", LINE HOST "Transfer-Encoding: xchunked\r\n\r\n", 501, 0,
	  "unknown transfer coding", false, false },
	{ "chunks in 1.0", "GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400,
	  0, "a transfer coding besides a length", false, false },
	{ "a space before the colon", LINE HOST "Content-Length : 5\r\n\r\n", 400, 0,
	  "malformed header field", false, false },
	{ "a folded line", LINE HOST "X-User-Id: a\r\n b\r\n\r\n", 400, 0,
	  "malformed header field", false, false },
	{ "a bare line feed", "GET / HTTP/1.1\nHost: h\n\r\n\r\n", 400, 0,
	  "a line does not end with CR LF", false, false },
	{ "a bare carriage return", LINE "Host: h\rX-User-Id: b\r\n\r\n", 400, 0,
	  "a stray carriage return", false, false },
	{ "two users", LINE HOST "X-User-Id: a\r\nX-User-Id: b\r\n\r\n", 400, 0,
	  "a header field that may stand once stands twice", false, false },
	{ "two keys", LINE HOST "Authorization: Bearer a\r\nauthorization: b\r\n\r\n",
	  400, 0, "a header field that may stand once stands twice", false, false },
	{ "no host", LINE "\r\n", 400, 0, "no host field", false, false },
	{ "an address", LINE "Host: [::1]:80\r\n\r\n", 0, 0, NULL, true, false },
	{ "a host with a user", LINE "Host: a@b\r\n\r\n", 400, 0, "bad host field",
	  false, false },
	{ "a host with a path", LINE "Host: a/b\r\n\r\n", 400, 0, "bad host field",
	  false, false },
	{ "two hosts", LINE HOST HOST "\r\n", 400, 0,
	  "a header field that may stand once stands twice", false, false },
	{ "a name that is no token", LINE HOST "X(a): b\r\n\r\n", 400, 0,
	  "malformed header field", false, false },
	{ "no name", LINE HOST ": b\r\n\r\n", 400, 0, "malformed header field", false,
	  false },
	{ "a control character", LINE HOST "X: a\001\r\n\r\n", 400, 0,
	  "control character in a header field", false, false },
	{ "an absolute target", "GET http://h/ HTTP/1.1\r\n" HOST "\r\n", 400, 0,
	  "malformed request target", false, false },
	{ "a backslash", "GET /a\\..\\b HTTP/1.1\r\n" HOST "\r\n", 400, 0,
	  "malformed request target", false, false },
	{ "a raw byte in the target", "GET /\303\244 HTTP/1.1\r\n" HOST "\r\n", 400, 0,
	  "malformed request target", false, false },
	{ "HTTP/2", "PRI * HTTP/2.0\r\n\r\n", 505, 0, "only HTTP/1.1 is spoken here",
	  false, false },
	{ "HTTP/1.10", "GET / HTTP/1.10\r\n" HOST "\r\n", 505, 0,
	  "only HTTP/1.1 is spoken here", false, false },
	{ "two spaces", "GET  / HTTP/1.1\r\n" HOST "\r\n", 505, 0,
	  "only HTTP/1.1 is spoken here", false, false },
	{ "no version", "GET /\r\n\r\n", 400, 0, "malformed request line", false,
	  false },
	{ "TLS", "\026\003\001\r\n\r\n", 400, 0, "malformed request line", false,
	  false },
};

static void test_parse(const void *p)
{
	const struct row *row = p;
	char text[1024];
	struct head h;
	size_t len = strlen(row->text);

	memcpy(text, row->text, len + 1);
	assert_int_equal(head_length(text, len), len);
	for (size_t i = 0; i < len; i++)
		assert_int_equal(head_length(text, i), 0);
	assert_int_equal(head_parse(text, len, &h), row->want);
	if (row->want) {
		assert_string_equal(h.wrong, row->wrong);
		return;
	}
	assert_int_equal(h.length, row->length);
	assert_int_equal(h.keep_alive, row->keep_alive);
	assert_int_equal(h.websocket, row->websocket);
}

static void parts(void)
{
	char text[] = "POST /x/y?q=1?2 HTTP/1.1\r\nHOST:\t h \r\nX-Empty:\r\n"
		      "Expect: 100-Continue\r\nX-A: one two\r\n\r\n";
	struct head h;

	assert_int_equal(head_parse(text, strlen(text), &h), 0);
	assert_string_equal(h.method, "POST");
	assert_string_equal(h.path, "/x/y");
	assert_string_equal(h.query, "q=1?2");
	assert_string_equal(head_field(&h, "host"), "h");
	assert_string_equal(head_field(&h, "x-empty"), "");
	assert_string_equal(head_field(&h, "x-a"), "one two");
	assert_null(head_field(&h, "x-b"));
	assert_true(h.expects);
}

static void too_many(void)
{
	char text[4096];
	struct head h;
	int n = snprintf(text, sizeof(text), LINE HOST);

	for (int i = 1; i < HEAD_FIELDS; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "A%d: b\r\n", i);
	snprintf(text + n, sizeof(text) - (size_t)n, "\r\n");
	assert_int_equal(head_parse(text, strlen(text), &h), 0);
	n = snprintf(text, sizeof(text), LINE HOST);
	for (int i = 0; i < HEAD_FIELDS; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "A%d: b\r\n", i);
	snprintf(text + n, sizeof(text) - (size_t)n, "\r\n");
	assert_int_equal(head_parse(text, strlen(text), &h), 431);
}

static const struct unit_case cases[] = { { "parts", parts },
					  { "too many", too_many } };

int main(void)
{
	return unit_rows("head_parse", rows, test_parse) +
	       unit_cases("head_parse more", cases);
}
