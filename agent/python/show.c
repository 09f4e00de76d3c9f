#include "agent/python/show.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"

enum { HTML_MAX = 8 << 10 };

static void add_line(struct buf *out, const char *s, size_t len)
{
	buf_add(out, s, len);
	if (len && s[len - 1] != '\n')
		buf_addc(out, '\n');
}

/* "<module.Class object at 0x7f…>" */
static bool says_nothing(const char *s)
{
	return *s == '<' && strstr(s, " object") && !strchr(s, '\n');
}

static void add_value(const struct python_message *m, struct buf *out)
{
	const char *text = json_get_str(m->data, "text/plain");
	const char *html = json_get_str(m->data, "text/html");
	const char *markdown = json_get_str(m->data, "text/markdown");
	size_t len, most = SIZE_MAX;

	if (markdown)
		text = markdown;
	else if (html && (!text || says_nothing(text))) {
		text = html;
		most = HTML_MAX;
	}
	if (!text)
		return;
	len = text_whole(text, strnlen(text, most));
	add_line(out, text, len);
	if (text[len])
		buf_addf(out, "… (%zu bytes left out)\n", strlen(text + len));
}

static void add_file(const struct json *f, struct buf *out)
{
	int64_t width = json_get_int(f, "width", 0),
		height = json_get_int(f, "height", 0);
	const char *path = json_get_str(f, "path");

	buf_addf(out, "[%s, ", json_key(f));
	if (width > 0 && height > 0)
		buf_addf(out, "%" PRId64 " × %" PRId64 " pixels, ", width, height);
	buf_addf(out, "%s: ", text_bytes((uint64_t)json_get_int(f, "bytes", 0)));
	text_escape(out, path, strlen(path));
	buf_adds(out, "]\n");
}

/* Pictures that are not in a file, and which a text cannot have. */
static void add_picture(const struct json *v, struct buf *out)
{
	if (text_starts(json_key(v), "image/"))
		buf_addf(out, "[%s, %s]\n", json_key(v),
			 text_bytes(strlen(json_str(v)) / 4 * 3));
}

int python_show(const struct python_message *m, struct buf *out)
{
	if (m->kind == PYTHON_DISPLAY || m->kind == PYTHON_RESULT) {
		add_value(m, out);
		json_each(v, m->data) add_picture(v, out);
		json_each(f, m->files) add_file(f, out);
	} else if (m->kind == PYTHON_DONE && m->tb) {
		json_each(line, m->tb)
		{
			buf_adds(out, json_str(line));
			buf_addc(out, '\n');
		}
	}
	return buf_failed(out);
}
