#include "cli/task/view/end.h"

#include <string.h>

#include "base/text.h"
#include "cli/show/markdown.h"
#include "cli/show/render.h"
#include "cli/show/tty.h"

enum { END_FILES = 20, END_HELD = 100 }; /* that are listed */

char *view_end_tokens(char *out, size_t size, uint64_t n)
{
	if (n < 1000)
		snprintf(out, size, "%u", (unsigned)n);
	else if (n < 1000000)
		snprintf(out, size, "%.1fk", (double)n / 1000);
	else
		snprintf(out, size, "%.1fM", (double)n / 1000000);
	return out;
}

char *view_end_cost(char *out, size_t size, const struct task_status *st)
{
	double dollars = (double)st->cost / 1e6;

	snprintf(out, size, dollars < 0.1 ? ", about $%.4f" : ", about $%.2f", dollars);
	if (!st->cost_known || !st->cost)
		out[0] = '\0';
	return out;
}

/* Where Markdown cannot be read, the words are shown as they are. */
static void add_answer(const struct app *app, const struct task_report *r,
		       struct buf *out)
{
	struct markdown_look look = { .color = app->color_out };
	unsigned short rows, cols;

	if (tty_size(fileno(app->out), &rows, &cols) == 0)
		look.cols = cols > 1 ? cols - 1U : cols;
	if (!app->quiet)
		buf_addc(out, '\n');
	(void)markdown_rows(r->answer.data, r->answer.len, &look, out, ERR_IGNORED);
}

static void show_answer(const struct app *app, const struct task_report *r,
			const char *said)
{
	_cleanup_buf_ struct buf b = BUF_INIT(64 << 20);
	bool terminal = tty_is(fileno(app->out));

	if (!r->answer.len)
		return;
	if (r->form && !r->json) { /* a program waits for something else */
		render_lines(app->err, buf_cstr(&r->answer));
		fputc('\n', app->err);
		return;
	}
	if (!app->quiet && terminal && !r->json &&
	    strcmp(buf_cstr(&r->answer), said) == 0)
		return;
	if (!terminal || r->json) /* a file or program gets it as it is */
		(void)buf_add(&b, r->answer.data, r->answer.len);
	else
		add_answer(app, r, &b);
	fputs(buf_cstr(&b), app->out);
	if (!text_ends(buf_cstr(&b), "\n"))
		fputc('\n', app->out);
	fflush(app->out);
}

static void show_flags(const struct app *app, unsigned flags)
{
	static const struct {
		unsigned flag;
		const char *text;
	} rows[] = {
		{ CHANGES_EXECUTABLE, "executable" },
		{ CHANGES_SETID, "set-id" },
		{ CHANGES_SYMLINK, "symbolic link" },
		{ CHANGES_FOREIGN, "belongs to another user of the box" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (flags & rows[i].flag)
			fprintf(app->err, "  (%s)", rows[i].text);
}

/* Without the person, or once the person runs the project's code. */
static void show_effect(const struct app *app, struct effect x)
{
	enum render_style style =
		x.class == EFFECTS_HELD ? RENDER_YELLOW : RENDER_PLAIN;

	if (x.why)
		fprintf(app->err, "  %s[%s]%s", render_style_on(app->color_err, style),
			x.why, render_style_off(app->color_err));
}

/* What git keeps under a name that is its hash tells nobody anything. */
static bool is_object(const struct changes_item *it)
{
	return text_starts(it->path, ".git/objects/") ||
	       strstr(it->path, "/.git/objects/") ||
	       strcmp(it->path, ".git/objects") == 0;
}

static void show_file(const struct app *app, const struct changes_item *it)
{
	static const char marks[] = { [CHANGES_CREATED] = '+',
				      [CHANGES_MODIFIED] = '~',
				      [CHANGES_DELETED] = '-' };
	char path[4096];

	text_escaped(path, sizeof(path), it->path, strlen(it->path));
	fprintf(app->err, "  %c %s%s", marks[it->kind], path,
		it->flags & CHANGES_DIRECTORY ? "/" : "");
	render_counts(app->err, app->color_err, (int64_t)it->added,
		      (int64_t)it->removed);
	show_flags(app, it->flags);
	show_effect(app, it->effect);
	fputc('\n', app->err);
}

static void show_files(const struct app *app, const struct changes *c)
{
	/* What acts on this machine comes first; a few more of it than of the rest. */
	const size_t most = MAX((size_t)END_FILES, MIN(c->held, (size_t)END_HELD));
	size_t shown = 0, objects = 0, more;

	for (size_t i = 0; i < c->n; i++) {
		if (is_object(&c->items[i]))
			objects++;
		else if (shown < most && ++shown)
			show_file(app, &c->items[i]);
	}
	more = c->created + c->modified + c->deleted - shown - objects;
	if (objects)
		fprintf(app->err, "  %zu object%s in .git\n", objects,
			objects == 1 ? "" : "s");
	if (c->held > shown)
		fprintf(app->err, "  and %zu more, %zu of which act on this machine\n",
			more, c->held - shown);
	else if (more)
		fprintf(app->err, "  and %zu more\n", more);
	if (c->incomplete)
		fputs("  (not everything could be compared)\n", app->err);
}

static void show_totals(const struct app *app, const struct task_report *r)
{
	const struct task_status *st = &r->status;
	_cleanup_buf_ struct buf b = BUF_INIT(1024);
	const char *time = text_ms(st->elapsed_ms);
	char in[16], out[16], cost[32];

	view_end_tokens(in, sizeof(in), st->tokens_in);
	view_end_tokens(out, sizeof(out), st->tokens_out);
	/* any other end has said so in a line of its own */
	buf_adds(&b, r->end == TASK_DONE ? "done, " : "");
	if (r->resumed) /* what is counted on, and the time, which is not */
		buf_addf(&b, "%s, in all ", time);
	buf_addf(&b, "%u round%s, %u call%s", st->round, st->round == 1 ? "" : "s",
		 r->calls, r->calls == 1 ? "" : "s");
	if (st->tokens_in || st->tokens_out)
		buf_addf(&b, ", %s tokens in, %s out%s", in, out,
			 view_end_cost(cost, sizeof(cost), st));
	if (!r->resumed)
		buf_addf(&b, ", %s", time);
	if (r->replayed)
		buf_addf(&b, ", replayed with %u difference%s", r->differences,
			 r->differences == 1 ? "" : "s");
	render_note(app, "%s", buf_cstr(&b));
}

void view_end_show(const struct app *app, const struct task_report *r, const char *said)
{
	show_answer(app, r, said);
	if (r->end != TASK_DONE)
		render_error(app, &r->why, (int)r->end);
	if (app->quiet)
		return;
	if (!r->changes.waits)
		show_files(app, &r->changes);
	show_totals(app, r);
}

void view_end_foreign(const struct app *app, const struct changes *c)
{
	for (size_t i = 0; i < c->n; i++) {
		if (!(c->items[i].flags & CHANGES_FOREIGN))
			continue;
		render_note(app,
			    "some files belong to users of the box; 'cubby own' gives "
			    "them to you");
		return;
	}
}

void view_end_jobs(const struct app *app, const char *jobs, bool keep)
{
	if (*jobs) /* a command of it may have a "; " */
		render_note_command(
			app,
			keep ? "still running in the box ('cubby stop' ends it)"
			     : "ended with the task (with --keep it runs on)",
			jobs);
}
