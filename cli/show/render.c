#include "cli/show/render.h"

#include <stdarg.h>
#include <string.h>

#include "base/text.h"

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

const char *render_style_off(bool color)
{
	return color ? "\033[0m" : "";
}

/* Messages hold text of their subjects already escaped: a backslash stays as it is. */
static void put_safe(FILE *f, const char *s, const char *kept)
{
	const char *const end = s + strlen(s);
	unsigned before = 0;

	while (s < end) {
		unsigned c = 0xfffd;
		const int n = text_decode(s, (size_t)(end - s), &c);
		const int take = MAX(n, 1);
		const bool plain = n > 0 && !text_hidden(before, c);

		for (int i = 0; i < take; i++, s++)
			fprintf(f, plain || strchr(kept, *s) ? "%c" : "\\x%02x",
				(unsigned char)*s);
		before = c;
	}
}

void render_safe(FILE *f, const char *s)
{
	put_safe(f, s, "");
}

void render_lines(FILE *f, const char *s)
{
	put_safe(f, s, "\n\t");
}

/* JSON has a way to write what must not stand on a terminal: between quotes, and
 * nowhere else, a character may be \uNNNN (RFC 8259, 7). */
static void put_json(FILE *f, const char *s, size_t len)
{
	const char *const end = s + len;

	while (s < end) {
		unsigned c = 0;
		const int n = text_decode(s, (size_t)(end - s), &c);

		if (n <= 0 || c < 0x7f || !text_hidden(0, c))
			fwrite(s, 1, (size_t)MAX(n, 1), f);
		else if (c < 0x10000)
			fprintf(f, "\\u%04x", c);
		else
			fprintf(f, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10),
				0xdc00 + ((c - 0x10000) & 0x3ff));
		s += MAX(n, 1);
	}
	fputc('\n', f);
}

int render_json(const struct app *app, const struct json *j)
{
	_cleanup_buf_ struct buf b = BUF_INIT(RENDER_JSON_MAX);
	int r;

	r = json_print(j, false, &b);
	if (r < 0)
		return r;
	put_json(app->out, buf_cstr(&b), b.len);
	return fflush(app->out) != 0 || ferror(app->out) ? -EIO : 0;
}

static void error_json(const struct app *app, const struct err *e, int status)
{
	_cleanup_json_ struct json *j = json_object();
	_cleanup_buf_ struct buf b = BUF_INIT(RENDER_JSON_MAX);
	struct json *o = json_object();
	const char *code = strerrorname_np(-e->code);

	json_set_str(o, "code", code ? code : "?");
	json_set_str(o, "message", e->msg);
	json_set_int(o, "status", status);
	json_set(j, "error", o);
	if (json_print(j, false, &b) == 0)
		put_json(app->err, buf_cstr(&b), b.len);
}

void render_error(const struct app *app, const struct err *e, int status)
{
	fflush(app->out); /* what came before stands before */
	if (app->json) {
		error_json(app, e, status);
		return;
	}
	fprintf(app->err, "%s: ", app->name);
	render_safe(app->err, e->msg);
	fputc('\n', app->err);
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
	fputs(render_style_on(app->color_err, RENDER_DIM), app->err);
	fputs("cubby: ", app->err);
	render_safe(app->err, line);
	fputs(render_style_off(app->color_err), app->err);
	fputc('\n', app->err);
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
