#include "base/schema.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum { DEPTH_MAX = 64, STEPS_MAX = 200000, PATH_MAX_SHOWN = 160 };

/* ---- is it a schema that is understood? ---- */

/* What the value of a keyword has to be. */
enum kind { ANY, WORDS, NUMBER, COUNT, FLAG, LIST, NAMES, ONE, SOME, MANY };

static const struct keyword {
	const char *name;
	enum kind kind;
} keywords[] = {
	{ "type", WORDS },
	{ "enum", LIST },
	{ "const", ANY },
	{ "properties", MANY },
	{ "required", NAMES },
	{ "additionalProperties", ONE },
	{ "minProperties", COUNT },
	{ "maxProperties", COUNT },
	{ "items", ONE },
	{ "minItems", COUNT },
	{ "maxItems", COUNT },
	{ "uniqueItems", FLAG },
	{ "minimum", NUMBER },
	{ "maximum", NUMBER },
	{ "exclusiveMinimum", NUMBER },
	{ "exclusiveMaximum", NUMBER },
	{ "minLength", COUNT },
	{ "maxLength", COUNT },
	{ "anyOf", SOME },
	{ "oneOf", SOME },
	{ "allOf", SOME },
	{ "not", ONE },
	{ "$ref", ANY },
	{ "$defs", MANY },
	{ "definitions", MANY },
	/* which say something to people */
	{ "$schema", ANY },
	{ "$id", ANY },
	{ "$comment", ANY },
	{ "title", ANY },
	{ "description", ANY },
	{ "default", ANY },
	{ "examples", ANY },
	{ "format", ANY },
	{ "deprecated", ANY },
	{ "readOnly", ANY },
	{ "writeOnly", ANY },
};

static const char *const types[] = { "null",   "boolean", "object", "array",
				     "number", "string",  "integer" };

static bool is_type(const char *s)
{
	for (size_t i = 0; s && i < ARRAY_SIZE(types); i++)
		if (strcmp(types[i], s) == 0)
			return true;
	return false;
}

static bool all_words(const struct json *list, bool (*good)(const char *))
{
	if (json_type(list) != JSON_ARRAY)
		return false;
	json_each(it, list)
	{
		if (!json_str(it) || (good && !good(json_str(it))))
			return false;
	}
	return true;
}

static bool has_kind(enum kind k, const struct json *v)
{
	int64_t n;

	switch (k) {
	case WORDS:
		return is_type(json_str(v)) || (json_len(v) && all_words(v, is_type));
	case NUMBER:
		return json_type(v) == JSON_NUMBER;
	case COUNT:
		return json_int(v, &n) == 0 && n >= 0;
	case FLAG:
		return json_type(v) == JSON_BOOL;
	case NAMES:
		return all_words(v, NULL);
	case LIST:
	case SOME:
		return json_type(v) == JSON_ARRAY && json_len(v);
	case MANY:
		return json_type(v) == JSON_OBJECT;
	case ONE:
	case ANY:
		break;
	}
	return true;
}

const struct json *schema_referred(const struct json *root, const char *ref)
{
	static const char *const places[] = { "$defs", "definitions" };

	if (ref && strcmp(ref, "#") == 0)
		return root;
	for (size_t i = 0; ref && i < ARRAY_SIZE(places); i++) {
		size_t n = strlen(places[i]);

		if (strncmp(ref, "#/", 2) == 0 && strncmp(ref + 2, places[i], n) == 0 &&
		    ref[2 + n] == '/')
			return json_get(json_get(root, places[i]), ref + 3 + n);
	}
	return NULL;
}

struct checking {
	const struct json *root;
	struct err *e;
	bool others;	/* it is for others, who may know more keywords */
	unsigned steps; /* along references */
};

static int check(struct checking *c, const struct json *s, unsigned depth);

static const struct keyword *find_keyword(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(keywords); i++)
		if (strcmp(keywords[i].name, name) == 0)
			return &keywords[i];
	return NULL;
}

/* Does what has to fit the same value as @s lead back to it? */
/* NOLINTNEXTLINE(misc-no-recursion) bounded by DEPTH_MAX */
static bool circles(struct checking *c, const struct json *s, unsigned depth)
{
	static const char *const ways[] = { "allOf", "anyOf", "oneOf" };
	const struct json *no = json_get(s, "not"), *ref = json_get(s, "$ref");
	bool found = depth > DEPTH_MAX || ++c->steps > STEPS_MAX;

	found = found ||
		(ref && circles(c, schema_referred(c->root, json_str(ref)), depth + 1));
	found = found || (no && circles(c, no, depth + 1));
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++)
		json_each(it, json_get(s, ways[i]))
		{
			found = found || circles(c, it, depth + 1);
		}
	return found;
}

/* NOLINTNEXTLINE(misc-no-recursion) bounded by DEPTH_MAX */
static int check_keyword(struct checking *c, const struct json *v, unsigned depth)
{
	const struct keyword *k = find_keyword(json_key(v));
	int r = 0;

	if (!k)
		return c->others ? 0
				 : err_set(c->e, -EINVAL, "'%s' is not supported",
					   text_shown(json_key(v)));
	if (!has_kind(k->kind, v))
		return err_set(c->e, -EINVAL, "'%s' has a bad value",
			       text_shown(json_key(v)));
	if (strcmp(k->name, "$ref") == 0 && !schema_referred(c->root, json_str(v)))
		return err_set(c->e, -EINVAL,
			       "'$ref' must name something in '$defs' of this schema");
	if (c->others && strcmp(k->name, "$ref") == 0 &&
	    circles(c, schema_referred(c->root, json_str(v)), 0))
		return err_set(c->e, -EINVAL, "'$ref' leads round in a circle");
	if (k->kind == ONE)
		return check(c, v, depth + 1);
	json_each(it, k->kind == SOME || k->kind == MANY ? v : NULL)
	{
		if (r == 0)
			r = check(c, it, depth + 1);
	}
	return r;
}

/* NOLINTNEXTLINE(misc-no-recursion) bounded by DEPTH_MAX */
static int check(struct checking *c, const struct json *s, unsigned depth)
{
	int r = 0;

	if (depth > DEPTH_MAX)
		return err_set(c->e, -EINVAL, "it is nested too deep");
	if (json_type(s) == JSON_BOOL)
		return 0;
	if (json_type(s) != JSON_OBJECT)
		return err_set(c->e, -EINVAL, "a schema is an object, true or false");
	json_each(it, s)
	{
		if (r == 0)
			r = check_keyword(c, it, depth);
	}
	return r;
}

int schema_check(const struct json *schema, struct err *e)
{
	return check(&(struct checking){ .root = schema, .e = e }, schema, 0);
}

int schema_sound(const struct json *schema, struct err *e)
{
	return check(&(struct checking){ .root = schema, .e = e, .others = true },
		     schema, 0);
}

/* ---- does a value fit? ---- */

struct fitting {
	const struct json *root;
	char *why;		   /* NULL = nobody asks */
	char path[PATH_MAX_SHOWN]; /* where the value stands */
	unsigned steps;
};

static bool unfit(struct fitting *f, const char *fmt, ...) _printf_(2, 3);
static bool unfit(struct fitting *f, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (!f->why)
		return false;
	n = snprintf(f->why, SCHEMA_WHY, "%s%s", f->path, *f->path ? ": " : "");
	va_start(ap, fmt);
	vsnprintf(f->why + n, (size_t)(SCHEMA_WHY - n), fmt, ap);
	va_end(ap);
	return false;
}

static bool same(const struct json *a, const struct json *b)
{
	_cleanup_buf_ struct buf x = BUF_INIT(1 << 20), y = BUF_INIT(1 << 20);

	if (json_type(a) != json_type(b) || json_len(a) != json_len(b))
		return false;
	if (json_type(a) == JSON_NUMBER)
		return json_num(a, 0) == json_num(b, 0);
	return json_print(a, false, &x) == 0 && json_print(b, false, &y) == 0 &&
	       x.len == y.len && memcmp(buf_cstr(&x), buf_cstr(&y), x.len) == 0;
}

static bool has_type(const struct json *v, const char *type)
{
	static const char *const names[] = {
		[JSON_NULL] = "null",	  [JSON_BOOL] = "boolean",
		[JSON_NUMBER] = "number", [JSON_STRING] = "string",
		[JSON_ARRAY] = "array",	  [JSON_OBJECT] = "object",
	};
	double d = json_num(v, 0.5);

	if (strcmp(type, "integer") == 0)
		return json_type(v) == JSON_NUMBER && floor(d) == d;
	return strcmp(names[json_type(v)], type) == 0;
}

static bool type_fits(struct fitting *f, const struct json *type, const struct json *v)
{
	bool good = !type || (json_str(type) && has_type(v, json_str(type)));

	json_each(it, json_str(type) ? NULL : type)
	{
		good |= has_type(v, json_str(it));
	}
	if (good)
		return true;
	return json_str(type) ? unfit(f, "it is not of type %s", json_str(type))
			      : unfit(f, "it is of none of the types");
}

static bool choice_fits(struct fitting *f, const struct json *s, const struct json *v)
{
	const struct json *list = json_get(s, "enum"), *one = json_get(s, "const");
	bool good = !list;

	json_each(it, list)
	{
		good = good || same(it, v);
	}
	if (!good)
		return unfit(f, "it is none of the values of 'enum'");
	return !one || same(one, v) || unfit(f, "it is not the value of 'const'");
}

static bool number_fits(struct fitting *f, const struct json *s, const struct json *v)
{
	double d = json_num(v, 0);

	if (json_type(v) != JSON_NUMBER)
		return true;
	if (d < json_num(json_get(s, "minimum"), -INFINITY) ||
	    d <= json_num(json_get(s, "exclusiveMinimum"), -INFINITY))
		return unfit(f, "%g is too small", d);
	if (d > json_num(json_get(s, "maximum"), INFINITY) ||
	    d >= json_num(json_get(s, "exclusiveMaximum"), INFINITY))
		return unfit(f, "%g is too large", d);
	return true;
}

/* Between the two counts of the schema? */
static bool count_fits(struct fitting *f, const struct json *s, const char *const of[2],
		       size_t n)
{
	int64_t least = json_get_int(s, of[0], 0);
	int64_t most = json_get_int(s, of[1], INT64_MAX);

	if ((int64_t)n < least)
		return unfit(f, "%zu is less than '%s'", n, of[0]);
	return (int64_t)n <= most || unfit(f, "%zu is more than '%s'", n, of[1]);
}

static size_t characters(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

static bool counts_fit(struct fitting *f, const struct json *s, const struct json *v)
{
	static const char *const lengths[] = { "minLength", "maxLength" },
				 *const items[] = { "minItems", "maxItems" },
				 *const members[] = { "minProperties",
						      "maxProperties" };

	switch (json_type(v)) {
	case JSON_STRING:
		return count_fits(f, s, lengths, characters(json_str(v)));
	case JSON_ARRAY:
		return count_fits(f, s, items, json_len(v));
	case JSON_OBJECT:
		return count_fits(f, s, members, json_len(v));
	case JSON_NULL:
	case JSON_BOOL:
	case JSON_NUMBER:
		break;
	}
	return true;
}

static bool fits(struct fitting *f, const struct json *s, const struct json *v,
		 unsigned depth);

/* A step down to a member or an element, and back. */
/* NOLINTNEXTLINE(misc-no-recursion) bounded by DEPTH_MAX */
static bool part_fits(struct fitting *f, const struct json *s, const struct json *v,
		      const char *name, unsigned depth)
{
	size_t len = strlen(f->path);
	bool good;

	if (f->why)
		snprintf(f->path + len, sizeof(f->path) - len, "/%s", text_shown(name));
	good = fits(f, s, v, depth + 1);
	f->path[len] = '\0';
	return good;
}

/* NOLINTNEXTLINE(misc-no-recursion) bounded by DEPTH_MAX */
static bool members_fit(struct fitting *f, const struct json *s, const struct json *v,
			unsigned depth)
{
	const struct json *properties = json_get(s, "properties");
	const struct json *others = json_get(s, "additionalProperties");

	json_each(it, json_get(s, "required"))
	{
		if (!json_get(v, json_str(it)))
			return unfit(f, "'%.60s' is missing", json_str(it));
	}
	json_each(it, v)
	{
		const struct json *own = json_get(properties, json_key(it));

		if (!own && json_type(others) == JSON_BOOL && !json_true(others))
			return unfit(f, "'%s' does not belong there",
				     text_shown(json_key(it)));
		own = own ?: others;
		if (own && !part_fits(f, own, it, json_key(it), depth))
			return false;
	}
	return true;
}

/* NOLINTNEXTLINE(misc-no-recursion) bounded by DEPTH_MAX */
static bool items_fit(struct fitting *f, const struct json *s, const struct json *v,
		      unsigned depth)
{
	const struct json *items = json_get(s, "items");
	bool unique = json_get_bool(s, "uniqueItems", false);
	size_t n = 0;

	json_each(it, items || unique ? v : NULL)
	{
		char name[24];

		snprintf(name, sizeof(name), "%zu", n++);
		if (items && !part_fits(f, items, it, name, depth))
			return false;
		for (const struct json *b = unique ? json_next(it) : NULL; b;
		     b = json_next(b))
			if (++f->steps > STEPS_MAX || same(it, b))
				return unfit(f, "two elements are the same");
	}
	return true;
}

/* How many of the alternatives fit; why each does not is of no interest. */
/* NOLINTNEXTLINE(misc-no-recursion) bounded by DEPTH_MAX */
static size_t alternatives(struct fitting *f, const struct json *list,
			   const struct json *v, unsigned depth)
{
	char *why = f->why;
	size_t n = 0;

	f->why = NULL;
	json_each(it, list)
	{
		n += fits(f, it, v, depth + 1);
	}
	f->why = why;
	return n;
}

/* NOLINTNEXTLINE(misc-no-recursion) bounded by DEPTH_MAX */
static bool ways_fit(struct fitting *f, const struct json *s, const struct json *v,
		     unsigned depth)
{
	const struct json *any = json_get(s, "anyOf"), *one = json_get(s, "oneOf");
	const struct json *no = json_get(s, "not"), *ref = json_get(s, "$ref");
	char *why = f->why;
	bool is;

	if (ref && !fits(f, schema_referred(f->root, json_str(ref)), v, depth + 1))
		return false;
	json_each(it, json_get(s, "allOf"))
	{
		if (!fits(f, it, v, depth + 1))
			return false;
	}
	if (any && !alternatives(f, any, v, depth))
		return unfit(f, "it fits none of 'anyOf'");
	if (one && alternatives(f, one, v, depth) != 1)
		return unfit(f, "it does not fit exactly one of 'oneOf'");
	if (!no)
		return true;
	f->why = NULL;
	is = fits(f, no, v, depth + 1);
	f->why = why;
	return !is || unfit(f, "it fits what 'not' says");
}

/* NOLINTNEXTLINE(misc-no-recursion) bounded by DEPTH_MAX */
static bool fits(struct fitting *f, const struct json *s, const struct json *v,
		 unsigned depth)
{
	if (depth > DEPTH_MAX || ++f->steps > STEPS_MAX)
		return unfit(f, "it is too large for this schema");
	if (json_type(s) == JSON_BOOL)
		return json_true(s) || unfit(f, "nothing may be there");
	return type_fits(f, json_get(s, "type"), v) && choice_fits(f, s, v) &&
	       number_fits(f, s, v) && counts_fit(f, s, v) &&
	       (json_type(v) != JSON_OBJECT || members_fit(f, s, v, depth)) &&
	       (json_type(v) != JSON_ARRAY || items_fit(f, s, v, depth)) &&
	       ways_fit(f, s, v, depth);
}

bool schema_fits(const struct json *schema, const struct json *value,
		 char why[SCHEMA_WHY])
{
	struct fitting f = { .root = schema, .why = why };
	bool good = fits(&f, schema, value, 0);

	/* "not" turns the end of the steps into a yes */
	return good &&
	       (f.steps <= STEPS_MAX || unfit(&f, "it is too large for this schema"));
}
