#include "cli/box/run.h"
#include "cli/opt/box.h"
#include "cli/opt/cmd.h"

struct args {
	struct opt_box box;
	bool tty, detach, raw;
	char **command; /* borrowed from argv, NULL-ended */
};

enum { KEY_RAW = 0x3000 };

static const struct argp_option options[] = {
	{ "tty", 't', NULL, 0, "give the command a terminal", 0 },
	{ "detach", 'd', NULL, 0,
	  "leave it running in the box and print its number; 'cubby logs' shows its "
	  "output",
	  0 },
	{ "raw", KEY_RAW, NULL, 0,
	  "pass all that it writes to the terminal, not only what draws", 0 },
	{ "interactive", 'i', NULL, 0,
	  "accepted for habit: input is connected in any case", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->box;
		return 0;
	case 't':
		a->tty = true;
		return 0;
	case 'd':
		a->detach = true;
		return 0;
	case KEY_RAW:
		a->raw = true;
		return 0;
	case 'i':
		return 0;
	case ARGP_KEY_ARG:
		(void)arg;
		a->command = &state->argv[state->next - 1];
		state->next = state->argc;
		return 0;
	case ARGP_KEY_END:
		if (a->detach && a->tty)
			return cmd_bad(state, "--detach and --tty exclude each other");
		if (a->detach && a->box.rm)
			return cmd_bad(state, "--detach and --rm exclude each other");
		return a->command ? 0 : cmd_bad(state, "a command is missing");
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{ .argp = &opt_box, .header = "Box options:", .group = 2 },
	{ 0 },
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[--] COMMAND [ARG...]",
	.doc = "Run one command in the box of this directory, with standard input, "
	       "output "
	       "and error of this one, and its own exit status; 125 if cubby fails, "
	       "126 "
	       "if the command cannot be run, 127 if it is not found, 128+N if signal "
	       "N "
	       "killed it.",
	.children = children,
};

static int run(struct app *app, int argc, char **argv)
{
	struct args a = { .tty = false };
	struct boxrun what = { .tty = false };
	int r;

	r = cmd_parse(app, &cmd_exec, argc, argv, &a);
	if (r != CMD_GO)
		return r;
	what.argv = (const char *const *)a.command;
	what.tty = a.tty;
	what.detach = a.detach;
	what.raw = a.raw;
	return boxrun_command(app, &a.box, &what);
}

const struct cmd cmd_exec = {
	.name = "exec",
	.summary = "run one command in the box",
	.argp = &argp,
	.tail = true,
	.config = true,
	.usage = CMD_CUBBY,
	.run = run,
};
