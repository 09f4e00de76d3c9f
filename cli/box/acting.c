#include "cli/box/acting.h"

#include <string.h>

#include "base/file.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "cli/show/render.h"
#include "runtime/box/box.h"

enum { ACTING_LINES = 20, ACTING_KEPT = 1 << 20 };

#define KEPT "acting"

struct telling {
	const struct app *app;
	size_t n;
};

static struct effects_watch *load(int box)
{
	_cleanup_buf_ struct buf b = BUF_INIT(ACTING_KEPT);
	struct err none = ERR_NONE;

	return box >= 0 && file_read(box, KEPT, &b, &none) == 0
		       ? effects_watch_parse(buf_cstr(&b), b.len)
		       : NULL;
}

/* @had: what is kept there now; NULL = nothing. After most commands it is the same. */
static void save(int box, const struct effects_watch *w,
		 const struct effects_watch *had)
{
	_cleanup_buf_ struct buf b = BUF_INIT(ACTING_KEPT), old = BUF_INIT(ACTING_KEPT);
	struct err none = ERR_NONE;

	if (effects_watch_print(w, &b) < 0 ||
	    (had && effects_watch_print(had, &old) == 0 && old.len == b.len &&
	     memcmp(buf_cstr(&old), buf_cstr(&b), b.len) == 0))
		return;
	(void)file_replace_soon(box, KEPT, &(struct file_data){ b.data, b.len, 0600 },
				&none);
}

static void begin(int box, const char *dir, struct acting *ret)
{
	*ret = ACTING_NONE;
	ret->project = sys_open(dir, O_RDONLY | O_DIRECTORY);
	if (ret->project < 0)
		return;
	ret->box = box;
	ret->before = load(box);
	ret->kept = ret->before != NULL;
	if (!ret->before)
		ret->before = effects_watch_look(ret->project);
}

void acting_begin(const struct app *app, int box, const char *dir, struct acting *ret)
{
	*ret = ACTING_NONE;
	if (!app->quiet || box >= 0)
		begin(box, dir, ret);
}

static void tell(void *ctx, const char *path, const char *why, bool is_new)
{
	struct telling *t = ctx;
	char shown[512];

	if (t->app->json) {
		_cleanup_json_ struct json *j = json_object();

		json_set(j, "acting", effects_watch_describe(path, why, is_new));
		render_json_note(t->app, j);
	} else if (t->n++ < ACTING_LINES) {
		text_escaped(shown, sizeof(shown), path, strlen(path));
		render_note(t->app, "%s '%s' acts on this machine: %s",
			    is_new ? "new" : "changed", shown, why);
	}
}

void acting_tell(const struct app *app, const struct acting *a, bool runs_on)
{
	_cleanup_effects_watch_ struct effects_watch *now = NULL;
	struct telling t = { .app = app };

	if (!a->before)
		return;
	now = app->quiet ? NULL : effects_watch_look(a->project);
	if (now)
		effects_watch_compare(a->before, now, tell, &t);
	if (t.n > ACTING_LINES)
		render_note(app, "and %zu more files that act on this machine",
			    t.n - ACTING_LINES);
	if (a->box < 0)
		return;
	if (runs_on)
		/* What was not told waits. */
		save(a->box, now ? now : a->before, a->kept ? a->before : NULL);
	else if (now && a->kept)
		(void)sys_unlinkat(a->box, KEPT, 0);
}

bool acting_runs_on(const struct acting *a, struct box *box)
{
	_cleanup_json_ struct json *look = json_object(), *left = NULL, *info = NULL;
	struct err none = ERR_NONE;

	if (!a->kept || !box)
		return false;
	if (json_set_bool(look, "look", true) < 0 ||
	    box_ask(box, "background", look, &left, &none) < 0 ||
	    box_ask(box, "info", NULL, &info, &none) < 0)
		return true; /* what is not known may be */
	return json_get_bool(left, "background", false) ||
	       json_get_int(info, "programs", 0) > 0 ||
	       json_get_int(info, "clients", 0) > 1;
}

void acting_keep(int box, const char *dir)
{
	_cleanup_acting_ struct acting a = ACTING_NONE;

	begin(box, dir, &a);
	if (a.before && !a.kept)
		save(box, a.before, NULL);
}

void acting_rest(const struct app *app, const char *key, const char *dir)
{
	_cleanup_boxdir_ struct boxdir box = BOXDIR_NONE;
	_cleanup_acting_ struct acting a = ACTING_NONE;
	struct err none = ERR_NONE;

	if (boxdir_open(app->store, key, false, &box, &none) < 0)
		return;
	acting_begin(app, box.dirfd, dir, &a);
	if (a.kept)
		acting_tell(app, &a, false);
}

struct json *acting_list(int box, const char *dir)
{
	_cleanup_effects_watch_ struct effects_watch *now = NULL;
	_cleanup_acting_ struct acting a = ACTING_NONE;

	begin(box, dir, &a);
	if (!a.kept)
		return NULL;
	now = effects_watch_look(a.project);
	return now ? effects_watch_list(a.before, now) : json_array();
}

void acting_done(struct acting *a)
{
	effects_watch_free(&a->before);
	scope_close(&a->project);
	*a = ACTING_NONE;
}
