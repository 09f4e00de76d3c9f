#include "cli/commands.h"
#include "cli/opt/cmdline.h"

#include <string.h>

#include "tests/unit/unit.h"

/* @want: the name of the command and the words behind it, or the words of a task. */
static const struct row {
	const char *name, *in[8], *want, *word;
	int words;
	bool json;
} rows[] = {
	{ "nothing", { NULL }, "", NULL, 0, false },
	{ "a command", { "ls" }, "ls", "ls", 0, false },
	{ "an option before it", { "--json", "ls" }, "ls --json", "ls", 0, false },
	{ "an option with a value",
	  { "-C", "dir", "ls", "-q" },
	  "ls -C dir -q",
	  "ls",
	  0,
	  false },
	{ "a value that is a command",
	  { "-C", "ls", "exec", "--", "rm" },
	  "exec -C ls -- rm",
	  "exec",
	  0,
	  false },
	{ "a value with =",
	  { "--directory=ls", "ps" },
	  "ps --directory=ls",
	  "ps",
	  0,
	  false },
	{ "a command's own option",
	  { "--older", "10d", "prune" },
	  "prune --older 10d",
	  "prune",
	  0,
	  false },
	{ "a box option",
	  { "--net", "none", "exec", "true", "--net" },
	  "exec --net none true --net",
	  "exec",
	  0,
	  false },
	{ "an option that the command does not know",
	  { "--model", "ls", "ps" },
	  "ps --model ls",
	  "ps",
	  0,
	  false },
	{ "help before it", { "-h", "exec" }, "exec -h", "exec", 0, false },
	{ "a task", { "make it", "--json" }, "", "make it", 1, true },
	{ "a task of words", { "-q", "please", "ls" }, "", "please", 2, false },
	{ "a task behind a value",
	  { "--model", "exec", "make it" },
	  "",
	  "make it",
	  1,
	  false },
	{ "one word", { "--json", "lss" }, "", "lss", 1, true },
	{ "one word behind dashes", { "--", "ls" }, "", "ls", 1, false },
	{ "words behind dashes", { "--", "ls", "--json" }, "", "ls", 2, false },
	{ "standard input", { "-" }, "", "-", 1, false },
	{ "options alone", { "--json", "-q" }, "", NULL, 0, true },
	{ "an option of nobody", { "--zzz", "ls" }, "ls --zzz", "ls", 0, false },
};

static void test(const void *p)
{
	const struct row *r = p;
	char *argv[10] = { (char[]){ "cubby" } };
	char got[128] = "";
	int argc = 1;
	struct cmdline l;

	for (; argc < 9 && r->in[argc - 1]; argc++)
		argv[argc] = (char *)(uintptr_t)r->in[argc - 1];
	l = cmdline_read(commands_table, &cmd_run, argc, argv);
	for (int i = 1; l.cmd && i < argc; i++) {
		strcat(got, i > 1 ? " " : "");
		strcat(got, argv[i]);
	}
	assert_string_equal(got, r->want);
	if (l.cmd)
		assert_string_equal(l.cmd->name, argv[1]);
	if (r->word)
		assert_string_equal(l.word, r->word);
	else
		assert_null(l.word);
	assert_int_equal(l.words, r->words);
	assert_int_equal(l.json, r->json);
}

int main(void)
{
	return unit_rows("cmdline", rows, test);
}
