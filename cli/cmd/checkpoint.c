#include "rootfs/store/checkpoint.h"
#include "cli/box/rewind.h"
#include "cli/box/snap.h"
#include "cli/opt/cmd.h"
#include "cli/show/render.h"

struct args {
	const char *name; /* borrowed */
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *a = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		if (a->name)
			return cmd_bad(state, "unexpected word '%s'", arg);
		a->name = arg;
		if (checkpoint_number(arg) >= 0)
			return cmd_bad(state,
				       "bad name '%s'; numbers are turns of a task",
				       arg);
		return snap_name(state, arg);
	case ARGP_KEY_END:
		return a->name ? 0 : cmd_bad(state, "a name is needed");
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.parser = parse,
	.args_doc = "NAME",
	.doc = "Keep what of the project is under review, also while the box is in "
	       "use; "
	       "'cubby rewind NAME' goes back to it. A task makes one before each of "
	       "its "
	       "turns. What is installed is a matter of 'cubby snapshot'.",
};

static int keep(const struct app *app, const char *name, struct err *e)
{
	_cleanup_boxsetup_ struct boxsetup s;
	_cleanup_json_ struct json *j = NULL;
	int r;

	boxsetup_init(&s);
	r = boxsetup_find(app, &s, e);
	if (r == 0)
		r = rewind_keep(&s, name, "", e);
	if (r < 0)
		return r;
	render_note(app, "checkpoint '%s': what is under review", name);
	if (!app->json)
		return 0;
	j = json_object();
	json_set_str(j, "name", name);
	return render_json(app, j);
}

static int run(struct app *app, int argc, char **argv)
{
	struct args a = { .name = NULL };
	struct err e = ERR_NONE;
	int r = cmd_parse(app, &cmd_checkpoint, argc, argv, &a);

	if (r != CMD_GO)
		return r;
	return keep(app, a.name, &e) < 0 ? cmd_fail(app, &e, CMD_FAILED) : CMD_DONE;
}

const struct cmd cmd_checkpoint = {
	.name = "checkpoint",
	.summary = "keep what is under review",
	.argp = &argp,
	.config = true,
	.run = run,
};
