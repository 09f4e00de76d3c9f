#include "cli/review/show.h"

#include <limits.h>
#include <poll.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/signals.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "cli/opt/config.h"
#include "cli/review/held.h"
#include "cli/review/lines.h"
#include "cli/show/confirm.h"
#include "cli/show/render.h"
#include "cli/show/tty.h"
#include "rootfs/review/apply.h"
#include "rootfs/store/checkpoint.h"

/* What became of what is held: a set. */
enum { HELD_STAYS = 1, HELD_TAKEN = 2, HELD_GONE = 4, HELD_FAILED = 8 };

/* ---- what is held ---------------------------------------------------------------------------- */

/* What could not be done, and what git's files came to. */
static void tell_undone(const struct app *app, const struct json *list)
{
	char name[4 * PATH_MAX];

	json_each(it, list)
	{
		const char *failed = json_get_str(it, "failed");
		const char *git = json_get_str(it, "git");

		if (failed)
			render_note(app, "left as it is: %s: %s",
				    reviewlines_name(it, name), failed);
		if (git)
			render_note_line((void *)(uintptr_t)app, git);
	}
}

static bool has_failed(const struct json *list)
{
	json_each(it, list)
	{
		if (json_get_str(it, "failed"))
			return true;
	}
	return false;
}

static bool has_git(const struct json *list)
{
	json_each(it, list)
	{
		if (reviewheld_member_is(it, "kind", "git") &&
		    json_get_bool(it, "chosen", false))
			return true;
	}
	return false;
}

static bool has_come(const struct signals_held *held)
{
	struct pollfd p = { .fd = held->fd, .events = POLLIN };

	return sys_poll(&p, 1, 0) > 0;
}

/* What has failed halfway says how to go on. A signal has ended the helper, and ends this
 * process before anybody else could say it. */
static int say_half(const struct app *app, const struct review *rv,
		    const struct signals_held *held, int r, struct err *e)
{
	struct err half = ERR_NONE;

	if (r >= 0 || r == -EBUSY || apply_ended(rv->dir->dirfd, &half) != -EBUSY)
		return r;
	if (!has_come(held))
		return err_hint(e, "%s", half.msg);
	render_error(app, &half, 1);
	return r;
}

static int take_git(const struct reviewshow *s, const struct review *rv, struct err *e)
{
	_cleanup_json_ struct json *told = NULL, *args = review_args("take");
	_cleanup_json_ struct json *rest = review_args("clean");
	int r = review_git(rv, args, &told, e);

	tell_undone(s->app, told);
	return r < 0 ? r : review_ask(rv, rest, NULL, NULL, e);
}

static int undo(const struct app *app, const struct review *rv, const struct json *args,
		struct err *e)
{
	_cleanup_json_ struct json *git = NULL, *files = NULL;
	int r = review_git(rv, args, &git, e);

	tell_undone(app, git);
	if (r == 0)
		r = review_ask(rv, args, &files, NULL, e);
	/* Of several applies each has its files, the same ones again and again. */
	if (!app->quiet && !app->json &&
	    (!json_get(args, "after") || log_get_level() >= LOG_INFO))
		reviewlines_stat(&(struct reviewlines){ .app = app, .out = app->err },
				 files, true);
	tell_undone(app, files);
	return r;
}

int reviewshow_undo(const struct app *app, const struct review *rv,
		    const struct json *args, struct err *e)
{
	_cleanup_signals_ struct signals_held held = SIGNALS_HELD_NONE;
	int r = signals_hold(&held, e) ?: undo(app, rv, args, e);

	if (r == 0 || !has_come(&held)) /* no kill ended it */
		(void)checkpoint_rewind(rv->dir->dirfd, -1, ERR_IGNORED);
	return say_half(app, rv, &held, r, e);
}

/* One operation on what is left: that is what is held. By no names, of which there may be
 * more than a command line takes. */
static int on_held(const struct review *rv, struct json *all, struct json **ret,
		   FILE *out, struct err *e)
{
	json_set_str(all, "policy", "all");
	json_set_bool(all, "overwrite", true);
	return json_failed(all) < 0 ? err_sys(e, -ENOMEM, "cannot say what is meant")
				    : review_ask(rv, all, ret, out, e);
}

static struct json *op_with(const struct json *args, const char *op)
{
	struct json *all = json_dup(args);

	json_set_str(all, "op", op);
	if (strcmp(op, "merge") == 0) {
		json_set_str(all, "op", "apply");
		json_set_bool(all, "merge", true);
	}
	return all;
}

/* Its letter, for a letter or a whole word alone: who types "abort" applies nothing.
 * '?' = no answer that is known; 0 = none at all. */
static char answer(const struct reviewshow *s, const char *question)
{
	static const struct {
		const char *word;
		char c;
	} words[] = {
		{ "a", 'a' }, { "apply", 'a' },	  { "m", 'm' }, { "merge", 'm' },
		{ "d", 'd' }, { "diff", 'd' },	  { "f", 'f' }, { "files", 'f' },
		{ "k", 'k' }, { "keep", 'k' },	  { "n", 'k' }, { "no", 'k' },
		{ "x", 'x' }, { "discard", 'x' },
	};
	char line[16] = "", c = 0;
	size_t n = 0;

	confirm_fresh(s->in);
	confirm_put(s->out, question, false);
	for (; sys_read(s->in, &c, 1) == 1 && c != '\n'; n++)
		if (n < sizeof(line) - 1)
			line[n] = c;
	if (c != '\n') /* the terminal shows nothing for an end */
		fputc('\n', s->out);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i].word) == n && strcasecmp(line, words[i].word) == 0)
			return words[i].c;
	return n ? '?' : 0;
}

static int take_held(const struct reviewshow *s, const struct review *rv,
		     struct json *all, struct err *e)
{
	_cleanup_signals_ struct signals_held signals = SIGNALS_HELD_NONE;
	_cleanup_json_ struct json *told = NULL;
	int r = signals_hold(&signals, e) ?: on_held(rv, all, &told, NULL, e);

	tell_undone(s->app, told);
	if (r == 0 && has_git(told))
		r = take_git(s, rv, e);
	if (r < 0)
		return say_half(s->app, rv, &signals, r, e);
	return (reviewlines_count(told, true) ? HELD_TAKEN : 0) |
	       (reviewlines_count(told, false) ? HELD_STAYS : 0) |
	       (has_failed(told) ? HELD_FAILED : 0);
}

/* Return: -ESTALE = it is not what was shown; or as settle(). */
static int end_held(const struct reviewshow *s, struct review *rv, const char *op,
		    const struct json *args, const char *seen, struct err *e)
{
	_cleanup_json_ struct json *all = op_with(args, op);
	int r;

	json_set_str(all, "seen", seen); /* what is shown is what is agreed to, too */
	if (strcmp(op, "patch") == 0)
		return on_held(rv, all, NULL, s->out, e);
	if (strcmp(op, "apply") == 0 || strcmp(op, "merge") == 0)
		return take_held(s, rv, all, e);
	r = on_held(rv, all, NULL, NULL, e);
	return r < 0 ? r : HELD_GONE;
}

/* As settle(); 0: the person is asked again. */
static int settle_by(const struct reviewshow *s, struct review *rv, const char *op,
		     const struct json *args, const char *seen, struct err *e)
{
	int r = review_again(rv, e);

	if (r == -EBUSY) {
		render_note(s->app, "%s", e->msg);
		*e = ERR_NONE;
		return 0;
	}
	if (r == 0 && rv->running && strcmp(op, "discard") == 0) {
		render_note(s->app, "the box is in use: once it is stopped 'cubby "
				    "discard' does it");
		return 0;
	}
	return r < 0 ? r : end_held(s, rv, op, args, seen, e);
}

static const char changed_since[] = "it has changed since it was shown; by now:";

/* The box has gone on, or somebody has worked on the project: what is left by now. */
static int show_again(const struct reviewshow *s, const struct review *rv,
		      const struct json *args, struct reviewheld *h, const char *line,
		      struct err *e)
{
	_cleanup_json_ struct json *diff = op_with(args, "diff");
	int r;

	*e = ERR_NONE;
	render_note(s->app, "%s", line);
	json_free(&h->list);
	h->all = true;
	r = on_held(rv, diff, &h->list, NULL, e);
	if (r < 0)
		return r;
	reviewlines_stat(&(struct reviewlines){ s->app, s->out }, h->list, false);
	reviewlines_stat(&(struct reviewlines){ s->app, s->out }, h->list, true);
	return reviewheld_seen(h, NULL, h->seen, e);
}

/* ---- one by one -------------------------------------------------------------------------- */

static struct json *only(const struct json *args, const struct json *paths)
{
	struct json *these = json_dup(args);

	(void)json_set(these, "paths", json_dup(paths));
	return these;
}

/* Return: the answer, 'e' where there is none, or a negative errno. */
static int ask_one(const struct reviewshow *s, struct review *rv,
		   const struct json *args, const struct reviewheld *h,
		   const struct json *j, struct err *e)
{
	_cleanup_json_ struct json *path = json_array(), *these = NULL;
	const bool merge = reviewheld_member_is(j, "merge", "clean");
	char seen[HASH_HEX];
	int r;

	json_add(path, json_string(json_get_str(j, "path") ?: ""));
	these = only(args, path);
	r = reviewheld_seen(h, path, seen, e);
	reviewlines_put(&(struct reviewlines){ s->app, s->out }, j);
	while (r == 0) {
		const char c = answer(
			s,
			merge ? "[m]erge, [a]pply the box's, [d]iff, [k]eep, [x] discard?"
			      : "[a]pply, [d]iff, [k]eep, [x] discard?");

		if (c == 'a' || c == 'x' || c == 'k' || (c == 'm' && merge) || !c)
			return c ? c : 'e';
		if (c == 'd')
			r = settle_by(s, rv, "patch", these, seen, e);
		review_let_go(rv);
	}
	return r;
}

/* What is answered is done at the end, in one step that one undo takes back; where no answer
 * comes any more, the rest stays.
 * Return: as settle(); 0: all of it is asked again. */
static int settle_files(const struct reviewshow *s, struct review *rv,
			const struct json *args, struct reviewheld *h, struct err *e)
{
	static const struct {
		char c;
		const char *op;
	} ways[] = { { 'a', "apply" }, { 'm', "merge" }, { 'x', "discard" } };
	_cleanup_json_ struct json *taken = json_array(), *merged = json_array(),
				   *gone = json_array();
	struct json *const paths[ARRAY_SIZE(ways)] = { taken, merged, gone };
	int r, done = 0, rest = 0;

	json_each(it, h->list)
	{
		if (!reviewheld_is(h, it) || reviewheld_is_in(taken, it) ||
		    reviewheld_is_in(merged, it) || reviewheld_is_in(gone, it))
			continue;
		r = ask_one(s, rv, args, h, it, e);
		if (r < 0)
			return r;
		for (size_t i = 0; i < ARRAY_SIZE(ways); i++)
			if (r == ways[i].c)
				json_add(paths[i],
					 json_string(json_get_str(it, "path")));
		rest = r == 'k' || r == 'e' ? HELD_STAYS : rest;
		if (r == 'e')
			break;
	}
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		_cleanup_json_ struct json *these = only(args, paths[i]);
		char seen[HASH_HEX];

		if (!json_len(paths[i]))
			continue;
		r = reviewheld_seen(h, paths[i], seen, e)
			    ?: settle_by(s, rv, ways[i].op, these, seen, e);
		if (r == -ESTALE)
			r = show_again(s, rv, args, h, changed_since, e);
		review_let_go(rv);
		if (r <= 0)
			return r < 0 || !done ? r : done | HELD_STAYS;
		done |= r;
	}
	return done | rest;
}

/* What can be merged; where more is held that is asked for again, with @done so far.
 * Return: as settle(). */
static int settle_merge(const struct reviewshow *s, struct review *rv,
			const struct json *args, struct reviewheld *h, int *done,
			struct err *e)
{
	_cleanup_json_ struct json *paths = json_array(), *these = NULL;
	char seen[HASH_HEX];
	size_t rest = 0;
	int r;

	json_each(it, h->list)
	{
		if (reviewheld_can_merge(h, it))
			json_add(paths, json_string(json_get_str(it, "path")));
		else
			rest += reviewheld_is(h, it);
	}
	these = only(args, paths);
	r = reviewheld_seen(h, paths, seen, e)
		    ?: settle_by(s, rv, "merge", these, seen, e);
	if (r <= 0 || !rest)
		return r;
	*done |= r;
	return show_again(s, rv, args, h, "what is left:", e);
}

/* Whoever thinks keeps no other command from the box; what that changes is seen after.
 * Return: what became of them, or a negative errno. */
static int settle(const struct reviewshow *s, struct review *rv,
		  const struct json *args, struct reviewheld *h, struct err *e)
{
	static const struct {
		char c;
		const char *op;
	} ways[] = { { 'a', "apply" }, { 'd', "patch" }, { 'x', "discard" } };
	int r = reviewheld_seen(h, NULL, h->seen, e), done = 0;

	while (r == 0) {
		review_let_go(rv);
		const bool merge = reviewheld_can_merge_any(h);
		const char c = answer(s, merge ? "[a]pply them, [m]erge, [d]iff, "
						 "[f]iles one by one, [k]eep them in "
						 "the box, [x] discard?"
					       : "[a]pply them, [d]iff, [f]iles one "
						 "by one, [k]eep them in the box, "
						 "[x] discard?");

		if (c == 'k' || !c)
			return HELD_STAYS | done;
		if (c == 'm' && merge)
			r = settle_merge(s, rv, args, h, &done, e);
		if (c == 'f')
			r = settle_files(s, rv, args, h, e);
		for (size_t i = 0; i < ARRAY_SIZE(ways); i++)
			if (c == ways[i].c)
				r = settle_by(s, rv, ways[i].op, args, h->seen, e);
		if (r == -ESTALE)
			r = show_again(s, rv, args, h, changed_since, e);
	}
	return r < 0 ? r : r | done;
}

/* What is merged and held all the same, for what it is. */
static void named_merge(const struct reviewshow *s, const struct reviewheld *h)
{
	if (reviewheld_can_merge_any(h))
		render_note(s->app,
			    "'cubby apply --merge PATH' takes over what is merged "
			    "and held for another reason");
}

/* Return: as settle() */
static int tell_held(const struct reviewshow *s, struct review *rv,
		     const struct json *args, const struct json *list, struct err *e)
{
	_cleanup_(reviewheld_done) struct reviewheld h = { .list = json_dup(list) };
	size_t held = reviewlines_count(list, false);

	render_note(s->app, "%zu change%s held%s", held, held == 1 ? " is" : "s are",
		    s->meanwhile ? " until you leave" : ":");
	if (!s->app->quiet && !s->app->json && !s->meanwhile)
		reviewlines_stat(&(struct reviewlines){ s->app, s->out }, list, false);
	if (s->in < 0 && json_get_bool(args, "merge", false))
		named_merge(s, &h);
	else if (s->in < 0 && reviewheld_can_merge_any(&h))
		render_note(s->app,
			    "'cubby apply --merge' puts together what both have "
			    "changed, where no line is changed by both");
	return s->in >= 0 ? settle(s, rv, args, &h, e) : HELD_STAYS;
}

/* What is answered after a while is taken back together with what went before the question. */
static struct json *one_unit(const struct json *given)
{
	struct json *args = json_dup(given);
	struct timespec now = sys_wall();
	char unit[64];

	snprintf(unit, sizeof(unit), "%lld.%09ld-%d", (long long)now.tv_sec,
		 now.tv_nsec, (int)sys_getpid());
	json_set_str(args, "unit", unit);
	return args;
}

/* Whether any of what stays is something that an apply takes when it is named: at once, or,
 * where both sides have changed it, with an option. */
static bool can_take(const struct json *list, bool conflict)
{
	json_each(it, list)
	{
		if (json_get_str(it, "class") && !json_get_bool(it, "chosen", false) &&
		    !json_get_bool(it, "never", false) &&
		    json_get_bool(it, "conflict", false) == conflict)
			return true;
	}
	return false;
}

static bool has_overlaps(const struct json *list)
{
	json_each(it, list)
	{
		if (reviewheld_member_is(it, "merge", "conflicts"))
			return true;
	}
	return false;
}

static void note_kept(const struct reviewshow *s, const struct review *rv,
		      const struct json *list)
{
	const bool named = can_take(list, false), both = can_take(list, true);

	render_note(s->app, "kept in the box; 'cubby diff' shows it%s%s%s",
		    named ? ", 'cubby apply PATH' takes it over" : "",
		    !both ? ""
		    : has_overlaps(list)
			    ? ", 'cubby apply --markers PATH' takes over both sides' "
			      "lines, --overwrite the box's"
			    : ", 'cubby apply --overwrite PATH' takes the box's over",
		    named || both || rv->running
			    ? ""
			    : ", 'cubby discard PATH' throws it away");
}

/* What nobody has to be asked about. */
static int take_free(const struct reviewshow *s, const struct review *rv,
		     const struct json *args, struct json **list, struct err *e)
{
	_cleanup_signals_ struct signals_held signals = SIGNALS_HELD_NONE;
	int r = json_failed(args) < 0 ? err_sys(e, -ENOMEM, "cannot say what to apply")
				      : signals_hold(&signals, e)
						?: review_ask(rv, args, list, NULL, e);

	if (s->app->json && json_len(*list)) {
		_cleanup_json_ struct json *told = json_object();

		json_set(told, "review", json_dup(*list));
		if (s->out == s->app->out)
			(void)render_json(s->app, told);
		else
			render_json_note(s->app, told);
	}
	if (r == 0 && !s->app->quiet &&
	    !s->app->json) /* else it is what was meant to be */
		reviewlines_stat(&(struct reviewlines){ s->app, s->out }, *list, true);
	tell_undone(s->app, *list);
	if (r == 0 && has_git(*list))
		r = take_git(s, rv, e);
	return say_half(s->app, rv, &signals, r, e);
}

/* @list has what was taken over, or stays, of the paths that were named. */
static int check_named(const struct json *args, const struct json *list, struct err *e)
{
	json_each(named, json_get(args, "paths"))
	{
		const char *want =
			json_str(named); /* "/a" of the project, "/" all of it */
		bool there = !want[1];

		json_each(it, list)
		{
			const char *has = json_get_str(it, "path");

			there |=
				has && (text_is_in(has, want) || text_is_in(want, has));
		}
		if (!there)
			return err_set(e, -ENOENT, "the box has not changed '%s'",
				       want + 1);
	}
	return 0;
}

int reviewshow_take(const struct reviewshow *s, struct review *rv,
		    const struct json *given, struct err *e)
{
	_cleanup_json_ struct json *args = one_unit(given), *list = NULL;
	int r = take_free(s, rv, args, &list, e);

	if (r == 0 && reviewlines_count(list, false))
		r = tell_held(s, rv, args, list, e);
	if (r < 0)
		return r;
	if ((reviewlines_count(list, true) || r & HELD_TAKEN) && !s->elsewhere)
		render_note(s->app, "'%s' takes back what was taken over",
			    s->meanwhile ? "/undo" : "cubby undo");
	if (r & HELD_STAYS && !s->meanwhile)
		note_kept(s, rv, list);
	if (check_named(args, list, e) < 0)
		return e->code;
	if (s->asked && s->app->live && !json_len(list))
		render_note(s->app, "nothing waits to be taken over");
	return has_failed(list) || r & HELD_FAILED;
}

static struct json *list_of(const struct config *c, enum config_key k)
{
	struct json *list = json_array();

	for (const char *const *p = config_list(c, k); *p; p++)
		json_add(list, json_string(*p));
	return list;
}

int reviewshow_rules(const struct config *c, struct json *args, struct err *e)
{
	json_set_str(args, "policy", config_text(c, CONFIG_APPLY));
	json_set(args, "allow", list_of(c, CONFIG_APPLY_ALLOW));
	json_set(args, "deny", list_of(c, CONFIG_APPLY_DENY));
	return json_failed(args) < 0 ? err_sys(e, -ENOMEM, "cannot say what to apply")
				     : 0;
}

static int take_by_config(const struct app *app, const struct review *of,
			  enum review_for what, struct err *e)
{
	_cleanup_review_ struct review rv = REVIEW(of->dir, of->spec);
	_cleanup_json_ struct json *args = review_args("apply");
	const char *policy = config_text(app->config, CONFIG_APPLY);
	bool ask = what != REVIEW_WITHIN && tty_is(STDIN_FILENO) &&
		   tty_is(fileno(app->err)) && !app->json &&
		   strcmp(policy, "never") != 0;
	struct reviewshow show = { .app = app,
				   .out = app->err,
				   .in = ask ? STDIN_FILENO : -1,
				   .meanwhile = what == REVIEW_WITHIN };
	int r;

	if (rv.spec->project_mode != PROJECT_REVIEW)
		return 0;
	r = reviewshow_rules(app->config, args, e) ?: review_open(&rv, what, e);
	if (r == -EBUSY) {
		render_note(app, "%s; 'cubby apply' takes over what waits in the box",
			    e->msg);
		*e = ERR_NONE;
	}
	if (r < 0)
		return r == -EBUSY || r == -ENOENT ? 0 : r;
	return reviewshow_take(&show, &rv, args, e);
}

int reviewshow_end(const struct app *app, const struct review *rv, struct err *e)
{
	return take_by_config(app, rv, REVIEW_GIVE, e);
}

int reviewshow_meanwhile(const struct app *app, const struct review *rv, struct err *e)
{
	return take_by_config(app, rv, REVIEW_WITHIN, e);
}
