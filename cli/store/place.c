#include "cli/store/place.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/dirscan.h"
#include "base/proc.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "cli/opt/config.h"
#include "cli/show/render.h"
#include "cli/store/boxend.h"
#include "cli/store/boxlist.h"
#include "cli/store/hostpath.h"
#include "cli/store/passover.h"
#include "rootfs/store/boxdir.h"
#include "runtime/box/project_dir.h"

struct project_dir place_dir(const struct app *app, const char *project)
{
	return (struct project_dir){
		.path = project,
		.store = app->store->path,
		.allow_home = config_on(app->config, CONFIG_ALLOW_HOME),
		.any = config_on(app->config, CONFIG_ANY_DIRECTORY),
	};
}

/* May the project have a box? */
static int check_project(const struct app *app, const char *project, struct err *e)
{
	const struct project_dir d = place_dir(app, project);

	return project_dir_check(&d, e);
}

/* ---- a box that is there ------------------------------------------------------------- */

static int load(const struct store *st, const char *key, struct json **ret)
{
	_cleanup_boxdir_ struct boxdir dir = BOXDIR_NONE;
	struct err e = ERR_NONE;
	int r = boxdir_open(st, key, false, &dir, &e);

	return r < 0 ? r : boxdir_load(&dir, ret, &e);
}

/* Also one whose record is damaged: that is said when it is used. */
static bool has_box(const struct store *st, const char *key)
{
	char path[HASH_HEX + 16];

	snprintf(path, sizeof(path), "%s/box.json", key);
	return sys_faccessat(st->boxes, path, F_OK, 0) == 0;
}

/* ---- one that was moved -------------------------------------------------------------- */

/* @id: of the directory, "" = it cannot be known again. The record is the last: as long as it
 * is another place's, place_finish() does all of it again. */
static int save_at(const struct boxdir *dir, const struct spec *s, const char *id,
		   struct json *j, struct err *e)
{
	int r = spec_place_json(s, j);

	if (r == 0 && *id)
		r = json_set_str(j, "mark", id);
	if (r < 0)
		return err_sys(e, r, "cannot save the box");
	r = *id ? boxmark_set(dir->store, id, s->key, e) : 0;
	return r < 0 ? r : boxdir_save(dir, j, e);
}

/* A stopped box that stays so, while it is moved. */
struct held {
	struct boxdir dir; /* owned, as the next ones */
	struct json *j;
	int lock;
};
#define HELD_NONE ((struct held){ .dir = BOXDIR_NONE, .lock = -1 })

static void held_done(struct held *h)
{
	scope_close(&h->lock);
	json_free(&h->j);
	boxdir_close(&h->dir);
}

static int hold(const struct store *st, const char *key, struct held *h, struct err *e)
{
	int r = boxend_idle(st, key, e) ?: boxdir_open(st, key, false, &h->dir, e) ?:
		boxdir_load(&h->dir, &h->j, e);

	if (r < 0)
		return r;
	h->lock = boxdir_lock(&h->dir, false, e);
	if (h->lock == -EWOULDBLOCK)
		return err_set(e, -EBUSY, "the box is in use; 'cubby stop' ends it");
	return MIN(h->lock, 0);
}

/* The directory of the box @key has come to where another one has a box: they change places,
 * and the other goes by where this one was, but for the directory it is known by. */
static int exchange(const struct store *st, const char *key, const struct spec *s,
		    struct err *e)
{
	_cleanup_(held_done) struct held mine = HELD_NONE, other = HELD_NONE;
	_cleanup_spec_ struct spec was = SPEC_NONE;
	char id[BOXMARK_ID] = "", other_id[BOXMARK_ID] = "";
	int r = hold(st, key, &mine, e);

	if (r < 0)
		return r;
	r = hold(st, s->key, &other, e);
	if (r < 0)
		return r;
	if (spec_path(mine.j, "project", was.project) < 0)
		return err_set(e, -EINVAL, "the record of the box is damaged");
	(void)text_copy(was.name, sizeof(was.name), s->name);
	(void)text_copy(was.key, sizeof(was.key), key);
	(void)text_copy(other_id, sizeof(other_id),
			json_get_str(other.j, "mark") ?: "");
	(void)boxmark_id(s->project, s->name, id);
	r = sys_renameat2(st->boxes, key, st->boxes, s->key, RENAME_EXCHANGE);
	if (r < 0)
		return err_sys(e, r, "cannot move box '%.12s…'", key);
	return save_at(&other.dir, &was, other_id, other.j, e)
		       ?: save_at(&mine.dir, s, id, mine.j, e);
}

/* The other box of an exchange, if its record is still of the place that it had. */
static int finish_other(const struct store *st, const struct spec *s,
			const struct spec *was, struct err *e)
{
	_cleanup_boxdir_ struct boxdir dir = BOXDIR_NONE;
	_cleanup_json_ struct json *j = NULL;
	struct err none = ERR_NONE;
	const char *key;
	char id[BOXMARK_ID];

	if (boxdir_open(st, was->key, false, &dir, &none) < 0 ||
	    boxdir_load(&dir, &j, &none) < 0)
		return 0;
	key = json_get_str(j, "key");
	if (!key || strcmp(key, s->key) != 0)
		return 0;
	(void)text_copy(id, sizeof(id), json_get_str(j, "mark") ?: "");
	return save_at(&dir, was, id, j, e);
}

int place_finish(const struct boxdir *dir, const struct spec *s, struct json *j,
		 struct err *e)
{
	_cleanup_spec_ struct spec was = SPEC_NONE;
	const char *key = json_get_str(j, "key");
	char id[BOXMARK_ID] = "";
	int r;

	if (!key || strcmp(key, s->key) == 0)
		return 0;
	(void)text_copy(was.name, sizeof(was.name), s->name);
	(void)text_copy(was.key, sizeof(was.key), key);
	r = spec_path(j, "project", was.project) < 0
		    ? 0
		    : finish_other(dir->store, s, &was, e);
	if (r < 0)
		return r;
	(void)boxmark_id(s->project, s->name, id);
	return save_at(dir, s, id, j, e);
}

/* The stopped box @key belongs to the directory of @s (its project, key and name) from
 * now on; -EEXIST: that has one. */
static int place_adopt(const struct store *st, const char *key, const struct spec *s,
		       struct err *e)
{
	_cleanup_(held_done) struct held h = HELD_NONE;
	char id[BOXMARK_ID] = "";
	int r = hold(st, key, &h, e);

	if (r < 0)
		return r;
	if (has_box(st, s->key))
		return err_set(e, -EEXIST, "'%s' has a box", text_shown(s->project));
	/* Left by a making that was interrupted; one with anything in it stays. */
	(void)sys_unlinkat(st->boxes, s->key, AT_REMOVEDIR);
	r = sys_renameat(st->boxes, key, st->boxes, s->key);
	if (r < 0)
		return err_sys(e, r, "cannot move box '%.12s…'", key);
	(void)boxmark_id(s->project, s->name, id);
	return save_at(&h.dir, s, id, h.j, e);
}

int place_locate(const struct app *app, struct spec *s, struct err *e)
{
	return app->dir ? spec_locate_real(s, app->dir, e) : spec_locate(s, ".", e);
}

static int locate_named(const char *dir, struct spec *s, struct err *e)
{
	char real[PATH_MAX];

	return hostpath_meant(dir, real, e) ?: spec_locate_real(s, real, e);
}

int place_move(const struct app *app, const char *word, const char *to, struct err *e)
{
	_cleanup_boxlist_ struct boxlist l = BOXLIST_NONE;
	_cleanup_spec_ struct spec s = SPEC_NONE;
	const struct boxlist_item *b;
	char from[256], shown[256];
	int r;

	r = place_open(app, e) ?: boxlist_read(app->store, &l, e);
	if (r < 0)
		return r;
	b = boxlist_find(&l, word, app->box, e);
	if (!b)
		return e->code;
	(void)text_copy(s.name, sizeof(s.name), b->name);
	r = to ? locate_named(to, &s, e) : place_locate(app, &s, e);
	if (r < 0)
		return r;
	r = check_project(app, s.project, e);
	if (r < 0)
		return r;
	text_escaped(from, sizeof(from), b->project, strlen(b->project));
	text_escaped(shown, sizeof(shown), s.project, strlen(s.project));
	if (strcmp(b->key, s.key) == 0)
		return err_set(e, -EEXIST, "that is the box of '%s' already", shown);
	boxend_look_back(app, b->key);
	r = place_adopt(app->store, b->key, &s, e);
	if (r == -EEXIST)
		return err_hint(e, "'cubby rm' removes that one");
	if (r < 0)
		return r;
	render_note(app, "the box of '%s' is that of '%s' from now on", from, shown);
	return 0;
}

/* The directory is where its box knows it: a mark of it then says nothing. */
static bool is_there(const char *project, const char *name, const char *id)
{
	char now[BOXMARK_ID];

	return boxmark_id(project, name, now) == 0 && strcmp(now, id) == 0;
}

static int still_runs(const char *was, const char *which, const char *key,
		      struct err *e)
{
	err_set(e, -EBUSY, "this directory was '%s', and %s", was, which);
	return err_hint(e, "'cubby stop %.12s' ends it", key);
}

static int take_along(const struct app *app, const char *key, const char *was,
		      const struct spec *s, struct err *e)
{
	bool taken = has_box(app->store, s->key);
	int r = taken ? boxend_idle(app->store, s->key, e) : 0;

	if (r == -EBUSY)
		return still_runs(was,
				  "the box of the one that was here before still runs",
				  s->key, e);
	if (r == 0)
		r = taken ? exchange(app->store, key, s, e)
			  : place_adopt(app->store, key, s, e);
	if (r == -EBUSY)
		return still_runs(was, "its box still runs there", key, e);
	if (r < 0)
		return err_wrap(e, "this directory was '%s': its box", was);
	render_note(app, "this directory was '%s': its box is used from now on%s", was,
		    taken ? "; the one that another directory had here is now listed "
			    "there, 'cubby adopt' gives it to one"
			  : "");
	return 1;
}

/* Where another directory has left its box it is the mark that decides, not the path.
 * 1 = the box of @s was that of the same directory under another path, 0 = there is none. */
static int recognise(const struct app *app, const struct spec *s, const char *id,
		     struct err *e)
{
	_cleanup_json_ struct json *j = NULL;
	char key[HASH_HEX], was[PATH_MAX], shown[256];
	const char *mark;

	if (!*id || boxmark_get(app->store, id, key) < 0 || strcmp(key, s->key) == 0)
		return 0;
	if (load(app->store, key, &j) < 0 || spec_path(j, "project", was) < 0)
		return 0;
	mark = json_get_str(j, "mark");
	if (!mark || strcmp(mark, id) != 0 || is_there(was, s->name, id))
		return 0;
	text_escaped(shown, sizeof(shown), was, strlen(was));
	return take_along(app, key, shown, s, e);
}

/* ---- upwards ------------------------------------------------------------------------- */

/* 1 = @s, whose project and name are set, has a box. */
static int look_at(const struct app *app, struct spec *s, struct place_found *p,
		   struct err *e)
{
	int r;

	spec_key(s->project, s->name, s->key);
	if (boxmark_id(s->project, s->name, p->id) < 0)
		p->id[0] = '\0';
	r = recognise(app, s, p->id, e);
	return r < 0 || !has_box(app->store, s->key) ? r : 1;
}

static bool is_home(const char *path)
{
	const char *home = getenv("HOME");
	struct stat a, b;

	return home && sys_fstatat(AT_FDCWD, home, &a, 0) == 0 &&
	       sys_fstatat(AT_FDCWD, path, &b, 0) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

/* The directory above, unless that is beyond a mount or is the root or a home. */
static bool go_up(char *path)
{
	char *slash = strrchr(path, '/');
	uint64_t here = 0, above = 1;

	if (!slash || slash == path || is_home(path) ||
	    sys_mount_id(AT_FDCWD, path, &here) < 0)
		return false;
	*slash = '\0';
	return !is_home(path) && sys_mount_id(AT_FDCWD, path, &above) == 0 &&
	       here == above;
}

/* One that may no longer have a box, or needs an option for it, is none for those below. */
static int look_above(const struct app *app, const struct spec *start, struct spec *s,
		      struct place_found *p, struct err *e)
{
	int r = 0;

	(void)text_copy(s->project, sizeof(s->project), start->project);
	while (r == 0 && go_up(s->project))
		r = look_at(app, s, p, e);
	if (r > 0 && check_project(app, s->project, ERR_IGNORED) < 0)
		return 0;
	return r;
}

int place_find(const struct app *app, struct spec *s, struct place_found *ret,
	       struct err *e)
{
	_cleanup_spec_ struct spec above = SPEC_NONE;
	struct place_found p = { .id = "" };
	int r;

	(void)text_copy(s->name, sizeof(s->name), app->box ? app->box : "");
	(void)text_copy(above.name, sizeof(above.name), s->name);
	r = place_locate(app, s, e);
	if (r < 0)
		return r;
	(void)text_copy(ret->cwd, sizeof(ret->cwd), s->project);
	r = look_at(app, s, ret, e);
	if (r == 0 && !app->here)
		r = look_above(app, s, &above, &p, e);
	else if (r > 0)
		return 0;
	if (r <= 0)
		return r;
	(void)text_copy(s->project, sizeof(s->project), above.project);
	(void)text_copy(s->key, sizeof(s->key), above.key);
	(void)text_copy(ret->id, sizeof(ret->id), p.id);
	return 0;
}

int place_open(const struct app *app, struct err *e)
{
	return app->store->dirfd >= 0 ? 0 : store_open(app->store, e);
}

int place_store(const struct app *app, struct err *e)
{
	_cleanup_spec_ struct spec s = SPEC_NONE;
	int r = place_open(app, e);

	if (r < 0)
		return r;
	if (spec_locate(&s, app->dir ? app->dir : ".", ERR_IGNORED) < 0)
		s.project[0] = '\0';
	return passover_later(s.project, e);
}

bool place_pass_over(const struct app *app)
{
	return place_store(app, ERR_IGNORED) == 0 && proc_path_settle(ERR_IGNORED) == 0;
}

/* ---- where it went ------------------------------------------------------------------- */

bool place_moved(const char *project, const char *mark, char ret[PATH_MAX])
{
	char parent[PATH_MAX], id[BOXMARK_ID];
	const char *name = strchr(mark, '=');
	struct dirscan scan;
	_cleanup_close_ int fd = -1;

	(void)text_copy(parent, sizeof(parent), project);
	*(strrchr(parent, '/') ?: parent) = '\0';
	fd = sys_open(*parent ? parent : "/", O_RDONLY | O_DIRECTORY);
	dirscan_start(&scan, fd);
	while (dirscan_next(&scan)) {
		if (scan.type != DT_DIR ||
		    snprintf(ret, PATH_MAX, "%s/%s", parent, scan.name) >= PATH_MAX)
			continue;
		if (boxmark_id(ret, name ? name + 1 : "", id) == 0 &&
		    strcmp(id, mark) == 0)
			return true;
	}
	return false;
}
