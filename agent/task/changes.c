#include "agent/task/changes.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/diff.h"
#include "base/dirscan.h"
#include "base/file.h"
#include "base/grow.h"
#include "base/inroot.h"
#include "base/sys/sys.h"

struct entry {
	char *path; /* owned */
	uint64_t size;
	uint64_t ino;
	int64_t mtime_ns, ctime_ns;
	char *text; /* owned; what it held, of a small file; NULL = not kept */
	uint32_t text_len;
	uint32_t mode, uid;
	bool leaves; /* a link that points out of the directory */
};

struct changes_snapshot {
	struct entry *entries; /* owned; sorted by path */
	size_t n;
	bool incomplete;
	uint64_t dev;
	uint32_t owner;
	size_t texts_left; /* bytes that may still be kept */
};

enum {
	DEPTH_MAX = 64,
	PATH_LIMIT = 1 << 16,
	TEXT_MAX = 256 << 10, /* of a file whose lines are counted */
	TEXTS_MAX = 16 << 20, /* of all of them before */
	DIFF_MAX = 4 * TEXT_MAX
};

void changes_done(struct changes *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->items[i].path);
	free(c->items);
	*c = (struct changes){ 0 };
}

void changes_snapshot_free(struct changes_snapshot **sp)
{
	struct changes_snapshot *s = take(sp, NULL);

	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++) {
		free(s->entries[i].path);
		free(s->entries[i].text);
	}
	free(s->entries);
	free(s);
}

/* ---- looking ---- */

static int64_t ns(const struct timespec *t)
{
	return (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
}

/* A target that cannot be read, or is too long, is not known to stay inside. */
static bool leaves(int dirfd, const char *name, const char *path)
{
	char target[PATH_MAX];
	ssize_t n = sys_readlinkat(dirfd, name, target, sizeof(target));

	return n < 0 || n == (ssize_t)sizeof(target) ||
	       effects_leaves(path, strlen(path), target, (size_t)n);
}

static int add(struct changes_snapshot *s, const char *path, const struct stat *st)
{
	struct entry *x;

	if (!grow_room(s->entries, s->n))
		return -ENOMEM;
	x = &s->entries[s->n];
	*x = (struct entry){ .path = strdup(path),
			     .size = (uint64_t)st->st_size,
			     .ino = st->st_ino,
			     .mtime_ns = ns(&st->st_mtim),
			     .ctime_ns = ns(&st->st_ctim),
			     .mode = st->st_mode,
			     .uid = st->st_uid };
	if (!x->path)
		return -ENOMEM;
	s->n++;
	return 0;
}

/* Whatever box and person do meanwhile: at most TEXT_MAX bytes of a plain file without NUL. */
static bool read_text(int fd, struct buf *ret)
{
	struct stat st;

	return fd >= 0 && sys_fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	       file_read_fd(fd, ret, ERR_IGNORED) == 0 &&
	       !memchr(buf_cstr(ret), 0, ret->len);
}

/* What it holds before the task, to count its lines afterwards. */
static void keep_text(struct changes_snapshot *s, struct entry *x, int dirfd,
		      const char *name)
{
	_cleanup_buf_ struct buf text = BUF_INIT(TEXT_MAX);
	_cleanup_close_ int fd = -1;

	if (!S_ISREG(x->mode) || x->size > MIN(s->texts_left, (size_t)TEXT_MAX) ||
	    effects_is_git(x->path, strlen(x->path)))
		return;
	fd = sys_openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
	if (!read_text(fd, &text) || text.len > s->texts_left)
		return;
	s->texts_left -= text.len;
	x->text = strndup(buf_cstr(&text), text.len);
	x->text_len = (uint32_t)text.len;
}

static int walk(struct changes_snapshot *s, int dirfd, struct buf *path,
		unsigned depth);

/* Directories are entered by descriptor and never through a link; one that the caller
 * may not read only makes the picture incomplete. */
static int enter(struct changes_snapshot *s, int dirfd, const char *name,
		 struct buf *path, unsigned depth)
{
	_cleanup_close_ int fd = -1;

	if (depth < DEPTH_MAX)
		fd = sys_openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	if (fd < 0) {
		s->incomplete = true;
		return 0;
	}
	return walk(s, fd, path, depth + 1);
}

static int keep(struct changes_snapshot *s, int dirfd, const char *name,
		const struct stat *st, struct buf *path, unsigned depth)
{
	struct entry *x;
	int r = add(s, path->data, st);

	if (r < 0)
		return r;
	x = &s->entries[s->n - 1];
	if (S_ISLNK(st->st_mode))
		x->leaves = leaves(dirfd, name, path->data);
	if (s->texts_left)
		keep_text(s, x, dirfd, name);
	return S_ISDIR(st->st_mode) && st->st_dev == s->dev
		       ? enter(s, dirfd, name, path, depth)
		       : 0;
}

static int look(struct changes_snapshot *s, int dirfd, const char *name,
		struct buf *path, unsigned depth)
{
	size_t before = path->len;
	struct stat st;
	int r;

	if (s->n >= CHANGES_MAX_FILES ||
	    sys_fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		s->incomplete = true;
		return 0;
	}
	r = (before ? buf_addc(path, '/') : 0) ?: buf_adds(path, name);
	if (r == -EMSGSIZE) {
		s->incomplete = true;
		r = 0;
	} else if (r == 0) {
		r = keep(s, dirfd, name, &st, path, depth);
	}
	buf_truncate(path, before);
	return r;
}

static int walk(struct changes_snapshot *s, int dirfd, struct buf *path, unsigned depth)
{
	struct dirscan scan;

	dirscan_start(&scan, dirfd);
	while (dirscan_next(&scan)) {
		int failed = look(s, dirfd, scan.name, path, depth);

		if (failed < 0)
			return failed;
	}
	s->incomplete |= scan.failed < 0;
	return 0;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->path, ((const struct entry *)b)->path);
}

static int take_snapshot(int dirfd, size_t texts, struct changes_snapshot **ret,
			 struct err *e)
{
	_cleanup_changes_snapshot_ struct changes_snapshot *s = calloc(1, sizeof(*s));
	_cleanup_buf_ struct buf path = BUF_INIT(PATH_LIMIT);
	_cleanup_close_ int fd = sys_openat(dirfd, ".", O_RDONLY | O_DIRECTORY, 0);
	struct stat st;
	int r = fd;

	if (fd >= 0)
		r = sys_fstat(fd, &st);
	if (r < 0)
		return err_sys(e, r, "cannot look at the directory");
	if (!s)
		return err_sys(e, -ENOMEM, "cannot look at the directory");
	s->dev = st.st_dev;
	s->owner = st.st_uid;
	s->texts_left = texts;
	r = walk(s, fd, &path, 0);
	if (r < 0)
		return err_sys(e, r, "cannot look at the directory");
	if (s->n)
		qsort(s->entries, s->n, sizeof(*s->entries), by_path);
	*ret = take(&s, NULL);
	return 0;
}

int changes_snapshot(int dirfd, struct changes_snapshot **ret, struct err *e)
{
	return take_snapshot(dirfd, TEXTS_MAX, ret, e);
}

/* ---- comparing ---- */

static unsigned flags_of(const struct entry *x, uint32_t owner)
{
	unsigned f = 0;

	if (S_ISREG(x->mode) && x->mode & 0111)
		f |= CHANGES_EXECUTABLE;
	if (effects_is_git(x->path, strlen(x->path)))
		f |= CHANGES_GIT;
	if (S_ISDIR(x->mode))
		f |= CHANGES_DIRECTORY;
	if (S_ISLNK(x->mode))
		f |= CHANGES_SYMLINK;
	if (x->uid != owner)
		f |= CHANGES_FOREIGN;
	if (S_ISREG(x->mode) && x->mode & 06000)
		f |= CHANGES_SETID;
	if (x->leaves)
		f |= CHANGES_LEAVES;
	return f;
}

static struct effect effect_of(const struct entry *was, const struct entry *now)
{
	return now ? effects_of_change(now->path, was ? was->mode : 0, now->mode,
				       now->leaves)
		   : (struct effect){ EFFECTS_PLAIN, NULL };
}

/* A directory's own times change with every entry, which is listed itself. */
static bool is_same(const struct entry *a, const struct entry *b)
{
	if (a->mode != b->mode || a->uid != b->uid)
		return false;
	if (S_ISDIR(a->mode))
		return true;
	/* The ctime is the one that a program cannot set back. */
	return a->size == b->size && a->mtime_ns == b->mtime_ns &&
	       a->ctime_ns == b->ctime_ns && a->ino == b->ino;
}

static void count(struct changes *c, enum changes_kind kind, enum effects_class class)
{
	size_t *total = kind == CHANGES_CREATED	   ? &c->created
			: kind == CHANGES_MODIFIED ? &c->modified
						   : &c->deleted;

	++*total;
	c->held += class == EFFECTS_HELD;
}

int changes_add(struct changes *c, const struct changes_item *x)
{
	char *path;

	if (c->n >= CHANGES_MAX_LISTED)
		return 0;
	if (!c->items)
		c->items = calloc(CHANGES_MAX_LISTED, sizeof(*c->items));
	path = c->items ? strdup(x->path) : NULL;
	if (!path)
		return -ENOMEM;
	c->items[c->n] = *x;
	c->items[c->n++].path = path;
	return 0;
}

/* Where the files are, and whose they should be. */
struct place {
	int dirfd;
	uint32_t owner;
};

/* The lines that came and went; nothing of what is no text, large, or was not kept. */
static void count_lines(const struct entry *was, const struct entry *now, int dirfd,
			struct changes_item *ret)
{
	_cleanup_buf_ struct buf new = BUF_INIT(TEXT_MAX), hunks = BUF_INIT(DIFF_MAX);
	struct buf old = { .data = was ? was->text : NULL,
			   .len = was ? was->text_len : 0 };
	struct diff_stat stat = { 0 };

	if ((was && !was->text) || (now && !S_ISREG(now->mode)))
		return;
	if (now) {
		_cleanup_close_ int fd = inroot_open(
			dirfd, now->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);

		if (!read_text(fd, &new))
			return;
	}
	if (diff_unified(&old, &new, &stat, &hunks) < 0)
		return;
	ret->added = stat.added;
	ret->removed = stat.removed;
}

/* One difference: @was or @now may be NULL. Counted in the first round, which lists what
 * is held; the others list the rest, so that no number of names crowds that out. */
static int note(struct changes *c, const struct entry *was, const struct entry *now,
		const struct place *at, enum effects_class round)
{
	const struct entry *x = now ?: was;
	enum changes_kind kind = !was	? CHANGES_CREATED
				 : !now ? CHANGES_DELETED
					: CHANGES_MODIFIED;
	struct effect effect = effect_of(was, now);
	struct changes_item item;

	if (round == EFFECTS_HELD)
		count(c, kind, effect.class);
	if (effect.class != round)
		return 0;
	item = (struct changes_item){ .kind = kind,
				      .flags = flags_of(x, at->owner),
				      .effect = effect,
				      .path = x->path,
				      .size = x->size };
	if (c->n < CHANGES_MAX_LISTED)
		count_lines(was, now, at->dirfd, &item);
	return changes_add(c, &item);
}

static int compare(struct changes *c, const struct changes_snapshot *before,
		   const struct changes_snapshot *now, int dirfd,
		   enum effects_class round)
{
	const struct place at = { dirfd, now->owner };
	size_t i = 0, j = 0;
	int r = 0;

	while (r == 0 && (i < before->n || j < now->n)) {
		const struct entry *a = before->entries + i, *b = now->entries + j;
		int order = j == now->n	     ? -1
			    : i == before->n ? 1
					     : strcmp(a->path, b->path);

		if (order || !is_same(a, b))
			r = note(c, order <= 0 ? a : NULL, order >= 0 ? b : NULL, &at,
				 round);
		i += order <= 0;
		j += order >= 0;
	}
	return r;
}

int changes_since(const struct changes_snapshot *before, int dirfd, struct changes *ret,
		  struct err *e)
{
	_cleanup_changes_snapshot_ struct changes_snapshot *now = NULL;
	_cleanup_(changes_done) struct changes c = { 0 };
	int r = take_snapshot(dirfd, 0, &now, e);

	if (r < 0)
		return r;
	for (int round = EFFECTS_HELD; round >= EFFECTS_PLAIN && r == 0; round--)
		r = compare(&c, before, now, dirfd, (enum effects_class)round);
	if (r < 0)
		return err_sys(e, r, "cannot compare the directory");
	c.incomplete = before->incomplete || now->incomplete;
	*ret = take(&c, ((struct changes){ 0 }));
	return 0;
}
