#include "tests/unit/unit.h"

#include "cli/opt/argcheck.h"

static const struct argp_option inner_options[] = {
	{ "memory", 'm', "SIZE", 0, "", 0 },
	{ "max-rounds", 0x100, "N", 0, "", 0 },
	{ "max-tokens", 0x101, "N", 0, "", 0 },
	{ 0 },
};
static const struct argp inner = { inner_options, NULL, NULL, NULL, NULL, NULL, NULL };
static const struct argp_child children[] = { { .argp = &inner }, { 0 } };
static const struct argp_option outer_options[] = {
	{ "keep", 'k', NULL, 0, "", 0 },
	{ "save", 's', "FILE", OPTION_ARG_OPTIONAL, "", 0 },
	{ 0 },
};
static const struct argp outer = { .options = outer_options, .children = children };

static const struct row {
	const char *name, *words[6];
	bool tail;
	const char *msg; /* NULL = nothing wrong */
} rows[] = {
	{ "nothing at all", { NULL }, false, NULL },
	{ "all kinds of right ones",
	  { "-k", "--memory", "1G", "-m2", "--save=x" },
	  false,
	  NULL },
	{ "a beginning that only one has", { "--mem=1" }, false, NULL },
	{ "a beginning that two have",
	  { "--max=1" },
	  false,
	  "ambiguous option '--max': '--max-rounds' or '--max-tokens'" },
	{ "near another",
	  { "--memry", "1" },
	  false,
	  "unknown option '--memry'; did you mean '--memory'?" },
	{ "near nothing", { "--zzz" }, false, "unknown option '--zzz'" },
	{ "an unknown letter in a cluster", { "-kz" }, false, "unknown option '-z'" },
	{ "the value is missing",
	  { "--memory" },
	  false,
	  "option '--memory' needs a value: SIZE" },
	{ "the letter's value is missing",
	  { "-m" },
	  false,
	  "option '-m' needs a value: SIZE" },
	{ "a value too many", { "--keep=3" }, false, "option '--keep' takes no value" },
	{ "a value that looks like an option", { "--memory", "--zzz" }, false, NULL },
	{ "behind two dashes all is operand", { "--", "--zzz" }, false, NULL },
	{ "behind an operand too, with tail", { "cmd", "--zzz" }, true, NULL },
	{ "behind an operand not, without",
	  { "cmd", "--zzz" },
	  false,
	  "unknown option '--zzz'" },
	{ "a lone dash is an operand", { "-", "-k" }, false, NULL },
	{ "a very long one",
	  { "--"
	    "0123456789012345678901234567890123456789012345678901234567890123456789" },
	  false,
	  "unknown option "
	  "'--012345678901234567890123456789012345678901234567890123456789…'" },
};

static void test(const void *p)
{
	const struct row *r = p;
	char *argv[8] = { (char[]){ "cubby x" } };
	struct err e = ERR_NONE;
	int argc = 1, got;

	for (; argc < 7 && r->words[argc - 1]; argc++)
		argv[argc] = (char *)(uintptr_t)r->words[argc - 1];
	got = argcheck(&outer, argc, argv, r->tail, &e);
	if (!r->msg) {
		unit_ok(got, &e);
		return;
	}
	assert_int_equal(got, -EINVAL);
	unit_err(&e, -EINVAL, r->msg);
}

int main(void)
{
	return unit_rows("argcheck", rows, test);
}
