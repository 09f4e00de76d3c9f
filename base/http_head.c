#include "base/http_head.h"

#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/num.h"

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* What the value of a field is copied to; the first of a name counts. */
static const struct field {
	const char *name;
	size_t at, size; /* in struct http_reply */
	enum { AS_IT_IS, LOWER, LIST /* all of the name count */ } how;
} fields[] = {
#define FIELD(name, member, how)                                      \
	{                                                             \
		name, offsetof(struct http_reply, member),            \
			sizeof(((struct http_reply *)0)->member), how \
	}
	FIELD("content-type", content_type, LOWER),
	FIELD("retry-after", retry_after, AS_IT_IS),
	FIELD("retry-after-ms", retry_after_ms, AS_IT_IS),
	FIELD("www-authenticate", challenge, AS_IT_IS),
	FIELD("content-range", content_range, AS_IT_IS),
	FIELD("location", location, AS_IT_IS),
	FIELD("docker-content-digest", content_digest, AS_IT_IS),
	FIELD("ratelimit-limit", limit, AS_IT_IS),
	FIELD("ratelimit-remaining", limit_left, AS_IT_IS),
	FIELD("x-should-retry", should_retry, AS_IT_IS),
	FIELD("x-request-id", request_id, AS_IT_IS),
	FIELD("request-id", request_id, AS_IT_IS),
	FIELD("warning", warning, LIST),
#undef FIELD
};

/* Cut to what fits; anything but printable ASCII becomes a question mark. */
static void copy_value(char *to, size_t size, bool low, const char *s, size_t len)
{
	len = MIN(len, size - 1);
	for (size_t i = 0; i < len; i++) {
		char c = s[i] >= ' ' && s[i] <= '~' ? s[i] : '?';

		to[i] = low ? lower(c) : c;
	}
	to[len] = '\0';
}

static void set_length(struct http_reply *r, const char *s, size_t len)
{
	char text[24];
	uint64_t n;

	if (len >= sizeof(text))
		return;
	memcpy(text, s, len);
	text[len] = '\0';
	if (!num_range(text, 0, INT64_MAX, &n))
		r->length = (int64_t)n;
}

static bool named(const char *line, size_t len, const char *name)
{
	return len == strlen(name) && !strncasecmp(line, name, len);
}

static void take_field(struct http_head *h, const char *line, size_t len)
{
	const char *colon = memchr(line, ':', len), *v;
	size_t name_len, v_len;

	if (!colon)
		return;
	name_len = (size_t)(colon - line);
	v = colon + 1;
	v_len = len - name_len - 1;
	for (; v_len && is_blank(*v); v++)
		v_len--;
	while (v_len && is_blank(v[v_len - 1]))
		v_len--;
	if (named(line, name_len, "content-length"))
		set_length(&h->reply, v, v_len);
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		const struct field *f = &fields[i];
		char *to = (char *)&h->reply + f->at;
		size_t n = strlen(to);

		if (!named(line, name_len, f->name) || (n && f->how != LIST))
			continue;
		if (n && n + sizeof(", ") < f->size) {
			memcpy(to + n, ", ", sizeof(", "));
			n += 2;
		}
		copy_value(to + n, f->size - n, f->how == LOWER, v, v_len);
	}
}

/* "HTTP/1.1 200 OK", "HTTP/2 200" */
static void take_status(struct http_head *h, const char *line, size_t len)
{
	const char *at = memchr(line, ' ', len);
	int status = 0;

	*h = HTTP_HEAD_INIT;
	if (!at || len - (size_t)(at - line) < 4)
		return;
	for (int i = 1; i <= 3; i++) {
		if (at[i] < '0' || at[i] > '9')
			return;
		status = status * 10 + (at[i] - '0');
	}
	h->reply.status = status;
}

void http_head_line(struct http_head *h, const char *line, size_t len)
{
	if (h->done)
		return;
	while (len && (line[len - 1] == '\n' || line[len - 1] == '\r'))
		len--;
	if (!len)
		h->done = h->reply.status >= 200;
	else if (len >= 5 && !memcmp(line, "HTTP/", 5))
		take_status(h, line, len);
	else
		take_field(h, line, len);
}

int64_t http_head_date(const char *s)
{
	struct tm tm = { 0 };
	const char *end = strptime(s, "%a, %d %b %Y %H:%M:%S GMT", &tm);

	return end && !*end ? MAX((int64_t)timegm(&tm), (int64_t)-1) : -1;
}
