#include "agent/wire/message.h"

#include <errno.h>
#include <string.h>

#include "agent/turn/args.h"
#include "agent/wire/openai_assemble.h"

static bool block_is(const struct json *block, const char *type)
{
	const char *s = json_get_str(block, "type");

	return s && strcmp(s, type) == 0;
}

bool message_is_anthropic(const struct json *message)
{
	if (json_get(message, "tool_calls"))
		return false;
	json_each(block, json_get(message, "content"))
	{
		if (json_type(block) == JSON_OBJECT)
			return true;
	}
	return false;
}

static int no_memory(struct err *e)
{
	return err_sys(e, -ENOMEM, "cannot rewrite a message");
}

static struct json *call_of(const struct json *block)
{
	struct json *call = json_object(), *fn = json_object();
	_cleanup_buf_ struct buf args = BUF_INIT(8 * (size_t)ARGS_MAX);
	const struct json *input = json_get(block, "input");

	if (json_type(input) == JSON_OBJECT)
		json_print(input, false, &args);
	else
		buf_adds(&args, json_str(input) ? json_str(input) : "{}");
	json_set_str(call, "id", json_get_str(block, "id"));
	json_set_str(call, "type", "function");
	json_set_str(fn, "name", json_get_str(block, "name"));
	json_set(fn, "arguments",
		 buf_failed(&args) < 0 ? NULL : json_string(buf_cstr(&args)));
	json_set(call, "function", fn);
	return call;
}

static int from_blocks(const struct json *message, struct json **ret, struct err *e)
{
	_cleanup_json_ struct json *j = json_object(), *calls = json_array();
	_cleanup_buf_ struct buf text = BUF_INIT(TURN_TEXT_MAX);

	json_each(block, json_get(message, "content"))
	{
		const char *s = json_get_str(block, "text");

		if (block_is(block, "text") && s)
			buf_adds(&text, s);
		else if (block_is(block, "tool_use"))
			json_add(calls, call_of(block));
	}
	json_set_str(j, "role", "assistant");
	json_set_str(j, "content", text.len ? text.data : NULL);
	if (json_failed(calls) < 0 || json_len(calls))
		json_set(j, "tool_calls", take(&calls, NULL));
	if (buf_failed(&text) < 0 || json_failed(j) < 0)
		return no_memory(e);
	*ret = take(&j, NULL);
	return 0;
}

int message_as_openai(const struct json *message, struct json **ret, struct err *e)
{
	if (message_is_anthropic(message))
		return from_blocks(message, ret, e);
	*ret = json_dup(message);
	return *ret ? 0 : no_memory(e);
}

int message_turn(const struct json *message, uint64_t *seed, struct turn *ret,
		 struct err *e)
{
	static const struct turn_sink silent = { 0 };
	_cleanup_(openai_assemble_done) struct openai_assemble a;
	_cleanup_json_ struct json *plain = NULL, *reply = NULL;
	struct json *choice, *choices;
	int r;

	openai_assemble_init(&a, &silent);
	if (json_type(message) != JSON_OBJECT)
		return err_set(e, -EINVAL, "a message that is no object");
	r = message_as_openai(message, &plain, e);
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
	a.done = true;
	r = openai_assemble_chunk(&a, reply, e)
		    ?: openai_assemble_end(&a, seed, ret, e);
	if (r < 0 || !message_is_anthropic(message))
		return r;
	json_free(&ret->message);
	ret->message = json_dup(message);
	return ret->message ? 0 : no_memory(e);
}

static struct json *tool_use(const struct turn_call *c)
{
	struct json *block = json_object();

	json_set_str(block, "type", "tool_use");
	json_set_str(block, "id", c->id);
	json_set_str(block, "name", c->name);
	json_set(block, "input", c->args ? json_dup(c->args) : json_object());
	return block;
}

static struct json *text_block(const char *text)
{
	struct json *block = json_object();

	json_set_str(block, "type", "text");
	json_set_str(block, "text", text);
	return block;
}

static int to_blocks(const struct turn *t, struct json **ret, struct err *e)
{
	_cleanup_json_ struct json *j = json_object();
	struct json *content = json_array();
	const char *p = buf_cstr(&t->text);

	if (p[strspn(p, " \t\r\n")])
		json_add(content, text_block(p));
	for (size_t i = 0; i < t->n_calls; i++)
		json_add(content, tool_use(&t->calls[i]));
	if (!json_len(content))
		json_add(content, text_block("(nothing)"));
	json_set_str(j, "role", "assistant");
	json_set(j, "content", content);
	if (json_failed(j) < 0)
		return no_memory(e);
	*ret = take(&j, NULL);
	return 0;
}

int message_as_anthropic(const struct json *message, struct json **ret, struct err *e)
{
	_cleanup_turn_ struct turn t;
	uint64_t seed = 1;
	int r;

	turn_init(&t);
	if (message_is_anthropic(message)) {
		*ret = json_dup(message);
		return *ret ? 0 : no_memory(e);
	}
	r = message_turn(message, &seed, &t, e);
	if (r < 0)
		return r;
	return to_blocks(&t, ret, e);
}

int message_reduce(const struct json *message, struct json **ret, struct err *e)
{
	_cleanup_json_ struct json *blocks = NULL;
	int r;

	if (message_is_anthropic(message))
		return from_blocks(message, ret, e);
	r = message_as_anthropic(message, &blocks, e);
	return r < 0 ? r : from_blocks(blocks, ret, e);
}
