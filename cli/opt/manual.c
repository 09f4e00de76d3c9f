#include "cli/opt/manual.h"

#include <string.h>

#include "base/embed.h"
#include "cli/opt/near.h"
#include "cli/opt/optrow.h"
#include "cli/show/markdown.h"
#include "cli/show/pager.h"
#include "cli/show/tty.h"

/* All of docs/commands, each behind its name in a line that begins with MARK; then pages of
 * the book, in the order in which they are listed, behind BOOK. */
EMBED(manual_pages, CUBBY_MANUAL);

#define MARK "\036"
#define BOOK MARK "book "

/* A piece of a page, from @s to @end. */
struct piece {
	const char *s, *end;
};

/* What stands between the line @mark and the next that begins with @stop. */
static struct piece between(const char *from, const char *mark, const char *stop)
{
	const char *s = strstr(from, mark);
	const char *end = s ? strstr(s + strlen(mark), stop) : NULL;

	if (!s)
		return (struct piece){ "", "" };
	s += strlen(mark);
	return (struct piece){ s, end ? end : s + strlen(s) };
}

static struct piece page_of(const char *name)
{
	char mark[80];

	snprintf(mark, sizeof(mark), MARK "%s\n", name);
	return between(manual_pages, mark, MARK);
}

static const char *find(struct piece in, const char *what)
{
	return memmem(in.s, (size_t)(in.end - in.s), what, strlen(what));
}

/* What a page adds to an option: the rest of its item "- `--name`: ". */
static struct piece note_of(struct piece page, const char *option)
{
	const struct piece none = { "", "" };
	char mark[64];
	const char *s, *end;

	if (!option)
		return none;
	snprintf(mark, sizeof(mark), "- `--%s`: ", option);
	s = find(page, mark);
	if (!s)
		return none;
	s += strlen(mark);
	for (end = s; *end && !(end[0] == '\n' && end[1] != ' ');)
		end++;
	return (struct piece){ s, end };
}

static void add_piece(struct buf *out, struct piece w)
{
	buf_add(out, w.s, (size_t)(w.end - w.s));
}

/* Texts of tables are no Markdown. */
static void add_plain(struct buf *out, const char *s)
{
	for (; *s; s++)
		buf_addf(out, strchr("*<\\", *s) ? "\\%c" : "%c", *s);
}

static void add_synopsis(const struct cmd *c, struct buf *out)
{
	buf_adds(out, "\n## Synopsis\n\n```\n");
	optrow_forms(c, "", "", out);
	buf_adds(out, "```\n");
}

/* What shared tables have is told once, in common.md. */
static void add_option(const struct optrow *row, struct piece page, struct buf *out)
{
	struct piece note = note_of(page, row->option->name);

	if (note.s == note.end && row->shared)
		note = note_of(page_of("common"), row->option->name);
	buf_adds(out, "- ");
	optrow_names(row, "`", out);
	buf_adds(out, ": ");
	add_plain(out, row->option->doc);
	if (note.s != note.end) {
		buf_adds(out, ". ");
		add_piece(out, note);
	}
	buf_adds(out, "\n");
}

static void add_options(const struct optrows *rows, struct piece page, struct buf *out)
{
	const char *header = NULL;
	bool own = rows->n > 0 && !rows->v[0].header;

	if (own)
		buf_adds(out, "\n## Options\n\n");
	for (size_t i = 0; i < rows->n; i++) {
		const char *h = rows->v[i].header;

		if (h && h != header)
			buf_addf(out, "\n%s %.*s\n\n", own ? "###" : "##",
				 (int)strcspn(h, ":"), h);
		header = h;
		add_option(&rows->v[i], page, out);
	}
}

/* A page is words, then perhaps notes of options, then sections of its own. */
void manual_text(const struct cmd *c, const struct cmd_option *common,
		 const struct cmd_option *place, struct buf *out)
{
	const struct piece page = page_of(c->name);
	const char *notes = find(page, "## Options\n");
	const char *first = find(page, "## ");
	const char *rest = notes ? strstr(notes + 1, "\n## ") : first;
	struct optrows rows;

	buf_addf(out, "# cubby-%s - %s\n", c->name, c->summary);
	add_synopsis(c, out);
	buf_adds(out, "\n## Description\n\n");
	add_plain(out, c->doc ? c->doc : c->summary);
	buf_adds(out, "\n");
	if (page.s != page.end && page.s != first) {
		buf_adds(out, "\n");
		add_piece(out, (struct piece){ page.s, first ? first - 1 : page.end });
	}
	optrow_read(c, common, place, &rows);
	add_options(&rows, page, out);
	if (rest && rest < page.end) {
		buf_adds(out, "\n");
		add_piece(out, (struct piece){ rest + (*rest == '\n'), page.end });
	}
	if (!find(page, "## Exit status\n"))
		buf_addf(
			out,
			"\n## Exit status\n\n0; 1 for a failure; %d for wrong usage.\n",
			c->usage ? c->usage : CMD_USAGE);
}

static struct piece topic_of(const char *topic)
{
	char name[64];

	if (snprintf(name, sizeof(name), "book %s", topic) < (int)sizeof(name))
		return page_of(name);
	return (struct piece){ "", "" };
}

/* As rows on a terminal, by a pager where they are many; as it is elsewhere. */
static void show(const struct app *app, const char *text, size_t len)
{
	_cleanup_buf_ struct buf rows = BUF_INIT(1 << 20);
	struct markdown_look look = { .color = app->color_out };
	unsigned short height, cols;

	if (tty_size(fileno(app->out), &height, &cols) < 0) {
		fwrite(text, 1, len, app->out);
		return;
	}
	look.cols = MIN(cols, 100);
	(void)markdown_rows(text, len, &look, &rows, ERR_IGNORED);
	pager_show(app, &rows, height);
}

/* Of "images", "models" and "snapshots" the page of the book stands below the command's. */
void manual_show(const struct app *app, const struct cmd *c,
		 const struct cmd_option *common, const struct cmd_option *place)
{
	_cleanup_buf_ struct buf text = BUF_INIT(256 << 10);
	const struct piece book = topic_of(c->name);

	manual_text(c, common, place, &text);
	if (book.s != book.end)
		buf_addc(&text, '\n');
	add_piece(&text, book);
	show(app, buf_cstr(&text), text.len);
}

bool manual_show_topic(const struct app *app, const char *topic)
{
	const struct piece page = topic_of(topic);

	show(app, page.s, (size_t)(page.end - page.s));
	return page.s != page.end;
}

bool manual_near_topic(const char *word, struct buf *ret)
{
	enum { TOPICS = 64 };
	_cleanup_buf_ struct buf all = BUF_INIT(4096);
	const char *names[TOPICS] = { NULL }, *near;
	char *rest;

	manual_topics(&all);
	rest = all.data;
	for (size_t n = 0; n < TOPICS && rest;)
		names[n++] = strsep(&rest, " ");
	near = near_find(word, names, TOPICS);
	return near && buf_adds(ret, near) == 0;
}

void manual_topics(struct buf *out)
{
	for (const char *s = manual_pages; (s = strstr(s, BOOK));) {
		s += strlen(BOOK);
		buf_addf(out, "%s%.*s", out->len ? " " : "", (int)strcspn(s, "\n"), s);
	}
}
