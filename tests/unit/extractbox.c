#include "tests/unit/extractbox.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "base/dirscan.h"
#include "base/file.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "tests/unit/unit.h"

static char outside[128]; /* one test at a time */

const char *extractbox_outside(void)
{
	snprintf(outside, sizeof(outside), "%s/outside", unit_tmpdir());
	return outside;
}

void extractbox_put(int root, const char *path, const char *text)
{
	_cleanup_close_ int fd =
		sys_openat(root, path, O_WRONLY | O_CREAT | O_EXCL, 0644);

	assert_true(fd >= 0);
	assert_int_equal(sys_write(fd, text, strlen(text)), strlen(text));
}

void extractbox_mkdir(int root, const char *path)
{
	assert_int_equal(sys_mkdirat(root, path, 0755), 0);
}

/* ---- the neighbour ------------------------------------------------------------------ */

static void make_outside(void)
{
	_cleanup_close_ int top = unit_top();

	if (sys_mkdirat(top, "outside", 0755) < 0)
		return; /* of the first reading */
	extractbox_put(top, "outside/secret", "untouched");
	extractbox_mkdir(top, "outside/dir");
}

static void snapshot_one(int top, const char *path, struct buf *out)
{
	struct stat st;

	if (sys_fstatat(top, path, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		assert_int_equal(buf_addf(out, "%s: gone\n", path), 0);
		return;
	}
	assert_int_equal(buf_addf(out, "%s %o %u:%u %llu %lld.%09ld %llu\n", path,
				  st.st_mode, st.st_uid, st.st_gid,
				  (unsigned long long)st.st_nlink,
				  (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
				  (unsigned long long)st.st_size),
			 0);
}

static void names_in(int top, struct buf *out)
{
	struct dirscan scan;

	dirscan_start(&scan, top);
	while (dirscan_next(&scan))
		assert_int_equal(buf_addf(out, "[%s]", scan.name), 0);
	assert_int_equal(scan.failed, 0);
}

static void snapshot(struct buf *out)
{
	_cleanup_close_ int top = unit_top();
	struct err e;

	names_in(top, out);
	snapshot_one(top, "outside", out);
	snapshot_one(top, "outside/secret", out);
	snapshot_one(top, "outside/dir", out);
	unit_ok(file_read(top, "outside/secret", out, &e), &e);
}

/* ---- one reading -------------------------------------------------------------------- */

struct feed {
	const char *at;
	size_t left, chunk;
};

static ssize_t feed_read(void *ctx, const void **ret, struct err *)
{
	struct feed *f = ctx;
	size_t n = MIN(f->left, f->chunk);

	*ret = f->at;
	f->at += n;
	f->left -= n;
	return (ssize_t)n;
}

static void read_once(const struct extractbox_row *row, const struct tarmake *t,
		      size_t chunk, struct extractbox *x)
{
	const struct untar_limits *limits =
		row->limits ? row->limits : &untar_limits_default;
	struct extract_conf conf = { .root = x->root,
				     .single = x->single,
				     .kind = row->kind,
				     .limits = limits };
	struct feed feed = { t->out.data, t->out.len, chunk };
	struct untar_source src = { feed_read, &feed };
	_cleanup_extract_ struct extract *ex = NULL;
	struct untar_sink sink;

	unit_ok(extract_new(&conf, &ex, &x->err), &x->err);
	sink = extract_sink(ex);
	x->code = untar_read(&src, &sink, limits, &x->counts, &x->err);
	if (x->code == 0) {
		x->code = extract_finish(ex, &x->err);
		assert_int_equal(feed.left, 0); /* to the last byte */
	}
	memcpy(x->dropped, extract_dropped(ex), sizeof(x->dropped));
}

static void judge(const struct extractbox_row *row, const struct extractbox *x)
{
	if (!row->code)
		unit_ok(x->code, &x->err);
	assert_int_equal(x->code, row->code);
	if (row->code && row->msg)
		unit_err(&x->err, row->code, row->msg);
	if (row->check)
		row->check(x);
}

static void try_row(const struct extractbox_row *row, const struct tarmake *t,
		    const char *dir, size_t chunk)
{
	_cleanup_close_ int top = unit_top();
	_cleanup_buf_ struct buf before = BUF_INIT(4096), after = BUF_INIT(4096);
	struct extractbox x = { .single = row->single || sys_geteuid() != 0 };

	make_outside();
	assert_int_equal(sys_mkdirat(top, dir, 0700), 0);
	x.root = sys_openat(top, dir, O_RDONLY | O_DIRECTORY, 0);
	assert_true(x.root >= 0);
	if (row->before)
		row->before(x.root);
	snapshot(&before);
	read_once(row, t, chunk, &x);
	snapshot(&after);
	assert_string_equal(buf_cstr(&before), buf_cstr(&after));
	judge(row, &x);
	close(x.root);
}

void extractbox_row(const void *row)
{
	const struct extractbox_row *r = row;
	_cleanup_tarmake_ struct tarmake t = TARMAKE_NONE;

	r->make(&t);
	if (!r->no_end)
		tarmake_end(&t);
	try_row(r, &t, "whole", SIZE_MAX);
	try_row(r, &t, "bytes", r->large ? 4099 : 1);
}

/* ---- expectations ------------------------------------------------------------------- */

struct stat extractbox_stat(const struct extractbox *x, const char *path)
{
	struct stat st = { 0 };

	if (sys_fstatat(x->root, path, &st, AT_SYMLINK_NOFOLLOW) < 0)
		fail_msg("'%s' is not there", path);
	return st;
}

void extractbox_file(const struct extractbox *x, const char *path, const char *text)
{
	_cleanup_buf_ struct buf b = BUF_INIT(1 << 20);
	struct err e;

	assert_true(S_ISREG(extractbox_stat(x, path).st_mode));
	unit_ok(file_read(x->root, path, &b, &e), &e);
	assert_string_equal(buf_cstr(&b), text);
}

void extractbox_link(const struct extractbox *x, const char *path, const char *to)
{
	char target[PATH_MAX] = "";

	assert_true(S_ISLNK(extractbox_stat(x, path).st_mode));
	assert_true(sys_readlinkat(x->root, path, target, sizeof(target) - 1) > 0);
	assert_string_equal(target, to);
}

void extractbox_none(const struct extractbox *x, const char *path)
{
	struct stat st;

	assert_int_equal(sys_fstatat(x->root, path, &st, AT_SYMLINK_NOFOLLOW), -ENOENT);
}

void extractbox_mode(const struct extractbox *x, const char *path, mode_t mode)
{
	assert_int_equal(extractbox_stat(x, path).st_mode & 07777, mode);
}

void extractbox_dir(const struct extractbox *x, const char *path)
{
	assert_true(S_ISDIR(extractbox_stat(x, path).st_mode));
}
