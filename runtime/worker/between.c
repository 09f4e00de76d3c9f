/* A file that one of them has changed is looked for in both: in that box's layer where it is
 * among its changes, nowhere where it lies below what that box has removed, else in the
 * project. */
#include "runtime/worker/between.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "rootfs/review/patch.h"
#include "runtime/spec/spec.h"

enum { BETWEEN_OUT = STDERR_FILENO, BETWEEN_LINE = 64 << 10 };

struct view {
	struct layer layer; /* owned */
	struct diff diff;   /* owned */
};

struct between {
	struct view from, to;
	const struct json *args;
	bool patch;
};

static void between_done(struct between *b)
{
	layer_close(&b->from.layer);
	diff_done(&b->from.diff);
	layer_close(&b->to.layer);
	diff_done(&b->to.diff);
}

static int open_view(int boxes, const char *key, struct view *v, struct err *e)
{
	_cleanup_close_ int box = -1;
	int r;

	if (!key || !hash_valid(key))
		return err_set(e, -EINVAL, "bad key of a box");
	box = file_open_dir(boxes, key, e);
	r = box < 0 ? box : layer_open(box, STDIN_FILENO, &v->layer, e);
	return r < 0 ? r : diff_make(&v->layer, &v->diff, e);
}

static int by_path(const void *path, const void *item)
{
	return strcmp(path, ((const struct diff_item *)item)->path);
}

static const struct diff_item *find(const struct diff *d, const char *path)
{
	return d->n ? bsearch(path, d->items, d->n, sizeof(*d->items), by_path) : NULL;
}

/* Below a directory that is none any more. */
static bool is_removed(const struct diff *d, const char *path)
{
	char above[PATH_MAX];
	char *slash;

	if (text_copy(above, sizeof(above), path) < 0)
		return false;
	while ((slash = strrchr(above, '/'))) {
		const struct diff_item *x;

		*slash = '\0';
		x = find(d, above);
		if (x && !S_ISDIR(x->now.mode))
			return true;
	}
	return false;
}

/* What the box sees at @path, and where that is. */
static struct diff_side look(const struct view *v, const char *path, int *root)
{
	const struct diff_item *x = find(&v->diff, path);

	*root = x ? v->layer.upper : v->layer.project;
	if (x)
		return x->now;
	return is_removed(&v->diff, path) ? (struct diff_side){ .mode = 0 }
					  : diff_look(v->layer.project, path);
}

/* ---- telling ----------------------------------------------------------------------------- */

static bool is_asked(const struct between *b, const char *path)
{
	const struct json *paths = json_get(b->args, "paths");

	json_each(it, paths)
	{
		const char *name = json_str(it) ?: "/";

		if (!*++name || text_is_in(path, name))
			return true;
	}
	return !json_len(paths);
}

static int put(const struct buf *text, struct err *e)
{
	return text->len ? file_write_fd(BETWEEN_OUT, text->data, text->len, e) : 0;
}

static int tell(const struct diff_item *x, const struct patch_count *n, struct err *e)
{
	_cleanup_json_ struct json *j = json_object();
	_cleanup_buf_ struct buf line = BUF_INIT(BETWEEN_LINE);
	char path[PATH_MAX + 1];

	snprintf(path, sizeof(path), "/%s", x->path);
	spec_set_path(j, "path", path);
	json_set_str(j, "kind",
		     !x->was.mode   ? "new"
		     : !x->now.mode ? "deleted"
				    : "changed");
	json_set_int(j, "added", (int64_t)n->added);
	json_set_int(j, "removed", (int64_t)n->removed);
	json_set_bool(j, "binary", n->binary);
	json_set_int(j, "was_mode", x->was.mode);
	json_set_int(j, "mode", x->now.mode);
	json_set_int(j, "size", (int64_t)x->now.size);
	json_print(j, false, &line);
	buf_addc(&line, '\n');
	return buf_failed(&line) < 0 ? err_sys(e, -ENOMEM, "cannot tell the changes")
				     : put(&line, e);
}

/* A directory is nothing by itself; git's are taken over by their meaning. */
static int compare(const struct between *b, const struct diff_item *of, struct err *e)
{
	struct layer sides = LAYER_NONE; /* borrows: it is not closed */
	struct diff_item x = { .path = of->path };
	struct patch_count n = { 0 };
	_cleanup_buf_ struct buf text = BUF_INIT(PATCH_MAX);

	x.was = look(&b->from, of->path, &sides.project);
	x.now = look(&b->to, of->path, &sides.upper);
	if (S_ISDIR(x.was.mode))
		x.was.mode = 0;
	if (S_ISDIR(x.now.mode))
		x.now.mode = 0;
	if (of->git || !is_asked(b, of->path) || (!x.was.mode && !x.now.mode))
		return 0;
	(void)patch_item(&sides, &x, &text, &n);
	if (!n.added && !n.removed && !n.binary && x.was.mode == x.now.mode)
		return 0; /* both have come to the same */
	return b->patch ? put(&text, e) : tell(&x, &n, e);
}

/* Both lists are sorted; what is in both is compared once. */
static int compare_all(const struct between *b, struct err *e)
{
	const struct diff *f = &b->from.diff, *t = &b->to.diff;
	size_t i = 0, k = 0;
	int r = 0;

	while (r == 0 && (i < f->n || k < t->n)) {
		int order = i == f->n	? 1
			    : k == t->n ? -1
					: strcmp(f->items[i].path, t->items[k].path);

		r = compare(b, order <= 0 ? &f->items[i] : &t->items[k], e);
		i += order <= 0;
		k += order >= 0;
	}
	return r;
}

int between_job(int dir, const char *arg, const struct idmap *map, struct json **ret,
		struct err *e)
{
	_cleanup_(between_done) struct between b = { .from = { .layer = LAYER_NONE },
						     .to = { .layer = LAYER_NONE } };
	_cleanup_json_ struct json *args = NULL;
	int r = json_parse(arg ?: "", strlen(arg ?: ""), &args, e);

	(void)map;
	(void)ret;
	if (r < 0)
		return r;
	b.args = args;
	b.patch = strcmp(json_get_str(args, "op") ?: "", "patch") == 0;
	r = open_view(dir, json_get_str(args, "from"), &b.from, e);
	if (r < 0)
		return r;
	r = open_view(dir, json_get_str(args, "to"), &b.to, e);
	return r < 0 ? r : compare_all(&b, e);
}
