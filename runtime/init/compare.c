/* compare - the applet "compare": what differs between two files, as JSON for a panel.
 * Needs:  absolute paths.
 * Never:  shows a part of a text as if it were all of it: what is too large is refused.
 *
 * The shape of the answer is Open Terminal's, POST /files/compare:
 *	{"original": {"path", "name", "notices": []}, "revised": …, "additions", "deletions",
 *	 "hunks": [{"header", "lines": [{"type": "context"|"removed"|"added", "oldNumber",
 *	 "newNumber", "content", "revisedContent" (of context), "segments": [{"text",
 *	 "changed"}]}]}]} */
#include "runtime/init/applets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/diff.h"
#include "base/file.h"
#include "base/num.h"
#include "base/proc.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "runtime/init/jsonout.h"

enum {
	FILE_BYTES = 50 << 20,
	TEXT_CHARS = 2000000,
	TEXT_BYTES = 4 * TEXT_CHARS, /* of those, in UTF-8 or UTF-32 */
	TEXT_LINES = 50000,
	WORDS_CHARS = 4096, /* a longer line is not compared by its words */
	BOM = 4,
	READER_WORDS = 8,
	READER_MS = 60000
};

/* One of the two files. */
struct text {
	const char *path, *name;	      /* borrowed */
	const char *reader[READER_WORDS + 1]; /* borrowed; [0] NULL = none */
	struct buf bytes;	  /* owned; UTF-8, its lines end with "\n" */
	struct buf keys;	  /* owned; what of it is compared, without blanks */
	struct diff_piece *lines; /* owned; as they are shown */
	struct diff_list side;	  /* owned; as they are compared */
};

static void text_free(struct text *t)
{
	buf_done(&t->bytes);
	buf_done(&t->keys);
	free(t->lines);
	free(t->side.pieces);
	free(t->side.changed);
}

/* ---- reading -------------------------------------------------------------------- */

static int too_large(const struct text *t, struct err *e)
{
	return err_set(e, -EBADMSG,
		       "%s: more than 2 million characters or 50,000 lines", t->name);
}

static int no_text(const struct text *t, struct err *e)
{
	return err_set(e, -EBADMSG, "%s: no text", t->name);
}

/* What a program of the box says that the document says. */
static int read_document(const struct text *t, struct buf *raw, struct err *e)
{
	bool pdf = strcmp(t->reader[0], "pdftotext") == 0;
	int r = proc_run(t->reader, READER_MS, raw, e);

	if (r == -ENOENT)
		return err_set(e, -EMEDIUMTYPE,
			       "%s: %s is not in the box: apt-get install %s", t->name,
			       t->reader[0], pdf ? "poppler-utils" : "python3");
	if (r == -EMSGSIZE)
		return too_large(t, e);
	if (r > 0)
		return err_set(e, -EBADMSG, "%s: it cannot be read as a document",
			       t->name);
	for (size_t i = 0; i < raw->len; i++)
		if ((unsigned char)raw->data[i] < ' ' &&
		    !strchr("\n\r\t\f", raw->data[i]))
			raw->data[i] = ' ';
	return r < 0 ? err_wrap(e, "%s", t->name) : 0;
}

static int read_file(const struct text *t, struct buf *raw, struct err *e)
{
	/* without blocking: the path may be a FIFO */
	_cleanup_close_ int fd =
		sys_openat(AT_FDCWD, t->path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
	struct stat st;
	int r = fd < 0 ? fd : sys_fstat(fd, &st);

	if (r == -ENOENT || r == -ENOTDIR || (r >= 0 && !S_ISREG(st.st_mode)))
		return err_set(e, -ENOENT, "%s: File not found.", t->name);
	if (r < 0)
		return err_sys(e, r, "%s", t->name);
	if (st.st_size > FILE_BYTES)
		return err_set(e, -EBADMSG, "%s: more than 50 MiB", t->name);
	if (t->reader[0])
		return read_document(t, raw, e);
	r = file_read_fd(fd, raw, e);
	if (r == -EMSGSIZE)
		return too_large(t, e);
	return r < 0 ? err_sys(e, r, "%s", t->name) : 0;
}

/* How its first bytes say that it is written. */
static const struct form {
	unsigned char mark[BOM];
	unsigned n_mark, width; /* bytes */
	bool big;		/* the most significant byte comes first */
} forms[] = {
	{ { 0xff, 0xfe, 0, 0 }, 4, 4, false }, { { 0, 0, 0xfe, 0xff }, 4, 4, true },
	{ { 0xff, 0xfe }, 2, 2, false },       { { 0xfe, 0xff }, 2, 2, true },
	{ { 0xef, 0xbb, 0xbf }, 3, 1, false }, { { 0 }, 0, 1, false },
};

static const struct form *form_of(const struct buf *raw)
{
	const struct form *f = forms;

	while (raw->len < f->n_mark ||
	       (f->n_mark && memcmp(raw->data, f->mark, f->n_mark) != 0))
		f++;
	return f;
}

/* @width bytes at @s; the caller knows that they are there. */
static unsigned unit_at(const char *s, const struct form *f)
{
	unsigned c = 0;

	for (unsigned i = 0; i < f->width; i++)
		c |= (unsigned)(unsigned char)s[i]
		     << 8 * (f->big ? f->width - 1 - i : i);
	return c;
}

/* The character at @s, and how many bytes it has; 0 = that is none. */
static size_t char_at(const char *s, size_t len, const struct form *f, unsigned *ret)
{
	unsigned c, low;

	if (f->width == 1) {
		int n = text_decode(s, len, ret);

		return n < 0 ? 0 : (size_t)n;
	}
	if (len < f->width)
		return 0;
	c = unit_at(s, f);
	if (f->width == 2 && c >= 0xd800 && c < 0xdc00 && len >= 4) {
		low = unit_at(s + 2, f);
		if (low < 0xdc00 || low > 0xdfff)
			return 0;
		*ret = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
		return 4;
	}
	*ret = c;
	return c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff) ? 0 : f->width;
}

static int decode(struct text *t, const struct buf *raw, struct err *e)
{
	const struct form *f = form_of(raw);
	size_t chars = 0;

	for (size_t at = f->n_mark; at < raw->len; chars++) {
		unsigned c = 0;
		char utf8[4];
		size_t n = char_at(raw->data + at, raw->len - at, f, &c);

		if (!n || (c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f'))
			return no_text(t, e);
		at += n;
		if (c == '\r') {
			size_t next = char_at(raw->data + at, raw->len - at, f, &c);

			at += next && c == '\n' ? next : 0;
			c = '\n';
		}
		buf_add(&t->bytes, utf8, text_encode(c, utf8));
	}
	if (chars > TEXT_CHARS)
		return too_large(t, e);
	return buf_failed(&t->bytes) < 0
		       ? err_sys(e, buf_failed(&t->bytes), "%s", t->name)
		       : 0;
}

/* ---- lines and words ------------------------------------------------------------ */

static bool blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static int split(struct text *t, bool without_blanks, struct err *e)
{
	const char *p = buf_cstr(&t->bytes), *end = p + t->bytes.len, *nl;
	size_t n = 0;

	for (const char *q = p; q < end; q = nl ? nl + 1 : end, n++)
		nl = memchr(q, '\n', (size_t)(end - q));
	if (n > TEXT_LINES)
		return too_large(t, e);
	t->lines = calloc(n + 1, sizeof(*t->lines));
	t->side.pieces = calloc(n + 1, sizeof(*t->side.pieces));
	t->side.changed = calloc(n + 1, 1);
	buf_add(&t->keys, p, without_blanks ? t->bytes.len : 0);
	if (!t->lines || !t->side.pieces || !t->side.changed || buf_failed(&t->keys))
		return err_sys(e, -ENOMEM, "%s", t->name);
	for (char *key = t->keys.data; p < end; p = nl ? nl + 1 : end) {
		size_t len;

		nl = memchr(p, '\n', (size_t)(end - p));
		len = (size_t)((nl ? nl : end) - p);
		t->lines[t->side.n] = (struct diff_piece){ p, len };
		t->side.pieces[t->side.n] = t->lines[t->side.n];
		if (without_blanks) {
			char *to = key;

			for (size_t i = 0; i < len; i++)
				if (!blank(p[i]))
					*to++ = p[i];
			t->side.pieces[t->side.n] =
				(struct diff_piece){ key, (size_t)(to - key) };
			key = to;
		}
		t->side.n++;
	}
	return 0;
}

static int text_read(struct text *t, char *path, bool without_blanks, struct err *e)
{
	_cleanup_buf_ struct buf raw = BUF_INIT(TEXT_BYTES + BOM);
	const char *slash = strrchr(path, '/');
	int r;

	t->path = path;
	t->name = slash ? slash + 1 : path;
	t->bytes = t->keys = BUF_INIT(2L * TEXT_BYTES);
	r = read_file(t, &raw, e) ?: decode(t, &raw, e);
	return r < 0 ? r : split(t, without_blanks, e);
}

/* A word, blanks, or another character; what is not ASCII is of a word. */
static size_t word_len(const char *s, size_t len)
{
	size_t n = 0;

	if (blank(*s)) {
		while (n < len && blank(s[n]))
			n++;
		return n;
	}
	while (n < len && ((unsigned char)s[n] >= 0x80 || s[n] == '_' ||
			   (s[n] >= '0' && s[n] <= '9') ||
			   ((s[n] | 0x20) >= 'a' && (s[n] | 0x20) <= 'z')))
		n++;
	return MAX(n, (size_t)1);
}

struct words {
	struct diff_piece pieces[WORDS_CHARS];
	char changed[WORDS_CHARS];
	struct diff_list side;
};

static void words_of(struct words *w, const struct diff_piece *line)
{
	w->side = (struct diff_list){ w->pieces, 0, w->changed };
	for (size_t at = 0; at < line->n;) {
		size_t n = word_len(line->s + at, line->n - at);

		w->pieces[w->side.n] = (struct diff_piece){ line->s + at, n };
		w->changed[w->side.n++] = 0;
		at += n;
	}
}

/* ---- the answer ----------------------------------------------------------------- */

struct answer {
	const struct text *a, *b;
	struct jsonout *j;
	struct words *old, *new; /* a pair of lines */
	bool first;		 /* of the hunk's lines */
};

static void put_text(struct jsonout *j, bool first, const char *name, const char *s,
		     size_t len)
{
	jsonout_raw(j, first ? "\"" : ",\"");
	jsonout_raw(j, name);
	jsonout_raw(j, "\":\"");
	jsonout_text(j, s, len);
	jsonout_raw(j, "\"");
}

static void put_segment(struct jsonout *j, bool first, const char *s, size_t len,
			bool changed)
{
	jsonout_raw(j, first ? "{" : ",{");
	put_text(j, true, "text", s, len);
	jsonout_bool(j, "changed", changed);
	jsonout_raw(j, "}");
}

/* Words that are next to each other and of one kind are one segment. */
static void put_words(struct jsonout *j, const struct words *w)
{
	for (size_t i = 0, from = 0; i < w->side.n; i++) {
		const struct diff_piece *p = &w->pieces[i];
		const char *s = w->pieces[from].s;

		if (i + 1 < w->side.n && w->changed[i + 1] == w->changed[i])
			continue;
		put_segment(j, from == 0, s, (size_t)(p->s + p->n - s), w->changed[i]);
		from = i + 1;
	}
}

static void put_number(struct jsonout *j, const char *name, size_t n)
{
	if (n) {
		jsonout_number(j, false, name, (int64_t)n);
		return;
	}
	jsonout_raw(j, ",\"");
	jsonout_raw(j, name);
	jsonout_raw(j, "\":null");
}

/* Line @i of the original and @j of the revised file, from 1; 0 = not in that one. */
static void put_line(struct answer *x, const char *type, size_t i, size_t j,
		     const struct words *words)
{
	const struct diff_piece *l = i ? &x->a->lines[i - 1] : &x->b->lines[j - 1];

	jsonout_raw(x->j, x->first ? "{" : ",{");
	x->first = false;
	jsonout_string(x->j, true, "type", type);
	put_number(x->j, "oldNumber", i);
	put_number(x->j, "newNumber", j);
	put_text(x->j, false, "content", l->s, l->n);
	if (i && j)
		put_text(x->j, false, "revisedContent", x->b->lines[j - 1].s,
			 x->b->lines[j - 1].n);
	jsonout_raw(x->j, ",\"segments\":[");
	if (words)
		put_words(x->j, words);
	else
		put_segment(x->j, true, l->s, l->n, false);
	jsonout_raw(x->j, "]}");
}

/* The lines of one side of a change: each beside its counterpart, where it has one. */
static int put_changed(struct answer *x, const struct diff_hunk *c, bool old,
		       struct err *e)
{
	for (size_t k = 0; k < (old ? c->n : c->m); k++) {
		const struct diff_piece *a = &x->a->lines[c->i + k];
		const struct diff_piece *b = &x->b->lines[c->j + k];
		bool pair = k < MIN(c->n, c->m) && a->n <= WORDS_CHARS &&
			    b->n <= WORDS_CHARS && a->n && b->n;

		if (pair) {
			words_of(x->old, a);
			words_of(x->new, b);
			if (diff_mark(&x->old->side, &x->new->side) < 0)
				return err_sys(e, -ENOMEM, "cannot compare");
		}
		put_line(x, old ? "removed" : "added", old ? c->i + k + 1 : 0,
			 old ? 0 : c->j + k + 1,
			 !pair ? NULL
			 : old ? x->old
			       : x->new);
	}
	return 0;
}

static int put_hunk(struct answer *x, const struct diff_hunk *h, struct err *e)
{
	const struct diff_list *a = &x->a->side, *b = &x->b->side;
	size_t i = h->i, j = h->j;
	char line[128];
	int r = 0;

	snprintf(line, sizeof(line), "@@ -%zu,%zu +%zu,%zu @@", i + !!h->n, h->n,
		 j + !!h->m, h->m);
	jsonout_raw(x->j, "{");
	jsonout_string(x->j, true, "header", line);
	jsonout_raw(x->j, ",\"lines\":[");
	x->first = true;
	while (r == 0 && (i < h->i + h->n || j < h->j + h->m)) {
		struct diff_hunk c = { i, 0, j, 0 };

		while (i < a->n && a->changed[i])
			i++;
		while (j < b->n && b->changed[j])
			j++;
		c.n = i - c.i;
		c.m = j - c.j;
		if (c.n || c.m)
			r = put_changed(x, &c, true, e) ?: put_changed(x, &c, false, e);
		else
			put_line(x, "context", ++i, ++j, NULL);
	}
	jsonout_raw(x->j, "]}");
	return r;
}

static void put_file(struct jsonout *j, const char *name, const struct text *t)
{
	jsonout_raw(j, "\"");
	jsonout_raw(j, name);
	jsonout_raw(j, "\":{");
	jsonout_string(j, true, "path", t->path);
	jsonout_string(j, false, "name", t->name);
	jsonout_raw(j, ",\"notices\":[]},");
}

static int64_t changed(const struct diff_list *s)
{
	int64_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += s->changed[i];
	return n;
}

/* Both readers; what is left of argv is the second's. */
static int take_readers(char *const argv[], struct text *a, struct text *b,
			struct err *e)
{
	uint64_t n;
	size_t i = 0, k = 0;

	if (num_u64(argv[4], &n) < 0 || n > READER_WORDS)
		return err_set(e, -EINVAL, "bad number '%s'", argv[4]);
	for (; i < n && argv[5 + i]; i++)
		a->reader[i] = argv[5 + i];
	for (; k < READER_WORDS && argv[5 + i]; i++, k++)
		b->reader[k] = argv[5 + i];
	return 0;
}

int compare_run(char *const argv[], struct err *e)
{
	_cleanup_(text_free) struct text a = { 0 }, b = { 0 };
	_cleanup_free_ struct jsonout *j = calloc(1, sizeof(*j));
	_cleanup_free_ struct words *words = calloc(2, sizeof(*words));
	struct answer x = { &a, &b, j, words, words + 1, true };
	bool without_blanks = strcmp(argv[3], "w") == 0, first = true;
	struct diff_hunk h = { 0 };
	int r;

	if (!j || !words)
		return err_sys(e, -ENOMEM, "cannot compare");
	r = take_readers(argv, &a, &b, e) ?: text_read(&a, argv[1], without_blanks, e)
		    ?: text_read(&b, argv[2], without_blanks, e);
	if (r < 0)
		return r;
	if (diff_mark(&a.side, &b.side) < 0)
		return err_sys(e, -ENOMEM, "cannot compare");
	jsonout_raw(j, "{");
	put_file(j, "original", &a);
	put_file(j, "revised", &b);
	jsonout_number(j, true, "additions", changed(&b.side));
	jsonout_number(j, false, "deletions", changed(&a.side));
	jsonout_raw(j, ",\"hunks\":[");
	while (r == 0 && diff_next(&a.side, &b.side, &h)) {
		jsonout_raw(j, first ? "" : ",");
		first = false;
		r = put_hunk(&x, &h, e);
	}
	jsonout_raw(j, "]}");
	return r < 0 ? r : jsonout_end(j, e);
}
