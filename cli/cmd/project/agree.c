#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/project/file.h"
#include "cli/show/render.h"

struct args {
	bool yes;
};

static int tell(const struct app *app, bool agreed, bool widened)
{
	_cleanup_json_ struct json *j = json_object();

	if (!agreed)
		render_note(app, "this project has no .cubby/box.json");
	else if (!widened)
		render_note(app,
			    ".cubby/box.json wants nothing that has to be permitted");
	else
		render_note(app,
			    "what .cubby/box.json wants is permitted, as long as its "
			    "text stays as it is");
	if (!app->json)
		return 0;
	json_set_bool(j, "agreed", agreed);
	return render_json(app, j);
}

static int work(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;
	_cleanup_boxsetup_ struct boxsetup s = BOXSETUP(app), there = BOXSETUP(app);
	int r = boxsetup_locate(&s, a->yes ? PROJECT_AGREE : PROJECT_ASK_OR_FAIL, e);

	if (r < 0)
		return r;
	if (tell(app, app->config->project != NULL, r > 0) < 0)
		return CMD_FAILED;
	if (r == PROJECT_FILE_AGREED && boxsetup_find(&there, ERR_IGNORED) == 0)
		boxsetup_tell_later(&there);
	return CMD_DONE;
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
	       "text; every command that uses the box asks the same.",
	.options = options,
	.size = sizeof(struct args),
	.config = true,
	.work = work,
};
