#include <string.h>

#include "base/text.h"
#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/opt/config.h"
#include "cli/opt/settings.h"
#include "cli/show/render.h"

/* Without a box, or with one that cannot be read, the rest is in force. */
static bool load_box(const struct app *app, char *shown, size_t room)
{
	_cleanup_boxsetup_ struct boxsetup s = BOXSETUP(app);

	if (boxsetup_find(&s, ERR_IGNORED) < 0)
		return false;
	text_escaped(shown, room, s.spec.project, strlen(s.spec.project));
	return true;
}

static int work(struct app *app, void *, struct err *e)
{
	char shown[256];
	bool box = load_box(app, shown, sizeof(shown));
	int r = settings_show(app, CONFIG_FROM_DEFAULT, NULL, e);

	if (r < 0)
		return r;
	if (box)
		render_note(app, "box: that of '%s'", shown);
	if (!app->json)
		render_note(app, "file: %s%s", app->config->path,
			    app->config->file ? "" : " (there is none)");
	return 0;
}

const struct cmd cmd_config = {
	.name = "config",
	.group = CMD_HOST,
	.summary = "show the effective settings and where each comes from",
	.doc = "Show the settings that are in force here and where each comes from: "
	       "the environment (CUBBY_NAME), the box of this directory ('cubby "
	       "set'), the configuration file or the default.",
	.config = true,
	.work = work,
};
