#include "agent/server/http/multipart.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { KEPT_MAX = 256 << 10 };

enum state { BEFORE, AFTER_DELIMITER, FIELDS, DATA, AFTER };

void multipart_done(struct multipart *m)
{
	buf_done(&m->kept);
}

int multipart_init(struct multipart *m, const char *content_type)
{
	const char *b = content_type ? strcasestr(content_type, "boundary=") : NULL;
	size_t len;

	*m = (struct multipart){ .kept = BUF_INIT(KEPT_MAX) };
	if (!b || strncasecmp(content_type, "multipart/form-data", 19) != 0)
		return -EINVAL;
	b += 9;
	len = *b == '"' ? strcspn(++b, "\"") : strcspn(b, "; \t");
	if (!len || len > MULTIPART_BOUNDARY)
		return -EINVAL;
	snprintf(m->delimiter, sizeof(m->delimiter), "\r\n--%.*s", (int)len, b);
	/* the first delimiter may stand at the very start */
	return buf_adds(&m->kept, "\r\n");
}

/* The value of a parameter such as name="x"; @out is as it was where there is none. Return: 0, or
 * -EBADMSG: it has no end, or is too long. */
static int parameter(const char *line, const char *name, char *out, size_t size)
{
	const char *p = line;
	size_t len = strlen(name), n = 0;

	while ((p = strcasestr(p, name)) != NULL) {
		bool starts = p > line && strchr("; \t", p[-1]);

		p += len;
		if (starts && p[0] == '=' && p[1] == '"')
			break;
	}
	if (!p)
		return 0;
	for (p += 2; *p && *p != '"' && n + 1 < size; p++) {
		if (*p == '\\' && p[1])
			p++;
		out[n++] = *p;
	}
	out[n] = '\0';
	return *p == '"' ? 0 : -EBADMSG;
}

/* The fields of a part; each line ends with CR LF. */
static int read_fields(struct multipart *m, char *text,
		       const struct multipart_calls *calls, void *ctx)
{
	char name[MULTIPART_NAME] = "", file[MULTIPART_NAME] = "";
	int r = 0;

	for (char *line = text, *end; *line && r == 0; line = end) {
		end = line + strcspn(line, "\r\n");
		while (*end == '\r' || *end == '\n')
			*end++ = '\0';
		if (strncasecmp(line, "content-disposition:", 20) != 0)
			continue;
		r = parameter(line, "name", name, sizeof(name))
			    ?: parameter(line, "filename", file, sizeof(file));
	}
	if (r < 0)
		return r;
	m->wanted = strcmp(name, "file") == 0 && !m->found;
	m->found |= m->wanted;
	return m->wanted ? calls->begin(ctx, file) : 0;
}

static int on_fields(struct multipart *m, const struct multipart_calls *calls,
		     void *ctx)
{
	/* a part without fields begins with the empty line */
	const char *end =
		m->kept.len ? memmem(m->kept.data, m->kept.len, "\r\n\r\n", 4) : NULL;
	_cleanup_free_ char *text = NULL;
	size_t n;
	int r;

	if (!end)
		return m->kept.len > MULTIPART_HEAD ? -EBADMSG : 1;
	n = (size_t)(end - m->kept.data);
	if (n > MULTIPART_HEAD || memchr(m->kept.data, '\0', n))
		return -EBADMSG;
	text = strndup(m->kept.data, n);
	if (!text)
		return -ENOMEM;
	r = read_fields(m, text, calls, ctx);
	buf_consume(&m->kept, n + 4);
	m->state = DATA;
	return r < 0 ? r : 0;
}

static int on_data(struct multipart *m, const struct multipart_calls *calls, void *ctx)
{
	size_t len = strlen(m->delimiter), n;
	const char *end = m->kept.len
				  ? memmem(m->kept.data, m->kept.len, m->delimiter, len)
				  : NULL;
	int r = 0;

	if (end)
		n = (size_t)(end - m->kept.data);
	else
		n = m->kept.len > len ? m->kept.len - len : 0;
	if (n && m->state == DATA && m->wanted)
		r = calls->data(ctx, m->kept.data, n);
	if (r < 0)
		return r;
	if (end && m->state == DATA && m->wanted)
		r = calls->end(ctx);
	buf_consume(&m->kept, n + (end ? len : 0));
	if (end)
		m->state = AFTER_DELIMITER;
	return r < 0 ? r : !end;
}

/* "--" behind the delimiter ends the body, a line end begins a part. */
static int on_delimiter(struct multipart *m)
{
	if (m->kept.len < 2)
		return 1;
	if (memcmp(m->kept.data, "--", 2) == 0) {
		m->state = AFTER;
		return 0;
	}
	if (memcmp(m->kept.data, "\r\n", 2) != 0)
		return -EBADMSG;
	m->state = FIELDS; /* the line end stays: it may be that of the empty line */
	return 0;
}

int multipart_feed(struct multipart *m, const char *data, size_t len,
		   const struct multipart_calls *calls, void *ctx)
{
	int r = buf_add(&m->kept, data, len);

	while (r == 0) {
		switch ((enum state)m->state) {
		case BEFORE:
		case DATA:
			r = on_data(m, calls, ctx);
			break;
		case AFTER_DELIMITER:
			r = on_delimiter(m);
			break;
		case FIELDS:
			r = on_fields(m, calls, ctx);
			break;
		case AFTER:
		default:
			buf_truncate(&m->kept, 0);
			return 0;
		}
	}
	return r < 0 ? r : 0;
}

bool multipart_complete(const struct multipart *m)
{
	return m->state == AFTER && m->found;
}
