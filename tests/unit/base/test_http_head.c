#include "base/http_head.h"

#include "tests/unit/unit.h"

static void take_all(struct http_head *h, const char *text)
{
	while (*text) {
		const char *end = strchr(text, '\n');
		size_t len = end ? (size_t)(end - text) + 1 : strlen(text);

		http_head_line(h, text, len);
		text += len;
	}
}

static const struct row {
	const char *name, *text;
	int status;
	int64_t length;
	bool done, location;
	const char *type, *retry_after, *request_id;
} rows[] = {
	{ "usual",
	  "HTTP/1.1 200 OK\r\nContent-Type: Text/Event-Stream; Charset=UTF-8\r\n"
	  "content-length:  42 \r\nx-request-id: req_1\r\n\r\n",
	  200, 42, true, false, "text/event-stream; charset=utf-8", "", "req_1" },
	{ "HTTP/2", "HTTP/2 429 \r\nretry-after: 7\r\nrequest-id: r\r\n\r\n", 429, -1,
	  true, false, "", "7", "r" },
	{ "interim answers count for nothing",
	  "HTTP/1.1 103 Early Hints\r\nContent-Type: x\r\nlocation: /\r\n\r\n"
	  "HTTP/1.1 200 OK\r\n\r\n",
	  200, -1, true, false, "", "", "" },
	{ "not complete", "HTTP/1.1 200 OK\r\nContent-Type: a\r\n", 200, -1, false,
	  false, "a", "", "" },
	{ "trailers come too late",
	  "HTTP/1.1 200 OK\r\n\r\nretry-after: 5\r\nHTTP/1.1 500 No\r\n", 200, -1, true,
	  false, "", "", "" },
	{ "the first of a name counts",
	  "HTTP/1.1 503 X\r\nRetry-After: 1\r\nRetry-After: 2\r\n\r\n", 503, -1, true,
	  false, "", "1", "" },
	{ "location", "HTTP/1.1 302 Found\nLOCATION: /x\n\n", 302, -1, true, true, "",
	  "", "" },
	{ "bad lengths", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", 200, -1, true,
	  false, "", "", "" },
	{ "a length beyond 63 bits",
	  "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775808\r\n\r\n", 200, -1,
	  true, false, "", "", "" },
	{ "controls in values",
	  "HTTP/1.1 200 OK\r\nretry-after: \x1b[31m\xc3\xa4\r\n\r\n", 200, -1, true,
	  false, "", "?[31m??", "" },
	{ "nonsense", "garbage\r\n: x\r\nHTTP/1.1\r\nHTTP/1.1 2x0 OK\r\n\r\n", 0, -1,
	  false, false, "", "", "" },
};

static void test_head(const void *data)
{
	const struct row *row = data;
	struct http_head h = HTTP_HEAD_INIT;

	take_all(&h, row->text);
	assert_int_equal(h.reply.status, row->status);
	assert_int_equal(h.reply.length, row->length);
	assert_int_equal(h.done, row->done);
	assert_int_equal(h.reply.location[0] != 0, row->location);
	assert_string_equal(h.reply.content_type, row->type);
	assert_string_equal(h.reply.retry_after, row->retry_after);
	assert_string_equal(h.reply.request_id, row->request_id);
}

static void long_values_are_cut(void)
{
	struct http_head h = HTTP_HEAD_INIT;
	char line[1000] = "content-type: ";

	memset(line + 14, 'A', sizeof(line) - 14);
	http_head_line(&h, line, sizeof(line));
	assert_int_equal(strlen(h.reply.content_type), HTTP_TYPE - 1);
	assert_int_equal(h.reply.content_type[0], 'a');
}

static void all_warnings(void)
{
	struct http_head h = HTTP_HEAD_INIT;
	char line[1000] = "Warning: ";

	take_all(&h, "Warning: 299 - \"a\"\r\nwarning: 299 - \"b\"\r\n");
	assert_string_equal(h.reply.warning, "299 - \"a\", 299 - \"b\"");
	memset(line + 9, 'A', sizeof(line) - 9);
	for (int i = 0; i < 5; i++)
		http_head_line(&h, line, sizeof(line));
	assert_int_equal(strlen(h.reply.warning), HTTP_LONG - 1);
}

static const struct date {
	const char *name, *text;
	int64_t want;
} dates[] = {
	{ "date", "Sun, 06 Nov 1994 08:49:47 GMT", 784111787 },
	{ "date: none", "", -1 },
	{ "date: seconds", "120", -1 },
	{ "date: more behind it", "Sun, 06 Nov 1994 08:49:47 GMT+1", -1 },
	{ "date: before there were any", "Thu, 06 Nov 1879 08:49:47 GMT", -1 },
};

static void test_date(const void *data)
{
	const struct date *row = data;

	assert_int_equal(http_head_date(row->text), row->want);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "long values are cut", long_values_are_cut },
		{ "all warnings are kept", all_warnings },
	};

	return unit_rows("http_head", rows, test_head) +
	       unit_rows("http_head_date", dates, test_date) +
	       unit_cases("http_head", cases);
}
