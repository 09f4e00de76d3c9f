#include "agent/wire/anthropic_assemble.h"

#include <errno.h>
#include <string.h>

#include "agent/turn/args.h"
#include "agent/wire/error.h"
#include "base/grow.h"
#include "base/text.h"

enum { BLOCKS_MAX = 1024 };

struct block {
	int64_t index;
	struct json *block;	/* owned; as it began */
	struct buf text;	/* owned; of a text or thinking block */
	struct buf input;	/* owned; of a call: JSON in pieces */
	struct buf signature;	/* owned */
	struct json *citations; /* owned; NULL = none came */
};

struct anthropic_assemble {
	struct answer_state s; /* owned; first */
	struct block *blocks;  /* owned */
	size_t n;
	uint64_t fresh, cache_made, cache_read; /* tokens of the prompt */
};

static void done(void *self)
{
	struct anthropic_assemble *a = self;

	for (size_t i = 0; i < a->n; i++) {
		struct block *b = &a->blocks[i];

		json_free(&b->block);
		json_free(&b->citations);
		buf_done(&b->text);
		buf_done(&b->input);
		buf_done(&b->signature);
	}
	free(a->blocks);
}

/* ---- blocks ---- */

static int new_block(struct anthropic_assemble *a, int64_t index,
		     const struct json *content, struct err *e)
{
	struct block *more;

	if (a->n >= BLOCKS_MAX)
		return err_set(e, -EPROTO, "more than %d blocks in one turn",
			       BLOCKS_MAX);
	if (!grow_room(a->blocks, a->n))
		return answer_full(-ENOMEM, e);
	more = &a->blocks[a->n];
	*more = (struct block){ .index = index,
				.block = json_dup(content),
				.text = BUF_INIT(TURN_TEXT_MAX),
				.input = BUF_INIT(ARGS_MAX),
				.signature = BUF_INIT(TURN_TEXT_MAX) };
	if (!more->block)
		return answer_full(-ENOMEM, e);
	a->n++;
	return 0;
}

static int add_text(struct anthropic_assemble *a, struct buf *to, const char *s,
		    bool thought)
{
	int r = s ? buf_adds(to, s) : 0;

	if (r < 0 || !s)
		return r;
	return thought ? turn_thoughts(&a->s.turn, &a->s.sink, s, strlen(s))
		       : turn_words(&a->s.turn, &a->s.sink, s, strlen(s));
}

static int begin_block(struct anthropic_assemble *a, const struct json *event,
		       struct err *e)
{
	const struct json *content = json_get(event, "content_block");
	struct block *b;
	int r;

	if (json_type(content) != JSON_OBJECT)
		return 0;
	r = new_block(a, json_get_int(event, "index", (int64_t)a->n), content, e);
	if (r < 0)
		return r;
	b = &a->blocks[a->n - 1];
	if (json_is(content, "type", "text"))
		r = add_text(a, &b->text, json_get_str(content, "text"), false);
	else if (json_is(content, "type", "thinking"))
		r = add_text(a, &b->text, json_get_str(content, "thinking"), true);
	if (r == 0 && json_get_str(content, "signature"))
		r = buf_adds(&b->signature, json_get_str(content, "signature"));
	return answer_full(r, e);
}

/* The newest block of an index; an imitation that never began one gets it made. */
static struct block *find_block(struct anthropic_assemble *a, const struct json *event)
{
	int64_t index = json_get_int(event, "index", -1);

	for (size_t i = a->n; i > 0; i--)
		if (index < 0 || a->blocks[i - 1].index == index)
			return &a->blocks[i - 1];
	return NULL;
}

static int add_citation(struct block *b, const struct json *delta)
{
	if (!b->citations)
		b->citations = json_array();
	return json_add(b->citations, json_dup(json_get(delta, "citation")));
}

static int take_delta(struct anthropic_assemble *a, const struct json *event,
		      struct err *e)
{
	const struct json *delta = json_get(event, "delta");
	struct block *b = find_block(a, event);
	const char *piece;
	int r = 0;

	if (!b)
		return err_set(e, -EPROTO, "a delta of a block that never began");
	if (json_is(delta, "type", "text_delta"))
		r = add_text(a, &b->text, json_get_str(delta, "text"), false);
	else if (json_is(delta, "type", "thinking_delta"))
		r = add_text(a, &b->text, json_get_str(delta, "thinking"), true);
	else if (json_is(delta, "type", "input_json_delta") &&
		 (piece = json_get_str(delta, "partial_json")))
		r = buf_adds(&b->input, piece);
	else if (json_is(delta, "type", "signature_delta") &&
		 (piece = json_get_str(delta, "signature")))
		r = buf_adds(&b->signature, piece);
	else if (json_is(delta, "type", "citations_delta"))
		r = add_citation(b, delta);
	return answer_full(r, e);
}

/* ---- the message round them ---- */

static void take_count(uint64_t *to, const struct json *usage, const char *key)
{
	int64_t n = json_get_int(usage, key, -1);

	if (n >= 0)
		*to = (uint64_t)n;
}

/* Counts are cumulative: what comes later replaces what came before. */
static void take_usage(struct anthropic_assemble *a, const struct json *usage)
{
	struct turn_usage *u = &a->s.turn.usage;

	if (json_type(usage) != JSON_OBJECT)
		return;
	u->known = true;
	take_count(&a->fresh, usage, "input_tokens");
	take_count(&a->cache_made, usage, "cache_creation_input_tokens");
	take_count(&a->cache_read, usage, "cache_read_input_tokens");
	take_count(&u->output, usage, "output_tokens");
	u->input = a->fresh + a->cache_made + a->cache_read;
	u->cached = a->cache_read;
	u->written = a->cache_made;
}

static void take_finish(struct turn *t, const char *word)
{
	static const struct answer_word words[] = {
		{ "max_tokens", TURN_LENGTH },
		{ "pause_turn", TURN_PAUSE },
		{ "refusal", TURN_FILTER },
		{ "model_context_window_exceeded", TURN_OVERFLOW },
	};

	answer_ended(t, word, words, ARRAY_SIZE(words));
}

static void take_head(struct anthropic_assemble *a, const struct json *message)
{
	const char *id = json_get_str(message, "id");
	const char *model = json_get_str(message, "model");

	text_copy(a->s.turn.id, sizeof(a->s.turn.id), id ? id : "");
	text_copy(a->s.turn.model, sizeof(a->s.turn.model), model ? model : "");
	take_usage(a, json_get(message, "usage"));
	take_finish(&a->s.turn, json_get_str(message, "stop_reason"));
}

static int take_event(struct anthropic_assemble *a, const struct json *event,
		      struct err *e)
{
	if (wire_error_read(event, &a->s.cause))
		return answer_refused(&a->s, e);
	if (json_is(event, "type", "message_start"))
		take_head(a, json_get(event, "message"));
	else if (json_is(event, "type", "content_block_start"))
		return begin_block(a, event, e);
	else if (json_is(event, "type", "content_block_delta"))
		return take_delta(a, event, e);
	else if (json_is(event, "type", "message_stop"))
		a->s.done = true;
	else if (json_is(event, "type", "message_delta")) {
		take_finish(&a->s.turn,
			    json_get_str(json_get(event, "delta"), "stop_reason"));
		take_usage(a, json_get(event, "usage"));
	}
	return 0;
}

static int event(void *self, const char *data, size_t len, struct err *e)
{
	struct anthropic_assemble *a = self;
	_cleanup_json_ struct json *j = NULL;
	struct err bad;

	if (len == 6 && memcmp(data, "[DONE]", 6) == 0) {
		a->s.done = true; /* of an imitation */
		return 0;
	}
	if (json_parse_pieces(data, len, &j, &bad) < 0 || json_type(j) != JSON_OBJECT)
		return answer_skip(&a->s, data, e);
	return take_event(a, j, e);
}

static int whole(void *self, const struct json *message, struct err *e)
{
	struct anthropic_assemble *a = self;
	const struct json *content = json_get(message, "content");

	if (wire_error_read(message, &a->s.cause) || json_type(content) != JSON_ARRAY)
		return take_event(a, message, e);
	take_head(a, message);
	json_each(block, content)
	{
		_cleanup_json_ struct json *start = json_object();
		int r = json_set(start, "content_block", json_dup(block));

		r = r < 0 ? answer_full(r, e) : begin_block(a, start, e);
		if (r < 0)
			return r;
	}
	a->s.done = true;
	return 0;
}

/* ---- the end ---- */

static int take_call(struct anthropic_assemble *a, struct block *b)
{
	const char *id = json_get_str(b->block, "id");
	const char *name = json_get_str(b->block, "name");
	const struct json *input = json_get(b->block, "input");
	struct turn_call *c = turn_add_call(&a->s.turn);

	if (!c)
		return -E2BIG;
	c->id = id && strlen(id) <= TURN_NAME_MAX ? strdup(id) : NULL;
	c->name = name && strlen(name) <= TURN_NAME_MAX ? strdup(name) : NULL;
	if (b->input.len)
		return buf_add(&c->raw, b->input.data, b->input.len);
	return json_type(input) == JSON_OBJECT ? json_print(input, false, &c->raw) : 0;
}

static void finish_block(struct block *b, const struct turn_call *c)
{
	if (c) {
		json_set_str(b->block, "id", c->id);
		json_set(b->block, "input",
			 c->args ? json_dup(c->args) : json_object());
		return;
	}
	if (json_is(b->block, "type", "text"))
		json_set_str(b->block, "text", buf_cstr(&b->text));
	else if (json_is(b->block, "type", "thinking"))
		json_set_str(b->block, "thinking", buf_cstr(&b->text));
	if (b->signature.len)
		json_set_str(b->block, "signature", b->signature.data);
	if (b->citations)
		json_set(b->block, "citations", take(&b->citations, NULL));
}

static int build_message(void *assembler)
{
	struct anthropic_assemble *a = assembler;
	_cleanup_json_ struct json *j = json_object(), *content = json_array();
	const struct turn_call *call = a->s.turn.calls;

	json_set_str(j, "role", "assistant");
	for (size_t i = 0; i < a->n; i++) {
		struct block *b = &a->blocks[i];

		finish_block(b, json_is(b->block, "type", "tool_use") ? call++ : NULL);
		json_add(content, take(&b->block, NULL));
	}
	json_set(j, "content", take(&content, NULL));
	if (json_failed(j) < 0 || json_mend(j) < 0)
		return -ENOMEM;
	a->s.turn.message = take(&j, NULL);
	return 0;
}

static int end(void *self, uint64_t *seed, struct turn *ret, struct err *e)
{
	struct anthropic_assemble *a = self;
	int r = 0;

	if (!a->s.done && !*a->s.turn.finish_word)
		return answer_cut(e);
	for (size_t i = 0; i < a->n && r == 0; i++) {
		r = pieces_whole(&a->blocks[i].text);
		if (r == 0 && json_is(a->blocks[i].block, "type", "tool_use"))
			r = take_call(a, &a->blocks[i]);
	}
	return answer_full(r, e) ?: answer_finish(&a->s, build_message, seed, ret, e);
}

const struct answer_ops anthropic_assemble_ops = {
	.size = sizeof(struct anthropic_assemble),
	.done = done,
	.event = event,
	.whole = whole,
	.end = end,
};
