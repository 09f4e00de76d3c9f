#include <string.h>

#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/opt/config_box.h"
#include "cli/opt/settings.h"
#include "cli/show/render.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct config *c = cmd_app(state)->config;
	bool *change = state->input;
	struct err e = ERR_NONE;
	char name[32];
	char *eq;
	int k;

	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	eq = strchr(arg, '=');
	if (!eq)
		return cmd_bad(state,
			       "'%s' has no value; NAME=VALUE sets it, 'cubby "
			       "unset NAME' takes it back",
			       arg);
	snprintf(name, sizeof(name), "%.*s", (int)(eq - arg), arg);
	k = config_box_find(name, &e);
	if (k >= 0)
		k = config_set(c, (enum config_key)k, eq + 1, CONFIG_FROM_FLAG, &e);
	if (k < 0)
		return cmd_bad(state, "%s", e.msg);
	*change = true;
	return 0;
}

static const struct argp argp = {
	.parser = parse,
	.args_doc = "[NAME=VALUE...]",
	.doc = "Keep settings with the box of this directory: net, allow, deny, "
	       "publish, volume, "
	       "memory, cpus, pids, disk, env, user, keep, git-writable, "
	       "git-identity, shell-command, always. "
	       "They hold from its next start; an option of a command holds for that "
	       "command alone. A list (allow, deny, publish, volume, env) is replaced "
	       "by all "
	       "that is given at once. Without words: show what is kept.",
};

/* What stays is said when the box will not heed it at once. */
static int keep(const struct app *app, struct err *e)
{
	_cleanup_boxsetup_ struct boxsetup s;
	const struct opt_box o = { .save = true };
	struct err none = ERR_NONE;
	int r;

	boxsetup_init(&s);
	r = boxsetup_prepare(app, &o, &s, e);
	if (r == 0 && s.changed && boxsetup_join(app, &s, &none) == 0)
		render_note(app, "the box runs: this holds from its next start ('cubby "
				 "stop' ends it)");
	return r;
}

static int show(const struct app *app, struct err *e)
{
	_cleanup_boxsetup_ struct boxsetup s;
	int r;

	boxsetup_init(&s);
	r = boxsetup_find(app, &s, e);
	return r < 0 ? r
		     : settings_show(app, CONFIG_FROM_BOX,
				     "nothing is set for this box", e);
}

static int run(struct app *app, int argc, char **argv)
{
	bool change = false;
	struct err e = ERR_NONE;
	int r = cmd_parse(app, &cmd_set, argc, argv, &change);

	if (r != CMD_GO)
		return r;
	r = change ? keep(app, &e) : show(app, &e);
	return r < 0 ? cmd_fail(app, &e, CMD_FAILED) : CMD_DONE;
}

const struct cmd cmd_set = {
	.name = "set",
	.summary = "keep settings with the box, or show them",
	.argp = &argp,
	.config = true,
	.run = run,
};
