#include "runtime/worker/jobs.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "rootfs/git/host.h"
#include "rootfs/git/take.h"
#include "rootfs/git/takeover.h"
#include "rootfs/git/upper.h"
#include "rootfs/review/apply.h"
#include "rootfs/review/layer_outside.h"
#include "runtime/spec/spec.h"
#include "runtime/worker/reviewtell.h"

static void say_git(void *, const char *line)
{
	_cleanup_json_ struct json *j = json_object();

	json_set_str(j, "git", line);
	(void)reviewtell_line(j, ERR_IGNORED);
}

/* A repository of the project, and what the layer has of it. */
struct repo {
	struct git_take_conf conf; /* its descriptors are owned, but for @outside's */
	struct layer_outside outside; /* owned */
	bool is_outside;
};

static void close_repo(struct repo *x)
{
	if (!x->is_outside) {
		scope_close(&x->conf.git);
		scope_close(&x->conf.upper);
	}
	scope_close(&x->conf.state);
	layer_outside_close(&x->outside);
}
#define _cleanup_repo_ _cleanup_(close_repo)

struct job {
	struct layer layer;	/* owned */
	char project[PATH_MAX]; /* its real path */
};

static void open_within(const struct job *j, const char *path, struct repo *ret)
{
	enum { DIR = O_RDONLY | O_DIRECTORY };

	ret->conf.git = takeover_open(j->layer.project, path, DIR);
	ret->conf.upper = takeover_open(j->layer.upper, path, DIR);
}

/* What is taken over only into that of which the layers are. */
static int open_outside(const struct job *j, struct repo *ret, struct err *e)
{
	int r = layer_outside_open(&j->layer, j->project, &ret->outside, e);

	ret->is_outside = true;
	if (r < 0)
		return r;
	layer_outside_conf(&j->layer, &ret->outside, &ret->conf);
	return 0;
}

static struct git_take_conf conf_of(const char *path, int record)
{
	return (struct git_take_conf){ .git = -1,
				       .upper = -1,
				       .state = -1,
				       .record = record,
				       .shown = path,
				       .listed = true,
				       .offline = true,
				       .say = say_git };
}

/* Return: 1; 0 = there is nothing to be done, and that was said if it matters. */
static int open_repo(const struct job *j, const char *path, int record,
		     struct repo *ret, struct err *e)
{
	struct err why = ERR_NONE;
	char line[sizeof(why.msg) + 64];
	int r;

	*ret = (struct repo){ .conf = conf_of(path, record),
			      .outside = LAYER_OUTSIDE_NONE };
	if (!layer_outside_is(&j->layer, path)) {
		open_within(j, path, ret);
		if (ret->conf.git < 0 || ret->conf.upper < 0)
			return 0;
		ret->conf.state = layer_git_state(&j->layer, path, e);
	} else if (open_outside(j, ret, &why) == 0) {
		ret->conf.state = layer_outside_state(&j->layer, e);
	} else {
		snprintf(line, sizeof(line),
			 "kept in the box: all that it changed in %s (%s)", path,
			 why.msg);
		say_git(NULL, line);
		return 0;
	}
	r = ret->conf.state;
	return r < 0 ? r : 1;
}

static int sign_of(const struct job *j, const struct repo *x, uint64_t *ret,
		   struct err *e)
{
	return x->is_outside ? layer_outside_sign(&j->layer, ret, e)
			     : upper_sign(x->conf.upper, ret, e);
}

/* ---- which repository outside of the project it was ------------------------------------- */

static const char noted[] = "of";

static int note_which(const struct repo *x, int record, struct err *e)
{
	char text[LAYER_OUTSIDE_NAME];

	if (!x->is_outside)
		return 0;
	layer_outside_name(&x->outside.of, text);
	return file_replace_soon(record, noted,
				 &(struct file_data){ text, strlen(text), 0600 }, e);
}

static bool is_noted(const struct repo *x, int record)
{
	_cleanup_buf_ struct buf text = BUF_INIT(64);
	char now[LAYER_OUTSIDE_NAME];

	layer_outside_name(&x->outside.of, now);
	return takeover_read(record, noted, &text) == 0 &&
	       strcmp(buf_cstr(&text), now) == 0;
}

/* ---- taken over, and back ------------------------------------------------------------------ */

/* "taken" in @record: nothing was kept as a whole, so the layer can be rid of it. */
static int take_git(const struct job *j, const char *path, int record, struct err *e)
{
	_cleanup_repo_ struct repo x;
	uint64_t sign = 0;
	int r = open_repo(j, path, record, &x, e);

	if (r <= 0)
		return r;
	r = sign_of(j, &x, &sign, e);
	if (r < 0 || !sign)
		return 0;
	r = note_which(&x, record, e);
	if (r < 0)
		return r;
	r = git_take_over(&x.conf, e);
	return r != 0 ? MIN(r, 0)
		      : file_replace(record, "taken",
				     &(struct file_data){ "", 0, 0600 }, e);
}

/* Empty by now, or it stays. A box may exchange what is on the way for a link to the host. */
static void drop_dir(int upper, const char *path)
{
	const char *name;
	_cleanup_close_ int dir = takeover_parent(upper, path, false, &name);

	if (dir >= 0)
		(void)sys_unlinkat(dir, name, AT_REMOVEDIR);
}

static int clean_git(const struct job *j, const char *path, int record, struct err *e)
{
	_cleanup_repo_ struct repo x = { .conf = conf_of(path, record),
					 .outside = LAYER_OUTSIDE_NONE };
	int r = diff_look(record, "taken").mode ? open_repo(j, path, record, &x, e) : 0;

	if (r <= 0)
		return r;
	r = git_take_clean(&x.conf, e);
	if (r == 0 && !x.is_outside)
		drop_dir(j->layer.upper, path);
	return MIN(r, 0);
}

/* Where the project had its own there may be a worktree's now, and the other way round, or that
 * of another: refs of the same names and values there are nobody's to take back. */
static int open_back(const struct job *j, const char *path, struct repo *ret)
{
	const int record = ret->conf.record;

	if (!diff_look(record, noted).mode)
		open_within(j, path, ret);
	else if (open_outside(j, ret, ERR_IGNORED) == 0 && !is_noted(ret, record))
		ret->conf.git = -1;
	return ret->conf.git;
}

static int back_git(const struct job *j, const char *path, int record, struct err *e)
{
	_cleanup_repo_ struct repo x = { .conf = conf_of(path, record),
					 .outside = LAYER_OUTSIDE_NONE };
	char line[PATH_MAX + 64], shown[PATH_MAX];

	x.conf.offline = false;
	if (open_back(j, path, &x) >= 0)
		return git_take_back(&x.conf, e);
	snprintf(line, sizeof(line),
		 "%s: left as it is: the git directory of then is not there any more",
		 text_escaped(shown, sizeof(shown), path, strlen(path)));
	say_git(NULL, line);
	return 0;
}

/* All git directories of the apply @n. */
static int each_git(const struct job *j, int boxdir, int n,
		    int (*fn)(const struct job *j, const char *path, int record,
			      struct err *e),
		    struct err *e)
{
	_cleanup_buf_ struct buf gits = BUF_INIT(LAYER_TEXT);
	_cleanup_close_ int dir = apply_gits(boxdir, n, &gits, e);
	unsigned i = 0;
	int r = dir;

	if (r >= 0 && fn == back_git)
		apply_undoing(dir, true);
	for (const char *p = buf_cstr(&gits), *end = p + gits.len; p < end && r >= 0;
	     p += strlen(p) + 1) {
		_cleanup_close_ int record = -1;
		char name[32];

		snprintf(name, sizeof(name), "git-%u", i++);
		r = record = file_make_dir(dir, name, 0700, e);
		/* A git whose worker was killed has it until it comes to its end. */
		if (r >= 0 && (r = sys_flock(record, LOCK_EX)) < 0)
			err_sys(e, r, "cannot wait for git");
		if (r >= 0)
			r = fn(j, p, record, e);
	}
	return r >= 0 && fn == take_git ? apply_gits_done(dir, e) : MIN(r, 0);
}

static int take_open(const struct job *j, int boxdir, struct err *e)
{
	int n = apply_open(boxdir, e);
	int r = n <= 0 ? n : each_git(j, boxdir, n, take_git, e);

	return r < 0 || n <= 0 ? r : each_git(j, boxdir, n, clean_git, e);
}

/* What a kill has left of it in the layer, unless the box has gone on with that: else the box
 * would still have what is taken back. */
static int clean_closed(const struct job *j, int boxdir, int n, struct err *e)
{
	char name[64];

	snprintf(name, sizeof(name), "applied/%d/gits-done", n);
	return diff_look(boxdir, name).mtime > j->layer.began
		       ? each_git(j, boxdir, n, clean_git, e)
		       : 0;
}

/* One that fails says so; of one that is killed the next apply does. Nor do those wait for it
 * whose git was back before: their files are here, so none of them is half undone. */
static void not_undoing(int boxdir, int n, int newest)
{
	for (; n > 0 && n <= newest; n++) {
		char name[64];
		_cleanup_close_ int dir = -1;

		snprintf(name, sizeof(name), "applied/%d", n);
		dir = sys_openat(boxdir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
		if (dir >= 0)
			apply_undoing(dir, false);
	}
}

/* The newest first. @after: -1 = only that one, and those that it goes on with. */
static int back_after(const struct job *j, int boxdir, int64_t after, bool running,
		      struct err *e)
{
	int n = apply_last(boxdir, e), r = MIN(n, 0), newest = n, at = n;

	while (r == 0 && n > 0 && n > after) {
		at = n;
		if (after < 0 && !running)
			r = clean_closed(j, boxdir, n, e);
		if (r == 0)
			r = each_git(j, boxdir, n, back_git, e);
		if (after < 0 && !apply_is_more(boxdir, n))
			break;
		if (r == 0)
			r = n = n > 1 ? apply_before(boxdir, n, e) : 0;
		r = MIN(r, 0);
	}
	if (r < 0)
		not_undoing(boxdir, at, newest);
	return r;
}

static void job_done(struct job *j)
{
	layer_close(&j->layer);
}

int reviewgit_job(int dir, const char *arg, const struct idmap *, struct json **,
		  struct err *e)
{
	_cleanup_(job_done) struct job j = { .layer = LAYER_NONE };
	_cleanup_json_ struct json *args = NULL;
	int r = json_parse(arg ?: "", strlen(arg ?: ""), &args, e);

	if (r < 0)
		return r;
	if (spec_path(args, "project", j.project) < 0)
		return err_set(e, -EINVAL, "bad path of a project");
	r = layer_open(dir, STDIN_FILENO, &j.layer, e) ?: git_host_confine(dir, e);
	if (r < 0)
		return r;
	return json_is(args, "op", "undo")
		       ? back_after(&j, dir, json_get_int(args, "after", -1),
				    json_get_bool(args, "running", false), e)
		       : take_open(&j, dir, e);
}
