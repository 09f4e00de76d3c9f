#include "agent/turn/history.h"

#include <string.h>

#include "base/grow.h"
#include "base/text.h"

enum { HISTORY_TEXT_MAX = 64 << 20, PICTURE_SIZE = 4800 }; /* 1,600 tokens */

static void entry_done(struct history_entry *x)
{
	free(x->text);
	free(x->mime);
	free(x->picture);
	free(x->id);
	free(x->tool);
	free(x->log_path);
	free(x->bytes);
	json_free(&x->message);
}

void history_done(struct history *h)
{
	for (size_t i = 0; i < h->n; i++)
		entry_done(&h->entries[i]);
	free(h->entries);
	free(h->system);
	*h = (struct history){ 0 };
}

/* What goes out must be UTF-8, whatever a command printed. */
static char *utf8_copy(const char *text)
{
	_cleanup_buf_ struct buf b = BUF_INIT(3 * (size_t)HISTORY_TEXT_MAX);

	if (text_utf8(&b, text, strlen(text)) < 0)
		return NULL;
	return b.len ? buf_steal(&b) : strdup("");
}

static int no_memory(struct err *e)
{
	return err_sys(e, -ENOMEM, "cannot keep what was said");
}

static char *maybe_copy(const char *s, bool *failed)
{
	char *copy = s ? strdup(s) : NULL;

	*failed |= s && !copy;
	return copy;
}

int history_set_system(struct history *h, const char *text, struct err *e)
{
	char *copy = utf8_copy(text);

	if (!copy)
		return no_memory(e);
	free(h->system);
	h->system = copy;
	return 0;
}

/* Takes the entry over, also when it fails. */
static int add(struct history *h, struct history_entry *x, struct err *e)
{
	if (!grow_room(h->entries, h->n)) {
		entry_done(x);
		return no_memory(e);
	}
	h->entries[h->n++] = *x;
	return 0;
}

int history_add_text(struct history *h, enum history_kind kind, unsigned round,
		     const char *text, struct err *e)
{
	struct history_entry x = { .kind = kind, .round = round };

	x.text = utf8_copy(text);
	if (!x.text)
		return no_memory(e);
	return add(h, &x, e);
}

int history_add_turn(struct history *h, unsigned round, const struct json *message,
		     struct err *e)
{
	struct history_entry x = { .kind = HISTORY_ASSISTANT, .round = round };

	x.message = json_dup(message);
	if (!x.message)
		return no_memory(e);
	return add(h, &x, e);
}

int history_add_result(struct history *h, unsigned round,
		       const struct history_result *r, struct err *e)
{
	struct history_entry x = { .kind = HISTORY_RESULT,
				   .round = round,
				   .error = r->error };
	bool failed = false;

	x.text = utf8_copy(r->text);
	x.id = maybe_copy(r->id, &failed);
	x.tool = maybe_copy(r->tool, &failed);
	x.log_path = maybe_copy(r->log_path, &failed);
	if (!x.text || failed) {
		entry_done(&x);
		return no_memory(e);
	}
	return add(h, &x, e);
}

int history_add_picture(struct history *h, unsigned round, const char *text,
			const char *mime, const char *base64, struct err *e)
{
	struct history_entry x = { .kind = HISTORY_PICTURE, .round = round };
	bool failed = false;

	x.text = utf8_copy(text);
	x.mime = maybe_copy(mime, &failed);
	x.picture = maybe_copy(base64, &failed);
	if (!x.text || failed) {
		entry_done(&x);
		return no_memory(e);
	}
	return add(h, &x, e);
}

static void forget(struct history_entry *x)
{
	free(x->bytes);
	x->bytes = NULL;
	x->n_bytes = 0;
}

int history_set_text(struct history *h, size_t nth, const char *text, struct err *e)
{
	struct history_entry *x = &h->entries[nth];
	char *copy = utf8_copy(text);

	if (!copy)
		return no_memory(e);
	free(x->text);
	x->text = copy;
	forget(x);
	return 0;
}

void history_drop_picture(struct history *h, size_t nth)
{
	struct history_entry *x = &h->entries[nth];

	free(x->picture);
	x->picture = NULL;
	forget(x);
}

size_t history_picture_size(const struct history *h)
{
	size_t n = 0;

	for (size_t i = 0; i < h->n; i++)
		n += h->entries[i].picture ? strlen(h->entries[i].picture) : 0;
	return n;
}

void history_remove(struct history *h, size_t from, size_t n)
{
	for (size_t i = from; i < from + n; i++)
		entry_done(&h->entries[i]);
	memmove(&h->entries[from], &h->entries[from + n],
		(h->n - from - n) * sizeof(*h->entries));
	h->n -= n;
}

void history_move_last(struct history *h, size_t to)
{
	struct history_entry last = h->entries[h->n - 1];

	memmove(&h->entries[to + 1], &h->entries[to],
		(h->n - 1 - to) * sizeof(*h->entries));
	h->entries[to] = last;
}

void history_forget_bytes(struct history *h)
{
	for (size_t i = 0; i < h->n; i++)
		forget(&h->entries[i]);
}

/* Strings of a message and their names: near enough to what it takes when printed. */
static size_t message_size(const struct json *j)
{
	const char *s = json_str(j), *key = json_key(j);
	size_t n = (s ? strlen(s) : 4) + (key ? strlen(key) + 3 : 1);

	json_each(m, j)
	{
		n += message_size(m);
	}
	return n;
}

size_t history_entry_size(const struct history_entry *x)
{
	if (x->kind == HISTORY_PICTURE)
		return x->picture ? PICTURE_SIZE : strlen(x->text) + 40;
	if (x->n_bytes)
		return x->n_bytes;
	return x->message ? message_size(x->message) : strlen(x->text) + 40;
}

size_t history_size(const struct history *h)
{
	size_t n = h->system ? strlen(h->system) : 0;

	for (size_t i = 0; i < h->n; i++)
		n += history_entry_size(&h->entries[i]);
	return n;
}

static bool answered(const struct history *h, size_t from, const char *id)
{
	for (size_t i = from; i < h->n; i++)
		if (h->entries[i].kind == HISTORY_RESULT &&
		    strcmp(h->entries[i].id, id) == 0)
			return true;
	return false;
}

const char *history_open_call(const struct history *h, const char **name)
{
	const struct json *message;
	size_t last = h->n;

	while (last && h->entries[last - 1].kind != HISTORY_ASSISTANT)
		last--;
	if (!last)
		return NULL;
	message = h->entries[last - 1].message;
	json_each(call, json_get(message, "tool_calls"))
	{
		const char *id = json_get_str(call, "id");

		*name = json_get_str(json_get(call, "function"), "name");
		if (id && !answered(h, last, id))
			return id;
	}
	json_each(item, json_get(message, "output"))
	{
		const char *id = json_get_str(item, "call_id");

		*name = json_get_str(item, "name");
		if (id && !answered(h, last, id))
			return id;
	}
	json_each(block, json_get(message, "content"))
	{
		const char *type = json_get_str(block, "type");
		const char *id = json_get_str(block, "id");

		*name = json_get_str(block, "name");
		if (type && id && strcmp(type, "tool_use") == 0 &&
		    !answered(h, last, id))
			return id;
	}
	return NULL;
}
