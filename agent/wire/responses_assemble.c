/* An answer is a list of items: thoughts, messages, calls. Each is begun, grows by deltas and
 * comes once more as a whole when it is done; only what is whole is kept, and the deltas are
 * shown. What never became whole, because the output limit came first, is made of its
 * deltas: it is in the history, and its call is not run. */
#include "agent/wire/responses_assemble.h"

#include <errno.h>
#include <string.h>

#include "agent/wire/error.h"
#include "base/grow.h"
#include "base/text.h"

enum { ITEMS_MAX = 1024 };

struct item {
	int64_t index;
	struct json *item; /* owned; as it began, or as it ended */
	struct buf text;   /* owned; of its deltas: of a call its arguments */
	bool spoke;	   /* its words or thoughts came as deltas */
	bool whole;
};

struct responses_assemble {
	struct answer_state s; /* owned; first */
	struct item *items;    /* owned */
	size_t n;
};

static void done(void *self)
{
	struct responses_assemble *a = self;

	for (size_t i = 0; i < a->n; i++) {
		json_free(&a->items[i].item);
		buf_done(&a->items[i].text);
	}
	free(a->items);
}

/* ---- items ---- */

/* The item of an event; one that never began is made. NULL = no room, @r says why. */
static struct item *find_item(struct responses_assemble *a, const struct json *event,
			      int *r, struct err *e)
{
	int64_t index = json_get_int(event, "output_index", (int64_t)a->n);
	struct item *more;

	for (size_t i = a->n; i > 0; i--)
		if (a->items[i - 1].index == index)
			return &a->items[i - 1];
	if (a->n == ITEMS_MAX) {
		*r = err_set(e, -EPROTO, "more than %d items in one answer", ITEMS_MAX);
		return NULL;
	}
	if (!grow_room(a->items, a->n)) {
		*r = answer_full(-ENOMEM, e);
		return NULL;
	}
	more = &a->items[a->n++];
	*more = (struct item){ .index = index, .text = BUF_INIT(TURN_TEXT_MAX) };
	return more;
}

static int keep(struct item *x, const struct json *item, bool whole)
{
	struct json *copy = json_dup(item);

	if (!copy)
		return -ENOMEM;
	json_free(&x->item);
	x->item = copy;
	x->whole = whole;
	return 0;
}

/* Of a message or a thought that came at once: its parts' words are new to everybody. */
static int say_parts(struct responses_assemble *a, const struct json *parts,
		     bool thought)
{
	int r = 0;

	json_each(part, parts)
	{
		const char *s = json_get_str(part, "text");

		if (r < 0 || !s)
			continue;
		r = thought ? turn_thoughts(&a->s.turn, &a->s.sink, s, strlen(s))
			    : turn_words(&a->s.turn, &a->s.sink, s, strlen(s));
	}
	return r;
}

static int refuse_parts(struct responses_assemble *a, const struct json *parts)
{
	int r = 0;

	json_each(part, parts)
	{
		const char *s = json_get_str(part, "refusal");

		if (s && r == 0)
			r = buf_adds(&a->s.turn.refusal, s);
	}
	return r;
}

static int end_item(struct responses_assemble *a, const struct json *event,
		    struct err *e)
{
	const struct json *item = json_get(event, "item");
	const struct json *content = json_get(item, "content");
	struct item *x;
	int r = 0;

	if (json_type(item) != JSON_OBJECT)
		return 0;
	x = find_item(a, event, &r, e);
	if (!x)
		return r;
	if (x->whole)
		return 0; /* told twice */
	r = keep(x, item, true);
	if (r == 0 && json_is(item, "type", "message"))
		r = refuse_parts(a, content)
			    ?: (x->spoke ? 0 : say_parts(a, content, false));
	else if (r == 0 && !x->spoke && json_is(item, "type", "reasoning"))
		r = say_parts(a,
			      json_len(content) ? content : json_get(item, "summary"),
			      true);
	return answer_full(r, e);
}

static int begin_item(struct responses_assemble *a, const struct json *event,
		      struct err *e)
{
	const struct json *item = json_get(event, "item");
	struct item *x;
	int r = 0;

	if (json_type(item) != JSON_OBJECT)
		return 0;
	x = find_item(a, event, &r, e);
	return x && !x->whole ? answer_full(keep(x, item, false), e) : r;
}

enum delta { WORDS, THOUGHTS, ARGUMENTS };

static int take_delta(struct responses_assemble *a, const struct json *event,
		      enum delta kind, struct err *e)
{
	const char *s = json_get_str(event, "delta");
	int r = 0;
	struct item *x = s ? find_item(a, event, &r, e) : NULL;

	if (!x)
		return r;
	if (kind == ARGUMENTS)
		return answer_full(buf_adds(&x->text, s), e);
	x->spoke = true;
	if (kind == THOUGHTS)
		return answer_full(turn_thoughts(&a->s.turn, &a->s.sink, s, strlen(s)),
				   e);
	return answer_full(buf_adds(&x->text, s)
				   ?: turn_words(&a->s.turn, &a->s.sink, s, strlen(s)),
			   e);
}

/* ---- the response round them ---- */

static void take_usage(struct turn_usage *u, const struct json *usage)
{
	const struct json *in = json_get(usage, "input_tokens_details");
	const struct json *out = json_get(usage, "output_tokens_details");

	if (json_type(usage) != JSON_OBJECT)
		return;
	u->known = true;
	u->input = (uint64_t)MAX(json_get_int(usage, "input_tokens", 0), 0);
	u->output = (uint64_t)MAX(json_get_int(usage, "output_tokens", 0), 0);
	u->cached = (uint64_t)MAX(json_get_int(in, "cached_tokens", 0), 0);
	u->reasoning = (uint64_t)MAX(json_get_int(out, "reasoning_tokens", 0), 0);
}

static void take_head(struct responses_assemble *a, const struct json *response)
{
	const char *id = json_get_str(response, "id");
	const char *model = json_get_str(response, "model");

	if (id)
		text_copy(a->s.turn.id, sizeof(a->s.turn.id), id);
	if (model)
		text_copy(a->s.turn.model, sizeof(a->s.turn.model), model);
	take_usage(&a->s.turn.usage, json_get(response, "usage"));
}

/* A response that is over: completed, incomplete or failed. */
static int take_end(struct responses_assemble *a, const struct json *response,
		    struct err *e)
{
	const char *status = json_get_str(response, "status");
	const char *why =
		json_get_str(json_get(response, "incomplete_details"), "reason");
	int64_t n = 0;
	int r = 0;

	take_head(a, response);
	if (wire_error_read(response, &a->s.cause))
		return answer_refused(&a->s, e);
	/* what a server that sends few events has told in no other way */
	json_each(it, json_get(response, "output"))
	{
		_cleanup_json_ struct json *event = json_object();

		json_set_int(event, "output_index", n++);
		json_set(event, "item", json_dup(it));
		if (r == 0)
			r = json_failed(event) < 0 ? answer_full(-ENOMEM, e)
						   : end_item(a, event, e);
	}
	text_copy(a->s.turn.finish_word, sizeof(a->s.turn.finish_word),
		  why	   ? why
		  : status ? status
			   : "completed");
	if (why && strcmp(why, "max_output_tokens") == 0)
		a->s.turn.finish = TURN_LENGTH;
	else if (why && strcmp(why, "content_filter") == 0)
		a->s.turn.finish = TURN_FILTER;
	a->s.done = true;
	return r;
}

/* {"type": "error", "code": …, "message": …}, the error itself and no member of it. */
static int take_error(struct responses_assemble *a, const struct json *event,
		      struct err *e)
{
	_cleanup_json_ struct json *j = json_object();

	json_set(j, "error", json_dup(event));
	(void)json_drop(json_get_mut(j, "error"), "type"); /* that of the event */
	if (json_failed(j) < 0 || !wire_error_read(j, &a->s.cause))
		return answer_full(-ENOMEM, e);
	return answer_refused(&a->s, e);
}

static int take_event(struct responses_assemble *a, const struct json *event,
		      struct err *e)
{
	static const struct {
		const char *type;
		enum delta kind;
	} deltas[] = { { "response.output_text.delta", WORDS },
		       { "response.reasoning_summary_text.delta", THOUGHTS },
		       { "response.reasoning_text.delta", THOUGHTS },
		       { "response.function_call_arguments.delta", ARGUMENTS } };

	if (json_get(event, "error") && wire_error_read(event, &a->s.cause))
		return answer_refused(&a->s, e);
	if (json_is(event, "type", "error"))
		return take_error(a, event, e);
	for (size_t i = 0; i < ARRAY_SIZE(deltas); i++)
		if (json_is(event, "type", deltas[i].type))
			return take_delta(a, event, deltas[i].kind, e);
	if (json_is(event, "type", "response.output_item.added"))
		return begin_item(a, event, e);
	if (json_is(event, "type", "response.output_item.done"))
		return end_item(a, event, e);
	if (json_is(event, "type", "response.reasoning_summary_part.added") &&
	    a->s.turn.reasoning.len)
		return answer_full(turn_thoughts(&a->s.turn, &a->s.sink, "\n\n", 2), e);
	if (json_is(event, "type", "response.completed") ||
	    json_is(event, "type", "response.incomplete") ||
	    json_is(event, "type", "response.failed") ||
	    json_is(event, "type", "response.done"))
		return take_end(a, json_get(event, "response"), e);
	take_head(a, json_get(event, "response"));
	return 0;
}

static int event(void *self, const char *data, size_t len, struct err *e)
{
	struct responses_assemble *a = self;
	_cleanup_json_ struct json *j = NULL;
	struct err bad;

	if (len == 6 && memcmp(data, "[DONE]", 6) == 0)
		return 0;
	if (json_parse_pieces(data, len, &j, &bad) == 0 && json_type(j) == JSON_OBJECT)
		return take_event(a, j, e);
	return answer_skip(&a->s, data, e);
}

static int whole(void *self, const struct json *j, struct err *e)
{
	if (json_type(json_get(j, "output")) == JSON_ARRAY)
		return take_end(self, j, e);
	return take_event(self, j, e);
}

/* ---- the end ---- */

/* What never became whole gets what its deltas said. */
static int complete(struct item *x)
{
	struct json *content, *part;
	int r = pieces_whole(&x->text);

	if (r < 0 || x->whole || !x->text.len)
		return r;
	if (json_is(x->item, "type", "function_call"))
		return json_set_str(x->item, "arguments", buf_cstr(&x->text));
	if (!json_is(x->item, "type", "message"))
		return 0;
	content = json_array();
	part = json_object();
	json_set_str(part, "type", "output_text");
	json_set_str(part, "text", buf_cstr(&x->text));
	json_add(content, part);
	return json_set(x->item, "content", content);
}

static char *copy_name(const char *s)
{
	return s && strlen(s) <= TURN_NAME_MAX ? strdup(s) : NULL;
}

static int take_call(struct responses_assemble *a, struct item *x)
{
	const char *args = json_get_str(x->item, "arguments");
	struct turn_call *c = turn_add_call(&a->s.turn);

	if (!c)
		return -E2BIG;
	c->id = copy_name(json_get_str(x->item, "call_id"));
	c->name = copy_name(json_get_str(x->item, "name"));
	return args ? buf_adds(&c->raw, args) : 0;
}

static int build_message(void *assembler)
{
	struct responses_assemble *a = assembler;
	_cleanup_json_ struct json *j = json_object(), *items = json_array();
	const struct turn_call *call = a->s.turn.calls;

	json_set_str(j, "role", "assistant");
	for (size_t i = 0; i < a->n; i++) {
		struct item *x = &a->items[i];

		if (x->item && json_is(x->item, "type", "function_call"))
			json_set_str(x->item, "call_id", call++->id);
		if (x->item)
			json_add(items, take(&x->item, NULL));
	}
	json_set(j, "output", take(&items, NULL));
	if (json_failed(j) < 0 || json_mend(j) < 0)
		return -ENOMEM;
	a->s.turn.message = take(&j, NULL);
	return 0;
}

static int end(void *self, uint64_t *seed, struct turn *ret, struct err *e)
{
	struct responses_assemble *a = self;
	int r = 0;

	if (!a->s.done)
		return answer_cut(e);
	for (size_t i = 0; i < a->n && r == 0; i++) {
		r = a->items[i].item ? complete(&a->items[i]) : 0;
		if (r == 0 && json_is(a->items[i].item, "type", "function_call"))
			r = take_call(a, &a->items[i]);
	}
	return answer_full(r, e) ?: answer_finish(&a->s, build_message, seed, ret, e);
}

const struct answer_ops responses_assemble_ops = {
	.size = sizeof(struct responses_assemble),
	.done = done,
	.event = event,
	.whole = whole,
	.end = end,
};
