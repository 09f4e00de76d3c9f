#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "agent/server/exchange/route.h"
#include "agent/server/http/chunked.h"
#include "agent/server/http/head.h"
#include "base/buf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int nothing(struct exchange *, struct err *)
{
	return 0;
}

static const struct route rows[] = {
	{ .method = "GET", .path = "/execute/{id}/status", .run = nothing },
	{ .method = "*", .path = "/proxy/{port}/{rest*}", .run = nothing },
};

static void check_routes(const struct head *h)
{
	const struct route_table table = { rows, ARRAY_SIZE(rows) };
	_cleanup_buf_ struct buf value = BUF_INIT(HEAD_MAX);
	struct route_match m = { 0 };

	if (route_find(&table, 1, h->method, h->path, &m) == 0) {
		for (unsigned i = 0; i < m.count; i++)
			assert(strlen(m.params[i].value) <= strlen(h->path));
		route_match_done(&m);
	}
	if (route_query(h->query, "q", 0, &value) > 0)
		assert(value.len <= strlen(h->query) &&
		       !memchr(buf_cstr(&value), '\0', value.len));
}

/* The same body, however it is cut; nothing but it is taken. */
static void check_body(const char *text, size_t len)
{
	_cleanup_buf_ struct buf a = BUF_INIT(1 << 20), b = BUF_INIT(1 << 20);
	struct chunked one = { 0 }, many = { 0 };
	size_t at = 0, end = 0, used = 0;
	struct chunked_data d;
	int r = 0, s = 0;

	for (; r == 0 && at < len; at += used) {
		used = 0;
		r = chunked_feed(&one, text + at, len - at, &used, &d);
		if (r >= 0)
			buf_add(&a, d.data, d.len);
	}
	for (; s == 0 && end < len; end += used) {
		used = 0;
		s = chunked_feed(&many, text + end, 1, &used, &d);
		if (s >= 0)
			buf_add(&b, d.data, d.len);
	}
	assert((r < 0) == (s < 0) && (r == 1) == (s == 1));
	assert(r < 0 || (at == end && a.len == b.len &&
			 !memcmp(buf_cstr(&a), buf_cstr(&b), a.len)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t n = head_length((const char *)data, size);
	struct head h;
	char *text;

	check_body((const char *)data, size);
	if (!n)
		return 0;
	text = malloc(n + 1);
	if (!text)
		return 0;
	memcpy(text, data, n);
	text[n] = '\0';
	if (head_parse(text, n, &h) == 0) {
		assert(h.path[0] == '/' && h.length >= HEAD_CHUNKED &&
		       h.count <= HEAD_FIELDS);
		for (unsigned i = 0; i < h.count; i++)
			assert(h.fields[i].name[0] &&
			       !strpbrk(h.fields[i].value, "\r\n"));
		check_routes(&h);
		check_body((const char *)data + n, size - n);
	} else {
		assert(h.wrong);
	}
	free(text);
	return 0;
}
