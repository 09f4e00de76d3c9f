#include "agent/python/message.h"

#include <errno.h>
#include <string.h>

enum { MIME_MAX = 100, FORMS_MAX = 64, PATH_LEN = 4096, VALUES_MAX = 64 << 10 };

void python_message_done(struct python_message *m)
{
	json_free(&m->root);
	*m = PYTHON_MESSAGE_NONE;
}

static bool is_mime(const char *s)
{
	size_t len = strlen(s);

	for (size_t i = 0; i < len; i++)
		if (s[i] <= ' ' || s[i] > '~')
			return false;
	return len > 0 && len <= MIME_MAX;
}

static bool is_text(const struct json *v)
{
	return json_str(v) != NULL;
}

static bool is_file(const struct json *v)
{
	const char *path = json_get_str(v, "path");

	return path && *path == '/' && strlen(path) < PATH_LEN &&
	       json_get_int(v, "bytes", -1) >= 0;
}

static bool are_forms(const struct json *j, bool (*fits)(const struct json *))
{
	if (json_type(j) != JSON_OBJECT || json_len(j) > FORMS_MAX)
		return false;
	json_each(v, j)
	{
		if (!is_mime(json_key(v)) || !fits(v))
			return false;
	}
	return true;
}

static bool are_lines(const struct json *j)
{
	json_each(v, j)
	{
		if (!is_text(v))
			return false;
	}
	return json_type(j) == JSON_ARRAY;
}

/* ---- one function a kind: false = it is not what it says ------------------------- */

static bool read_ready(const struct json *j, struct python_message *m)
{
	m->version = json_get_str(j, "python");
	return m->version != NULL;
}

static bool read_display(const struct json *j, struct python_message *m)
{
	m->data = json_get(j, "data");
	m->files = json_get(j, "files");
	m->metadata = json_get(j, "metadata");
	m->display_id = json_get_str(j, "display_id");
	m->update = json_get_bool(j, "update", false);
	m->count = json_get_int(j, "n", 0);
	return are_forms(m->data, is_text) && are_forms(m->files, is_file) &&
	       json_type(m->metadata) == JSON_OBJECT;
}

static bool read_clear(const struct json *j, struct python_message *m)
{
	m->wait = json_get_bool(j, "wait", false);
	return true;
}

static bool read_ask(const struct json *j, struct python_message *m)
{
	m->prompt = json_get_str(j, "prompt");
	m->password = json_get_bool(j, "password", false);
	return m->prompt != NULL;
}

static bool read_status(const char *s, enum python_status *ret)
{
	static const char *const words[] = { [PYTHON_OK] = "ok",
					     [PYTHON_ERROR] = "error",
					     [PYTHON_INTERRUPTED] = "interrupted",
					     [PYTHON_INCOMPLETE] = "incomplete" };

	for (unsigned i = 0; s && i < ARRAY_SIZE(words); i++)
		if (strcmp(s, words[i]) == 0) {
			*ret = (enum python_status)i;
			return true;
		}
	return false;
}

static bool read_done(const struct json *j, struct python_message *m)
{
	m->count = json_get_int(j, "n", 0);
	m->ms = json_num(json_get(j, "ms"), 0);
	if (!read_status(json_get_str(j, "status"), &m->status))
		return false;
	if (m->status == PYTHON_OK || m->status == PYTHON_INCOMPLETE)
		return true;
	m->ename = json_get_str(j, "ename");
	m->evalue = json_get_str(j, "evalue");
	m->tb = json_get(j, "tb");
	return m->ename && m->evalue && are_lines(m->tb);
}

static bool read_complete(const struct json *j, struct python_message *m)
{
	m->names = json_get(j, "matches");
	m->from = json_get_int(j, "start", -1);
	m->to = json_get_int(j, "end", -1);
	return are_lines(m->names) && m->from >= 0 && m->to >= m->from &&
	       m->to <= INT32_MAX;
}

static bool read_inspect(const struct json *j, struct python_message *m)
{
	m->text = json_get_str(j, "text");
	return m->text || !json_get(j, "text");
}

static bool read_vars(const struct json *j, struct python_message *m)
{
	m->vars = json_get(j, "vars");
	m->more = json_get_int(j, "more", -1);
	json_each(v, m->vars)
	{
		const struct json *size = json_get(v, "size");

		if (!json_get_str(v, "name") || !json_get_str(v, "type") ||
		    !json_get_str(v, "repr") || (size && !json_str(size)))
			return false;
	}
	return json_type(m->vars) == JSON_ARRAY && m->more >= 0;
}

static const struct kind {
	const char *name;
	enum python_kind kind;
	bool (*read)(const struct json *j, struct python_message *m);
} kinds[] = {
	{ "ready", PYTHON_READY, read_ready },
	{ "display", PYTHON_DISPLAY, read_display },
	{ "result", PYTHON_RESULT, read_display },
	{ "clear", PYTHON_CLEAR, read_clear },
	{ "ask", PYTHON_ASK, read_ask },
	{ "done", PYTHON_DONE, read_done },
	{ "complete", PYTHON_COMPLETE, read_complete },
	{ "inspect", PYTHON_INSPECT, read_inspect },
	{ "vars", PYTHON_VARS, read_vars },
};

static const struct kind *find_kind(const char *name)
{
	for (size_t i = 0; name && i < ARRAY_SIZE(kinds); i++)
		if (strcmp(name, kinds[i].name) == 0)
			return &kinds[i];
	return NULL;
}

int python_message_read(const char *text, size_t len, struct python_message *ret,
			struct err *e)
{
	_cleanup_python_message_ struct python_message m = PYTHON_MESSAGE_NONE;
	const struct kind *kind;
	size_t values = VALUES_MAX;
	int r = json_parse_within(text, len, &values, &m.root, e);

	if (r < 0)
		return r == -ENOMEM ? r : (e->code = -EBADMSG);
	kind = find_kind(json_get_str(m.root, "t"));
	if (!kind)
		return err_set(e, -EBADMSG, "a message of no known kind");
	m.kind = kind->kind;
	m.id = json_get_int(m.root, "id", 0);
	if (!kind->read(m.root, &m))
		return err_set(e, -EBADMSG, "a malformed message '%s'", kind->name);
	*ret = take(&m, PYTHON_MESSAGE_NONE);
	return 0;
}
