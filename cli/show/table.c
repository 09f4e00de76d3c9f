#include "cli/show/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/show/cols.h"
#include "cli/show/render.h"
#include "cli/show/tty.h"

enum { TABLE_CELL = 4 * 4096, TABLE_LEAST = 8 };

struct table {
	const struct table_column *columns; /* borrowed */
	size_t n;
	struct json *rows; /* owned: array of objects, in the order of the columns */
	const char *top, *line, *end; /* what clears the terminal there; "" = nothing */
};

struct table *table_new(const struct table_column *columns, size_t n)
{
	struct table *t = calloc(1, sizeof(*t));

	if (t)
		*t = (struct table){ columns, n, json_array(), "", "", "" };
	return t;
}

void table_free(struct table **t)
{
	if (!*t)
		return;
	json_free(&(*t)->rows);
	free(*t);
	*t = NULL;
}

void table_add(struct table *t, const struct table_cell *cells)
{
	struct json *row;

	if (!t)
		return;
	row = json_object();
	for (size_t i = 0; i < t->n; i++) {
		const struct table_column *c = &t->columns[i];

		if (c->kind == TABLE_TEXT || c->kind == TABLE_PATH)
			(void)json_set_str(row, c->key, cells[i].text);
		else if (cells[i].n < 0)
			(void)json_set(row, c->key, json_null());
		else
			(void)json_set_int(row, c->key, cells[i].n);
	}
	(void)json_add(t->rows, row);
}

void table_redraw(struct table *t, bool first)
{
	if (!t)
		return;
	t->top = first ? "\033[H\033[J" : "\033[H";
	t->line = "\033[K";
	t->end = "\033[J";
}

char *table_age(char *out, size_t size, int64_t seconds)
{
	static const struct {
		int64_t below, unit;
		char name;
	} steps[] = {
		{ 120, 1, 's' },
		{ 7200, 60, 'm' },
		{ 172800, 3600, 'h' },
		{ INT64_MAX, 86400, 'd' },
	};
	size_t i = 0;

	seconds = MAX(seconds, 0);
	while (seconds >= steps[i].below)
		i++;
	snprintf(out, size, "%lld%c ago", (long long)(seconds / steps[i].unit),
		 steps[i].name);
	return out;
}

/* The cell of one column as a person reads it. */
static const char *cell_text(const struct table_column *c, const struct json *row,
			     int64_t now, char *out, size_t size)
{
	const struct json *v = json_get(row, c->key);
	int64_t n = 0;

	if (c->kind == TABLE_TEXT || c->kind == TABLE_PATH) {
		const char *s = json_str(v);

		return s && *s ? text_escaped(out, size, s, strlen(s)) : "-";
	}
	if (json_int(v, &n) < 0)
		return "-";
	if (c->kind == TABLE_BYTES)
		return text_put_bytes(out, size, (uint64_t)n);
	if (c->kind == TABLE_AGE)
		return table_age(out, size, now - n);
	snprintf(out, size, "%lld", (long long)n);
	return out;
}

static size_t column_width(const struct table *t, size_t col, int64_t now)
{
	size_t w = strlen(t->columns[col].title);
	char text[TABLE_CELL];

	json_each(row, t->rows)
	{
		const char *s =
			cell_text(&t->columns[col], row, now, text, sizeof(text));

		w = MAX(w, cols_text(s, strlen(s)));
	}
	return w;
}

static bool right_aligned(const struct table_column *c)
{
	return c->kind == TABLE_BYTES || c->kind == TABLE_NUMBER;
}

static size_t last_column(const struct table *t)
{
	size_t last = 0;

	for (size_t i = 0; i < t->n; i++)
		if (t->columns[i].title)
			last = i;
	return last;
}

/* Texts give way to the terminal, the widest first; numbers do not. */
static void fit(const struct table *t, size_t *widths, size_t room)
{
	size_t total = 0;

	for (size_t i = 0; i < t->n; i++)
		if (t->columns[i].title)
			total += widths[i] + (total ? 2 : 0);
	for (; total > room; total--) {
		size_t widest = t->n, most = TABLE_LEAST;

		for (size_t i = 0; i < t->n; i++) {
			const struct table_column *c = &t->columns[i];

			if (!c->title || right_aligned(c) || widths[i] <= most)
				continue;
			if (widths[i] > strlen(c->title)) {
				widest = i;
				most = widths[i];
			}
		}
		if (widest == t->n)
			return;
		widths[widest]--;
	}
}

/* The end of a path says most, of another text the beginning. */
static const char *cut_cell(const struct table_column *c, const char *s, size_t width,
			    char *out, size_t size)
{
	size_t len = strlen(s), at;

	if (cols_text(s, len) <= width)
		return s;
	if (c->kind != TABLE_PATH) {
		snprintf(out, size, "%.*s…", (int)cols_cut(s, len, width - 1), s);
		return out;
	}
	for (at = 0; cols_text(s + at, len - at) > width - 1;)
		do
			at++;
		while (((unsigned char)s[at] & 0xc0) == 0x80);
	snprintf(out, size, "…%s", s + at);
	return out;
}

/* One line: the titles when @row is NULL. */
static void show_line(const struct table *t, const struct app *app,
		      const struct json *row, int64_t now, const size_t *widths)
{
	size_t last = last_column(t);
	char text[TABLE_CELL], cut[TABLE_CELL + 4];

	fputs(t->line, app->out);
	for (size_t i = 0; i < t->n; i++) {
		const struct table_column *c = &t->columns[i];
		const char *s;
		int pad;

		if (!c->title)
			continue;
		s = row ? cell_text(c, row, now, text, sizeof(text)) : c->title;
		s = cut_cell(c, s, widths[i], cut, sizeof(cut));
		pad = (int)(widths[i] - cols_text(s, strlen(s)));
		if (right_aligned(c))
			fprintf(app->out, "%*s%s", pad, "", s);
		else
			fprintf(app->out, "%s%*s", s, i == last ? 0 : pad, "");
		fputs(i == last ? "\n" : "  ", app->out);
	}
}

/* With -q: what other commands are given to name it, which is the first thing known. */
static void show_name(const struct table *t, const struct app *app,
		      const struct json *row, int64_t now)
{
	char text[TABLE_CELL];
	size_t i = 0;

	while (i + 1 < t->n && json_type(json_get(row, t->columns[i].key)) == JSON_NULL)
		i++;
	fprintf(app->out, "%s%s\n", t->line,
		cell_text(&t->columns[i], row, now, text, sizeof(text)));
}

static int show(const struct table *t, const struct app *app, int64_t now,
		const char *none)
{
	_cleanup_free_ size_t *widths = NULL;
	unsigned short rows = 0, cols = 0;
	size_t most = SIZE_MAX;

	if (!t || json_failed(t->rows) < 0)
		return -ENOMEM;
	if (app->json)
		return render_json(app, t->rows);
	if (!json_len(t->rows)) {
		if (none)
			render_note(app, "%s", none);
		return 0;
	}
	widths = calloc(t->n, sizeof(*widths));
	if (!widths)
		return -ENOMEM;
	for (size_t i = 0; i < t->n; i++)
		if (t->columns[i].title)
			widths[i] = column_width(t, i, now);
	if (tty_size(fileno(app->out), &rows, &cols) == 0)
		fit(t, widths, cols);
	if (*t->line && rows > 2) /* the titles, and the line where the cursor stays */
		most = rows - 2U;
	fputs(t->top, app->out);
	if (!app->quiet) {
		fputs(render_style_on(app->color_out, RENDER_BOLD), app->out);
		show_line(t, app, NULL, now, widths);
		fputs(render_style_off(app->color_out), app->out);
	}
	json_each(row, t->rows)
	{
		if (!most--)
			break;
		if (app->quiet)
			show_name(t, app, row, now);
		else
			show_line(t, app, row, now, widths);
	}
	fputs(t->end, app->out);
	return 0;
}

int table_show(const struct table *t, const struct app *app, int64_t now,
	       const char *none, const char *what, struct err *e)
{
	int r = show(t, app, now, none);

	return r < 0 ? err_sys(e, r, "cannot %s", what) : 0;
}
