#include "cli/box/setup.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "cli/box/asked.h"
#include "cli/box/links.h"
#include "cli/box/owner.h"
#include "cli/box/volumes.h"
#include "cli/image/pick.h"
#include "cli/opt/config_box.h"
#include "cli/project/setup.h"
#include "cli/review/removal.h"
#include "cli/show/render.h"
#include "cli/store/boxend.h"
#include "cli/store/passover.h"
#include "rootfs/image/image.h"
#include "rootfs/store/chain.h"
#include "runtime/box/ids.h"
#include "runtime/box/project_dir.h"

static int locate(struct boxsetup *s, struct err *e)
{
	int r = place_open(s->app, e) ?: place_find(s->app, &s->spec, &s->place, e);

	if (r < 0)
		return r;
	(void)text_copy(s->spec.store, sizeof(s->spec.store), s->app->store->path);
	return passover_later(s->spec.project, e);
}

int boxsetup_locate(struct boxsetup *s, enum project_ask ask, struct err *e)
{
	int r = locate(s, e);

	return r < 0 ? r : project_file_load(s->app, &s->spec, ask, e);
}

/* For what only looks, a file with a mistake is none: a box may have written it. It is said
 * once in a command. */
static int locate_to_look(struct boxsetup *s, struct err *e)
{
	struct err why = ERR_NONE;
	int r = locate(s, e);

	if (r < 0 || s->app->config->project_bad)
		return r;
	if (project_file_load(s->app, &s->spec, PROJECT_ASK_NEVER, &why) < 0) {
		s->app->config->project_bad = true;
		render_note(s->app, "%s", why.msg);
	}
	return 0;
}

/* What box.json says and no option may change: the image and the id map. */
static int take_saved(struct boxsetup *s, const struct json *j, struct err *e)
{
	_cleanup_spec_ struct spec saved = SPEC_NONE;
	int r;

	r = spec_from_json(j, &saved, e);
	if (r < 0)
		return err_wrap(e, "the record of this box is damaged");
	s->spec.map = saved.map;
	s->setup_begun = json_get_bool(j, "setup-begun", false);
	(void)text_copy(s->spec.image, sizeof(s->spec.image), saved.image);
	(void)text_copy(s->spec.image_name, sizeof(s->spec.image_name),
			saved.image_name);
	return 0;
}

/* 1 = the box is there, 0 = it is not. @ret is its box.json. */
static int load(struct boxsetup *s, struct json **ret, struct err *e)
{
	int r;

	r = boxdir_open(s->app->store, s->spec.key, false, &s->dir, e)
		    ?: boxdir_load(&s->dir, ret, e);
	if (r == -ENOENT) { /* none, or one whose making was interrupted */
		boxdir_close(&s->dir);
		s->dir = BOXDIR_NONE;
		return 0;
	}
	if (r < 0)
		return r;
	r = place_finish(&s->dir, &s->spec, *ret, e);
	if (r < 0)
		return r;
	r = take_saved(s, *ret, e);
	if (r < 0)
		return r;
	r = config_box_load(s->app->config, json_get(*ret, "options"), e);
	return r < 0 ? r : 1;
}

/* The map and the image of a new box. Before an old one is wiped: an image that cannot be
 * had costs nobody a box. */
static int choose_new(struct boxsetup *s, struct err *e)
{
	_cleanup_buf_ struct buf why = BUF_INIT(16 << 10);
	bool wiped = s->spec.image_name[0] &&
		     s->app->config->v[CONFIG_IMAGE].from != CONFIG_FROM_FLAG;
	char name[SPEC_IMAGE];
	int r;

	r = text_copy(name, sizeof(name),
		      wiped ? s->spec.image_name
			    : config_text(s->app->config, CONFIG_IMAGE));
	if (r < 0)
		return err_set(e, r, "the image's name is too long");
	r = box_ids_choose(s->spec.project, &s->spec.map, &why, e);
	if (r < 0)
		return r;
	return imagepick_get(s->app, name, &s->spec, e);
}

static int add_rules(struct json *to, const char *verb, const char *const *hosts)
{
	int r = to ? 0 : -ENOMEM;

	for (; *hosts && r == 0; hosts++) {
		_cleanup_buf_ struct buf b = BUF_INIT(4096);

		r = buf_addf(&b, "%s %s", verb, *hosts)
			    ?: json_add(to, json_string(buf_cstr(&b)));
	}
	return r;
}

static int add_words(struct json *to, const char *const *words)
{
	int r = to ? 0 : -ENOMEM;

	for (; *words && r == 0; words++)
		r = json_add(to, json_string(*words));
	return r;
}

/* From the effective configuration to the spec. */
static int fill(const struct config *c, struct spec *s, struct err *e)
{
	int r;

	s->net = (enum net_mode)config_num(c, CONFIG_NET);
	s->limits = (struct limits){
		.memory_bytes = config_num(c, CONFIG_MEMORY),
		.pids = config_num(c, CONFIG_PIDS),
		.cpu_milli = (uint32_t)config_num(c, CONFIG_CPUS),
		.disk_bytes = config_num(c, CONFIG_DISK),
	};
	if (config_is_set(c, CONFIG_PROJECT))
		s->project_mode = (enum project_mode)config_num(c, CONFIG_PROJECT);
	s->git_writable = config_on(c, CONFIG_GIT_WRITABLE);
	s->git_identity = config_on(c, CONFIG_GIT_IDENTITY);
	s->keep = config_on(c, CONFIG_KEEP);
	json_free(&s->rules);
	json_free(&s->publish);
	s->rules = json_array();
	s->publish = json_array();
	r = add_rules(s->rules, "allow", config_list(c, CONFIG_ALLOW)) ?:
		add_rules(s->rules, "deny", config_list(c, CONFIG_DENY)) ?:
		add_words(s->publish, config_list(c, CONFIG_PUBLISH));
	return r < 0 ? err_sys(e, r, "cannot describe the box") : 0;
}

static bool same_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool is_in_place(const struct boxsetup *s, const struct json *old)
{
	return old && same_text(json_get_str(old, "mark"), s->place.id) &&
	       same_text(json_get_str(old, "project"), s->spec.project);
}

/* Where the box is, and by what its directory is known again: 1 = other than in @old. */
static int add_place(const struct boxsetup *s, const struct json *old, struct json *j,
		     struct err *e)
{
	const char *id = s->place.id;

	if (*id && json_set_str(j, "mark", id) < 0)
		return err_sys(e, -ENOMEM, "cannot save the box");
	if (is_in_place(s, old))
		return 0;
	return *id && boxmark_set(s->app->store, id, s->spec.key, e) < 0 ? e->code : 1;
}

/* 1 = one of them was there. */
static int forget(struct json *options, const char *const *names)
{
	int changed = 0;

	for (; *names; names++)
		changed |= json_drop(options, *names);
	return changed;
}

/* What cannot be reviewed is live, and said. */
static void choose_mode(const struct opt_box *o, struct boxsetup *setup)
{
	struct spec *s = &setup->spec;
	struct project_dir d = { .path = s->project, .store = s->store };
	struct err why = ERR_NONE;

	setup->may_join = !config_is_set(setup->app->config, CONFIG_PROJECT);
	if (setup->may_join)
		s->project_mode = o->project;
	if (s->project_mode == PROJECT_REVIEW && project_dir_review(&d, &why) < 0) {
		render_note(setup->app, "no review here, the project is live: %s",
			    why.msg);
		s->project_mode = PROJECT_LIVE;
	}
}

/* project/setup.h */
static const char *const setup_members[] = { "setup", "setup-begun" };

/* The time of box.json is that of the last use. */
static int note_use(const struct boxsetup *s)
{
	(void)sys_utimensat(s->dir.dirfd, "box.json", NULL, 0);
	return 0;
}

/* box.json: the spec, and beside it the options that stay. */
static int save(struct boxsetup *s, const struct json *old, bool is_new, struct err *e)
{
	_cleanup_json_ struct json *j = NULL, *options = NULL;
	const struct json *had = json_get(old, "options");
	int changed, moved, r;

	/* Programs there are not run here, also after the box has ended (passover.h). */
	const bool as_kept = !is_new && !volumes_are_new(s->app, &s->spec, old);

	if (as_kept && !s->keep_options && !s->forget && is_in_place(s, old))
		return note_use(s);
	j = spec_to_json(&s->spec);
	options = had ? json_dup(had) : json_object();
	changed = options && j ? 0 : -ENOMEM;
	if (changed == 0 && s->keep_options)
		changed = config_box_save(s->app->config, options);
	if (changed >= 0 && s->forget)
		changed |= forget(options, s->forget);
	if (changed >= 0 && json_set(j, "options", take(&options, NULL)) < 0)
		changed = -ENOMEM;
	if (changed < 0)
		return err_sys(e, changed, "cannot save the box");
	for (size_t i = 0; !is_new && i < ARRAY_SIZE(setup_members); i++)
		if (json_get(old, setup_members[i]))
			(void)json_set(j, setup_members[i],
				       json_dup(json_get(old, setup_members[i])));
	moved = add_place(s, old, j, e);
	if (moved < 0)
		return moved;
	if (as_kept && !changed && !moved)
		return note_use(s);
	r = boxdir_save(&s->dir, j, e);
	return r < 0 ? r : changed;
}

static void tell_new(const struct boxsetup *s)
{
	if (!config_on(s->app->config, CONFIG_ANNOUNCE))
		return;
	render_note(s->app, "made a box for '%s' from the image '%s'%s%s",
		    text_shown(s->spec.project), s->spec.image_name,
		    *s->spec.name ? ", name " : "", s->spec.name);
	boxlinks_git(s->app, s->spec.project);
}

/* From here on box.json keeps the image from being removed; it may have been since it was
 * chosen. */
static int save_new(struct boxsetup *s, const struct json *old, struct err *e)
{
	_cleanup_close_ int lock = image_lock(s->app->store, e);
	struct image image;
	int r = lock < 0 ? lock : image_load(s->app->store, s->spec.image, &image, e);

	if (r == -ENOENT) {
		err_set(e, r, "the image '%s' was removed meanwhile",
			s->spec.image_name);
		return err_hint(e, "run it again");
	}
	if (r < 0)
		return r;
	r = save(s, old, true, e);
	if (r >= 0)
		tell_new(s);
	return r;
}

static int check_image(const struct boxsetup *s, struct err *e)
{
	const char *want = config_text(s->app->config, CONFIG_IMAGE);

	if (s->app->config->v[CONFIG_IMAGE].from != CONFIG_FROM_FLAG ||
	    imagepick_same(s->app->store, want, &s->spec))
		return 0;
	err_set(e, -EEXIST, "this directory's box was made from '%s'",
		s->spec.image_name);
	return err_hint(e, "--wipe makes it anew from '%s'", want);
}

static int wipe(struct boxsetup *s, struct err *e)
{
	int r;

	boxdir_close(&s->dir);
	s->dir = BOXDIR_NONE;
	r = boxend_idle(s->app->store, s->spec.key, e)
		    ?: boxend_remove(s->app, s->spec.key, true, e);
	return r < 0 ? err_wrap(e, "cannot wipe the box") : 0;
}

/* What a branch that was killed left there is of another box. */
static int make_dir(struct boxsetup *s, struct err *e)
{
	int r = boxdir_open(s->app->store, s->spec.key, true, &s->dir, e);

	return r < 0 ? r : chain_forget(s->dir.dirfd, e);
}

/* May a box have this directory? */
static int permit(const struct boxsetup *s, struct err *e)
{
	return project_dir_check(&s->dir_asked, e);
}

/* What is looked at when a box is started, and not by each command in it. */
static int before_start(void *ctx, struct err *e)
{
	struct boxsetup *s = ctx;
	int r = permit(s, e);

	if (r == 0 && s->tell_links)
		boxlinks_tell(s->app, &s->dir, &s->spec);
	s->tell_links = false;
	return r;
}

/* What is kept must be such that the box starts with it. */
static int check_kept(const struct opt_box *o, const struct boxsetup *s, struct err *e)
{
	bool given = s->app->config->v[CONFIG_USER].from == CONFIG_FROM_FLAG;

	return o->save && given ? owner_check(s->app, &s->dir, &s->spec, e) : 0;
}

static int prepare(const struct opt_box *o, struct boxsetup *s, struct err *e)
{
	_cleanup_json_ struct json *old = NULL;
	int r, there, agreed;

	s->keep_options = o->save;
	s->forget = o->forget;
	s->as_root = o->as_root;
	r = o->look ? locate_to_look(s, e) : boxsetup_locate(s, PROJECT_ASK, e);
	if (r < 0)
		return r;
	agreed = r == PROJECT_FILE_AGREED;
	there = load(s, &old, e);
	if (there < 0)
		return there;
	s->dir_asked = place_dir(s->app, s->spec.project);
	/* Of a box that is there it is asked when it is started. */
	r = there && !o->wipe ? 0 : permit(s, e);
	if (r < 0)
		return r;
	if (there && o->rm && !o->wipe) {
		err_set(e, -EEXIST,
			"--rm would remove the box that this directory has");
		return err_hint(e, "'cubby rm' does, and without --rm the box is used");
	}
	r = fill(s->app->config, &s->spec, e);
	if (r < 0)
		return r;
	choose_mode(o, s);
	/* Before a program is run, as choose_new() does. */
	r = (o->forget ? 0 : volumes_fill(s->app, &s->spec, e))
		    ?: passover_volumes(s->spec.volumes, e);
	if (r < 0)
		return r;
	if (there && !o->wipe) {
		r = check_image(s, e) ?: check_kept(o, s, e);
		if (r < 0)
			return r;
		owner_choose(s->app, &s->dir, &s->spec);
		r = save(s, old, false, e);
		return r < 0 ? r : r | agreed;
	}
	r = choose_new(s, e) ?: check_kept(o, s, e);
	if (r == 0 && there)
		r = (o->yes ? 0 : removal_confirm_one(s->app, s->spec.key, e))
			    ?: wipe(s, e);
	if (r < 0)
		return r;
	r = make_dir(s, e);
	if (r == 0)
		owner_choose(s->app, &s->dir, &s->spec);
	r = r ?: save_new(s, old, e);
	if (r < 0)
		boxdir_unmake(s->app->store, s->spec.key);
	return r;
}

static int open_box(struct boxsetup *s, bool join_only, const struct box_command *first,
		    struct err *e)
{
	struct box_open o = {
		.spec = &s->spec,
		.join_only = join_only,
		.linger_ms = (uint32_t)MIN(config_num(s->app->config, CONFIG_LINGER),
					   (uint64_t)UINT32_MAX),
		.first = first,
		.permit = before_start,
		.permit_ctx = s,
		.note = render_note_line,
		.note_ctx = (void *)(uintptr_t)s->app,
	};

	return box_open(&o, &s->box, e);
}

int boxsetup_prepare(const struct opt_box *o, struct boxsetup *s, struct err *e)
{
	int changed = prepare(o, s, e);

	if (changed < 0)
		return changed;
	s->changed = changed;
	s->remove = o->rm;
	s->no_setup = o->no_setup || o->look;
	s->look = o->look;
	s->no_cache = o->no_cache;
	s->tell_links = !o->unlink;
	return o->unlink ? boxlinks_break(s->app, &s->spec, e) : 0;
}

static int say_busy(const struct config_row *row, struct err *e)
{
	err_set(e, -EBUSY, "the box runs already, without this --%s", row->name);
	return err_hint(e,
			"'cubby stop' ends it; 'cubby set' keeps an option for every "
			"start");
}

static bool has_mode(const struct spec *s, const struct json *info)
{
	const char *has = json_get_str(info, "project_mode");

	return has && strcmp(has, spec_project_name(s->project_mode)) == 0;
}

/* Only a start gives what options of this command ask for: 1 = the running box has it, and
 * is joined; 0 = none runs, or it was idle and is gone. */
static int join_as_asked(struct boxsetup *s, struct err *e)
{
	_cleanup_json_ struct json *info = NULL;
	const struct config_row *missing;
	int r = open_box(s, true, NULL, e) ?: box_ask(s->box, "info", NULL, &info, e);

	/* One that lingers knows by itself whether it is the box that is wanted. */
	if (r == -ENOENT || r == -ECONNRESET ||
	    (r == 0 && json_get_bool(info, "lingering", false))) {
		s->lingered = r == 0;
		box_close(&s->box);
		return 0;
	}
	if (r < 0)
		return r;
	missing = asked_missing(s->app->config, &s->spec, info);
	if (s->spec.project_mode != PROJECT_LIVE && !has_mode(&s->spec, info))
		missing = &config_rows[CONFIG_PROJECT];
	if (!missing)
		r = asked_publish_all(s->box, &s->spec, info, render_note_line,
				      (void *)(uintptr_t)s->app, e);
	if (!missing)
		return r < 0 ? r : 1;
	box_close(&s->box);
	r = boxend_idle(s->app->store, s->spec.key, e);
	return r == -EBUSY ? say_busy(missing, e) : r;
}

static void tell_mode(const struct boxsetup *s)
{
	if (!box_started(s->box) && s->spec.project_mode == PROJECT_LIVE &&
	    box_reviews(s->box))
		render_note(s->app, "the box is in use with --project review: changes "
				    "stay in it until 'cubby apply'");
}

static int join_or_start(struct boxsetup *s, const struct box_command *first,
			 struct err *e)
{
	int r = asked_any(s->app->config) ? join_as_asked(s, e) : 0;

	return r == 0 ? open_box(s, false, first, e) : r;
}

/* A task beside a shell or a server of the person's sees what those see. */
static int join_live(struct boxsetup *s, const struct box_command *first, struct err *e)
{
	int r;

	s->spec.project_mode = PROJECT_LIVE;
	*e = ERR_NONE;
	r = join_or_start(s, first, e);
	if (r >= 0)
		render_note(s->app,
			    "no review here, the project is live: the box is in "
			    "use without one");
	return r;
}

static int open_any(struct boxsetup *s, const struct box_command *first, struct err *e)
{
	int r = join_or_start(s, first, e);

	if (r == -EBUSY && s->may_join && s->spec.project_mode == PROJECT_REVIEW)
		r = join_live(s, first, e);
	return r;
}

/* Its steps are root's, and what they leave in the project is the caller's all the same. */
static int set_up(struct boxsetup *s, const struct box_command *first, struct err *e)
{
	const struct idmap_owner owner = s->spec.owner;
	int r;

	s->spec.owner = (struct idmap_owner){ 0 };
	r = project_setup_run(s, open_any, e);
	s->spec.owner = owner;
	if (r < 0 || !owner.uid)
		return r;
	/* What they have left there goes on as it was begun; owner_tell() says so. */
	r = project_setup_settle(s, e);
	return r <= 0 ? r : open_any(s, first, e);
}

static const char *said(const struct json *j, const char *key)
{
	const char *v = json_get_str(j, key);

	return v ? v : "-";
}

/* With -vv: how long it took, and what was chosen. */
static bool tells_choices(void)
{
	return log_get_level() >= LOG_DEBUG;
}

static void tell_choices(const struct boxsetup *s, uint64_t ms)
{
	_cleanup_json_ struct json *info = NULL;

	if (!tells_choices() || box_ask(s->box, "info", NULL, &info, ERR_IGNORED) < 0)
		return;
	log_debug("box: %s in %llu ms: image %s, id map %s, root %s, limits by %s, "
		  "network %s (%s); 'cubby info' says why",
		  box_started(s->box) ? "started" : "joined", (unsigned long long)ms,
		  s->spec.image_name, said(json_get(info, "map"), "kind"),
		  said(info, "root"), said(info, "cgroup"), said(info, "net"),
		  said(info, "caught"));
}

int boxsetup_start(struct boxsetup *s, const struct box_command *first, struct err *e)
{
	bool setup = project_setup_needed(s);
	uint64_t begun = sys_now_ms();
	int r = 0;

	if (s->look) {
		s->spec.keep = false;
		json_free(&s->spec.publish);
		if (s->app->config->project_bad) /* it may have meant to say so */
			s->spec.net = NET_NONE;
	}
	/* What a setup leaves is kept for other boxes. */
	s->spec.discard = s->remove && (!setup || s->no_setup);
	if (setup ? s->no_setup : s->setup_begun)
		r = project_setup_skip(&s->dir, e);
	if (r < 0)
		return r;
	if (tells_choices()) /* whoever asks has no command under way (box.h) */
		first = NULL;
	r = setup && !s->no_setup ? set_up(s, first, e) : open_any(s, first, e);
	if (r < 0)
		return r;
	tell_choices(s, sys_now_ms() - begun);
	tell_mode(s);
	if (!s->as_root)
		owner_tell(s->app, &s->dir, &s->spec, box_facts(s->box)->owner);
	if (s->changed && !box_started(s->box) && !s->lingered)
		render_note(s->app,
			    "the box runs already: the new options hold from its "
			    "next start ('cubby stop' ends it)");
	return 0;
}

int boxsetup_open(const struct opt_box *o, struct boxsetup *s, struct err *e)
{
	int r = boxsetup_prepare(o, s, e);

	return r < 0 ? r : boxsetup_start(s, NULL, e);
}

int boxsetup_find(struct boxsetup *s, struct err *e)
{
	_cleanup_json_ struct json *j = NULL;
	struct err none = ERR_NONE;
	int r;

	r = locate_to_look(s, e) ?: load(s, &j, e);
	if (r < 0)
		return r;
	if (r == 0) {
		if (*s->spec.name)
			err_set(e, -ENOENT, "there is no box '%s' for '%s'",
				s->spec.name, text_shown(s->spec.project));
		else
			err_set(e, -ENOENT, "there is no box for '%s'",
				text_shown(s->spec.project));
		return err_hint(e, "'cubby ls' lists them");
	}
	r = fill(s->app->config, &s->spec, e);
	if (r < 0)
		return r;
	(void)volumes_fill(s->app, &s->spec, &none); /* shown as far as they are */
	return 0;
}

int boxsetup_join(struct boxsetup *s, struct err *e)
{
	int r = open_box(s, true, NULL, e);

	if (r != -ENOENT)
		return r;
	return err_set(e, r, "the box is not running; any command in it starts it");
}

void boxsetup_tell_later(struct boxsetup *s)
{
	_cleanup_json_ struct json *info = NULL;
	struct err none = ERR_NONE;

	if (boxsetup_join(s, &none) == 0 &&
	    box_ask(s->box, "info", NULL, &info, &none) == 0 &&
	    !json_get_bool(info, "lingering", false))
		render_note(s->app,
			    "the box runs: this holds from its next start ('cubby "
			    "stop' ends it)");
}

int boxsetup_running(struct boxsetup *s, struct err *e)
{
	int r = boxsetup_find(s, e);

	return r < 0 ? r : boxsetup_join(s, e);
}

int boxsetup_finish(struct boxsetup *s, struct err *e)
{
	int r;

	box_close(&s->box);
	if (!s->remove)
		return 0;
	r = boxend_stop(s->app->store, s->spec.key, e);
	return r < 0 ? r : boxend_remove(s->app, s->spec.key, false, e);
}
