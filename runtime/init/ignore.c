#include "runtime/init/ignore.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/def.h"
#include "base/grow.h"

void ignore_done(struct ignore *g)
{
	buf_done(&g->bytes);
	free(g->rules);
	*g = IGNORE_NONE;
}

/* ---- reading ---------------------------------------------------------------------------- */

/* Blanks at the end say nothing, but for one behind a backslash. */
static size_t without_blanks(const char *s, size_t len)
{
	size_t end = 0;

	for (size_t i = 0; i < len; i++) {
		bool pair = s[i] == '\\' && i + 1 < len;

		i += pair;
		if (pair || s[i] != ' ')
			end = i + 1;
	}
	return end;
}

static int add_line(struct ignore *g, const char *s, size_t len, size_t base)
{
	struct ignore_rule rule = { .base = base };

	if (len && s[len - 1] == '\r')
		len--;
	len = without_blanks(s, len);
	if (!len || *s == '#')
		return 0;
	if (*s == '!') {
		rule.keeps = true;
		s++;
		len--;
	}
	if (len && s[len - 1] == '/') {
		rule.directories = true;
		len--;
	}
	rule.rooted = len && memchr(s, '/', len);
	if (len && *s == '/') {
		s++;
		len--;
	}
	if (!len || s[len - 1] == '/' || g->n == IGNORE_MOST ||
	    g->bytes.len + len > IGNORE_BYTES)
		return 0;
	rule.text = g->bytes.len;
	rule.len = len;
	if (!grow_room(g->rules, g->n) || buf_add(&g->bytes, s, len) < 0)
		return -ENOMEM;
	g->rules[g->n++] = rule;
	return 0;
}

int ignore_add(struct ignore *g, const char *text, size_t len, size_t base)
{
	const char *end = text + len;
	int r = 0;

	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) /* as git reads it */
		text += 3;
	while (text < end && r == 0) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		const char *stop = nl ? nl : end;

		r = add_line(g, text, (size_t)(stop - text), base);
		text = stop + 1;
	}
	return r;
}

void ignore_cut(struct ignore *g, size_t n)
{
	if (n >= g->n)
		return;
	buf_truncate(&g->bytes, g->rules[n].text);
	g->n = n;
}

/* ---- one name --------------------------------------------------------------------------- */

struct span {
	const char *s; /* borrowed */
	size_t len;
};

/* "[:alpha:]" at @p: 0, or its bytes, and whether @c is one of them. */
static size_t class_at(struct span p, unsigned char c, bool *in)
{
	static const struct {
		const char *name;
		int (*is)(int);
	} classes[] = { { "alnum", isalnum }, { "alpha", isalpha },
			{ "blank", isblank }, { "cntrl", iscntrl },
			{ "digit", isdigit }, { "graph", isgraph },
			{ "lower", islower }, { "print", isprint },
			{ "punct", ispunct }, { "space", isspace },
			{ "upper", isupper }, { "xdigit", isxdigit } };

	for (size_t i = 0; i < ARRAY_SIZE(classes); i++) {
		size_t n = strlen(classes[i].name);

		if (p.len >= n + 4 && memcmp(p.s, "[:", 2) == 0 &&
		    memcmp(p.s + 2, classes[i].name, n) == 0 &&
		    memcmp(p.s + 2 + n, ":]", 2) == 0) {
			*in |= classes[i].is(c) != 0;
			return n + 4;
		}
	}
	return 0;
}

/* One byte of a set, behind its backslash: how many bytes it takes. */
static size_t member_at(struct span p, unsigned char *ret)
{
	size_t escaped = p.len > 1 && p.s[0] == '\\';

	*ret = (unsigned char)p.s[escaped];
	return 1 + escaped;
}

/* The set at @p, which begins with '[': its bytes, 0 = it has no end; is @c in it? */
static size_t set_at(struct span p, unsigned char c, bool *ret)
{
	bool not = p.len > 1 && (p.s[1] == '!' || p.s[1] == '^'), in = false;
	size_t first = 1 + (size_t) not ;

	for (size_t i = first; i < p.len;) {
		struct span at = { p.s + i, p.len - i };
		unsigned char from, to;
		size_t n;

		if (*at.s == ']' && i > first) {
			*ret = in != not ;
			return i + 1;
		}
		n = class_at(at, c, &in);
		if (n) {
			i += n;
			continue;
		}
		i += member_at(at, &from);
		to = from;
		if (i + 1 < p.len && p.s[i] == '-' && p.s[i + 1] != ']')
			i += 1 + member_at((struct span){ p.s + i + 1, p.len - i - 1 },
					   &to);
		in |= from <= c && c <= to;
	}
	return 0;
}

/* What @p begins with, if it is of @c: how many bytes that is; 0 = it is of another. */
static size_t byte_at(struct span p, unsigned char c)
{
	bool in = false;
	size_t n;

	if (p.s[0] == '?')
		return 1;
	if (p.s[0] == '[') {
		n = set_at(p, c, &in);
		return in ? n : 0;
	}
	if (p.s[0] == '\\' && p.len > 1)
		return (unsigned char)p.s[1] == c ? 2 : 0;
	return (unsigned char)p.s[0] == c && (p.s[0] != '\\' || p.len > 1);
}

/* A name and a pattern without slashes. Of several stars only the last one has to be tried
 * again: what stands before it has been found as early as can be. */
static bool name_is(struct span p, struct span name)
{
	size_t i = 0, k = 0, star = 0, from = 0;
	bool starred = false;

	while (k < name.len) {
		size_t n = 0;

		if (i < p.len && p.s[i] == '*') {
			starred = true;
			star = ++i;
			from = k;
			continue;
		}
		if (i < p.len)
			n = byte_at((struct span){ p.s + i, p.len - i },
				    (unsigned char)name.s[k]);
		if (n) {
			i += n;
			k++;
		} else if (starred) {
			i = star;
			k = ++from;
		} else {
			return false;
		}
	}
	while (i < p.len && p.s[i] == '*')
		i++;
	return i == p.len;
}

/* ---- a path ----------------------------------------------------------------------------- */

/* Up to the next slash, which is taken away. */
static struct span part_of(struct span *rest)
{
	const char *slash = rest->len ? memchr(rest->s, '/', rest->len) : NULL;
	struct span part = { rest->s, slash ? (size_t)(slash - rest->s) : rest->len };
	size_t n = part.len + (slash != NULL);

	rest->s += n;
	rest->len -= n;
	return part;
}

static bool is_any(struct span part)
{
	size_t n = 0;

	while (n < part.len && part.s[n] == '*')
		n++;
	return n >= 2 && n == part.len;
}

/* As name_is(), with "**" for the star and the parts of a path for its bytes. At its end
 * "**" is all that is in there: one part at the least. */
static bool path_is(struct span p, struct span path)
{
	struct span star = { 0 }, from = { 0 };
	bool starred = false;

	while (path.len) {
		struct span before = p, part = part_of(&p), rest = path, name;

		if (before.len && is_any(part)) {
			if (!p.len)
				return true;
			starred = true;
			star = p;
			from = path;
			continue;
		}
		name = part_of(&rest);
		if (before.len && name_is(part, name)) {
			path = rest;
		} else if (starred) {
			p = star;
			part_of(&from);
			path = from;
		} else {
			return false;
		}
	}
	return !p.len;
}

bool ignore_says(const struct ignore *g, const char *path, bool directory)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t len = strlen(path);

	for (size_t i = g->n; i-- > 0;) {
		const struct ignore_rule *r = &g->rules[i];
		const struct span p = { g->bytes.data + r->text, r->len };
		bool is;

		if ((r->directories && !directory) || r->base > len)
			continue;
		is = r->rooted ? path_is(p,
					 (struct span){ path + r->base, len - r->base })
			       : name_is(p, (struct span){ name, strlen(name) });
		if (is)
			return !r->keeps;
	}
	return false;
}
