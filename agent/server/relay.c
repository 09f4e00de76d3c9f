#include "agent/server/relay.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/def.h"

enum { LINES = 256 };

/* What is about this connection, and what proxies in front take as an order. */
static const char *const dropped[] = { "connection",
				       "keep-alive",
				       "proxy-connection",
				       "proxy-authenticate",
				       "upgrade",
				       "trailer",
				       "x-accel-redirect",
				       "x-accel-expires",
				       "x-sendfile",
				       "x-sendfile2",
				       "x-lighttpd-send-file",
				       "x-reproxy-url",
				       "x-accel-limit-rate",
				       "alt-svc",
				       "strict-transport-security",
				       "public-key-pins",
				       "clear-site-data",
				       "service-worker-allowed",
				       "nel",
				       "report-to",
				       "reporting-endpoints" };

struct line {
	const char *text;
	size_t len; /* without its end */
};

/* The next line of @in from @at on: false = it is not complete. */
static bool next_line(const char *in, size_t len, size_t *at, struct line *ret)
{
	const char *end = *at < len ? memchr(in + *at, '\n', len - *at) : NULL;

	if (!end)
		return false;
	*ret = (struct line){ in + *at, (size_t)(end - in) - *at };
	*at = (size_t)(end - in) + 1;
	if (ret->len && ret->text[ret->len - 1] == '\r')
		ret->len--;
	return true;
}

static bool is_clean(const struct line *l)
{
	for (size_t i = 0; i < l->len; i++)
		if (((unsigned char)l->text[i] < ' ' && l->text[i] != '\t') ||
		    l->text[i] == 0x7f)
			return false;
	return true;
}

/* "HTTP/1.1 200 OK": the status, or -EPROTO */
static int read_status(const struct line *l)
{
	int status = 0;

	if (l->len < 12 || strncmp(l->text, "HTTP/1.", 7) != 0 || l->text[8] != ' ' ||
	    (l->len > 12 && l->text[12] != ' ') || !is_clean(l))
		return -EPROTO;
	for (int i = 9; i < 12; i++) {
		if (l->text[i] < '0' || l->text[i] > '9')
			return -EPROTO;
		status = status * 10 + l->text[i] - '0';
	}
	return status >= 100 && status <= 599 ? status : -EPROTO;
}

static bool is_name(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		char c = s[i];

		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
		      (c >= 'A' && c <= 'Z') || (c && strchr("!#$%&'*+-.^_`|~", c))))
			return false;
	}
	return len > 0;
}

static bool named(const struct line *l, size_t name, const char *what)
{
	return strlen(what) == name && strncasecmp(l->text, what, name) == 0;
}

/* Where the answer ends: in one way, or it is refused. */
static int check_end(const struct line *l, size_t name, unsigned *ends)
{
	const char *value = l->text + name + 1;
	size_t len = l->len - name - 1;

	while (len && (*value == ' ' || *value == '\t')) {
		value++;
		len--;
	}
	while (len && (value[len - 1] == ' ' || value[len - 1] == '\t'))
		len--;
	if (named(l, name, "transfer-encoding"))
		return (*ends)++ || len != 7 || strncasecmp(value, "chunked", 7) != 0
			       ? -EPROTO
			       : 0;
	if (!named(l, name, "content-length"))
		return 0;
	if ((*ends)++ || !len || len > 18)
		return -EPROTO;
	for (size_t i = 0; i < len; i++)
		if (value[i] < '0' || value[i] > '9')
			return -EPROTO;
	return 0;
}

static int pass_field(const struct line *l, unsigned *ends, struct buf *out)
{
	const char *colon = memchr(l->text, ':', l->len);
	size_t name = colon ? (size_t)(colon - l->text) : 0;

	if (!is_name(l->text, name) || !is_clean(l) || check_end(l, name, ends) < 0)
		return -EPROTO;
	for (size_t i = 0; i < ARRAY_SIZE(dropped); i++)
		if (named(l, name, dropped[i]))
			return 0;
	buf_add(out, l->text, l->len);
	return buf_adds(out, "\r\n");
}

/* The head's own end: its length, or 0. */
static size_t head_end(const char *in, size_t len)
{
	struct line l;

	for (size_t at = 0; next_line(in, len, &at, &l);)
		if (!l.len)
			return at;
	return 0;
}

ssize_t relay_head(const char *in, size_t len, bool websocket, int *status,
		   struct buf *out)
{
	size_t end = head_end(in, MIN(len, (size_t)RELAY_HEAD_MAX)), at = 0;
	size_t before = out->len;
	unsigned ends = 0, lines = 0;
	struct line l = { in, 0 };
	int r;

	if (!end)
		return len >= RELAY_HEAD_MAX ? -EMSGSIZE : 0;
	(void)next_line(in, end, &at, &l);
	r = *status = read_status(&l);
	if (r < 0 || (r == 101 && !websocket))
		return -EPROTO;
	buf_adds(out, "HTTP/1.1");
	buf_add(out, l.text + 8, l.len - 8);
	r = buf_adds(out, "\r\n");
	while (r == 0 && next_line(in, end, &at, &l) && l.len)
		r = ++lines > LINES ? -EMSGSIZE : pass_field(&l, &ends, out);
	if (*status == 101)
		r = ends ? -EPROTO : r;
	if (r < 0 || (*status < 200 && *status != 101)) {
		buf_truncate(out, before);
		return r < 0 ? r : (ssize_t)end;
	}
	r = buf_adds(out, *status == 101
				  ? "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
				  : "Connection: close\r\n\r\n");
	return r < 0 ? r : (ssize_t)end;
}
