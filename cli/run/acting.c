#include "cli/run/acting.h"

#include <string.h>

#include "base/sys/sys.h"
#include "base/text.h"
#include "cli/show/render.h"

enum { ACTING_LINES = 20 };

struct telling {
	const struct app *app;
	size_t n;
};

void acting_begin(const struct app *app, const char *dir, struct acting *ret)
{
	*ret = ACTING_NONE;
	if (app->quiet)
		return;
	ret->dir = sys_open(dir, O_RDONLY | O_DIRECTORY);
	if (ret->dir >= 0)
		ret->before = effects_watch_look(ret->dir);
}

static void tell_json(const struct app *app, const char *path, const char *why,
		      bool is_new)
{
	_cleanup_json_ struct json *j = json_object();
	struct json *o = json_object();

	json_set_str(o, "path", path);
	json_set_str(o, "why", why);
	json_set_bool(o, "new", is_new);
	json_set(j, "acting", o);
	render_json_note(app, j);
}

static void tell(void *ctx, const char *path, const char *why, bool is_new)
{
	struct telling *t = ctx;
	char shown[512];

	text_escaped(shown, sizeof(shown), path, strlen(path));
	if (t->app->json)
		tell_json(t->app, shown, why, is_new);
	else if (t->n++ < ACTING_LINES)
		render_note(t->app, "%s '%s' acts on this machine: %s",
			    is_new ? "new" : "changed", shown, why);
}

void acting_tell(const struct app *app, const struct acting *a)
{
	_cleanup_effects_watch_ struct effects_watch *now = NULL;
	struct telling t = { .app = app };

	if (!a->before)
		return;
	now = effects_watch_look(a->dir);
	if (now)
		effects_watch_compare(a->before, now, tell, &t);
	if (t.n > ACTING_LINES)
		render_note(app, "and %zu more files that act on this machine",
			    t.n - ACTING_LINES);
}

void acting_done(struct acting *a)
{
	effects_watch_free(&a->before);
	scope_close(&a->dir);
	*a = ACTING_NONE;
}
