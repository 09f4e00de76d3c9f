/* gate_hello - see the header. TLS: RFC 8446 4.1.2 and 5.1, RFC 6066 3. HTTP/1: RFC 9112 2.2
 * (a server skips empty lines and takes a bare LF), 3.2 (the four forms of a target). */
#include "runtime/gate/hello.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/num.h"

static const char name_chars[] = "abcdefghijklmnopqrstuvwxyz0123456789-_.";

static struct gate_hello_name *new_name(struct gate_hello *h)
{
	return h->n < GATE_HELLO_NAMES ? &h->names[h->n++] : NULL;
}

/* @s is a name, an IPv4 address, or an IPv6 address without brackets. */
static bool put_host(struct gate_hello_name *to, const char *s, size_t len, bool ipv6)
{
	if (len && s[len - 1] == '.')
		len--;
	if (!len || len >= GATE_HELLO_NAME)
		return false;
	for (size_t i = 0; i < len; i++)
		to->host[i] = (char)tolower((unsigned char)s[i]);
	to->host[len] = '\0';
	return strspn(to->host, ipv6 ? "0123456789abcdef:." : name_chars) == len;
}

/* ---- TLS ------------------------------------------------------------------------- */

enum { RECORD_CCS = 20, RECORD_ALERT = 21, RECORD_HANDSHAKE = 22, CLIENT_HELLO = 1 };

/* Where a number or a list would end is checked before it is used: a reader that ran out
 * stays so. */
struct reader {
	const uint8_t *at;
	size_t left;
	bool out;
};

static size_t take_number(struct reader *r, unsigned bytes)
{
	size_t v = 0;

	if (r->left < bytes) {
		*r = (struct reader){ .at = r->at, .out = true };
		return 0;
	}
	for (unsigned i = 0; i < bytes; i++)
		v = v << 8 | r->at[i];
	r->at += bytes;
	r->left -= bytes;
	return v;
}

static struct reader take_bytes(struct reader *r, size_t len)
{
	struct reader part = { .at = r->at, .left = len };

	if (r->left < len) {
		*r = (struct reader){ .at = r->at, .out = true };
		return *r;
	}
	r->at += len;
	r->left -= len;
	return part;
}

/* A vector with a length of @bytes in front. */
static struct reader take_vector(struct reader *r, unsigned bytes)
{
	return take_bytes(r, take_number(r, bytes));
}

static bool server_names(struct reader body, struct gate_hello *ret)
{
	struct reader list = take_vector(&body, 2);

	while (list.left && !list.out) {
		size_t type = take_number(&list, 1);
		struct reader name = take_vector(&list, 2);
		struct gate_hello_name *to;

		if (list.out || type) /* host_name is the only type there is */
			return false;
		to = new_name(ret);
		if (!to || !put_host(to, (const char *)name.at, name.left, false))
			return false;
	}
	return !list.out && !body.out && !body.left;
}

static bool client_hello(struct reader r, struct gate_hello *ret)
{
	struct reader extensions;

	(void)take_bytes(&r, 2 + 32); /* version, random */
	(void)take_vector(&r, 1);     /* session */
	(void)take_vector(&r, 2);     /* ciphers */
	(void)take_vector(&r, 1);     /* compression */
	if (!r.out && !r.left)
		return true; /* before there were extensions */
	extensions = take_vector(&r, 2);
	if (r.out || r.left)
		return false;
	while (extensions.left && !extensions.out) {
		size_t type = take_number(&extensions, 2);
		struct reader body = take_vector(&extensions, 2);

		if (!extensions.out && !type && !server_names(body, ret))
			return false;
	}
	return !extensions.out;
}

/* The handshake's bytes out of the records that they were cut into; the length of the
 * ClientHello, or 0 when it is not all there. A record's version is not looked at: there are
 * servers that do not, either (RFC 8446 5.1). */
static size_t join_records(struct reader r, uint8_t out[GATE_HELLO_MAX],
			   enum gate_hello_verdict *ret)
{
	size_t have = 0;

	*ret = GATE_HELLO_MORE;
	while (r.left >= 5) {
		size_t type = take_number(&r, 3) >> 16, len = take_number(&r, 2);
		struct reader part = { .at = r.at, .left = MIN(len, r.left) };
		size_t want;

		if (type != RECORD_HANDSHAKE && type != RECORD_ALERT &&
		    type != RECORD_CCS) {
			*ret = GATE_HELLO_BAD;
			return 0;
		}
		(void)take_bytes(&r, part.left);
		if (type != RECORD_HANDSHAKE)
			continue;
		memcpy(out + have, part.at, part.left); /* less than came in */
		have += part.left;
		if (have && out[0] != CLIENT_HELLO) {
			*ret = GATE_HELLO_BAD;
			return 0;
		}
		if (have < 4)
			continue;
		want = 4 + ((size_t)out[1] << 16 | (size_t)out[2] << 8 | out[3]);
		if (have >= want)
			return want;
	}
	return 0;
}

/* Without the version that TLS has it is another protocol's, unless it goes on like one. */
static enum gate_hello_verdict parse_tls(struct reader r, bool full,
					 struct gate_hello *ret)
{
	const bool versioned = r.left < 2 || r.at[1] == 3;
	uint8_t joined[GATE_HELLO_MAX];
	enum gate_hello_verdict v;
	size_t len;

	joined[0] = 0;
	len = join_records(r, joined, &v);
	if (!len && !versioned &&
	    (v == GATE_HELLO_BAD || (full && joined[0] != CLIENT_HELLO)))
		return GATE_HELLO_OTHER;
	if (!len)
		return v;
	r = (struct reader){ .at = joined + 4, .left = len - 4 };
	return client_hello(r, ret) ? GATE_HELLO_DONE : GATE_HELLO_BAD;
}

/* ---- HTTP ------------------------------------------------------------------------ */

struct text {
	const char *s;
	size_t len;
};

/* RFC 9110 5.6.2; a NUL is none. */
static bool is_token(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("!#$%&'*+-.^_`|~", c));
}

/* The last ones are such to servers in Python, which use str.split(). */
static bool is_space(char c)
{
	return c && strchr(" \t\v\f\r\x1c\x1d\x1e\x1f\x85\xa0", c);
}

/* Without white space at both ends. */
static struct text trim(struct text t)
{
	while (t.len && is_space(t.s[0])) {
		t.s++;
		t.len--;
	}
	while (t.len && is_space(t.s[t.len - 1]))
		t.len--;
	return t;
}

/* One line without its end; false: the end is not there yet. */
static bool take_line(struct text *from, struct text *ret)
{
	const char *lf = memchr(from->s, '\n', from->len);

	if (!lf)
		return false;
	*ret = (struct text){ .s = from->s, .len = (size_t)(lf - from->s) };
	from->len -= ret->len + 1;
	from->s = lf + 1;
	if (ret->len && ret->s[ret->len - 1] == '\r')
		ret->len--;
	return true;
}

/* HOST, HOST:PORT, [IPV6]:PORT. */
static bool put_authority(struct text t, bool target, struct gate_hello *ret)
{
	struct gate_hello_name *to = new_name(ret);
	bool ipv6 = t.len && t.s[0] == '[';
	const char *end = memchr(t.s, ipv6 ? ']' : ':', t.len);
	size_t len = end ? (size_t)(end - t.s) : t.len;
	struct text port = { .s = t.s + len, .len = t.len - len };
	char digits[8] = "";
	uint64_t n = 0;

	if (!to || (ipv6 && !end))
		return false;
	if (ipv6) {
		port.s++;
		port.len--;
	}
	if (port.len && (*port.s != ':' || port.len >= sizeof(digits)))
		return false;
	if (port.len > 1) {
		memcpy(digits, port.s + 1, port.len - 1);
		if (num_range(digits, 1, 65535, &n) < 0)
			return false;
	}
	to->port = (uint16_t)n;
	to->target = target;
	return put_host(to, t.s + ipv6, len - ipv6, ipv6);
}

/* SCHEME://[USER@]HOST[:PORT][/…]: what comes before the last '@' is no host. Whether a '\' or
 * a '#' ends it is a matter of opinion. */
static bool put_absolute(struct text t, size_t scheme, struct gate_hello *ret)
{
	struct text rest = { .s = t.s + scheme + 3, .len = t.len - scheme - 3 };
	size_t len = 0, host = 0;

	while (len < rest.len && !strchr("/?#\\", rest.s[len]))
		if (rest.s[len++] == '@')
			host = len;
	if (len < rest.len && strchr("\\#", rest.s[len]))
		return false;
	rest = (struct text){ .s = rest.s + host, .len = len - host };
	if (!put_authority(rest, true, ret))
		return false;
	if (!ret->names[ret->n - 1].port)
		ret->names[ret->n - 1].port =
			scheme == 5 && !strncasecmp(t.s, "https", 5) ? 443 : 80;
	return true;
}

/* Origin form and "*" name nobody. */
static bool put_target(struct text method, struct text target, struct gate_hello *ret)
{
	const char *colon = memchr(target.s, ':', target.len);
	size_t scheme = colon ? (size_t)(colon - target.s) : 0;

	if (method.len == 7 && !strncasecmp(method.s, "CONNECT", 7))
		return put_authority(target, true, ret);
	if (!target.len || target.s[0] == '/' ||
	    (target.s[0] == '*' && target.len == 1))
		return true;
	return scheme && target.len > scheme + 3 && target.s[scheme + 1] == '/' &&
	       target.s[scheme + 2] == '/' && put_absolute(target, scheme, ret);
}

static struct text take_word(struct text *from)
{
	struct text word = *from = trim(*from);

	word.len = 0;
	while (word.len < from->len && !is_space(from->s[word.len]))
		word.len++;
	from->s += word.len;
	from->len -= word.len;
	return word;
}

static bool is_plain(struct text t)
{
	for (size_t i = 0; i < t.len; i++)
		if ((unsigned char)t.s[i] < ' ' && t.s[i] != '\t')
			return false;
	return true;
}

/* A word that begins with "HTTP/", after white space of any kind. */
static bool says_http(struct text t)
{
	for (size_t i = 1; i + 5 <= t.len; i++)
		if ((is_space(t.s[i - 1]) || t.s[i - 1] == '\r') &&
		    !strncasecmp(t.s + i, "HTTP/", 5))
			return true;
	return false;
}

static bool is_word(struct text t, const char *word)
{
	return t.len == strlen(word) && !memcmp(t.s, word, t.len);
}

static bool is_method(struct text t)
{
	for (size_t i = 0; i < t.len; i++)
		if (!is_token(t.s[i]))
			return false;
	return true;
}

/* A word without controls. There are servers that take each such for a method. */
static bool could_be_request(struct text line)
{
	struct text rest = line;
	struct text method = take_word(&rest);

	for (size_t i = 0; i < method.len; i++)
		if (iscntrl((unsigned char)method.s[i]))
			return false;
	return true;
}

static bool is_version(struct text t)
{
	if (t.len < 6 || strncasecmp(t.s, "HTTP/", 5))
		return false;
	for (size_t i = 5; i < t.len; i++)
		if (!isdigit((unsigned char)t.s[i]) && t.s[i] != '.')
			return false;
	return true;
}

/* Without a version: what servers in Python and node take for a request all the same, and read
 * a head behind. SSH and SMTP have lines of two words, too, and NATS a CONNECT of its own. */
static bool is_old(struct text method, struct text target)
{
	if (!target.len || !is_method(method))
		return false;
	if (is_word(method, "CONNECT"))
		return target.s[0] != '{' && memchr(target.s, ':', target.len);
	return is_word(method, "GET") || target.s[0] == '/' ||
	       memmem(target.s, target.len, "://", 3);
}

/* "METHOD TARGET HTTP/1.1", or "METHOD TARGET". Without such words it is another protocol's
 * line, as one of a log that tells of a request; HTTP/2 begins with a line that only looks
 * like one. */
static enum gate_hello_verdict request_line(struct text line, struct gate_hello *ret)
{
	struct text rest = line;
	struct text method = take_word(&rest), target = take_word(&rest);
	struct text version = take_word(&rest);
	const bool odd = !is_method(method) && (!is_version(version) || trim(rest).len);
	const bool old = !version.len && is_old(method, target);

	if (!could_be_request(line) || odd || is_word(line, "PRI * HTTP/2.0") ||
	    (!old && !says_http(line)))
		return GATE_HELLO_OTHER;
	/* or of a store of keys and values: its next line tells */
	if (old && !memchr(target.s, ':', target.len) &&
	    !(is_word(method, "GET") && target.s[0] == '/'))
		return GATE_HELLO_MORE;
	ret->protocol = "HTTP";
	if (!is_method(method) || !is_plain(line) || trim(rest).len ||
	    is_space(line.s[0]) ||
	    (!old && (version.len < 6 || strncasecmp(version.s, "HTTP/", 5))) ||
	    !put_target(method, target, ret))
		return GATE_HELLO_BAD;
	return GATE_HELLO_MORE;
}

static bool header_line(struct text line, struct gate_hello *ret)
{
	const char *colon = memchr(line.s, ':', line.len);
	size_t len = colon ? (size_t)(colon - line.s) : 0;
	struct text value = { .s = line.s + len + 1, .len = line.len - len - 1 };

	/* folded, or with a space before the colon: servers disagree about those */
	if (!len || !is_plain(line) || is_space(line.s[0]) || is_space(line.s[len - 1]))
		return false;
	if (len != 4 || strncasecmp(line.s, "Host", 4))
		return true;
	value = trim(value);
	return !value.len || put_authority(value, false, ret);
}

/* A first line of which there is no end yet. One that is too long was a request if it went
 * on like one. */
static enum gate_hello_verdict begun_line(struct text line, bool full)
{
	struct text rest = line;
	struct text method = take_word(&rest), target = trim(rest);

	if (!could_be_request(line))
		return GATE_HELLO_OTHER;
	if (!full)
		return GATE_HELLO_MORE;
	return is_method(method) && target.len >= 4 &&
			       (*target.s == '/' || is_word(method, "CONNECT") ||
				!strncasecmp(target.s, "http", 4))
		       ? GATE_HELLO_BAD
		       : GATE_HELLO_OTHER;
}

static enum gate_hello_verdict parse_http(struct text t, bool full,
					  struct gate_hello *ret)
{
	enum gate_hello_verdict v = GATE_HELLO_MORE;
	struct text line;

	while (t.len && (*t.s == '\r' || *t.s == '\n')) {
		t.s++;
		t.len--;
	}
	if (!take_line(&t, &line))
		return begun_line(t, full);
	v = request_line(line, ret);
	while (v == GATE_HELLO_MORE && take_line(&t, &line)) {
		if (!line.len)
			return GATE_HELLO_DONE;
		if (!header_line(line, ret))
			return ret->protocol || is_space(line.s[0]) ||
					       memchr(line.s, ':', line.len)
				       ? GATE_HELLO_BAD
				       : GATE_HELLO_OTHER;
	}
	return v;
}

enum gate_hello_verdict gate_hello_parse(const void *data, size_t len,
					 struct gate_hello *ret)
{
	const bool full = len >= GATE_HELLO_MAX;
	const struct reader r = { .at = data,
				  .left = MIN(len, (size_t)GATE_HELLO_MAX) };
	const struct text t = { .s = data, .len = r.left };
	enum gate_hello_verdict v;

	*ret = (struct gate_hello){ 0 };
	if (!len)
		return GATE_HELLO_MORE;
	if (r.at[0] >= RECORD_CCS && r.at[0] <= RECORD_HANDSHAKE) {
		ret->protocol = "TLS";
		v = parse_tls(r, full, ret);
	} else {
		v = parse_http(t, full, ret);
	}
	if (v == GATE_HELLO_MORE && full)
		v = GATE_HELLO_BAD;
	if (v == GATE_HELLO_OTHER)
		ret->protocol = NULL;
	return v;
}
