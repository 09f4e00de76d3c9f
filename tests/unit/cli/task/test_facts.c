#include "cli/task/facts.h"

#include "tests/unit/unit.h"

static const struct row {
	const char *name;
	enum net_mode net;
	const char *rules, *want;
} rows[] = {
	{ "none", NET_NONE, "[]", "none: nothing can be downloaded or installed" },
	{ "the host's", NET_HOST, "[]", "the host's own, unfiltered" },
	{ "any", NET_GATE, "[]",
	  "any public name and address; what is refused does not resolve" },
	{ "some", NET_GATE, "[\"allow a.org\",\"allow b.org:443\"]",
	  "only a.org, b.org:443; what is refused does not resolve" },
	{ "all but one", NET_GATE, "[\"deny a.org\"]",
	  "any public name and address, but not a.org; what is refused does not "
	  "resolve" },
	{ "many", NET_GATE,
	  "[\"allow a\",\"allow b\",\"allow c\",\"allow d\",\"allow e\",\"allow f\","
	  "\"allow g\",\"allow h\",\"allow i\",\"allow j\",\"allow k\",\"allow l\","
	  "\"allow m\"]",
	  "only a, b, c, d, e, f, g, h, i, j, k, l and 1 more; what is refused does "
	  "not resolve" },
};

static void test_row(const void *p)
{
	const struct row *row = p;
	_cleanup_spec_ struct spec s = SPEC_NONE;
	struct err e = ERR_NONE;
	char text[400];

	s.net = row->net;
	json_free(&s.rules);
	unit_ok(json_parse(row->rules, strlen(row->rules), &s.rules, &e), &e);
	facts_network(&s, text, sizeof(text));
	assert_string_equal(text, row->want);
	facts_network(&s, text, 12); /* cut, or said in other words */
	assert_true(strlen(text) < 12);
}

static void limits(void)
{
	struct limits l = { .memory_bytes = 2ULL << 30, .pids = 100 };
	char text[160];

	facts_limits(&l, text, sizeof(text));
	assert_string_equal(text, "2 GiB of memory, 100 processes");
	l.cpu_milli = 1500;
	facts_limits(&l, text, sizeof(text));
	assert_string_equal(text, "2 GiB of memory, 100 processes, 1.500 processors");
}

static void projects(void)
{
	_cleanup_spec_ struct spec s = SPEC_NONE;

	s.project_mode = PROJECT_LIVE;
	assert_string_equal(facts_project(&s),
			    ", changed at once; git's hooks and settings are held");
	s.git_writable = true;
	assert_string_equal(facts_project(&s), ", changed at once");
	s.project_mode = PROJECT_RO;
	assert_string_equal(facts_project(&s), ", read-only");
}

int main(void)
{
	static const struct unit_case cases[] = { { "limits", limits },
						  { "projects", projects } };

	return unit_rows("facts_network", rows, test_row) + unit_cases("facts", cases);
}
