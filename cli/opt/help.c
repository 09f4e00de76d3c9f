#include "cli/opt/help.h"

#include <string.h>

#include "cli/opt/manual.h"
#include "cli/opt/optrow.h"
#include "cli/show/render.h"
#include "cli/show/tty.h"
#include "cli/show/wrap.h"

static const char *const headings[CMD_GROUPS] = {
	[CMD_TASKS] = "Tasks:",
	[CMD_INSIDE] = "In the box:",
	[CMD_BOXES] = "Boxes:",
	[CMD_CHANGES] = "What a box changes here:",
	[CMD_SNAPSHOTS] = "Snapshots:",
	[CMD_NETWORK] = "Network:",
	[CMD_IMAGES] = "Images:",
	[CMD_PROJECT] = "What a project says of its box, .cubby/box.json:",
	[CMD_SERVERS] = "For other programs:",
	[CMD_HOST] = "This machine:",
};

/* Columns of a help, and where texts begin in it; on a terminal with fewer than NARROW they
 * stand below what they are about. */
enum { WIDTH = 79, LEAST = 20, NARROW = 60, TEXT_AT = 28, TEXT_BELOW = 8 };
enum { NAME_AT = 14 }; /* where the text of a command begins */

static size_t width_of(const struct app *app)
{
	unsigned short rows, cols;

	if (tty_size(fileno(app->out), &rows, &cols) < 0)
		return WIDTH;
	return MIN(MAX((size_t)cols, (size_t)LEAST), (size_t)WIDTH);
}

/* Below its name, where they do not stand beside each other. */
static void add_beside(struct buf *out, const char *name, size_t at, const char *text,
		       size_t width)
{
	char first[TEXT_AT + 1], rest[TEXT_AT + 1];
	struct wrap w = { .first = first, .rest = rest, .cols = width };

	snprintf(first, sizeof(first), "%-*s", (int)at, name);
	snprintf(rest, sizeof(rest), "%*s", (int)at, "");
	if (strlen(name) + 2 > at) {
		buf_addf(out, "%s\n", name);
		w.first = rest;
	}
	wrap_add(out, &w, text, strlen(text));
}

/* What a person types first; what does not fit beside it stands below. */
static void add_examples(struct buf *out, size_t width)
{
	static const char *const rows[][2] = {
		{ "cubby \"convert cat.jpg into a png\"", "do a task" },
		{ "cubby shell", "look around in the box yourself" },
		{ "cubby exec -- make test", "run one command in it" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (width == WIDTH)
			buf_addf(out, "  %-37s %s\n", rows[i][0], rows[i][1]);
		else
			buf_addf(out, "  %s\n    %s\n", rows[i][0], rows[i][1]);
}

static void put_wrapped(FILE *f, const char *text, const struct wrap *w)
{
	_cleanup_buf_ struct buf rows = BUF_INIT(8192);

	wrap_add(&rows, w, text, strlen(text));
	fputs(buf_cstr(&rows), f);
}

static void put_heading(const struct app *app, const char *text, size_t width)
{
	fprintf(app->out, "\n%s", render_style_on(app->color_out, RENDER_BOLD));
	put_wrapped(app->out, text, &(struct wrap){ .cols = width });
	fputs(render_style_off(app->color_out), app->out);
}

void help_short(const struct app *app)
{
	const size_t width = width_of(app);
	const struct wrap plain = { .cols = width },
			  pages = { .first = "  ", .rest = "  ", .cols = width };
	_cleanup_buf_ struct buf topics = BUF_INIT(4096), rows = BUF_INIT(8192);

	put_wrapped(app->out,
		    "cubby gives a language model a real shell in a sealed box of this "
		    "directory.",
		    &plain);
	add_examples(&rows, width);
	fprintf(app->out, "\n%s", buf_cstr(&rows));
	for (const struct cmd *const *c = app->commands; *c; c++) {
		char name[NAME_AT + 1];

		if (c == app->commands || c[0]->group != c[-1]->group)
			put_heading(app, headings[c[0]->group], width);
		buf_truncate(&rows, 0);
		snprintf(name, sizeof(name), "  %s", c[0]->name);
		add_beside(&rows, name, NAME_AT, c[0]->summary, width);
		fputs(buf_cstr(&rows), app->out);
	}
	manual_topics(&topics);
	put_heading(app, "'cubby help PAGE' shows a page of the book:", width);
	put_wrapped(app->out, buf_cstr(&topics), &pages);
	fputc('\n', app->out);
	put_wrapped(app->out,
		    "'cubby COMMAND -h' lists the options of a command, 'cubby help "
		    "COMMAND' is its page.",
		    &(struct wrap){ .cols = width == WIDTH ? 0 : width });
}

static void add_row(const struct optrow *row, struct buf *out, size_t width)
{
	_cleanup_buf_ struct buf names = BUF_INIT(256);

	buf_adds(&names, row->letter ? "  " : "      ");
	optrow_names(row, "", &names);
	add_beside(out, buf_cstr(&names), width < NARROW ? TEXT_BELOW : TEXT_AT,
		   row->option->doc, width);
}

static void add_forms(const struct cmd *c, struct buf *out, size_t width)
{
	const struct wrap w = { .rest = "        ", .cols = width };
	_cleanup_buf_ struct buf forms = BUF_INIT(4096);

	optrow_forms(c, "Usage: ", "  or:  ", &forms);
	for (const char *s = buf_cstr(&forms); *s; s += strcspn(s, "\n") + 1)
		wrap_add(out, &w, s, strcspn(s, "\n"));
}

static void add_all(const struct cmd *c, const struct cmd_option *common,
		    const struct cmd_option *place, struct buf *out, size_t width)
{
	const struct wrap plain = { .cols = width };
	const char *about = c->doc ? c->doc : c->summary, *header = NULL;
	struct optrows rows;

	add_forms(c, out, width);
	wrap_add(out, &plain, about, strlen(about));
	optrow_read(c, common, place, &rows);
	for (size_t i = 0; i < rows.n; i++) {
		const char *h = rows.v[i].header;

		if (i == 0 || h != header)
			buf_addf(out, h ? "\n %s\n" : "\n", h);
		header = h;
		add_row(&rows.v[i], out, width);
	}
	buf_addf(out, "\n'cubby help %s' tells more.\n", c->name);
}

void help_command(const struct app *app, const struct cmd *c,
		  const struct cmd_option *common, const struct cmd_option *place)
{
	_cleanup_buf_ struct buf out = BUF_INIT(64 << 10);

	if (app->manual) {
		manual_show(app, c, common, place);
		return;
	}
	add_all(c, common, place, &out, width_of(app));
	fputs(buf_cstr(&out), app->out);
}
