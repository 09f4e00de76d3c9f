#include "rootfs/oci/challenge.h"

#include "tests/unit/unit.h"

static const struct row {
	const char *name, *field;
	enum challenge_kind kind;
	const char *realm, *service, *scope;
} rows[] = {
	{ "as Docker Hub's",
	  "Bearer "
	  "realm=\"https://auth.docker.io/token\",service=\"registry.docker.io\","
	  "scope=\"repository:library/debian:pull\"",
	  CHALLENGE_BEARER, "https://auth.docker.io/token", "registry.docker.io",
	  "repository:library/debian:pull" },
	{ "blanks and cases", "  bearer  REALM = \"https://h/t\" , Service=x",
	  CHALLENGE_BEARER, "https://h/t", "x", "" },
	{ "commas and escapes in quotes",
	  "Bearer realm=\"https://h/t\",scope=\"a:pull,push\",service=\"a\\\"b\"",
	  CHALLENGE_BEARER, "https://h/t", "a\"b", "a:pull,push" },
	{ "Basic", "Basic realm=\"it\"", CHALLENGE_BASIC, "it", "", "" },
	{ "the Bearer of two", "Basic realm=\"it\", Bearer realm=\"https://h/t\"",
	  CHALLENGE_BEARER, "https://h/t", "", "" },
	{ "the Bearer of two, first",
	  "Bearer realm=\"https://h/t\", Basic realm=\"it\"", CHALLENGE_BEARER,
	  "https://h/t", "", "" },
	{ "unknown ones are left out", "Negotiate abc==, Basic realm=\"x\"",
	  CHALLENGE_BASIC, "x", "", "" },
	{ "no realm", "Bearer service=\"x\"", CHALLENGE_NONE, "", "", "" },
	{ "a realm of another kind", "Bearer realm=\"file:///etc/passwd\"",
	  CHALLENGE_NONE, "", "", "" },
	{ "a realm with a blank", "Bearer realm=\"https://h/ x\"", CHALLENGE_NONE, "",
	  "", "" },
	{ "no end of a string", "Bearer realm=\"https://h/t", CHALLENGE_NONE, "", "",
	  "" },
	{ "empty", "", CHALLENGE_NONE, "", "", "" },
	{ "noise", ",,=\"=,;\\", CHALLENGE_NONE, "", "", "" },
};

static void parse(const void *p)
{
	const struct row *row = p;
	struct challenge c;

	challenge_parse(row->field, &c);
	assert_int_equal(c.kind, row->kind);
	assert_string_equal(c.realm, row->realm);
	assert_string_equal(c.service, row->service);
	assert_string_equal(c.scope, row->scope);
}

static const struct warning {
	const char *name, *field, *texts; /* one behind the other, a '|' after each */
} warnings[] = {
	{ "one", "299 - \"this goes away\"", "this goes away|" },
	{ "two, with escapes", "299 - \"a \\\"b\\\"\", 299 - \"c\"", "a \"b\"|c|" },
	{ "another code and another agent", "110 - \"x\", 299 host \"y\"", "" },
	{ "no end of it", "299 - \"a\", 299 - \"b", "a|" },
	{ "nothing in it", "299 - \"\", 299 - \"b\"", "b|" },
	{ "none", "", "" },
};

static void warning(const void *p)
{
	const struct warning *row = p;
	const char *at = row->field;
	char text[CHALLENGE_VALUE], all[256] = "";

	while (challenge_warning(&at, text))
		strcat(strcat(all, text), "|");
	assert_string_equal(all, row->texts);
}

static void a_scope_that_was_too_little(void)
{
	struct challenge c;

	challenge_parse("Bearer realm=\"https://h/t\",scope=\"x\","
			"error=\"insufficient_scope\"",
			&c);
	assert_string_equal(c.error, "insufficient_scope");
	challenge_parse("Bearer realm=\"https://h/t\",scope=\"x\"", &c);
	assert_string_equal(c.error, "");
}

static void escapes(void)
{
	char out[64];

	challenge_escape("repository:a/b:pull x&y=\xc3\xa4", out, sizeof(out));
	assert_string_equal(out, "repository:a/b:pull%20x%26y%3D%C3%A4");
	challenge_escape("&&&&&&&&", out, 8);
	assert_string_equal(out, "%26%26");
}

static const struct unit_case cases[] = {
	{ "a value of a query", escapes },
	{ "a scope that was too little", a_scope_that_was_too_little },
};

int main(void)
{
	return unit_rows("challenge", rows, parse) +
	       unit_rows("challenge_warning", warnings, warning) +
	       unit_cases("challenge_escape", cases);
}
