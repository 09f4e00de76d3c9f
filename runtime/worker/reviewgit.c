#include "runtime/worker/reviewgit.h"

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
#include "rootfs/review/layer.h"
#include "runtime/worker/reviewtell.h"

static void say_git(void *ctx, const char *line)
{
	_cleanup_json_ struct json *j = json_object();
	struct err ignored = ERR_NONE;

	(void)ctx;
	json_set_str(j, "git", line);
	(void)reviewtell_line(j, &ignored);
}

/* What git_take_over() and git_take_clean() work on; the descriptors are owned. */
static struct git_take_conf open_git(const struct layer *l, const char *path,
				     int record)
{
	enum { DIR = O_RDONLY | O_DIRECTORY };

	return (struct git_take_conf){ .git = takeover_open(l->project, path, DIR),
				       .upper = takeover_open(l->upper, path, DIR),
				       .state = -1,
				       .record = record,
				       .shown = path,
				       .offline = true,
				       .say = say_git };
}

static void close_git(struct git_take_conf *conf)
{
	scope_close(&conf->git);
	scope_close(&conf->upper);
	scope_close(&conf->state);
}

/* "taken" in @record: nothing was kept as a whole, so the layer can be rid of it. */
static int take_git(const struct layer *l, const char *path, int record, struct err *e)
{
	_cleanup_(close_git) struct git_take_conf conf = open_git(l, path, record);
	uint64_t sign = 0;
	int r;

	if (conf.git < 0 || conf.upper < 0 || upper_sign(conf.upper, &sign, e) < 0 ||
	    !sign)
		return 0;
	r = conf.state = layer_git_state(l, path, e);
	if (r >= 0)
		r = git_take_over(&conf, e);
	return r != 0 ? MIN(r, 0)
		      : file_replace(record, "taken",
				     &(struct file_data){ "", 0, 0600 }, e);
}

static int clean_git(const struct layer *l, const char *path, int record, struct err *e)
{
	_cleanup_(close_git) struct git_take_conf conf = open_git(l, path, record);
	int r;

	if (conf.git < 0 || conf.upper < 0 || !diff_look(record, "taken").mode)
		return 0;
	r = conf.state = layer_git_state(l, path, e);
	if (r >= 0)
		r = git_take_clean(&conf, e);
	if (r == 0) /* empty by now, or it stays */
		(void)sys_unlinkat(l->upper, path, AT_REMOVEDIR);
	return MIN(r, 0);
}

static int back_git(const struct layer *l, const char *path, int record, struct err *e)
{
	_cleanup_close_ int git =
		takeover_open(l->project, path, O_RDONLY | O_DIRECTORY);
	struct git_take_conf conf = { .git = git,
				      .upper = -1,
				      .state = -1,
				      .record = record,
				      .shown = path,
				      .say = say_git };
	char line[PATH_MAX + 64], shown[PATH_MAX];

	if (git >= 0)
		return git_take_back(&conf, e);
	snprintf(line, sizeof(line),
		 "%s: left as it is: it is no git directory any more",
		 text_escaped(shown, sizeof(shown), path, strlen(path)));
	say_git(NULL, line);
	return 0;
}

/* All git directories of the apply @n. */
static int each_git(const struct layer *l, int boxdir, int n,
		    int (*fn)(const struct layer *l, const char *path, int record,
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
		r = file_mkdirs(dir, name, 0700, e);
		if (r == 0)
			r = record = file_open_dir(dir, name, e);
		/* A git whose worker was killed has it until it comes to its end. */
		if (r >= 0 && (r = sys_flock(record, LOCK_EX)) < 0)
			err_sys(e, r, "cannot wait for git");
		if (r >= 0)
			r = fn(l, p, record, e);
	}
	/* One that fails says so; of one that is killed the next apply does. */
	if (dir >= 0 && r < 0 && fn == back_git)
		apply_undoing(dir, false);
	return r >= 0 && fn == take_git ? apply_gits_done(dir, e) : MIN(r, 0);
}

static int take_open(const struct layer *l, int boxdir, struct err *e)
{
	int n = apply_open(boxdir, e);
	int r = n <= 0 ? n : each_git(l, boxdir, n, take_git, e);

	return r < 0 || n <= 0 ? r : each_git(l, boxdir, n, clean_git, e);
}

/* What a kill has left of it in the layer, unless the box has gone on with that: else the box
 * would still have what is taken back. */
static int clean_closed(const struct layer *l, int boxdir, int n, struct err *e)
{
	char name[64];

	snprintf(name, sizeof(name), "applied/%d/gits-done", n);
	return diff_look(boxdir, name).mtime > l->began
		       ? each_git(l, boxdir, n, clean_git, e)
		       : 0;
}

/* The newest first. @after: -1 = only that one, and those that it goes on with. */
static int back_after(const struct layer *l, int boxdir, int64_t after, bool running,
		      struct err *e)
{
	int n = apply_last(boxdir, e), r = MIN(n, 0);

	while (r == 0 && n > 0 && n > after) {
		if (after < 0 && !running)
			r = clean_closed(l, boxdir, n, e);
		if (r == 0)
			r = each_git(l, boxdir, n, back_git, e);
		if (after < 0 && !apply_is_more(boxdir, n))
			break;
		if (r == 0)
			r = n = n > 1 ? apply_before(boxdir, n, e) : 0;
		r = MIN(r, 0);
	}
	return r;
}

int reviewgit_job(int dir, const char *arg, const struct idmap *map, struct json **ret,
		  struct err *e)
{
	_cleanup_layer_ struct layer l = LAYER_NONE;
	_cleanup_json_ struct json *args = NULL;
	int r = json_parse(arg ?: "", strlen(arg ?: ""), &args, e);

	(void)map;
	(void)ret;
	if (r < 0)
		return r;
	r = layer_open(dir, STDIN_FILENO, &l, e) ?: git_host_confine(dir, e);
	if (r < 0)
		return r;
	return strcmp(json_get_str(args, "op") ?: "", "undo") == 0
		       ? back_after(&l, dir, json_get_int(args, "after", -1),
				    json_get_bool(args, "running", false), e)
		       : take_open(&l, dir, e);
}
