#include "rootfs/review/patch.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/diff.h"
#include "base/file.h"
#include "base/sys/sys.h"
#include "rootfs/git/takeover.h"
#include "rootfs/review/patch_binary.h"

enum { BINARY_LOOK = 8000 };

/* ---- names and modes -------------------------------------------------------------------- */

static bool is_plain(const char *path)
{
	for (const unsigned char *p = (const unsigned char *)path; *p; p++)
		if (*p < 0x20 || *p >= 0x7f || *p == '"' || *p == '\\')
			return false;
	return true;
}

int patch_name(struct buf *out, const char *prefix, const char *path)
{
	static const char letters[] = "abtnvfr"; /* from 7 on */

	if (is_plain(path))
		return buf_addf(out, "%s%s", prefix, path);
	buf_addf(out, "\"%s", prefix);
	for (const unsigned char *p = (const unsigned char *)path; *p; p++) {
		if (*p == '"' || *p == '\\')
			buf_addf(out, "\\%c", *p);
		else if (*p >= 7 && *p < 7 + sizeof(letters) - 1)
			buf_addf(out, "\\%c", letters[*p - 7]);
		else if (*p < 0x20 || *p >= 0x7f)
			buf_addf(out, "\\%03o", *p);
		else
			buf_addc(out, (char)*p);
	}
	buf_addc(out, '"');
	return buf_failed(out);
}

/* What git knows of a mode. */
static unsigned git_mode(mode_t mode)
{
	if (S_ISLNK(mode))
		return 0120000;
	return mode & 0111 ? 0100755 : 0100644;
}

static bool is_shown(mode_t mode)
{
	return S_ISREG(mode) || S_ISLNK(mode);
}

/* ---- the two sides ---------------------------------------------------------------------- */

static int read_link(int fd, struct buf *ret)
{
	char target[PATH_MAX];
	ssize_t n = sys_readlinkat(fd, "", target, sizeof(target));

	return n < 0 ? (int)n : buf_add(ret, target, (size_t)n);
}

static int read_was(int root, const char *path, mode_t mode, struct buf *ret)
{
	_cleanup_close_ int link = -1;

	if (!is_shown(mode))
		return 0;
	if (!S_ISLNK(mode))
		return takeover_read(root, path, ret);
	link = takeover_open(root, path, O_PATH);
	return link < 0 ? link : read_link(link, ret);
}

/* Somebody agrees to what is shown: that is what was listed, or nothing. */
static int read_now(int root, const char *path, const struct diff_side *as,
		    struct buf *ret)
{
	_cleanup_close_ int fd = -1;
	int r;

	if (!is_shown(as->mode))
		return 0;
	fd = diff_open(root, path, as);
	if (fd < 0)
		return fd;
	r = S_ISLNK(as->mode) ? read_link(fd, ret)
			      : file_read_sized(fd, as->size, ret, ERR_IGNORED);
	return r == 0 && !diff_is(fd, as) ? -ESTALE : r;
}

/* ---- a change ---------------------------------------------------------------------------- */

static void add_head(struct buf *out, const struct diff_item *x)
{
	buf_adds(out, "diff --git ");
	patch_name(out, "a/", x->path);
	buf_addc(out, ' ');
	patch_name(out, "b/", x->path);
	buf_addc(out, '\n');
	if (!x->was.mode)
		buf_addf(out, "new file mode %o\n", git_mode(x->now.mode));
	else if (!x->now.mode)
		buf_addf(out, "deleted file mode %o\n", git_mode(x->was.mode));
	else if (git_mode(x->was.mode) != git_mode(x->now.mode))
		buf_addf(out, "old mode %o\nnew mode %o\n", git_mode(x->was.mode),
			 git_mode(x->now.mode));
}

static void add_side(struct buf *out, const char *prefix, mode_t mode, const char *path)
{
	if (mode)
		patch_name(out, prefix, path);
	else
		buf_adds(out, "/dev/null");
}

static void add_names(struct buf *out, const struct diff_item *x)
{
	buf_adds(out, "--- ");
	add_side(out, "a/", x->was.mode, x->path);
	buf_adds(out, "\n+++ ");
	add_side(out, "b/", x->now.mode, x->path);
	buf_addc(out, '\n');
}

static void add_differ(struct buf *out, const struct diff_item *x)
{
	buf_adds(out, "Binary files ");
	add_side(out, "a/", x->was.mode, x->path);
	buf_adds(out, " and ");
	add_side(out, "b/", x->now.mode, x->path);
	buf_adds(out, " differ\n");
}

/* Git's name for a content. */
static void add_sum(struct buf *out, mode_t mode, const struct buf *content)
{
	if (!content)
		buf_adds(out, "0000000"); /* short: git asks for a whole one */
	else if (!mode)
		buf_adds(out, "0000000000000000000000000000000000000000");
	else
		patch_binary_sum(out, content);
}

/* @was, @now: NULL = they are not shown. Without a line for both git takes the next file's for
 * this one's. */
static void add_binary(struct buf *out, const struct diff_item *x,
		       const struct buf *was, const struct buf *now)
{
	buf_adds(out, "index ");
	add_sum(out, x->was.mode, was);
	buf_adds(out, "..");
	add_sum(out, x->now.mode, now);
	if (x->was.mode && git_mode(x->was.mode) == git_mode(x->now.mode))
		buf_addf(out, " %o", git_mode(x->now.mode));
	buf_addc(out, '\n');
	if (was && now)
		patch_binary(out, was, now);
	else
		add_differ(out, x);
}

static bool is_same(const struct buf *a, const struct buf *b)
{
	return a->len == b->len && memcmp(buf_cstr(a), buf_cstr(b), a->len) == 0;
}

/* Nobody would read it as text, as git judges it. */
static bool is_binary(const struct buf *b)
{
	return memchr(buf_cstr(b), '\0', MIN(b->len, (size_t)BINARY_LOOK));
}

static int add_text(struct buf *out, const struct diff_item *x, const struct buf *was,
		    const struct buf *now, struct patch_count *ret)
{
	struct diff_stat stat;
	int r;

	if (out)
		add_names(out, x);
	r = diff_unified(was, now, &stat, out);
	if (r < 0)
		return r;
	ret->added = stat.added;
	ret->removed = stat.removed;
	return 0;
}

/* A file that became a link, or the other way round, goes and comes. */
static int as_two(const struct patch_sides *from, const struct diff_item *x,
		  struct buf *out, struct patch_count *ret)
{
	struct diff_item was = *x, now = *x;
	struct patch_count first = { 0 };
	int r;

	was.now = (struct diff_side){ .mode = 0 };
	now.was = (struct diff_side){ .mode = 0 };
	r = patch_item(from, &was, out, &first) ?: patch_item(from, &now, out, ret);
	ret->removed = first.removed;
	ret->binary |= first.binary;
	return r;
}

/* A side that is too large is not shown, which is no failure. */
static int unless_large(int r)
{
	return r == -EMSGSIZE ? 0 : r;
}

int patch_item(const struct patch_sides *from, const struct diff_item *x,
	       struct buf *out, struct patch_count *ret)
{
	_cleanup_buf_ struct buf was = BUF_INIT(PATCH_FILE), now = BUF_INIT(PATCH_FILE);
	bool whole;
	int r, q;

	*ret = (struct patch_count){ 0 };
	if (x->git || (!is_shown(x->was.mode) && !is_shown(x->now.mode)))
		return 0;
	if (x->was.mode && x->now.mode &&
	    (x->was.mode & S_IFMT) != (x->now.mode & S_IFMT))
		return as_two(from, x, out, ret);
	r = read_was(from->was, from->was_path ?: x->path, x->was.mode, &was);
	q = read_now(from->now, x->path, &x->now, &now);
	if (q == -ESTALE)
		return q;
	if (out)
		add_head(out, x);
	if (r == 0 && q == 0 && is_same(&was, &now)) /* only its mode; or empty */
		return out ? buf_failed(out) : 0;
	if (r == 0 && q == 0 && !is_binary(&was) && !is_binary(&now))
		return add_text(out, x, &was, &now, ret);
	ret->binary = true;
	whole = from->binary && r == 0 && q == 0;
	if (out)
		add_binary(out, x, whole ? &was : NULL, whole ? &now : NULL);
	return unless_large(r) ?: unless_large(q) ?: out ? buf_failed(out) : 0;
}
