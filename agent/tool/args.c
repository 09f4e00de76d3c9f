/* The arguments of a call, as models write them: numbers and booleans may be strings. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/tool/impl.h"

static bool string_number(const struct json *v, double *ret)
{
	const char *s = json_str(v);
	char *end;

	if (!s || !*s)
		return false;
	*ret = strtod(s, &end);
	return *end == '\0' && isfinite(*ret);
}

double tool_args_number(const struct json *args, const char *key, double none)
{
	const struct json *v = json_get(args, key);
	double d;

	return string_number(v, &d) ? d : json_num(v, none);
}

bool tool_args_flag(const struct json *args, const char *key, bool none)
{
	const struct json *v = json_get(args, key);
	const char *s = json_str(v);

	if (s && (strcmp(s, "true") == 0 || strcmp(s, "false") == 0))
		return s[0] == 't';
	return json_type(v) == JSON_BOOL ? json_true(v) : none;
}

/* ---- what models write ---- */

/* A list that stands in a string. */
static struct json *list_of(const struct json *v)
{
	_cleanup_json_ struct json *j = NULL;
	const char *s = json_str(v);

	if (!s || json_parse(s, strlen(s), &j, ERR_IGNORED) < 0 ||
	    json_type(j) != JSON_ARRAY)
		return NULL;
	return take(&j, NULL);
}

/* The members of an element that stand where the list belongs: a list of one. */
static int gather(const struct json *list, struct json *args)
{
	_cleanup_json_ struct json *element = json_object(), *v = json_array();
	const struct json *items = json_get(list, "items");

	json_each(name, json_get(items, "required"))
	{
		if (!json_get(args, json_str(name)))
			return 0;
	}
	json_each(p, json_get(items, "properties"))
	{
		struct json *member = json_remove(args, json_key(p));

		if (member)
			json_set(element, json_key(p), member);
	}
	json_add(v, take(&element, NULL));
	return json_set(args, json_key(list), take(&v, NULL));
}

int tool_args_mend(const struct json *schema, const struct json *args,
		   struct json **ret)
{
	_cleanup_json_ struct json *j =
		json_type(args) == JSON_NULL ? json_object() : json_dup(args);
	int r = json_failed(j);

	json_each(p, json_get(schema, "properties"))
	{
		const struct json *v = json_get(j, json_key(p));
		const char *type = json_get_str(p, "type");
		struct json *list;

		if (r < 0 || json_type(j) != JSON_OBJECT || !type ||
		    strcmp(type, "array") != 0)
			continue;
		list = list_of(v);
		if (list)
			r = json_set(j, json_key(p), list);
		else if (!v)
			r = gather(p, j);
	}
	if (r < 0)
		return r;
	*ret = take(&j, NULL);
	return 0;
}

/* ---- do they fit? ---- */

/* Numbers and booleans may stand in strings (models do that). */
static bool fits(const struct json *v, const char *type)
{
	const char *s = json_str(v);
	double d;
	int64_t n;

	if (strcmp(type, "string") == 0)
		return s != NULL;
	if (strcmp(type, "array") == 0)
		return json_type(v) == JSON_ARRAY;
	if (strcmp(type, "object") == 0)
		return json_type(v) == JSON_OBJECT;
	if (strcmp(type, "boolean") == 0)
		return json_type(v) == JSON_BOOL ||
		       (s && (strcmp(s, "true") == 0 || strcmp(s, "false") == 0));
	if (strcmp(type, "integer") == 0 && json_type(v) == JSON_NUMBER)
		return json_int(v, &n) == 0;
	return json_type(v) == JSON_NUMBER || string_number(v, &d);
}

static bool unfit(char why[TOOL_ARGS_WHY], const char *where, const char *fmt, ...)
	_printf_(3, 4);
static bool unfit(char why[TOOL_ARGS_WHY], const char *where, const char *fmt, ...)
{
	int n = snprintf(why, TOOL_ARGS_WHY, "%s", where);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why + n, (size_t)(TOOL_ARGS_WHY - n), fmt, ap);
	va_end(ap);
	return false;
}

static bool members_fit(const struct json *schema, const struct json *v,
			const char *where, char why[TOOL_ARGS_WHY]);

static bool value_fits(const struct json *p, const struct json *v, const char *where,
		       char why[TOOL_ARGS_WHY])
{
	const char *key = json_key(p), *type = json_get_str(p, "type");
	const struct json *items = json_get(p, "items");
	double d;
	size_t n = 0;

	if (type && !fits(v, type))
		return unfit(why, where, "the argument '%s' is not %s %s", key,
			     strchr("aio", *type) ? "an" : "a", type);
	if (type && strchr("ni", *type)) {
		d = string_number(v, &d) ? d : json_num(v, 0);
		if (d < 0)
			return unfit(why, where, "the argument '%s' is negative", key);
	}
	json_each(it, items ? v : NULL)
	{
		char in[100];

		n++;
		snprintf(in, sizeof(in), "%.60s %zu: ", key, n);
		if (json_get(items, "properties") && json_type(it) != JSON_OBJECT)
			return unfit(why, in, "not an object");
		if (!members_fit(items, it, in, why))
			return false;
	}
	return true;
}

/* A name that no property has; the names that there are. */
static bool name_unknown(const struct json *properties, const char *name,
			 const char *where, char why[TOOL_ARGS_WHY])
{
	size_t n;

	unfit(why, where, "there is no argument '%.40s'; there are", name);
	json_each(p, properties)
	{
		n = strlen(why);
		snprintf(why + n, TOOL_ARGS_WHY - n, " %s", json_key(p));
	}
	return false;
}

static bool members_fit(const struct json *schema, const struct json *v,
			const char *where, char why[TOOL_ARGS_WHY])
{
	const struct json *properties = json_get(schema, "properties");

	json_each(it, v)
	{
		if (properties && json_key(it) && !json_get(properties, json_key(it)))
			return name_unknown(properties, json_key(it), where, why);
	}
	json_each(name, json_get(schema, "required"))
	{
		if (json_type(json_get(v, json_str(name))) == JSON_NULL)
			return unfit(why, where, "the argument '%s' is missing",
				     json_str(name));
	}
	json_each(p, properties)
	{
		const struct json *m = json_get(v, json_key(p));

		if (json_type(m) != JSON_NULL && !value_fits(p, m, where, why))
			return false;
	}
	return true;
}

bool tool_args_fit(const struct json *schema, const struct json *args,
		   char why[TOOL_ARGS_WHY])
{
	if (json_type(args) != JSON_OBJECT)
		return unfit(why, "", "the arguments are not an object");
	return members_fit(schema, args, "", why);
}
