/* Chat Completions, and all that imitate it. */
#include <errno.h>
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

static int put_arguments(struct json *fn, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(8 * (size_t)ARGS_MAX);

	message_arguments(json_get_str(fn, "arguments"), &text);
	if (buf_failed(&text) < 0 || json_set_str(fn, "arguments", buf_cstr(&text)) < 0)
		return err_sys(e, -ENOMEM, "cannot write a call");
	return 0;
}

/* Gemini signs the first call of a turn, and refuses a turn of which none is signed: one
 * of another model, or of another server. This word stands for a signature. */
static int sign(struct json *call)
{
	static const char word[] = "skip_thought_signature_validator";
	_cleanup_json_ struct json *extra = json_remove(call, "extra_content");
	_cleanup_json_ struct json *google = json_object();

	if (json_type(extra) != JSON_OBJECT) {
		json_free(&extra);
		extra = json_object();
	}
	return json_set_str(google, "thought_signature", word)
		       ?: json_set(extra, "google", take(&google, NULL))
		       ?: json_set(call, "extra_content", take(&extra, NULL));
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

static int fix_calls(const struct wire_server *s, struct json *message, struct err *e)
{
	_cleanup_json_ struct json *calls = json_remove(message, "tool_calls");
	_cleanup_json_ struct json *fixed = json_array();
	bool lacks = needs_signature(s, calls);
	int r = 0;

	if (!calls)
		return 0;
	json_each(call, calls)
	{
		_cleanup_json_ struct json *copy = json_dup(call);

		r = put_arguments(json_get_mut(copy, "function"), e);
		if (r < 0)
			return r;
		if (lacks && !json_len(fixed) && sign(copy) < 0)
			return err_sys(e, -ENOMEM, "cannot write a call");
		if (json_add(fixed, take(&copy, NULL)) < 0)
			return err_sys(e, -ENOMEM, "cannot write a call");
	}
	if (json_set(message, "tool_calls", take(&fixed, NULL)) < 0)
		return err_sys(e, -ENOMEM, "cannot write a call");
	return 0;
}

/* What single servers insist on, or choke on. */
static int fix_members(const struct wire_server *s, struct json *message)
{
	static const char *const thoughts[] = { "reasoning_content", "reasoning",
						"reasoning_details" };
	bool deepseek =
		strcasestr(s->url, "deepseek") || strcasestr(s->name, "deepseek");
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(thoughts); i++)
		if (wire_without(s, RETRY_F_REASONING))
			(void)json_drop(message, thoughts[i]);
	if (deepseek && json_get(message, "tool_calls") &&
	    !wire_without(s, RETRY_F_REASONING) &&
	    !json_get(message, "reasoning_content"))
		r = json_set_str(message, "reasoning_content", "");
	if (r == 0 && json_type(json_get(message, "content")) == JSON_NULL &&
	    (wire_without(s, RETRY_F_NULL_CONTENT) || !json_get(message, "tool_calls")))
		r = json_set_str(message, "content", "");
	return r;
}

static int put_assistant(const struct wire_server *s, const struct history_entry *x,
			 struct buf *out, struct err *e)
{
	_cleanup_json_ struct json *message = NULL;
	int r = message_as(x->message, MESSAGE_CHAT, &message, e);

	if (r < 0)
		return r;
	r = fix_calls(s, message, e);
	if (r < 0)
		return r;
	r = fix_members(s, message);
	if (r < 0)
		return err_sys(e, r, "cannot write a message");
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
