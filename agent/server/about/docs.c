#include "agent/server/about/docs.h"

#include <string.h>

static void add_text(struct buf *out, const char *s)
{
	for (; s && *s; s++) {
		if (*s == '&')
			buf_adds(out, "&amp;");
		else if (*s == '<')
			buf_adds(out, "&lt;");
		else
			buf_addc(out, *s);
	}
}

/* @text between the two ends of an element; nothing where there is none */
static void add_element(struct buf *out, const char *name, const char *text)
{
	if (!text || !*text)
		return;
	buf_addf(out, "<%s>", name);
	add_text(out, text);
	buf_addf(out, "</%s>\n", name);
}

static void add_row(struct buf *out, const char *name, const char *in, bool needed,
		    const struct json *schema, const char *says)
{
	buf_adds(out, "<tr><td><code>");
	add_text(out, name);
	buf_addf(out, "</code><td>%s<td>", needed ? "needed" : "");
	add_text(out, in);
	buf_adds(out, "<td>");
	add_text(out, json_get_str(schema, "type"));
	buf_adds(out, "<td>");
	add_text(out, says);
	buf_adds(out, "\n");
}

static bool is_among(const struct json *names, const char *name)
{
	json_each(it, names)
	{
		if (strcmp(json_str(it), name) == 0)
			return true;
	}
	return false;
}

static void add_arguments(struct buf *out, const struct json *op)
{
	const struct json *body = json_get(op, "requestBody");
	const struct json *schema = json_get(
		json_get(json_get(body, "content"), "application/json"), "schema");
	const struct json *list = json_get(op, "parameters");

	if (!json_len(list) && !json_len(json_get(schema, "properties")))
		return;
	buf_adds(out, "<table><tr><th>name<th><th>in<th>type<th>what it says\n");
	json_each(it, list)
		add_row(out, json_get_str(it, "name"), json_get_str(it, "in"),
			json_get_bool(it, "required", false), json_get(it, "schema"),
			json_get_str(it, "description"));
	json_each(it, json_get(schema, "properties"))
		add_row(out, json_key(it), "body",
			is_among(json_get(schema, "required"), json_key(it)), it,
			json_get_str(it, "description"));
	buf_adds(out, "</table>\n");
}

static void add_operation(struct buf *out, const char *path, const struct json *op)
{
	buf_adds(out, "<h2 id=\"");
	add_text(out, json_get_str(op, "operationId"));
	buf_adds(out, "\">");
	for (const char *p = json_key(op); *p; p++)
		buf_addc(out, *p >= 'a' && *p <= 'z' ? (char)(*p - 'a' + 'A') : *p);
	buf_addc(out, ' ');
	add_text(out, path);
	buf_adds(out, "</h2>\n");
	add_element(out, "h3", json_get_str(op, "operationId"));
	add_element(out, "p",
		    json_get_str(op, "description") ?: json_get_str(op, "summary"));
	add_arguments(out, op);
}

int docs_page(const struct json *doc, struct buf *out)
{
	const struct json *info = json_get(doc, "info");

	buf_adds(out, "<!doctype html>\n<html lang=en><meta charset=utf-8>\n"
		      "<meta name=viewport content=\"width=device-width\">\n"
		      "<meta name=color-scheme content=\"light dark\">\n");
	add_element(out, "title", json_get_str(info, "title"));
	buf_adds(out, "<h1>");
	add_text(out, json_get_str(info, "title"));
	buf_addc(out, ' ');
	add_text(out, json_get_str(info, "version"));
	buf_adds(out, "</h1>\n<p>What a model gets as tools, of "
		      "<a href=openapi.json>openapi.json</a>. Each request has "
		      "<code>Authorization: Bearer KEY</code>.</p>\n");
	json_each(path, json_get(doc, "paths"))
	{
		json_each(op, path) add_operation(out, json_key(path), op);
	}
	return buf_failed(out);
}
