#include "agent/mcp/foreign.h"

#include <stdio.h>

#include "tests/unit/unit.h"

/* ---- names ---- */

static const struct name {
	const char *name, *tool, *want; /* NULL = none */
} names[] = {
	{ "plain", "{\"name\":\"read_file\"}", "mcp__srv__read_file" },
	{ "odd characters", "{\"name\":\"a/b.c d\"}", "mcp__srv__a_b_c_d" },
	{ "of two bytes", "{\"name\":\"\xc3\xa9\"}", "mcp__srv____" },
	{ "empty", "{\"name\":\"\"}", NULL },
	{ "none", "{}", NULL },
	{ "a number", "{\"name\":7}", NULL },
	{ "64 characters in all",
	  "{\"name\":\"012345678901234567890123456789012345678901234567890123\"}",
	  "mcp__srv__012345678901234567890123456789012345678901234567890123" },
	{ "one more",
	  "{\"name\":\"0123456789012345678901234567890123456789012345678901234\"}",
	  NULL },
};

static void test_name(const void *p)
{
	const struct name *row = p;
	_cleanup_json_ struct json *tool = unit_json(row->tool);
	char name[MCP_FOREIGN_NAME];

	assert_int_equal(mcp_foreign_name("srv", tool, name), row->want != NULL);
	if (row->want)
		assert_string_equal(name, row->want);
}

/* ---- schemas ---- */

#define OBJECT(properties) "{\"type\":\"object\",\"properties\":{" properties "}}"

static const struct schema {
	const char *name, *schema, *want;
} schemas[] = {
	{ "nothing", "{\"type\":\"object\"}", OBJECT("") },
	{ "no type but properties", "{\"properties\":{}}", OBJECT("") },
	{ "what services refuse goes",
	  "{\"$schema\":\"x\",\"type\":\"object\",\"additionalProperties\":false,"
	  "\"properties\":{\"a\":{\"type\":\"string\",\"default\":\"b\",\"format\":"
	  "\"uri\",\"minLength\":1}}}",
	  OBJECT("\"a\":{\"type\":\"string\"}") },
	{ "a type or null",
	  OBJECT("\"a\":{\"type\":[\"null\",\"integer\"],\"description\":\"d\"}"),
	  OBJECT("\"a\":{\"type\":\"integer\",\"description\":\"d\"}") },
	{ "alternatives",
	  OBJECT("\"a\":{\"anyOf\":[{\"type\":\"null\"},{\"type\":\"number\"}],"
		 "\"description\":\"d\"}"),
	  OBJECT("\"a\":{\"type\":\"number\",\"description\":\"d\"}") },
	{ "a reference",
	  "{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#/$defs/x\"}},"
	  "\"$defs\":{\"x\":{\"type\":\"boolean\"}}}",
	  OBJECT("\"a\":{\"type\":\"boolean\"}") },
	{ "a reference to nothing", OBJECT("\"a\":{\"$ref\":\"#/$defs/x\"}"),
	  OBJECT("\"a\":{\"type\":\"string\"}") },
	{ "a reference to itself",
	  "{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#/$defs/x\"}},"
	  "\"$defs\":{\"x\":{\"$ref\":\"#/$defs/x\"}}}",
	  OBJECT("\"a\":{\"type\":\"string\"}") },
	{ "choices", OBJECT("\"a\":{\"enum\":[\"x\",1,\"y\"]},\"b\":{\"const\":\"z\"}"),
	  OBJECT("\"a\":{\"type\":\"string\",\"enum\":[\"x\",\"y\"]},"
		 "\"b\":{\"type\":\"string\",\"enum\":[\"z\"]}") },
	{ "a list without items", OBJECT("\"a\":{\"type\":\"array\"}"),
	  OBJECT("\"a\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}") },
	{ "required, of what is there",
	  "{\"type\":\"object\",\"properties\":{\"a\":{}},\"required\":[\"a\",\"b\",1]"
	  "}",
	  "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}},"
	  "\"required\":[\"a\"]}" },
	{ "anything", OBJECT("\"a\":true"), OBJECT("\"a\":{\"type\":\"string\"}") },
};

static void test_schema(const void *p)
{
	const struct schema *row = p;
	_cleanup_buf_ struct buf text = BUF_INIT(8000), got = BUF_INIT(8000);
	_cleanup_json_ struct json *tool = NULL, *words = NULL;
	struct err e = ERR_NONE;

	buf_addf(&text, "{\"description\":\"Does.\",\"inputSchema\":%s}", row->schema);
	tool = unit_json(buf_cstr(&text));
	unit_ok(mcp_foreign_words("srv", true, tool, &words, &e), &e);
	assert_string_equal(json_get_str(words, "description"),
			    "(MCP server srv, outside of your machine) Does.");
	assert_int_equal(json_print(json_get(words, "parameters"), false, &got), 0);
	assert_string_equal(buf_cstr(&got), row->want);
}

static const struct bad {
	const char *name, *tool;
	int code;
	const char *why;
} bad[] = {
	{ "no schema", "{}", -EINVAL, "its inputSchema is none of an object" },
	{ "a schema of a text", "{\"inputSchema\":{\"type\":\"string\"}}", -EINVAL,
	  "its inputSchema is none of an object" },
	{ "no object", "[]", -EINVAL, "its inputSchema is none of an object" },
};

static void test_bad(const void *p)
{
	const struct bad *row = p;
	_cleanup_json_ struct json *tool = unit_json(row->tool), *words = NULL;
	struct err e = ERR_NONE;

	assert_int_equal(mcp_foreign_words("srv", true, tool, &words, &e), row->code);
	unit_err(&e, row->code, row->why);
	assert_null(words);
}

/* Deep, wide and recursive ones end. */
static void large_schemas(void)
{
	_cleanup_buf_ struct buf text = BUF_INIT(1 << 20);
	_cleanup_json_ struct json *wide = NULL, *deep = NULL, *words = NULL;
	struct err e = ERR_NONE;

	buf_adds(&text, "{\"inputSchema\":{\"type\":\"object\",\"properties\":{");
	for (int i = 0; i < 2000; i++)
		buf_addf(&text, "%s\"p%d\":{\"type\":\"string\"}", i ? "," : "", i);
	buf_adds(&text, "}}}");
	wide = unit_json(buf_cstr(&text));
	unit_ok(mcp_foreign_words("s", false, wide, &words, &e), &e);
	assert_int_equal(
		json_len(json_get(json_get(words, "parameters"), "properties")), 299);
	json_free(&words);
	deep = unit_json(
		"{\"inputSchema\":{\"type\":\"object\",\"properties\":{"
		"\"a\":{\"$ref\":\"#/$defs/n\"}},\"$defs\":{\"n\":{\"type\":"
		"\"object\",\"properties\":{\"l\":{\"$ref\":\"#/$defs/n\"}}}}}}");
	unit_ok(mcp_foreign_words("s", false, deep, &words, &e), &e);
}

/* ---- results ---- */

#define DOT /* a PNG of one pixel: its head */ \
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"

static const struct result {
	const char *name, *result, *want;
	bool error, picture;
} results[] = {
	{ "texts",
	  "{\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\","
	  "\"text\":"
	  "\"b\\n\"}]}",
	  "a\nb", false, false },
	{ "an error",
	  "{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"no\"}]}", "no",
	  true, false },
	{ "nothing", "{}", "[the answer is empty]", false, false },
	{ "values alone", "{\"structuredContent\":{\"a\":1}}", "{\"a\":1}", false,
	  false },
	{ "a picture",
	  "{\"content\":[{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"" DOT
	  "\"}]}",
	  "[a picture, which follows, image/png]", false, true },
	{ "no picture",
	  "{\"content\":[{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":"
	  "\"AAAA\"}]}",
	  "[a picture that is not shown, image/png]", false, false },
	{ "two pictures",
	  "{\"content\":[{\"type\":\"image\",\"data\":\"" DOT
	  "\"},{\"type\":\"image\",\"data\":\"" DOT "\"}]}",
	  "[a picture, which follows]\n[a picture that is not shown]", false, true },
	{ "resources",
	  "{\"content\":[{\"type\":\"resource\",\"resource\":{\"uri\":\"file:///a\","
	  "\"text\":\"t\"}},{\"type\":\"resource\",\"resource\":{\"uri\":\"u\","
	  "\"blob\":"
	  "\"AA\",\"mimeType\":\"x/y\"}},{\"type\":\"resource_link\",\"uri\":\"l\"}]}",
	  "[resource, file:///a]\nt\n[resource, u]\n[its bytes are not shown, "
	  "x/y]\n[resource, l]",
	  false, false },
	{ "parts of a kind that nobody knows, and none",
	  "{\"content\":[{\"type\":\"\\u001b[2J\"},7]}",
	  "[a part that is not shown, \\x1b[2J]\n[a part that is not shown]", false,
	  false },
};

static void test_result(const void *p)
{
	const struct result *row = p;
	_cleanup_json_ struct json *j = unit_json(row->result);
	_cleanup_tool_result_ struct tool_result r;

	tool_result_init(&r);
	assert_int_equal(mcp_foreign_result(j, 1000, &r), 0);
	assert_string_equal(buf_cstr(&r.text), row->want);
	assert_int_equal(r.outcome == TOOL_ERROR, row->error);
	assert_int_equal(r.picture != NULL, row->picture);
}

static void long_results(void)
{
	_cleanup_buf_ struct buf text = BUF_INIT(1 << 20);
	_cleanup_json_ struct json *j = NULL;
	_cleanup_tool_result_ struct tool_result r;

	tool_result_init(&r);
	buf_adds(&text, "{\"content\":[{\"type\":\"text\",\"text\":\"");
	for (int i = 0; i < 20000; i++)
		buf_adds(&text, "line\\n");
	buf_adds(&text, "\"}");
	for (int i = 0; i < 300; i++)
		buf_adds(&text, ",{\"type\":\"text\",\"text\":\"x\"}");
	buf_adds(&text, "]}");
	j = unit_json(buf_cstr(&text));
	assert_int_equal(mcp_foreign_result(j, 2000, &r), 0);
	assert_true(r.text.len < 2100);
	assert_non_null(strstr(r.text.data, "left out"));
	assert_non_null(strstr(r.text.data, "[more parts than are shown]"));
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "large schemas", large_schemas },
		{ "long results", long_results },
	};

	return unit_rows("foreign_name", names, test_name) +
	       unit_rows("foreign_words", schemas, test_schema) +
	       unit_rows("foreign_words", bad, test_bad) +
	       unit_rows("foreign_result", results, test_result) +
	       unit_cases("foreign", cases);
}
