#include "agent/server/http/retell.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "agent/server/http/head.h"
#include "base/num.h"

/* ---- the request ------------------------------------------------------------------- */

void retell_init(struct retell *r)
{
	*r = (struct retell){ .length = -1 };
	buf_init(&r->method, HEAD_MAX);
	buf_init(&r->path, HEAD_MAX);
	buf_init(&r->authority, HEAD_MAX);
	buf_init(&r->host, HEAD_MAX);
	buf_init(&r->cookie, HEAD_MAX);
	buf_init(&r->fields, HEAD_MAX);
}

void retell_done(struct retell *r)
{
	buf_done(&r->method);
	buf_done(&r->path);
	buf_done(&r->authority);
	buf_done(&r->host);
	buf_done(&r->cookie);
	buf_done(&r->fields);
}

static bool is(const struct h2_text *t, const char *word)
{
	return strlen(word) == t->len && memcmp(t->s, word, t->len) == 0;
}

/* RFC 9113, 8.2.1: names are tokens in lower case. */
static bool is_name(const struct h2_text *t)
{
	for (size_t i = 0; i < t->len; i++)
		if (t->s[i] >= 'A' && t->s[i] <= 'Z')
			return false;
	return head_is_token(t->s, t->len);
}

/* Nothing that ends a line. */
static bool is_line(const struct h2_text *t)
{
	for (size_t i = 0; i < t->len; i++) {
		unsigned char c = (unsigned char)t->s[i];

		if ((c < ' ' && c != '\t') || c == 0x7f)
			return false;
	}
	return true;
}

/* No blank at its ends, either. RFC 9113, 8.2.1. */
static bool is_value(const struct h2_text *t)
{
	return !t->len || (is_line(t) && !strchr(" \t", t->s[0]) &&
			   !strchr(" \t", t->s[t->len - 1]));
}

/* Printable, without a blank: a part of the request line. */
static bool is_word(const struct h2_text *t)
{
	for (size_t i = 0; i < t->len; i++)
		if (t->s[i] <= ' ' || t->s[i] > '~')
			return false;
	return t->len > 0;
}

/* Once, and before all other fields. */
static void take_part(struct retell *r, struct buf *to, const struct h2_text *value)
{
	r->wrong |= r->fielded || to->len || !is_word(value);
	(void)buf_add(to, value->s, value->len);
}

static void take_pseudo(struct retell *r, const struct h2_field *f)
{
	if (is(&f->name, ":method")) {
		take_part(r, &r->method, &f->value);
	} else if (is(&f->name, ":path")) {
		take_part(r, &r->path, &f->value);
	} else if (is(&f->name, ":authority")) {
		take_part(r, &r->authority, &f->value);
	} else if (is(&f->name, ":scheme")) {
		r->wrong |= r->scheme || r->fielded ||
			    (!is(&f->value, "https") && !is(&f->value, "http"));
		r->scheme = true;
	} else {
		r->wrong = true; /* :protocol among them: a WebSocket is of HTTP/1.1 */
	}
}

/* The frames say where a body ends; who says a length as well has to mean the same. */
static void take_length(struct retell *r, const struct h2_text *value)
{
	char text[20] = "";
	uint64_t n = 0;

	if (value->len && value->len < sizeof(text))
		memcpy(text, value->s, value->len);
	r->wrong |= r->length >= 0 || num_u64(text, &n) < 0 || n > INT64_MAX;
	r->length = (int64_t)(n & INT64_MAX);
}

/* Fields that are about a connection of HTTP/1.1. RFC 9113, 8.2.2. */
static bool is_foreign(const struct h2_field *f)
{
	static const char *const names[] = { "connection", "proxy-connection",
					     "keep-alive", "transfer-encoding",
					     "upgrade" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (is(&f->name, names[i]))
			return true;
	return is(&f->name, "te") && !is(&f->value, "trailers");
}

static void take_field(struct retell *r, const struct h2_field *f)
{
	r->fielded = true;
	if (!is_name(&f->name) || !is_value(&f->value) || is_foreign(f)) {
		r->wrong = true;
	} else if (is(&f->name, "content-length")) {
		take_length(r, &f->value);
	} else if (is(&f->name, "host")) {
		r->wrong |= r->host.len != 0;
		(void)buf_add(&r->host, f->value.s, f->value.len);
	} else if (is(&f->name, "cookie")) { /* may come in crumbs. RFC 9113, 8.2.3 */
		(void)buf_adds(&r->cookie, r->cookie.len ? "; " : "");
		(void)buf_add(&r->cookie, f->value.s, f->value.len);
	} else if (!is(&f->name, "te")) {
		(void)buf_add(&r->fields, f->name.s, f->name.len);
		(void)buf_adds(&r->fields, ": ");
		(void)buf_add(&r->fields, f->value.s, f->value.len);
		(void)buf_adds(&r->fields, "\r\n");
	}
}

bool retell_field(struct retell *r, const struct h2_field *f)
{
	r->size += f->name.len + f->value.len + 32; /* RFC 9113, 10.5.1 */
	if (r->size > H2_FIELDS_MAX)
		return r->size <= 2L * H2_FIELDS_MAX;
	if (f->name.len && f->name.s[0] == ':')
		take_pseudo(r, f);
	else
		take_field(r, f);
	return true;
}

bool retell_is_head(const struct retell *r)
{
	return strcmp(buf_cstr(&r->method), "HEAD") == 0;
}

static int check(const struct retell *r, bool last)
{
	const struct buf *all[] = { &r->method, &r->path,   &r->authority,
				    &r->host,	&r->cookie, &r->fields };

	if (r->size > H2_FIELDS_MAX)
		return -EMSGSIZE;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (buf_failed(all[i]))
			return buf_failed(all[i]);
	if (r->wrong || !r->method.len || r->path.len == 0 || !r->scheme ||
	    (!r->authority.len && !r->host.len) || (last && r->length > 0) ||
	    (r->authority.len && r->host.len &&
	     strcasecmp(buf_cstr(&r->authority), buf_cstr(&r->host)) != 0))
		return -EBADMSG;
	return 0;
}

int retell_head(const struct retell *r, bool last, struct buf *out)
{
	int e = check(r, last);

	if (e < 0)
		return e;
	buf_addf(out, "%s %s HTTP/1.1\r\nhost: %s\r\n", buf_cstr(&r->method),
		 buf_cstr(&r->path),
		 buf_cstr(r->authority.len ? &r->authority : &r->host));
	buf_add(out, buf_cstr(&r->fields), r->fields.len);
	if (r->cookie.len)
		buf_addf(out, "cookie: %s\r\n", buf_cstr(&r->cookie));
	if (r->length >= 0)
		buf_addf(out, "content-length: %lld\r\n", (long long)r->length);
	else if (!last)
		buf_adds(out, "transfer-encoding: chunked\r\n");
	buf_adds(out, "\r\n");
	return buf_failed(out);
}

int retell_piece(const char *data, size_t len, struct buf *out)
{
	buf_addf(out, "%zx\r\n", len);
	buf_add(out, data, len);
	return buf_adds(out, "\r\n");
}

/* ---- the answer -------------------------------------------------------------------- */

void retell_answer_init(struct retell_answer *a, bool to_head)
{
	*a = (struct retell_answer){ .to_head = to_head };
	buf_init(&a->text, RETELL_ANSWER_MAX);
}

void retell_answer_done(struct retell_answer *a)
{
	buf_done(&a->text);
}

/* Is @line the field @name? Then its value. */
static const char *value_of(const char *line, const char *name)
{
	size_t n = strlen(name);

	if (strncasecmp(line, name, n) != 0 || line[n] != ':')
		return NULL;
	return line + n + 1 + strspn(line + n + 1, " \t");
}

static int read_end(struct retell_answer *a, const char *line)
{
	const char *length = value_of(line, "content-length");
	const char *coding = value_of(line, "transfer-encoding");

	if ((length || coding) && !a->to_end)
		return -EBADMSG; /* said twice */
	if (length && num_u64(length, &a->left) < 0)
		return -EBADMSG;
	if (coding && strcasecmp(coding, "chunked") != 0)
		return -EBADMSG;
	a->chunks |= coding != NULL;
	a->to_end &= !length && !coding;
	return 0;
}

static bool passes(const char *name)
{
	static const char *const kept[] = { "connection",	"keep-alive",
					    "proxy-connection", "transfer-encoding",
					    "upgrade",		"trailer" };

	for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
		if (strcmp(kept[i], name) == 0)
			return false;
	return true;
}

static int read_field(struct retell_answer *a, char *line)
{
	const struct h2_text whole = { line, strlen(line) };
	char *colon = strchr(line, ':'), *end = line + whole.len, *value;
	struct h2_text name;
	int r;

	if (!colon || !is_line(&whole))
		return -EBADMSG;
	while (end > colon + 1 && strchr(" \t", end[-1]))
		*--end = '\0';
	r = read_end(a, line);
	if (r < 0)
		return r;
	*colon = '\0';
	for (char *c = line; *c; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c | 0x20);
	name = (struct h2_text){ line, strlen(line) };
	if (!is_name(&name)) /* ":status" among them */
		return -EBADMSG;
	value = colon + 1 + strspn(colon + 1, " \t");
	if (!passes(line))
		return 0;
	if (a->n == H2_ANSWER_FIELDS)
		return -EMSGSIZE;
	a->fields[a->n++] = (struct h2_field){ name, { value, (size_t)(end - value) } };
	return 0;
}

/* "HTTP/1.1 200 OK", and the lines that follow. */
static int read_head(struct retell_answer *a)
{
	char *line = a->text.data, *end = strstr(line, "\r\n");
	uint64_t status = 0;
	char number[4] = "";

	a->n = 0;
	a->to_end = true;
	a->chunks = false;
	a->left = 0;
	if (strlen(line) != a->text.len || strncmp(line, "HTTP/1.1 ", 9) != 0)
		return -EBADMSG;
	memcpy(number, line + 9, 3);
	if (num_range(number, 100, 599, &status) < 0 || status == 101)
		return -EBADMSG;
	for (line = end + 2; *line != '\r'; line = end + 2) {
		int r;

		end = strstr(line, "\r\n");
		if (!end) /* never: the head ends with an empty line */
			return -EBADMSG;
		*end = '\0';
		r = read_field(a, line);
		if (r < 0)
			return r;
	}
	a->status = (int)status;
	if (a->to_head || status == 204 || status == 304)
		a->left = a->to_end = a->chunks = false;
	a->whole = status >= 200 && !a->to_end && !a->chunks && !a->left;
	return 1;
}

static int take_head(struct retell_answer *a, const char *data, size_t len,
		     size_t *used)
{
	size_t before = a->text.len, from = before > 3 ? before - 3 : 0;
	const char *end;
	int r = buf_add(&a->text, data, MIN(len, a->text.max - before));

	*used = a->text.len - before;
	if (r < 0 || !*used)
		return r < 0 ? r : -EMSGSIZE;
	end = memmem(a->text.data + from, a->text.len - from, "\r\n\r\n", 4);
	if (!end)
		return 0;
	*used = (size_t)(end - a->text.data) + 4 - before;
	buf_truncate(&a->text, before + *used);
	return read_head(a);
}

static int take_chunks(struct retell_answer *a, const char *data, size_t len,
		       size_t *used, struct buf *body)
{
	struct chunked_data d;
	int r = chunked_feed(&a->chunked, data, len, used, &d);

	if (r < 0)
		return r;
	a->whole = r == 1;
	return buf_add(body, d.data, d.len);
}

int retell_answer(struct retell_answer *a, const char *data, size_t len, size_t *used,
		  struct buf *body)
{
	*used = 0;
	if (!len)
		return 0;
	if (a->status > 0 && a->status < 200) { /* the next one */
		buf_truncate(&a->text, 0);
		a->status = 0;
	}
	if (!a->status)
		return take_head(a, data, len, used);
	if (a->whole)
		return -EBADMSG; /* more than it said */
	if (a->chunks)
		return take_chunks(a, data, len, used, body);
	*used = a->to_end ? len : (size_t)MIN((uint64_t)len, a->left);
	if (!a->to_end)
		a->left -= *used;
	a->whole = !a->to_end && !a->left;
	return buf_add(body, data, *used);
}

bool retell_answer_end(struct retell_answer *a)
{
	a->whole |= a->status >= 200 && a->to_end;
	return a->whole;
}
