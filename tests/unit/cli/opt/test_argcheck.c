#include "tests/unit/unit.h"

#include "cli/opt/argcheck.h"

static const struct cmd_option inner[] = {
	{ "memory", 'm', "SIZE", "", { .kind = CMD_NONE } },
	{ "max-rounds", 0, "N", "", { .kind = CMD_NONE } },
	{ "max-tokens", 0, "N", "", { .kind = CMD_NONE } },
	{ 0 },
};
static const struct cmd_option outer[] = {
	{ "keep", 'k', NULL, "", { .kind = CMD_NONE } },
	{ "save", 's', "FILE", "", { .optional = true } },
	{ 0 },
};
static const struct cmd_option place[] = {
	{ "name", 'b', "NAME", "", { .kind = CMD_NONE } },
	{ "here", 0, NULL, "", { .kind = CMD_NONE } },
	{ 0 },
};

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
	{ "near nothing",
	  { "--zzz" },
	  false,
	  "unknown option '--zzz'; --help lists them" },
	{ "an unknown letter in a cluster",
	  { "-kz" },
	  false,
	  "unknown option '-z'; --help lists them" },
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
	  "unknown option '--zzz'; --help lists them" },
	{ "a box where none is asked for",
	  { "-b", "x" },
	  false,
	  "'-b' says which box, and this command is not about one; leave it out" },
	{ "the same in words",
	  { "--here" },
	  false,
	  "'--here' says which box, and this command is not about one; leave it out" },
	{ "a lone dash is an operand", { "-", "-k" }, false, NULL },
	{ "a very long one",
	  { "--"
	    "0123456789012345678901234567890123456789012345678901234567890123456789" },
	  false,
	  "unknown option "
	  "'--012345678901234567890123456789012345678901234567890123456789…'; --help lists them" },
};

static void test(const void *p)
{
	const struct row *r = p;
	char *argv[8] = { (char[]){ "cubby x" } };
	struct argcheck set = { .tail = r->tail, .place = place };
	struct err e = ERR_NONE;
	int argc = 1, got;

	for (; argc < 7 && r->words[argc - 1]; argc++)
		argv[argc] = (char *)(uintptr_t)r->words[argc - 1];
	argcheck_add(&set, outer, NULL);
	argcheck_add(&set, inner, NULL);
	got = argcheck(&set, argc, argv, &e);
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
