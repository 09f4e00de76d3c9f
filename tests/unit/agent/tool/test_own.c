#include "agent/tool/own.h"

#include "base/file.h"
#include "base/sys/sys.h"
#include "tests/unit/unit.h"

#define GOOD                                                                           \
	"{\"description\":\"d\",\"parameters\":{\"type\":\"object\",\"properties\":{}" \
	"}}"

#define WITH(members) \
	"{\"description\":\"d\",\"parameters\":{\"type\":\"object\"," members "}}"
#define SAYS(words) \
	"{\"description\":\"" words "\",\"parameters\":{\"type\":\"object\"}}"
#define NO_SCHEMA "its parameters are no schema of an object"
#define PARAMETERS "its parameters: "
#define A(schema) WITH("\"properties\":{\"a\":" schema "}")
#define DEFS(a) \
	WITH("\"properties\":{\"a\":{\"$ref\":\"#/$defs/a\"}},\"$defs\":{\"a\":" a "}")
#define CIRCLE PARAMETERS "'$ref' leads round in a circle"
#define HIDES "its words have characters that cannot be seen"

static const struct row {
	const char *name, *tool, *words, *why; /* NULL = it can be used */
} rows[] = {
	{ "good", "deploy", GOOD, NULL },
	{ "a bad name", "a b", GOOD, "a name has up to 32 letters, digits, - and _" },
	{ "a long name", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", GOOD,
	  "a name has up to 32 letters, digits, - and _" },
	{ "one of ours", "shell", GOOD, "there is a tool of that name" },
	{ "no description", "x", "{\"parameters\":{\"type\":\"object\"}}",
	  "it has no description" },
	{ "no schema", "x", "{\"description\":\"d\"}", NO_SCHEMA },
	{ "no object", "x", "[1]", "it has no description" },
	{ "all of a schema", "x",
	  WITH("\"properties\":{\"a\":{\"type\":\"string\"}},\"required\":[\"a\"]"),
	  NULL },
	{ "no properties", "x", WITH("\"title\":\"t\""), NULL },
	{ "a list of properties", "x", WITH("\"properties\":[]"), NO_SCHEMA },
	{ "null for properties", "x", WITH("\"properties\":null"), NO_SCHEMA },
	{ "a property that is a word", "x", WITH("\"properties\":{\"a\":\"b\"}"),
	  NO_SCHEMA },
	{ "a word of what is required", "x", WITH("\"required\":\"z\""), NO_SCHEMA },
	{ "a number is required", "x", WITH("\"required\":[1]"), NO_SCHEMA },
	{ "a type of no kind", "x", A("{\"type\":\"text\"}"),
	  PARAMETERS "'type' has a bad value" },
	{ "a number for a type, deep within", "x",
	  A("{\"type\":\"array\",\"items\":{\"anyOf\":[{},{\"type\":7}]}}"),
	  PARAMETERS "'type' has a bad value" },
	{ "no type of several", "x", A("{\"type\":[]}"),
	  PARAMETERS "'type' has a bad value" },
	{ "a word to choose from", "x", A("{\"enum\":\"a\"}"),
	  PARAMETERS "'enum' has a bad value" },
	{ "elements that are a list", "x", A("{\"items\":[{}]}"),
	  PARAMETERS "a schema is an object, true or false" },
	{ "a number is required within", "x", A("{\"required\":[1]}"),
	  PARAMETERS "'required' has a bad value" },
	{ "what cubby does not know", "x", A("{\"pattern\":\"^a\",\"x-more\":[1]}"),
	  NULL },
	{ "a tree", "x",
	  DEFS("{\"type\":\"object\",\"properties\":{\"more\":{\"$ref\":\"#/$defs/a\"}}}"),
	  NULL },
	{ "a reference to nothing", "x", A("{\"$ref\":\"#/$defs/b\"}"),
	  PARAMETERS "'$ref' must name something in '$defs' of this schema" },
	{ "a reference out of it", "x", A("{\"$ref\":\"https://x.example/y\"}"),
	  PARAMETERS "'$ref' must name something in '$defs' of this schema" },
	{ "a reference that is a number", "x", A("{\"$ref\":1}"),
	  PARAMETERS "'$ref' must name something in '$defs' of this schema" },
	{ "a reference to itself", "x", DEFS("{\"$ref\":\"#/$defs/a\"}"), CIRCLE },
	{ "the same by its alternatives", "x",
	  DEFS("{\"anyOf\":[{\"$ref\":\"#/$defs/a\"},{\"not\":{\"$ref\":\"#/$defs/a\"}}]}"),
	  CIRCLE },
	{ "lines, tabs and a picture", "x", SAYS("a\\n\\tb \xe2\x9d\xa4\xef\xb8\x8f"),
	  NULL },
	{ "a control character", "x", SAYS("a\\u001b[2Jb"), HIDES },
	{ "a mark of direction", "x",
	  SAYS("a\xe2\x80\xae"
	       "bc"),
	  HIDES },
	{ "one in the schema", "x",
	  WITH("\"properties\":{\"a\":{\"enum\":[\"\\u202e\"]}}"), HIDES },
	{ "one in a name", "x", WITH("\"properties\":{\"\\u200b\":{}}"), HIDES },
};

static void test_row(const void *p)
{
	const struct row *row = p;
	_cleanup_toolset_ struct toolset s = { 0 };
	_cleanup_json_ struct json *j = unit_json(row->words);
	struct err e = ERR_NONE;
	int r;

	unit_ok(toolset_load(&s, &e), &e);
	r = own_read(&s, row->tool, j, &e);
	assert_int_equal(r, row->why ? -EINVAL : 0);
	assert_string_equal(e.msg, row->why ?: "");
}

static void put(int dir, const char *name, const char *text, mode_t mode)
{
	struct file_data d = { .data = text, .len = strlen(text), .mode = mode };
	struct err e = ERR_NONE;

	unit_ok(file_replace(dir, name, &d, &e), &e);
}

static void of_a_directory(void)
{
	_cleanup_close_ int dir = unit_top(), tools = -1;
	_cleanup_toolset_ struct toolset s = { 0 };
	_cleanup_buf_ struct buf notes = BUF_INIT(4000), big = BUF_INIT(1 << 20);
	struct err e = ERR_NONE;
	size_t before;

	unit_ok(toolset_load(&s, &e), &e);
	before = s.n;
	unit_ok(own_load(&s, dir, &notes, &e), &e); /* there are none */
	unit_ok(file_mkdirs(dir, OWN_DIR, 0755, &e), &e);
	tools = sys_openat(dir, OWN_DIR, O_RDONLY | O_DIRECTORY, 0);
	put(tools, "zeta", "#!/bin/sh\n", 0755);
	put(tools, "zeta.json", GOOD, 0644);
	put(tools, "alpha", "#!/bin/sh\n", 0755);
	put(tools, "alpha.json", GOOD, 0644);
	put(tools, "lone.json", GOOD, 0644);
	put(tools, "bad.json", "{", 0644);
	put(tools, "notes.txt", "x", 0644);
	for (size_t i = 0; i <= OWN_WORDS_MAX; i++)
		buf_addc(&big, ' ');
	put(tools, "big.json", buf_cstr(&big), 0644);
	assert_int_equal(sys_symlinkat("zeta.json", tools, "link.json"), 0);
	put(tools, "is.json", GOOD, 0644);
	assert_int_equal(sys_symlinkat("/", tools, "is"), 0);
	put(tools, "not.json", GOOD, 0644);
	assert_int_equal(sys_symlinkat("/no/such", tools, "not"), 0);
	put(tools, "folder.json", GOOD, 0644);
	assert_int_equal(sys_mkdirat(tools, "folder", 0755), 0);
	put(tools, "plain.json", GOOD, 0644);
	put(tools, "plain", "x", 0644);
	unit_ok(own_load(&s, dir, &notes, &e), &e);
	assert_int_equal(s.n,
			 before + 4); /* the host is not asked where a link leads */
	assert_string_equal(s.v[before].name, "alpha");
	assert_string_equal(s.v[before + 1].name, "is");
	assert_string_equal(s.v[before + 2].name, "not");
	assert_string_equal(s.v[before + 3].name, "zeta");
	assert_string_equal(s.v[before].description, "(tool of the project) d");
	assert_string_equal(
		buf_cstr(&notes),
		".cubby/tools/bad.json: bad JSON at byte 1\n"
		".cubby/tools/big.json: it has more than 16 KiB\n"
		".cubby/tools/folder.json: there is no executable of its name "
		"beside it\n"
		".cubby/tools/link.json: not a file\n"
		".cubby/tools/lone.json: there is no executable of its name "
		"beside it\n"
		".cubby/tools/plain.json: there is no executable of its name "
		"beside it\n");
}

int main(void)
{
	static const struct unit_case cases[] = { { "of a directory",
						    of_a_directory } };

	return unit_rows("own_read", rows, test_row) + unit_cases("own_load", cases);
}
