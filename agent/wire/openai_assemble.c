#include "agent/wire/openai_assemble.h"

#include <string.h>

#include "agent/wire/error.h"
#include "base/text.h"

void openai_assemble_init(void *self)
{
	struct openai_assemble *a = self;

	thoughts_init(&a->thoughts);
	envelope_init(&a->envelope);
}

void openai_assemble_done(void *self)
{
	struct openai_assemble *a = self;

	for (size_t i = 0; i < TURN_CALLS_MAX; i++)
		json_free(&a->calls[i].extra);
	thoughts_done(&a->thoughts);
	envelope_done(&a->envelope);
	json_free(&a->extra);
}

static int full(int r, const char *what, struct err *e)
{
	return r < 0 ? err_sys(e, r, "cannot keep %s of the answer", what) : 0;
}

/* ---- calls ---- */

static int set_string(char **where, const char *s, struct err *e)
{
	char *copy;

	if (!s || !*s)
		return 0;
	if (strlen(s) > TURN_NAME_MAX)
		return err_set(e, -EPROTO, "a call's id or name has %zu bytes",
			       strlen(s));
	copy = strdup(s);
	if (!copy)
		return err_sys(e, -ENOMEM, "cannot keep a call");
	free(*where);
	*where = copy;
	return 0;
}

static int new_call(struct openai_assemble *a, struct err *e)
{
	if (!turn_add_call(&a->s.turn))
		return err_set(e, -EPROTO, "more than %d calls in one turn",
			       TURN_CALLS_MAX);
	return (int)a->s.turn.n_calls - 1;
}

/* Which call a fragment belongs to, or a new one. */
static int find_call(struct openai_assemble *a, const struct json *frag, struct err *e)
{
	const char *id = json_get_str(frag, "id");
	const char *name = json_get_str(json_get(frag, "function"), "name");
	int64_t index;
	int last = (int)a->s.turn.n_calls - 1, nth;
	bool has_index = json_int(json_get(frag, "index"), &index) == 0;

	id = id && *id ? id : NULL;
	for (nth = last; has_index && nth >= 0; nth--) {
		const char *have = a->s.turn.calls[nth].id;

		if (!a->calls[nth].has_index || a->calls[nth].index != index)
			continue;
		if (!id || !have || strcmp(id, have) == 0)
			return nth;
		break;
	}
	if (!has_index && !id && last >= 0) {
		const char *have = a->s.turn.calls[last].name;

		if (!name || !*name || !have || strcmp(name, have) == 0)
			return last;
	}
	if (!has_index && id && last >= 0 && a->s.turn.calls[last].id &&
	    strcmp(a->s.turn.calls[last].id, id) == 0)
		return last;
	nth = new_call(a, e);
	if (nth >= 0 && has_index) {
		a->calls[nth].has_index = true;
		a->calls[nth].index = index;
	}
	return nth;
}

static int add_arguments(struct turn_call *c, const struct json *args, struct err *e)
{
	const char *s = json_str(args);
	int r = 0;

	if (s)
		r = *s ? buf_adds(&c->raw, s) : 0;
	else if (json_type(args) == JSON_OBJECT)
		r = json_print(args, false, &c->raw);
	return full(r, "the arguments", e);
}

static bool known(const char *key, const char *const *names)
{
	for (; *names; names++)
		if (key[0] == (*names)[0] && strcmp(key, *names) == 0)
			return true;
	return false;
}

/* Members that we do not know go back as they came: strings that arrive in pieces are
 * joined, all else is replaced by the newest. */
static int keep_extra(struct json **extra, const struct json *from,
		      const char *const *skip, struct err *e)
{
	json_each(m, from)
	{
		const char *key = json_key(m), *s = json_str(m);
		const char *had = json_get_str(*extra, key);
		_cleanup_buf_ struct buf joined = BUF_INIT(TURN_TEXT_MAX);
		int r = 0;

		if (!key || known(key, skip) || json_type(m) == JSON_NULL)
			continue;
		if (!*extra)
			*extra = json_object();
		if (s && had && strcmp(s, had) != 0) {
			buf_addf(&joined, "%s%s", had, s);
			r = buf_failed(&joined);
			s = buf_cstr(&joined);
		}
		if (r == 0)
			r = json_set(*extra, key, s ? json_string(s) : json_dup(m));
		if (r < 0)
			return full(r, "a member", e);
	}
	return 0;
}

static int take_fragment(struct openai_assemble *a, const struct json *frag,
			 struct err *e)
{
	static const char *const skip[] = { "index", "id", "type", "function", NULL };
	const struct json *fn = json_get(frag, "function");
	struct turn_call *c;
	int nth = find_call(a, frag, e), r;

	if (nth < 0)
		return nth;
	c = &a->s.turn.calls[nth];
	r = set_string(&c->id, json_get_str(frag, "id"), e) ?:
		set_string(&c->name, json_get_str(fn, "name"), e) ?:
		add_arguments(c, json_get(fn, "arguments"), e);
	return r ?: keep_extra(&a->calls[nth].extra, frag, skip, e);
}

static int take_calls(struct openai_assemble *a, const struct json *delta,
		      struct err *e)
{
	const struct json *old = json_get(delta, "function_call");
	int r = 0;

	json_each(frag, json_get(delta, "tool_calls"))
	{
		r = take_fragment(a, frag, e);
		if (r < 0)
			return r;
	}
	if (json_type(old) == JSON_OBJECT) {
		struct turn_call *c;

		if (a->s.turn.n_calls == 0 && (r = new_call(a, e)) < 0)
			return r;
		c = &a->s.turn.calls[0];
		r = set_string(&c->name, json_get_str(old, "name"), e)
			    ?: add_arguments(c, json_get(old, "arguments"), e);
	}
	return r;
}

/* ---- words ---- */

/* Content is a string or a list of parts. */
static int take_content(struct openai_assemble *a, const struct json *content)
{
	const char *s = json_str(content);
	int r = s ? turn_words(&a->s.turn, &a->s.sink, s, strlen(s)) : 0;

	if (json_type(content) != JSON_ARRAY)
		return r;
	json_each(part, content)
	{
		const char *text = json_get_str(part, "text");

		if (text && r == 0)
			r = turn_words(&a->s.turn, &a->s.sink, text, strlen(text));
		if (r == 0)
			r = thoughts_part(&a->thoughts, part, &a->s.turn, &a->s.sink);
	}
	return r;
}

static int take_delta(struct openai_assemble *a, const struct json *delta,
		      struct err *e)
{
	static const char *const skip[] = { "role",	     "content",
					    "refusal",	     "tool_calls",
					    "function_call", "reasoning_content",
					    "reasoning",     "reasoning_details",
					    "obfuscation",   NULL };
	const char *refusal = json_get_str(delta, "refusal");
	int r = thoughts_take(&a->thoughts, delta, &a->s.turn, &a->s.sink);

	r = full(r ?: take_content(a, json_get(delta, "content")), "the text", e);

	if (r == 0 && refusal)
		r = full(buf_adds(&a->s.turn.refusal, refusal), "a refusal", e);
	return r ?: take_calls(a, delta, e) ?: keep_extra(&a->extra, delta, skip, e);
}

/* ---- usage, finish, chunks ---- */

static uint64_t count(const struct json *j, const char *key)
{
	int64_t n = json_get_int(j, key, 0);

	return n > 0 ? (uint64_t)n : 0;
}

/* OpenRouter: dollars. */
static void take_cost(struct turn *t, const struct json *cost)
{
	double dollars = json_num(cost, -1);

	if (dollars < 0 || dollars > 1e6)
		return;
	t->usage.cost_told = true;
	t->usage.cost = (uint64_t)(dollars * 1e6 + 0.5);
}

static void take_usage(struct turn *t, const struct json *u)
{
	if (json_type(u) != JSON_OBJECT)
		return;
	t->usage = (struct turn_usage){
		.known = true,
		.input = count(u, "prompt_tokens"),
		.output = count(u, "completion_tokens"),
		.cached = count(json_get(u, "prompt_tokens_details"), "cached_tokens"),
		.reasoning = count(json_get(u, "completion_tokens_details"),
				   "reasoning_tokens"),
	};
	if (!t->usage.cached)
		t->usage.cached = count(u, "prompt_cache_hit_tokens");
	take_cost(t, json_get(u, "cost"));
}

static void take_finish(struct turn *t, const char *word)
{
	static const struct answer_word words[] = {
		{ "length", TURN_LENGTH },
		{ "max_tokens", TURN_LENGTH },
		{ "model_length", TURN_LENGTH },
		{ "content_filter", TURN_FILTER },
		{ "insufficient_system_resource", TURN_AGAIN },
		{ "error", TURN_AGAIN },
	};

	if (!*t->finish_word)
		answer_ended(t, word, words, ARRAY_SIZE(words));
}

/* Every chunk has them; the first that is not empty is enough. */
static void take_name(char *to, size_t size, const struct json *chunk, const char *key)
{
	const char *s = *to ? NULL : json_get_str(chunk, key);

	if (s)
		text_copy(to, size, s);
}

static int take_choice(struct openai_assemble *a, const struct json *choice,
		       struct err *e)
{
	const struct json *delta = json_get(choice, "delta");
	int r;

	if (json_get_int(choice, "index", 0) != 0)
		return 0;
	if (wire_error_read(choice, &a->s.cause))
		return answer_refused(&a->s, e);
	if (json_type(delta) != JSON_OBJECT)
		delta = json_get(choice, "message");
	r = take_delta(a, delta, e);
	if (r < 0)
		return r;
	take_finish(&a->s.turn, json_get_str(choice, "finish_reason"));
	take_usage(&a->s.turn, json_get(choice, "usage"));
	return 0;
}

int openai_assemble_chunk(struct openai_assemble *a, const struct json *chunk,
			  struct err *e)
{
	int r = 0;

	if (wire_error_read(chunk, &a->s.cause))
		return answer_refused(&a->s, e);
	take_name(a->s.turn.id, sizeof(a->s.turn.id), chunk, "id");
	take_name(a->s.turn.model, sizeof(a->s.turn.model), chunk, "model");
	json_each(choice, json_get(chunk, "choices"))
	{
		r = take_choice(a, choice, e);
		if (r < 0)
			return r;
	}
	take_usage(&a->s.turn, json_get(json_get(chunk, "x_groq"), "usage"));
	take_usage(&a->s.turn, json_get(chunk, "usage"));
	return 0;
}

static bool is_null(const struct json *obj, const char *key)
{
	return json_type(json_get(obj, key)) == JSON_NULL;
}

/* A chunk that brings words, and neither news of any other kind nor an error. */
static void learn(struct openai_assemble *a, const struct json *chunk, const char *data,
		  size_t len)
{
	const struct json *choices = json_get(chunk, "choices");
	const struct json *choice = json_first(choices);
	const struct json *delta = json_get(choice, "delta");
	const char *words = json_get_str(delta, "content");

	if (a->slow || !words || !*words || json_len(choices) != 1 ||
	    json_len(delta) != 1 || !is_null(choice, "finish_reason") ||
	    !is_null(choice, "usage") || !is_null(chunk, "usage") ||
	    !is_null(chunk, "x_groq") || json_get_int(choice, "index", 0) != 0)
		return;
	envelope_learn(&a->envelope, data, len, words);
}

int openai_assemble_event(void *self, const char *data, size_t len, struct err *e)
{
	struct openai_assemble *a = self;
	_cleanup_json_ struct json *chunk = NULL;
	const char *words;
	struct err bad;
	size_t n;
	int r;

	words = envelope_open(&a->envelope, data, len, &n);
	if (words)
		return full(turn_words(&a->s.turn, &a->s.sink, words, n), "the text",
			    e);
	if (len == 6 && memcmp(data, "[DONE]", 6) == 0) {
		a->s.done = true;
		return 0;
	}
	if (json_parse_pieces(data, len, &chunk, &bad) < 0)
		return answer_skip(&a->s, data, e);
	if (json_type(chunk) != JSON_OBJECT && json_type(chunk) != JSON_ARRAY)
		return answer_skip(&a->s, data, e);
	if (json_type(chunk) == JSON_ARRAY && !wire_error_read(chunk, &a->s.cause))
		return answer_skip(&a->s, data, e);
	r = openai_assemble_chunk(a, chunk, e);
	if (r < 0)
		return r;
	learn(a, chunk, data, len);
	return 0;
}

/* ---- the end ---- */

static struct json *call_message(const struct openai_assemble *a, size_t nth)
{
	const struct turn_call *c = &a->s.turn.calls[nth];
	struct json *j = json_object(), *fn = json_object();

	json_set_str(fn, "name", c->name);
	json_set_str(fn, "arguments", buf_cstr(&c->raw));
	json_set_str(j, "id", c->id);
	json_set_str(j, "type", "function");
	json_set(j, "function", fn);
	json_each(m, a->calls[nth].extra)
	{
		json_set(j, json_key(m), json_dup(m));
	}
	return j;
}

static int build_message(void *assembler)
{
	struct openai_assemble *a = assembler;
	const struct turn *t = &a->s.turn;
	_cleanup_json_ struct json *j = json_object(), *calls = json_array();
	int r;

	json_set_str(j, "role", "assistant");
	json_set_str(j, "content", t->text.len ? t->text.data : NULL);
	r = thoughts_put(&a->thoughts, j);
	json_each(m, a->extra)
	{
		json_set(j, json_key(m), json_dup(m));
	}
	for (size_t i = 0; i < t->n_calls; i++)
		json_add(calls, call_message(a, i));
	if (t->n_calls)
		json_set(j, "tool_calls", take(&calls, NULL));
	if (r < 0)
		return r;
	r = json_failed(j) ?: json_mend(j);
	if (r < 0)
		return r;
	a->s.turn.message = take(&j, NULL);
	return 0;
}

int openai_assemble_end(void *self, uint64_t *seed, struct turn *ret, struct err *e)
{
	struct openai_assemble *a = self;
	struct retry_cause *cause = &a->s.cause;

	if (!a->s.done && !*a->s.turn.finish_word)
		return answer_cut(e);
	if (a->s.turn.finish == TURN_AGAIN) {
		text_copy(cause->code, sizeof(cause->code), a->s.turn.finish_word);
		text_copy(cause->text, sizeof(cause->text), a->s.turn.finish_word);
		return answer_refused(&a->s, e);
	}
	return answer_finish(&a->s, build_message, seed, ret, e);
}

/* ---- as a row of functions ---- */

static int whole(void *a, const struct json *j, struct err *e)
{
	struct openai_assemble *o = a;

	if (json_type(json_first(json_get(j, "choices"))) == JSON_OBJECT)
		o->s.done = true;
	return openai_assemble_chunk(o, j, e);
}

const struct answer_ops openai_assemble_ops = {
	.size = sizeof(struct openai_assemble),
	.init = openai_assemble_init,
	.done = openai_assemble_done,
	.event = openai_assemble_event,
	.whole = whole,
	.end = openai_assemble_end,
};
