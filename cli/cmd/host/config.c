#include "cli/opt/config.h"
#include "base/text.h"
#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/opt/settings.h"
#include "cli/show/render.h"

/* Without a box, or with one that cannot be read, the rest is in force. The image of a box is
 * in force whatever new ones are made from. */
static bool load_box(struct boxsetup *s, struct config *config)
{
	if (boxsetup_find(s, ERR_IGNORED) < 0)
		return false;
	config->v[CONFIG_IMAGE].from = CONFIG_FROM_BOX;
	config->v[CONFIG_IMAGE].text = s->spec.image_name;
	return true;
}

static int work(struct app *app, void *, struct err *e)
{
	_cleanup_boxsetup_ struct boxsetup s = BOXSETUP(app);
	bool box = load_box(&s, app->config);
	int r = settings_show(app, CONFIG_FROM_DEFAULT, NULL, e);

	if (r < 0)
		return r;
	if (box)
		render_note(app, "box: that of '%s'", text_shown(s.spec.project));
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
	       "set', and the image that it was made from), the configuration file or the "
	       "default.",
	.config = true,
	.work = work,
};
