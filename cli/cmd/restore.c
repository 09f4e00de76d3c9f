#include "cli/box/snap.h"
#include "cli/opt/cmd.h"
#include "cli/show/render.h"
#include "rootfs/store/snapshot.h"

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
		return snap_name(state, arg);
	case ARGP_KEY_END:
		return a->name ? 0 : cmd_bad(state, "which snapshot?");
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.parser = parse,
	.args_doc = "NAME",
	.doc = "Go back to a snapshot of this directory's box: what is installed, and "
	       "what of the project waits for 'cubby apply'. What is in the directory "
	       "itself stays as it is. The state that is left is the snapshot "
	       "'" SNAPSHOT_BEFORE "' from then on.",
};

static int restore(const struct app *app, const char *name, struct err *e)
{
	_cleanup_boxsetup_ struct boxsetup s;
	_cleanup_json_ struct json *j = json_object();
	_cleanup_close_ int lock = -1;
	int r;

	boxsetup_init(&s);
	r = lock = snap_open(app, &s, e);
	if (r >= 0)
		r = snapshot_restore(&s.store, &s.dir, name, e);
	if (r < 0)
		return r;
	if (app->json) {
		json_set_str(j, "name", name);
		json_set_str(j, "before", SNAPSHOT_BEFORE);
		return render_json(app, j);
	}
	render_note(app,
		    "the box is as in the snapshot '%s'; 'cubby restore %s' goes "
		    "back",
		    name, SNAPSHOT_BEFORE);
	return 0;
}

static int run(struct app *app, int argc, char **argv)
{
	struct args a = { .name = NULL };
	struct err e = ERR_NONE;
	int r = cmd_parse(app, &cmd_restore, argc, argv, &a);

	if (r != CMD_GO)
		return r;
	return restore(app, a.name, &e) < 0 ? cmd_fail(app, &e, CMD_FAILED) : CMD_DONE;
}

const struct cmd cmd_restore = {
	.name = "restore",
	.summary = "go back to a snapshot of a box",
	.argp = &argp,
	.config = true,
	.run = run,
};
