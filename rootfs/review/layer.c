#include "rootfs/review/layer.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "rootfs/git/dirs.h"
#include "rootfs/git/take.h"
#include "rootfs/git/takeover.h"
#include "rootfs/git/upper.h"
#include "rootfs/store/tree.h"

static int fail(struct err *e, int code)
{
	return err_sys(e, code, "cannot prepare the review of the project");
}

void layer_close(struct layer *l)
{
	scope_close(&l->dir);
	scope_close(&l->upper);
	scope_close(&l->outside);
	scope_close(&l->tree);
	buf_done(&l->since);
	buf_done(&l->gits);
	free(l->list);
	*l = LAYER_NONE;
}

/* ---- since when ------------------------------------------------------------------------ */

static const char *path_of(const char *record)
{
	const char *blank = strchr(record, ' ');

	return blank ? blank + 1 : "";
}

static int by_path(const void *a, const void *b)
{
	return strcmp(path_of(*(const char *const *)a),
		      path_of(*(const char *const *)b));
}

/* The first record has no path: it is the last run's. */
static int read_since(struct layer *l, struct err *e)
{
	const char *p, *end;
	size_t n = 0;

	for (size_t i = 0; i < l->since.len; i++)
		n += !l->since.data[i];
	l->list = calloc(n + 1, sizeof(*l->list));
	if (!l->list)
		return fail(e, -ENOMEM);
	p = buf_cstr(&l->since);
	end = p + l->since.len;
	for (l->began = strtoull(p, NULL, 10); p < end; p += strlen(p) + 1)
		if (*path_of(p))
			l->list[l->n++] = p;
	qsort(l->list, l->n, sizeof(*l->list), by_path);
	return 0;
}

uint64_t layer_since(const struct layer *l, const char *path)
{
	size_t from = 0, to = l->n;

	while (from < to) {
		size_t mid = (from + to) / 2;
		int order = strcmp(path, path_of(l->list[mid]));

		if (order == 0)
			return strtoull(l->list[mid], NULL, 10);
		if (order < 0)
			to = mid;
		else
			from = mid + 1;
	}
	return l->began;
}

struct noting {
	const struct layer *layer;
	struct buf text;
};

static int note_one(void *ctx, const struct upper_entry *x, struct err *e)
{
	struct noting *n = ctx;

	if (x->kind == UPPER_LEFT || x->kind == UPPER_DIR)
		return 0;
	if (buf_addf(&n->text, "%" PRIu64 " %s", layer_since(n->layer, x->path),
		     x->path) < 0 ||
	    buf_addc(&n->text, '\0') < 0)
		return fail(e, -EMSGSIZE);
	return 0;
}

/* At every start: where it was lost, all that the host has counts as newer, and is held. */
static int write_text(const struct layer *l, const char *name, const struct buf *text,
		      struct err *e)
{
	return file_replace_soon(l->dir, name,
				 &(struct file_data){ text->data, text->len, 0600 }, e);
}

/* What waits in the layer belongs to the run that left it there, whatever comes later. */
static int note_since(const struct layer *l, uint64_t now, struct err *e)
{
	struct noting n = { .layer = l, .text = BUF_INIT(LAYER_TEXT) };
	int r = buf_addf(&n.text, "%" PRIu64 " ", now) ?: buf_addc(&n.text, '\0');

	r = r < 0 ? fail(e, r) : upper_walk(l->upper, note_one, &n, e);
	if (r == 0)
		r = write_text(l, "since", &n.text, e);
	buf_done(&n.text);
	return r;
}

static bool is_among(const struct buf *paths, const char *path)
{
	const char *p = buf_cstr(paths), *end = p + paths->len;

	for (; p < end; p += strlen(p) + 1)
		if (strcmp(p, path) == 0)
			return true;
	return false;
}

static void add_since(struct buf *text, uint64_t when, const char *path)
{
	buf_addf(text, "%" PRIu64 " %s", when, path);
	buf_addc(text, '\0');
}

int layer_renew(const struct layer *l, const struct buf *paths, uint64_t now,
		struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(LAYER_TEXT);
	const char *p = buf_cstr(paths), *end = p + paths->len;

	add_since(&text, l->began, "");
	for (size_t i = 0; i < l->n; i++)
		if (!is_among(paths, path_of(l->list[i])))
			add_since(&text, strtoull(l->list[i], NULL, 10),
				  path_of(l->list[i]));
	for (; p < end; p += strlen(p) + 1)
		add_since(&text, now, p);
	if (buf_failed(&text) < 0)
		return fail(e, buf_failed(&text));
	return file_replace(l->dir, "since",
			    &(struct file_data){ text.data, text.len, 0600 }, e);
}

/* ---- git -------------------------------------------------------------------------------- */

bool layer_is_git(const struct layer *l, const char *path)
{
	const char *p = buf_cstr(&l->gits), *end = p + l->gits.len;

	for (; p < end; p += strlen(p) + 1)
		if (strcmp(p, path) == 0)
			return true;
	return false;
}

const char *layer_in_git(const struct layer *l, const char *path)
{
	const char *p = buf_cstr(&l->gits), *end = p + l->gits.len;

	for (; p < end; p += strlen(p) + 1)
		if (text_is_below(path, p))
			return path + strlen(p) + 1;
	return NULL;
}

int layer_git_state(const struct layer *l, const char *path, struct err *e)
{
	char hex[HASH_HEX], name[32];

	hash_text(path, strlen(path), hex);
	snprintf(name, sizeof(name), "git/%.16s", hex);
	return file_make_dir(l->dir, name, 0700, e);
}

static int look_for_git(void *ctx, const struct upper_entry *x, struct err *)
{
	*(bool *)ctx |= x->kind != UPPER_DIR && x->kind != UPPER_LEFT &&
			!git_take_held(x->path, GIT_TAKE_ALONE);
	return 0;
}

/* Whether something in the layer of a git directory waits to be taken over. */
static bool is_pending(int upper)
{
	bool found = false;

	return upper_walk(upper, look_for_git, &found, ERR_IGNORED) < 0 || found;
}

/* Where the box starts from; what it has not given yet keeps its beginning. */
static int begin_git(const struct layer *l, const char *path, struct err *e)
{
	_cleanup_close_ int state = layer_git_state(l, path, e);
	_cleanup_close_ int git =
		takeover_open(l->project, path, O_RDONLY | O_DIRECTORY);
	_cleanup_close_ int upper =
		takeover_open(l->upper, path, O_RDONLY | O_DIRECTORY);
	struct git_take_conf conf = {
		.git = git, .upper = upper, .state = state, .record = -1, .shown = path
	};

	if (state < 0)
		return state;
	if (git < 0 || (upper >= 0 && is_pending(upper)))
		return 0; /* a file or a link: nothing is taken over */
	(void)git_take_begin(&conf, ERR_IGNORED); /* then its files are what they are */
	return 0;
}

static int add_git(struct layer *l, const char *path, struct err *e)
{
	int r = begin_git(l, path, e) ?: buf_add(&l->gits, path, strlen(path) + 1);

	return r < 0 ? fail(e, r) : 0;
}

static int find_gits(struct layer *l, struct err *e)
{
	static const unsigned kinds[] = { GIT_DIRS_DOT, GIT_DIRS_BARE };
	_cleanup_git_dirs_ struct git_dirs dirs = { .list = NULL };
	char path[PATH_MAX];
	size_t found = 0;
	int r;

	git_dirs_load(l->dir, "dirs", &dirs);
	r = git_dirs_look(l->project, &dirs, e)
		    ?: git_dirs_save(l->dir, "dirs", &dirs, e);
	buf_truncate(&l->gits, 0);
	for (size_t i = 0; i < dirs.n && r == 0; i++)
		for (size_t k = 0; k < ARRAY_SIZE(kinds) && r == 0; k++)
			if (git_dirs_path(&dirs.list[i], kinds[k], path))
				r = found++ < LAYER_GITS ? add_git(l, path, e) : -E2BIG;
	if (r == -E2BIG)
		return err_set(e, r, "it has more than %d repositories",
			       (int)LAYER_GITS);
	if (layer_is_git(l, "."))
		return err_set(e, -EOPNOTSUPP, "it is a bare repository itself");
	if (r < 0)
		return r;
	return write_text(l, "gits", &l->gits, e);
}

/* ---- all -------------------------------------------------------------------------------- */

static int read_text(int dir, const char *name, struct buf *ret, struct err *e)
{
	int r = file_read(dir, name, ret, ERR_IGNORED);

	return r < 0 && r != -ENOENT ? fail(e, r) : 0;
}

static int open_upper(const struct layer *l, const char *path, int *ret, struct err *e)
{
	*ret = takeover_open(l->dir, path, O_RDONLY | O_DIRECTORY);
	return *ret < 0 ? fail(e, *ret) : 0;
}

/* It never had one, mostly. */
static int open_outside(struct layer *l, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(64);
	int r = read_text(l->dir, LAYER_OF, &text, e);

	if (r < 0 || !text.len)
		return r;
	if (sscanf(buf_cstr(&text), "%" SCNu64 " %" SCNu64, &l->of.common,
		   &l->of.tree) != 2)
		return fail(e, -EBADMSG);
	if (l->of.common)
		r = open_upper(l, "outside/upper", &l->outside, e);
	if (r == 0 && l->of.tree)
		r = open_upper(l, "outside-tree/upper", &l->tree, e);
	return r;
}

int layer_open(int boxdir, int project, struct layer *ret, struct err *e)
{
	_cleanup_layer_ struct layer l = LAYER_NONE;
	int r;

	l.project = project;
	l.dir = sys_openat(boxdir, "project", O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	if (l.dir >= 0)
		l.upper = sys_openat(l.dir, "upper",
				     O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	if (l.dir < 0 || l.upper < 0)
		return fail(e, l.dir < 0 ? l.dir : l.upper);
	r = read_text(l.dir, "since", &l.since, e);
	if (r < 0)
		return r;
	r = read_text(l.dir, "gits", &l.gits, e);
	if (r < 0)
		return r;
	r = read_since(&l, e) ?: open_outside(&l, e);
	if (r < 0)
		return r;
	*ret = take(&l, LAYER_NONE);
	return 0;
}

int layer_begin(int boxdir, int project, uint64_t now, struct err *e)
{
	_cleanup_layer_ struct layer l = LAYER_NONE;
	int r = layer_open(boxdir, project, &l, e);

	if (r < 0)
		return r;
	r = note_since(&l, now, e);
	return r < 0 ? r : find_gits(&l, e);
}

int layer_remove(int upper, const char *path, struct err *e)
{
	_cleanup_close_ int above = -1, parent = -1;
	const char *name;

	above = takeover_parent(upper, path, false, &name);
	parent = above < 0 ? above : sys_openat(above, ".", O_RDONLY | O_DIRECTORY, 0);
	if (parent < 0 || !file_is_there(parent, name))
		return 0;
	return tree_remove(parent, name, e) < 0 ? e->code : 1;
}
