/* Theory of operation
 *
 * A directory of the layer that replaced another (an opaque one), and all below it, hides
 * what the project has there: each name of the project's that the layer has not is gone. In
 * all other directories only a whiteout says so. What is gone is listed file by file, so
 * that each can be judged, and its own change on the host be seen.
 *
 * Not so in a git directory of the host's, which nothing leaves as a file: of what a commit
 * is made of only git/take.h takes anything over, and a repository that a box has made anew
 * in its place has not removed what it does not show. */
#include "rootfs/review/diff.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/dirscan.h"
#include "base/file.h"
#include "base/grow.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "rootfs/git/take.h"
#include "rootfs/git/takeover.h"
#include "rootfs/git/upper.h"
#include "rootfs/review/given.h"
#include "rootfs/review/layer_outside.h"
#include "rootfs/review/origin.h"

enum { READ = O_RDONLY | O_NONBLOCK | O_NOCTTY };
enum { CHUNK = 64 << 10 };

struct making {
	const struct layer *layer;
	struct given given; /* owned */
	struct diff *diff;
	char hidden[PATH_MAX]; /* the opaque directory that we are in; "" = none */
	char git[PATH_MAX];    /* the git directory that we are in */
	char beside[PATH_MAX]; /* the directory of the project that look() looks into */
	int beside_fd;	       /* owned; -1 = none */
	bool git_listed;
	bool origins;		 /* of some files it is known that the host had them */
	char *a, *b;		 /* owned: a chunk each */
	struct buf copies, left; /* owned: struct copy; struct diff_side */
	struct buf changed;	 /* owned: struct copy, of files that both have */
	struct buf
		names; /* owned: inodes of the layer that have a name of the host's, too */
};

static int fail(struct err *e, int code)
{
	return err_sys(e, code, "cannot compare the box's changes");
}

void diff_unmerge(struct diff_item *x)
{
	if (x->merged)
		buf_done(x->merged);
	free(x->merged);
	x->merged = NULL;
}

void diff_done(struct diff *d)
{
	for (size_t i = 0; i < d->n; i++) {
		diff_unmerge(&d->items[i]);
		free(d->items[i].path);
	}
	free(d->items);
	*d = (struct diff){ .items = NULL };
}

static uint64_t ns(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_nsec;
}

static struct diff_side side_of(const struct stat *st)
{
	return (struct diff_side){ .mode = st->st_mode,
				   .size = S_ISDIR(st->st_mode) ? 0
								: (uint64_t)st->st_size,
				   .ino = st->st_ino,
				   .mtime = ns(&st->st_mtim),
				   .ctime = ns(&st->st_ctim) };
}

struct diff_side diff_look(int root, const char *path)
{
	_cleanup_close_ int fd = takeover_open(root, path, O_PATH);
	struct stat st;

	if (fd < 0 || sys_fstat(fd, &st) < 0)
		return (struct diff_side){ .mode = 0 };
	return side_of(&st);
}

bool diff_is(int fd, const struct diff_side *as)
{
	struct diff_side now = { .mode = 0 };
	struct stat st;

	if (sys_fstat(fd, &st) == 0)
		now = side_of(&st);
	return given_same(&now, as);
}

int diff_open(int root, const char *path, const struct diff_side *as)
{
	const int how = S_ISLNK(as->mode) ? O_PATH : READ;
	_cleanup_close_ int fd = takeover_open(root, path, how);

	if (fd < 0)
		return fd == -ELOOP || fd == -ENOENT || fd == -ENOTDIR ? -ESTALE : fd;
	return diff_is(fd, as) ? take(&fd, -1) : -ESTALE;
}

/* As diff_look(), for one after the other of a directory: that is walked to once. */
static struct diff_side look(struct making *m, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const size_t len = slash ? (size_t)(slash - path) : 0;
	struct stat st;

	if (slash && (m->beside_fd < 0 || strncmp(m->beside, path, len) != 0 ||
		      m->beside[len])) {
		scope_close(&m->beside_fd);
		memcpy(m->beside, path, len);
		m->beside[len] = '\0';
		m->beside_fd = takeover_open(m->layer->project, m->beside,
					     O_PATH | O_DIRECTORY);
		if (m->beside_fd < 0)
			return (struct diff_side){ .mode = 0 };
	}
	return sys_fstatat(slash ? m->beside_fd : m->layer->project, name, &st,
			   AT_SYMLINK_NOFOLLOW) < 0
		       ? (struct diff_side){ .mode = 0 }
		       : side_of(&st);
}

static int add(struct making *m, const struct diff_item *x, struct err *e)
{
	struct diff *d = m->diff;

	if (d->n == DIFF_ITEMS)
		return err_set(e, -E2BIG, "the box has changed more than %d files",
			       (int)DIFF_ITEMS);
	if (!grow_room(d->items, d->n))
		return fail(e, -ENOMEM);
	d->items[d->n] = *x;
	d->items[d->n].path = strdup(x->path);
	if (!d->items[d->n].path)
		return fail(e, -ENOMEM);
	d->n++;
	return 0;
}

static bool is_newer(const struct making *m, const struct diff_item *x)
{
	const struct journal_step *given = given_find(&m->given, x->path);

	if (given && given_same(&given->was, &x->was))
		return false;
	return x->was.mode && !S_ISDIR(x->was.mode) &&
	       x->was.ctime > layer_since(m->layer, x->path);
}

/* The host had it when the box took its copy, and has it no more. */
static bool was_removed(const struct making *m, const struct diff_item *x)
{
	return m->origins && !x->was.mode && S_ISREG(x->now.mode) &&
	       !given_find(&m->given, x->path) && origin_known(m->layer, x->path);
}

/* It was taken over, and the box has let it be since. */
static bool is_given(const struct making *m, const char *path, const struct stat *st)
{
	const struct journal_step *given = given_find(&m->given, path);
	struct diff_side now = side_of(st);

	return given && given_same(&given->now, &now);
}

/* A directory that was taken over and taken back is a change for what is new below it. Its
 * entries have been looked at now: no item after it means that it has nothing new. */
static void forget_given(struct making *m, const char *dir)
{
	struct diff *d = m->diff;
	const struct diff_item *last = d->n ? &d->items[d->n - 1] : NULL;
	const struct journal_step *given = given_find(&m->given, dir);

	if (last && given && strcmp(last->path, dir) == 0 && !last->was.mode &&
	    given_same(&given->now, &last->now))
		free(d->items[--d->n].path);
}

/* ---- what was moved --------------------------------------------------------------------- */

/* The host had it when the box copied it. In a user namespace the mark is all that the
 * overlay notes: not from where. */
static bool was_copied(int dir, const char *path)
{
	_cleanup_close_ int fd = takeover_open(dir, path, O_RDONLY | O_NONBLOCK);

	return fd >= 0 && sys_fgetxattr(fd, "user.overlay.origin", NULL, 0) >= 0;
}

/* An item that is one, and which file it is. */
struct copy {
	uint64_t ino;
	size_t item;
};

/* To look at each file that both have costs three system calls, and is for nothing where
 * nothing was moved. */
static void note_move(struct making *m, const struct upper_entry *x,
		      const struct diff_item *it)
{
	const struct copy c = { it->now.ino, m->diff->n };

	if (!it->was.mode && x->kind == UPPER_FILE && was_copied(x->dir, x->name))
		buf_add(&m->copies, &c, sizeof(c));
	else if (S_ISREG(it->was.mode) && x->kind == UPPER_FILE)
		buf_add(&m->changed, &c, sizeof(c));
	else if (S_ISREG(it->was.mode))
		buf_add(&m->left, &it->was, sizeof(it->was));
}

/* Those that the box did not write into, but put there: what was in their place may have been
 * moved. */
static void add_replaced(struct making *m)
{
	const struct copy *c = (const struct copy *)(const void *)m->changed.data;

	for (size_t i = 0; i < m->changed.len / sizeof(*c); i++) {
		const struct diff_item *x = &m->diff->items[c[i].item];

		if (!was_copied(m->layer->upper, x->path))
			buf_add(&m->left, &x->was, sizeof(x->was));
	}
}

static int by_time(const void *a, const void *b)
{
	const struct diff_side *x = a, *y = b;

	if (x->mtime != y->mtime)
		return x->mtime < y->mtime ? -1 : 1;
	return (x->size > y->size) - (x->size < y->size);
}

static int by_inode(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b; /* struct copy begins with one */

	return (*x > *y) - (*x < *y);
}

static bool has_name(const struct making *m, uint64_t ino)
{
	size_t n = m->names.len / sizeof(ino);

	return n && bsearch(&ino, m->names.data, n, sizeof(ino), by_inode);
}

/* How many files they are, in the order of their inodes. */
static size_t count_copies(const struct making *m, struct copy *copies, size_t n)
{
	size_t files = 0;

	if (m->names.len)
		qsort(m->names.data, m->names.len / sizeof(uint64_t), sizeof(uint64_t),
		      by_inode);
	if (n)
		qsort(copies, n, sizeof(*copies), by_inode);
	for (size_t i = 0; i < n; i++)
		files += (i == 0 || copies[i].ino != copies[i - 1].ino) &&
			 !has_name(m, copies[i].ino);
	return files;
}

/* A file that the box copied and the host has not was moved by the box, or removed by the
 * host, unless it is another name (a link) of one that both have. The first leaves a file of
 * the host's without a copy, of the same time and size when the box has not changed it since.
 * Of those that it has changed all are moves when as many such files are left; when there are
 * fewer, nobody knows which, and all are conflicts. */
static int judge_copies(struct making *m, struct err *e)
{
	struct copy *copies = (struct copy *)(void *)m->copies.data;
	size_t n = m->copies.len / sizeof(*copies), left;
	bool fits;

	if (n)
		add_replaced(m);
	left = m->left.len / sizeof(struct diff_side);
	if (buf_failed(&m->copies) < 0 || buf_failed(&m->changed) < 0 ||
	    buf_failed(&m->left) < 0 || buf_failed(&m->names) < 0)
		return fail(e, -ENOMEM);
	fits = count_copies(m, copies, n) <= left;
	if (left)
		qsort(m->left.data, left, sizeof(struct diff_side), by_time);
	for (size_t i = 0; i < n; i++) {
		struct diff_item *x = &m->diff->items[copies[i].item];

		x->moved = fits || has_name(m, copies[i].ino) ||
			   (left && bsearch(&x->now, m->left.data, left, sizeof(x->now),
					    by_time));
		x->conflict |= !x->moved;
	}
	return 0;
}

/* ---- what is gone ----------------------------------------------------------------------- */

static int gone(struct making *m, char path[PATH_MAX], unsigned depth, struct err *e);

static int gone_below(struct making *m, char path[PATH_MAX], int upper, unsigned depth,
		      struct err *e)
{
	_cleanup_close_ int dir =
		takeover_open(m->layer->project, path, O_RDONLY | O_DIRECTORY);
	_cleanup_free_ struct dirscan *scan = malloc(sizeof(*scan));
	size_t len = strlen(path);
	int r = 0;

	if (!scan)
		return fail(e, -ENOMEM);
	if (dir < 0)
		return fail(e, dir);
	dirscan_start(scan, dir);
	while (r >= 0 && dirscan_next(scan)) {
		if (upper >= 0 && file_is_there(upper, scan->name))
			continue;
		if (len + strlen(scan->name) + 2 > PATH_MAX || depth > UPPER_DEPTH)
			return err_set(e, -E2BIG, "the project is nested too deep");
		path[len] = '/';
		memcpy(path + len + 1, scan->name, strlen(scan->name) + 1);
		r = gone(m, path, depth + 1, e);
		path[len] = '\0';
	}
	return r < 0 ? r : dirscan_failed(scan, e);
}

static int gone(struct making *m, char path[PATH_MAX], unsigned depth, struct err *e)
{
	struct diff_item x = { .path = path,
			       .was = look(m, path),
			       .git = layer_is_git(m->layer, path) };
	const char *own = layer_in_git(m->layer, path);
	bool is_dir = S_ISDIR(x.was.mode);
	int r = 0;

	if (!x.was.mode || (own && !is_dir && !git_take_held(own, GIT_TAKE_ALONE)))
		return 0;
	x.conflict = is_newer(m, &x);
	if (is_dir && !x.git)
		r = gone_below(m, path, -1, depth, e);
	if (own && is_dir)
		return r; /* git has directories as it needs them */
	if (S_ISREG(x.was.mode))
		buf_add(&m->left, &x.was, sizeof(x.was));
	return r < 0 ? r : add(m, &x, e);
}

/* ---- what is the same ------------------------------------------------------------------- */

static bool same_bytes(int a, int b, char in_a[CHUNK], char in_b[CHUNK])
{
	for (;;) {
		ssize_t n = sys_read(a, in_a, CHUNK), got = 0, k = 1;

		while (n > 0 && got < n &&
		       (k = sys_read(b, in_b + got, (size_t)(n - got))) > 0)
			got += k;
		if (n < 0 || got < n || memcmp(in_a, in_b, (size_t)n) != 0)
			return false;
		if (n == 0)
			return true;
	}
}

static bool same_link(struct making *m, const struct upper_entry *x)
{
	_cleanup_close_ int host = takeover_open(m->layer->project, x->path, O_PATH);
	ssize_t n = sys_readlinkat(x->dir, x->name, m->a, CHUNK);

	return host >= 0 && n >= 0 && sys_readlinkat(host, "", m->b, CHUNK) == n &&
	       memcmp(m->a, m->b, (size_t)n) == 0;
}

static bool same_content(struct making *m, const struct upper_entry *x,
			 const struct diff_item *it)
{
	_cleanup_close_ int a = -1, b = -1;

	if ((it->was.mode & S_IFMT) != (it->now.mode & S_IFMT))
		return false;
	if (!S_ISREG(it->now.mode) && !S_ISLNK(it->now.mode))
		return true;
	if (it->was.size != it->now.size || it->now.size > DIFF_COMPARED)
		return false;
	if (S_ISLNK(it->now.mode))
		return same_link(m, x);
	a = sys_openat(x->dir, x->name, READ | O_NOFOLLOW, 0);
	b = takeover_open(m->layer->project, x->path, READ);
	return a >= 0 && b >= 0 && same_bytes(a, b, m->a, m->b);
}

bool diff_same_bytes(int a, int b)
{
	_cleanup_free_ char *chunks = malloc((size_t)2 * CHUNK);

	return chunks && same_bytes(a, b, chunks, chunks + CHUNK);
}

/* ---- the layer, entry by entry ---------------------------------------------------------- */

/* One line for all that is taken over by its meaning; what is not stands for itself. */
static int in_git(struct making *m, const struct upper_entry *x, struct err *e)
{
	struct diff_item it = { .path = m->git, .git = true };

	if (m->git_listed || x->kind == UPPER_DIR)
		return 0;
	it.was = diff_look(m->layer->project, m->git);
	it.now = it.was;
	m->git_listed = true;
	return add(m, &it, e);
}

/* A directory of it that the box removed: what is in it stays, but somebody is to hear of it. */
static int git_dir_gone(struct making *m, const struct upper_entry *x, struct err *e)
{
	return text_is_below(x->path, m->git) &&
			       S_ISDIR(diff_look(m->layer->project, x->path).mode)
		       ? in_git(m, x, e)
		       : 0;
}

static int hide(struct making *m, const struct upper_entry *x, struct err *e)
{
	_cleanup_close_ int dir =
		sys_openat(x->dir, x->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	char path[PATH_MAX];

	if (dir < 0)
		return fail(e, dir);
	(void)text_copy(path, sizeof(path), x->path);
	return gone_below(m, path, dir, 0, e);
}

static int compare(struct making *m, const struct upper_entry *x, struct err *e)
{
	struct diff_item it = { .path = (char *)(uintptr_t)x->path,
				.was = look(m, x->path),
				.now = side_of(&x->st) };
	bool dirs = S_ISDIR(it.was.mode) && S_ISDIR(it.now.mode);
	char path[PATH_MAX];
	bool same;
	int r = 0;

	it.git = S_ISDIR(it.was.mode) && layer_is_git(m->layer, x->path);
	it.conflict = is_newer(m, &it) || was_removed(m, &it);
	if (dirs && *m->hidden && !layer_in_git(m->layer, x->path))
		r = hide(m, x, e);
	if (S_ISDIR(it.was.mode) && !dirs && !it.git) {
		(void)text_copy(path, sizeof(path), x->path);
		r = gone_below(m, path, -1, 0, e);
	}
	if (it.was.mode && x->st.st_nlink > 1)
		buf_add(&m->names, &it.now.ino, sizeof(it.now.ino));
	same = r == 0 && same_content(m, x, &it);
	if (r < 0 || (same && ((it.was.mode ^ it.now.mode) & 0777) == 0))
		return r;
	it.rights = same && it.was.ctime > layer_since(m->layer, x->path);
	note_move(m, x, &it);
	return add(m, &it, e);
}

static void enter(struct making *m, const struct upper_entry *x)
{
	if (x->kind == UPPER_OPAQUE && !*m->hidden)
		(void)text_copy(m->hidden, sizeof(m->hidden), x->path);
	if ((x->kind == UPPER_DIR || x->kind == UPPER_OPAQUE) && !*m->git &&
	    layer_is_git(m->layer, x->path) && !layer_outside_is(m->layer, x->path)) {
		(void)text_copy(m->git, sizeof(m->git), x->path);
		m->git_listed = false;
	}
}

static void leave(struct making *m, const char *path)
{
	if (strcmp(path, m->hidden) == 0)
		m->hidden[0] = '\0';
	if (strcmp(path, m->git) == 0)
		m->git[0] = '\0';
}

static int on_entry(void *ctx, const struct upper_entry *x, struct err *e)
{
	struct making *m = ctx;
	char path[PATH_MAX];
	const char *held;

	if (x->kind == UPPER_LEFT) {
		forget_given(m, x->path);
		leave(m, x->path);
		return 0;
	}
	if (x->kind == UPPER_CLOSED)
		return fail(e, -EACCES);
	enter(m, x);
	if (strcmp(x->path, m->git) == 0 && *m->git)
		return x->kind == UPPER_OPAQUE ? in_git(m, x, e) : 0;
	if (!S_ISDIR(x->st.st_mode) && is_given(m, x->path, &x->st))
		return 0;
	held = text_is_below(x->path, m->git)
		       ? git_take_held(x->path + strlen(m->git) + 1, GIT_TAKE_ALONE)
		       : "";
	if (!held)
		return in_git(m, x, e);
	if (x->kind == UPPER_GONE) {
		(void)text_copy(path, sizeof(path), x->path);
		return gone(m, path, 0, e) ?: git_dir_gone(m, x, e);
	}
	return compare(m, x, e);
}

/* ---- a repository outside of the project -------------------------------------------------- */

/* It is compared with nothing: whoever lists what a box made does not have it. */
static int on_outside(void *ctx, enum git_take_where where, const struct upper_entry *x,
		      struct err *e)
{
	struct making *m = ctx;
	const char *held = git_take_held(x->path, where);
	struct diff_item it = { .kept = held };
	char path[PATH_MAX + sizeof(LAYER_OUTSIDE)];

	if (x->kind == UPPER_DIR || x->kind == UPPER_OPAQUE || x->kind == UPPER_LEFT)
		return 0;
	if (!held) {
		m->git_listed = true;
		return 0;
	}
	snprintf(path, sizeof(path), "%s/%s", LAYER_OUTSIDE, x->path);
	if (strlen(path) >= PATH_MAX)
		return err_set(e, -E2BIG, "a box has made too long a path");
	it.path = path;
	it.now = side_of(&x->st);
	it.was.mode = it.now.mode;
	if (x->kind == UPPER_GONE) {
		it.was.mode = S_IFREG | 0644;
		it.now.mode = 0;
	}
	return add(m, &it, e);
}

/* As long as the box's ".git" is another than the host's, which of the two is meant would be
 * a guess: that comes first. */
static int list_outside(struct making *m, struct err *e)
{
	struct diff_item it = { .path = (char *)(uintptr_t)LAYER_OUTSIDE,
				.was.mode = S_IFDIR | 0755,
				.now.mode = S_IFDIR | 0755,
				.git = true };
	const bool left = layer_outside_left(m->layer);
	int r;

	if (!left && !layer_outside_is(m->layer, LAYER_OUTSIDE))
		return 0;
	for (size_t i = 0; i < m->diff->n; i++)
		if (text_is_in(m->diff->items[i].path, LAYER_OUTSIDE))
			return 0;
	if (left) {
		it.git = false;
		it.was.mode = it.now.mode = S_IFREG | 0644; /* it counts as a change */
		it.kept = "of the repository outside that was this directory's before";
		return add(m, &it, e);
	}
	m->git_listed = false;
	r = layer_outside_walk(m->layer, on_outside, m, e);
	return r < 0 || !m->git_listed ? r : add(m, &it, e);
}

int diff_by_path(const void *a, const void *b)
{
	const struct diff_item *x = a, *y = b;

	return strcmp(x->path, y->path);
}

int diff_make(const struct layer *l, struct diff *ret, struct err *e)
{
	_cleanup_diff_ struct diff d = { .items = NULL };
	_cleanup_free_ struct making *m = calloc(1, sizeof(*m));
	_cleanup_free_ char *chunks = malloc((size_t)2 * CHUNK);
	int r;

	if (!m || !chunks)
		return fail(e, -ENOMEM);
	m->layer = l;
	m->diff = &d;
	m->a = chunks;
	m->b = chunks + CHUNK;
	m->given = GIVEN_NONE;
	m->beside_fd = -1;
	m->origins = sys_faccessat(l->dir, "origin", F_OK, AT_SYMLINK_NOFOLLOW) == 0;
	buf_init(&m->copies, DIFF_ITEMS * sizeof(struct copy));
	buf_init(&m->changed, DIFF_ITEMS * sizeof(struct copy));
	buf_init(&m->names, UPPER_ENTRIES * sizeof(uint64_t));
	buf_init(&m->left, DIFF_ITEMS * sizeof(struct diff_side));
	r = given_read(l->dir, &m->given, e) ?:
		upper_walk(l->upper, on_entry, m, e) ?:
		judge_copies(m, e) ?:
		list_outside(m, e);
	given_done(&m->given);
	scope_close(&m->beside_fd);
	buf_done(&m->copies);
	buf_done(&m->changed);
	buf_done(&m->left);
	buf_done(&m->names);
	if (r < 0)
		return r;
	if (d.n)
		qsort(d.items, d.n, sizeof(*d.items), diff_by_path);
	*ret = take(&d, (struct diff){ .items = NULL });
	return 0;
}

size_t diff_inside(const struct diff *d, size_t dir, size_t i)
{
	const struct diff_item *items = d->items;
	const size_t len = strlen(items[dir].path);

	while (++i < d->n && strncmp(items[i].path, items[dir].path, len) == 0)
		if (items[i].path[len] == '/')
			return i;
	return 0;
}
