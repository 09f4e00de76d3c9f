#include "cli/project/setup_plan.h"

#include "tests/unit/unit.h"

/* A project with one file, "prep". */
static void read_file(void *ctx, const char *path, struct buf *to)
{
	if (strcmp(path, "prep") == 0 || strcmp(path, "./prep") == 0)
		buf_adds(to, ctx);
}

struct place {
	const char *box, *project, *prep;
};

static void make(const char *text, const struct place *p, struct json **j,
		 struct setup_plan *ret)
{
	const struct setup_base base = { p->box, p->project, read_file,
					 (void *)(uintptr_t)p->prep };
	struct err e = ERR_NONE;

	unit_ok(json_parse(text, strlen(text), j, &e), &e);
	unit_ok(setup_plan_make(*j, &base, ret, &e), &e);
}

/* Is the last step of both the same to do ('t'), and its result one ('k')? */
static void compare(const char *a, const struct place *in_a, const char *b,
		    const struct place *in_b, const char *want)
{
	_cleanup_json_ struct json *ja = NULL, *jb = NULL;
	_cleanup_setup_plan_ struct setup_plan pa = SETUP_PLAN_NONE,
					       pb = SETUP_PLAN_NONE;
	char got[3];

	make(a, in_a, &ja, &pa);
	make(b, in_b, &jb, &pb);
	assert_true(pa.n && pb.n);
	got[0] = strcmp(pa.v[pa.n - 1].text, pb.v[pb.n - 1].text) ? '-' : 't';
	got[1] = strcmp(pa.v[pa.n - 1].key, pb.v[pb.n - 1].key) ? '-' : 'k';
	got[2] = '\0';
	assert_string_equal(got, want);
}

static const struct place here = { "box", "here", "1" },
			  there = { "box", "there", "1" },
			  other_box = { "other", "here", "1" },
			  changed = { "box", "here", "2" };

#define APT(words) "{\"packages\":{\"apt\":[" words "]}}"
#define PIP(words) "{\"packages\":{\"pip\":[" words "]}}"
#define NPM(words) "{\"packages\":{\"npm\":[" words "]}}"
#define SETUP(words) "{\"setup\":[" words "]}"

static const struct row {
	const char *name, *a, *b;
	const struct place *in;
	const char *want;
} rows[] = {
	{ "the same", APT("\"git\""), APT("\"git\""), &here, "tk" },
	{ "packages are any project's", APT("\"git\""), APT("\"git\""), &there, "tk" },
	{ "another image or network", APT("\"git\""), APT("\"git\""), &other_box,
	  "t-" },
	{ "another list", APT("\"git\""), APT("\"git\",\"jq\""), &here, "--" },
	{ "words are not joined", APT("\"a\",\"b\""), APT("\"a b\""), &here, "--" },
	{ "a package of a path sees the project", APT("\"./x.deb\""),
	  APT("\"./x.deb\""), &there, "t-" },
	{ "a wheel, too", PIP("\"x.whl\""), PIP("\"x.whl\""), &there, "t-" },
	{ "a version", PIP("\"x==1.2\""), PIP("\"x==1.2\""), &there, "tk" },
	{ "an address", PIP("\"x@git+https://h/x\""), PIP("\"x@git+https://h/x\""),
	  &there, "t-" },
	{ "a scope", NPM("\"@a/b@1\""), NPM("\"@a/b@1\""), &there, "tk" },
	{ "no scope", NPM("\"@../b/c\""), NPM("\"@../b/c\""), &there, "t-" },
	{ "a scope of a path", NPM("\"@a/../b\""), NPM("\"@a/../b\""), &there, "t-" },
	{ "a script is its directory's", SETUP("\"make\""), SETUP("\"make\""), &there,
	  "t-" },
	{ "another box of the directory", SETUP("\"make\""), SETUP("\"make\""), &here,
	  "tk" },
	{ "a file that is named first", SETUP("\"./prep a\""), SETUP("\"./prep a\""),
	  &changed, "--" },
	{ "a file that is named", SETUP("\"sh<prep\""), SETUP("\"sh<prep\""), &changed,
	  "--" },
	{ "a file in the list", SETUP("{\"run\":\"make\",\"files\":[\"prep\"]}"),
	  SETUP("{\"run\":\"make\",\"files\":[\"prep\"]}"), &changed, "--" },
	{ "a file that is not named", SETUP("\"make\""), SETUP("\"make\""), &changed,
	  "tk" },
	{ "a plugin is any project's", "{\"plugins\":[\"jupyter\"]}",
	  "{\"plugins\":[\"jupyter\"]}", &there, "tk" },
	{ "a plugin of another image", "{\"plugins\":[\"jupyter\"]}",
	  "{\"plugins\":[\"jupyter\"]}", &other_box, "t-" },
	{ "what was before", SETUP("\"a\",\"z\""), SETUP("\"b\",\"z\""), &here, "t-" },
	{ "a script before", "{\"packages\":{\"apt\":[\"git\"]},\"setup\":[\"z\"]}",
	  SETUP("\"z\""), &here, "t-" },
};

static void test_row(const void *row)
{
	const struct row *r = row;

	compare(r->a, &here, r->b, r->in, r->want);
}

static void names_and_order(void)
{
	_cleanup_json_ struct json *j = NULL;
	_cleanup_setup_plan_ struct setup_plan p = SETUP_PLAN_NONE;

	make("{\"setup\":[\"./prep\",{\"run\":\"make\"}],\"packages\":{\"npm\":[\"x\"],"
	     "\"pip\":[],\"apt\":[\"git\",\"jq\"]}}",
	     &here, &j, &p);
	assert_int_equal(p.n, 4);
	assert_string_equal(p.v[0].name, "apt: git, jq");
	assert_string_equal(p.v[1].name, "npm: x");
	assert_string_equal(p.v[2].name, "./prep");
	assert_string_equal(p.v[3].script, "make");
	assert_true(p.v[0].alone);
	assert_false(p.v[2].alone);
}

static void nothing_is_wanted(void)
{
	_cleanup_json_ struct json *j = NULL;
	_cleanup_setup_plan_ struct setup_plan p = SETUP_PLAN_NONE;

	make("{\"setup\":[],\"packages\":{\"apt\":[]}}", &here, &j, &p);
	assert_int_equal(p.n, 0);
}

static const struct unit_case cases[] = {
	{ "names and order", names_and_order },
	{ "nothing is wanted", nothing_is_wanted },
};

int main(void)
{
	return unit_rows("setup_plan", rows, test_row) +
	       unit_cases("setup_plan", cases);
}
