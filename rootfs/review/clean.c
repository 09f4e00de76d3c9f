#include "rootfs/review/clean.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/dirscan.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "rootfs/git/takeover.h"
#include "rootfs/git/upper.h"
#include "rootfs/review/given.h"
#include "rootfs/review/layer_outside.h"
#include "rootfs/review/origin.h"
#include "rootfs/store/tree.h"

struct cleaning {
	const struct layer *layer;
	const struct diff *left;
	char whole[PATH_MAX]; /* a directory that stays as it is, with all in it */
};

/* The first item that is not before @path with @end behind it. */
static size_t find(const struct diff *d, const char *path, const char *end)
{
	size_t from = 0, to = d->n, n = strlen(path);

	while (from < to) {
		size_t mid = (from + to) / 2;
		const char *x = d->items[mid].path;
		int order = strncmp(x, path, n) ?: strcmp(x + n, end);

		if (order < 0)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

static bool is_item(const struct diff *d, const char *path)
{
	size_t i = find(d, path, "");

	return i < d->n && strcmp(d->items[i].path, path) == 0;
}

/* Whether a file of the project is hidden by the directory alone: no whiteout says so. */
static bool hides(const struct cleaning *c, const char *dir)
{
	for (size_t i = find(c->left, dir, "/");
	     i < c->left->n && text_is_below(c->left->items[i].path, dir); i++) {
		const struct diff_item *x = &c->left->items[i];

		if (!x->now.mode && !diff_look(c->layer->upper, x->path).mode)
			return true;
	}
	return false;
}

static int enter_opaque(struct cleaning *c, const struct upper_entry *x)
{
	_cleanup_close_ int dir = -1;

	if (is_item(c->left, x->path))
		return 0; /* nothing lies below it */
	if (hides(c, x->path)) {
		(void)text_copy(c->whole, sizeof(c->whole), x->path);
		return 0;
	}
	dir = sys_openat(x->dir, x->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	return dir < 0 ? dir : sys_fremovexattr(dir, "user.overlay.opaque");
}

static int clean_one(void *ctx, const struct upper_entry *x, struct err *e)
{
	struct cleaning *c = ctx;
	int r = 0;

	if (*c->whole) {
		if (x->kind == UPPER_LEFT && strcmp(x->path, c->whole) == 0)
			c->whole[0] = '\0';
		return 0;
	}
	if (layer_in_git(c->layer, x->path))
		return 0; /* git/take.h takes it out by itself */
	if (x->kind == UPPER_OPAQUE)
		r = enter_opaque(c, x);
	else if (x->kind == UPPER_LEFT && !is_item(c->left, x->path))
		(void)sys_unlinkat(x->dir, x->name, AT_REMOVEDIR);
	else if (x->kind != UPPER_DIR && x->kind != UPPER_LEFT &&
		 !is_item(c->left, x->path))
		r = sys_unlinkat(x->dir, x->name, 0);
	return r < 0 && r != -ENOENT ? err_sys(e, r, "cannot take out what was applied")
				     : 0;
}

int clean_layer(const struct layer *l, const struct diff *left, struct err *e)
{
	struct cleaning c = { .layer = l, .left = left };

	return upper_walk(l->upper, clean_one, &c, e);
}

void clean_moved(const struct layer *l, const struct diff *d)
{
	for (size_t i = 0; i < d->n; i++) {
		_cleanup_close_ int fd = -1;

		if (!d->items[i].moved || d->items[i].conflict)
			continue;
		fd = takeover_open(l->upper, d->items[i].path, O_RDONLY | O_NONBLOCK);
		if (fd >= 0)
			(void)sys_fremovexattr(fd, "user.overlay.origin");
	}
}

/* A file that was taken over has no right that the umask takes. */
static bool is_taken(const struct diff_item *x, mode_t mask)
{
	return x->rights && !(((x->now.mode & ~mask) ^ x->was.mode) & 0777);
}

int clean_taken(const struct layer *l, mode_t mask, struct err *e)
{
	_cleanup_diff_ struct diff left = { .items = NULL };
	size_t n = 0;
	int r = diff_make(l, &left, e);

	if (r < 0)
		return r;
	for (size_t i = 0; i < left.n; i++) {
		if (is_taken(&left.items[i], mask))
			free(left.items[i].path);
		else
			left.items[n++] = left.items[i];
	}
	left.n = n;
	r = clean_layer(l, &left, e);
	if (r == 0) {
		given_forget(l->dir);
		origin_drop(l);
	}
	return r;
}

/* ---- discard ---------------------------------------------------------------------------- */

static int discard_all(const struct layer *l, struct err *e)
{
	struct dirscan s;
	int r = 0;

	dirscan_start(&s, l->upper);
	while (r >= 0 && dirscan_next(&s))
		r = tree_remove(l->upper, s.name, e);
	r = r < 0 ? r : dirscan_failed(&s, e);
	return r < 0 ? r : MIN(layer_outside_discard(l, "", e), 0);
}

static bool was_replaced(const struct layer *l, const char *path)
{
	for (const char *slash = path; (slash = strchr(slash, '/')); slash++) {
		char dir[PATH_MAX];
		_cleanup_close_ int fd = -1;

		memcpy(dir, path, (size_t)(slash - path));
		dir[slash - path] = '\0';
		fd = takeover_open(l->upper, dir, O_RDONLY | O_DIRECTORY);
		if (fd >= 0 && upper_is_opaque(fd))
			return true;
	}
	return false;
}

/* What the box made of the host's file of that name, if it is a line in the list. */
static bool is_changed(const struct layer *l, const char *path)
{
	_cleanup_buf_ struct buf was = BUF_INIT(PATH_MAX + 64),
				 now = BUF_INIT(PATH_MAX + 64);
	mode_t made = diff_look(l->upper, path).mode;

	return made && (((made ^ diff_look(l->project, path).mode) & (S_IFMT | 0777)) ||
			takeover_read(l->project, path, &was) < 0 ||
			takeover_read(l->upper, path, &now) < 0 || was.len != now.len ||
			memcmp(buf_cstr(&was), buf_cstr(&now), was.len) != 0);
}

static bool is_outside(const struct layer *l, const char *path)
{
	return text_is_in(path, LAYER_OUTSIDE) && layer_outside_is(l, LAYER_OUTSIDE) &&
	       !is_changed(l, LAYER_OUTSIDE);
}

int clean_discard(const struct layer *l, const char *path, struct err *e)
{
	int r;

	if (!*path)
		return discard_all(l, e);
	if (diff_look(l->project, path).mode && was_replaced(l, path))
		return err_set(e, -EBUSY,
			       "'%s' cannot be discarded alone: a directory above it "
			       "was replaced; discard that",
			       text_shown(path));
	if (is_outside(l, path)) {
		const char *below = path + strlen(LAYER_OUTSIDE);

		r = layer_outside_discard(l, below + (*below == '/'), e);
	} else {
		r = layer_remove(l->upper, path, e);
		if (r == 0 && strcmp(path, LAYER_OUTSIDE) == 0 && layer_outside_left(l))
			r = layer_outside_discard(l, "", e);
	}
	return r ? MIN(r, 0)
		 : err_set(e, -ENOENT, "the box has not changed '%s'",
			   text_shown(path));
}
