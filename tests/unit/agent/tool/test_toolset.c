#include "agent/tool/toolset.h"

#include "base/embed.h"
#include "tests/unit/unit.h"

EMBED(words, "agent/tool/tools.json");

enum { WORDS_MAX = 3500 }; /* they go out with every request */

static void plain(const struct json *schema, const char *where)
{
	assert_string_equal(json_get_str(schema, "type"), "object");
	assert_true(!json_get(schema, "required") ||
		    json_type(json_get(schema, "required")) == JSON_ARRAY);
	json_each(p, json_get(schema, "properties"))
	{
		const char *type = json_get_str(p, "type");

		if (strcmp(type, "array") == 0) {
			plain(json_get(p, "items"), where);
			assert_int_equal(json_len(p), 3);
			continue;
		}
		assert_non_null(strstr("string number integer boolean", type));
		/* what has the name of another's argument is the same */
		assert_int_equal(json_len(p), json_get_str(p, "description") ? 2 : 1);
	}
}

/* Plain types only: servers translate no others. */
static void schemas_are_plain(void)
{
	_cleanup_toolset_ struct toolset s = { 0 };
	struct err e = ERR_NONE;

	unit_ok(toolset_load(&s, &e), &e);
	assert_true(s.n >= 7);
	for (size_t i = 0; i < s.n; i++) {
		const struct tool *t = &s.v[i];
		_cleanup_json_ struct json *schema = NULL;

		unit_ok(json_parse(t->schema, strlen(t->schema), &schema, &e), &e);
		plain(schema, t->name);
		assert_non_null(t->description);
		assert_ptr_equal(toolset_find(&s, t->name), t);
	}
	assert_null(toolset_find(&s, "nosuch"));
	assert_null(toolset_find(&s, NULL));
}

static void words_are_few(void)
{
	assert_true(strlen(words) <= WORDS_MAX);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "schemas are plain", schemas_are_plain },
		{ "words are few", words_are_few },
	};

	return unit_cases("toolset", cases);
}
