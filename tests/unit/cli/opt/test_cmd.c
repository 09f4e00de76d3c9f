#include "tests/unit/unit.h"

#include <stdio.h>

#include "cli/commands.h"
#include "cli/opt/box.h"
#include "cli/opt/cmd.h"
#include "cli/opt/config.h"
#include "cli/opt/task.h"

struct args {
	struct opt_box box;
	struct opt_task task;
	const char *operand;
	struct words lists;
	uint64_t number;
	bool odd;
};

static int judge(struct app *, void *, const char *word, struct err *e)
{
	return *word == 'a' ? 0 : err_set(e, -EINVAL, "'%s' begins otherwise", word);
}

static int check(struct app *, void *args, struct err *e)
{
	const struct args *a = args;

	return a->odd && a->number == 2 ? err_set(e, -EINVAL, "2 is not odd") : 0;
}

/* What was stored, and what a work returns. */
static int work(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;

	fprintf(app->out, "%d %zu %s %s\n", (int)a->number, a->lists.n,
		a->lists.n ? a->lists.v[a->lists.n - 1] : "-", a->operand);
	return a->odd ? err_set(e, -EIO, "it is odd") : (int)a->number;
}

static const struct cmd_option options[] = {
	{ "number", 'n', "N", "", CMD_NUMBER(struct args, number, 1, 9) },
	{ "list", 'l', "A", "", CMD_LIST_IF(struct args, lists, judge) },
	{ "odd", 'o', NULL, "", CMD_FLAG(struct args, odd) },
	{ 0 },
};
static const struct args begin = { .number = 7 };
static const struct cmd whole = {
	.name = "x",
	.options = options,
	.operands = { CMD_TEXT(struct args, operand) },
	.least = 1,
	.missing = "a word is missing",
	.size = sizeof(struct args),
	.begin = &begin,
	.failed = CMD_SERVICE,
	.check = check,
	.work = work,
};

static const struct cmd cmd = {
	.name = "x",
	.tables = { OPT_TASK(struct args, task), OPT_BOX(struct args, box) },
	.operands = { CMD_TEXT(struct args, operand) },
	.size = sizeof(struct args),
};

static const struct row {
	const char *name, *words[6];
	int want;
	const char *text; /* on standard error */
} rows[] = {
	{ "nothing", { NULL }, CMD_GO, "" },
	{ "options on both sides of the operand",
	  { "--rm", "word", "--memory=1G" },
	  CMD_GO,
	  "" },
	{ "a bad value",
	  { "--memory", "12Q" },
	  CMD_USAGE,
	  "cubby x: --memory: bad size '12Q'; it is such as 512M or 2G\n" },
	{ "a bad value of a task's option",
	  { "--max-rounds=0" },
	  CMD_USAGE,
	  "cubby x: --max-rounds: bad number '0'; it is a whole number above 0\n" },
	{ "an unknown option",
	  { "--memroy=1" },
	  CMD_USAGE,
	  "cubby x: unknown option '--memroy'; did you mean '--memory'?\n" },
	{ "a word too many",
	  { "a", "b" },
	  CMD_USAGE,
	  "cubby x: unexpected word 'b'; --help says what it takes\n" },
	{ "as an object, wherever --json stands",
	  { "--pids=x", "--json" },
	  CMD_USAGE,
	  "{\"error\":{\"code\":\"EINVAL\",\"message\":\"--pids: bad number 'x'; it is "
	  "a whole number above 0\","
	  "\"status\":2}}\n" },
	{ "no directory",
	  { "-C", "" },
	  CMD_USAGE,
	  "cubby x: --directory: a name is missing: that of a directory\n" },
};

static void test(const void *p)
{
	const struct row *r = p;
	_cleanup_config_ struct config config;
	struct app app = { .config = &config, .name = "cubby x" };
	struct args a = { .operand = NULL };
	char *argv[8] = { (char[]){ "cubby x" } }, *text = NULL;
	size_t len = 0;
	int argc = 1;

	config_init(&config);
	app.out = app.err = open_memstream(&text, &len);
	for (; argc < 7 && r->words[argc - 1]; argc++)
		argv[argc] = (char *)(uintptr_t)r->words[argc - 1];
	assert_int_equal(cmd_parse(&app, &cmd, argc, argv, &a), r->want);
	fclose(app.err);
	assert_string_equal(text, r->text);
	free(text);
	if (r->want != CMD_GO || argc == 1)
		return;
	assert_true(a.box.rm);
	assert_false(a.box.wipe);
	assert_string_equal(a.operand, "word");
	assert_int_equal(config_num(&config, CONFIG_MEMORY), 1 << 30);
}

static const struct done {
	const char *name, *words[6];
	int want;
	const char *text;
} done[] = {
	{ "what it begins with", { "w" }, 7, "7 0 - w\n" },
	{ "letters together", { "-n3", "w", "-l", "a1", "-la2" }, 3, "3 2 a2 w\n" },
	{ "a number too large",
	  { "--number=10", "w" },
	  CMD_USAGE,
	  "cubby x: --number: bad number '10'; it is from 1 to 9\n" },
	{ "a word that is judged",
	  { "--list=b", "w" },
	  CMD_USAGE,
	  "cubby x: --list: 'b' begins otherwise\n" },
	{ "none of the operands",
	  { "-n1" },
	  CMD_USAGE,
	  "cubby x: a word is missing\n" },
	{ "words that do not go together",
	  { "-on2", "w" },
	  CMD_USAGE,
	  "cubby x: 2 is not odd\n" },
	{ "an option is heard before an operand",
	  { "a", "b", "-n", "x" },
	  CMD_USAGE,
	  "cubby x: --number: bad number 'x'; it is from 1 to 9\n" },
	{ "a failure of the work",
	  { "-o", "w" },
	  CMD_SERVICE,
	  "7 0 - w\ncubby x: it is odd\n" },
	{ "operands behind dashes", { "--", "-o" }, 7, "7 0 - -o\n" },
	{ "the version, whatever is behind it",
	  { "--version", "-nx" },
	  CMD_DONE,
	  "cubby " CUBBY_VERSION "\n" },
};

static void test_done(const void *p)
{
	const struct done *r = p;
	_cleanup_config_ struct config config;
	struct app app = { .config = &config, .name = "cubby x" };
	char *argv[8] = { (char[]){ "cubby x" } }, *text = NULL;
	size_t len = 0;
	int argc = 1;

	config_init(&config);
	app.out = app.err = open_memstream(&text, &len);
	for (; argc < 7 && r->words[argc - 1]; argc++)
		argv[argc] = (char *)(uintptr_t)r->words[argc - 1];
	assert_int_equal(cmd_do(&app, &whole, argc, argv), r->want);
	fclose(app.err);
	assert_string_equal(text, r->text);
	free(text);
}

static void names_are_found(void)
{
	assert_ptr_equal(cmd_find(commands_table, "run"), &cmd_run);
	assert_null(cmd_find(commands_table, "ru"));
	assert_null(cmd_find(commands_table, ""));
	assert_string_equal(cmd_near(commands_table, "confg"), "config");
	assert_null(cmd_near(commands_table, "photosynthesis"));
	for (size_t i = 0; commands_table[i]; i++) {
		assert_non_null(commands_table[i]->work);
		assert_non_null(commands_table[i]->doc);
		assert_true(i == 0 ||
			    commands_table[i]->group >= commands_table[i - 1]->group);
		assert_non_null(commands_table[i]->summary);
	}
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "names are found", names_are_found },
	};
	int failed =
		unit_rows("cmd", rows, test) | unit_rows("cmd_do", done, test_done);

	return failed + unit_cases("cmd", cases);
}
