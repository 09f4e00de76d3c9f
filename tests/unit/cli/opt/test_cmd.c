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
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->task;
		state->child_inputs[1] = &a->box;
		return 0;
	case ARGP_KEY_ARG:
		if (a->operand)
			return cmd_bad(state, "unexpected word '%s'", arg);
		a->operand = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = { .parser = parse, .children = opt_task_children };
static const struct cmd cmd = { .name = "x", .argp = &argp };

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
	  "cubby x: --memory: bad size '12Q'\n" },
	{ "a bad value of a task's option",
	  { "--max-rounds=0" },
	  CMD_USAGE,
	  "cubby x: --max-rounds: bad number '0'\n" },
	{ "an unknown option",
	  { "--memroy=1" },
	  CMD_USAGE,
	  "cubby x: unknown option '--memroy'; did you mean '--memory'?\n" },
	{ "a word too many",
	  { "a", "b" },
	  CMD_USAGE,
	  "cubby x: unexpected word 'b'\n" },
	{ "as an object, wherever --json stands",
	  { "--pids=x", "--json" },
	  CMD_USAGE,
	  "{\"error\":{\"code\":\"EINVAL\",\"message\":\"--pids: bad number 'x'\","
	  "\"status\":2}}\n" },
	{ "no directory",
	  { "-C", "" },
	  CMD_USAGE,
	  "cubby x: --directory: a name is needed\n" },
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

static void names_are_found(void)
{
	assert_ptr_equal(cmd_find(commands_table, "run"), &cmd_run);
	assert_null(cmd_find(commands_table, "ru"));
	assert_null(cmd_find(commands_table, ""));
	assert_string_equal(cmd_near(commands_table, "confg"), "config");
	assert_null(cmd_near(commands_table, "photosynthesis"));
	for (size_t i = 0; commands_table[i]; i++) {
		assert_non_null(commands_table[i]->run);
		assert_non_null(commands_table[i]->argp);
		assert_non_null(commands_table[i]->summary);
	}
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "names are found", names_are_found },
	};
	int failed = unit_rows("cmd", rows, test);

	return failed + unit_cases("cmd", cases);
}
