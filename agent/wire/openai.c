/* Chat Completions, and all that imitate it. */
#include <string.h>

#include "agent/turn/args.h"
#include "agent/wire/message.h"
#include "agent/wire/openai_assemble.h"
#include "agent/wire/wire.h"

static int openai_url(const struct wire_server *s, struct buf *out)
{
	return wire_openai_url(s, "/chat/completions", out);
}

/* ---- messages ---- */

static void put_arguments(struct json *fn)
{
	_cleanup_buf_ struct buf text = BUF_INIT(8 * (size_t)ARGS_MAX);

	message_arguments(json_get_str(fn, "arguments"), &text);
	json_set(fn, "arguments",
		 buf_failed(&text) < 0 ? NULL : json_string(buf_cstr(&text)));
}

/* Gemini signs the first call of a turn, and refuses a turn of which none is signed: one
 * of another model, or of another server. This word stands for a signature. */
static void sign(struct json *call)
{
	static const char word[] = "skip_thought_signature_validator";
	struct json *extra = json_remove(call, "extra_content");
	struct json *google = json_object();

	if (json_type(extra) != JSON_OBJECT) {
		json_free(&extra);
		extra = json_object();
	}
	json_set_str(google, "thought_signature", word);
	json_set(extra, "google", google);
	json_set(call, "extra_content", extra);
}

static bool needs_signature(const struct wire_server *s, const struct json *calls)
{
	if (!strstr(s->url, "googleapis.com/") && !strstr(s->url, "/v1beta/openai"))
		return false;
	json_each(call, calls)
	{
		const struct json *google =
			json_get(json_get(call, "extra_content"), "google");

		if (json_get_str(google, "thought_signature"))
			return false;
	}
	return true;
}

static void fix_calls(const struct wire_server *s, struct json *message)
{
	_cleanup_json_ struct json *calls = json_remove(message, "tool_calls");
	struct json *fixed = calls ? json_array() : NULL;
	bool lacks = needs_signature(s, calls);

	json_each(call, calls)
	{
		struct json *copy = json_dup(call);

		put_arguments(json_get_mut(copy, "function"));
		if (lacks && call == json_first(calls))
			sign(copy);
		json_add(fixed, copy);
	}
	if (calls)
		json_set(message, "tool_calls", fixed);
}

/* What single servers insist on, or choke on. */
static void fix_members(const struct wire_server *s, struct json *message)
{
	static const char *const thoughts[] = { "reasoning_content", "reasoning",
						"reasoning_details" };
	bool deepseek =
		strcasestr(s->url, "deepseek") || strcasestr(s->name, "deepseek");

	for (size_t i = 0; i < ARRAY_SIZE(thoughts); i++)
		if (wire_without(s, RETRY_F_REASONING))
			(void)json_drop(message, thoughts[i]);
	if (deepseek && json_get(message, "tool_calls") &&
	    !wire_without(s, RETRY_F_REASONING) &&
	    !json_get(message, "reasoning_content"))
		json_set_str(message, "reasoning_content", "");
	if (json_type(json_get(message, "content")) == JSON_NULL &&
	    (wire_without(s, RETRY_F_NULL_CONTENT) || !json_get(message, "tool_calls")))
		json_set_str(message, "content", "");
}

static int put_assistant(const struct wire_server *s, const struct history_entry *x,
			 struct buf *out, struct err *e)
{
	_cleanup_json_ struct json *message = NULL;
	int r = message_as(x->message, MESSAGE_CHAT, &message, e);

	if (r < 0)
		return r;
	fix_calls(s, message);
	fix_members(s, message);
	json_print(message, false, out);
	return 0;
}

static int put_entry(const struct wire_server *s, const struct history_entry *x,
		     struct buf *out, struct err *e)
{
	if (x->kind == HISTORY_ASSISTANT)
		return put_assistant(s, x, out, e);
	if (x->kind == HISTORY_RESULT) {
		buf_adds(out, "{\"role\":\"tool\",\"tool_call_id\":");
		wire_json_text(out, x->id);
	} else {
		buf_adds(out, "{\"role\":\"user\"");
	}
	buf_adds(out, ",\"content\":");
	if (wire_picture(s, x)) {
		buf_adds(out, "[{\"type\":\"text\",\"text\":");
		wire_json_text(out, x->text);
		buf_addf(out,
			 "},{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:%s;"
			 "base64,%s\"}}]}",
			 x->mime, x->picture);
		return 0;
	}
	wire_picture_text(s, x, out);
	buf_addc(out, '}');
	return 0;
}

/* ---- the body ---- */

static void put_limit(const struct wire_server *s, struct buf *out)
{
	bool new_name = strstr(s->url, "://api.openai.com") || wire_is_azure(s);
	bool swapped = wire_without(s, RETRY_F_MAX_COMPLETION);

	if (swapped && wire_without(s, RETRY_F_MAX_TOKENS))
		return;
	buf_addf(out, ",\"%s\":%llu",
		 new_name != swapped ? "max_completion_tokens" : "max_tokens",
		 (unsigned long long)s->max_output);
}

static void put_options(const struct wire_server *s, const struct wire_request *req,
			struct buf *out)
{
	buf_adds(out, ",\"stream\":true");
	if (!wire_without(s, RETRY_F_STREAM_OPTIONS))
		buf_adds(out, ",\"stream_options\":{\"include_usage\":true}");
	put_limit(s, out);
	if (wire_effort(s))
		buf_addf(out, ",\"reasoning_effort\":\"%s\"", wire_effort(s));
	if (req->no_calls && req->n_tools && !wire_without(s, RETRY_F_TOOL_CHOICE))
		buf_adds(out, ",\"tool_choice\":\"none\"");
}

static int openai_body(const struct wire_server *s, const struct wire_request *req,
		       struct buf *out, struct err *e)
{
	static const struct wire_tool_words words = {
		"{\"type\":\"function\",\"function\":{", "}}", "parameters"
	};
	bool tools = req->n_tools &&
		     !(req->no_calls && wire_without(s, RETRY_F_TOOL_CHOICE));
	int r;

	buf_adds(out, "{\"model\":");
	wire_json_text(out, s->name);
	r = wire_put_messages(s, req->history, put_entry, out, e);
	if (r < 0)
		return r;
	if (tools)
		wire_put_tools(req, &words, out);
	put_options(s, req, out);
	buf_addc(out, '}');
	return wire_built(out, e);
}

const struct wire openai_wire = {
	.name = "openai",
	.accept = "text/event-stream",
	.url = openai_url,
	.headers = wire_openai_headers,
	.body = openai_body,
	.answer = &openai_assemble_ops,
};
