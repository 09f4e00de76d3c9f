#include "agent/turn/turn.h"

#include <string.h>

#include "agent/turn/args.h"
#include "base/grow.h"
#include "base/text.h"

void turn_init(struct turn *t)
{
	*t = (struct turn){ .text = BUF_INIT(TURN_TEXT_MAX),
			    .reasoning = BUF_INIT(TURN_TEXT_MAX),
			    .refusal = BUF_INIT(TURN_TEXT_MAX) };
}

void turn_done(struct turn *t)
{
	for (size_t i = 0; i < t->n_calls; i++) {
		free(t->calls[i].id);
		free(t->calls[i].name);
		buf_done(&t->calls[i].raw);
		json_free(&t->calls[i].args);
	}
	free(t->calls);
	buf_done(&t->text);
	buf_done(&t->reasoning);
	buf_done(&t->refusal);
	json_free(&t->message);
	turn_init(t);
}

struct turn_call *turn_add_call(struct turn *t)
{
	if (t->n_calls >= TURN_CALLS_MAX || !grow_room(t->calls, t->n_calls))
		return NULL;
	t->calls[t->n_calls] = (struct turn_call){ .raw = BUF_INIT(ARGS_MAX) };
	return &t->calls[t->n_calls++];
}

typedef void turn_show_fn(void *ctx, const char *text, size_t len);

/* Nearly every piece is whole, and goes the short way. */
static bool is_whole(const struct pieces *p, const char *s, size_t len)
{
	return !p->n && !memchr(s, 0xed, len) && !memchr(s, 0xc0, len) &&
	       (!len || !(s[len - 1] & 0x80));
}

static int add_piece(struct buf *to, struct pieces *p, const char *s, size_t len)
{
	if (is_whole(p, s, len))
		return buf_add(to, s, len);
	return pieces_add(p, s, len, to);
}

static void show_from(const struct buf *b, size_t from, turn_show_fn *show, void *ctx)
{
	if (show && b->len > from)
		show(ctx, b->data + from, b->len - from);
}

int turn_words(struct turn *t, const struct turn_sink *to, const char *s, size_t len)
{
	size_t from = t->text.len;
	int r = len ? add_piece(&t->text, &t->text_end, s, len) : 0;

	if (r < 0)
		return r;
	show_from(&t->text, from, to->words, to->ctx);
	return 0;
}

int turn_thoughts(struct turn *t, const struct turn_sink *to, const char *s, size_t len)
{
	size_t from = t->reasoning.len;
	int r = len ? add_piece(&t->reasoning, &t->reasoning_end, s, len) : 0;

	if (r < 0)
		return r;
	show_from(&t->reasoning, from, to->reasoning, to->ctx);
	return 0;
}

int turn_settle(struct turn *t, const struct turn_sink *to)
{
	size_t words = t->text.len, thoughts = t->reasoning.len;
	int r = pieces_end(&t->text_end, &t->text);

	if (r < 0)
		return r;
	r = pieces_end(&t->reasoning_end, &t->reasoning);
	if (r < 0)
		return r;
	r = pieces_whole(&t->refusal);
	if (r < 0)
		return r;
	show_from(&t->text, words, to->words, to->ctx);
	show_from(&t->reasoning, thoughts, to->reasoning, to->ctx);
	/* half a character in a call's arguments is no text to be run: args_parse()
	 * refuses it */
	for (size_t i = 0; i < t->n_calls; i++)
		pieces_join(&t->calls[i].raw);
	return 0;
}

/* Nine letters and digits: Mistral accepts nothing else. */
static char *make_id(uint64_t *seed)
{
	static const char set[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				  "0123456789";
	uint64_t x = ++*seed;
	char *id = malloc(10);

	/* The finaliser of splitmix64: neighbours in, far apart out, never twice. */
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	x ^= x >> 31;
	for (int i = 0; id && i < 9; i++, x /= 62)
		id[i] = set[x % 62];
	if (id)
		id[9] = '\0';
	return id;
}

static bool id_usable(const struct turn *t, size_t nth)
{
	const char *id = t->calls[nth].id;

	if (!id || !*id)
		return false;
	for (size_t i = 0; i < nth; i++)
		if (strcmp(t->calls[i].id, id) == 0)
			return false;
	return true;
}

int turn_name_calls(struct turn *t, uint64_t *seed, struct err *e)
{
	for (size_t i = 0; i < t->n_calls; i++) {
		struct turn_call *c = &t->calls[i];

		if (!c->name)
			c->name = strdup("");
		if (!id_usable(t, i)) {
			free(c->id);
			c->id = make_id(seed);
		}
		if (!c->name || !c->id)
			return err_sys(e, -ENOMEM, "cannot keep a call");
	}
	return 0;
}

int turn_parse_args(struct turn *t, struct err *e)
{
	for (size_t i = 0; i < t->n_calls; i++) {
		struct turn_call *c = &t->calls[i];
		int r;

		json_free(&c->args);
		c->problem = ERR_NONE;
		r = args_parse(buf_cstr(&c->raw), c->raw.len, &c->args, &c->problem);
		if (r == -ENOMEM)
			return err_sys(e, r, "cannot read the arguments of a call");
	}
	return 0;
}

/* {"name": "shell", "arguments": …} alone in a text. */
static bool is_call_object(const char *text, size_t len, const char *const *tools)
{
	_cleanup_json_ struct json *j = NULL;
	const char *name;

	if (json_parse(text, len, &j, ERR_IGNORED) < 0 || json_type(j) != JSON_OBJECT)
		return false;
	name = json_get_str(j, "name");
	if (!name)
		name = json_get_str(json_get(j, "function"), "name");
	if (!name)
		name = json_get_str(j, "function");
	for (; name && *tools; tools++)
		if (strcmp(name, *tools) == 0)
			return true;
	return false;
}

bool turn_looks_like_call(const struct turn *t, const char *const *tools)
{
	static const char *const signs[] = { "<tool_call>",   "<function=",
					     "[TOOL_CALLS]",  "<|tool_call",
					     "<invoke name=", "<|python_tag|>" };
	const char *p = buf_cstr(&t->text);
	size_t len;

	p += strspn(p, " \t\r\n");
	for (size_t i = 0; i < ARRAY_SIZE(signs); i++)
		if (text_starts(p, signs[i]))
			return true;
	if (text_starts(p, "```")) {
		p += strcspn(p, "\n");
		p += strspn(p, " \t\r\n");
	}
	len = strlen(p);
	while (len && strchr(" \t\r\n`", p[len - 1]))
		len--;
	return len && *p == '{' && is_call_object(p, len, tools);
}
