/* render - how results and failures look: one line for a person, an object for JSON.
 * Needs:  a struct app.
 * Owns:   nothing.
 * Never:  lets a control character of foreign text reach the terminal; colours what is
 *         not a terminal. */
#ifndef CLI_SHOW_RENDER_H
#define CLI_SHOW_RENDER_H

#include "base/err.h"
#include "base/json.h"
#include "cli/show/app.h"

enum render_style {
	RENDER_PLAIN,
	RENDER_BOLD,
	RENDER_DIM,
	RENDER_RED,
	RENDER_GREEN,
	RENDER_YELLOW,
	RENDER_CYAN
};

/** render_style_on() - the escape sequence that begins @s; "" without @color */
const char *render_style_on(bool color, enum render_style s);
/** render_counts() - " +3 -1", of lines, without what is 0 */
void render_counts(FILE *out, bool color, int64_t added, int64_t removed);
/** render_style_off() - the one that ends every style; "" without @color */
const char *render_style_off(bool color);

/**
 * render_error() - "NAME: message" on app->err, or {"error": {…}} in one line with
 *                  app->json
 * @status: exit status that follows, for the object
 */
void render_error(const struct app *app, const struct err *e, int status);

/** render_note() - something worth knowing, on app->err; nothing with -q or --json */
void render_note(const struct app *app, const char *fmt, ...) _printf_(2, 3);
/** render_note_command() - "@what: @command", whose ";" stay where they are */
void render_note_command(const struct app *app, const char *what, const char *command);
/** render_notes() - the same of each line of @text */
void render_notes(const struct app *app, const char *text);

/** render_note_line() - the same as a note_fn: @ctx is the struct app */
void render_note_line(void *ctx, const char *line);

/** render_json() - a value in one line on app->out; 0 or -ENOMEM or -EIO */
int render_json(const struct app *app, const struct json *j);

/** render_json_note() - the same on app->err, which has no answer but what goes with it;
 *  nothing with -q */
void render_json_note(const struct app *app, const struct json *j);

/** render_json_add() - append a value and a newline; what is hidden in a string is
 *  written as \uNNNN; 0, -ENOMEM or -EMSGSIZE */
int render_json_add(const struct json *j, struct buf *out);

/** render_caught() - which connections of a box go through its gate, of what "caught" says */
const char *render_caught(const char *name);

/** render_clear() - take back the line that was shown on a terminal */
void render_clear(const struct app *app);

/** render_safe() - print @s with what is hidden, and no UTF-8, as \xNN */
void render_safe(FILE *f, const char *s);

/** render_lines() - the same, but newlines and tabs stay */
void render_lines(FILE *f, const char *s);
/** render_bytes() - as render_lines(), of what may have NULs */
void render_bytes(FILE *f, const char *s, size_t len);

#endif
