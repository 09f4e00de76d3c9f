#include "runtime/gate/proxy.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/base64.h"
#include "base/num.h"
#include "base/text.h"

enum { HEAD_MAX = 8192, SOCKS_PORT = 1080, HTTP_PORT = 8080 };
enum { STEP_HTTP, STEP_METHOD, STEP_PASSWORD, STEP_REPLY };

/* %XX in a user name or password. */
static int unescape(char *out, size_t size, const char *s, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		char c = s[i];

		if (c == '%' && i + 2 < len && num_hex(s[i + 1]) >= 0 &&
		    num_hex(s[i + 2]) >= 0) {
			c = (char)(num_hex(s[i + 1]) << 4 | num_hex(s[i + 2]));
			i += 2;
		}
		if (n + 1 >= size || !c)
			return -EINVAL;
		out[n++] = c;
	}
	out[n] = '\0';
	return 0;
}

static int parse_user(const char *s, size_t len, struct gate_proxy *ret)
{
	const char *colon = memchr(s, ':', len);
	size_t n = colon ? (size_t)(colon - s) : len;

	if (unescape(ret->user, sizeof(ret->user), s, n) < 0)
		return -EINVAL;
	if (!colon)
		return 0;
	return unescape(ret->password, sizeof(ret->password), colon + 1, len - n - 1);
}

static int parse_host(const char *s, struct gate_proxy *ret)
{
	char text[GATE_PROXY_HOST + 16];
	char *end, *colon;
	uint64_t port;

	if (text_copy(text, sizeof(text), s) < 0)
		return -EINVAL;
	text[strcspn(text, "/")] = '\0';
	if (text[0] == '[') {
		end = strchr(text, ']');
		if (!end)
			return -EINVAL;
		*end = '\0';
		colon = end[1] == ':' ? end + 1 : NULL;
		memmove(text, text + 1, strlen(text));
	} else {
		colon = strchr(text, ':');
		if (colon)
			*colon = '\0';
	}
	if (colon) {
		if (num_range(colon + 1, 1, 65535, &port) < 0)
			return -EINVAL;
		ret->port = (uint16_t)port;
	}
	return text[0] ? text_copy(ret->host, sizeof(ret->host), text) : -EINVAL;
}

int gate_proxy_parse(const char *url, struct gate_proxy *ret, struct err *e)
{
	struct gate_proxy p = { .kind = GATE_PROXY_HTTP, .port = HTTP_PORT };
	const char *at = strstr(url, "://");
	const char *user;

	if (at) {
		size_t n = (size_t)(at - url);

		if ((n == 6 && !strncasecmp(url, "socks5", n)) ||
		    (n == 7 && !strncasecmp(url, "socks5h", n))) {
			p.kind = GATE_PROXY_SOCKS5;
			p.port = SOCKS_PORT;
		} else if (n != 4 || strncasecmp(url, "http", n) != 0) {
			return err_set(
				e, -EINVAL,
				"proxies are http:// or socks5://, not '%.*s://'",
				(int)n, url);
		}
		url = at + 3;
	}
	user = memrchr(url, '@', strcspn(url, "/"));
	if (user && parse_user(url, (size_t)(user - url), &p) < 0)
		return err_set(e, -EINVAL, "bad user or password in the proxy's URL");
	if (parse_host(user ? user + 1 : url, &p) < 0)
		return err_set(e, -EINVAL, "bad host or port in the proxy's URL");
	*ret = p;
	return 0;
}

/* The value of NAME or name; NULL when unset or empty. Lower case wins, as in curl. */
static const char *lookup(const char *const *env, const char *name)
{
	const char *found = NULL, *v;
	size_t n = strlen(name);

	while ((v = *env++)) {
		if (strncasecmp(v, name, n) != 0 || v[n] != '=')
			continue;
		if (!found || islower((unsigned char)*v))
			found = v + n + 1;
	}
	return found && *found ? found : NULL;
}

static int read_variable(const char *const *env, const char *name,
			 struct gate_proxy *ret, struct err *e)
{
	const char *url = lookup(env, name);

	if (!url || ret->kind != GATE_PROXY_NONE)
		return 0;
	if (gate_proxy_parse(url, ret, e) < 0)
		return err_wrap(e, "%s", name);
	return 0;
}

int gate_proxy_from_env(const char *const *env, struct gate_proxy_conf *ret,
			struct err *e)
{
	static const struct {
		const char *name;
		bool http;
	} order[] = { { "https_proxy", false },
		      { "all_proxy", false },
		      { "http_proxy", true },
		      { "https_proxy", true },
		      { "all_proxy", true } };
	struct gate_proxy_conf c = { 0 };
	const char *except = lookup(env, "no_proxy");
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(order) && r >= 0; i++)
		r = read_variable(env, order[i].name,
				  order[i].http ? &c.http : &c.https, e);
	if (r < 0)
		return r;
	if (except && text_copy(c.except, sizeof(c.except), except) < 0)
		return err_set(e, -EINVAL, "no_proxy is too long");
	*ret = c;
	return 0;
}

static bool except_net(char *entry, const struct netaddr *a)
{
	char *slash = strchr(entry, '/');
	struct netaddr net;
	uint64_t bits;

	if (slash)
		*slash = '\0';
	if (!a || netaddr_parse(entry, &net) < 0)
		return false;
	bits = net.len * 8u;
	if (slash && num_range(slash + 1, 0, bits, &bits) < 0)
		return false;
	return netaddr_within(a, &net, (unsigned)bits);
}

/* "example.org", ".example.org" and "*.example.org" all mean it and what is below. */
static bool except_name(const char *entry, const char *name)
{
	size_t n, len;

	if (!name)
		return false;
	entry += entry[0] == '*' && entry[1] == '.';
	entry += entry[0] == '.';
	n = strlen(entry);
	len = strlen(name);
	return n && len >= n && !strcasecmp(name + len - n, entry) &&
	       (len == n || name[len - n - 1] == '.');
}

static bool excepted(const struct gate_proxy_conf *c, const char *name,
		     const struct netaddr *a, uint16_t port)
{
	char copy[GATE_PROXY_EXCEPT], *save = NULL;

	memcpy(copy, c->except, sizeof(copy));
	for (char *entry = strtok_r(copy, ", ", &save); entry;
	     entry = strtok_r(NULL, ", ", &save)) {
		char *colon = strchr(entry, ':');
		uint64_t only;

		if (!strcmp(entry, "*") || except_net(entry, a))
			return true;
		if (colon && !strchr(colon + 1, ':')) {
			if (num_range(colon + 1, 1, 65535, &only) < 0 || only != port)
				continue;
			*colon = '\0';
		}
		if (except_name(entry, name))
			return true;
	}
	return false;
}

const struct gate_proxy *gate_proxy_for(const struct gate_proxy_conf *c,
					const char *name, const struct netaddr *a,
					uint16_t port)
{
	const struct gate_proxy *p = port == 80 ? &c->http : &c->https;

	if (p->kind == GATE_PROXY_NONE || excepted(c, name, a, port))
		return NULL;
	return p;
}

static void begin_http(const struct gate_proxy_talk *t, struct buf *out)
{
	bool v6 = strchr(t->host, ':') != NULL;
	char both[2 * GATE_PROXY_USER + 2];

	buf_addf(out, "CONNECT %s%s%s:%u HTTP/1.1\r\nHost: %s%s%s:%u\r\n",
		 v6 ? "[" : "", t->host, v6 ? "]" : "", t->port, v6 ? "[" : "", t->host,
		 v6 ? "]" : "", t->port);
	if (t->proxy->user[0]) {
		int n = snprintf(both, sizeof(both), "%s:%s", t->proxy->user,
				 t->proxy->password);

		buf_adds(out, "Proxy-Authorization: Basic ");
		base64_add(out, both, (size_t)n);
		buf_adds(out, "\r\n");
	}
	buf_adds(out, "\r\n");
}

int gate_proxy_begin(struct gate_proxy_talk *t, struct buf *out)
{
	bool login = t->proxy->user[0] != '\0';

	if (t->proxy->kind == GATE_PROXY_HTTP) {
		t->step = STEP_HTTP;
		begin_http(t, out);
		return buf_failed(out);
	}
	t->step = STEP_METHOD;
	return login ? buf_add(out, "\x05\x02\x00\x02", 4)
		     : buf_add(out, "\x05\x01\x00", 3);
}

static int feed_http(const char *in, size_t len, size_t *used)
{
	const char *end = memmem(in, len, "\r\n\r\n", 4);
	char line[16] = "";
	int status;

	if (len >= 5 && memcmp(in, "HTTP/", 5) != 0)
		return -EPROTO;
	if (!end)
		return len > HEAD_MAX ? -EPROTO : 0;
	memcpy(line, in, MIN(len, sizeof(line) - 1));
	if (sscanf(line, "HTTP/1.%*1[01] %3d", &status) != 1)
		return -EPROTO;
	*used = (size_t)(end - in) + 4;
	if (status / 100 == 2)
		return 1;
	if (status == 502 || status == 503 || status == 504)
		return -EHOSTUNREACH;
	return -EACCES; /* 403, 407 and what else it says */
}

static void socks_request(const struct gate_proxy_talk *t, struct buf *out)
{
	struct netaddr a;
	uint8_t head[5] = { 5, 1, 0, 3, (uint8_t)strlen(t->host) };
	uint8_t port[2] = { (uint8_t)(t->port >> 8), (uint8_t)t->port };

	if (netaddr_parse(t->host, &a) >= 0) {
		head[3] = a.len == 4 ? 1 : 4;
		buf_add(out, head, 4);
		buf_add(out, a.bytes, a.len);
	} else {
		buf_add(out, head, 5);
		buf_adds(out, t->host);
	}
	buf_add(out, port, 2);
}

static void socks_login(const struct gate_proxy_talk *t, struct buf *out)
{
	buf_addc(out, 1);
	buf_addc(out, (char)strlen(t->proxy->user));
	buf_adds(out, t->proxy->user);
	buf_addc(out, (char)strlen(t->proxy->password));
	buf_adds(out, t->proxy->password);
}

static int socks_reply(const uint8_t *in, size_t len, size_t *used)
{
	static const int codes[] = { 0,
				     -EACCES,
				     -EACCES,
				     -EHOSTUNREACH,
				     -EHOSTUNREACH,
				     -ECONNREFUSED,
				     -ETIMEDOUT };
	size_t need = 10;

	if (len < 5)
		return 0;
	if (in[0] != 5)
		return -EPROTO;
	if (in[1])
		return in[1] < ARRAY_SIZE(codes) ? codes[in[1]] : -EACCES;
	if (in[3] == 3)
		need = 7u + in[4];
	else if (in[3] == 4)
		need = 22;
	else if (in[3] != 1)
		return -EPROTO;
	if (len < need)
		return 0;
	*used = need;
	return 1;
}

int gate_proxy_feed(struct gate_proxy_talk *t, const void *in, size_t len, size_t *used,
		    struct buf *out)
{
	const uint8_t *b = in;
	bool login = t->proxy->user[0] != '\0';

	*used = 0;
	switch (t->step) {
	case STEP_HTTP:
		return feed_http(in, len, used);
	case STEP_REPLY:
		return socks_reply(in, len, used);
	default:
		if (len < 2)
			return 0;
	}
	*used = 2;
	if (t->step == STEP_METHOD) {
		if (b[0] != 5)
			return -EPROTO;
		if (b[1] != 0 && !(b[1] == 2 && login))
			return -EACCES;
		t->step = b[1] == 2 ? STEP_PASSWORD : STEP_REPLY;
		if (b[1] == 2)
			socks_login(t, out);
		else
			socks_request(t, out);
		return buf_failed(out);
	}
	if (b[1])
		return -EACCES;
	t->step = STEP_REPLY;
	socks_request(t, out);
	return buf_failed(out);
}
