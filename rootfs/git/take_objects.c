/* Theory of operation
 *
 * What the box calls an object may be anything. It is linked, file by file, into an empty
 * repository of ours ("in" below the state directory), where git packs what the names name;
 * the stream is then read by another git, which writes to the host's objects only what it
 * has summed and checked itself (unpack-objects or index-pack, both --strict, as a server
 * does with what is pushed to it). A file that the box changes meanwhile makes the stream
 * a bad one, and nothing else. The indexes of packs are made anew. */
#include "rootfs/git/take_impl.h"

#include <string.h>

#include "base/file.h"
#include "base/procfs.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "rootfs/git/host.h"
#include "rootfs/store/tree.h"

enum { UNPACK_LIMIT = 100 /* git's own for what is pushed */ };

static const char incoming[] = "in";

static int fail(struct err *e, int code)
{
	return err_sys(e, code, "cannot look at the objects of a box");
}

/* ---- an empty repository ---------------------------------------------------------------- */

static int write_small(int dir, const char *name, const char *text, struct err *e)
{
	_cleanup_close_ int fd =
		sys_openat(dir, name, O_CREAT | O_EXCL | O_WRONLY, 0600);

	return fd < 0 ? fail(e, fd) : file_write_fd(fd, text, strlen(text), e);
}

static int begin_incoming(struct git_take *t, struct err *e)
{
	static const char *const dirs[] = { "", "/objects", "/objects/pack", "/refs" };
	int r = tree_remove(t->conf->state, incoming, e);
	char path[64];

	for (size_t i = 0; i < ARRAY_SIZE(dirs) && r == 0; i++) {
		snprintf(path, sizeof(path), "%s%s", incoming, dirs[i]);
		r = sys_mkdirat(t->conf->state, path, 0700);
		if (r < 0)
			return fail(e, r);
	}
	if (r < 0)
		return r;
	r = write_small(t->conf->state, "in/HEAD", "ref: refs/heads/none\n", e);
	if (r < 0)
		return r;
	r = write_small(t->conf->state, "in/config",
			t->sum == 32 ? "[core]\n\trepositoryformatversion = 1\n"
				       "\tbare = true\n[extensions]\n"
				       "\tobjectformat = sha256\n"
				     : "[core]\n\trepositoryformatversion = 0\n"
				       "\tbare = true\n",
			e);
	if (r < 0)
		return r;
	t->incoming = true;
	return 0;
}

/* A link, since the store is one filesystem; a copy of what the caller may not link. */
static int put_aside(struct git_take *t, const struct upper_entry *x, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(64 << 20);
	_cleanup_close_ int fd = -1, to = -1;
	char path[128];
	struct stat st;
	int r = t->incoming ? 0 : begin_incoming(t, e);

	if (r < 0)
		return r;
	if (text_starts(x->path, "objects/pack/")) {
		snprintf(path, sizeof(path), "in/%s", x->path);
	} else {
		snprintf(path, sizeof(path), "in/objects/%.2s", x->path + 8);
		r = sys_mkdirat(t->conf->state, path, 0700);
		if (r < 0 && r != -EEXIST)
			return fail(e, r);
		snprintf(path, sizeof(path), "in/%s", x->path);
	}
	r = sys_linkat(x->dir, x->name, t->conf->state, path, 0)
		    ?: sys_fstatat(t->conf->state, path, &st, AT_SYMLINK_NOFOLLOW);
	if (r == 0)
		return S_ISREG(st.st_mode) ? 0 : fail(e, -EINVAL);
	fd = sys_openat(x->dir, x->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
	if (fd < 0)
		return fail(e, fd);
	r = file_read_fd(fd, &text, e);
	if (r < 0)
		return r;
	to = sys_openat(t->conf->state, path, O_CREAT | O_EXCL | O_WRONLY, 0600);
	return to < 0 ? fail(e, to) : file_write_fd(to, text.data, text.len, e);
}

/* ---- what is an object's file ------------------------------------------------------------ */

static bool is_pack(const char *name)
{
	static const char first[] = "pack-", last[] = ".pack";
	size_t n = strlen(name);

	return n > 10 && text_starts(name, first) && text_ends(name, last) &&
	       git_text_is_sum(name + 5, n - 10);
}

int git_take_objects_put(struct git_take *t, const struct upper_entry *x, struct err *e)
{
	char sum[80];
	int r;

	if (x->kind != UPPER_FILE)
		return 0;
	if (text_starts(x->path, "objects/pack/") && is_pack(x->path + 13)) {
		r = put_aside(t, x, e);
		t->packs |= r == 0;
		return r;
	}
	if (strlen(x->path) != 9 + 2 * t->sum || x->path[10] != '/')
		return 0;
	snprintf(sum, sizeof(sum), "%.2s%.66s", x->path + 8, x->path + 11);
	if (!git_text_is_sum(sum, strlen(sum)))
		return 0;
	if (sys_faccessat(t->conf->git, x->path, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return 0;
	r = put_aside(t, x, e);
	if (r == 0 && (r = buf_addf(&t->names, "%s\n", sum)) < 0)
		return fail(e, r);
	t->n_names += r == 0;
	return r;
}

/* ---- git's part ------------------------------------------------------------------------- */

struct import {
	struct git_take *t;
	char dir[PATH_MAX]; /* of "in" */
	char objects[PATH_MAX + 16];
};

static int open_file(const struct import *im, const char *name, bool write)
{
	char path[160];

	snprintf(path, sizeof(path), "in/%s", name);
	return sys_openat(im->t->conf->state, path,
			  write ? O_CREAT | O_TRUNC | O_RDWR | O_APPEND : O_RDONLY,
			  0600);
}

/* Files of "in" as input and output; NULL = none. @mine: work on what came from the box,
 * else on the host's objects. */
static int git(const struct import *im, const char *const *argv, const char *in,
	       const char *out, bool mine, struct err *e)
{
	_cleanup_close_ int from = in ? open_file(im, in, false) : -1;
	_cleanup_close_ int to = out ? open_file(im, out, true) : -1;
	struct git_host_run run = { .argv = argv,
				    .cwd = im->t->conf->git,
				    .in = from,
				    .out = to,
				    .hold = im->t->conf->record,
				    .git_dir = im->dir,
				    .objects = mine ? im->objects : "objects" };

	if ((in && from < 0) || (out && to < 0))
		return fail(e, in && from < 0 ? from : to);
	return git_host_run(&run, e);
}

/* "OFFSET SUM (CRC)" a line. */
static int add_pack_names(struct git_take *t, char *text)
{
	char *save = NULL;
	int r = 0;

	for (char *l = strtok_r(text, "\n", &save); l && r == 0;
	     l = strtok_r(NULL, "\n", &save)) {
		const char *sum = strchr(l, ' ');
		size_t n = sum ? strcspn(sum + 1, " ") : 0;

		if (sum && git_text_is_sum(sum + 1, n)) {
			r = buf_addf(&t->names, "%.*s\n", (int)n, sum + 1);
			t->n_names++;
		}
	}
	return r;
}

static int read_file(const struct import *im, const char *name, struct buf *ret,
		     struct err *e)
{
	_cleanup_close_ int fd = open_file(im, name, false);

	return fd < 0 ? fail(e, fd) : file_read_fd(fd, ret, e);
}

static int index_pack(void *ctx, const struct upper_entry *x, struct err *e)
{
	struct import *im = ctx;
	_cleanup_buf_ struct buf text = BUF_INIT(256 << 20);
	char pack[PATH_MAX + 128], idx[128];
	const char *const make[] = { "git", "index-pack", pack, NULL };
	static const char *const show[] = { "git", "show-index", NULL };
	int r;

	if (x->kind != UPPER_FILE || !is_pack(x->path))
		return 0;
	snprintf(pack, sizeof(pack), "%s/pack/%s", im->objects, x->path);
	snprintf(idx, sizeof(idx), "objects/pack/%.*s.idx", (int)strlen(x->path) - 5,
		 x->path);
	r = git(im, make, NULL, NULL, true, e);
	if (r < 0)
		return r;
	r = git(im, show, idx, "list", true, e);
	if (r < 0)
		return r;
	r = read_file(im, "list", &text, e);
	if (r < 0)
		return r;
	if (text.len && (r = add_pack_names(im->t, text.data)) < 0)
		return fail(e, r);
	return 0;
}

static int write_names(const struct import *im, struct err *e)
{
	_cleanup_close_ int fd = open_file(im, "names", true);

	return fd < 0 ? fail(e, fd)
		      : file_write_fd(fd, im->t->names.data, im->t->names.len, e);
}

/* Git answers for it whether it is there or not, and its fsck misses it then. */
static bool is_empty_tree(const char *sum, size_t n)
{
	static const char *const empty[] = {
		"4b825dc642cb6eb9a060e54bf8d69288fbee4904",
		"6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
	};

	for (size_t i = 0; i < ARRAY_SIZE(empty); i++)
		if (n == strlen(empty[i]) && memcmp(sum, empty[i], n) == 0)
			return true;
	return false;
}

/* A box's gc packs everything anew: only what the host has not is asked for. */
static int leave_missing(struct import *im, struct err *e)
{
	static const char *const argv[] = { "git", "cat-file",
					    "--batch-check=%(objectname)", NULL };
	_cleanup_buf_ struct buf text = BUF_INIT(256 << 20);
	struct git_take *t = im->t;
	char *save = NULL;
	int r = git(im, argv, "names", "there", false, e);

	if (r < 0)
		return r;
	r = read_file(im, "there", &text, e);
	if (r < 0)
		return r;
	buf_truncate(&t->names, 0);
	t->n_names = 0;
	for (char *l = text.len ? strtok_r(text.data, "\n", &save) : NULL; l && r == 0;
	     l = strtok_r(NULL, "\n", &save)) {
		size_t n = strcspn(l, " ");

		if (!git_text_is_sum(l, n) ||
		    (strcmp(l + n, " missing") != 0 && !is_empty_tree(l, n)))
			continue;
		r = buf_addf(&t->names, "%.*s\n", (int)n, l);
		t->n_names++;
	}
	return r < 0 ? fail(e, r) : write_names(im, e);
}

static int locate(struct import *im, struct err *e)
{
	int n = procfs_fd_name(im->t->conf->state, im->dir, sizeof(im->dir) - 3);

	if (n < 0)
		return fail(e, n);
	memcpy(im->dir + n, "/in", sizeof("/in"));
	snprintf(im->objects, sizeof(im->objects), "%s/objects", im->dir);
	return 0;
}

static int import(struct import *im, struct err *e)
{
	static const char *const pack[] = { "git",	  "pack-objects", "--stdout",
					    "--window=0", "-q",		  NULL };
	static const char *const unpack[] = { "git", "unpack-objects", "-q", "--strict",
					      NULL };
	static const char *const keep[] = { "git", "index-pack", "--stdin", "--strict",
					    NULL };
	struct git_take *t = im->t;
	int r = locate(im, e);

	if (r == 0 && t->packs) {
		_cleanup_close_ int dir = sys_openat(t->conf->state, "in/objects/pack",
						     O_RDONLY | O_DIRECTORY, 0);

		r = dir < 0 ? fail(e, dir) : upper_walk(dir, index_pack, im, e);
	}
	if (r < 0)
		return r;
	r = write_names(im, e);
	if (r == 0 && t->packs)
		r = leave_missing(im, e);
	if (r < 0 || !t->n_names)
		return r;
	r = git(im, pack, "names", "stream", true, e);
	return r < 0 ? r
		     : git(im, t->n_names <= UNPACK_LIMIT ? unpack : keep, "stream",
			   NULL, false, e);
}

int git_take_objects_import(struct git_take *t, struct err *e)
{
	_cleanup_free_ struct import *im = NULL;
	int r;

	if (!t->incoming)
		return 0;
	if (!git_host_there())
		return err_set(e, -ENOENT, "there is no git on the host");
	im = calloc(1, sizeof(*im));
	if (!im)
		return fail(e, -ENOMEM);
	im->t = t;
	r = import(im, e);
	if (r < 0)
		return r;
	return tree_remove(t->conf->state, incoming, e);
}
