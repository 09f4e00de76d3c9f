/* OpenAI's Responses: what its newer models want, and all that they think comes back to them
 * (encrypted, for nothing is stored there). */
#include <string.h>

#include "agent/turn/args.h"
#include "agent/wire/message.h"
#include "agent/wire/responses_assemble.h"
#include "agent/wire/wire.h"

static int responses_url(const struct wire_server *s, struct buf *out)
{
	return wire_openai_url(s, "/responses", out);
}

/* ---- the input ---- */

/* What of an item goes back. An id would be looked for where nothing is stored. */
static struct json *sent_item(const struct json *item)
{
	static const char *const never[] = { "id", "status" };
	struct json *copy = json_dup(item);

	for (size_t i = 0; i < ARRAY_SIZE(never); i++)
		(void)json_drop(copy, never[i]);
	return copy;
}

/* Thoughts that are not there in full say nothing to anybody. */
static bool is_sent(const struct wire_server *s, const struct json *item)
{
	return !json_is(item, "type", "reasoning") ||
	       (json_get_str(item, "encrypted_content") &&
		!wire_without(s, RETRY_F_REASONING));
}

static int put_item(const struct json *item, struct buf *out)
{
	_cleanup_buf_ struct buf args = BUF_INIT(8 * (size_t)ARGS_MAX);
	_cleanup_json_ struct json *copy = sent_item(item);

	if (json_is(item, "type", "function_call")) {
		message_arguments(json_get_str(item, "arguments"), &args);
		json_set_str(copy, "arguments", buf_cstr(&args));
	}
	buf_fail(out, buf_failed(&args));
	return json_print(copy, false, out);
}

static int put_assistant(const struct wire_server *s, const struct history_entry *x,
			 struct buf *out, struct err *e)
{
	_cleanup_json_ struct json *message = NULL;
	int r = message_as(x->message, MESSAGE_ITEMS, &message, e);

	if (r < 0)
		return r;
	json_each(item, json_get(message, "output"))
	{
		if (!is_sent(s, item))
			continue;
		if (out->len)
			buf_addc(out, ',');
		put_item(item, out);
	}
	return 0;
}

static int put_entry(const struct wire_server *s, const struct history_entry *x,
		     struct buf *out, struct err *e)
{
	if (x->kind == HISTORY_ASSISTANT)
		return put_assistant(s, x, out, e);
	if (x->kind == HISTORY_RESULT) {
		buf_adds(out, "{\"type\":\"function_call_output\",\"call_id\":");
		wire_json_text(out, x->id);
		buf_adds(out, ",\"output\":");
		wire_json_text(out, x->text);
		buf_addc(out, '}');
		return 0;
	}
	buf_adds(out, "{\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":"
		      "\"input_text\",\"text\":");
	wire_picture_text(s, x, out);
	if (wire_picture(s, x))
		buf_addf(out,
			 "},{\"type\":\"input_image\",\"image_url\":\"data:%s;base64,%"
			 "s\"",
			 x->mime, x->picture);
	buf_adds(out, "}]}");
	return 0;
}

/* ---- the body ---- */

/* The person's word about it goes to any model: one that does not think says so. */
static void put_reasoning(const struct wire_server *s, struct buf *out)
{
	bool known = s->reasons || !wire_without(s, RETRY_F_REASONING);
	const char *effort = known ? wire_effort(s) : NULL;
	bool summary = s->reasons && !wire_without(s, RETRY_F_SUMMARY);

	if (!effort && !summary)
		return;
	buf_adds(out, ",\"reasoning\":{");
	if (effort)
		buf_addf(out, "\"effort\":\"%s\"%s", effort, summary ? "," : "");
	buf_addf(out, "%s}", summary ? "\"summary\":\"auto\"" : "");
}

static int responses_body(const struct wire_server *s, const struct wire_request *req,
			  struct buf *out, struct err *e)
{
	static const struct wire_tool_words words = { "{\"type\":\"function\",", "}",
						      "parameters" };
	int r;

	buf_adds(out, "{\"model\":");
	wire_json_text(out, s->name);
	if (req->history->system && *req->history->system) {
		buf_adds(out, ",\"instructions\":");
		wire_json_text(out, req->history->system);
	}
	buf_adds(out, ",\"input\":[");
	r = wire_put_entries(s, req->history, put_entry, out, e);
	if (r < 0)
		return r;
	buf_addc(out, ']');
	if (req->n_tools)
		wire_put_tools(req, &words, out);
	if (req->n_tools && req->no_calls)
		buf_adds(out, ",\"tool_choice\":\"none\"");
	if (!wire_without(s, RETRY_F_MAX_TOKENS))
		buf_addf(out, ",\"max_output_tokens\":%llu",
			 (unsigned long long)s->max_output);
	put_reasoning(s, out);
	if (!wire_without(s, RETRY_F_INCLUDE))
		buf_adds(out, ",\"include\":[\"reasoning.encrypted_content\"]");
	buf_adds(out, ",\"store\":false,\"stream\":true}");
	return wire_built(out, e);
}

const struct wire responses_wire = {
	.name = "responses",
	.accept = "text/event-stream",
	.url = responses_url,
	.headers = wire_openai_headers,
	.body = responses_body,
	.answer = &responses_assemble_ops,
};
