#include "cli/render.h"

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
void render_safe(FILE *f, const char *s)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c < 0x20 || c == 0x7f)
			fprintf(f, "\\x%02x", c);
		else
			fputc(c, f);
	}
}

int render_json(const struct app *app, const struct json *j)
{
	_cleanup_buf_ struct buf b = BUF_INIT(RENDER_JSON_MAX);
	int r;

	r = json_print(j, false, &b);
	if (r < 0)
		return r;
	if (fprintf(app->out, "%s\n", buf_cstr(&b)) < 0 || fflush(app->out) != 0)
		return -EIO;
	return 0;
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
		fprintf(app->err, "%s\n", buf_cstr(&b));
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
