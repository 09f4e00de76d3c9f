/* Theory of operation
 *
 * A file that one of the two has changed is looked for in both: in the layer, nowhere where
 * the layer hides it, else in the project. What lies below a checkpoint is the project as it
 * was then: as far as applies have changed that since, what they have kept of it. */
#include "base/text.h"
#include "runtime/worker/jobs.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/sys/sys.h"
#include "rootfs/git/takeover.h"
#include "rootfs/git/upper.h"
#include "rootfs/review/past.h"
#include "rootfs/review/patch.h"
#include "rootfs/store/checkpoint.h"
#include "runtime/spec/spec.h"
#include "runtime/worker/asked.h"
#include "runtime/worker/verdict.h"

enum { BETWEEN_OUT = STDERR_FILENO, BETWEEN_LINE = 64 << 10 };

struct view {
	struct layer layer; /* owned */
	struct diff diff;   /* owned */
	struct past past;   /* owned */
};
#define VIEW_NONE ((struct view){ .layer = LAYER_NONE })

struct between {
	struct view from, to;
	const struct json *args;
	bool patch, since;
};

static void between_done(struct between *b)
{
	struct view *const both[] = { &b->from, &b->to };

	for (size_t i = 0; i < ARRAY_SIZE(both); i++) {
		layer_close(&both[i]->layer);
		diff_done(&both[i]->diff);
		past_done(&both[i]->past);
	}
}

/* ---- the two ------------------------------------------------------------------------------ */

static int open_layer(int dir, struct view *v, struct err *e)
{
	int r = layer_open(dir, STDIN_FILENO, &v->layer, e);

	return r < 0 ? r : diff_make(&v->layer, &v->diff, e);
}

static int open_box(int store, const char *key, struct err *e)
{
	char name[HASH_HEX + 8];

	if (!key || !hash_valid(key))
		return err_set(e, -EINVAL, "bad key of a box");
	snprintf(name, sizeof(name), "boxes/%s", key);
	return file_open_dir(store, name, e);
}

static int open_view(int store, const char *key, struct view *v, struct err *e)
{
	_cleanup_close_ int box = open_box(store, key, e);

	return box < 0 ? box : open_layer(box, v, e);
}

/* When a checkpoint was made says its file: "made" has whole seconds. */
static int open_since(int store, const char *key, const char *checkpoint,
		      struct view *v, struct err *e)
{
	_cleanup_close_ int box = open_box(store, key, e);
	_cleanup_close_ int dir = -1;
	const struct boxdir b = { .dirfd = box };
	char path[sizeof("checkpoints/") + CHECKPOINT_NAME];
	struct checkpoint c;
	int r = box < 0 ? box : checkpoint_load(&b, checkpoint, &c, e);

	if (r < 0)
		return r;
	snprintf(path, sizeof(path), "checkpoints/%s", checkpoint);
	r = past_read(box, diff_look(box, path).mtime, (unsigned)c.applied, &v->past,
		      e);
	if (r < 0)
		return err_wrap(e, "the checkpoint '%s'", checkpoint);
	snprintf(path, sizeof(path), "layers/%s", c.project);
	r = dir = file_open_dir(store, path, e);
	return r < 0 ? r : open_layer(dir, v, e);
}

/* ---- a file in one of them ------------------------------------------------------------------ */

struct place {
	int root;	  /* borrowed */
	const char *path; /* there */
};

/* Whether the layer, which has nothing at @path, has what hides the project's. */
static bool is_hidden(const struct view *v, const char *path)
{
	for (const char *slash = path; (slash = strchr(slash, '/')); slash++) {
		_cleanup_free_ char *above = strndup(path, (size_t)(slash - path));
		_cleanup_close_ int dir = above ? takeover_open(v->layer.upper, above,
								O_RDONLY | O_DIRECTORY)
						: -ENOMEM;

		if (dir < 0)
			return dir != -ENOENT;
		if (upper_is_opaque(dir))
			return true;
	}
	return false;
}

/* What the box sees, or saw, at @path. */
static struct diff_side look(const struct view *v, const char *path, struct place *ret)
{
	struct diff_side here = diff_look(v->layer.upper, path);
	const struct past_step *x;

	*ret = (struct place){ v->layer.upper, path };
	if (here.mode || is_hidden(v, path))
		return S_ISCHR(here.mode) ? (struct diff_side){ .mode = 0 } : here;
	x = past_find(&v->past, path);
	*ret = x ? (struct place){ x->dir, x->name }
		 : (struct place){ v->layer.project, path };
	return x ? x->side : diff_look(v->layer.project, path);
}

/* ---- telling ----------------------------------------------------------------------------- */

static int put(const struct buf *text, struct err *e)
{
	return text->len ? file_write_fd(BETWEEN_OUT, text->data, text->len, e) : 0;
}

static int tell(const struct diff_item *x, struct effect effect,
		const struct patch_count *n, struct err *e)
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
	json_set_str(j, "class", effects_name(effect.class));
	json_set_str(j, "why", effect.why);
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

/* The rights of a file that was taken over are less what the umask says. */
static bool same_mode(const struct between *b, mode_t was, mode_t now)
{
	return b->since ? !((was ^ now) & (S_IFMT | S_IXUSR)) : was == now;
}

/* Of files that are too large to be shown a patch says that they differ. */
static bool is_same_large(const struct diff_item *x, const struct place *from,
			  const struct place *to)
{
	_cleanup_close_ int was = -1, now = -1;

	if (!S_ISREG(x->was.mode) || !S_ISREG(x->now.mode) ||
	    x->was.size != x->now.size || x->now.size <= PATCH_FILE ||
	    x->now.size > DIFF_COMPARED)
		return false;
	was = diff_open(from->root, from->path, &x->was);
	now = diff_open(to->root, to->path, &x->now);
	return was >= 0 && now >= 0 && diff_same_bytes(was, now);
}

static bool is_git(const struct view *v, const char *path)
{
	return layer_is_git(&v->layer, path);
}

/* A directory is nothing by itself; git's are taken over by their meaning. Passed over is
 * what is of another class than @class. */
static int compare(const struct between *b, char *path, enum effects_class class,
		   struct err *e)
{
	struct diff_item x = { .path = path };
	_cleanup_buf_ struct buf text = BUF_INIT(PATCH_MAX);
	struct patch_count n = { 0 };
	struct patch_sides sides;
	struct place from, to;
	struct effect effect;

	x.was = look(&b->from, path, &from);
	x.now = look(&b->to, path, &to);
	if (S_ISDIR(x.was.mode))
		x.was.mode = 0;
	if (S_ISDIR(x.now.mode))
		x.now.mode = 0;
	if (is_git(&b->from, path) || is_git(&b->to, path) ||
	    !asked_for(b->args, path) || (!x.was.mode && !x.now.mode))
		return 0;
	effect = verdict_effect(&x, to.root, to.path);
	if (effect.class != class)
		return 0;
	if (same_mode(b, x.was.mode, x.now.mode) && is_same_large(&x, &from, &to))
		return 0;
	sides = (struct patch_sides){ from.root, to.root, from.path,
				      json_get_bool(b->args, "binary", false) };
	(void)patch_item(&sides, &x, &text, &n);
	if (!n.added && !n.removed && !n.binary && same_mode(b, x.was.mode, x.now.mode))
		return 0; /* both have come to the same */
	return b->patch ? put(&text, e) : tell(&x, effect, &n, e);
}

/* What is in several of the lists is compared once; what acts on the host comes first. */
static int compare_all(const struct between *b, struct err *e)
{
	const struct diff *f = &b->from.diff, *t = &b->to.diff;
	const struct past *p = &b->from.past;
	_cleanup_free_ char **all = calloc(f->n + t->n + p->n + 1, sizeof(*all));
	size_t n = 0;
	int r = 0;

	if (!all)
		return err_sys(e, -ENOMEM, "cannot tell the changes");
	for (size_t i = 0; i < f->n; i++)
		all[n++] = f->items[i].path;
	for (size_t i = 0; i < t->n; i++)
		all[n++] = t->items[i].path;
	for (size_t i = 0; i < p->n; i++)
		all[n++] = (char *)(uintptr_t)p->steps[i].path;
	qsort(all, n, sizeof(*all), text_order);
	for (int class = EFFECTS_HELD; class >= EFFECTS_PLAIN; class --)
		for (size_t i = 0; i < n && r == 0; i++)
			if (!i || strcmp(all[i - 1], all[i]) != 0)
				r = compare(b, all[i], (enum effects_class) class, e);
	return r;
}

int between_job(int dir, const char *arg, const struct idmap *, struct json **,
		struct err *e)
{
	_cleanup_(between_done) struct between b = { .from = VIEW_NONE,
						     .to = VIEW_NONE };
	_cleanup_json_ struct json *args = NULL;
	const char *since, *key;
	int r = json_parse(arg ?: "", strlen(arg ?: ""), &args, e);

	if (r < 0)
		return r;
	b.args = args;
	b.patch = json_is(args, "op", "patch");
	key = json_get_str(args, "to");
	since = json_get_str(args, "since");
	b.since = since;
	r = since ? open_since(dir, key, since, &b.from, e)
		  : open_view(dir, json_get_str(args, "from"), &b.from, e);
	if (r < 0)
		return r;
	r = open_view(dir, key, &b.to, e);
	return r < 0 ? r : compare_all(&b, e);
}
