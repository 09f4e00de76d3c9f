/* Anthropic Messages: requests. Its answers are read by anthropic_assemble.c. */
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

	path += strcspn(path, "/");
	buf_adds(out, s->url);
	if (!text_ends(path, "/v1") && !text_ends(path, "/v1/messages"))
		buf_adds(out, "/v1");
	if (!text_ends(path, "/messages"))
		buf_adds(out, "/messages");
	return buf_failed(out);
}

static int anthropic_headers(const struct wire_server *s, struct buf *out)
{
	buf_adds(out, "anthropic-version: 2023-06-01\n");
	if (s->key && *s->key)
		buf_addf(out, "x-api-key: %s\n", s->key);
	return buf_failed(out);
}

/* ---- messages: each entry is a block, or a whole message of the assistant ---- */

static bool blank(const char *s)
{
	return !s[strspn(s, " \t\r\n")];
}

static void put_text(const char *text, struct buf *out)
{
	buf_adds(out, "{\"type\":\"text\",\"text\":");
	wire_json_text(out, blank(text) ? "(empty)" : text);
	buf_addc(out, '}');
}

static void put_result(const struct history_entry *x, struct buf *out)
{
	buf_adds(out, "{\"type\":\"tool_result\",\"tool_use_id\":");
	wire_json_text(out, x->id);
	buf_adds(out, ",\"content\":");
	wire_json_text(out, x->text);
	buf_adds(out, x->error ? ",\"is_error\":true}" : "}");
}

/* Blank texts are refused by the service, which sends them all the same. */
static void drop_blank(struct json *message)
{
	_cleanup_json_ struct json *old = json_remove(message, "content");
	struct json *content = json_array();

	json_each(block, old)
	{
		const char *text = json_get_str(block, "text");

		if (json_is(block, "type", "text") && (!text || blank(text)))
			continue;
		json_add(content, json_dup(block));
	}
	if (!json_len(content)) {
		struct json *block = json_object();

		json_set_str(block, "type", "text");
		json_set_str(block, "text", "(nothing)");
		json_add(content, block);
	}
	json_set(message, "content", content);
}

static int put_assistant(const struct history_entry *x, struct buf *out, struct err *e)
{
	_cleanup_json_ struct json *message = NULL;
	int r = message_as(x->message, MESSAGE_BLOCKS, &message, e);

	if (r < 0)
		return r;
	drop_blank(message);
	json_print(message, false, out);
	return 0;
}

static int put_entry(const struct wire_server *s, const struct history_entry *x,
		     struct buf *out, struct err *e)
{
	if (x->kind == HISTORY_ASSISTANT)
		return put_assistant(x, out, e);
	if (x->kind == HISTORY_RESULT) {
		put_result(x, out);
	} else if (x->kind == HISTORY_PICTURE) {
		buf_adds(out, "{\"type\":\"text\",\"text\":");
		wire_picture_text(s, x, out);
		if (wire_picture(s, x))
			buf_addf(
				out,
				"},{\"type\":\"image\",\"source\":{\"type\":\"base64\","
				"\"media_type\":\"%s\",\"data\":\"%s\"}",
				x->mime, x->picture);
		buf_addc(out, '}');
	} else {
		put_text(x->text, out);
	}
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
static void put_grouped(const struct history *h, size_t i, bool mark, struct buf *out)
{
	const struct history_entry *x = &h->entries[i];

	if (i)
		buf_addc(out, ',');
	if (begins_group(h, i))
		buf_adds(out, "{\"role\":\"user\",\"content\":[");
	buf_add(out, x->bytes, x->n_bytes);
	if (!ends_group(h, i))
		return;
	if (mark) {
		buf_truncate(out, out->len - 1);
		buf_addf(out, "%s}", cache_mark);
	}
	buf_adds(out, "]}");
}

static int put_messages(const struct wire_server *s, struct history *h, struct buf *out,
			struct err *e)
{
	bool cache = !wire_without(s, RETRY_F_CACHE);
	size_t groups = 0, group = 0;

	for (size_t i = 0; i < h->n; i++)
		groups += begins_group(h, i);
	buf_adds(out, ",\"messages\":[");
	for (size_t i = 0; i < h->n; i++) {
		int r = wire_render(s, &h->entries[i], put_entry, e);

		if (r < 0)
			return r;
		group += begins_group(h, i);
		put_grouped(h, i, cache && group + CACHED_MESSAGES > groups, out);
	}
	buf_addc(out, ']');
	return 0;
}

/* ---- the body ---- */

static void put_system(const struct wire_server *s, const struct history *h,
		       struct buf *out)
{
	if (!h->system || blank(h->system))
		return;
	buf_adds(out, ",\"system\":[{\"type\":\"text\",\"text\":");
	wire_json_text(out, h->system);
	if (!wire_without(s, RETRY_F_CACHE))
		buf_adds(out, cache_mark);
	buf_adds(out, "}]");
}

/* The mark stands in the last of them. */
static void put_tools(const struct wire_server *s, const struct wire_request *req,
		      struct buf *out)
{
	static const struct wire_tool_words words = { "{", "}", "input_schema" };

	wire_put_tools(req, &words, out);
	if (!wire_without(s, RETRY_F_CACHE)) {
		buf_truncate(out, out->len - 2);
		buf_addf(out, "%s}]", cache_mark);
	}
	if (req->no_calls && !wire_without(s, RETRY_F_TOOL_CHOICE))
		buf_adds(out, ",\"tool_choice\":{\"type\":\"none\"}");
}

/* How many tokens of thoughts: a part of the output limit, which must be larger. Newer models
 * take an effort instead (RETRY_F_THINKING), and find their own budget. */
static void put_thinking(const struct wire_server *s, struct buf *out)
{
	static const unsigned parts[] = { 0, 8, 4, 2 };
	uint64_t budget =
		MAX(s->max_output / MAX(parts[s->effort], 1U), (uint64_t)1024);

	if (!wire_effort(s))
		return;
	if (wire_without(s, RETRY_F_THINKING))
		buf_addf(out,
			 ",\"thinking\":{\"type\":\"adaptive\"},\"output_config\":{"
			 "\"effort\":\"%s\"}",
			 wire_effort(s));
	else if (budget < s->max_output)
		buf_addf(out,
			 ",\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":%llu}",
			 (unsigned long long)budget);
}

static int anthropic_body(const struct wire_server *s, const struct wire_request *req,
			  struct buf *out, struct err *e)
{
	int r;

	buf_adds(out, "{\"model\":");
	wire_json_text(out, s->name);
	buf_addf(out, ",\"max_tokens\":%llu", (unsigned long long)s->max_output);
	r = put_messages(s, req->history, out, e);
	if (r < 0)
		return r;
	put_system(s, req->history, out);
	if (req->n_tools)
		put_tools(s, req, out);
	put_thinking(s, out);
	buf_adds(out, ",\"stream\":true}");
	return wire_built(out, e);
}

const struct wire anthropic_wire = {
	.name = "anthropic",
	.accept = "text/event-stream",
	.url = anthropic_url,
	.headers = anthropic_headers,
	.body = anthropic_body,
	.answer = &anthropic_assemble_ops,
};
