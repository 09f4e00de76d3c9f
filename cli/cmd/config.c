#include <string.h>

#include "base/text.h"
#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/opt/config.h"
#include "cli/opt/settings.h"
#include "cli/show/render.h"

static const struct argp argp = {
	.parser = cmd_no_operands,
	.doc = "Show the settings that are in force here and where each comes from: "
	       "the "
	       "environment (CUBBY_NAME), the box of this directory ('cubby set'), the "
	       "configuration file or the default.",
};

/* Without a box, or with one that cannot be read, the rest is in force. */
static bool load_box(const struct app *app, char *shown, size_t room)
{
	_cleanup_boxsetup_ struct boxsetup s;
	struct err ignored = ERR_NONE;

	boxsetup_init(&s);
	if (boxsetup_find(app, &s, &ignored) < 0)
		return false;
	text_escaped(shown, room, s.spec.project, strlen(s.spec.project));
	return true;
}

static int run(struct app *app, int argc, char **argv)
{
	char shown[256];
	bool box;
	struct err e = ERR_NONE;
	int r;

	r = cmd_parse(app, &cmd_config, argc, argv, NULL);
	if (r != CMD_GO)
		return r;
	box = load_box(app, shown, sizeof(shown));
	if (settings_show(app, CONFIG_FROM_DEFAULT, NULL, &e) < 0)
		return cmd_fail(app, &e, CMD_FAILED);
	if (box)
		render_note(app, "box: that of '%s'", shown);
	if (!app->json)
		render_note(app, "file: %s%s", app->config->path,
			    app->config->file ? "" : " (there is none)");
	return CMD_DONE;
}

const struct cmd cmd_config = {
	.name = "config",
	.summary = "show the effective settings and where each comes from",
	.argp = &argp,
	.config = true,
	.run = run,
};
