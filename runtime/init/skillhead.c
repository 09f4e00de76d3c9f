#include "runtime/init/skillhead.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/text.h"

struct value {
	char *at; /* NULL = of another key: what belongs to it is left out */
	size_t size, len;
	bool folded; /* its lines follow, indented */
};

/* Whole characters, as many as there is room for. */
static void append(struct value *v, const char *s, size_t len)
{
	if (v->len && v->len + 1 < v->size)
		v->at[v->len++] = ' ';
	while (len) {
		int n = text_utf8_len(s, len);
		size_t step = n > 0 ? (size_t)n : 1;

		if (v->len + step >= v->size)
			break;
		memcpy(v->at + v->len, s, step);
		v->len += step;
		s += step;
		len -= step;
	}
	v->at[v->len] = '\0';
}

static size_t trimmed(const char **s, size_t len)
{
	while (len && strchr(" \t", **s)) {
		++*s;
		len--;
	}
	while (len && strchr(" \t\r", (*s)[len - 1]))
		len--;
	return len;
}

static void take_value(struct value *v, const char *s, size_t len)
{
	len = trimmed(&s, len);
	v->folded = !len || *s == '>' || *s == '|';
	if (v->folded)
		return;
	if (len > 1 && (*s == '"' || *s == '\'') && s[len - 1] == *s) {
		s++;
		len -= 2;
	}
	append(v, s, len);
}

static bool is_key(const char *line, size_t len, const char *key)
{
	size_t n = strlen(key);

	return len > n && memcmp(line, key, n) == 0 && line[n] == ':';
}

static void take_line(struct skillhead *h, struct value *v, const char *line,
		      size_t len)
{
	bool inside = len && strchr(" \t", *line);

	if (inside && v->at && v->folded) {
		len = trimmed(&line, len);
		append(v, line, len);
	}
	if (inside || !len)
		return;
	*v = (struct value){ .at = NULL };
	if (is_key(line, len, "name"))
		*v = (struct value){ .at = h->name, .size = sizeof(h->name) };
	else if (is_key(line, len, "description"))
		*v = (struct value){ .at = h->description,
				     .size = sizeof(h->description) };
	if (v->at) {
		size_t key = strcspn(line, ":") + 1;

		*v->at = '\0';
		take_value(v, line + key, len - key);
	}
}

int skillhead_read(const char *text, size_t len, struct skillhead *ret)
{
	struct value v = { .at = NULL };
	size_t at = 0;

	*ret = (struct skillhead){ .body = 0 };
	for (unsigned n = 0; at < len; n++) {
		const char *line = text + at, *s = line;
		const char *end = memchr(line, '\n', len - at);
		size_t size = end ? (size_t)(end - line) : len - at;
		size_t plain = trimmed(&s, size);
		bool mark = s == line && plain == 3 && memcmp(s, "---", 3) == 0;

		at += size + (end ? 1 : 0);
		if (n == 0 && !mark)
			return -EINVAL;
		if (n && mark) {
			ret->body = at;
			return *ret->description ? 0 : -EINVAL;
		}
		if (n)
			take_line(ret, &v, line, size);
	}
	return -EINVAL;
}
