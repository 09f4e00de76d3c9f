#include "base/json_walk.h"

#include <string.h>

static char peek(const struct json_walk *w)
{
	return w->at < w->len ? w->s[w->at] : '\0';
}

char json_walk_skip(struct json_walk *w, const char *set)
{
	while (peek(w) && strchr(set, peek(w)))
		w->at++;
	return peek(w);
}

/* With its quotes; whatever it holds. */
static struct json_span take_string(struct json_walk *w)
{
	size_t from = w->at++;

	while (w->at < w->len && w->s[w->at] != '"')
		w->at += w->s[w->at] == '\\' ? 2 : 1;
	w->at = MIN(w->at + 1, w->len);
	return (struct json_span){ w->s + from, w->at - from };
}

/* An array or object, however deep. */
static void skip_nested(struct json_walk *w)
{
	size_t depth = 0;

	do {
		char c = peek(w);

		if (c == '"') {
			take_string(w);
			continue;
		}
		depth += c == '{' || c == '[';
		depth -= c == '}' || c == ']';
		w->at++;
	} while (depth && w->at < w->len);
}

static struct json_span take_value(struct json_walk *w)
{
	size_t from = w->at;

	if (peek(w) == '"')
		return take_string(w);
	if (peek(w) == '{' || peek(w) == '[') {
		skip_nested(w);
	} else {
		while (w->at < w->len && !memchr(",}] \t\r\n", w->s[w->at], 7))
			w->at++;
	}
	return (struct json_span){ w->s + from, w->at - from };
}

bool json_walk_member(struct json_walk *w, struct json_span *key,
		      struct json_span *value)
{
	if (json_walk_skip(w, " \t\r\n,") == '"') {
		*key = take_string(w);
		if (json_walk_skip(w, " \t\r\n") == ':') {
			w->at++;
			json_walk_skip(w, " \t\r\n");
			*value = take_value(w);
			return true;
		}
	}
	w->at += peek(w) == '}';
	return false;
}

bool json_walk_is(const struct json_span *key, const char *name)
{
	size_t len = strlen(name);

	return key->len == len + 2 && memcmp(key->s + 1, name, len) == 0;
}
