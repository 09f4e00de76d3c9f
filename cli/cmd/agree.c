#include "cli/box/project_file.h"
#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/show/render.h"

static const struct argp_option options[] = {
	{ "yes", 'y', NULL, 0, "do not ask first", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	bool *yes = state->input;

	if (key != 'y')
		return cmd_no_operands(key, arg, state);
	*yes = true;
	return 0;
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.doc = "Permit what .cubby/box.json of this project wants beyond what a box "
	       "has by "
	       "itself: ports, hosts, another image, larger limits, the host's "
	       "network. "
	       "It is shown and asked about. The permission is for this very text.",
};

static int tell(const struct app *app, bool agreed)
{
	_cleanup_json_ struct json *j = json_object();

	if (!agreed)
		render_note(app, "this project has no .cubby/box.json");
	if (!app->json)
		return 0;
	return json_set_bool(j, "agreed", agreed) < 0 ? -ENOMEM : render_json(app, j);
}

static int run(struct app *app, int argc, char **argv)
{
	_cleanup_boxsetup_ struct boxsetup s;
	bool yes = false;
	struct err e = ERR_NONE;
	int r;

	boxsetup_init(&s);
	r = cmd_parse(app, &cmd_agree, argc, argv, &yes);
	if (r != CMD_GO)
		return r;
	r = boxsetup_locate(app, &s, yes ? PROJECT_AGREE : PROJECT_ASK, &e);
	if (r < 0)
		return cmd_fail(app, &e, CMD_FAILED);
	if (tell(app, app->config->project != NULL) < 0)
		return CMD_FAILED;
	return CMD_DONE;
}

const struct cmd cmd_agree = {
	.name = "agree",
	.summary = "permit what .cubby/box.json of this project wants",
	.argp = &argp,
	.config = true,
	.run = run,
};
