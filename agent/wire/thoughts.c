#include "agent/wire/thoughts.h"

#include <string.h>

static const char *const field_names[] = { "reasoning_content", "reasoning" };
_Static_assert(ARRAY_SIZE(field_names) == THOUGHTS_FIELDS, "one name each");

enum { FROM_DETAILS = THOUGHTS_FIELDS, FROM_PARTS };

void thoughts_init(struct thoughts *th)
{
	*th = (struct thoughts){ .shown = -1 };
	for (int i = 0; i < THOUGHTS_FIELDS; i++)
		buf_init(&th->field[i], TURN_TEXT_MAX);
}

void thoughts_done(struct thoughts *th)
{
	for (int i = 0; i < THOUGHTS_FIELDS; i++)
		buf_done(&th->field[i]);
	json_free(&th->details);
	json_free(&th->detail);
}

static int show(struct thoughts *th, int from, const char *s, struct turn *t,
		const struct turn_sink *to)
{
	if (!s || !*s)
		return 0;
	if (th->shown < 0)
		th->shown = from;
	return th->shown == from ? turn_thoughts(t, to, s, strlen(s)) : 0;
}

/* A piece of a detail continues the last one when index and type are the same. */
static bool continues(const struct json *last, const struct json *piece)
{
	const char *a = json_get_str(last, "type"), *b = json_get_str(piece, "type");

	return last && a && b && strcmp(a, b) == 0 &&
	       json_get_int(last, "index", 0) == json_get_int(piece, "index", 0) &&
	       !json_get_str(last, "signature");
}

static int join_member(struct json *to, const char *key, const char *more)
{
	_cleanup_buf_ struct buf text = BUF_INIT(TURN_TEXT_MAX);
	const char *had = json_get_str(to, key);

	buf_adds(&text, had ? had : "");
	buf_adds(&text, more);
	if (buf_failed(&text) < 0)
		return buf_failed(&text);
	pieces_join(&text);
	return json_set_str(to, key, buf_cstr(&text));
}

static int flush(struct thoughts *th)
{
	return th->detail ? json_add(th->details, take(&th->detail, NULL)) : 0;
}

static int add_detail(struct thoughts *th, const struct json *piece)
{
	int r = 0;

	if (!continues(th->detail, piece)) {
		r = flush(th);
		if (r == 0 && !(th->detail = json_dup(piece)))
			r = -ENOMEM;
		return r;
	}
	json_each(m, piece)
	{
		const char *key = json_key(m), *s = json_str(m);
		bool join = strcmp(key, "text") == 0 || strcmp(key, "summary") == 0 ||
			    strcmp(key, "data") == 0;

		if (r < 0 || json_type(m) == JSON_NULL)
			continue;
		r = join && s ? join_member(th->detail, key, s)
			      : json_set(th->detail, key, json_dup(m));
	}
	return r;
}

int thoughts_take(struct thoughts *th, const struct json *delta, struct turn *t,
		  const struct turn_sink *to)
{
	const struct json *details = json_get(delta, "reasoning_details");
	int r = 0;

	for (int i = 0; i < THOUGHTS_FIELDS && r == 0; i++) {
		const char *s = json_get_str(delta, field_names[i]);

		if (!s)
			continue;
		th->has[i] = true;
		r = buf_adds(&th->field[i], s) ?: show(th, i, s, t, to);
	}
	if (json_type(details) != JSON_ARRAY)
		return r;
	if (!th->details && !(th->details = json_array()))
		return -ENOMEM;
	json_each(piece, details)
	{
		const char *s = json_get_str(piece, "text");

		if (r == 0)
			r = add_detail(th, piece);
		if (r == 0)
			r = show(th, FROM_DETAILS,
				 s ? s : json_get_str(piece, "summary"), t, to);
	}
	return r;
}

int thoughts_part(struct thoughts *th, const struct json *part, struct turn *t,
		  const struct turn_sink *to)
{
	int r = 0;

	json_each(think, json_get(part, "thinking"))
	{
		if (r == 0)
			r = show(th, FROM_PARTS, json_get_str(think, "text"), t, to);
	}
	return r;
}

int thoughts_put(struct thoughts *th, struct json *message)
{
	for (int i = 0; i < THOUGHTS_FIELDS; i++) {
		int r = th->has[i] ? pieces_whole(&th->field[i]) : 0;

		if (r < 0)
			return r;
		if (th->has[i])
			json_set_str(message, field_names[i], buf_cstr(&th->field[i]));
	}
	if (th->details) {
		flush(th);
		json_set(message, "reasoning_details", take(&th->details, NULL));
	}
	return json_failed(message);
}
