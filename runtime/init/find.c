/* find - the applets that search: by names, by pattern, by content.
 * Needs:  absolute paths.
 * Never:  reads a file that is no regular one, or of a search of texts more than
 *         FIND_TEXT_MAX bytes of one. */
#include "runtime/init/applets.h"

#include <errno.h>
#include <fnmatch.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "runtime/init/jsonout.h"
#include "runtime/init/walk.h"

enum { FIND_TEXT_MAX = 16 << 20, LINE_SHOWN = 2000, PATTERN_MAX = 4096 };

struct find {
	struct jsonout *j;
	char *const *argv;     /* QUERY, PATH, … */
	char *const *patterns; /* NULL-ended */
	uint64_t most, n;
	bool cut;
	char type; /* 'a', 'f' or 'd' */
	bool names_only, literal, fold;
	regex_t re;
	struct buf text; /* of the file that is looked at */
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

/* A backslash and the letter behind it, in words of POSIX; @set: between brackets. */
static void add_escape(char c, bool set, struct buf *out)
{
	static const char *const words[][3] = {
		/* outside, between brackets */
		{ "d", "[0-9]", "0-9" },      { "D", "[^0-9]", "" },
		{ "t", "\t", "\t" },	      { "s", "\\s", "[:space:]" },
		{ "w", "\\w", "[:alnum:]_" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (words[i][0][0] == c && words[i][1 + set][0]) {
			buf_adds(out, words[i][1 + set]);
			return;
		}
	if (!set || c == ']' || c == '\\' || c == '-')
		buf_addc(out, '\\');
	buf_addc(out, c);
}

/* What opens a group that is one of POSIX's by another name: how many bytes it has. A line is
 * only asked whether it matches, so what a group is called does not count, nor whether it is
 * kept, nor that something in front of the match, or behind it, is no part of it. */
static size_t group_at(const char *re, bool first)
{
	if (strncmp(re, "(?:", 3) == 0)
		return 3;
	if (strncmp(re, "(?P<", 4) == 0 && strchr(re, '>'))
		return (size_t)(strchr(re, '>') + 1 - re);
	return first && strncmp(re, "(?<=", 4) == 0 ? 4 : 0;
}

/* The last byte of what stands at @re and is no operator: a set, or something escaped. */
static const char *whole_of(const char *re)
{
	if (*re == '\\' && re[1])
		return re + 1;
	if (*re != '[')
		return re;
	re += 1 + (re[1] == '^');
	for (re += *re == ']'; *re && *re != ']'; re++)
		re += *re == '\\' && re[1];
	return *re ? re : re - 1;
}

/* Is the "(?=" at @re of a group that the expression ends with? */
static bool is_last(const char *re)
{
	unsigned depth = 0;

	for (; *re; re++) {
		char c = *re;

		re = whole_of(re);
		depth += c == '(';
		if (c == ')' && --depth == 0)
			return !re[1];
	}
	return false;
}

/* Has it an alternative outside of groups? Then no end of it is of all of it. */
static bool has_choice(const char *re)
{
	unsigned depth = 0;

	for (; *re; re++) {
		char c = *re;

		re = whole_of(re);
		depth += c == '(' ? 1 : c == ')' && depth ? -1U : 0;
		if (c == '|' && !depth)
			return true;
	}
	return false;
}

static bool repeats(char c)
{
	return c == '*' || c == '+' || c == '?' || c == '}';
}

/* How long what @re begins with is, if it opens a group, or has to be said otherwise; -1: it
 * has no other word. */
static int opening(const char *re, bool first, bool choice)
{
	size_t n = group_at(re, first && !choice);

	if (!n && !choice && strncmp(re, "(?=", 3) == 0 && is_last(re))
		n = 3;
	return n ? (int)n : strncmp(re, "(?", 2) == 0 ? -1 : 0;
}

/* What models write for Python or grep -P. false: there is no POSIX for it. */
static bool to_posix(const char *re, struct buf *out)
{
	const char *opened = NULL; /* the first place of a set, where ']' is a member */
	const char *start = re, *quantifier = NULL;
	bool choice = has_choice(re);

	for (; *re; re++) {
		int n = opened ? 0 : opening(re, re == start, choice);

		if (n < 0)
			return false;
		if (*re == '\\' && re[1]) {
			add_escape(*++re, opened, out);
		} else if (n) {
			buf_addc(out, '(');
			re += n - 1;
		} else if (!opened && *re == '?' && quantifier &&
			   quantifier == re - 1) {
			continue; /* few or many: the line matches or does not */
		} else {
			if (!opened && repeats(*re))
				quantifier = re;
			buf_addc(out, *re);
			if (opened && *re == ']' && re != opened)
				opened = NULL;
			else if (!opened && *re == '[')
				opened = re + 1 + (re[1] == '^');
		}
	}
	return true;
}

static int compile(struct find *f, struct err *e)
{
	_cleanup_buf_ struct buf b = BUF_INIT(PATTERN_MAX);
	const char *re = f->argv[1];
	bool fold = f->fold;
	char why[128];
	int r;

	if (text_starts(re, "(?i)")) {
		fold = true;
		re += strlen("(?i)");
	}
	if (!to_posix(re, &b))
		return err_set(e, -EINVAL,
			       "Invalid regex: of lookaround only (?<=…) at the "
			       "beginning and (?=…) at the end are known here");
	if (buf_failed(&b) < 0)
		return err_set(e, -EINVAL, "Invalid regex: it is too long");
	r = regcomp(&f->re, buf_cstr(&b),
		    REG_EXTENDED | REG_NOSUB | (fold ? REG_ICASE : 0));
	if (r == 0)
		return 0;
	regerror(r, &f->re, why, sizeof(why));
	return err_set(e, -EINVAL, "Invalid regex: %s", why);
}

static bool line_matches(const struct find *f, const char *line)
{
	if (!f->literal)
		return regexec(&f->re, line, 0, NULL, 0) == 0;
	return f->fold ? strcasestr(line, f->argv[1]) != NULL
		       : strstr(line, f->argv[1]) != NULL;
}

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

/* false: there are enough */
static bool grep_lines(struct find *f, const char *path)
{
	char *line = f->text.data, *end;
	int64_t number = 1;

	for (; *line; line = end, number++) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		if (!line_matches(f, line))
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
		return r;
	if (S_ISDIR(st.st_mode))
		return walk_tree(f->argv[2], on_grep, f, e);
	(void)on_grep(f, &w);
	return 0;
}

int find_grep(char *const argv[], struct err *e)
{
	_cleanup_(find_done) struct find f = { .text = BUF_INIT(FIND_TEXT_MAX +
								(128L << 10)),
					       .fold = strchr(argv[3], 'i'),
					       .names_only = strchr(argv[3], 'l'),
					       .literal = strchr(argv[3], 'F') };
	int r = find_begin(&f, argv, e);

	if (r == 0 && !f.literal)
		r = compile(&f, e);
	if (r < 0)
		return r;
	jsonout_raw(f.j, "{");
	jsonout_string(f.j, true, "query", argv[1]);
	jsonout_string(f.j, false, "path", argv[2]);
	jsonout_raw(f.j, ",\"matches\":[");
	r = grep_path(&f, e);
	if (!f.literal)
		regfree(&f.re);
	return find_end(&f, r, e);
}
