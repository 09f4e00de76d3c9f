#include "cli/box/place.h"
#include "cli/opt/cmd.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	const char **old = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		if (*old)
			return cmd_bad(state, "unexpected word '%s'", arg);
		*old = arg;
		return 0;
	case ARGP_KEY_END:
		return *old ? 0
			    : cmd_bad(state, "a box is missing: its old directory or "
					     "its key, which 'cubby ls' tells");
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.parser = parse,
	.args_doc = "OLD|KEY",
	.doc = "Give a box, named by its old directory or by its key, to this "
	       "directory.",
};

static int run(struct app *app, int argc, char **argv)
{
	const char *old = NULL; /* borrowed */
	struct err e = ERR_NONE;
	int r = cmd_parse(app, &cmd_adopt, argc, argv, &old);

	if (r != CMD_GO)
		return r;
	return place_move(app, old, app->dir ? app->dir : ".", &e) < 0
		       ? cmd_fail(app, &e, CMD_FAILED)
		       : CMD_DONE;
}

const struct cmd cmd_adopt = {
	.name = "adopt",
	.summary = "take over a box that was of another directory",
	.argp = &argp,
	.config = true,
	.run = run,
};
