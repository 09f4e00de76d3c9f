#include "agent/server/http/head.h"

#include <string.h>
#include <strings.h>

#include "base/num.h"

/* Fields that say who asks, for what, and where the request ends: two of one name, and
 * two servers in a row could each believe another. */
static const char *const single[] = {
	"host",		  "content-length",	   "transfer-encoding",
	"authorization",  "content-type",	   "origin",
	"x-user-id",	  "x-session-id",	   "x-terminal-context-id",
	"mcp-session-id", "sec-websocket-key",	   "last-event-id",
	"expect",	  "sec-websocket-version", "x-cubby-box",
	"mcp-method",	  "mcp-protocol-version",  "mcp-name"
};

size_t head_length(const char *text, size_t len)
{
	const char *end = memmem(text, MIN(len, (size_t)HEAD_MAX), "\r\n\r\n", 4);

	return end ? (size_t)(end - text) + 4 : 0;
}

static int refuse(struct head *h, int status, const char *why)
{
	h->wrong = why;
	return status;
}

bool head_is_token(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		char c = s[i];
		bool word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
			    (c >= 'A' && c <= 'Z');

		if (!word && (!c || !strchr("!#$%&'*+-.^_`|~", c)))
			return false;
	}
	return len > 0;
}

static bool is_target(const char *s)
{
	for (; *s; s++)
		if (*s <= ' ' || *s > '~' || *s == '#' || *s == '\\')
			return false;
	return true;
}

static int read_line(char *line, struct head *h)
{
	char *target = strchr(line, ' '), *version, *query;

	version = target ? strchr(target + 1, ' ') : NULL;
	if (!version || !head_is_token(line, (size_t)(target - line)))
		return refuse(h, 400, "malformed request line");
	*target++ = *version++ = '\0';
	if (strncmp(version, "HTTP/1.", 7) != 0 || (version[7] & ~1) != '0' ||
	    version[8])
		return refuse(h, 505, "only HTTP/1.1 is spoken here");
	h->minor = (unsigned)(version[7] - '0');
	if (target[0] != '/' || !is_target(target))
		return refuse(h, 400, "malformed request target");
	query = strchr(target, '?');
	if (query)
		*query++ = '\0';
	h->method = line;
	h->path = target;
	h->query = query ? query : "";
	return 0;
}

static bool is_single(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(single); i++)
		if (strcmp(single[i], name) == 0)
			return true;
	return false;
}

static int read_field(char *line, struct head *h)
{
	char *colon = strchr(line, ':'), *value, *end;

	if (!colon || !head_is_token(line, (size_t)(colon - line)))
		return refuse(h, 400, "malformed header field");
	*colon = '\0';
	for (char *c = line; *c; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c | 0x20);
	value = colon + 1 + strspn(colon + 1, " \t");
	end = value + strlen(value);
	while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
		*--end = '\0';
	for (const char *c = value; *c; c++)
		if (((unsigned char)*c < ' ' && *c != '\t') || *c == 0x7f)
			return refuse(h, 400, "control character in a header field");
	if (is_single(line) && head_field(h, line))
		return refuse(h, 400,
			      "a header field that may stand once stands twice");
	if (h->count == HEAD_FIELDS)
		return refuse(h, 431, "too many header fields");
	h->fields[h->count++] = (struct head_field){ line, value };
	return 0;
}

/* Is @word one of the words of a list such as "keep-alive, Upgrade"? */
static bool lists(const char *value, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = value; p && *p;) {
		size_t n;

		p += strspn(p, ", \t");
		n = strcspn(p, ", \t");
		if (n == len && strncasecmp(p, word, n) == 0)
			return true;
		p += n;
	}
	return false;
}

bool head_connection(const struct head *h, const char *word)
{
	for (unsigned i = 0; i < h->count; i++)
		if (strcmp(h->fields[i].name, "connection") == 0 &&
		    lists(h->fields[i].value, word))
			return true;
	return false;
}

static int read_length(struct head *h)
{
	const char *length = head_field(h, "content-length");
	const char *coding = head_field(h, "transfer-encoding");
	uint64_t n = 0;

	if (coding && (length || h->minor == 0))
		return refuse(h, 400, "a transfer coding besides a length");
	if (coding && strcasecmp(coding, "chunked") != 0)
		return refuse(h, 501, "unknown transfer coding");
	if (length && (num_u64(length, &n) < 0 || n > INT64_MAX))
		return refuse(h, 400, "bad content-length");
	h->length = coding ? HEAD_CHUNKED : (int64_t)n;
	return 0;
}

/* A name or an address, and a port. RFC 9112, 3.2: anything else is refused. */
static bool is_host(const char *s)
{
	return s[strspn(s, "0123456789abcdefghijklmnopqrstuvwxyz"
			   "ABCDEFGHIJKLMNOPQRSTUVWXYZ-._~:[]%")] == '\0';
}

static int read_meaning(struct head *h)
{
	const char *host = head_field(h, "host");
	const char *expect = head_field(h, "expect");
	const char *upgrade = head_field(h, "upgrade");
	const char *version = head_field(h, "sec-websocket-version");
	int r = read_length(h);

	if (r)
		return r;
	if (h->minor && !host)
		return refuse(h, 400, "no host field");
	if (host && !is_host(host))
		return refuse(h, 400, "bad host field");
	h->keep_alive = h->minor && !head_connection(h, "close");
	h->expects = h->minor && expect && strcasecmp(expect, "100-continue") == 0;
	h->websocket = upgrade && lists(upgrade, "websocket") &&
		       head_connection(h, "upgrade") && h->length == 0 &&
		       strcmp(h->method, "GET") == 0 && version &&
		       strcmp(version, "13") == 0;
	return 0;
}

int head_parse(char *text, size_t len, struct head *ret)
{
	int r = 0;

	*ret = (struct head){ .query = "" };
	if (len < 4 || memchr(text, '\0', len))
		return refuse(ret, 400, "NUL in the head");
	text[len - 2] = '\0'; /* each line that is left ends with CR LF */
	for (char *line = text, *end; r == 0 && *line; line = end + 2) {
		end = strchr(line, '\n');
		if (!end || end == line || end[-1] != '\r')
			return refuse(ret, 400, "a line does not end with CR LF");
		*--end = '\0';
		if (strchr(line, '\r'))
			return refuse(ret, 400, "a stray carriage return");
		r = line == text ? read_line(line, ret) : read_field(line, ret);
	}
	if (r == 0 && !ret->method)
		return refuse(ret, 400, "no request line");
	return r ? r : read_meaning(ret);
}

const char *head_field(const struct head *h, const char *name)
{
	for (unsigned i = 0; i < h->count; i++)
		if (strcmp(h->fields[i].name, name) == 0)
			return h->fields[i].value;
	return NULL;
}
