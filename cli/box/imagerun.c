#include "cli/box/imagerun.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/box/terminfo.h"
#include "cli/box/zone.h"
#include "cli/show/render.h"
#include "rootfs/image/image.h"

void imagerun_done(struct imagerun *i)
{
	json_free(&i->image);
	env_done(&i->env);
	free(i->argv);
	*i = IMAGERUN_NONE;
}

/* Of a zone that the image names it is taken that it has it. */
static int add_zone(const struct app *app, bool own, struct env *env, struct err *e)
{
	const char *name;
	int r = zone_add(env, "", e);

	if (r > 0 && own) {
		name = env_get(env, "TZ");
		render_note(app,
			    "this machine has no time zone '%s' (TZ): unless the image "
			    "has it, times in the box are those of UTC",
			    text_shown(name));
	}
	return MIN(r, 0);
}

int imagerun_env(const struct app *app, const char *image, struct imagerun *ret,
		 struct err *e)
{
	int r = env_make(app->config, environ, &ret->env, e);
	bool own;

	if (r < 0)
		return r;
	own = env_get(&ret->env, "TZ") != NULL;
	r = image_run(app->store, image, &ret->image, e);
	if (r < 0)
		return r;
	r = env_add_image(&ret->env, json_get(ret->image, "env"), e)
		    ?: add_zone(app, own, &ret->env, e);
	return r < 0 ? r : terminfo_add(&ret->env, "", e);
}

int imagerun_command(struct imagerun *i, const char *name, bool placed,
		     struct box_command *c, struct err *e)
{
	static const char *const parts[] = { "entrypoint", "cmd" };
	const char *user = json_get_str(i->image, "user");
	const char *dir = json_get_str(i->image, "workdir");
	size_t n = 0;

	i->argv = calloc(json_len(json_get(i->image, parts[0])) +
				 json_len(json_get(i->image, parts[1])) + 1,
			 sizeof(*i->argv));
	if (!i->argv)
		return err_sys(e, -ENOMEM, "cannot run the image");
	for (size_t k = 0; k < ARRAY_SIZE(parts); k++) {
		json_each(it, json_get(i->image, parts[k]))
		{
			i->argv[n++] = json_str(it);
		}
	}
	if (!n)
		return err_set(
			e, -EINVAL,
			"a command is missing; the image '%s' has none of its own",
			name);
	c->argv = i->argv;
	if (dir && dir[0] == '/' && !placed)
		c->cwd = dir;
	if (!user || (c->user && *c->user))
		return 0;
	c->user = user;
	return 0;
}
