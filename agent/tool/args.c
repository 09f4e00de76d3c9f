/* The arguments of a call, as models write them: numbers and booleans may be strings. */
#include <math.h>
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

bool tool_args_is_name(const char *name)
{
	static const char set[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "0123456789_-";

	return *name && strlen(name) < TOOL_SESSION_NAME &&
	       strspn(name, set) == strlen(name);
}

/* Does the value fit? Numbers and booleans may stand in strings (models do that). */
static bool fits(const struct json *v, const char *type)
{
	const char *s = json_str(v);
	double d;
	int64_t n;

	if (strcmp(type, "string") == 0)
		return s != NULL;
	if (strcmp(type, "boolean") == 0)
		return json_type(v) == JSON_BOOL ||
		       (s && (strcmp(s, "true") == 0 || strcmp(s, "false") == 0));
	if (strcmp(type, "integer") == 0 && json_type(v) == JSON_NUMBER)
		return json_int(v, &n) == 0;
	return json_type(v) == JSON_NUMBER || string_number(v, &d);
}

const char *tool_args_check(const struct json *schema, const struct json *args,
			    char *why, size_t size)
{
	if (json_type(args) != JSON_OBJECT)
		return "the arguments are not an object";
	json_each(name, json_get(schema, "required"))
	{
		if (json_type(json_get(args, json_str(name))) == JSON_NULL) {
			snprintf(why, size, "the argument '%s' is missing",
				 json_str(name));
			return why;
		}
	}
	json_each(p, json_get(schema, "properties"))
	{
		const struct json *v = json_get(args, json_key(p));
		const char *type = json_get_str(p, "type");

		if (json_type(v) != JSON_NULL && !fits(v, type)) {
			snprintf(why, size, "the argument '%s' is not a %s",
				 json_key(p), type);
			return why;
		}
	}
	return NULL;
}
