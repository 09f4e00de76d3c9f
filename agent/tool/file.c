/* The tools that use files: read_file, write_file, edit_file. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "agent/tool/edit.h"
#include "agent/tool/impl.h"
#include "base/diff.h"
#include "base/text.h"

enum { FILE_MAX = 16 << 20 }; /* bytes that are read at most */

static struct files files_of(const struct toolbox *t)
{
	return (struct files){ .box = t->conf.box,
			       .user = t->conf.user,
			       .cwd = tool_shell_cwd(t) };
}

static const char *kind_of(const char *data, size_t len)
{
	static const struct magic {
		const char *bytes;
		size_t len;
		const char *name;
	} magics[] = {
		{ "\x89PNG", 4, "a PNG picture" },
		{ "\xff\xd8\xff", 3, "a JPEG picture" },
		{ "GIF8", 4, "a GIF picture" },
		{ "\177ELF", 4, "an ELF program" },
		{ "\x1f\x8b", 2, "gzip data" },
		{ "PK\3\4", 4, "a zip archive" },
		{ "%PDF", 4, "a PDF document" },
		{ "\x28\xb5\x2f\xfd", 4, "zstd data" },
		{ "BZh", 3, "bzip2 data" },
		{ "\xfd"
		  "7zXZ",
		  5, "xz data" },
		{ "SQLite format 3", 15, "an SQLite database" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(magics); i++)
		if (len >= magics[i].len &&
		    memcmp(data, magics[i].bytes, magics[i].len) == 0)
			return magics[i].name;
	return len && memchr(data, '\0', len) ? "binary data" : NULL;
}

/* 1 = @data holds a text file; 0 = the result says why not; or box gone. */
static int get_text(const struct toolbox *t, const char *path, struct buf *data,
		    struct files_stat *was, struct tool_result *ret, struct err *e)
{
	struct files f = files_of(t);
	struct files_stat st;
	const char *kind, *size;
	int r = files_get(&f, path, data, &st, e);

	if (r < 0)
		return tool_result_failed(r, ret, e);
	kind = kind_of(buf_cstr(data), data->len);
	size = text_bytes(MAX(st.size, (uint64_t)data->len));
	if (kind)
		return tool_result_fail(
			ret, "'%s' is %s, %s; look at it with a program in the shell",
			path, kind, size);
	if (st.size != data->len && data->len == data->max)
		return tool_result_fail(ret,
					"'%s' has %s, too much for this tool; use sed, "
					"grep, head or tail in the shell",
					path, size);
	*was = st;
	return 1;
}

/* ---- read_file -------------------------------------------------------------------- */

static bool is_utf8(const struct buf *b)
{
	size_t at = 0;
	int n = 1;

	while (at < b->len && (n = text_utf8_len(b->data + at, b->len - at)) > 0)
		at += (size_t)n;
	return n > 0;
}

static uint64_t count_lines(const struct buf *b)
{
	uint64_t n = b->len && b->data[b->len - 1] != '\n';

	for (size_t i = 0; i < b->len; i++)
		n += b->data[i] == '\n';
	return n;
}

/* What is shown of a file: before it is cut anywhere, for half a secret is none that would
 * be found. The text has as many lines as before. */
static int hide(const struct toolbox *t, struct buf *b, bool *hidden, struct err *e)
{
	_cleanup_buf_ struct buf clean = BUF_INIT(b->len * 5 + 1);
	int r = t->secrets.n ? redact_text(&t->secrets, b, &clean) : 0;

	if (r < 0)
		return err_sys(e, r, "cannot hide the secrets");
	*hidden = t->secrets.n && (clean.len != b->len ||
				   memcmp(buf_cstr(&clean), buf_cstr(b), b->len) != 0);
	if (*hidden) {
		buf_done(b);
		*b = take(&clean, BUF_INIT(0));
	}
	return 0;
}

/* What of a file is shown: whole lines, but for the first, of which a part is asked for or
 * fits. */
struct part {
	uint64_t first, last; /* lines; in: asked for, out: shown */
	uint64_t column;      /* of the first line: its first character that is shown */
	uint64_t to, of;      /* of the first line: the last one, and how many it has */
	size_t most;	      /* bytes of numbered lines in a result */
};

static bool part_is_cut(const struct part *p)
{
	return p->column > 1 || p->to < p->of;
}

/* The first line, from its character @p->column as far as it fits; 1 = to its end. */
static int show_first(const char *s, size_t len, struct part *p, struct buf *out)
{
	_cleanup_buf_ struct buf line = BUF_INIT(3 * len + 1);
	size_t at = 0, from = 0, end = 0;
	int r = text_utf8(&line, s, len);

	if (r < 0)
		return r;
	for (p->to = p->of = 0; at < line.len; p->of++) {
		int n = text_utf8_len(line.data + at, line.len - at);

		if (p->of + 1 == p->column)
			from = end = at;
		at += (size_t)n;
		if (p->of + 1 < p->column || at - from > p->most)
			continue;
		end = at;
		p->to = p->of + 1;
	}
	if (p->column > MAX(p->of, (uint64_t)1))
		return -ERANGE;
	buf_add(out, line.data + from, end - from);
	if (p->to < p->of)
		buf_addf(out,
			 "[\xe2\x80\xa6 %" PRIu64 " characters left out \xe2\x80\xa6]",
			 p->of - p->to);
	return buf_failed(out) ?: p->to == p->of;
}

/* With numbers. -ERANGE: the first line has less characters than p->column. */
static int show_lines(const struct buf *b, struct part *part, struct buf *out)
{
	const char *p = buf_cstr(b), *end = p + b->len;
	bool whole = true;
	uint64_t n = 1;

	for (; p < end && n <= part->last && whole; n++) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t len = (size_t)((nl ? nl : end) - p);
		int r = 0;

		if (n > part->first && out->len + len > part->most)
			break;
		if (n >= part->first) {
			buf_addf(out, "%6" PRIu64 "\t", n);
			r = n == part->first ? show_first(p, len, part, out)
					     : text_utf8(out, p, len);
			whole = n > part->first || r > 0;
		}
		if (r < 0)
			return r;
		if (n >= part->first)
			buf_addc(out, '\n');
		p += len + (nl != NULL);
	}
	part->last = n - 1;
	return buf_failed(out);
}

/* What was shown, and how to get the rest. */
static void tell_part(const struct part *p, uint64_t asked, uint64_t total,
		      struct buf *out)
{
	if (!total) {
		buf_adds(out, "[the file is empty]");
		return;
	}
	if (part_is_cut(p)) {
		buf_addf(out,
			 "[line %" PRIu64 " of %" PRIu64 ": characters %" PRIu64
			 " to %" PRIu64 " of %" PRIu64,
			 p->first, total, p->column, p->to, p->of);
		if (p->last > p->first)
			buf_addf(out, "; then the lines to %" PRIu64, p->last);
	} else {
		buf_addf(out, "[lines %" PRIu64 " to %" PRIu64 " of %" PRIu64, p->first,
			 p->last, total);
	}
	if (p->to < p->of)
		buf_addf(out, "; go on with first %" PRIu64 " and column %" PRIu64,
			 p->first, p->to + 1);
	else if (p->last < MIN(asked, total))
		buf_addf(out, "; go on with first %" PRIu64, p->last + 1);
	buf_adds(out, "]");
}

int tool_file_read(struct toolbox *t, const struct json *args, struct tool_result *ret,
		   struct err *e)
{
	_cleanup_buf_ struct buf data = BUF_INIT(FILE_MAX);
	const char *path = json_get_str(args, "path");
	double first = MAX(tool_args_number(args, "first", 1), 1.0),
	       last = MIN(tool_args_number(args, "last", 1e15), 1e15),
	       column = MAX(tool_args_number(args, "column", 1), 1.0);
	struct part part = { (uint64_t)MIN(first, 1e15),
			     (uint64_t)MAX(last, 0.0),
			     (uint64_t)MIN(column, 1e15),
			     0,
			     0,
			     t->conf.keep };
	uint64_t total, asked = part.last;
	struct files_stat st;
	bool hidden;
	int r = get_text(t, path, &data, &st, ret, e);

	if (r <= 0)
		return r;
	r = hide(t, &data, &hidden, e);
	if (r < 0)
		return r;
	total = count_lines(&data);
	if (part.first > 1 && part.first > total)
		return tool_result_fail(ret, "'%s' has only %" PRIu64 " lines", path,
					total);
	if (last < first)
		return tool_result_fail(ret, "the last line comes before the first");
	r = show_lines(&data, &part, &ret->text);
	if (r == -ERANGE)
		return tool_result_fail(
			ret, "line %" PRIu64 " of '%s' has only %" PRIu64 " characters",
			part.first, path, part.of);
	tell_part(&part, asked, total, &ret->text);
	if (hidden)
		buf_adds(&ret->text, "\n[*** stands for a secret; edit_file keeps it, "
				     "write_file would not]");
	if (!is_utf8(&data))
		buf_adds(&ret->text,
			 "\n[" TEXT_REPLACEMENT " stands for a byte that is no UTF-8; "
			 "edit_file keeps it, write_file would not]");
	r = r < 0 ? r : buf_failed(&ret->text);
	return r < 0 ? err_sys(e, r, "cannot keep the lines") : 0;
}

/* The kernel takes such bits from what is written, and a file of the project gets none from a
 * box. */
static int tell_lost_bits(const struct files *f, const char *path, mode_t was,
			  struct tool_result *ret)
{
	struct files_stat now;

	if (!(was & (S_ISUID | S_ISGID)) ||
	    files_stat(f, path, &now, ERR_IGNORED) < 0 ||
	    !(was & ~now.mode & (S_ISUID | S_ISGID)))
		return 0;
	if (ret->text.len && ret->text.data[ret->text.len - 1] != '\n')
		buf_addc(&ret->text, '\n');
	return buf_addf(
		&ret->text,
		"[note: its mode was %04o and is %04o: the set-id bits are lost]",
		(unsigned)was & 07777, (unsigned)now.mode & 07777);
}

/* ---- write_file ------------------------------------------------------------------- */

int tool_file_write(struct toolbox *t, const struct json *args, struct tool_result *ret,
		    struct err *e)
{
	struct files f = files_of(t);
	const char *path = json_get_str(args, "path");
	const char *content = json_get_str(args, "content");
	struct files_stat was = { 0 };
	int r;

	(void)files_stat(&f, path, &was, ERR_IGNORED); /* most are new */
	r = files_put(&f, path, content, strlen(content), e);
	if (r < 0)
		return tool_result_failed(r, ret, e);
	buf_addf(&ret->text, "wrote %zu bytes to %s", strlen(content), path);
	r = tell_lost_bits(&f, path, was.mode, ret) ?: buf_failed(&ret->text);
	return r < 0 ? err_sys(e, r, "cannot keep the result") : 0;
}

bool tool_file_text(const struct toolbox *t, const struct json *args, struct buf *ret)
{
	const char *path = json_get_str(args, "path");
	struct files f = files_of(t);
	struct files_stat st;

	return path && files_get(&f, path, ret, &st, ERR_IGNORED) == 0 && ret->len &&
	       st.size == ret->len && !kind_of(ret->data, ret->len);
}

/* ---- edit_file -------------------------------------------------------------------- */

static int fail_edit(const struct edit_fault *f, const struct edit *v, size_t n,
		     const struct buf *data, struct tool_result *ret)
{
	const char *old = v[f->nth].old;
	char which[32] = "";

	if (n > 1)
		snprintf(which, sizeof(which), " of edit %zu", f->nth + 1);
	if (f->count) {
		tool_result_fail(ret,
				 "nothing was changed: old_string%s stands there %u "
				 "times, in the lines",
				 which, f->count);
		for (unsigned i = 0; i < MIN(f->count, (unsigned)EDIT_LINES); i++)
			buf_addf(&ret->text, "%s %" PRIu64, i ? "," : "", f->lines[i]);
		buf_adds(&ret->text,
			 "; give more of what stands around it, or set replace_all");
	} else if (strstr(old, "***")) {
		tool_result_fail(
			ret,
			"nothing was changed: old_string%s is not there; where *** "
			"stands for a secret that is not shown, leave it out",
			which);
	} else if (strstr(old, TEXT_REPLACEMENT) && !is_utf8(data)) {
		tool_result_fail(ret,
				 "nothing was changed: old_string%s is not there; "
				 "where " TEXT_REPLACEMENT
				 " stands for a byte that is no UTF-8, leave it out",
				 which);
	} else {
		tool_result_fail(ret, "nothing was changed: old_string%s is not there",
				 which);
		buf_adds(&ret->text, f->nth ? " (after the edits before it); " : "; ");
		if (edit_near(data, old, &ret->text) == 0 &&
		    buf_cstr(&ret->text)[ret->text.len - 1] == ' ')
			buf_adds(&ret->text, "nothing like it is: read the file");
	}
	return buf_failed(&ret->text);
}

/* The diff, which has as many bytes as a result may. */
static int tell_diff(const struct toolbox *t, const struct buf *old,
		     const struct buf *new, const char *path, struct tool_result *ret)
{
	_cleanup_buf_ struct buf diff = BUF_INIT(8 * (size_t)FILE_MAX);
	struct diff_stat stat;
	size_t keep = t->conf.keep, whole;
	int r = diff_unified(old, new, &stat, &diff);

	if (r < 0)
		return r;
	buf_addf(&ret->text, "changed %s: +%zu -%zu\n", path, stat.added, stat.removed);
	whole = diff.len;
	if (diff.len > keep) {
		const char *nl = memrchr(diff.data, '\n', keep);

		buf_truncate(&diff, nl ? (size_t)(nl + 1 - diff.data) : keep);
	}
	text_utf8(&ret->text, buf_cstr(&diff), diff.len);
	if (diff.len < whole)
		buf_addf(&ret->text, "[\xe2\x80\xa6 %zu bytes of the diff left out]\n",
			 whole - diff.len);
	return buf_failed(&ret->text);
}

static int edit(struct toolbox *t, const char *path, const struct edit *v, size_t n,
		struct tool_result *ret, struct err *e)
{
	_cleanup_buf_ struct buf data = BUF_INIT(FILE_MAX),
				 out = BUF_INIT(2 * FILE_MAX);
	struct files f = files_of(t);
	struct edit_fault fault;
	struct files_stat was = { 0 };
	bool hidden;
	int r = get_text(t, path, &data, &was, ret, e);

	if (r <= 0)
		return r;
	r = edit_apply(&data, v, n, &out, &fault);
	if (r == -ENOENT || r == -EEXIST) {
		r = hide(t, &data, &hidden, e);
		return r < 0 ? r : fail_edit(&fault, v, n, &data, ret);
	}
	if (r < 0)
		return err_sys(e, r, "cannot edit '%s'", path);
	if (out.len == data.len && (!out.len || !memcmp(out.data, data.data, out.len)))
		return tool_result_fail(ret, "nothing was changed: new_string is the "
					     "same as old_string");
	r = files_put(&f, path, buf_cstr(&out), out.len, e);
	if (r < 0)
		return tool_result_failed(r, ret, e);
	r = hide(t, &data, &hidden, e) ?: hide(t, &out, &hidden, e);
	if (r < 0)
		return r;
	r = tell_diff(t, &data, &out, path, ret)
		    ?: tell_lost_bits(&f, path, was.mode, ret);
	return r < 0 ? err_sys(e, r, "cannot keep the diff") : 0;
}

int tool_file_edit(struct toolbox *t, const struct json *args, struct tool_result *ret,
		   struct err *e)
{
	const struct json *edits = json_get(args, "edits");
	_cleanup_free_ struct edit *v = calloc(json_len(edits) + 1, sizeof(*v));
	size_t n = 0;

	if (!v)
		return err_sys(e, -ENOMEM, "cannot edit");
	json_each(it, edits)
	{
		v[n++] = (struct edit){ json_get_str(it, "old_string"),
					json_get_str(it, "new_string"),
					tool_args_flag(it, "replace_all", false) };
		if (!*v[n - 1].old)
			return tool_result_fail(
				ret, "nothing was changed: an old_string is empty; "
				     "write_file makes a new file");
	}
	if (!n)
		return tool_result_fail(ret, "nothing was changed: there are no edits");
	return edit(t, json_get_str(args, "path"), v, n, ret, e);
}
