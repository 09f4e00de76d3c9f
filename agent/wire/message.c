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

static int add_call(struct json *calls, const struct json *block)
{
	_cleanup_json_ struct json *call = json_object(), *fn = json_object();
	_cleanup_buf_ struct buf args = BUF_INIT(8 * (size_t)ARGS_MAX);
	const struct json *input = json_get(block, "input");
	int r;

	if (json_type(input) == JSON_OBJECT)
		r = json_print(input, false, &args);
	else
		r = buf_adds(&args, json_str(input) ? json_str(input) : "{}");
	r = r ?: json_set_str(call, "id", json_get_str(block, "id"));
	r = r ?: json_set_str(call, "type", "function");
	r = r ?: json_set_str(fn, "name", json_get_str(block, "name"));
	r = r ?: json_set_str(fn, "arguments", buf_cstr(&args));
	r = r ?: json_set(call, "function", take(&fn, NULL));
	return r ?: json_add(calls, take(&call, NULL));
}

static int from_blocks(const struct json *message, struct json **ret, struct err *e)
{
	_cleanup_json_ struct json *j = json_object(), *calls = json_array();
	_cleanup_buf_ struct buf text = BUF_INIT(TURN_TEXT_MAX);
	int r = json_set_str(j, "role", "assistant");

	json_each(block, json_get(message, "content"))
	{
		const char *s = json_get_str(block, "text");

		if (r == 0 && block_is(block, "text") && s)
			r = buf_adds(&text, s);
		else if (r == 0 && block_is(block, "tool_use"))
			r = add_call(calls, block);
	}
	r = r ?: json_set_str(j, "content", text.len ? text.data : NULL);
	if (r == 0 && json_len(calls))
		r = json_set(j, "tool_calls", take(&calls, NULL));
	if (r < 0)
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
	_cleanup_json_ struct json *plain = NULL, *reply = json_object();
	_cleanup_json_ struct json *choice = json_object(), *choices = json_array();
	int r = 0;

	openai_assemble_init(&a, &silent);
	if (json_type(message) != JSON_OBJECT)
		return err_set(e, -EINVAL, "a message that is no object");
	r = message_as_openai(message, &plain, e);
	if (r < 0)
		return r;
	r = json_set(choice, "message", take(&plain, NULL));
	r = r ?: json_add(choices, take(&choice, NULL));
	r = r ?: json_set(reply, "choices", take(&choices, NULL));
	if (r < 0)
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
	_cleanup_json_ struct json *block = json_object();

	if (json_set_str(block, "type", "tool_use") < 0 ||
	    json_set_str(block, "id", c->id) < 0 ||
	    json_set_str(block, "name", c->name) < 0 ||
	    json_set(block, "input", c->args ? json_dup(c->args) : json_object()) < 0)
		return NULL;
	return take(&block, NULL);
}

static struct json *text_block(const char *text)
{
	_cleanup_json_ struct json *block = json_object();

	if (json_set_str(block, "type", "text") < 0 ||
	    json_set_str(block, "text", text) < 0)
		return NULL;
	return take(&block, NULL);
}

static int to_blocks(const struct turn *t, struct json **ret)
{
	_cleanup_json_ struct json *j = json_object(), *content = json_array();
	const char *p = buf_cstr(&t->text);
	int r = json_set_str(j, "role", "assistant");

	if (r == 0 && p[strspn(p, " \t\r\n")])
		r = json_add(content, text_block(p));
	for (size_t i = 0; i < t->n_calls && r == 0; i++)
		r = json_add(content, tool_use(&t->calls[i]));
	if (r == 0 && !json_len(content))
		r = json_add(content, text_block("(nothing)"));
	r = r ?: json_set(j, "content", take(&content, NULL));
	if (r == 0)
		*ret = take(&j, NULL);
	return r;
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
	return to_blocks(&t, ret) < 0 ? no_memory(e) : 0;
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
