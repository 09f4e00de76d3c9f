#include "base/schema.h"

#include "tests/unit/unit.h"

static const struct row {
	const char *name, *schema, *value, *why; /* NULL = it fits */
} rows[] = {
	{ "true takes all", "true", "[1]", NULL },
	{ "false takes nothing", "false", "1", "nothing may be there" },
	{ "a type", "{\"type\":\"string\"}", "\"a\"", NULL },
	{ "another type", "{\"type\":\"string\"}", "1", "it is not of type string" },
	{ "null", "{\"type\":\"null\"}", "null", NULL },
	{ "a whole number", "{\"type\":\"integer\"}", "2.0", NULL },
	{ "no whole number", "{\"type\":\"integer\"}", "2.5",
	  "it is not of type integer" },
	{ "one of types", "{\"type\":[\"null\",\"array\"]}", "[]", NULL },
	{ "none of types", "{\"type\":[\"null\",\"array\"]}", "{}",
	  "it is of none of the types" },
	{ "a value of enum", "{\"enum\":[1,{\"a\":[2]}]}", "{\"a\":[2]}", NULL },
	{ "none of enum", "{\"enum\":[1,\"a\"]}", "\"1\"",
	  "it is none of the values of 'enum'" },
	{ "const", "{\"const\":\"a\"}", "\"a\"", NULL },
	{ "not const", "{\"const\":null}", "0", "it is not the value of 'const'" },
	{ "required", "{\"required\":[\"a\"]}", "{\"b\":1}", "'a' is missing" },
	{ "required is not of arrays", "{\"required\":[\"a\"]}", "[]", NULL },
	{ "required and null", "{\"required\":[\"a\"]}", "{\"a\":null}", NULL },
	{ "a member", "{\"properties\":{\"a\":{\"type\":\"number\"}}}", "{\"a\":\"x\"}",
	  "/a: it is not of type number" },
	{ "no other member",
	  "{\"properties\":{\"a\":true},\"additionalProperties\":false}",
	  "{\"a\":1,\"b\":2}", "'b' does not belong there" },
	{ "others of a kind", "{\"additionalProperties\":{\"type\":\"number\"}}",
	  "{\"b\":true}", "/b: it is not of type number" },
	{ "elements", "{\"items\":{\"properties\":{\"n\":{\"type\":\"string\"}}}}",
	  "[{\"n\":\"a\"},{\"n\":2}]", "/1/n: it is not of type string" },
	{ "too few", "{\"minItems\":2}", "[1]", "1 is less than 'minItems'" },
	{ "too many", "{\"maxItems\":1}", "[1,2]", "2 is more than 'maxItems'" },
	{ "few members", "{\"minProperties\":1}", "{}",
	  "0 is less than 'minProperties'" },
	{ "twice the same", "{\"uniqueItems\":true}", "[{\"a\":1},2,{\"a\":1}]",
	  "two elements are the same" },
	{ "different", "{\"uniqueItems\":true}", "[1,\"1\",[1]]", NULL },
	{ "small", "{\"minimum\":1}", "0.5", "0.5 is too small" },
	{ "the least", "{\"minimum\":1,\"maximum\":1}", "1", NULL },
	{ "not more", "{\"exclusiveMinimum\":1}", "1", "1 is too small" },
	{ "large", "{\"exclusiveMaximum\":1}", "1", "1 is too large" },
	{ "characters, not bytes", "{\"maxLength\":2}", "\"\xc3\xa9\xe2\x82\xac\"",
	  NULL },
	{ "a short text", "{\"minLength\":3}", "\"ab\"", "2 is less than 'minLength'" },
	{ "any of", "{\"anyOf\":[{\"type\":\"null\"},{\"minimum\":3}]}", "5", NULL },
	{ "none of any", "{\"anyOf\":[{\"type\":\"null\"},{\"minimum\":3}]}", "1",
	  "it fits none of 'anyOf'" },
	{ "two of one", "{\"oneOf\":[{\"minimum\":1},{\"minimum\":2}]}", "3",
	  "it does not fit exactly one of 'oneOf'" },
	{ "one of one", "{\"oneOf\":[{\"minimum\":1},{\"minimum\":2}]}", "1", NULL },
	{ "all of", "{\"allOf\":[{\"minimum\":1},{\"maximum\":2}]}", "3",
	  "3 is too large" },
	{ "not", "{\"not\":{\"type\":\"null\"}}", "null", "it fits what 'not' says" },
	{ "not not", "{\"not\":{\"type\":\"null\"}}", "1", NULL },
	{ "a reference",
	  "{\"$ref\":\"#/$defs/n\",\"$defs\":{\"n\":{\"type\":\"null\"}}}", "1",
	  "it is not of type null" },
	{ "a tree",
	  "{\"properties\":{\"l\":{\"$ref\":\"#\"},\"v\":{\"type\":\"number\"}}}",
	  "{\"l\":{\"l\":{\"v\":\"x\"}}}", "/l/l/v: it is not of type number" },
	{ "a reference to itself",
	  "{\"$ref\":\"#/$defs/n\",\"$defs\":{\"n\":{\"$ref\":\"#/$defs/n\"}}}", "1",
	  "it is too large for this schema" },
	{ "names are escaped", "{\"additionalProperties\":false}",
	  "{\"\\u001b[31m\":1}", "'\\x1b[31m' does not belong there" },
};

static void test_row(const void *p)
{
	const struct row *row = p;
	_cleanup_json_ struct json *schema = unit_json(row->schema),
				   *value = unit_json(row->value);
	struct err e = ERR_NONE;
	char why[SCHEMA_WHY];

	unit_ok(schema_check(schema, &e), &e);
	assert_int_equal(schema_fits(schema, value, why), row->why == NULL);
	if (row->why)
		assert_string_equal(why, row->why);
}

static const struct bad {
	const char *name, *schema, *why;
} bad[] = {
	{ "a text", "\"a\"", "a schema is an object, true or false" },
	{ "a keyword that is not there", "{\"items\":{\"pattern\":\"a\"}}",
	  "'pattern' is not supported" },
	{ "no type", "{\"type\":\"text\"}", "'type' has a bad value" },
	{ "no list of types", "{\"type\":[]}", "'type' has a bad value" },
	{ "a negative count", "{\"minItems\":-1}", "'minItems' has a bad value" },
	{ "required that is no list", "{\"required\":true}",
	  "'required' has a bad value" },
	{ "an empty choice", "{\"enum\":[]}", "'enum' has a bad value" },
	{ "a reference out of it", "{\"$ref\":\"http://x.example/s\"}",
	  "'$ref' must name something in '$defs' of this schema" },
	{ "a bad schema in a list", "{\"anyOf\":[1]}",
	  "a schema is an object, true or false" },
	{ "a bad schema of a member", "{\"properties\":{\"a\":{\"minimum\":\"1\"}}}",
	  "'minimum' has a bad value" },
};

static void test_bad(const void *p)
{
	const struct bad *row = p;
	_cleanup_json_ struct json *schema = unit_json(row->schema);
	struct err e = ERR_NONE;

	assert_int_equal(schema_check(schema, &e), -EINVAL);
	unit_err(&e, -EINVAL, row->why);
}

/* A schema with exponentially many ways ends, with no. */
static void steps_end(void)
{
	_cleanup_json_ struct json *schema = unit_json(
		"{\"anyOf\":[{\"allOf\":[{\"$ref\":\"#\"},{\"$ref\":\"#\"}]},{"
		"\"allOf\":"
		"[{\"$ref\":\"#\"},{\"$ref\":\"#\"}]}]}");
	_cleanup_json_ struct json *no = unit_json(
		"{\"not\":{\"$ref\":\"#/$defs/x\"},\"$defs\":{\"x\":{\"anyOf\":["
		"{\"$ref\":\"#/$defs/x\"},{\"$ref\":\"#/$defs/x\"}]}}}");
	_cleanup_json_ struct json *value = unit_json("1");
	struct err e = ERR_NONE;
	char why[SCHEMA_WHY];

	unit_ok(schema_check(schema, &e), &e);
	assert_false(schema_fits(schema, value, why));
	unit_ok(schema_check(no, &e), &e);
	assert_false(schema_fits(no, value, why));
	assert_string_equal(why, "it is too large for this schema");
}

int main(void)
{
	static const struct unit_case cases[] = { { "steps end", steps_end } };

	return unit_rows("schema_fits", rows, test_row) +
	       unit_rows("schema_check", bad, test_bad) + unit_cases("schema", cases);
}
