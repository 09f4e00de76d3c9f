/* Ollama's own /api/chat: its imitation of Chat Completions cuts long prompts without a
 * word (ollama #2963), because a request there cannot say how large a context it needs.
 *
 * An answer is one JSON object a line. Each is turned into the chunk that the same news
 * would be in Chat Completions, and assembled like one. */
#include <errno.h>
#include <string.h>

#include "agent/turn/args.h"
#include "agent/wire/message.h"
#include "agent/wire/openai_assemble.h"
#include "agent/wire/wire.h"
#include "base/text.h"

static int ollama_url(const struct wire_server *s, struct buf *out)
{
	int r = buf_adds(out, s->url);

	return r
		       ?: buf_adds(out, text_ends(s->url, "/api/chat") ? ""
					: text_ends(s->url, "/api")    ? "/chat"
								       : "/api/chat");
}

static int ollama_headers(const struct wire_server *s, struct buf *out)
{
	if (!s->key || !*s->key)
		return 0;
	return buf_addf(out, "Authorization: Bearer %s\n", s->key);
}

/* ---- messages ---- */

/* Arguments are an object here, and calls have no id. */
static int put_calls(const struct turn *t, struct json *message)
{
	_cleanup_json_ struct json *calls = json_array();
	int r = 0;

	for (size_t i = 0; i < t->n_calls && r == 0; i++) {
		const struct turn_call *c = &t->calls[i];
		_cleanup_json_ struct json *call = json_object(), *fn = json_object();

		r = json_set_str(fn, "name", c->name);
		r = r
			    ?: json_set(fn, "arguments",
					c->args ? json_dup(c->args) : json_object());
		r = r ?: json_set(call, "function", take(&fn, NULL));
		r = r ?: json_add(calls, take(&call, NULL));
	}
	if (r == 0 && t->n_calls)
		r = json_set(message, "tool_calls", take(&calls, NULL));
	return r;
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
	r = json_set_str(j, "role", "assistant");
	r = r ?: json_set_str(j, "content", buf_cstr(&t.text));
	if (t.reasoning.len && t.n_calls)
		r = r ?: json_set_str(j, "thinking", t.reasoning.data);
	r = r ?: put_calls(&t, j);
	r = r ?: json_print(j, false, out);
	return r < 0 ? err_sys(e, r, "cannot write a message") : 0;
}

static int put_plain(const struct history_entry *x, struct buf *out)
{
	int r;

	if (x->kind == HISTORY_RESULT) {
		r = buf_adds(out, "{\"role\":\"tool\",\"tool_name\":");
		r = r ?: wire_json_text(out, x->tool ? x->tool : "");
		r = r ?: buf_adds(out, ",\"content\":");
	} else {
		r = buf_adds(out, "{\"role\":\"user\",\"content\":");
	}
	r = r ?: wire_json_text(out, x->text);
	return r ?: buf_addc(out, '}');
}

static int render(struct history_entry *x, struct err *e)
{
	_cleanup_buf_ struct buf out = BUF_INIT(WIRE_BODY_MAX);
	int r;

	if (x->bytes)
		return 0;
	if (x->kind == HISTORY_ASSISTANT) {
		r = put_assistant(x, &out, e);
		if (r < 0)
			return r;
	} else {
		r = put_plain(x, &out);
		if (r < 0)
			return err_sys(e, r, "cannot write a message");
	}
	x->n_bytes = out.len;
	x->bytes = buf_steal(&out);
	return 0;
}

static int put_messages(struct history *h, struct buf *out, struct err *e)
{
	int r = buf_adds(out, "{\"role\":\"system\",\"content\":");

	r = r ?: wire_json_text(out, h->system ? h->system : "");
	r = r ?: buf_addc(out, '}');
	for (size_t i = 0; i < h->n && r == 0; i++) {
		r = render(&h->entries[i], e);
		if (r < 0)
			return r;
		r = buf_addc(out, ',');
		r = r ?: buf_add(out, h->entries[i].bytes, h->entries[i].n_bytes);
	}
	return r < 0 ? err_sys(e, r, "cannot write the messages") : 0;
}

static int put_tools(const struct wire_request *req, struct buf *out)
{
	int r = buf_adds(out, ",\"tools\":[");

	for (size_t i = 0; i < req->n_tools && r == 0; i++) {
		const struct tool *t = &req->tools[i];

		r = buf_addf(out,
			     "%s{\"type\":\"function\",\"function\":{\"name\":\"%s\","
			     "\"description\":",
			     i ? "," : "", t->name);
		r = r ?: wire_json_text(out, t->description);
		r = r ?: buf_addf(out, ",\"parameters\":%s}}", t->schema);
	}
	return r ?: buf_addc(out, ']');
}

static int ollama_body(const struct wire_server *s, const struct wire_request *req,
		       struct buf *out, struct err *e)
{
	int r = buf_adds(out, "{\"model\":");

	r = r ?: wire_json_text(out, s->name);
	r = r ?: buf_adds(out, ",\"messages\":[");
	if (r < 0)
		return err_sys(e, r, "cannot build the request");
	r = put_messages(req->history, out, e);
	if (r < 0)
		return r;
	r = buf_addc(out, ']');
	if (req->n_tools && !req->no_calls)
		r = r ?: put_tools(req, out);
	r = r
		    ?: buf_addf(out,
				",\"stream\":true,\"options\":{\"num_ctx\":%llu,"
				"\"num_predict\":%llu",
				(unsigned long long)s->window,
				(unsigned long long)s->max_output);
	if (s->temperature_milli >= 0)
		r = r
			    ?: buf_addf(out, ",\"temperature\":%d.%03d",
					s->temperature_milli / 1000,
					s->temperature_milli % 1000);
	r = r ?: buf_adds(out, "}}");
	return r < 0 ? err_sys(e, r, "cannot build the request") : 0;
}

/* ---- the answer ---- */

struct reader {
	struct openai_assemble assemble; /* owned */
	int64_t calls; /* handed on so far: each is whole, and a new one */
};

static int add_calls(struct reader *r, const struct json *message, struct json *delta)
{
	_cleanup_json_ struct json *calls = json_array();
	int failed = 0;

	json_each(call, json_get(message, "tool_calls"))
	{
		_cleanup_json_ struct json *copy = json_dup(call);

		failed = failed ?: json_set_int(copy, "index", r->calls++);
		failed = failed ?: json_add(calls, take(&copy, NULL));
	}
	if (failed == 0 && json_len(calls))
		failed = json_set(delta, "tool_calls", take(&calls, NULL));
	return failed;
}

static int add_delta(struct reader *r, const struct json *line, struct json *choice)
{
	const struct json *message = json_get(line, "message");
	_cleanup_json_ struct json *delta = json_object();
	const struct json *text = json_get(message, "content");
	const struct json *thought = json_get(message, "thinking");
	int failed = 0;

	/* as they came: a piece may end within a character */
	if (json_str(text))
		failed = json_set(delta, "content", json_dup(text));
	if (json_str(thought))
		failed = failed ?: json_set(delta, "reasoning", json_dup(thought));
	failed = failed ?: add_calls(r, message, delta);
	return failed ?: json_set(choice, "delta", take(&delta, NULL));
}

static int add_end(const struct json *line, struct json *chunk, struct json *choice)
{
	const char *why = json_get_str(line, "done_reason");
	_cleanup_json_ struct json *usage = json_object();
	int r;

	if (!json_get_bool(line, "done", false))
		return 0;
	r = json_set_str(choice, "finish_reason", why && *why ? why : "stop");
	if (!json_get(line, "prompt_eval_count"))
		return r;
	r = r
		    ?: json_set_int(usage, "prompt_tokens",
				    json_get_int(line, "prompt_eval_count", 0));
	r = r
		    ?: json_set_int(usage, "completion_tokens",
				    json_get_int(line, "eval_count", 0));
	return r ?: json_set(chunk, "usage", take(&usage, NULL));
}

static int take_object(struct reader *r, const struct json *line, struct err *e)
{
	_cleanup_json_ struct json *chunk = json_object(), *choice = json_object();
	_cleanup_json_ struct json *choices = json_array();
	int failed;

	if (json_get(line, "error"))
		return openai_assemble_chunk(&r->assemble, line, e);
	failed = json_set_str(chunk, "model", json_get_str(line, "model"));
	failed = failed ?: add_delta(r, line, choice);
	failed = failed ?: add_end(line, chunk, choice);
	failed = failed ?: json_add(choices, take(&choice, NULL));
	failed = failed ?: json_set(chunk, "choices", take(&choices, NULL));
	if (failed < 0)
		return err_sys(e, failed, "cannot keep the answer");
	return openai_assemble_chunk(&r->assemble, chunk, e);
}

static void init(void *a, const struct turn_sink *sink)
{
	struct reader *r = a;

	r->calls = 0;
	openai_assemble_init(&r->assemble, sink);
}

static void done(void *a)
{
	struct reader *r = a;

	openai_assemble_done(&r->assemble);
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

static int end(void *a, uint64_t *seed, struct turn *ret, struct err *e)
{
	struct reader *r = a;

	return openai_assemble_end(&r->assemble, seed, ret, e);
}

static const struct retry_cause *cause(const void *a)
{
	return &((const struct reader *)a)->assemble.cause;
}

static const struct answer_ops ollama_answer = {
	.size = sizeof(struct reader),
	.lines = true,
	.init = init,
	.done = done,
	.event = event,
	.whole = whole,
	.end = end,
	.cause = cause,
};

const struct wire ollama_wire = {
	.name = "ollama",
	.accept = "application/x-ndjson",
	.url = ollama_url,
	.headers = ollama_headers,
	.body = ollama_body,
	.answer = &ollama_answer,
};
