#include "runtime/init/ignore.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/def.h"
#include "base/grow.h"
#include "base/pathpattern.h"
#include "base/text.h"

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

	len = strnlen(s, len);
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
	    g->bytes.len + len >= IGNORE_BYTES)
		return 0;
	rule.text = g->bytes.len;
	rule.len = len + 1;
	if (!grow_room(g->rules, g->n) || buf_add(&g->bytes, s, len) < 0 ||
	    buf_addc(&g->bytes, '\0') < 0)
		return -ENOMEM;
	pathpattern_split(g->bytes.data + rule.text);
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

/* ---- a path ----------------------------------------------------------------------------- */

bool ignore_says(const struct ignore *g, const char *path, bool directory)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	const size_t len = strlen(path);
	char parts[PATH_MAX];

	if (text_copy(parts, sizeof(parts), path) < 0)
		return false;
	pathpattern_split(parts);
	for (size_t i = g->n; i-- > 0;) {
		const struct ignore_rule *r = &g->rules[i];
		const char *pattern = g->bytes.data + r->text;

		if ((r->directories && !directory) || r->base > len)
			continue;
		if (r->rooted ? pathpattern_fits(
					(struct pathpattern){ pattern, r->len },
					(struct pathpattern){ parts + r->base,
							      len + 1 - r->base },
					0)
			      : fnmatch(pattern, name, 0) == 0)
			return !r->keeps;
	}
	return false;
}
