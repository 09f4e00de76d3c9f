#include "rootfs/review/origin.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dirscan.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/sys/sys.h"
#include "rootfs/git/takeover.h"
#include "rootfs/git/upper.h"
#include "rootfs/review/diff.h"

enum { NAME = 64, SUM = 32, BINARY_LOOK = 8000 };

struct keeping {
	const struct layer *layer;
	int dir;	  /* owned: project/origin; -1 = there is none yet */
	struct buf names; /* owned: those of use, NAME bytes each */
	struct buf text;  /* owned: of one file */
	mode_t mode;	  /* the same */
	uint64_t bytes;	  /* of all of them */
	uint64_t read;	  /* of the host's files, this time */
	size_t looked;
	bool drop; /* nothing is kept; what is of no use goes */
};

bool origin_is_text(const struct buf *text)
{
	return !memchr(buf_cstr(text), '\0', MIN(text->len, (size_t)BINARY_LOOK));
}

/* A file that was left by another run has another time, and so another name. */
static void name_of(const struct layer *l, const char *path, char ret[NAME])
{
	char sum[HASH_HEX];

	hash_text(path, strlen(path), sum);
	memset(ret, 0, NAME);
	snprintf(ret, NAME, "%.*s-%" PRIu64, (int)SUM, sum, layer_since(l, path));
}

static uint64_t ns(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_nsec;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_size == b->st_size && ns(&a->st_mtim) == ns(&b->st_mtim) &&
	       ns(&a->st_ctim) == ns(&b->st_ctim);
}

/* Whether the host's file is what the box copied, and a text; it is in k->text then. */
static bool read_host(struct keeping *k, const char *path)
{
	_cleanup_close_ int fd = takeover_open(k->layer->project, path,
					       O_RDONLY | O_NONBLOCK | O_NOCTTY);
	struct stat before, after;
	ssize_t n = 1;

	if (fd < 0 || sys_fstat(fd, &before) < 0 || !S_ISREG(before.st_mode) ||
	    before.st_size > ORIGIN_FILE ||
	    k->bytes + (uint64_t)before.st_size > ORIGIN_ALL ||
	    k->read + (uint64_t)before.st_size > ORIGIN_ALL ||
	    ns(&before.st_ctim) > layer_since(k->layer, path))
		return false;
	buf_truncate(&k->text, 0);
	k->mode = before.st_mode & 0777;
	while (n > 0) {
		char chunk[16 << 10];

		n = sys_read(fd, chunk, sizeof(chunk));
		k->read += (uint64_t)MAX(n, 0);
		if (n > 0 && (buf_add(&k->text, chunk, (size_t)n) < 0 ||
			      !origin_is_text(&k->text)))
			return false; /* of one that is no text, no more is read */
	}
	return n == 0 && sys_fstat(fd, &after) == 0 && same_file(&before, &after) &&
	       k->text.len == (size_t)before.st_size;
}

static int open_dir(struct keeping *k, bool make)
{
	if (k->dir < 0 && make)
		(void)file_mkdirs(k->layer->dir, "origin", 0700, ERR_IGNORED);
	if (k->dir < 0)
		k->dir = sys_openat(k->layer->dir, "origin",
				    O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	return k->dir;
}

static void name_file(struct keeping *k, const char *path)
{
	char name[NAME];

	name_of(k->layer, path, name);
	if (file_is_there(k->dir, name))
		buf_add(&k->names, name, NAME);
}

/* What an earlier run has left there was kept then, or cannot be any more. */
static void keep_file(struct keeping *k, const char *path)
{
	char name[NAME];
	struct stat st;

	if (layer_since(k->layer, path) != k->layer->began)
		return;
	name_of(k->layer, path, name);
	if (k->dir >= 0 && sys_fstatat(k->dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		k->bytes += (uint64_t)st.st_size;
	else if (!read_host(k, path) || open_dir(k, true) < 0 ||
		 file_replace_soon(k->dir, name,
				   &(struct file_data){ buf_cstr(&k->text), k->text.len,
							k->mode },
				   ERR_IGNORED) < 0)
		return;
	else
		k->bytes += k->text.len;
}

/* What the host has not at all has no beginning there: a directory of that kind is passed. */
static int keep_one(void *ctx, const struct upper_entry *x, struct err *e)
{
	struct keeping *k = ctx;
	_cleanup_close_ int below = -1;

	if (!k->drop && ++k->looked > ORIGIN_LOOKED)
		return err_set(e, -E2BIG, "too many changes");
	if (x->kind == UPPER_FILE && x->st.st_size <= ORIGIN_FILE) {
		if (k->drop)
			name_file(k, x->path);
		else
			keep_file(k, x->path);
	}
	if (x->kind != UPPER_DIR && x->kind != UPPER_OPAQUE)
		return 0;
	if (layer_is_git(k->layer, x->path))
		return UPPER_SKIP;
	below = takeover_open(k->layer->project, x->path, O_PATH | O_DIRECTORY);
	return below < 0 ? UPPER_SKIP : 0;
}

static int by_name(const void *a, const void *b)
{
	return memcmp(a, b, NAME);
}

static void drop_others(struct keeping *k)
{
	struct dirscan scan;
	size_t n = k->names.len / NAME;

	if (buf_failed(&k->names) < 0)
		return;
	if (n)
		qsort(k->names.data, n, NAME, by_name);
	dirscan_start(&scan, k->dir);
	while (dirscan_next(&scan)) {
		char name[NAME] = "";

		if (strlen(scan.name) < NAME)
			memcpy(name, scan.name, strlen(scan.name));
		if (!n || !bsearch(name, k->names.data, n, NAME, by_name))
			(void)sys_unlinkat(k->dir, scan.name, 0);
	}
}

static void look_at_all(const struct layer *l, bool drop)
{
	struct keeping k = { .layer = l,
			     .dir = -1,
			     .names = BUF_INIT((size_t)DIFF_ITEMS * NAME),
			     .text = BUF_INIT(ORIGIN_FILE + 1),
			     .drop = drop };

	if (open_dir(&k, false) >= 0 || !drop)
		if (upper_walk(l->upper, keep_one, &k, ERR_IGNORED) == 0 && drop)
			drop_others(&k);
	scope_close(&k.dir);
	buf_done(&k.names);
	buf_done(&k.text);
}

void origin_drop(const struct layer *l)
{
	look_at_all(l, true);
}

void origin_keep(int boxdir, int project)
{
	_cleanup_layer_ struct layer l = LAYER_NONE;

	if (layer_open(boxdir, project, &l, ERR_IGNORED) == 0)
		look_at_all(&l, false);
}

bool origin_known(const struct layer *l, const char *path)
{
	char name[sizeof("origin/") + NAME] = "origin/";

	name_of(l, path, name + strlen(name));
	return file_is_there(l->dir, name);
}

int origin_read(const struct layer *l, const char *path, struct buf *ret, mode_t *mode)
{
	_cleanup_close_ int dir =
		sys_openat(l->dir, "origin", O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	char name[NAME];
	struct stat st;
	int r;

	name_of(l, path, name);
	r = dir < 0 ? dir : sys_fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW);
	if (r < 0)
		return r;
	*mode = st.st_mode & 0777;
	return takeover_read(dir, name, ret);
}

void origin_renew(const struct layer *l, const char *path, const struct buf *text,
		  mode_t mode)
{
	_cleanup_close_ int dir =
		sys_openat(l->dir, "origin", O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	char name[NAME];

	name_of(l, path, name);
	if (dir < 0 || !file_is_there(dir, name))
		return;
	if (!text ||
	    file_replace_soon(dir, name,
			      &(struct file_data){ buf_cstr(text), text->len, mode },
			      ERR_IGNORED) < 0)
		(void)sys_unlinkat(dir, name, 0);
}
