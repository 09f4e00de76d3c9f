#include "runtime/worker/reviewtell.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "rootfs/git/refs.h"
#include "rootfs/git/takeover.h"
#include "rootfs/git/upper.h"
#include "rootfs/review/apply.h"
#include "rootfs/review/diff.h"
#include "rootfs/review/layer_outside.h"
#include "runtime/spec/spec.h"

enum { TELL_SOON = 8 << 10 };

int reviewtell_flush(struct buf *lines, struct err *e)
{
	int r = lines->len ? file_write_fd(STDERR_FILENO, lines->data, lines->len, e)
			   : 0;

	buf_truncate(lines, 0);
	return r;
}

int reviewtell_soon(const struct json *j, struct buf *lines, struct err *e)
{
	int r = lines->len < TELL_SOON ? 0 : reviewtell_flush(lines, e);

	if (r < 0)
		return r;
	r = json_failed(j) ?: json_print(j, false, lines) ?: buf_addc(lines, '\n');
	return r < 0 ? err_sys(e, r, "cannot tell the changes") : 0;
}

int reviewtell_remedy(struct err *e)
{
	struct err was = *e;

	return e->code != -E2BIG
		       ? e->code
		       : err_set(e, -E2BIG,
				 "%.400s; 'cubby discard --all' throws away what waits",
				 was.msg);
}

int reviewtell_line(const struct json *j, struct err *e)
{
	_cleanup_buf_ struct buf line = BUF_INIT(REVIEWTELL_LINES);
	int r = reviewtell_soon(j, &line, e);

	return r < 0 ? r : reviewtell_flush(&line, e);
}

int reviewtell_failed(const char *path, int result)
{
	_cleanup_json_ struct json *j = json_object();
	struct err why = ERR_NONE, ignored = ERR_NONE;
	char name[PATH_MAX + 1];

	if (result == -ESTALE)
		err_set(&why, result, "it was changed meanwhile");
	else
		err_sys(&why, result, "not possible");
	snprintf(name, sizeof(name), "/%s", path);
	spec_set_path(j, "path", name);
	json_set_str(j, "failed", why.msg);
	return reviewtell_line(j, &ignored);
}

int reviewtell_back(const char *path)
{
	_cleanup_json_ struct json *j = json_object();
	char name[PATH_MAX + 1];

	snprintf(name, sizeof(name), "/%s", path);
	spec_set_path(j, "path", name);
	json_set_str(j, "kind", "back");
	json_set_bool(j, "chosen", true);
	return reviewtell_line(j, ERR_IGNORED);
}

int reviewtell_gits(int boxdir, int n, struct err *e)
{
	_cleanup_buf_ struct buf gits = BUF_INIT(LAYER_TEXT);
	_cleanup_close_ int dir = apply_gits(boxdir, n, &gits, e);
	int r = MIN(dir, 0);

	for (const char *p = buf_cstr(&gits), *end = p + gits.len; p < end && r == 0;
	     p += strlen(p) + 1) {
		_cleanup_json_ struct json *j = json_object();
		char path[PATH_MAX + 1];

		snprintf(path, sizeof(path), "/%s", p);
		spec_set_path(j, "path", path);
		json_set_str(j, "kind", "git");
		json_set_bool(j, "chosen", true);
		r = reviewtell_line(j, e);
	}
	return r;
}

/* Where the layer has what was changed of it. Owned. */
static int open_git(const struct layer *l, const char *path)
{
	return layer_outside_is(l, path)
		       ? takeover_open(l->outside, ".", O_RDONLY | O_DIRECTORY)
		       : takeover_open(l->upper, path, O_RDONLY | O_DIRECTORY);
}

/* What the box has made, moved or removed of what the host has. */
static void tell_refs(struct json *j, int git, int host)
{
	_cleanup_git_refs_pair_ struct git_refs_pair now = { 0 }, was = { 0 };

	if (sys_faccessat(git, "refs", F_OK, AT_SYMLINK_NOFOLLOW) < 0 &&
	    sys_faccessat(git, "packed-refs", F_OK, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	if (host >= 0 &&
	    (git_refs_read(host, &was, ERR_IGNORED) < 0 ||
	     (!upper_is_opaque(git) && git_refs_read(host, &now, ERR_IGNORED) < 0)))
		return;
	if (git_refs_lay_all(&now, git, ERR_IGNORED) == 0)
		git_refs_news(&was, &now, j);
}

void reviewtell_objects(struct json *j, const struct layer *l, const char *path)
{
	_cleanup_close_ int git = open_git(l, path);
	_cleanup_close_ int host =
		layer_outside_is(l, path)
			? -1
			: takeover_open(l->project, path, O_RDONLY | O_DIRECTORY);
	struct upper_objects n;

	if (git < 0)
		return;
	upper_objects(git, &n);
	json_set_int(j, "objects", (int64_t)n.loose);
	json_set_int(j, "packs", (int64_t)n.packs);
	tell_refs(j, git, host);
}

/* Of a repository the directory alone says nothing. */
static void add_git(struct buf *text, const struct layer *l, const char *path)
{
	_cleanup_close_ int git = open_git(l, path);
	uint64_t sign = 0;
	int r = git < 0			    ? git
		: layer_outside_is(l, path) ? layer_outside_sign(l, &sign, ERR_IGNORED)
					    : upper_sign(git, &sign, ERR_IGNORED);

	buf_addf(text, "%d %" PRIu64 " ", r, sign);
}

void reviewtell_seen_of(const struct diff_item *x, const struct layer *l,
			char ret[HASH_HEX])
{
	const struct diff_side *sides[] = { &x->was, &x->now };
	_cleanup_buf_ struct buf text = BUF_INIT(1024 + PATH_MAX);

	buf_add(&text, x->path, strlen(x->path) + 1);
	for (size_t i = 0; i < ARRAY_SIZE(sides); i++) {
		const struct diff_side *s = sides[i];

		buf_addf(&text, "%o ", s->mode);
		if (!S_ISDIR(s->mode))
			buf_addf(&text,
				 "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " ",
				 s->ino, s->size, s->mtime, s->ctime);
	}
	if (x->git && l)
		add_git(&text, l, x->path);
	hash_text(text.data, text.len, ret);
}

static int by_bytes(const void *a, const void *b)
{
	return memcmp(a, b, HASH_HEX);
}

int reviewtell_seen(struct buf *each, char ret[HASH_HEX], struct err *e)
{
	if (buf_failed(each) < 0)
		return err_sys(e, buf_failed(each), "cannot note what was shown");
	if (each->len)
		qsort(each->data, each->len / HASH_HEX, HASH_HEX, by_bytes);
	hash_text(buf_cstr(each), each->len, ret);
	return 0;
}
