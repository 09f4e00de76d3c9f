#include "rootfs/review/layer_outside.h"

#include <inttypes.h>
#include <string.h>

#include "base/dirscan.h"
#include "base/file.h"
#include "base/sys/sys.h"
#include "rootfs/git/takeover.h"
#include "rootfs/store/tree.h"

/* No name of a project's begins so: see layer_git_state(). */
static const char state_name[] = "/outside";

static int fail(struct err *e, int code)
{
	return err_sys(e, code,
		       "cannot prepare the review of the project's repository");
}

/* 0 = there is nothing. */
static mode_t mode_of(int root, const char *path)
{
	_cleanup_close_ int fd = takeover_open(root, path, O_PATH);
	struct stat st;

	return fd < 0 || sys_fstat(fd, &st) < 0 ? 0 : st.st_mode;
}

/* ---- which it is ------------------------------------------------------------------------ */

static int inode_of(int dir, uint64_t *ret)
{
	struct stat st;
	int r = dir < 0 ? 0 : sys_fstat(dir, &st);

	if (r == 0)
		*ret = dir < 0 ? 0 : st.st_ino;
	return r;
}

/* By inodes: it may have been moved, to where 'git worktree repair' says. */
static int identify(const struct git_outside *o, struct layer_of *ret)
{
	return inode_of(o->common, &ret->common) ?: inode_of(o->tree, &ret->tree);
}

static bool is_same(const struct layer_of *a, const struct layer_of *b)
{
	return a->common == b->common && a->tree == b->tree;
}

bool layer_outside_is(const struct layer *l, const char *path)
{
	return l->outside >= 0 && strcmp(path, LAYER_OUTSIDE) == 0 &&
	       !S_ISDIR(mode_of(l->project, LAYER_OUTSIDE));
}

/* ---- what is in it ---------------------------------------------------------------------- */

struct walking {
	layer_outside_fn *fn;
	void *ctx;
	enum git_take_where where;
};

static int walk_one(void *ctx, const struct upper_entry *x, struct err *e)
{
	const struct walking *w = ctx;

	return w->fn(w->ctx, w->where, x, e);
}

int layer_outside_walk(const struct layer *l, layer_outside_fn *fn, void *ctx,
		       struct err *e)
{
	struct walking w = { fn, ctx, l->tree < 0 ? GIT_TAKE_ALONE : GIT_TAKE_COMMON };
	int r = l->outside < 0 ? 0 : upper_walk(l->outside, walk_one, &w, e);

	w.where = GIT_TAKE_TREE;
	return r < 0 || l->tree < 0 ? r : upper_walk(l->tree, walk_one, &w, e);
}

int layer_outside_sign(const struct layer *l, uint64_t *ret, struct err *e)
{
	uint64_t own = 0;
	int r;

	*ret = 0;
	r = l->outside < 0 ? 0 : upper_sign(l->outside, ret, e);
	if (r == 0 && l->tree >= 0)
		r = upper_sign(l->tree, &own, e);
	*ret += own;
	return r;
}

bool layer_outside_left(const struct layer *l)
{
	uint64_t sign = 0;

	return l->outside >= 0 && !layer_outside_is(l, LAYER_OUTSIDE) &&
	       (layer_outside_sign(l, &sign, ERR_IGNORED) < 0 || sign);
}

static int look_for_git(void *ctx, enum git_take_where where,
			const struct upper_entry *x, struct err *)
{
	*(bool *)ctx |= x->kind != UPPER_DIR && x->kind != UPPER_LEFT &&
			!git_take_held(x->path, where);
	return 0;
}

static bool is_pending(const struct layer *l)
{
	bool found = false;

	return layer_outside_walk(l, look_for_git, &found, ERR_IGNORED) < 0 || found;
}

/* ---- on the host ------------------------------------------------------------------------ */

void layer_outside_close(struct layer_outside *o)
{
	git_outside_close(&o->is);
	*o = LAYER_OUTSIDE_NONE;
}

void layer_outside_conf(const struct layer *l, struct layer_outside *o,
			struct git_take_conf *conf)
{
	o->tree = (struct git_take_tree){ o->is.tree, l->tree };
	conf->git = o->is.common;
	conf->upper = l->outside;
	conf->tree = o->is.tree < 0 ? NULL : &o->tree;
}

int layer_outside_open(const struct layer *l, const char *path,
		       struct layer_outside *ret, struct err *e)
{
	struct layer_outside o = LAYER_OUTSIDE_NONE;
	struct layer_of now = { 0 };
	int r = git_outside_open(l->project, path, &o.is, e);

	if (r < 0)
		return r;
	if (r == 0)
		return err_set(e, -ENOENT,
			       "this directory has no repository outside of it");
	r = identify(&o.is, &now);
	if (r < 0)
		fail(e, r);
	else if (l->outside >= 0 && !is_same(&now, &l->of))
		r = err_set(e, -ESTALE,
			    "the repository is another one than the box had");
	if (r < 0) {
		layer_outside_close(&o);
		return r;
	}
	o.of = now;
	*ret = o;
	return 0;
}

void layer_outside_name(const struct layer_of *of, char ret[LAYER_OUTSIDE_NAME])
{
	snprintf(ret, LAYER_OUTSIDE_NAME, "%" PRIu64 " %" PRIu64 "\n", of->common,
		 of->tree);
}

/* Synced: without it nobody would know what the layers are over. */
static int note_which(const struct layer *l, const struct layer_of *of, struct err *e)
{
	char text[LAYER_OUTSIDE_NAME];

	layer_outside_name(of, text);
	return file_replace(l->dir, LAYER_OF,
			    &(struct file_data){ text, strlen(text), 0600 }, e);
}

/* What the box has not given yet keeps its beginning. What cannot be done by meaning is not
 * done at all. */
static int begin_git(const struct layer *l, const struct git_outside *o, struct err *e)
{
	_cleanup_close_ int state = layer_git_state(l, state_name, e);
	const struct git_take_tree tree = { o->tree, l->tree };
	const struct git_take_conf conf = { .git = o->common,
					    .upper = l->outside,
					    .state = state,
					    .tree = o->tree < 0 ? NULL : &tree,
					    .record = -1,
					    .shown = LAYER_OUTSIDE };

	if (state < 0)
		return state;
	return is_pending(l) ? 0 : git_take_begin(&conf, e);
}

int layer_outside_begin(int boxdir, int project, const struct git_outside *o,
			struct err *e)
{
	_cleanup_layer_ struct layer l = LAYER_NONE;
	struct layer_of now = { 0 };
	uint64_t sign = 0;
	int r = identify(o, &now);

	r = r < 0 ? fail(e, r) : layer_open(boxdir, project, &l, e);
	if (r == 0 && !is_same(&now, &l.of)) {
		r = layer_outside_sign(&l, &sign, e);
		if (r == 0 && sign)
			return err_set(
				e, -ESTALE,
				"what waits in the box is of another one; 'cubby "
				"discard .git' throws it away");
		r = r < 0 ? r : note_which(&l, &now, e);
		layer_close(&l);
		r = r < 0 ? r : layer_open(boxdir, project, &l, e);
	}
	return r < 0 ? r : begin_git(&l, o, e);
}

int layer_outside_state(const struct layer *l, struct err *e)
{
	return layer_git_state(l, state_name, e);
}

/* ---- discard ---------------------------------------------------------------------------- */

/* Return: 1; 0: there was nothing; or an errno. */
static int empty(int dir, struct err *e)
{
	struct dirscan s;
	int r = 0, found = 0;

	dirscan_start(&s, dir);
	while (r >= 0 && dirscan_next(&s)) {
		r = tree_remove(dir, s.name, e);
		found = 1;
	}
	r = r < 0 ? r : dirscan_failed(&s, e);
	return r < 0 ? r : found;
}

int layer_outside_discard(const struct layer *l, const char *path, struct err *e)
{
	const int uppers[] = { l->outside, l->tree };
	int found = 0;

	for (size_t i = 0; i < ARRAY_SIZE(uppers); i++) {
		int r = uppers[i] < 0 ? 0
			: *path	      ? layer_remove(uppers[i], path, e)
				      : empty(uppers[i], e);

		if (r < 0)
			return r;
		found |= r;
	}
	return found;
}
