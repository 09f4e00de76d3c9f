#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"

/* cJSON's own printer rounds to 15 digits, which loses integers from 10^15 on, and
 * needs the whole text in memory before a limit can stop it. */

struct printer {
	struct buf *out; /* borrowed */
	bool pretty;
	unsigned depth;
	int code; /* the first failure; nothing is added after it */
};

static void put(struct printer *p, const char *s, size_t n)
{
	if (!p->code)
		p->code = buf_add(p->out, s, n);
}

static void put_text(struct printer *p, const char *s)
{
	put(p, s, strlen(s));
}

static void put_number(struct printer *p, const struct json *j)
{
	double d = json_num(j, 0);
	char text[40];
	int64_t v;

	if (!json_int(j, &v)) {
		snprintf(text, sizeof(text), "%lld", (long long)v);
	} else if (!isfinite(d)) {
		memcpy(text, "null", 5); /* JSON has no word for it */
	} else {
		char *comma;

		for (int digits = 15; digits <= 17; digits++) {
			snprintf(text, sizeof(text), "%.*g", digits, d);
			if (!(strtod(text, NULL) < d) && !(strtod(text, NULL) > d))
				break;
		}
		comma = strchr(text, ','); /* some locales */
		if (comma)
			*comma = '.';
	}
	put_text(p, text);
}

static void put_escape(struct printer *p, char c)
{
	static const char letters[] = "\"\"\\\\\bb\ff\nn\rr\tt",
			  hex[] = "0123456789abcdef";

	for (const char *l = letters; *l; l += 2)
		if (*l == c) {
			put(p, (char[]){ '\\', l[1] }, 2);
			return;
		}
	/* a hostile text has millions of them: by hand, for others wait meanwhile */
	put(p, (char[]){ '\\', 'u', '0', '0', hex[c >> 4 & 15], hex[c & 15] }, 6);
}

static void put_string(struct printer *p, const char *s)
{
	put_text(p, "\"");
	while (*s) {
		size_t n = 0;

		while ((unsigned char)s[n] >= 0x20 && s[n] != '"' && s[n] != '\\')
			n++;
		put(p, s, n);
		s += n;
		if (*s)
			put_escape(p, *s++);
	}
	put_text(p, "\"");
}

static void put_break(struct printer *p)
{
	if (!p->pretty)
		return;
	put_text(p, "\n");
	for (unsigned i = 0; i < p->depth; i++)
		put_text(p, "  ");
}

static void put_value(struct printer *p, const struct json *j);

static void put_members(struct printer *p, const struct json *j)
{
	bool object = json_type(j) == JSON_OBJECT;

	put_text(p, object ? "{" : "[");
	p->depth++;
	json_each(m, j)
	{
		if (m != json_first(j))
			put_text(p, ",");
		put_break(p);
		if (object) {
			put_string(p, json_key(m));
			put_text(p, p->pretty ? ": " : ":");
		}
		put_value(p, m);
	}
	p->depth--;
	if (json_first(j))
		put_break(p);
	put_text(p, object ? "}" : "]");
}

/* Recursion ends where the tree does: parsed ones have at most 64 levels. */
static void put_value(struct printer *p, const struct json *j)
{
	switch (json_type(j)) {
	case JSON_NULL:
		put_text(p, "null");
		break;
	case JSON_BOOL:
		put_text(p, json_true(j) ? "true" : "false");
		break;
	case JSON_NUMBER:
		put_number(p, j);
		break;
	case JSON_STRING:
		put_string(p, json_str(j));
		break;
	default:
		put_members(p, j);
	}
}

int json_print(const struct json *j, bool pretty, struct buf *out)
{
	struct printer p = { .out = out, .pretty = pretty };
	size_t start = out->len;

	p.code = j ? json_failed(j) : 0;
	put_value(&p, j);
	if (p.code)
		buf_truncate(out, start);
	return buf_fail(out, p.code);
}

int json_print_file(int dirfd, const char *name, const struct json *j, size_t max,
		    file_replace_fn *replace, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(max);
	int r = json_print(j, true, &text) ?: buf_addc(&text, '\n');

	if (r == -EMSGSIZE) {
		buf_done(&text);
		buf_init(&text, max);
		r = json_print(j, false, &text) ?: buf_addc(&text, '\n');
	}
	if (r < 0)
		return err_sys(e, r, "cannot write '%s'", text_shown(name));
	return replace(dirfd, name, &(struct file_data){ text.data, text.len, 0600 },
		       e);
}
