#include "runtime/idmap/subid.h"

#include "tests/unit/unit.h"

static const struct row {
	const char *name, *text;
	unsigned n;
	uint64_t total;
	struct idmap_range at[3];
} rows[] = {
	{ "empty", "", 0, 0, { { 0 } } },
	{ "by name", "bob:100000:65536\n", 1, 65536, { { 1, 100000, 65535 } } },
	{ "without a last newline",
	  "bob:100000:65535",
	  1,
	  65535,
	  { { 1, 100000, 65535 } } },
	{ "by number", "1001:7:3\n", 1, 3, { { 1, 7, 3 } } },
	{ "others' lines",
	  "al:5:5\nbob:9:2\nbobby:1:1\n1:1:1\n",
	  1,
	  2,
	  { { 1, 9, 2 } } },
	{ "several ranges",
	  "bob:100:10\nbob:300:10\n",
	  2,
	  20,
	  { { 1, 100, 10 }, { 11, 300, 10 } } },
	{ "no more than fit",
	  "bob:100000:65530\nbob:300000:65536\n",
	  2,
	  131066,
	  { { 1, 100000, 65530 }, { 65531, 300000, 5 } } },
	{ "overlap is left out",
	  "bob:100:10\nbob:105:10\nbob:110:1\n",
	  2,
	  11,
	  { { 1, 100, 10 }, { 11, 110, 1 } } },
	{ "root's id never", "bob:0:65536\n", 0, 0, { { 0 } } },
	{ "no count", "bob:100:0\nbob:100:\nbob:100\n", 0, 0, { { 0 } } },
	{ "past the last id",
	  "bob:4294967290:10\nbob:4294967290:5\n",
	  1,
	  5,
	  { { 1, 4294967290, 5 } } },
	{ "not numbers", "bob:-1:5\nbob: 1:5\nbob:1x:5\nbob:1:5:6\n", 0, 0, { { 0 } } },
};

static void parse(const void *p)
{
	const struct row *row = p;
	struct idmap_subids got;

	idmap_subid_parse(row->text, "bob", 1001, &got);
	assert_int_equal(got.n, row->n);
	assert_int_equal(got.total, row->total);
	assert_memory_equal(got.at, row->at, row->n * sizeof(row->at[0]));
}

static void many_ranges(void)
{
	struct idmap_subids got;
	char text[20 * 24] = "";

	for (int i = 0; i < 20; i++)
		snprintf(text + strlen(text), 24, "bob:%d:5\n", 1000 + 10 * i);
	idmap_subid_parse(text, "bob", 1, &got);
	assert_int_equal(got.n, IDMAP_SUBID_RANGES);
	assert_int_equal(got.total, 100);
}

static void long_line(void)
{
	struct idmap_subids got;
	char text[3000];

	memset(text, 'x', sizeof(text));
	memcpy(text + 2000, ":1:1\nbob:7:1\n", 14);
	idmap_subid_parse(text, "bob", 1, &got);
	assert_int_equal(got.n, 1);
	assert_int_equal(got.at[0].outside, 7);
}

static void list(void)
{
	struct idmap_subids got;

	idmap_subid_parse_list("0: bob 100000 65536\n1: bob 300 5\nError\n", &got);
	assert_int_equal(got.n, 1);
	assert_int_equal(got.total, 65541);
	assert_int_equal(got.at[0].outside, 100000);
}

static void name(void)
{
	static const char passwd[] = "root:x:0:0:root:/root:/bin/bash\n"
				     "broken:x:1001\n"
				     ":x:1001:1::/:/bin/sh\n"
				     "bob:x:1001:1001:,,,:/home/bob:/bin/sh\n"
				     "alias:x:1001:1001::/:\n";
	char got[IDMAP_SUBID_NAME] = "kept";

	assert_int_equal(idmap_subid_name(passwd, 7, got), -ENOENT);
	assert_string_equal(got, "kept");
	assert_int_equal(idmap_subid_name(passwd, 1001, got), 0);
	assert_string_equal(got, "bob");
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "more ranges than a map holds", many_ranges },
		{ "a long line is not two lines", long_line },
		{ "the output of getsubids", list },
		{ "the name of a user id", name },
	};

	return unit_rows("idmap_subid", rows, parse) + unit_cases("idmap_subid", cases);
}
