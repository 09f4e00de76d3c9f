#include "agent/wire/message.h"

#include <errno.h>
#include <string.h>

#include "agent/turn/args.h"
#include "agent/wire/openai_assemble.h"

static enum message_kind message_kind(const struct json *message)
{
	if (json_type(json_get(message, "output")) == JSON_ARRAY)
		return MESSAGE_ITEMS;
	if (json_get(message, "tool_calls"))
		return MESSAGE_CHAT;
	json_each(block, json_get(message, "content"))
	{
		if (json_type(block) == JSON_OBJECT)
			return MESSAGE_BLOCKS;
	}
	return MESSAGE_CHAT;
}

static int no_memory(struct err *e)
{
	return err_sys(e, -ENOMEM, "cannot rewrite a message");
}

int message_arguments(const char *raw, struct buf *out)
{
	_cleanup_json_ struct json *args = NULL, *strict = NULL;

	if (raw && json_parse(raw, strlen(raw), &strict, ERR_IGNORED) == 0 &&
	    json_type(strict) == JSON_OBJECT)
		return buf_adds(out, raw);
	if (!raw || args_parse(raw, strlen(raw), &args, ERR_IGNORED) < 0)
		return buf_adds(out, "{}");
	return json_print(args, false, out);
}

/* ---- the others as Chat Completions ---- */

/* What a message of another kind comes down to. */
struct plain {
	struct buf text;
	struct json *calls; /* owned */
};

static void add_call(struct plain *p, const char *id, const char *name,
		     const char *args)
{
	struct json *call = json_object(), *fn = json_object();

	json_set_str(call, "id", id);
	json_set_str(call, "type", "function");
	json_set_str(fn, "name", name);
	json_set_str(fn, "arguments", args ? args : "{}");
	json_set(call, "function", fn);
	json_add(p->calls, call);
}

static void take_block(struct plain *p, const struct json *block)
{
	_cleanup_buf_ struct buf args = BUF_INIT(8 * (size_t)ARGS_MAX);
	const struct json *input = json_get(block, "input");

	if (json_is(block, "type", "text") && json_get_str(block, "text"))
		buf_adds(&p->text, json_get_str(block, "text"));
	if (!json_is(block, "type", "tool_use"))
		return;
	if (json_type(input) == JSON_OBJECT)
		json_print(input, false, &args);
	else
		buf_adds(&args, json_str(input) ? json_str(input) : "{}");
	buf_fail(&p->text, buf_failed(&args));
	add_call(p, json_get_str(block, "id"), json_get_str(block, "name"),
		 buf_cstr(&args));
}

static void take_item(struct plain *p, const struct json *item)
{
	json_each(part,
		  json_is(item, "type", "message") ? json_get(item, "content") : NULL)
	{
		const char *s = json_get_str(part, "text");

		buf_adds(&p->text, s ? s : "");
	}
	if (json_is(item, "type", "function_call"))
		add_call(p, json_get_str(item, "call_id"), json_get_str(item, "name"),
			 json_get_str(item, "arguments"));
}

static int as_chat(const struct json *message, struct json **ret, struct err *e)
{
	_cleanup_json_ struct json *j = json_object(), *calls = json_array();
	_cleanup_buf_ struct buf text = BUF_INIT(TURN_TEXT_MAX);
	struct plain p = { text, calls };
	bool items = message_kind(message) == MESSAGE_ITEMS;

	json_each(part, json_get(message, items ? "output" : "content"))
	{
		if (items)
			take_item(&p, part);
		else
			take_block(&p, part);
	}
	text = p.text;
	json_set_str(j, "role", "assistant");
	json_set_str(j, "content", text.len ? text.data : NULL);
	if (json_failed(calls) < 0 || json_len(calls))
		json_set(j, "tool_calls", take(&calls, NULL));
	if (buf_failed(&text) < 0 || json_failed(j) < 0)
		return no_memory(e);
	*ret = take(&j, NULL);
	return 0;
}

int message_turn(const struct json *message, uint64_t *seed, struct turn *ret,
		 struct err *e)
{
	static const struct turn_sink silent = { 0 };
	_cleanup_answer_ struct answer *a = answer_new(&openai_assemble_ops, &silent);
	_cleanup_json_ struct json *plain = NULL, *reply = NULL;
	struct json *choice, *choices;
	int r;

	if (!a)
		return no_memory(e);
	if (json_type(message) != JSON_OBJECT)
		return err_set(e, -EINVAL, "a message that is no object");
	r = message_as(message, MESSAGE_CHAT, &plain, e);
	if (r < 0)
		return r;
	reply = json_object();
	choices = json_array();
	choice = json_object();
	json_set(choice, "message", take(&plain, NULL));
	json_add(choices, choice);
	json_set(reply, "choices", choices);
	if (json_failed(reply) < 0)
		return no_memory(e);
	r = answer_whole(a, reply, e) ?: answer_end(a, seed, ret, e);
	if (r < 0 || message_kind(message) == MESSAGE_CHAT)
		return r;
	json_free(&ret->message);
	ret->message = json_dup(message);
	return ret->message ? 0 : no_memory(e);
}

/* ---- a turn as blocks, as items ---- */

static bool has_words(const struct turn *t)
{
	const char *p = buf_cstr(&t->text);

	return p[strspn(p, " \t\r\n")] != '\0';
}

static struct json *text_part(const char *type, const char *text)
{
	struct json *part = json_object();

	json_set_str(part, "type", type);
	json_set_str(part, "text", text);
	return part;
}

static struct json *blocks_of(const struct turn *t)
{
	struct json *content = json_array();

	if (has_words(t))
		json_add(content, text_part("text", buf_cstr(&t->text)));
	for (size_t i = 0; i < t->n_calls; i++) {
		const struct turn_call *c = &t->calls[i];
		struct json *block = json_object();

		json_set_str(block, "type", "tool_use");
		json_set_str(block, "id", c->id);
		json_set_str(block, "name", c->name);
		json_set(block, "input", c->args ? json_dup(c->args) : json_object());
		json_add(content, block);
	}
	if (!json_len(content))
		json_add(content, text_part("text", "(nothing)"));
	return content;
}

static struct json *items_of(const struct turn *t)
{
	struct json *items = json_array();

	if (has_words(t) || !t->n_calls) {
		struct json *item = json_object(), *content = json_array();

		json_add(content,
			 text_part("output_text",
				   has_words(t) ? buf_cstr(&t->text) : "(nothing)"));
		json_set_str(item, "type", "message");
		json_set_str(item, "role", "assistant");
		json_set(item, "content", content);
		json_add(items, item);
	}
	for (size_t i = 0; i < t->n_calls; i++) {
		const struct turn_call *c = &t->calls[i];
		struct json *item = json_object();

		json_set_str(item, "type", "function_call");
		json_set_str(item, "call_id", c->id);
		json_set_str(item, "name", c->name);
		json_set_str(item, "arguments", buf_cstr(&c->raw));
		json_add(items, item);
	}
	return items;
}

int message_as(const struct json *message, enum message_kind kind, struct json **ret,
	       struct err *e)
{
	_cleanup_json_ struct json *j = NULL;
	_cleanup_turn_ struct turn t;
	uint64_t seed = 1;
	int r;

	turn_init(&t);
	if (message_kind(message) == kind) {
		*ret = json_dup(message);
		return *ret ? 0 : no_memory(e);
	}
	if (kind == MESSAGE_CHAT)
		return as_chat(message, ret, e);
	r = message_turn(message, &seed, &t, e);
	if (r < 0)
		return r;
	j = json_object();
	json_set_str(j, "role", "assistant");
	if (kind == MESSAGE_BLOCKS)
		json_set(j, "content", blocks_of(&t));
	else
		json_set(j, "output", items_of(&t));
	if (json_failed(j) < 0)
		return no_memory(e);
	*ret = take(&j, NULL);
	return 0;
}

int message_reduce(const struct json *message, struct json **ret, struct err *e)
{
	_cleanup_json_ struct json *blocks = NULL;
	int r;

	if (message_kind(message) != MESSAGE_CHAT)
		return as_chat(message, ret, e);
	r = message_as(message, MESSAGE_BLOCKS, &blocks, e);
	return r < 0 ? r : as_chat(blocks, ret, e);
}
