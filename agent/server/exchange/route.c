#include "agent/server/exchange/route.h"

#include <errno.h>
#include <string.h>

#include "base/num.h"

enum { VALUE_MAX = 16 << 10 };

void route_match_done(struct route_match *m)
{
	for (unsigned i = 0; i < m->count; i++)
		free(m->params[i].value);
	*m = (struct route_match){ 0 };
}

/* The byte that "%XX" stands for; -1: it is none, or a NUL, which no text of ours holds. */
static int percent(const char *s, size_t len)
{
	int high = len > 2 ? num_hex(s[1]) : -1, low = len > 2 ? num_hex(s[2]) : -1;
	int c = high < 0 || low < 0 ? -1 : high * 16 + low;

	return c ? c : -1;
}

/* Append @len bytes with "%XX" (and '+' as a space if @plus) decoded; 0, -EINVAL or
 * what buf_add() returns. */
static int route_decode(const char *text, size_t len, bool plus, struct buf *out)
{
	for (size_t i = 0; i < len; i++) {
		int c = text[i] == '%' ? percent(text + i, len - i)
				       : (unsigned char)text[i];

		if (c < 0)
			return -EINVAL;
		if (text[i] == '%')
			i += 2;
		buf_addc(out, c == '+' && plus && text[i] == '+' ? ' ' : (char)c);
	}
	return buf_failed(out);
}

/* ---- paths ---------------------------------------------------------------------- */

static int take_param(struct route_match *m, const char *name, size_t name_len,
		      const char *value, size_t len)
{
	_cleanup_buf_ struct buf b = BUF_INIT(VALUE_MAX);
	int r = route_decode(value, len, false, &b);
	unsigned i = m->count;

	if (r == 0)
		r = buf_reserve(&b, 1); /* an empty value is a string, too */
	if (r < 0 || i == ROUTE_PARAMS || name_len >= ROUTE_PARAM_NAME)
		return r < 0 ? r : -EINVAL;
	b.data[b.len] = '\0';
	memcpy(m->params[i].name, name, name_len);
	m->params[i].name[name_len] = '\0';
	m->params[i].value = buf_steal(&b);
	m->count++;
	return 0;
}

/* 1 = @path is what @pattern says, 0 = it is not. */
static int matches(const char *pattern, const char *path, struct route_match *m)
{
	while (*pattern && (*path || *pattern == '{')) {
		const char *end, *stop;
		int r;

		if (*pattern != '{') {
			if (*pattern++ != *path++)
				return 0;
			continue;
		}
		end = pattern + strcspn(pattern, "}");
		if (end[-1] == '*')
			stop = path + strlen(path);
		else
			stop = path + strcspn(path, "/");
		if (stop == path && end[-1] != '*')
			return 0;
		r = take_param(m, pattern + 1,
			       (size_t)(end - pattern - 1) - (end[-1] == '*'), path,
			       (size_t)(stop - path));
		if (r < 0)
			return r;
		pattern = end + 1;
		path = stop;
	}
	return !*pattern && !*path;
}

static bool takes(const struct route *row, const char *method)
{
	return strcmp(row->method, "*") == 0 || strcmp(row->method, method) == 0 ||
	       (strcmp(method, "HEAD") == 0 && strcmp(row->method, "GET") == 0);
}

int route_find(const struct route_table *tables, size_t n, const char *method,
	       const char *path, struct route_match *ret)
{
	_cleanup_(route_match_done) struct route_match m = { 0 };
	bool known = false;

	for (size_t t = 0; t < n; t++)
		for (size_t i = 0; i < tables[t].count; i++) {
			const struct route *row = &tables[t].rows[i];
			int r = matches(row->path, path, &m);

			if (r < 0)
				return r;
			if (r && takes(row, method)) {
				m.route = row;
				m.path_known = true;
				*ret = take(&m, (struct route_match){ 0 });
				return 0;
			}
			known |= r;
			route_match_done(&m);
		}
	*ret = (struct route_match){ .path_known = known };
	return 0;
}

/* ---- queries -------------------------------------------------------------------- */

/* Is the name of "NAME=VALUE", encoded as it may be, this one? */
static bool named(const char *part, size_t len, const char *name)
{
	_cleanup_buf_ struct buf b = BUF_INIT(256);

	return route_decode(part, len, true, &b) == 0 &&
	       strcmp(buf_cstr(&b), name) == 0;
}

bool route_query_is_text(const char *query)
{
	for (const char *p = query; p && (p = strchr(p, '%')); p++)
		if (percent(p, strnlen(p, 3)) < 0)
			return false;
	return true;
}

int route_query(const char *query, const char *name, unsigned nth, struct buf *ret)
{
	for (const char *p = query; p && *p;) {
		size_t len = strcspn(p, "&"), key = MIN(len, strcspn(p, "="));

		if (named(p, key, name) && nth-- == 0) {
			int r = key == len ? 0
					   : route_decode(p + key + 1, len - key - 1,
							  true, ret);

			return r < 0 ? r : 1;
		}
		p += len + (p[len] == '&');
	}
	return 0;
}
