#include "agent/wire/error.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

static void set_text(struct retry_cause *ret, const char *s, size_t len)
{
	while (len && strchr(" \t\r\n", *s)) {
		s++;
		len--;
	}
	while (len && strchr(" \t\r\n", s[len - 1]))
		len--;
	text_escaped(ret->text, sizeof(ret->text), s, len);
}

/* A code is a word, or a number as some gateways have it. */
static void set_code(struct retry_cause *ret, const struct json *j)
{
	const char *s = json_str(j);
	int64_t n;

	if (s && *s) {
		text_escaped(ret->code, sizeof(ret->code), s, strlen(s));
		return;
	}
	if (json_int(j, &n) == 0) {
		snprintf(ret->code, sizeof(ret->code), "%lld", (long long)n);
		if (!ret->status && n >= 400 && n < 600)
			ret->status = (int)n;
	}
}

static void read_details(const struct json *err, struct retry_cause *ret)
{
	const char *text = json_get_str(err, "message");

	if (!text)
		text = json_get_str(err, "msg");
	set_code(ret, json_get(err, "type"));
	/* A code says more than a type, unless it is only the status again. */
	if (json_str(json_get(err, "code")) || !*ret->code)
		set_code(ret, json_get(err, "code"));
	else {
		struct retry_cause number = { .status = ret->status };

		set_code(&number, json_get(err, "code"));
		ret->status = number.status;
	}
	ret->n_ctx = (uint64_t)MAX(json_get_int(err, "n_ctx", 0), 0);
	if (text)
		set_text(ret, text, strlen(text));
	if (!*ret->text)
		text_copy(ret->text, sizeof(ret->text),
			  *ret->code ? ret->code : "an error without words");
}

bool wire_error_read(const struct json *j, struct retry_cause *ret)
{
	const struct json *err = json_get(j, "error");
	const char *s;

	if (json_type(j) == JSON_ARRAY)
		return json_type(json_first(j)) == JSON_OBJECT &&
		       wire_error_read(json_first(j), ret);
	if (json_type(err) == JSON_OBJECT) {
		read_details(err, ret);
		return true;
	}
	s = json_str(err);
	if (s && *s) {
		set_text(ret, s, strlen(s));
		set_code(ret, json_get(j, "code"));
		return true;
	}
	if (json_is(j, "object", "error")) {
		read_details(j, ret);
		return true;
	}
	return false;
}

/* What a proxy's page calls itself. */
static bool html_title(const char *body, size_t len, struct retry_cause *ret)
{
	_cleanup_free_ char *copy = strndup(body, len);
	char *from = copy ? strcasestr(copy, "<title") : NULL, *to;

	if (!copy || (!strcasestr(copy, "<html") && !strcasestr(copy, "<!doctype")))
		return false;
	from = from ? strchr(from, '>') : NULL;
	to = from ? strcasestr(from, "</title") : NULL;
	if (to && to > from + 1)
		set_text(ret, from + 1, (size_t)(to - from - 1));
	else
		text_copy(ret->text, sizeof(ret->text), "a web page");
	return true;
}

void wire_error_body(const char *body, size_t len, struct retry_cause *ret)
{
	_cleanup_json_ struct json *j = NULL;

	if (json_parse(body, len, &j, ERR_IGNORED) == 0) {
		const char *detail = json_get_str(j, "detail");

		if (wire_error_read(j, ret))
			return;
		if (!detail)
			detail = json_get_str(j, "message");
		if (detail) {
			set_code(ret, json_get(j, "code"));
			set_text(ret, detail, strlen(detail));
			return;
		}
	}
	if (!html_title(body, len, ret))
		set_text(ret, body, len);
}
