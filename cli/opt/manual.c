#include "cli/opt/manual.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/embed.h"
#include "base/file.h"
#include "base/proc.h"
#include "base/sys/sys.h"
#include "cli/opt/near.h"
#include "cli/opt/optrow.h"
#include "cli/show/markdown.h"
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

/* ---- a pager: PAGER, or less ----------------------------------------------------------- */

/* What a shell ends with for a command that it cannot run. */
enum { NOT_RUN = 126, NOT_FOUND = 127 };

static bool fits(const struct buf *rows, unsigned height)
{
	unsigned n = 0;

	for (const char *s = buf_cstr(rows); (s = strchr(s, '\n')); s++)
		n++;
	return n < height;
}

/* NULL = none. Never one that a box may have written: app->pass_over. */
static const char *find_pager(const struct app *app)
{
	const char *own = getenv("PAGER");
	char path[PATH_MAX];

	if (!app->pass_over(app))
		return NULL;
	if (own)
		return *own && strcmp(own, "cat") != 0 ? own : NULL;
	return proc_find("less", path) < 0 ? NULL : "less";
}

static int start_pager(const struct app *app, const char *pager, struct proc *ret,
		       int *to)
{
	/* PAGER may have arguments: it is a line for the shell, for git and man, too. */
	const char *const argv[] = { "sh", "-c", pager, NULL };
	struct proc_conf conf = { .argv = argv,
				  .fds = { -1, fileno(app->out), fileno(app->err) },
				  .pass_fd = -1 };
	_cleanup_close_ int in = -1;
	int ends[2], r = sys_pipe2(ends, O_CLOEXEC);

	if (r < 0)
		return r;
	conf.fds[0] = in = ends[0];
	*to = ends[1];
	/* As git sets it: colours, no screen of its own where the text is short. */
	(void)setenv("LESS", "FRX", 0);
	return proc_start(&conf, ret, ERR_IGNORED);
}

static void pager_show(const struct app *app, const struct buf *rows, unsigned height)
{
	/* ^C is for the pager, which the terminal tells as well; it may be left before it
	 * has read everything. */
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	const char *pager = fits(rows, height) ? NULL : find_pager(app);
	_cleanup_proc_ struct proc p = PROC_NONE;
	_cleanup_close_ int to = -1;
	int status;

	fflush(app->out);
	if (!pager || start_pager(app, pager, &p, &to) < 0) {
		fputs(buf_cstr(rows), app->out);
		return;
	}
	(void)sys_sigaction(SIGPIPE, &ignore, NULL);
	(void)sys_sigaction(SIGINT, &ignore, NULL);
	(void)file_write_fd(to, rows->data, rows->len, ERR_IGNORED);
	scope_close(&to);
	if (proc_wait(&p, -1, &status, ERR_IGNORED) == 0 &&
	    (status == NOT_RUN || status == NOT_FOUND))
		fputs(buf_cstr(rows), app->out);
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

/* Of "images", "mcp" and others the page of the book stands below the command's. */
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
