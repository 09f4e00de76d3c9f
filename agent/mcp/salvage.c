#include "agent/mcp/salvage.h"

#include <string.h>

#include "agent/mcp/rpc.h"

/* The place in the frame. Every step goes on at least one byte, or ends the search. */
struct look {
	const char *s;
	size_t len, at;
};

struct span {
	const char *s; /* borrowed; NULL = none */
	size_t len;
};

static char peek(const struct look *x)
{
	return x->at < x->len ? x->s[x->at] : '\0';
}

static void skip(struct look *x, const char *set)
{
	while (x->at < x->len && x->s[x->at] && strchr(set, x->s[x->at]))
		x->at++;
}

/* With its quotes; whatever it holds. */
static struct span take_string(struct look *x)
{
	size_t from = x->at++;

	while (x->at < x->len && x->s[x->at] != '"')
		x->at += x->s[x->at] == '\\' ? 2 : 1;
	x->at = MIN(x->at + 1, x->len);
	return (struct span){ x->s + from, x->at - from };
}

/* An array or object, however deep. */
static void skip_nested(struct look *x)
{
	size_t depth = 0;

	do {
		char c = peek(x);

		if (c == '"') {
			take_string(x);
			continue;
		}
		depth += c == '{' || c == '[';
		depth -= c == '}' || c == ']';
		x->at++;
	} while (depth && x->at < x->len);
}

static struct span take_value(struct look *x)
{
	size_t from = x->at;

	if (peek(x) == '"')
		return take_string(x);
	if (peek(x) == '{' || peek(x) == '[') {
		skip_nested(x);
	} else {
		while (x->at < x->len && !memchr(",}] \t\r\n", x->s[x->at], 7))
			x->at++;
	}
	return (struct span){ x->s + from, x->at - from };
}

static bool is(const struct span *key, const char *name)
{
	size_t len = strlen(name);

	return key->len == len + 2 && memcmp(key->s + 1, name, len) == 0;
}

/* The id of the object that begins here; the place is behind what could be read of it. */
static struct span take_object(struct look *x)
{
	struct span id = { 0 };
	bool answers = false;

	x->at++;
	for (;;) {
		struct span key, value;

		skip(x, " \t\r\n,");
		if (peek(x) != '"')
			break;
		key = take_string(x);
		skip(x, " \t\r\n");
		if (peek(x) != ':')
			break;
		x->at++;
		skip(x, " \t\r\n");
		value = take_value(x);
		answers |= is(&key, "result") || is(&key, "error");
		if (!id.s && is(&key, "id"))
			id = value;
	}
	if (peek(x) == '}')
		x->at++;
	return answers ? (struct span){ 0 } : id;
}

static size_t tell(const struct span *id, mcp_salvage_fn *fn, void *ctx)
{
	_cleanup_json_ struct json *j = NULL;

	if (!id->s || json_parse(id->s, id->len, &j, ERR_IGNORED) < 0 ||
	    !mcp_rpc_is_id(j))
		return 0;
	fn(ctx, j);
	return 1;
}

size_t mcp_salvage(const char *frame, size_t len, mcp_salvage_fn *fn, void *ctx)
{
	struct look x = { .s = frame, .len = len };
	bool list;
	size_t n = 0;

	skip(&x, " \t\r\n");
	list = peek(&x) == '[';
	x.at += list;
	skip(&x, " \t\r\n,");
	while (peek(&x) == '{') {
		struct span id = take_object(&x);

		n += tell(&id, fn, ctx);
		if (!list)
			break;
		skip(&x, " \t\r\n,");
	}
	return n;
}
