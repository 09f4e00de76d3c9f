#include <string.h>
#include <unistd.h>

#include "cli/box/run.h"
#include "cli/opt/box.h"
#include "cli/opt/cmd.h"
#include "cli/show/tty.h"

struct args {
	struct opt_box box;
	bool tty, no_tty, detach, raw;
	const char *workdir; /* NULL = where the person is */
	char **command;	     /* borrowed from argv, NULL-ended */
};

enum { KEY_RAW = 0x3000, KEY_NO_TTY };

static const struct argp_option options[] = {
	{ "tty", 't', NULL, 0,
	  "give the command a terminal; without it one that is run on a terminal has "
	  "one, "
	  "unless it is known for a filter",
	  0 },
	{ "no-tty", KEY_NO_TTY, NULL, 0, "give it pipes, also on a terminal", 0 },
	{ "workdir", 'w', "DIR", 0, "where it runs (default: here)", 0 },
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
	case KEY_NO_TTY:
		a->no_tty = true;
		return 0;
	case 'w':
		a->workdir = arg;
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
		if (a->tty && a->no_tty)
			return cmd_bad(state, "--tty and --no-tty exclude each other");
		if (a->detach && a->tty)
			return cmd_bad(state, "--detach and --tty exclude each other");
		if (a->detach && a->box.rm)
			return cmd_bad(state, "--detach and --rm exclude each other");
		return 0;
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
	.args_doc = "[--] COMMAND [ARG...]\n--image IMAGE",
	.doc = "Run one command in the box of this directory, with standard input, "
	       "output "
	       "and error of this one, and its own exit status; 125 if cubby fails, "
	       "126 "
	       "if the command cannot be run, 127 if it is not found, 128+N if signal "
	       "N "
	       "killed it. With --image and without COMMAND: what the image says is to "
	       "be "
	       "run, as its user, in its directory.",
	.children = children,
};

/* What reads and writes text in a row of pipes, and has no use for a terminal. */
static bool is_filter(const char *command)
{
	static const char *const names[] = { "awk",  "base64", "cat", "cut", "gzip",
					     "grep", "head",   "jq",  "sed", "sort",
					     "tail", "tar",    "tee", "tr",  "uniq",
					     "wc",   "xargs",  "xz",  "zcat" };
	const char *slash = strrchr(command, '/');

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(names[i], slash ? slash + 1 : command) == 0)
			return true;
	return false;
}

static bool wants_tty(const struct app *app, const struct args *a)
{
	if (a->tty || a->no_tty || a->detach || app->json)
		return a->tty;
	return tty_is(STDIN_FILENO) && tty_is(STDOUT_FILENO) && tty_is(STDERR_FILENO) &&
	       !(a->command && is_filter(a->command[0]));
}

static int run(struct app *app, int argc, char **argv)
{
	struct args a = { .tty = false };
	struct boxrun what = { .tty = false };
	struct err e = ERR_NONE;
	int r;

	r = cmd_parse(app, &cmd_exec, argc, argv, &a);
	if (r != CMD_GO)
		return r;
	/* An image that is named may have a command of its own. */
	if (!a.command && app->config->v[CONFIG_IMAGE].from != CONFIG_FROM_FLAG) {
		err_set(&e, -EINVAL, "a command is missing");
		return cmd_fail(app, &e, CMD_CUBBY);
	}
	what.argv = (const char *const *)a.command;
	what.tty = wants_tty(app, &a);
	what.cwd = a.workdir;
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
