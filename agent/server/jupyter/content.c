#include "agent/server/jupyter/content.h"

#include <string.h>

#include "agent/python/python.h"
#include "agent/python/show.h"
#include "base/text.h"

enum { VALUES_MAX = 256 << 10 };

/* JSON is a value there, and not its text, unless it is of more than @values. */
static struct json *form_value(const struct json *v, size_t *values)
{
	struct json *parsed = NULL;
	const char *key = json_key(v);

	if (strcmp(key, "application/json") != 0 && !text_ends(key, "+json"))
		return json_dup(v);
	if (json_parse_within(json_str(v), strlen(json_str(v)), values, &parsed,
			      ERR_IGNORED) < 0)
		return json_dup(v);
	return parsed;
}

struct json *content_value(const struct python_message *m)
{
	_cleanup_buf_ struct buf text = BUF_INIT(PYTHON_CODE_MAX);
	struct json *c = json_object(), *data = json_object(), *transient;
	size_t values = VALUES_MAX;

	json_each(v, m->data) json_set(data, json_key(v), form_value(v, &values));
	if (json_len(m->files) && python_show(m, &text) == 0)
		json_set_str(data, "text/plain", buf_cstr(&text));
	json_set(c, "data", data);
	json_set(c, "metadata", json_dup(m->metadata));
	if (m->kind == PYTHON_RESULT) {
		json_set_int(c, "execution_count", m->count);
		return c;
	}
	transient = json_object();
	if (m->display_id)
		json_set_str(transient, "display_id", m->display_id);
	json_set(c, "transient", transient);
	return c;
}

struct json *content_error(const char *ename, const char *evalue, const struct json *tb)
{
	struct json *c = json_object();

	json_set_str(c, "ename", ename);
	json_set_str(c, "evalue", evalue);
	json_set(c, "traceback", tb ? json_dup(tb) : json_array());
	return c;
}

struct json *content_look(const struct python_message *m)
{
	struct json *c, *data;

	if (m->kind != PYTHON_COMPLETE && m->kind != PYTHON_INSPECT)
		return NULL;
	c = json_object();
	json_set(c, "metadata", json_object());
	if (m->kind == PYTHON_COMPLETE) {
		json_set(c, "matches", json_dup(m->names));
		json_set_int(c, "cursor_start", m->from);
		json_set_int(c, "cursor_end", m->to);
		return c;
	}
	data = json_object();
	if (m->text)
		json_set_str(data, "text/plain", m->text);
	json_set_bool(c, "found", m->text != NULL);
	json_set(c, "data", data);
	return c;
}

const char *content_reply(enum python_kind look)
{
	return look == PYTHON_COMPLETE	? "complete_reply"
	       : look == PYTHON_INSPECT ? "inspect_reply"
					: "execute_reply";
}
