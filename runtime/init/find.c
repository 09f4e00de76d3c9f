/* find - the applets that search: by names, by pattern, by content.
 * Needs:  absolute paths.
 * Never:  reads a file that is no regular one, or of a search of texts more than
 *         FIND_TEXT_MAX bytes of one. */
#include "runtime/init/applets.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "runtime/init/expr.h"
#include "runtime/init/jsonout.h"
#include "runtime/init/walk.h"

enum {
	FIND_TEXT_MAX = 16 << 20,
	FIND_MS =
		30000, /* a search of texts goes on so long, but for the line it is at */
	LINE_SHOWN = 2000,
	LINES_A_LOOK = 4096
};

struct find {
	struct jsonout *j;
	char *const *argv;     /* QUERY, PATH, … */
	char *const *patterns; /* NULL-ended */
	uint64_t most, n;
	bool cut;
	char type; /* 'a', 'f' or 'd' */
	bool names_only;
	struct expr *expr; /* owned */
	struct buf text;   /* of the file that is looked at */
	uint64_t until_ms; /* a search of texts goes on so long */
	struct err why;	   /* it had to be given up */
};

static int find_begin(struct find *f, char *const argv[], struct err *e)
{
	f->j = calloc(1, sizeof(*f->j));
	f->argv = argv;
	f->patterns = argv + 5;
	if (!f->j)
		return err_sys(e, -ENOMEM, "cannot search");
	if (num_u64(argv[4], &f->most) < 0)
		return err_set(e, -EINVAL, "bad number '%s'", argv[4]);
	return 0;
}

static void find_done(struct find *f)
{
	free(f->j);
	expr_free(&f->expr);
	buf_done(&f->text);
}

static bool matches_any(char *const *patterns, const char *name, const char *path)
{
	for (; *patterns; patterns++)
		if (fnmatch(*patterns, name, 0) == 0 ||
		    fnmatch(*patterns, path, 0) == 0)
			return true;
	return false;
}

/* One more; false: there are enough. */
static bool count(struct find *f)
{
	f->cut = f->n == f->most;
	if (!f->cut)
		jsonout_raw(f->j, f->n++ ? ",{" : "{");
	return !f->cut;
}

/* ---- glob ----------------------------------------------------------------------- */

static enum walk_next on_glob(void *ctx, const struct walk_entry *w)
{
	struct find *f = ctx;

	if (matches_any(f->patterns, w->name, w->path))
		return WALK_SKIP;
	if ((f->type == 'f' && w->directory) || (f->type == 'd' && !w->directory))
		return WALK_ON;
	if (fnmatch(f->argv[1], w->name, 0) != 0 &&
	    fnmatch(f->argv[1], w->path, 0) != 0)
		return WALK_ON;
	if (!count(f))
		return WALK_STOP;
	jsonout_string(f->j, true, "path", w->path);
	jsonout_string(f->j, false, "type", w->directory ? "directory" : "file");
	jsonout_number(f->j, false, "size", w->st->st_size);
	jsonout_number(f->j, false, "modified", w->st->st_mtime);
	jsonout_raw(f->j, "}");
	return WALK_ON;
}

static int find_end(struct find *f, int r, struct err *e)
{
	if (r == -ENOENT || r == -ENOTDIR)
		return err_set(e, -ENOENT, "Path not found");
	if (r < 0)
		return r;
	jsonout_raw(f->j, "]");
	jsonout_bool(f->j, "truncated", f->cut || r > 0);
	jsonout_raw(f->j, "}");
	return jsonout_end(f->j, e);
}

int find_glob(char *const argv[], struct err *e)
{
	_cleanup_(find_done) struct find f = { .type = argv[3][0] };
	int r = find_begin(&f, argv, e);

	if (r < 0)
		return r;
	jsonout_raw(f.j, "{");
	jsonout_string(f.j, true, "pattern", argv[1]);
	jsonout_string(f.j, false, "path", argv[2]);
	jsonout_raw(f.j, ",\"matches\":[");
	return find_end(&f, walk_tree(argv[2], on_glob, &f, e), e);
}

/* ---- grep ----------------------------------------------------------------------- */

/* The whole of a text, or nothing: what is no UTF-8, or has NULs, is none. */
static bool read_text(struct find *f, const struct walk_entry *w)
{
	_cleanup_close_ int fd =
		sys_openat(w->dirfd, w->name, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
	ssize_t n = 1;
	size_t at = 0;

	buf_truncate(&f->text, 0);
	while (fd >= 0 && n > 0) {
		if (buf_reserve(&f->text, 64 << 10) < 0)
			return false;
		n = sys_read(fd, f->text.data + f->text.len, 64 << 10);
		buf_commit(&f->text, (size_t)MAX(n, 0));
	}
	if (fd < 0 || n < 0 || memchr(buf_cstr(&f->text), '\0', f->text.len))
		return false;
	while (at < f->text.len) {
		int c = text_utf8_len(f->text.data + at, f->text.len - at);

		if (c <= 0)
			return false;
		at += (size_t)c;
	}
	return buf_addc(&f->text, '\0') == 0;
}

static void say_file(struct find *f, const char *path)
{
	jsonout_raw(f->j, "\"file\":\"");
	jsonout_text(f->j, f->argv[2], strlen(f->argv[2]));
	if (path[0] && strcmp(f->argv[2], "/") != 0)
		jsonout_raw(f->j, "/");
	jsonout_text(f->j, path, strlen(path));
	jsonout_raw(f->j, "\"");
}

/* What was found until now is an answer, too. */
static bool in_time(struct find *f)
{
	f->cut |= sys_now_ms() > f->until_ms;
	return !f->cut;
}

/* 1, 0, or negative: f->why. An end of line of another system is no part of it. */
static int line_matches(struct find *f, const char *path, int64_t number, char *line,
			size_t len)
{
	int r;

	if (len && line[len - 1] == '\r')
		line[--len] = '\0';
	r = expr_matches(f->expr, line, len, &f->why);
	return r < 0 ? err_wrap(&f->why, "line %" PRId64 " of '%s%s%s'", number,
				f->argv[2], *path ? "/" : "", path)
		     : r;
}

/* false: there are enough */
static bool grep_lines(struct find *f, const char *path)
{
	char *line = f->text.data, *end;
	int64_t number = 1;

	for (; *line; line = end, number++) {
		int r;

		end = line + strcspn(line, "\n");
		r = line_matches(f, path, number, line, (size_t)(end - line));
		if (*end)
			*end++ = '\0';
		if (r < 0 || (number % LINES_A_LOOK == 0 && !in_time(f)))
			return false;
		if (!r)
			continue;
		if (!count(f))
			return false;
		say_file(f, path);
		if (f->names_only) {
			jsonout_raw(f->j, "}");
			return true;
		}
		jsonout_number(f->j, false, "line", number);
		jsonout_raw(f->j, ",\"content\":\"");
		jsonout_text(f->j, line, strnlen(line, LINE_SHOWN));
		jsonout_raw(f->j, "\"}");
	}
	return true;
}

static enum walk_next on_grep(void *ctx, const struct walk_entry *w)
{
	struct find *f = ctx;

	if (w->directory)
		return strcmp(w->name, ".git") == 0 ? WALK_SKIP : WALK_ON;
	if (!S_ISREG(w->st->st_mode) || w->st->st_size > FIND_TEXT_MAX)
		return WALK_ON;
	if (*f->patterns && !matches_any(f->patterns, w->name, w->name))
		return WALK_ON;
	if (!in_time(f))
		return WALK_STOP;
	return !read_text(f, w) || grep_lines(f, w->path) ? WALK_ON : WALK_STOP;
}

/* A file, or all files below a directory. */
static int grep_path(struct find *f, struct err *e)
{
	struct stat st;
	int r = sys_fstatat(AT_FDCWD, f->argv[2], &st, 0);
	const struct walk_entry w = {
		.dirfd = AT_FDCWD, .name = f->argv[2], .path = "", .st = &st
	};

	if (r < 0)
		return err_sys(e, r, "cannot open '%s'", f->argv[2]);
	if (S_ISDIR(st.st_mode))
		return walk_tree(f->argv[2], on_grep, f, e);
	(void)on_grep(f, &w);
	return 0;
}

int find_grep(char *const argv[], struct err *e)
{
	_cleanup_(find_done) struct find f = { .text = BUF_INIT(FIND_TEXT_MAX +
								(128L << 10)),
					       .names_only = strchr(argv[3], 'l') };
	int r = find_begin(&f, argv, e)
			?: expr_new(argv[1], strchr(argv[3], 'F'), strchr(argv[3], 'i'),
				    &f.expr, e);

	if (r < 0)
		return r;
	f.until_ms = sys_now_ms() + FIND_MS;
	jsonout_raw(f.j, "{");
	jsonout_string(f.j, true, "query", argv[1]);
	jsonout_string(f.j, false, "path", argv[2]);
	jsonout_raw(f.j, ",\"matches\":[");
	r = grep_path(&f, e);
	if (f.why.code < 0) {
		*e = f.why;
		return e->code;
	}
	return find_end(&f, r, e);
}
