#include "agent/server/http/relay.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "agent/server/http/head.h"
#include "base/num.h"

/* Of a head; how many lines of it say what is about this connection, and how much each; how
 * many heads may come before that of the answer. Honest ones have a few. */
enum { LINES = 256, CONNECTIONS = 4, CONNECTION_LEN = 256, INTERIM = 16 };

/* What is about this connection, and what proxies in front take as an order. */
static const char *const dropped[] = { "connection",
				       "keep-alive",
				       "proxy-connection",
				       "proxy-authenticate",
				       "proxy-authentication-info",
				       "te",
				       "http2-settings",
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

static bool named(const struct line *l, size_t name, const char *what)
{
	return strlen(what) == name && strncasecmp(l->text, what, name) == 0;
}

/* The value, without blanks around it. */
static struct line value_of(const struct line *l, size_t name)
{
	struct line v = { l->text + name + 1, l->len - name - 1 };

	while (v.len && (*v.text == ' ' || *v.text == '\t')) {
		v.text++;
		v.len--;
	}
	while (v.len && (v.text[v.len - 1] == ' ' || v.text[v.len - 1] == '\t'))
		v.len--;
	return v;
}

/* Where the answer ends: in one way, or it is refused. */
static int read_end(struct relay *r, const struct line *l, size_t name)
{
	bool coding = named(l, name, "transfer-encoding");
	struct line v = value_of(l, name);
	char text[20] = "";
	uint64_t n = 0;

	if (!coding && !named(l, name, "content-length"))
		return 0;
	if (r->chunks || r->left >= 0)
		return -EPROTO;
	r->chunks = coding;
	if (coding)
		return v.len == 7 && strncasecmp(v.text, "chunked", 7) == 0 ? 0
									    : -EPROTO;
	if (!v.len || v.len > 18)
		return -EPROTO;
	memcpy(text, v.text, v.len);
	if (strspn(text, "0123456789") != v.len || num_u64(text, &n) < 0)
		return -EPROTO;
	r->left = (int64_t)n;
	return 0;
}

/* What the lines "Connection" of a head have. */
struct connection {
	struct line values[CONNECTIONS];
	size_t n;
};

static int read_connection(const struct line *head, struct connection *ret)
{
	struct line l;

	*ret = (struct connection){ 0 };
	for (size_t at = 0; next_line(head->text, head->len, &at, &l);) {
		const char *colon = memchr(l.text, ':', l.len);
		size_t name = colon ? (size_t)(colon - l.text) : 0;

		if (!name || !named(&l, name, "connection"))
			continue;
		if (ret->n == CONNECTIONS || l.len > CONNECTION_LEN)
			return -EMSGSIZE;
		ret->values[ret->n++] = value_of(&l, name);
	}
	return 0;
}

/* Is @field, whose name has @name bytes, one of the words of @v? */
static bool lists(const struct line *v, const struct line *field, size_t name)
{
	for (size_t at = 0, len; at < v->len; at += len + 1) {
		size_t n;

		for (len = 0; at + len < v->len && v->text[at + len] != ','; len++)
			;
		while (len && strchr(" \t", v->text[at])) {
			at++;
			len--;
		}
		n = len;
		while (n && strchr(" \t", v->text[at + n - 1]))
			n--;
		if (n == name && strncasecmp(v->text + at, field->text, n) == 0)
			return true;
	}
	return false;
}

/* RFC 9110, 7.6.1: what "Connection" names ends here, but for where the answer ends. */
static bool stays(const struct connection *c, const struct line *field, size_t name)
{
	for (size_t i = 0; i < ARRAY_SIZE(dropped); i++)
		if (named(field, name, dropped[i]))
			return true;
	if (named(field, name, "content-length") ||
	    named(field, name, "transfer-encoding"))
		return false;
	for (size_t i = 0; i < c->n; i++)
		if (lists(&c->values[i], field, name))
			return true;
	return false;
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

static int pass_field(struct relay *r, const struct connection *c, const struct line *l,
		      struct buf *out)
{
	const char *colon = memchr(l->text, ':', l->len);
	size_t name = colon ? (size_t)(colon - l->text) : 0;

	if (!head_is_token(l->text, name) || !is_clean(l) || read_end(r, l, name) < 0)
		return -EPROTO;
	if (stays(c, l, name))
		return 0;
	buf_add(out, l->text, l->len);
	return buf_adds(out, "\r\n");
}

/* The lines of @head, which is complete. */
static int pass_head(struct relay *r, const struct line *head, struct buf *out)
{
	struct line l = { head->text, 0 };
	struct connection connection;
	size_t at = 0, lines = 0;
	int e = read_connection(head, &connection);

	if (e < 0)
		return e;
	(void)next_line(head->text, head->len, &at, &l);
	r->chunks = false;
	r->left = -1;
	e = r->status = read_status(&l);
	if (e < 0 || (e == 101 && !r->websocket))
		return -EPROTO;
	buf_adds(out, "HTTP/1.1");
	buf_add(out, l.text + 8, l.len - 8);
	e = buf_adds(out, "\r\n");
	while (e == 0 && next_line(head->text, head->len, &at, &l) && l.len)
		e = ++lines > LINES ? -EMSGSIZE : pass_field(r, &connection, &l, out);
	if (e == 0 && r->status == 101 && (r->chunks || r->left >= 0))
		return -EPROTO;
	return e;
}

ssize_t relay_head(struct relay *r, const char *in, size_t len, struct buf *out)
{
	const struct line head = { in, head_end(in, MIN(len, (size_t)RELAY_HEAD_MAX)) };
	size_t before = out->len;
	int e;

	if (!head.len)
		return len >= RELAY_HEAD_MAX ? -EMSGSIZE : 0;
	e = pass_head(r, &head, out);
	if (e == 0 && r->status < 200 && r->status != 101 && ++r->interim > INTERIM)
		e = -EPROTO;
	if (e < 0 || (r->status < 200 && r->status != 101)) {
		buf_truncate(out, before);
		return e < 0 ? e : (ssize_t)head.len;
	}
	if (r->to_head || r->status == 204 || r->status == 304)
		r->left = r->chunks = 0;
	r->whole = !r->chunks && !r->left;
	e = buf_adds(out, r->status == 101
				  ? "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
				  : "Connection: close\r\n\r\n");
	return e < 0 ? e : (ssize_t)head.len;
}

ssize_t relay_body(struct relay *r, const char *in, size_t len)
{
	size_t at = 0, used = 0;

	while (r->chunks && !r->whole && at < len) {
		struct chunked_data d;
		int e = chunked_feed(&r->at, in + at, len - at, &used, &d);

		if (e < 0)
			return -EPROTO;
		r->whole = e == 1;
		at += used;
	}
	if (r->chunks || r->whole)
		return (ssize_t)at;
	if (r->left < 0)
		return (ssize_t)len;
	at = (size_t)MIN((uint64_t)len, (uint64_t)r->left);
	r->left -= (int64_t)at;
	r->whole = !r->left;
	return (ssize_t)at;
}
