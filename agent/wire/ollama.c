/* Ollama's own /api/chat: its imitation of Chat Completions cuts long prompts without a
 * word (ollama #2963), because a request there cannot say how large a context it needs.
 *
 * An answer is one JSON object a line. Each is turned into the chunk that the same news
 * would be in Chat Completions, and assembled like one. */
#include <errno.h>
#include <string.h>

#include "agent/wire/message.h"
#include "agent/wire/openai_assemble.h"
#include "agent/wire/wire.h"
#include "base/text.h"

static int ollama_url(const struct wire_server *s, struct buf *out)
{
	buf_adds(out, s->url);
	buf_adds(out, text_ends(s->url, "/api/chat") ? ""
		      : text_ends(s->url, "/api")    ? "/chat"
						     : "/api/chat");
	return buf_failed(out);
}

static int ollama_headers(const struct wire_server *s, struct buf *out)
{
	if (!s->key || !*s->key)
		return 0;
	return buf_addf(out, "Authorization: Bearer %s\n", s->key);
}

/* ---- messages ---- */

/* Arguments are an object here, and calls have no id. */
static struct json *calls_of(const struct turn *t)
{
	struct json *calls = json_array();

	for (size_t i = 0; i < t->n_calls; i++) {
		const struct turn_call *c = &t->calls[i];
		struct json *call = json_object(), *fn = json_object();

		json_set_str(fn, "name", c->name);
		json_set(fn, "arguments", c->args ? json_dup(c->args) : json_object());
		json_set(call, "function", fn);
		json_add(calls, call);
	}
	return calls;
}

static int put_assistant(const struct history_entry *x, struct buf *out, struct err *e)
{
	_cleanup_json_ struct json *j = json_object();
	_cleanup_turn_ struct turn t;
	uint64_t seed = 1;
	int r;

	turn_init(&t);
	r = message_turn(x->message, &seed, &t, e);
	if (r < 0)
		return r;
	json_set_str(j, "role", "assistant");
	json_set_str(j, "content", buf_cstr(&t.text));
	if (t.reasoning.len && t.n_calls)
		json_set_str(j, "thinking", t.reasoning.data);
	if (t.n_calls)
		json_set(j, "tool_calls", calls_of(&t));
	if (json_failed(j) < 0)
		return err_sys(e, -ENOMEM, "cannot write a message");
	json_print(j, false, out);
	return 0;
}

static int put_entry(const struct wire_server *s, const struct history_entry *x,
		     struct buf *out, struct err *e)
{
	if (x->kind == HISTORY_ASSISTANT)
		return put_assistant(x, out, e);
	if (x->kind == HISTORY_RESULT) {
		buf_adds(out, "{\"role\":\"tool\",\"tool_name\":");
		wire_json_text(out, x->tool ? x->tool : "");
	} else {
		buf_adds(out, "{\"role\":\"user\"");
	}
	buf_adds(out, ",\"content\":");
	wire_picture_text(s, x, out);
	if (wire_picture(s, x))
		buf_addf(out, ",\"images\":[\"%s\"]", x->picture);
	buf_addc(out, '}');
	return 0;
}

static int ollama_body(const struct wire_server *s, const struct wire_request *req,
		       struct buf *out, struct err *e)
{
	static const struct wire_tool_words words = {
		"{\"type\":\"function\",\"function\":{", "}}", "parameters"
	};
	int r;

	buf_adds(out, "{\"model\":");
	wire_json_text(out, s->name);
	r = wire_put_messages(s, req->history, put_entry, out, e);
	if (r < 0)
		return r;
	if (req->n_tools && !req->no_calls)
		wire_put_tools(req, &words, out);
	if (wire_effort(s))
		buf_addf(out, ",\"think\":%s%s%s",
			 text_starts(s->name, "gpt-oss") ? "\"" : "",
			 text_starts(s->name, "gpt-oss") ? wire_effort(s) : "true",
			 text_starts(s->name, "gpt-oss") ? "\"" : "");
	buf_addf(out,
		 ",\"stream\":true,\"options\":{\"num_ctx\":%llu,\"num_predict\":%llu",
		 (unsigned long long)s->window, (unsigned long long)s->max_output);
	buf_adds(out, "}}");
	return wire_built(out, e);
}

/* ---- the answer ---- */

struct reader {
	struct openai_assemble assemble; /* owned; first */
	int64_t calls; /* handed on so far: each is whole, and a new one */
};

static void add_calls(struct reader *r, const struct json *message, struct json *delta)
{
	const struct json *from = json_get(message, "tool_calls");
	struct json *calls;

	if (!json_first(from))
		return;
	calls = json_array();
	json_each(call, from)
	{
		struct json *copy = json_dup(call);

		json_set_int(copy, "index", r->calls++);
		json_add(calls, copy);
	}
	json_set(delta, "tool_calls", calls);
}

static struct json *delta_of(struct reader *r, const struct json *message)
{
	struct json *delta = json_object();
	const struct json *text = json_get(message, "content");
	const struct json *thought = json_get(message, "thinking");

	/* as they came: a piece may end within a character */
	if (json_str(text))
		json_set(delta, "content", json_dup(text));
	if (json_str(thought))
		json_set(delta, "reasoning", json_dup(thought));
	add_calls(r, message, delta);
	return delta;
}

static void add_end(const struct json *line, struct json *chunk, struct json *choice)
{
	const char *why = json_get_str(line, "done_reason");
	struct json *usage;

	if (!json_get_bool(line, "done", false))
		return;
	json_set_str(choice, "finish_reason", why && *why ? why : "stop");
	if (!json_get(line, "prompt_eval_count"))
		return;
	usage = json_object();
	json_set_int(usage, "prompt_tokens",
		     json_get_int(line, "prompt_eval_count", 0));
	json_set_int(usage, "completion_tokens", json_get_int(line, "eval_count", 0));
	json_set(chunk, "usage", usage);
}

static int take_object(struct reader *r, const struct json *line, struct err *e)
{
	_cleanup_json_ struct json *chunk = NULL;
	struct json *choice, *choices;

	if (json_get(line, "error"))
		return openai_assemble_chunk(&r->assemble, line, e);
	chunk = json_object();
	choice = json_object();
	choices = json_array();
	json_set_str(chunk, "model", json_get_str(line, "model"));
	json_set(choice, "delta", delta_of(r, json_get(line, "message")));
	add_end(line, chunk, choice);
	json_add(choices, choice);
	json_set(chunk, "choices", choices);
	if (json_failed(chunk) < 0)
		return err_sys(e, -ENOMEM, "cannot keep the answer");
	return openai_assemble_chunk(&r->assemble, chunk, e);
}

static int event(void *a, const char *data, size_t len, struct err *e)
{
	_cleanup_json_ struct json *line = NULL;
	struct err bad;

	if (json_parse_pieces(data, len, &line, &bad) < 0 ||
	    json_type(line) != JSON_OBJECT)
		return err_set(e, -EPROTO, "a line that is no JSON object");
	return take_object(a, line, e);
}

static int whole(void *a, const struct json *j, struct err *e)
{
	return take_object(a, j, e);
}

static const struct answer_ops ollama_answer = {
	.size = sizeof(struct reader),
	.lines = true,
	.init = openai_assemble_init,
	.done = openai_assemble_done,
	.event = event,
	.whole = whole,
	.end = openai_assemble_end,
};

const struct wire ollama_wire = {
	.name = "ollama",
	.accept = "application/x-ndjson",
	.url = ollama_url,
	.headers = ollama_headers,
	.body = ollama_body,
	.answer = &ollama_answer,
};
