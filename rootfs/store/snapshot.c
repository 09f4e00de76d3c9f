#include "rootfs/store/snapshot.h"

#include <stdio.h>
#include <string.h>

#include "base/dirscan.h"
#include "base/file.h"
#include "base/sys/sys.h"
#include "rootfs/store/du.h"
#include "rootfs/store/staging.h"
#include "rootfs/store/stepcache.h"

enum { SNAPSHOT_PATH = 300, SNAPSHOT_REFS = 16 << 20 };

static int unknown(const char *name, struct err *e)
{
	*e = ERR_NONE;
	err_set(e, -ENOENT, "the box has no snapshot '%s'", name);
	return err_hint(e, "'cubby snapshots' lists them");
}

static int path_of(const char *name, char ret[SNAPSHOT_PATH], struct err *e)
{
	if (!*name || *name == '.' || strchr(name, '/') ||
	    snprintf(ret, SNAPSHOT_PATH, "snapshots/%s", name) >= SNAPSHOT_PATH)
		return err_set(e, -EINVAL, "'%s' cannot be the name of a snapshot",
			       name);
	return 0;
}

static int load(const struct boxdir *b, const char *name, struct chain *ret,
		struct err *e)
{
	char path[SNAPSHOT_PATH];
	int r = path_of(name, path, e) ?: chain_load(b->dirfd, path, ret, e);

	return r == -ENOENT ? unknown(name, e) : r;
}

static int keep(const struct boxdir *b, const char *name, struct chain *c,
		struct err *e)
{
	_cleanup_close_ int dir = file_make_dir(b->dirfd, "snapshots", 0700, e);

	if (dir < 0)
		return dir;
	if (c->fresh)
		return chain_link(b->dirfd, "chain", dir, name, e);
	c->made = sys_wall().tv_sec;
	return chain_save(dir, name, c, e);
}

/* ---- taking, going back, branching --------------------------------------------------------- */

struct locked {
	int layers, lock; /* owned */
};

static void locked_done(struct locked *l)
{
	scope_close(&l->lock);
	scope_close(&l->layers);
}
#define LOCKED_NONE                      \
	{                                \
		.layers = -1, .lock = -1 \
	}

/* Where nothing was ever kept, a disk may be too full to make the place: what removes need
 * not. */
static bool has_layers(const struct store *s)
{
	struct stat st;

	return sys_fstatat(s->dirfd, "layers", &st, AT_SYMLINK_NOFOLLOW) != -ENOENT;
}

static int locked_open(const struct store *s, struct locked *l, struct err *e)
{
	l->layers = chain_dir(s, e);
	if (l->layers < 0)
		return l->layers;
	l->lock = chain_lock(l->layers, e);
	return MIN(l->lock, 0);
}

/* What was copied of a box that runs, beside the layers: it may take a while, and nobody is
 * to wait for it, or to have a half one. */
struct copied {
	const struct store *s; /* borrowed */
	struct boxdir_rm rm;   /* its ctx borrowed */
	struct staging stage;  /* owned */
	int layer;	       /* owned; -1 = nothing was */
	char id[CHAIN_ID];
	struct chain was;
};
#define COPIED_INIT(store, copy)                                              \
	{                                                                     \
		.s = (store),                                                 \
		.rm = (copy) ? (copy)->rm : (struct boxdir_rm){ .fn = NULL }, \
		.stage = STAGING_NONE, .layer = -1                            \
	}

static void copied_done(struct copied *p)
{
	scope_close(&p->layer);
	staging_remove(p->s, &p->stage, p->rm.fn, p->rm.ctx);
}

static int copied_make(struct copied *p, const struct boxdir *b,
		       const struct snapshot_copy *copy, struct err *e)
{
	int r = chain_copyable(b, &p->was, e)
			?: staging_new(p->s, "copy", &p->stage, e);

	if (r == 0)
		r = p->layer = chain_layer(p->stage.dirfd, p->id, e);
	return r < 0 ? r : copy->fn(copy->ctx, p->layer, e);
}

/* The present state as a list of layers. */
static int present(const struct locked *l, const struct boxdir *b,
		   const struct copied *p, struct chain *ret, struct err *e)
{
	int r;

	if (p->layer < 0)
		return chain_seal(l->layers, b, CHAIN_STATE, ret, e);
	r = chain_copied(b, &p->was, p->layer, p->id, ret, e);
	if (r < 0)
		return r;
	r = sys_renameat(p->stage.dirfd, p->id, l->layers, p->id);
	return r < 0 ? err_sys(e, r, "cannot keep a layer") : 0;
}

static int must_be_new(const struct boxdir *b, const char *name, struct err *e)
{
	char path[SNAPSHOT_PATH];
	int r = path_of(name, path, e);

	if (r < 0 || !file_is_there(b->dirfd, path))
		return r;
	err_set(e, -EEXIST, "the box has a snapshot '%s'", name);
	return err_hint(e, "'cubby snapshots --remove %s' removes it", name);
}

int snapshot_take(const struct boxdir *b, const char *name,
		  const struct snapshot_copy *copy, struct chain *ret, struct err *e)
{
	_cleanup_(copied_done) struct copied p = COPIED_INIT(b->store, copy);
	_cleanup_(locked_done) struct locked l = LOCKED_NONE;
	struct chain c;
	int r = must_be_new(b, name, e) ?: (copy ? copied_make(&p, b, copy, e) : 0);

	if (r < 0)
		return r;
	r = locked_open(b->store, &l, e) ?:
		(copy ? must_be_new(b, name, e) : 0) ?: /* the copy took its time */
		present(&l, b, &p, &c, e) ?: keep(b, name, &c, e);
	if (r < 0)
		return r;
	*ret = c;
	return 0;
}

/* What is now becomes what was before. Where it is that which is gone back to, its record is
 * the only one: the two change places. */
static int exchange_states(const struct boxdir *b, const char *name, struct chain *now,
			   struct err *e)
{
	static const char before[] = "snapshots/" SNAPSHOT_BEFORE;
	char path[SNAPSHOT_PATH];
	int r;

	if (strcmp(name, SNAPSHOT_BEFORE) != 0) {
		r = keep(b, SNAPSHOT_BEFORE, now, e);
		if (r < 0)
			return r;
		r = path_of(name, path, e);
		return r < 0 ? r : chain_link(b->dirfd, path, b->dirfd, "chain", e);
	}
	now->made = sys_wall().tv_sec;
	r = chain_save(b->dirfd, "chain", now, e);
	if (r < 0)
		return r;
	r = sys_renameat2(b->dirfd, "chain", b->dirfd, before, RENAME_EXCHANGE);
	return r < 0 ? err_sys(e, r, "cannot exchange the states of the box") : 0;
}

int snapshot_check(const struct boxdir *b, const char *name, struct err *e)
{
	struct chain c;

	return load(b, name, &c, e);
}

int snapshot_restore(const struct boxdir *b, const char *name, struct err *e)
{
	_cleanup_(locked_done) struct locked l = LOCKED_NONE;
	struct chain to, now;
	int r = load(b, name, &to, e) ?:
		locked_open(b->store, &l, e) ?:
		chain_seal(l.layers, b, CHAIN_ALL, &now, e) ?:
		exchange_states(b, name, &now, e);

	if (r < 0)
		return r;
	if (to.mode) /* what the box's "/" was; its owner comes with a start */
		(void)sys_fchmodat(b->dirfd, "upper", to.mode, 0);
	return 0;
}

/* Its record comes last: without one there is no box, and the rest is made anew. */
static int make_box(const struct store *s, const struct snapshot_branch *to,
		    const struct chain *c, struct err *e)
{
	_cleanup_boxdir_ struct boxdir b = BOXDIR_NONE;
	_cleanup_close_ int lock = -1;
	int r = boxdir_open(s, to->key, true, &b, e);

	if (r < 0)
		return r;
	lock = boxdir_lock(&b, false, e); /* one that runs has it, too */
	if (file_is_there(b.dirfd, "box.json"))
		return err_set(e, -EEXIST, "there is a box of that name");
	if (lock < 0)
		return lock;
	if (c->mode)
		(void)sys_fchmodat(b.dirfd, "upper", c->mode, 0);
	r = chain_save(b.dirfd, "chain", c, e);
	return r < 0 ? r : boxdir_save(&b, to->box, e);
}

int snapshot_branch(const struct boxdir *b, const struct snapshot_branch *to,
		    struct err *e)
{
	_cleanup_(copied_done) struct copied p = COPIED_INIT(b->store, to->copy);
	_cleanup_(locked_done) struct locked l = LOCKED_NONE;
	struct chain c;
	int r = 0;

	if (to->from)
		r = load(b, to->from, &c, e);
	else if (to->copy)
		r = copied_make(&p, b, to->copy, e);
	if (r >= 0)
		r = locked_open(b->store, &l, e);
	if (r < 0)
		return r;
	if (!to->from)
		r = present(&l, b, &p, &c, e);
	return r < 0 ? r : make_box(b->store, to, &c, e);
}

/* ---- which there are ----------------------------------------------------------------------- */

typedef int each_fn(void *ctx, const char *name, const struct chain *c);

static int list_of(const struct boxdir *b, const char *what, each_fn *each, void *ctx,
		   struct err *e)
{
	_cleanup_close_ int dir =
		sys_openat(b->dirfd, what, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	struct dirscan scan;
	int r = 0;

	if (dir == -ENOENT)
		return 0;
	if (dir < 0)
		return err_sys(e, dir, "cannot list snapshots");
	dirscan_start(&scan, dir);
	while (r >= 0 && dirscan_next(&scan)) {
		struct chain c;

		if (*scan.name == '.') /* a write that was cut off */
			continue;
		r = chain_load(dir, scan.name, &c, e) ?: each(ctx, scan.name, &c);
	}
	return r < 0 ? r : dirscan_failed(&scan, e);
}

int snapshot_list(const struct boxdir *b, each_fn *each, void *ctx, struct err *e)
{
	return list_of(b, "snapshots", each, ctx, e);
}

int snapshot_forget(const struct boxdir *b, const char *name, struct err *e)
{
	char path[SNAPSHOT_PATH];
	int r = path_of(name, path, e);

	if (r < 0)
		return r;
	r = sys_unlinkat(b->dirfd, path, 0);
	if (r == -ENOENT)
		return unknown(name, e);
	return r < 0 ? err_sys(e, r, "cannot remove the snapshot '%s'", name) : 0;
}

/* ---- what is referred to ------------------------------------------------------------------- */

struct refs {
	const struct store *s;
	struct buf ids; /* owned: each with its NUL */
	struct err *e;
};

static bool has_ref(const struct refs *f, const char *id)
{
	for (size_t at = 0; at + CHAIN_ID <= f->ids.len; at += CHAIN_ID)
		if (memcmp(f->ids.data + at, id, CHAIN_ID) == 0)
			return true;
	return false;
}

static int add_ref(struct refs *f, const char *id)
{
	return !*id || has_ref(f, id) ? 0 : buf_add(&f->ids, id, CHAIN_ID);
}

static int add_chain(void *ctx, const char *, const struct chain *c)
{
	struct refs *f = ctx;
	int r = add_ref(f, c->project);

	for (size_t i = 0; i < c->n && r == 0; i++)
		r = add_ref(f, c->layers[i]);
	return r < 0 ? err_sys(f->e, r, "cannot list the layers") : 0;
}

static int add_box(struct refs *f, const struct boxdir *b)
{
	struct chain c;
	int r = chain_load(b->dirfd, "chain", &c, f->e);

	if (r < 0)
		return r;
	r = add_chain(f, NULL, &c);
	if (r < 0)
		return r;
	r = snapshot_list(b, add_chain, f, f->e);
	return r < 0 ? r : list_of(b, "checkpoints", add_chain, f, f->e);
}

/* A directory without a record is no box (yet), and has no layers. */
static int note_key(void *ctx, const char *key)
{
	_cleanup_boxdir_ struct boxdir b = BOXDIR_NONE;
	struct refs *f = ctx;
	struct stat st;
	int r;

	b.dirfd = sys_openat(f->s->boxes, key, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	if (b.dirfd == -ENOENT)
		return 0;
	r = b.dirfd < 0 ? b.dirfd
			: sys_fstatat(b.dirfd, "box.json", &st, AT_SYMLINK_NOFOLLOW);
	if (r < 0 && r != -ENOENT)
		return err_sys(f->e, r, "cannot read box '%.12s…'", key);
	return r < 0 ? 0 : add_box(f, &b);
}

uint64_t snapshot_bytes(const struct boxdir *b)
{
	struct err ignored = ERR_NONE;
	struct refs f = { .s = b->store,
			  .ids = BUF_INIT(SNAPSHOT_REFS),
			  .e = &ignored };
	_cleanup_close_ int layers = sys_openat(b->store->dirfd, "layers",
						O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	uint64_t sum = du_tree(b->dirfd, "upper").bytes;
	char upper[64];

	for (size_t i = 0; i < CHAIN_VIEWS; i++) {
		snprintf(upper, sizeof(upper), "%s/upper", chain_views[i]);
		sum += du_tree(b->dirfd, upper).bytes;
	}
	if (layers >= 0)
		(void)add_box(&f, b);
	for (size_t at = 0; at + CHAIN_ID <= f.ids.len; at += CHAIN_ID)
		sum += du_tree(layers, f.ids.data + at).bytes;
	buf_done(&f.ids);
	return sum;
}

/* ---- results of setup steps ---------------------------------------------------------------- */

struct unused {
	struct refs boxes; /* what these have */
	int64_t before;
	bool forget;
	struct snapshot_steps *ret;
};

/* The layer on top is the step's own, or that of one before it. */
static int look_at_step(void *ctx, const char *key, const struct chain *c, int64_t used)
{
	struct unused *u = ctx;
	struct snapshot_steps *t = u->ret;

	t->all++;
	if (used > u->before || (c->n && has_ref(&u->boxes, c->layers[0])))
		return 0;
	t->unused++;
	return u->forget ? stepcache_forget(u->boxes.s, key, u->boxes.e) : 0;
}

int snapshot_steps(const struct store *s, int64_t before, bool forget,
		   struct snapshot_steps *ret, struct err *e)
{
	_cleanup_(locked_done) struct locked l = LOCKED_NONE;
	struct unused u = {
		.boxes = { .s = s, .ids = BUF_INIT(SNAPSHOT_REFS), .e = e },
		.before = before,
		.forget = forget,
		.ret = ret,
	};
	int r;

	*ret = (struct snapshot_steps){ .all = 0 };
	if (!has_layers(s))
		return 0;
	r = locked_open(s, &l, e);
	if (r == 0)
		r = boxdir_list(s, note_key, &u.boxes, e);
	if (r >= 0)
		r = stepcache_list(s, look_at_step, &u, e);
	buf_done(&u.boxes.ids);
	return MIN(r, 0);
}

/* ---- collecting ---------------------------------------------------------------------------- */

static bool is_layer(const char *name)
{
	return strlen(name) == CHAIN_ID - 1 &&
	       strspn(name, "0123456789abcdef") == CHAIN_ID - 1;
}

/* Under a name that says to everybody that it is dead (staging_clean()). */
static int bury(const struct store *s, int layers, const char *id, struct err *e)
{
	char dead[CHAIN_ID + 16];
	int r;

	snprintf(dead, sizeof(dead), "dead-%s", id);
	r = sys_renameat(layers, id, s->tmp, dead);
	return r < 0 ? err_sys(e, r, "cannot remove a layer") : 0;
}

/* How many there were. */
static int bury_all(const struct refs *f, int layers, struct err *e)
{
	struct dirscan scan;
	int buried = 0, r = 0;

	dirscan_start(&scan, layers);
	while (r >= 0 && dirscan_next(&scan)) {
		if (!is_layer(scan.name) || has_ref(f, scan.name))
			continue;
		r = bury(f->s, layers, scan.name, e);
		buried++;
	}
	r = r < 0 ? r : dirscan_failed(&scan, e);
	return r < 0 ? r : buried;
}

static int add_step(void *ctx, const char *key, const struct chain *c, int64_t)
{
	return add_chain(ctx, key, c);
}

static int collect(const struct store *s, struct refs *f, struct err *e)
{
	_cleanup_(locked_done) struct locked l = LOCKED_NONE;
	int r = locked_open(s, &l, e) ?: boxdir_list(s, note_key, f, e);

	if (r >= 0)
		r = stepcache_list(s, add_step, f, e);
	return r < 0 ? r : bury_all(f, l.layers, e);
}

int snapshot_collect(const struct store *s, const struct boxdir_rm *rm, struct err *e)
{
	struct refs f = { .s = s, .ids = BUF_INIT(SNAPSHOT_REFS), .e = e };
	int r;

	if (!has_layers(s))
		return 0;
	r = collect(s, &f, e);
	buf_done(&f.ids);
	if (r > 0) /* without the lock: that may take a while */
		r = staging_clean(s, rm->fn, rm->ctx, e);
	return MIN(r, 0);
}
