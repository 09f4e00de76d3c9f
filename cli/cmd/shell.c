#include <unistd.h>

#include "cli/box/run.h"
#include "cli/opt/box.h"
#include "cli/opt/cmd.h"
#include "cli/show/tty.h"

struct args {
	struct opt_box box;
	bool raw;
};

enum { KEY_RAW = 0x3000 };

static const struct argp_option options[] = {
	{ "shell-command", OPT_BOX_CONFIG + CONFIG_SHELL_COMMAND, "PATH", 0,
	  "the shell (default: bash, or sh where the image has none)", 0 },
	{ "raw", KEY_RAW, NULL, 0,
	  "pass all that comes to the terminal, not only what draws", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *a = state->input;

	if (key == ARGP_KEY_INIT) {
		state->child_inputs[0] = &a->box;
		return 0;
	}
	if (key == KEY_RAW) {
		a->raw = true;
		return 0;
	}
	if (key == ARGP_KEY_ARG)
		return cmd_bad(state,
			       "unexpected word '%s'; 'cubby exec %s' runs a command",
			       arg, arg);
	return opt_box_config(key, arg, state);
}

static const struct argp_child children[] = {
	{ .argp = &opt_box, .header = "Box options:", .group = 2 },
	{ 0 },
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.doc = "A login shell for a person in the box of this directory. Without a "
	       "terminal the shell reads its commands from standard input.",
	.children = children,
};

/* Small images have no bash. */
static const char best_shell[] =
	"command -v bash >/dev/null 2>&1 && exec bash -l; exec sh -l";

static int run(struct app *app, int argc, char **argv)
{
	struct args a = { .box = { .wipe = false } };
	const char *chosen[] = { NULL, "-l", NULL };
	struct boxrun what = { .argv = (const char *[]){ "sh", "-c", best_shell,
							 NULL } };
	int r;

	r = cmd_parse(app, &cmd_shell, argc, argv, &a);
	if (r != CMD_GO)
		return r;
	chosen[0] = config_text(app->config, CONFIG_SHELL_COMMAND);
	if (chosen[0])
		what.argv = chosen;
	what.raw = a.raw;
	what.tty = tty_is(STDIN_FILENO);
	return boxrun_command(app, &a.box, &what);
}

const struct cmd cmd_shell = {
	.name = "shell",
	.summary = "a shell for a person in the box",
	.argp = &argp,
	.config = true,
	.usage = CMD_CUBBY,
	.run = run,
};
