#include <string.h>

#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/opt/config_box.h"
#include "cli/opt/settings.h"
#include "cli/show/render.h"

struct args {
	bool change;
};

static bool has_any(const struct json *allow)
{
	json_each(it, allow)
	{
		if (json_str(it) && strcmp(json_str(it), "*") == 0)
			return true;
	}
	return json_len(allow) == 0;
}

/* The first allow= of a box that may reach any name closes all else (cmd/network/net.c). */
static bool narrows(const struct app *app)
{
	struct app silent =
		*app; /* who keeps the setting says what is wrong with box.json */
	_cleanup_boxsetup_ struct boxsetup before = BOXSETUP(&silent);
	_cleanup_json_ struct json *record = NULL;
	const char *const *allow = config_list(app->config, CONFIG_ALLOW);
	struct err none = ERR_NONE;

	silent.quiet = true;
	if (!*allow || app->config->v[CONFIG_ALLOW].from != CONFIG_FROM_FLAG)
		return false;
	for (; *allow; allow++)
		if (strcmp(*allow, "*") == 0)
			return false;
	return boxsetup_find(&before, &none) < 0 ||
	       boxdir_load(&before.dir, &record, &none) < 0 ||
	       has_any(json_get(json_get(record, "options"), "allow"));
}

/* What stays is said when the box will not heed it at once. */
static int keep(const struct app *app, struct err *e)
{
	_cleanup_boxsetup_ struct boxsetup s = BOXSETUP(app);
	const struct opt_box o = { .save = true };
	bool narrow = narrows(app);
	int r = boxsetup_prepare(&o, &s, e);

	if (r == 0 && narrow)
		render_note(
			app,
			s.spec.net == NET_GATE
				? "only what allow= names can be reached then; until "
				  "now it was any public name"
				: "no rule counts while the network is none or host; "
				  "'cubby config' shows where that comes from");
	if (r == 0 && s.changed)
		boxsetup_tell_later(&s);
	return r;
}

static int show(const struct app *app, struct err *e)
{
	_cleanup_boxsetup_ struct boxsetup s = BOXSETUP(app);
	int r = boxsetup_find(&s, e);

	return r < 0 ? r
		     : settings_show(app, CONFIG_FROM_BOX,
				     "nothing is set for this box", e);
}

static int work(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;

	return a->change ? keep(app, e) : show(app, e);
}

static int take_setting(struct app *app, void *args, const char *word, struct err *e)
{
	const char *eq = strchr(word, '=');
	struct args *a = args;
	char name[32];
	int k, r;

	if (!eq)
		return err_set(e, -EINVAL,
			       "'%s' has no value; NAME=VALUE sets it, 'cubby unset "
			       "NAME' takes it back",
			       word);
	snprintf(name, sizeof(name), "%.*s", (int)(eq - word), word);
	k = config_box_find(name, e);
	a->change = true;
	if (k < 0)
		return k;
	r = config_set(app->config, (enum config_key)k, eq + 1, CONFIG_FROM_FLAG, e);
	if (r == 0)
		return 0;
	err_wrap(e, "%s", name);
	return eq[1] ? r : err_hint(e, "'cubby unset %s' takes it back", name);
}

const struct cmd cmd_set = {
	.name = "set",
	.group = CMD_BOXES,
	.summary = "keep settings with the box, or show them",
	.words = "[NAME=VALUE...]",
	.doc = "Keep settings with the box of this directory: net, allow, deny, "
	       "publish, volume, memory, cpus, pids, disk, env, user, keep, linger, "
	       "project, git-writable, git-identity, shell-command, always. They hold "
	       "from its next start; an option of a command holds for that command "
	       "alone. A list (allow, deny, publish, volume, env) is replaced by all "
	       "that is given at once. Without words: show what is kept.",
	.operands = { CMD_CALL(take_setting) },
	.size = sizeof(struct args),
	.config = true,
	.work = work,
};
