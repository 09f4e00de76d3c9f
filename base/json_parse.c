#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_impl.h"
#include "base/json_scan.h"

enum {
	NUMBER = 64, /* bytes; longer ones are copied to the heap */
	DIGITS = 15  /* so many make an integer that a double holds exactly */
};

/* The text was checked: whatever begins ends as the grammar says, within it. Only what
 * may be the last thing in the text looks where that is. */
struct reader {
	const char *at, *end;
};

static struct json *value(struct reader *r);

static void skip_space(struct reader *r)
{
	while (r->at < r->end && memchr(" \t\n\r", *r->at, 4))
		r->at++;
}

/* ---- strings ----------------------------------------------------------------------- */

static unsigned unit(const char *s)
{
	unsigned v = 0;

	for (int i = 0; i < 4; i++)
		v = v << 4 |
		    (unsigned)(s[i] <= '9' ? s[i] - '0' : (s[i] | 0x20) - 'a' + 10);
	return v;
}

static char *put_code(char *out, unsigned c)
{
	if (c < 0x80) {
		*out++ = (char)c;
		return out;
	}
	if (c < 0x800) {
		*out++ = (char)(0xc0 | c >> 6);
	} else {
		if (c < 0x10000) {
			*out++ = (char)(0xe0 | c >> 12);
		} else {
			*out++ = (char)(0xf0 | c >> 18);
			*out++ = (char)(0x80 | (c >> 12 & 0x3f));
		}
		*out++ = (char)(0x80 | (c >> 6 & 0x3f));
	}
	*out++ = (char)(0x80 | (c & 0x3f));
	return out;
}

/* What stands behind a backslash. */
static char *put_escaped(struct reader *r, char *out)
{
	static const char letters[] = "b\bf\fn\nr\rt\t";
	char c = *r->at++;
	unsigned code;

	if (c != 'u') {
		const char *l = strchr(letters, c);

		*out++ = l ? l[1] : c;
		return out;
	}
	code = unit(r->at);
	r->at += 4;
	if (code >= 0xd800 && code <= 0xdbff) { /* the other half is behind "\u" */
		code = 0x10000 + ((code - 0xd800) << 10) + (unit(r->at + 2) - 0xdc00);
		r->at += 6;
	}
	return put_code(out, code);
}

/* Bytes to the closing quote: the result is never longer. */
static size_t raw_len(const char *s)
{
	size_t n = 0;

	while (s[n] != '"')
		n += s[n] == '\\' ? 2 : 1;
	return n;
}

static char *string(struct reader *r)
{
	size_t len = raw_len(++r->at);
	const char *end = r->at + len;
	char *text = malloc(len + 1), *out = text;

	while (text && r->at < end) {
		const char *slash = memchr(r->at, '\\', (size_t)(end - r->at));
		size_t n = (size_t)((slash ? slash : end) - r->at);

		memcpy(out, r->at, n);
		out += n;
		r->at += n;
		if (slash) {
			r->at++;
			out = put_escaped(r, out);
		}
	}
	if (text)
		*out = '\0';
	r->at = end + 1;
	return text;
}

static struct json *string_value(struct reader *r)
{
	struct json *j = json_new(JSON_STRING);

	if (!j)
		return NULL;
	j->text = string(r);
	if (!j->text)
		json_free(&j);
	return j;
}

/* ---- numbers ----------------------------------------------------------------------- */

static size_t number_len(const struct reader *r)
{
	size_t n = 0;

	while (r->at + n < r->end && memchr("+-.0123456789Ee", r->at[n], 15))
		n++;
	return n;
}

static struct json *number(struct reader *r)
{
	size_t len = number_len(r);
	char room[NUMBER], *copy = len < NUMBER ? room : malloc(len + 1);
	struct json *j;

	if (!copy)
		return NULL;
	memcpy(copy, r->at, len);
	copy[len] = '\0';
	r->at += len;
	/* most are short integers, and strtod() is for all others */
	j = json_number(len <= DIGITS && !strpbrk(copy, "-.eE")
				? (double)strtoll(copy, NULL, 10)
				: strtod(copy, NULL));
	if (copy != room)
		free(copy);
	return j;
}

/* ---- the rest ---------------------------------------------------------------------- */

static struct json *word(struct reader *r, size_t len, struct json *j)
{
	r->at += len;
	return j;
}

static int member(struct reader *r, struct json *of)
{
	_cleanup_free_ char *key = NULL;
	struct json *v;

	if (of->type == JSON_OBJECT) {
		key = string(r);
		if (!key)
			return -ENOMEM;
		skip_space(r);
		r->at++; /* the colon */
	}
	v = value(r);
	if (!v)
		return -ENOMEM;
	json_link(of, take(&key, NULL), v);
	return 0;
}

static struct json *members(struct reader *r, enum json_type type, char close)
{
	_cleanup_json_ struct json *j = json_new(type);

	r->at++;
	skip_space(r);
	while (j && *r->at != close) {
		if (member(r, j) < 0)
			return NULL;
		skip_space(r);
		r->at += *r->at == ',';
		skip_space(r);
	}
	r->at++;
	return take(&j, NULL);
}

/* NULL: out of memory, and nothing more is read. Recursion ends at JSON_SCAN_DEPTH. */
static struct json *value(struct reader *r)
{
	skip_space(r);
	switch (*r->at) {
	case '{':
		return members(r, JSON_OBJECT, '}');
	case '[':
		return members(r, JSON_ARRAY, ']');
	case '"':
		return string_value(r);
	case 't':
		return word(r, 4, json_bool(true));
	case 'f':
		return word(r, 5, json_bool(false));
	case 'n':
		return word(r, 4, json_null());
	default:
		return number(r);
	}
}

int json_parse(const char *text, size_t len, struct json **ret, struct err *e)
{
	struct reader r = { text, text + len };
	size_t bad_at;
	struct json *j;

	if (json_scan_check(text, len, &bad_at) < 0)
		return err_set(e, -EINVAL, "bad JSON at byte %zu", bad_at);
	j = value(&r);
	if (!j)
		return err_sys(e, -ENOMEM, "cannot parse JSON");
	*ret = j;
	return 0;
}
