#include "runtime/gate/proxy.h"

#include "tests/unit/unit.h"

static const struct url_row {
	const char *name, *url;
	enum gate_proxy_kind kind;
	const char *host;
	uint16_t port;
	const char *user, *password;
	const char *msg; /* NULL = good */
} urls[] = {
	/* clang-format off */
	{ "host and port", "http://proxy.corp:3128", GATE_PROXY_HTTP, "proxy.corp", 3128, "", "", NULL },
	{ "no scheme", "proxy.corp:3128", GATE_PROXY_HTTP, "proxy.corp", 3128, "", "", NULL },
	{ "no port", "http://proxy.corp/", GATE_PROXY_HTTP, "proxy.corp", 8080, "", "", NULL },
	{ "socks", "socks5://10.0.0.1", GATE_PROXY_SOCKS5, "10.0.0.1", 1080, "", "", NULL },
	{ "socks by name", "SOCKS5H://p:9", GATE_PROXY_SOCKS5, "p", 9, "", "", NULL },
	{ "user", "http://u:p%40x@h:1", GATE_PROXY_HTTP, "h", 1, "u", "p@x", NULL },
	{ "at in the password", "http://u:a@b@h:1", GATE_PROXY_HTTP, "h", 1, "u", "a@b", NULL },
	{ "IPv6", "http://[::1]:3128", GATE_PROXY_HTTP, "::1", 3128, "", "", NULL },
	{ "https proxy", "https://p:1", 0, NULL, 0, NULL, NULL, "proxies are http:// or socks5://, not 'https://'" },
	{ "bad port", "http://p:x", 0, NULL, 0, NULL, NULL, "bad host or port in the proxy's URL" },
	{ "no host", "http://", 0, NULL, 0, NULL, NULL, "bad host or port in the proxy's URL" },
	{ "NUL in the password", "http://u:%00@h", 0, NULL, 0, NULL, NULL, "bad user or password in the proxy's URL" },
	/* clang-format on */
};

static void parses(const void *p)
{
	const struct url_row *row = p;
	struct gate_proxy got;
	struct err e = ERR_NONE;
	int r = gate_proxy_parse(row->url, &got, &e);

	if (row->msg) {
		assert_int_equal(r, -EINVAL);
		unit_err(&e, -EINVAL, row->msg);
		return;
	}
	unit_ok(r, &e);
	assert_int_equal(got.kind, row->kind);
	assert_string_equal(got.host, row->host);
	assert_int_equal(got.port, row->port);
	assert_string_equal(got.user, row->user);
	assert_string_equal(got.password, row->password);
}

static const struct env_row {
	const char *name;
	const char *env[4];
	const char *host; /* asked for; an address when it parses as one */
	uint16_t port;
	const char *want; /* the proxy's host; NULL = direct */
} envs[] = {
	/* clang-format off */
	{ "nothing set", { 0 }, "a.b", 443, NULL },
	{ "https", { "HTTPS_PROXY=http://p:1" }, "a.b", 443, "p" },
	{ "https for ssh", { "HTTPS_PROXY=http://p:1" }, "a.b", 22, "p" },
	{ "https for http too", { "HTTPS_PROXY=http://p:1" }, "a.b", 80, "p" },
	{ "http for port 80", { "HTTPS_PROXY=http://p:1", "http_proxy=http://q:1" }, "a.b", 80, "q" },
	{ "http alone, not for 443", { "http_proxy=http://q:1" }, "a.b", 443, NULL },
	{ "all", { "ALL_PROXY=socks5://s:1" }, "a.b", 22, "s" },
	{ "https before all", { "ALL_PROXY=socks5://s:1", "https_proxy=http://p:1" }, "a.b", 22, "p" },
	{ "lower case wins", { "https_proxy=http://l:1", "HTTPS_PROXY=http://u:1" }, "a.b", 443, "l" },
	{ "empty is unset", { "https_proxy=" }, "a.b", 443, NULL },
	{ "not for a name", { "https_proxy=http://p:1", "no_proxy=x.y,a.b" }, "a.b", 443, NULL },
	{ "not below a name", { "https_proxy=http://p:1", "no_proxy=.b" }, "a.b", 443, NULL },
	{ "star below", { "https_proxy=http://p:1", "no_proxy=*.b" }, "a.b", 443, NULL },
	{ "alike is another", { "https_proxy=http://p:1", "no_proxy=b.c" }, "ab.c", 443, "p" },
	{ "not for anything", { "https_proxy=http://p:1", "no_proxy=*" }, "a.b", 443, NULL },
	{ "not for an address", { "https_proxy=http://p:1", "no_proxy=10.0.0.0/8" }, "10.1.2.3", 443, NULL },
	{ "for another address", { "https_proxy=http://p:1", "no_proxy=10.0.0.0/8" }, "11.1.2.3", 443, "p" },
	{ "not at a port", { "https_proxy=http://p:1", "no_proxy=a.b:443" }, "a.b", 443, NULL },
	{ "at another port", { "https_proxy=http://p:1", "no_proxy=a.b:443" }, "a.b", 22, "p" },
	/* clang-format on */
};

static void chooses(const void *p)
{
	const struct env_row *row = p;
	struct gate_proxy_conf c;
	const struct gate_proxy *got;
	struct err e = ERR_NONE;
	struct netaddr a;

	unit_ok(gate_proxy_from_env(row->env, &c, &e), &e);
	if (netaddr_parse(row->host, &a) >= 0)
		got = gate_proxy_for(&c, NULL, &a, row->port);
	else
		got = gate_proxy_for(&c, row->host, NULL, row->port);
	if (row->want)
		assert_string_equal(got->host, row->want);
	else
		assert_null(got);
}

static void names_the_variable(void)
{
	static const char *const env[] = { "ALL_PROXY=ftp://x", NULL };
	struct gate_proxy_conf c;
	struct err e = ERR_NONE;

	assert_int_equal(gate_proxy_from_env(env, &c, &e), -EINVAL);
	unit_err(&e, -EINVAL,
		 "all_proxy: proxies are http:// or socks5://, not 'ftp://'");
}

/* A conversation: what is sent first, then pairs of what comes and what is answered;
 * fed byte by byte as well. */
static const struct talk_row {
	const char *name, *url, *host;
	const char *first;
	size_t first_len;
	struct {
		const char *in;
		size_t in_len;
		const char *out;
		size_t out_len;
	} steps[4];
	int want;	  /* of the last step */
	const char *rest; /* of the tunnel, behind the last answer */
} talks[] = {
#define S(t) t, sizeof(t) - 1
	/* clang-format off */
	{ "connect", "http://p:1", "a.b", S("CONNECT a.b:443 HTTP/1.1\r\nHost: a.b:443\r\n\r\n"),
	  { { S("HTTP/1.1 200 Connection established\r\nX: y\r\n\r\n"), S("") } }, 1, "SSH-2.0" },
	{ "connect to IPv6", "http://p:1", "::1", S("CONNECT [::1]:443 HTTP/1.1\r\nHost: [::1]:443\r\n\r\n"),
	  { { S("HTTP/1.0 200 OK\r\n\r\n"), S("") } }, 1, "" },
	{ "connect with a password", "http://us:pw@p:1", "a.b",
	  S("CONNECT a.b:443 HTTP/1.1\r\nHost: a.b:443\r\nProxy-Authorization: Basic dXM6cHc=\r\n\r\n"),
	  { { S("HTTP/1.1 407 Auth\r\n\r\n"), S("") } }, -EACCES, "" },
	{ "connect refused", "http://p:1", "a.b", S("CONNECT a.b:443 HTTP/1.1\r\nHost: a.b:443\r\n\r\n"),
	  { { S("HTTP/1.1 403 No\r\n\r\n"), S("") } }, -EACCES, "" },
	{ "connect, host down", "http://p:1", "a.b", S("CONNECT a.b:443 HTTP/1.1\r\nHost: a.b:443\r\n\r\n"),
	  { { S("HTTP/1.1 503 No\r\n\r\n"), S("") } }, -EHOSTUNREACH, "" },
	{ "no proxy at all", "http://p:1", "a.b", S("CONNECT a.b:443 HTTP/1.1\r\nHost: a.b:443\r\n\r\n"),
	  { { S("SSH-2.0-x\r\n\r\n"), S("") } }, -EPROTO, "" },
	{ "socks", "socks5://p:1", "a.b", S("\5\1\0"),
	  { { S("\5\0"), S("\5\1\0\3\3a.b\1\xbb") }, { S("\5\0\0\1\1\2\3\4\0\x50"), S("") } }, 1, "220 x" },
	{ "socks, an address", "socks5://p:1", "1.2.3.4", S("\5\1\0"),
	  { { S("\5\0"), S("\5\1\0\1\1\2\3\4\1\xbb") }, { S("\5\0\0\3\2xy\0\x50"), S("") } }, 1, "" },
	{ "socks with a password", "socks5://us:pw@p:1", "a.b", S("\5\2\0\2"),
	  { { S("\5\2"), S("\1\2us\2pw") }, { S("\1\0"), S("\5\1\0\3\3a.b\1\xbb") },
	    { S("\5\5\0\1\0\0\0\0\0\0"), S("") } }, -ECONNREFUSED, "" },
	{ "socks, wrong password", "socks5://us:pw@p:1", "a.b", S("\5\2\0\2"),
	  { { S("\5\2"), S("\1\2us\2pw") }, { S("\1\1"), S("") } }, -EACCES, "" },
	{ "socks, no method", "socks5://p:1", "a.b", S("\5\1\0"),
	  { { S("\5\xff"), S("") } }, -EACCES, "" },
	{ "socks 4", "socks5://p:1", "a.b", S("\5\1\0"), { { S("\4\0"), S("") } }, -EPROTO, "" },
	/* clang-format on */
};

static int feed(struct gate_proxy_talk *t, const char *in, size_t len, bool bytewise,
		struct buf *out)
{
	size_t used = 0;
	int r = 0;

	for (size_t n = bytewise ? 1 : len; n <= len && !r && !used; n++)
		r = gate_proxy_feed(t, in, n, &used, out);
	return r;
}

static void talk(const struct talk_row *row, bool bytewise)
{
	_cleanup_buf_ struct buf out = BUF_INIT(4096);
	struct gate_proxy p;
	struct gate_proxy_talk t = { .proxy = &p, .port = 443 };
	struct err e = ERR_NONE;
	int r = 0;

	unit_ok(gate_proxy_parse(row->url, &p, &e), &e);
	strcpy(t.host, row->host);
	assert_int_equal(gate_proxy_begin(&t, &out), 0);
	assert_int_equal(out.len, row->first_len);
	assert_memory_equal(out.data, row->first, out.len);
	for (int i = 0; i < 4 && row->steps[i].in; i++) {
		char in[256];
		size_t len = row->steps[i].in_len, rest = strlen(row->rest);
		size_t used = 0;

		buf_truncate(&out, 0);
		memcpy(in, row->steps[i].in, len);
		if (bytewise) {
			r = feed(&t, in, len, true, &out);
		} else {
			memcpy(in + len, row->rest, rest);
			r = gate_proxy_feed(&t, in, len + rest, &used, &out);
			if (r >= 0)
				assert_int_equal(used, len); /* the rest stays */
		}
		assert_int_equal(out.len, row->steps[i].out_len);
		if (out.len)
			assert_memory_equal(out.data, row->steps[i].out, out.len);
	}
	assert_int_equal(r, row->want);
}

static void talks_to_proxies(const void *row)
{
	talk(row, false);
	talk(row, true);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "names the variable", names_the_variable },
	};
	int r = unit_rows("gate_proxy_parse", urls, parses);

	r |= unit_rows("gate_proxy_for", envs, chooses);
	r |= unit_rows("gate_proxy_feed", talks, talks_to_proxies);
	return r | unit_cases("netproxy", cases);
}
