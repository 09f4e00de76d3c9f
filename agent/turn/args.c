#include "agent/turn/args.h"

#include <string.h>

static const char *const type_names[] = {
	[JSON_NULL] = "null",	    [JSON_BOOL] = "a boolean",
	[JSON_NUMBER] = "a number", [JSON_STRING] = "a string",
	[JSON_ARRAY] = "an array",  [JSON_OBJECT] = "an object",
};

static bool blank(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!strchr(" \t\r\n", text[i]) || text[i] == '\0')
			return false;
	return true;
}

/* The same text with control characters inside strings escaped: some models write a
 * file's content with its newlines as they are. */
static int escape_controls(const char *text, size_t len, struct buf *out)
{
	bool in_string = false;
	int r = 0;

	for (size_t i = 0; i < len && r == 0; i++) {
		unsigned char c = (unsigned char)text[i];

		if (in_string && c == '\\' && i + 1 < len) {
			r = buf_add(out, text + i++, 2);
			continue;
		}
		if (c == '"')
			in_string = !in_string;
		if (in_string && c < 0x20 && c != '\0')
			r = buf_addf(out, "\\u%04x", c);
		else
			r = buf_addc(out, (char)c);
	}
	return r;
}

static int parse_lax(const char *text, size_t len, struct json **ret, struct err *e)
{
	_cleanup_buf_ struct buf fixed = BUF_INIT(6 * (size_t)ARGS_MAX + 1);
	struct err second;
	int r = json_parse(text, len, ret, e);

	if (r == 0 || r == -ENOMEM)
		return r;
	if (escape_controls(text, len, &fixed) < 0 || fixed.len == len)
		return r;
	return json_parse(fixed.data, fixed.len, ret, &second) == 0 ? 0 : r;
}

int args_parse(const char *text, size_t len, struct json **ret, struct err *e)
{
	_cleanup_json_ struct json *j = NULL, *inner = NULL;
	int r;

	if (len > ARGS_MAX)
		return err_set(e, -EINVAL, "arguments of %zu bytes; the limit is %d",
			       len, ARGS_MAX);
	if (blank(text, len)) {
		j = json_object();
	} else {
		r = parse_lax(text, len, &j, e);
		if (r < 0)
			return r;
	}
	if (json_type(j) == JSON_STRING) {
		const char *s = json_str(j);

		if (parse_lax(s, strlen(s), &inner, e) < 0 ||
		    json_type(inner) != JSON_OBJECT)
			return err_set(e, -EINVAL,
				       "the arguments are a string, not an object");
		json_free(&j);
		j = take(&inner, NULL);
	}
	if (!j)
		return err_sys(e, -ENOMEM, "cannot read the arguments");
	if (json_type(j) != JSON_OBJECT)
		return err_set(e, -EINVAL, "the arguments are %s, not an object",
			       type_names[json_type(j)]);
	*ret = take(&j, NULL);
	return 0;
}
