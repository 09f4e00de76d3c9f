#include "agent/server/about/openapi.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/embed.h"

/* In them a parameter is "TYPE:what it says", with a '!' behind the type when it is
 * needed, and an answer "[STATUS ]MEDIATYPE:what it says"; without a status it is 200. */
EMBED(openapi_text, "agent/server/about/openapi.json");
EMBED(openapi_rest, "agent/server/about/rest.json");

struct words {
	char type[16];
	bool needed;
	const char *says;
};

static struct words words_of(const char *text)
{
	struct words w = { .type = "string" };
	size_t n = strcspn(text, ":!");

	if (n < sizeof(w.type)) {
		memcpy(w.type, text, n);
		w.type[n] = '\0';
	}
	w.needed = text[n] == '!';
	w.says = text + n + (w.needed ? 1 : 0);
	w.says += *w.says == ':';
	return w;
}

/* ---- schemas -------------------------------------------------------------------- */

static struct json *typed(const char *type, const char *says)
{
	struct json *j = json_object();

	json_set_str(j, "type", type);
	if (says && *says)
		json_set_str(j, "description", says);
	return j;
}

/* The one list of objects that there is. */
static struct json *replacements(const char *says)
{
	static const char *const members[][2] = {
		{ "target", "string" },		 { "replacement", "string" },
		{ "start_line", "integer" },	 { "end_line", "integer" },
		{ "allow_multiple", "boolean" },
	};
	struct json *j = typed("array", says), *item = typed("object", NULL);
	struct json *properties = json_object(), *needed = json_array();

	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		json_set(properties, members[i][0], typed(members[i][1], NULL));
	json_add(needed, json_string("target"));
	json_add(needed, json_string("replacement"));
	json_set(item, "properties", properties);
	json_set(item, "required", needed);
	json_set(j, "items", item);
	return j;
}

static struct json *schema_of(const struct words *w)
{
	struct json *j;

	if (strcmp(w->type, "replacements") == 0)
		return replacements(w->says);
	if (strcmp(w->type, "schema") == 0)
		return typed("object", w->says);
	j = typed(w->type, w->says);
	if (strcmp(w->type, "array") == 0)
		json_set(j, "items", typed("string", NULL));
	if (strcmp(w->type, "object") == 0)
		json_set(j, "additionalProperties", typed("string", NULL));
	return j;
}

static void add_parameters(struct json *list, const struct json *described,
			   const char *in)
{
	json_each(it, described)
	{
		const struct words w = words_of(json_str(it));
		struct json *j = json_object();

		json_set_str(j, "name", json_key(it));
		json_set_str(j, "in", in);
		json_set_bool(j, "required", w.needed);
		json_set_str(j, "description", w.says);
		json_set(j, "schema", schema_of(&w));
		json_add(list, j);
	}
}

static struct json *body_of(const struct json *described)
{
	struct json *body = json_object(), *content = json_object();
	struct json *media = json_object(), *schema = typed("object", NULL);
	struct json *properties = json_object(), *needed = json_array();

	json_each(it, described)
	{
		const struct words w = words_of(json_str(it));

		json_set(properties, json_key(it), schema_of(&w));
		if (w.needed)
			json_add(needed, json_string(json_key(it)));
	}
	json_set(schema, "properties", properties);
	json_set(schema, "required", needed);
	json_set(media, "schema", schema);
	json_set(content, "application/json", media);
	json_set_bool(body, "required", true);
	json_set(body, "content", content);
	return body;
}

/* ---- the document --------------------------------------------------------------- */

static struct json *failures(void)
{
	struct json *j = json_object(), *content = json_object(),
		    *media = json_object();
	struct json *schema = typed("object", NULL), *members = json_object();

	json_set(members, "detail", typed("string", "Why"));
	json_set(schema, "properties", members);
	json_set(media, "schema", schema);
	json_set(content, "application/json", media);
	json_set_str(j, "description", "It failed");
	json_set(j, "content", content);
	return j;
}

/* @text: of its answer; NULL = nothing is said of it */
static struct json *responses(const char *text)
{
	struct json *j = json_object(), *ok = json_object(), *content = json_object();
	char status[4] = "200", type[64];
	size_t n;

	if (text && text[0] >= '0' && text[0] <= '9') {
		memcpy(status, text, 3);
		text += 4;
	}
	n = text ? strcspn(text, ":") : 0;
	snprintf(type, sizeof(type), "%.*s", (int)n, text ? text : "");
	json_set_str(ok, "description", text ? text + n + 1 : "the result");
	if (text) {
		json_set(content, type, json_object());
		json_set(ok, "content", content);
		json_set(j, "default", failures());
	} else {
		json_free(&content);
	}
	json_set(j, status, ok);
	return j;
}

static struct json *operation_of(const struct route *row, const struct json *described)
{
	struct json *j = json_object(), *list = json_array();

	json_set_str(j, "operationId", row->operation);
	json_set_str(j, "summary", json_get_str(described, "summary"));
	if (json_get(described, "description"))
		json_set_str(j, "description", json_get_str(described, "description"));
	add_parameters(list, json_get(described, "path"), "path");
	add_parameters(list, json_get(described, "query"), "query");
	json_set(j, "parameters", list);
	if (json_get(described, "body"))
		json_set(j, "requestBody", body_of(json_get(described, "body")));
	json_set(j, "responses", responses(json_get_str(described, "answer")));
	return j;
}

static int add_route(struct json *paths, const struct route *row,
		     const struct json *text, struct err *e)
{
	const struct json *described = json_get(text, row->operation);
	struct json *path = json_get_mut(paths, row->path);
	char method[16] = "";

	if (!described)
		return err_set(e, -EINVAL, "the operation '%s' is not described",
			       row->operation);
	if (!path) {
		json_set(paths, row->path, json_object());
		path = json_get_mut(paths, row->path);
	}
	for (size_t i = 0; row->method[i] && i + 1 < sizeof(method); i++)
		method[i] = (char)(row->method[i] | 0x20);
	return path ? json_set(path, method, operation_of(row, described)) : -ENOMEM;
}

/* The rows that belong to it: those of the holder of the key are none of the model's. */
static int make_document(const struct route_table *tables, size_t n, bool own,
			 struct json *doc, struct err *e)
{
	_cleanup_json_ struct json *text = NULL;
	struct json *paths = json_object();
	const char *described = own ? openapi_rest : openapi_text;
	int r = json_parse(described, strlen(described), &text, e);

	json_set(doc, "paths", paths);
	for (size_t t = 0; t < n; t++)
		for (size_t i = 0; r == 0 && i < tables[t].count; i++) {
			const struct route *row = &tables[t].rows[i];

			if (row->operation && (row->right == ROUTE_HOLDER) == own)
				r = add_route(paths, row, text, e);
		}
	return r ? r : json_failed(doc);
}

/* How the key is shown. */
static void add_security(struct json *doc)
{
	struct json *parts = json_object(), *schemes = json_object();
	struct json *key = json_object(), *list = json_array(), *one = json_object();

	json_set_str(key, "type", "http");
	json_set_str(key, "scheme", "bearer");
	json_set(schemes, "key", key);
	json_set(parts, "securitySchemes", schemes);
	json_set(doc, "components", parts);
	json_set(one, "key", json_array());
	json_add(list, one);
	json_set(doc, "security", list);
}

static int document(const struct route_table *tables, size_t n, bool own,
		    const char *version, struct json **ret, struct err *e)
{
	_cleanup_json_ struct json *doc = json_object();
	struct json *info = json_object();
	int r;

	json_set_str(info, "title", own ? "cubby" : "Open Terminal");
	json_set_str(info, "version", version);
	json_set_str(doc, "openapi", "3.1.0");
	json_set(doc, "info", info);
	add_security(doc);
	r = make_document(tables, n, own, doc, e);
	if (r == -ENOMEM)
		return err_sys(e, r, "cannot describe the routes");
	if (r < 0)
		return r;
	*ret = take(&doc, NULL);
	return 0;
}

int openapi_document(const struct route_table *tables, size_t n, const char *version,
		     struct json **ret, struct err *e)
{
	return document(tables, n, false, version, ret, e);
}

int openapi_own(const struct route_table *table, const char *version, struct json **ret,
		struct err *e)
{
	return document(table, 1, true, version, ret, e);
}
