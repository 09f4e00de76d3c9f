#include "agent/task/form.h"

#include "tests/unit/unit.h"

static const struct row {
	const char *name, *text, *want, *why; /* want or why */
} rows[] = {
	{ "JSON", "{\"a\": 1}", "{\"a\":1}", NULL },
	{ "with blanks around it", "\n {\"a\": 1}\n\n", "{\"a\":1}", NULL },
	{ "in a block", "```json\n{\"a\": 1}\n```", "{\"a\":1}", NULL },
	{ "in a block without a name", "```\n{\"a\":1}\n```\n", "{\"a\":1}", NULL },
	{ "words", "It is 1.", NULL, "it is no JSON: bad JSON at byte 0" },
	{ "words before it", "Here: {\"a\":1}", NULL,
	  "it is no JSON: bad JSON at byte 0" },
	{ "nothing", "", NULL, "it is no JSON: bad JSON at byte 0" },
	{ "a fence alone", "```\n```", NULL, "it is no JSON: bad JSON at byte 0" },
	{ "a fence without an end", "```", NULL, "it is no JSON: bad JSON at byte 0" },
	{ "another form", "{\"a\":\"x\"}", NULL, "/a: it is not of type number" },
};

static void test_row(const void *p)
{
	static const char text[] =
		"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"number\"}}}";
	const struct row *row = p;
	_cleanup_json_ struct json *schema = unit_json(text);
	_cleanup_buf_ struct buf got = BUF_INIT(1000);
	char why[SCHEMA_WHY];

	assert_int_equal(form_answer(schema, row->text, &got, why), row->want != NULL);
	if (row->want)
		assert_string_equal(buf_cstr(&got), row->want);
	else
		assert_string_equal(why, row->why);
}

int main(void)
{
	return unit_rows("form_answer", rows, test_row);
}
