#include "agent/mcp/foreign.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/terminal/clip.h"
#include "agent/tool/picture.h"
#include "base/base64.h"
#include "base/schema.h"
#include "base/text.h"

enum {
	SCHEMA_DEPTH = 8,
	SCHEMA_NODES = 300,
	ENUM_MOST = 100,
	PARTS_MOST = 200,
	LABEL = 300 /* bytes that are shown of a name or an address */
};

#define NAME_SET "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

/* ---- names ---- */

bool mcp_foreign_name(const char *server, const struct json *tool,
		      char ret[MCP_FOREIGN_NAME])
{
	const char *name = json_get_str(tool, "name");
	int n = snprintf(ret, MCP_FOREIGN_NAME, "mcp__%s__%s", server, name ?: "");

	if (!name || !*name || n >= MCP_FOREIGN_NAME)
		return false;
	for (char *p = ret; *p; p++)
		if (!strchr(NAME_SET, *p))
			*p = '_';
	return true;
}

/* ---- schemas ---- */

struct reducing {
	const struct json *root;
	unsigned left; /* values that may yet be made */
};

static bool is_type(const char *t)
{
	static const char *const types[] = { "string",	"number", "integer",
					     "boolean", "array",  "object" };

	for (size_t i = 0; t && i < ARRAY_SIZE(types); i++)
		if (strcmp(t, types[i]) == 0)
			return true;
	return false;
}

/* The plain type of a schema, said or to be guessed; NULL = none. */
static const char *type_of(const struct json *s)
{
	const struct json *type = json_get(s, "type");

	if (is_type(json_str(type)))
		return json_str(type);
	json_each(it, json_type(type) == JSON_ARRAY ? type : NULL)
	{
		if (is_type(json_str(it)))
			return json_str(it);
	}
	if (json_get(s, "properties"))
		return "object";
	if (json_get(s, "items"))
		return "array";
	return json_get(s, "enum") || json_get(s, "const") ? "string" : NULL;
}

/* The schema that says the type: of a reference what it means, of alternatives the first
 * that is more than null. */
static const struct json *said_where(const struct reducing *w, const struct json *s)
{
	static const char *const ways[] = { "anyOf", "oneOf", "allOf" };

	for (unsigned depth = 0; depth < SCHEMA_DEPTH && !type_of(s); depth++) {
		const struct json *next =
			schema_referred(w->root, json_get_str(s, "$ref"));

		for (size_t i = 0; i < ARRAY_SIZE(ways) && !next; i++)
			json_each(it, json_get(s, ways[i]))
			{
				if (!next && !json_is(it, "type", "null"))
					next = it;
			}
		if (!next)
			break;
		s = next;
	}
	return s;
}

static void add_choices(struct json *out, const struct json *s)
{
	_cleanup_json_ struct json *list = json_array();
	const char *only = json_get_str(s, "const");
	size_t n = 0;

	if (only)
		json_add(list, json_string(only));
	json_each(it, json_get(s, "enum"))
	{
		if (json_str(it) && n++ < ENUM_MOST)
			json_add(list, json_string(json_str(it)));
	}
	if (json_len(list))
		json_set(out, "enum", take(&list, NULL));
}

static void add_required(struct json *out, const struct json *s)
{
	_cleanup_json_ struct json *list = json_array();
	const struct json *properties = json_get(out, "properties");

	json_each(it, json_get(s, "required"))
	{
		if (json_str(it) && json_get(properties, json_str(it)))
			json_add(list, json_string(json_str(it)));
	}
	if (json_len(list))
		json_set(out, "required", take(&list, NULL));
}

static struct json *plain(struct reducing *w, const struct json *s, unsigned depth);

/* NOLINTNEXTLINE(misc-no-recursion) bounded by SCHEMA_DEPTH */
static void add_properties(struct reducing *w, struct json *out, const struct json *s,
			   unsigned depth)
{
	_cleanup_json_ struct json *all = json_object();

	json_each(it, json_get(s, "properties"))
	{
		if (json_key(it) && w->left)
			json_set(all, json_key(it), plain(w, it, depth + 1));
	}
	json_set(out, "properties", take(&all, NULL));
	add_required(out, s);
}

/* NOLINTNEXTLINE(misc-no-recursion) bounded by SCHEMA_DEPTH */
static struct json *plain(struct reducing *w, const struct json *s, unsigned depth)
{
	_cleanup_json_ struct json *out = json_object();
	const struct json *where = said_where(w, s);
	const char *type = depth < SCHEMA_DEPTH && w->left ? type_of(where) : NULL;
	const char *words =
		json_get_str(s, "description") ?: json_get_str(where, "description");

	w->left -= w->left > 0;
	if (!type)
		type = depth < SCHEMA_DEPTH ? "string" : "object";
	json_set_str(out, "type", type);
	if (words)
		json_set_str(out, "description", words);
	if (strcmp(type, "string") == 0)
		add_choices(out, where);
	else if (strcmp(type, "object") == 0 && depth < SCHEMA_DEPTH)
		add_properties(w, out, where, depth);
	else if (strcmp(type, "array") == 0)
		json_set(out, "items", plain(w, json_get(where, "items"), depth + 1));
	return take(&out, NULL);
}

int mcp_foreign_words(const char *server, bool outside, const struct json *tool,
		      struct json **ret, struct err *e)
{
	const struct json *schema = json_get(tool, "inputSchema");
	struct reducing w = { schema, SCHEMA_NODES };
	_cleanup_buf_ struct buf words = BUF_INIT(MCP_FOREIGN_WORDS),
				 printed = BUF_INIT(MCP_FOREIGN_WORDS);
	_cleanup_json_ struct json *out = json_object();
	int r;

	if (json_type(schema) != JSON_OBJECT || strcmp(type_of(schema) ?: "", "object"))
		return err_set(e, -EINVAL, "its inputSchema is none of an object");
	buf_addf(&words, "(MCP server %s%s) %s", server,
		 outside ? ", outside of your machine" : "",
		 json_get_str(tool, "description") ?: json_get_str(tool, "title") ?: "");
	if (buf_failed(&words) == 0) {
		json_set_str(out, "description", buf_cstr(&words));
		json_set(out, "parameters", plain(&w, schema, 0));
	}
	r = buf_failed(&words) ?: json_print(out, false, &printed);
	if (r < 0)
		return r == -EMSGSIZE
			       ? err_set(e, r, "its description has more than %d bytes",
					 MCP_FOREIGN_WORDS)
			       : err_sys(e, r, "cannot keep its description");
	*ret = take(&out, NULL);
	return 0;
}

/* ---- results ---- */

static void add_text(struct clip *out, const char *text)
{
	size_t len = strlen(text);

	clip_add(out, text, len);
	if (len && text[len - 1] != '\n')
		clip_add(out, "\n", 1);
}

/* What cannot be shown: "[KIND, LABEL]". */
static void add_facts(struct clip *out, const char *kind, const char *label)
{
	char line[LABEL + 80], shown[LABEL];

	snprintf(line, sizeof(line), "[%s%s%s]", kind, label ? ", " : "",
		 label ? text_escaped(shown, sizeof(shown), label, strlen(label)) : "");
	add_text(out, line);
}

static bool keep_picture(const char *data, struct tool_result *ret)
{
	_cleanup_buf_ struct buf bytes = BUF_INIT(PICTURE_MAX),
				 text = BUF_INIT(2 * (size_t)PICTURE_MAX);
	struct picture p;

	if (ret->picture || base64_get(&bytes, data, strlen(data)) < 0 ||
	    !picture_read(bytes.data, bytes.len, &p) || !p.width ||
	    p.width > PICTURE_EDGE || !p.height || p.height > PICTURE_EDGE ||
	    base64_add(&text, bytes.data, bytes.len) < 0)
		return false;
	ret->picture = buf_steal(&text);
	ret->mime = p.mime;
	return ret->picture != NULL;
}

static void add_part(const struct json *part, struct clip *out, struct tool_result *ret)
{
	const char *type = json_get_str(part, "type") ?: "";
	const char *text = json_get_str(part, "text"), *mime;
	const struct json *resource = json_get(part, "resource");
	const char *data = json_get_str(part, "data");

	mime = json_get_str(part, "mimeType") ?: json_get_str(resource, "mimeType");
	if (strcmp(type, "text") == 0 && text) {
		add_text(out, text);
	} else if (strcmp(type, "image") == 0 && data) {
		if (keep_picture(data, ret))
			add_facts(out, "a picture, which follows", mime);
		else
			add_facts(out, "a picture that is not shown", mime);
	} else if (strcmp(type, "resource") == 0) {
		add_facts(out, "resource", json_get_str(resource, "uri"));
		if (json_get_str(resource, "text"))
			add_text(out, json_get_str(resource, "text"));
		else
			add_facts(out, "its bytes are not shown", mime);
	} else if (strcmp(type, "resource_link") == 0) {
		add_facts(out, "resource", json_get_str(part, "uri"));
	} else {
		add_facts(out, "a part that is not shown", *type ? type : mime);
	}
}

/* A server may answer with values alone. */
static int add_values(const struct json *result, struct clip *out)
{
	_cleanup_buf_ struct buf text = BUF_INIT(TOOL_TEXT_MAX);
	const struct json *values = json_get(result, "structuredContent");
	int r = values ? json_print(values, false, &text) : 0;

	if (r == 0 && text.len)
		add_text(out, text.data);
	return r;
}

int mcp_foreign_result(const struct json *result, size_t keep, struct tool_result *ret)
{
	_cleanup_buf_ struct buf text = BUF_INIT(TOOL_TEXT_MAX);
	struct clip out;
	size_t n = 0;
	int r = 0;

	clip_init(&out, keep);
	json_each(it, json_get(result, "content"))
	{
		if (n++ < PARTS_MOST)
			add_part(it, &out, ret);
	}
	if (n > PARTS_MOST)
		add_facts(&out, "more parts than are shown", NULL);
	if (!n)
		r = add_values(result, &out);
	r = clip_take(&out, &text) ?: r ?:
		text_utf8(&ret->text, buf_cstr(&text), text.len);
	clip_done(&out);
	while (ret->text.len && ret->text.data[ret->text.len - 1] == '\n')
		buf_truncate(&ret->text, ret->text.len - 1);
	if (r == 0 && !ret->text.len)
		r = buf_adds(&ret->text, "[the answer is empty]");
	if (json_get_bool(result, "isError", false))
		ret->outcome = TOOL_ERROR;
	return r;
}
