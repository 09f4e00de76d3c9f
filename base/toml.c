/* A value is known by its first character. A table and an array of tables differ in nothing
 * that is said of them: each header begins one. So does an inline table, which has the name
 * of its key. */
#include "base/toml.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

struct reader {
	const char *at, *end;
	unsigned line;
	toml_fn *fn;
	void *ctx;
	struct err *e;
};

static int fail_at(const struct reader *r, const char *why)
{
	return err_set(r->e, -EINVAL, "%s", why);
}

static char peek(const struct reader *r)
{
	return r->at < r->end ? *r->at : '\0';
}

static bool passes(struct reader *r, char c)
{
	if (r->at == r->end || *r->at != c)
		return false;
	r->at++;
	return true;
}

static void skip_blanks(struct reader *r)
{
	while (peek(r) == ' ' || peek(r) == '\t')
		r->at++;
}

/* What may stand behind all that means something; false = something that means more. */
static bool skip_rest(struct reader *r)
{
	skip_blanks(r);
	if (peek(r) == '#')
		while (r->at < r->end && *r->at != '\n')
			r->at++;
	if (r->at == r->end)
		return true;
	if (r->end - r->at > 1 && r->at[0] == '\r' && r->at[1] == '\n')
		r->at++;
	if (*r->at != '\n')
		return false;
	r->at++;
	r->line++;
	return true;
}

static void skip_lines(struct reader *r)
{
	while (r->at < r->end && skip_rest(r))
		;
}

/* ---- keys and strings --------------------------------------------------------------- */

static int read_escape(struct reader *r, char *ret)
{
	static const char known[] = "\"\\tn", meant[] = "\"\\\t\n";
	const char *at = peek(r) ? strchr(known, *r->at) : NULL;

	if (!at)
		return fail_at(r, "an escape that is not understood");
	*ret = meant[at - known];
	r->at++;
	return 0;
}

/* Behind its first quote. */
static int read_quoted(struct reader *r, char quote, char *ret, size_t size)
{
	size_t n = 0;

	if (r->end - r->at > 1 && r->at[0] == quote && r->at[1] == quote)
		return fail_at(r, "a string of several lines, which is not understood");
	while (!passes(r, quote)) {
		char c = peek(r);

		if (r->at == r->end || c == '\n')
			return fail_at(r, "a string without its end");
		if (((unsigned char)c < ' ' && c != '\t') || c == '\x7f')
			return fail_at(r, "a control character in a string");
		if (n + 1 == size)
			return fail_at(r, "a string that is too long");
		r->at++;
		if (c == '\\' && quote == '"' && read_escape(r, &c) < 0)
			return -EINVAL;
		ret[n++] = c;
	}
	ret[n] = '\0';
	return 0;
}

static int read_word(struct reader *r, char *ret, size_t size)
{
	static const char chars[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"0123456789_-+";
	size_t n = 0;

	for (; peek(r) && strchr(chars, *r->at); r->at++) {
		if (n + 1 == size)
			return fail_at(r, "a word that is too long");
		ret[n++] = *r->at;
	}
	ret[n] = '\0';
	return n ? 0 : fail_at(r, "something that is not understood");
}

static int read_key(struct reader *r, char ret[TOML_PATH])
{
	skip_blanks(r);
	if (peek(r) == '"' || peek(r) == '\'')
		return read_quoted(r, *r->at++, ret, TOML_PATH);
	return read_word(r, ret, TOML_PATH);
}

static int join(const struct reader *r, char path[TOML_PATH], const char *key)
{
	size_t n = strlen(path);

	return snprintf(path + n, TOML_PATH - n, "%s%s", n ? "." : "", key) <
			       (int)(TOML_PATH - n)
		       ? 0
		       : fail_at(r, "a name that is too long");
}

/* "a.b.key": all but the last go to @path. */
static int read_path(struct reader *r, char path[TOML_PATH], char key[TOML_PATH])
{
	int n = read_key(r, key);

	for (skip_blanks(r); n == 0 && passes(r, '.'); skip_blanks(r))
		n = join(r, path, key) < 0 ? -EINVAL : read_key(r, key);
	return n;
}

/* ---- values ------------------------------------------------------------------------- */

static int say(struct reader *r, enum toml_kind kind, const char *table,
	       const char *key, const char *text)
{
	struct toml_item item = { kind, table, key, text };

	return r->fn(r->ctx, &item, r->e);
}

static int read_value(struct reader *r, const char *table, const char *key, int depth);

static int read_setting(struct reader *r, const char *table, int depth)
{
	char path[TOML_PATH], key[TOML_PATH];

	(void)text_copy(path, sizeof(path), table);
	if (read_path(r, path, key) < 0)
		return -EINVAL;
	if (!passes(r, '='))
		return fail_at(r, "no '=' behind a name");
	return read_value(r, path, key, depth);
}

static int read_inline(struct reader *r, const char *table, const char *key, int depth)
{
	char path[TOML_PATH];
	int n;

	(void)text_copy(path, sizeof(path), table);
	n = join(r, path, key) ?: say(r, TOML_TABLE, path, NULL, NULL);
	skip_blanks(r);
	if (n < 0 || passes(r, '}'))
		return n;
	do
		n = read_setting(r, path, depth);
	while (n == 0 && (skip_blanks(r), passes(r, ',')));
	if (n < 0)
		return n;
	return passes(r, '}') ? 0 : fail_at(r, "a '{' without its '}'");
}

static int read_array(struct reader *r, const char *table, const char *key, int depth)
{
	for (;;) {
		int n;

		skip_lines(r);
		if (passes(r, ']'))
			return 0;
		n = read_value(r, table, key, depth);
		if (n < 0)
			return n;
		skip_lines(r);
		if (!passes(r, ',') && peek(r) != ']')
			return fail_at(r, "a '[' without its ']'");
	}
}

static int read_plain(struct reader *r, const char *table, const char *key)
{
	char text[TOML_TEXT];

	if (read_word(r, text, sizeof(text)) < 0)
		return -EINVAL;
	if (!strcmp(text, "true") || !strcmp(text, "false"))
		return say(r, TOML_BOOL, table, key, text);
	if (strspn(text + strspn(text, "+-"), "0123456789_") + strspn(text, "+-") !=
		    strlen(text) ||
	    peek(r) == '.' || peek(r) == ':')
		return fail_at(r, "a value that is not understood");
	return say(r, TOML_NUMBER, table, key, text);
}

static int read_value(struct reader *r, const char *table, const char *key, int depth)
{
	char text[TOML_TEXT];

	skip_blanks(r);
	if (depth == TOML_DEPTH)
		return fail_at(r, "too many brackets in each other");
	if (passes(r, '['))
		return read_array(r, table, key, depth + 1);
	if (passes(r, '{'))
		return read_inline(r, table, key, depth + 1);
	if (peek(r) != '"' && peek(r) != '\'')
		return read_plain(r, table, key);
	return read_quoted(r, *r->at++, text, sizeof(text)) < 0
		       ? -EINVAL
		       : say(r, TOML_STRING, table, key, text);
}

/* ---- the whole ---------------------------------------------------------------------- */

/* Behind its '[' or "[[". */
static int read_header(struct reader *r, bool array, char table[TOML_PATH])
{
	char key[TOML_PATH];

	table[0] = '\0';
	if (read_path(r, table, key) < 0 || join(r, table, key) < 0)
		return -EINVAL;
	if (!passes(r, ']') || (array && !passes(r, ']')))
		return fail_at(r, "a '[' without its ']'");
	return say(r, TOML_TABLE, table, NULL, NULL);
}

int toml_read(const char *text, size_t len, toml_fn *fn, void *ctx, struct err *e)
{
	struct reader r = { text, text + len, 1, fn, ctx, e };
	char table[TOML_PATH] = "";

	for (skip_lines(&r); r.at < r.end; skip_lines(&r)) {
		unsigned line = r.line;
		int n = passes(&r, '[') ? read_header(&r, passes(&r, '['), table)
					: read_setting(&r, table, 0);

		if (n == 0 && !skip_rest(&r))
			n = fail_at(&r, "something behind what was understood");
		if (n < 0) {
			err_wrap(e, "line %u", line);
			return n;
		}
	}
	return 0;
}
