#include "cli/show/render.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/text.h"
#include "cli/show/tty.h"
#include "cli/show/wrap.h"

enum { RENDER_JSON_MAX = 64 << 20 }; /* bytes: a list of every box is far below */

const char *render_style_on(bool color, enum render_style s)
{
	static const char *const on[] = {
		[RENDER_PLAIN] = "",	     [RENDER_BOLD] = "\033[1m",
		[RENDER_DIM] = "\033[2m",    [RENDER_RED] = "\033[31m",
		[RENDER_GREEN] = "\033[32m", [RENDER_YELLOW] = "\033[33m",
		[RENDER_CYAN] = "\033[36m",
	};

	return color ? on[s] : "";
}

void render_counts(FILE *out, bool color, int64_t added, int64_t removed)
{
	if (added)
		fprintf(out, " %s+%lld%s", render_style_on(color, RENDER_GREEN),
			(long long)added, render_style_off(color));
	if (removed)
		fprintf(out, " %s-%lld%s", render_style_on(color, RENDER_RED),
			(long long)removed, render_style_off(color));
}

const char *render_style_off(bool color)
{
	return color ? "\033[0m" : "";
}

/* What is not plain is spelled as text_escape() does. */
static void add_byte(struct buf *out, bool plain, char c)
{
	if (plain)
		buf_addc(out, c);
	else if (c == '\n' || c == '\t')
		buf_adds(out, c == '\n' ? "\\n" : "\\t");
	else
		buf_addf(out, "\\x%02x", (unsigned char)c);
}

/* Messages hold text of their subjects already escaped: a backslash stays as it is. */
static void add_safe(struct buf *out, const char *s, size_t len, const char *kept)
{
	const char *const end = s + len;
	unsigned before = 0;

	while (s < end) {
		unsigned c = 0xfffd;
		const int n = text_decode(s, (size_t)(end - s), &c);
		const int take = MAX(n, 1);
		const bool plain = n > 0 && !text_hidden(before, c);

		for (int i = 0; i < take; i++, s++)
			add_byte(out, plain || (*s && strchr(kept, *s)), *s);
		before = c;
	}
}

static void put_safe(FILE *f, const char *s, size_t len, const char *kept)
{
	_cleanup_buf_ struct buf b = BUF_INIT(RENDER_JSON_MAX);

	add_safe(&b, s, len, kept);
	fputs(buf_cstr(&b), f);
}

/* What stands at @at between quotes or brackets: its bytes; 1 = that opens nothing. A quote
 * within a word is an apostrophe. */
static size_t aside(const char *text, size_t at)
{
	const bool word = at && isalnum((unsigned char)text[at - 1]);
	const char end = text[at] == '(' ? ')' : text[at];

	if (!strchr("'\"(", text[at]) || (end != ')' && word))
		return 1;
	for (size_t i = at + 1; text[i]; i++)
		if (text[i] == end && !isalnum((unsigned char)text[i + 1]))
			return i + 1 - at;
	return 1;
}

/* The parts of a message are joined by "; " (err_hint()): each begins a line of its own. A
 * remedy behind "fix: " may be several commands, which stay together. */
static void split_parts(struct buf *line)
{
	for (size_t at = 0; at < line->len;) {
		const char *const s = buf_cstr(line) + at;

		if (strncmp(s, "; ", 2) != 0) {
			at += aside(buf_cstr(line), at);
			continue;
		}
		line->data[at++] = '\n';
		memmove(line->data + at, s + 2, line->len - at - 1);
		buf_truncate(line, line->len - 1);
		if (text_starts(s + 1, "fix: "))
			return;
	}
}

/* What a message tells to type is for the box that --name said: without, it would be done to
 * another one. */
static void name_box(const struct app *app, struct buf *line)
{
	static const char begin[] = "'cubby ";
	_cleanup_buf_ struct buf was = BUF_INIT(RENDER_JSON_MAX);
	const char *at, *from;

	if (!app->of_box || !app->box || !*app->box)
		return;
	buf_adds(&was, buf_cstr(line));
	buf_truncate(line, 0);
	for (from = buf_cstr(&was); (at = strstr(from, begin)); from = at) {
		at += strlen(begin);
		buf_add(line, from, (size_t)(at - from));
		if (app->of_box(app, at))
			buf_addf(line, "-b %s ", app->box);
	}
	buf_adds(line, from);
}

/* A line on app->err. On a terminal its words are not broken, and the parts of a failure, or
 * of what needs several rows, have lines of their own; in a file or a pipe it is one line. */
static void put_line(const struct app *app, enum render_style style, const char *name,
		     const char *text, bool parts)
{
	_cleanup_buf_ struct buf line = BUF_INIT(RENDER_JSON_MAX),
				 rows = BUF_INIT(RENDER_JSON_MAX);
	struct wrap w = { .rest = "  " };
	unsigned short height, width;

	if (app->live && tty_size(fileno(app->err), &height, &width) == 0)
		w.cols = width;
	buf_addf(&line, "%s: ", name);
	add_safe(&line, text, strlen(text), "");
	name_box(app, &line);
	if (app->live && parts &&
	    (style == RENDER_PLAIN || wrap_cols(buf_cstr(&line), line.len) > w.cols))
		split_parts(&line);
	wrap_add(&rows, &w, buf_cstr(&line), line.len);
	if (rows.len)
		buf_truncate(&rows, rows.len - 1);
	fprintf(app->err, "%s%s%s\n", render_style_on(app->color_err, style),
		buf_cstr(&rows), render_style_off(app->color_err));
}

void render_safe(FILE *f, const char *s)
{
	put_safe(f, s, strlen(s), "");
}

void render_lines(FILE *f, const char *s)
{
	render_bytes(f, s, strlen(s));
}

void render_bytes(FILE *f, const char *s, size_t len)
{
	put_safe(f, s, len, "\n\t");
}

/* Between quotes, and nowhere else, a character may be \uNNNN (RFC 8259, 7). */
static int add_point(struct buf *out, unsigned c)
{
	if (c < 0x10000)
		return buf_addf(out, "\\u%04x", c);
	c -= 0x10000;
	return buf_addf(out, "\\u%04x\\u%04x", 0xd800 + (c >> 10),
			0xdc00 + (c & 0x3ff));
}

int render_json_add(const struct json *j, struct buf *out)
{
	_cleanup_buf_ struct buf b = BUF_INIT(RENDER_JSON_MAX);
	int r = j ? json_print(j, false, &b) : -ENOMEM;

	for (size_t i = 0, from = 0; r == 0 && i <= b.len; i++) {
		unsigned c = 0;
		int n = i < b.len ? text_decode(b.data + i, b.len - i, &c) : 1;
		const bool hidden =
			i < b.len && n > 0 && c >= 0x7f && text_hidden(0, c);

		if (i < b.len && !hidden)
			continue;
		r = buf_add(out, b.data + from, i - from);
		if (r == 0 && hidden)
			r = add_point(out, c);
		from = i + (size_t)n;
		i = from - 1;
	}
	return r < 0 ? r : buf_addc(out, '\n');
}

int render_json(const struct app *app, const struct json *j)
{
	_cleanup_buf_ struct buf b = BUF_INIT(RENDER_JSON_MAX);
	int r = render_json_add(j, &b);

	if (r < 0)
		return r;
	if (fputs(buf_cstr(&b), app->out) < 0 || fflush(app->out) != 0)
		return -EIO;
	return 0;
}

static void put_json(const struct app *app, const struct json *j)
{
	_cleanup_buf_ struct buf b = BUF_INIT(RENDER_JSON_MAX);

	if (render_json_add(j, &b) == 0)
		fputs(buf_cstr(&b), app->err);
}

void render_json_note(const struct app *app, const struct json *j)
{
	if (!app->quiet)
		put_json(app, j);
}

/* A full disk may be met anywhere, by programs in the box, too: what to do about it is said
 * here alone. Where standard output goes is the caller's own. */
static struct err with_remedy(const struct err *e)
{
	struct err all = *e;

	if ((text_ends(e->msg, strerrordesc_np(ENOSPC)) ||
	     text_ends(e->msg, strerrordesc_np(EDQUOT))) &&
	    !strstr(e->msg, "standard output"))
		err_hint(&all, "'cubby prune', 'cubby rm' and 'cubby rmi' make room, "
			       "'cubby ls' and 'cubby images' show what takes it; "
			       "XDG_DATA_HOME names a larger disk for the store "
			       "(~/.local/share without it)");
	return all;
}

static void error_json(const struct app *app, const struct err *e, int status)
{
	_cleanup_json_ struct json *j = json_object();
	struct json *o = json_object();
	const char *code = strerrorname_np(-e->code);

	json_set_str(o, "code", code ? code : "?");
	json_set_str(o, "message", e->msg);
	json_set_int(o, "status", status);
	json_set(j, "error", o);
	put_json(app, j);
}

void render_error(const struct app *app, const struct err *e, int status)
{
	const struct err all = with_remedy(e);

	fflush(app->out); /* what came before stands before */
	if (app->json) {
		error_json(app, &all, status);
		return;
	}
	put_line(app, RENDER_PLAIN, app->name, all.msg, true);
}

void render_clear(const struct app *app)
{
	fputs("\r\033[K", app->err);
	fflush(app->err);
}

void render_note_line(void *ctx, const char *line)
{
	const struct app *app = ctx;

	if (app->quiet || app->json)
		return;
	put_line(app, RENDER_DIM, "cubby", line, true);
}

void render_note_command(const struct app *app, const char *what, const char *command)
{
	_cleanup_buf_ struct buf line = BUF_INIT(RENDER_JSON_MAX);

	if (app->quiet || app->json)
		return;
	buf_addf(&line, "%s: %s", what, command);
	put_line(app, RENDER_DIM, "cubby", buf_cstr(&line), false);
}

void render_note(const struct app *app, const char *fmt, ...)
{
	char line[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	render_note_line((void *)(uintptr_t)app, line);
}

void render_notes(const struct app *app, const char *text)
{
	for (const char *p = text; *p; p += strcspn(p, "\n"), p += *p == '\n')
		render_note(app, "%.*s", (int)strcspn(p, "\n"), p);
}

/* What of docs/network.md a person has to know of it. */
const char *render_caught(const char *name)
{
	static const char *const words[][2] = {
		{ "none", "nothing: there is no network" },
		{ "held", "every port; the answer is that of the other end (held)" },
		{ "tproxy", "every port; a closed one looks open until the first "
			    "byte (tproxy)" },
		{ "redirect", "every port; a closed one looks open until the first "
			      "byte (redirect)" },
		{ "ports", "only 22, 53, 80, 443 and 9418: this kernel has no "
			   "nftables (ports)" },
	};

	for (size_t i = 0; name && i < ARRAY_SIZE(words); i++)
		if (strcmp(words[i][0], name) == 0)
			return words[i][1];
	return "?";
}
