#include "cli/box/place.h"
#include "cli/opt/cmd.h"

struct args {
	const char *old, *new; /* borrowed */
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *a = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		if (a->new)
			return cmd_bad(state, "unexpected word '%s'", arg);
		*(a->old ? &a->new : &a->old) = arg;
		return 0;
	case ARGP_KEY_END:
		return a->new ? 0
			      : cmd_bad(state, "two directories are wanted: that of "
					       "the box, and its new one");
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.parser = parse,
	.args_doc = "OLD|KEY NEW",
	.doc = "Give the box of the directory OLD to the directory NEW. A directory "
	       "that "
	       "was renamed is known again without it; this is for one that came to "
	       "another disk. No file of either directory is touched.",
};

static int run(struct app *app, int argc, char **argv)
{
	struct args a = { .old = NULL };
	struct err e = ERR_NONE;
	int r = cmd_parse(app, &cmd_mv, argc, argv, &a);

	if (r != CMD_GO)
		return r;
	return place_move(app, a.old, a.new, &e) < 0 ? cmd_fail(app, &e, CMD_FAILED)
						     : CMD_DONE;
}

const struct cmd cmd_mv = {
	.name = "mv",
	.summary = "give a box to another directory",
	.argp = &argp,
	.config = true,
	.run = run,
};
