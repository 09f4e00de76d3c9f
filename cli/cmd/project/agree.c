#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/project/file.h"
#include "cli/show/render.h"

struct args {
	bool yes;
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

static int work(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;
	_cleanup_boxsetup_ struct boxsetup s = BOXSETUP_NONE;
	int r = boxsetup_locate(app, &s, a->yes ? PROJECT_AGREE : PROJECT_ASK, e);

	if (r == 0 && tell(app, app->config->project != NULL) < 0)
		return CMD_FAILED;
	return r;
}

static const struct cmd_option options[] = {
	{ "yes", 'y', NULL, "do not ask first", CMD_FLAG(struct args, yes) },
	{ 0 },
};

const struct cmd cmd_agree = {
	.name = "agree",
	.group = CMD_PROJECT,
	.summary = "permit what .cubby/box.json of this project wants",
	.doc = "Permit what .cubby/box.json of this project wants beyond what a box "
	       "has by itself: ports, hosts, another image, larger limits, the host's "
	       "network. It is shown and asked about. The permission is for this very "
	       "text.",
	.options = options,
	.size = sizeof(struct args),
	.config = true,
	.work = work,
};
