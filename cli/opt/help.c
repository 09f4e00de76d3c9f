#include "cli/opt/help.h"

#include <string.h>

#include "cli/opt/manual.h"
#include "cli/opt/optrow.h"
#include "cli/show/render.h"
#include "cli/show/wrap.h"

static const char *const headings[CMD_GROUPS] = {
	[CMD_TASKS] = "Tasks",
	[CMD_INSIDE] = "In the box",
	[CMD_BOXES] = "Boxes",
	[CMD_CHANGES] = "What a box changes here",
	[CMD_SNAPSHOTS] = "Snapshots",
	[CMD_NETWORK] = "Network",
	[CMD_IMAGES] = "Images",
	[CMD_PROJECT] = "What a project says of its box, .cubby/box.json",
	[CMD_SERVERS] = "For other programs",
	[CMD_HOST] = "This machine",
};

/* Columns of a help, and where texts begin in it. */
enum { WIDTH = 79, TEXT_AT = 28 };

void help_short(const struct app *app)
{
	const char *bold = render_style_on(app->color_out, RENDER_BOLD);
	const char *off = render_style_off(app->color_out);
	const struct wrap pages = { .first = "  ", .rest = "  ", .cols = WIDTH };
	_cleanup_buf_ struct buf topics = BUF_INIT(4096), rows = BUF_INIT(4096);

	fprintf(app->out,
		"%scubby%s gives a language model a real shell in a sealed box of this "
		"directory.\n\n"
		"  cubby \"convert cat.jpg into a png\"    do a task\n"
		"  cubby shell                           look around in the box "
		"yourself\n"
		"  cubby exec -- make test               run one command in it\n",
		bold, off);
	for (const struct cmd *const *c = app->commands; *c; c++) {
		if (c == app->commands || c[0]->group != c[-1]->group)
			fprintf(app->out, "\n%s%s:%s\n", bold, headings[c[0]->group],
				off);
		fprintf(app->out, "  %-11s %s\n", c[0]->name, c[0]->summary);
	}
	manual_topics(&topics);
	wrap_add(&rows, &pages, buf_cstr(&topics), topics.len);
	fprintf(app->out, "\n%s'cubby help PAGE' shows a page of the book:%s\n%s", bold,
		off, buf_cstr(&rows));
	fprintf(app->out, "\n'cubby COMMAND -h' lists the options of a command, "
			  "'cubby help COMMAND' is its page.\n");
}

static void add_row(const struct optrow *row, struct buf *out)
{
	_cleanup_buf_ struct buf names = BUF_INIT(256);
	const char *blank = "                            ";
	char first[TEXT_AT + 1];
	struct wrap w = { .first = first, .rest = blank, .cols = WIDTH };

	buf_adds(&names, row->letter ? "  " : "      ");
	optrow_names(row, "", &names);
	snprintf(first, sizeof(first), "%-*s", TEXT_AT, buf_cstr(&names));
	if (names.len > TEXT_AT - 2) {
		buf_addf(out, "%s\n", buf_cstr(&names));
		w.first = blank;
	}
	wrap_add(out, &w, row->option->doc, strlen(row->option->doc));
}

static void add_all(const struct cmd *c, const struct cmd_option *common,
		    const struct cmd_option *place, struct buf *out)
{
	const struct wrap plain = { .cols = WIDTH };
	const char *about = c->doc ? c->doc : c->summary, *header = NULL;
	struct optrows rows;

	optrow_forms(c, "Usage: ", "  or:  ", out);
	wrap_add(out, &plain, about, strlen(about));
	optrow_read(c, common, place, &rows);
	for (size_t i = 0; i < rows.n; i++) {
		const char *h = rows.v[i].header;

		if (i == 0 || h != header)
			buf_addf(out, h ? "\n %s\n" : "\n", h);
		header = h;
		add_row(&rows.v[i], out);
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
	add_all(c, common, place, &out);
	fputs(buf_cstr(&out), app->out);
}
