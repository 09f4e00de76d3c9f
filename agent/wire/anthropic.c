/* Anthropic Messages: requests. Its answers are read by anthropic_assemble.c. */
#include <errno.h>
#include <string.h>

#include "agent/wire/anthropic_assemble.h"
#include "agent/wire/message.h"
#include "agent/wire/wire.h"
#include "base/text.h"

enum { CACHED_MESSAGES = 2 };

static const char cache_mark[] = ",\"cache_control\":{\"type\":\"ephemeral\"}";

static int anthropic_url(const struct wire_server *s, struct buf *out)
{
	const char *path = strstr(s->url, "://") + 3;
	int r = buf_adds(out, s->url);

	path += strcspn(path, "/");
	if (r == 0 && !text_ends(path, "/v1") && !text_ends(path, "/v1/messages"))
		r = buf_adds(out, "/v1");
	if (r == 0 && !text_ends(path, "/messages"))
		r = buf_adds(out, "/messages");
	return r;
}

static int anthropic_headers(const struct wire_server *s, struct buf *out)
{
	int r = buf_adds(out, "anthropic-version: 2023-06-01\n");

	if (r == 0 && s->key && *s->key)
		r = buf_addf(out, "x-api-key: %s\n", s->key);
	return r;
}

/* ---- messages: each entry is a block, or a whole message of the assistant ---- */

static bool blank(const char *s)
{
	return !s[strspn(s, " \t\r\n")];
}

static int put_text(const char *text, struct buf *out)
{
	int r = buf_adds(out, "{\"type\":\"text\",\"text\":");

	r = r ?: wire_json_text(out, blank(text) ? "(empty)" : text);
	return r ?: buf_addc(out, '}');
}

static int put_result(const struct history_entry *x, struct buf *out)
{
	int r = buf_adds(out, "{\"type\":\"tool_result\",\"tool_use_id\":");

	r = r ?: wire_json_text(out, x->id);
	r = r ?: buf_adds(out, ",\"content\":");
	r = r ?: wire_json_text(out, x->text);
	return r ?: buf_adds(out, x->error ? ",\"is_error\":true}" : "}");
}

/* Blank texts are refused by the service, which sends them all the same. */
static int drop_blank(struct json *message, struct err *e)
{
	_cleanup_json_ struct json *old = json_remove(message, "content");
	_cleanup_json_ struct json *content = json_array();
	int r = 0;

	json_each(block, old)
	{
		const char *type = json_get_str(block, "type");
		const char *text = json_get_str(block, "text");

		if (type && strcmp(type, "text") == 0 && (!text || blank(text)))
			continue;
		r = r ?: json_add(content, json_dup(block));
	}
	if (r == 0 && !json_len(content)) {
		_cleanup_json_ struct json *block = json_object();

		r = json_set_str(block, "type", "text")
			    ?: json_set_str(block, "text", "(nothing)");
		r = r ?: json_add(content, take(&block, NULL));
	}
	r = r ?: json_set(message, "content", take(&content, NULL));
	return r < 0 ? err_sys(e, r, "cannot write a message") : 0;
}

static int put_assistant(const struct history_entry *x, struct buf *out, struct err *e)
{
	_cleanup_json_ struct json *message = NULL;
	int r = message_as_anthropic(x->message, &message, e);

	if (r == 0)
		r = drop_blank(message, e);
	if (r < 0)
		return r;
	r = json_print(message, false, out);
	return r < 0 ? err_sys(e, r, "cannot write a message") : 0;
}

static int render(struct history_entry *x, struct err *e)
{
	_cleanup_buf_ struct buf out = BUF_INIT(WIRE_BODY_MAX);
	int r;

	if (x->bytes)
		return 0;
	if (x->kind == HISTORY_ASSISTANT)
		r = put_assistant(x, &out, e);
	else if (x->kind == HISTORY_RESULT)
		r = put_result(x, &out);
	else
		r = put_text(x->text, &out);
	if (r < 0)
		return e->code ? e->code : err_sys(e, r, "cannot write a message");
	x->n_bytes = out.len;
	x->bytes = buf_steal(&out);
	return 0;
}

static bool begins_group(const struct history *h, size_t i)
{
	return h->entries[i].kind != HISTORY_ASSISTANT &&
	       (i == 0 || h->entries[i - 1].kind == HISTORY_ASSISTANT);
}

static bool ends_group(const struct history *h, size_t i)
{
	return h->entries[i].kind != HISTORY_ASSISTANT &&
	       (i + 1 == h->n || h->entries[i + 1].kind == HISTORY_ASSISTANT);
}

/* All that is not the assistant's between two of its messages is one user message, the
 * results first. The mark stands in the last block of it. */
static int put_entry(const struct history *h, size_t i, bool mark, struct buf *out)
{
	const struct history_entry *x = &h->entries[i];
	int r = i ? buf_addc(out, ',') : 0;

	if (begins_group(h, i))
		r = r ?: buf_adds(out, "{\"role\":\"user\",\"content\":[");
	r = r ?: buf_add(out, x->bytes, x->n_bytes);
	if (ends_group(h, i) && mark) {
		buf_truncate(out, out->len - 1);
		r = r ?: buf_adds(out, cache_mark) ?: buf_addc(out, '}');
	}
	if (ends_group(h, i))
		r = r ?: buf_adds(out, "]}");
	return r;
}

static int put_messages(const struct wire_server *s, struct history *h, struct buf *out,
			struct err *e)
{
	size_t groups = 0, group = 0;
	int r = 0;

	for (size_t i = 0; i < h->n; i++)
		groups += begins_group(h, i);
	for (size_t i = 0; i < h->n && r == 0; i++) {
		r = render(&h->entries[i], e);
		if (r < 0)
			return r;
		group += begins_group(h, i);
		r = put_entry(h, i,
			      group + CACHED_MESSAGES > groups &&
				      !wire_without(s, RETRY_F_CACHE),
			      out);
	}
	return r < 0 ? err_sys(e, r, "cannot write the messages") : 0;
}

/* ---- the body ---- */

static int put_system(const struct wire_server *s, const struct history *h,
		      struct buf *out)
{
	int r;

	if (!h->system || blank(h->system))
		return 0;
	r = buf_adds(out, ",\"system\":[{\"type\":\"text\",\"text\":");
	r = r ?: wire_json_text(out, h->system);
	if (!wire_without(s, RETRY_F_CACHE))
		r = r ?: buf_adds(out, cache_mark);
	return r ?: buf_adds(out, "}]");
}

static int put_tools(const struct wire_server *s, const struct wire_request *req,
		     struct buf *out)
{
	int r = req->n_tools ? buf_adds(out, ",\"tools\":[") : 0;

	for (size_t i = 0; i < req->n_tools && r == 0; i++) {
		const struct tool *t = &req->tools[i];

		r = buf_addf(out, "%s{\"name\":\"%s\",\"description\":", i ? "," : "",
			     t->name);
		r = r ?: wire_json_text(out, t->description);
		r = r ?: buf_addf(out, ",\"input_schema\":%s", t->schema);
		if (i + 1 == req->n_tools && !wire_without(s, RETRY_F_CACHE))
			r = r ?: buf_adds(out, cache_mark);
		r = r ?: buf_addc(out, '}');
	}
	if (req->n_tools)
		r = r ?: buf_addc(out, ']');
	if (req->n_tools && req->no_calls && !wire_without(s, RETRY_F_TOOL_CHOICE))
		r = r ?: buf_adds(out, ",\"tool_choice\":{\"type\":\"none\"}");
	return r;
}

static int anthropic_body(const struct wire_server *s, const struct wire_request *req,
			  struct buf *out, struct err *e)
{
	int r = buf_adds(out, "{\"model\":");

	r = r ?: wire_json_text(out, s->name);
	r = r
		    ?: buf_addf(out, ",\"max_tokens\":%llu,\"messages\":[",
				(unsigned long long)s->max_output);
	if (r < 0)
		return err_sys(e, r, "cannot build the request");
	r = put_messages(s, req->history, out, e);
	if (r < 0)
		return r;
	r = buf_addc(out, ']');
	r = r ?: put_system(s, req->history, out);
	r = r ?: put_tools(s, req, out);
	if (s->temperature_milli >= 0 && !wire_without(s, RETRY_F_TEMPERATURE))
		r = r
			    ?: buf_addf(out, ",\"temperature\":%d.%03d",
					s->temperature_milli / 1000,
					s->temperature_milli % 1000);
	r = r ?: buf_adds(out, ",\"stream\":true}");
	return r < 0 ? err_sys(e, r, "cannot build the request") : 0;
}

const struct wire anthropic_wire = {
	.name = "anthropic",
	.accept = "text/event-stream",
	.url = anthropic_url,
	.headers = anthropic_headers,
	.body = anthropic_body,
	.answer = &anthropic_assemble_ops,
};
