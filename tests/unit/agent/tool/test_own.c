#include "agent/tool/own.h"

#include "base/file.h"
#include "base/sys/sys.h"
#include "tests/unit/unit.h"

#define GOOD                                                                           \
	"{\"description\":\"d\",\"parameters\":{\"type\":\"object\",\"properties\":{}" \
	"}}"

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
	{ "no schema", "x", "{\"description\":\"d\"}",
	  "its parameters are no schema of an object" },
	{ "no object", "x", "[1]", "it has no description" },
};

static void test_row(const void *p)
{
	const struct row *row = p;
	_cleanup_toolset_ struct toolset s = { 0 };
	_cleanup_json_ struct json *j = NULL;
	struct err e = ERR_NONE;
	const char *why;

	unit_ok(toolset_load(&s, &e), &e);
	unit_ok(json_parse(row->words, strlen(row->words), &j, &e), &e);
	why = own_read(&s, row->tool, j);
	if (row->why)
		assert_string_equal(why, row->why);
	else
		assert_null(why);
}

static void put(int dir, const char *name, const char *text, mode_t mode)
{
	struct file_data d = { .data = text, .len = strlen(text), .mode = mode };
	struct err e = ERR_NONE;

	unit_ok(file_replace(dir, name, &d, &e), &e);
}

static void of_a_directory(void)
{
	_cleanup_close_ int dir = sys_open(unit_tmpdir(), O_RDONLY | O_DIRECTORY),
			    tools = -1;
	_cleanup_toolset_ struct toolset s = { 0 };
	_cleanup_buf_ struct buf notes = BUF_INIT(4000);
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
	assert_int_equal(sys_symlinkat("zeta.json", tools, "link.json"), 0);
	unit_ok(own_load(&s, dir, &notes, &e), &e);
	assert_int_equal(s.n, before + 2);
	assert_string_equal(s.v[before].name, "alpha");
	assert_string_equal(s.v[before + 1].name, "zeta");
	assert_string_equal(s.v[before].description, "d");
	assert_string_equal(
		buf_cstr(&notes),
		".cubby/tools/bad.json: bad JSON at byte 1\n"
		".cubby/tools/link.json: not a file\n"
		".cubby/tools/lone.json: there is no executable of its name "
		"beside it\n");
}

int main(void)
{
	static const struct unit_case cases[] = { { "of a directory",
						    of_a_directory } };

	return unit_rows("own_read", rows, test_row) + unit_cases("own_load", cases);
}
