#include "cli/show/progress.h"

#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/show/render.h"
#include "cli/show/tty.h"

enum {
	PROGRESS_FAST_MS = 100,	  /* between two bars */
	PROGRESS_SLOW_MS = 10000, /* between two plain lines */
	PROGRESS_BAR = 24,	  /* columns */
	PROGRESS_COLS = 80,	  /* where the size is not known */
	PROGRESS_LINE = 1024
};

void progress_start(struct progress_bar *p, const struct app *app, const char *what)
{
	*p = (struct progress_bar){ .app = app };
	(void)text_copy(p->what, sizeof(p->what), what);
	p->start_ms = p->shown_ms = app->now_ms();
	if (!app->live)
		render_note(app, "%s", what);
}

void progress_start_live(struct progress_bar *p, const struct app *app,
			 const char *verb, const char *of)
{
	char what[sizeof(p->what)];

	*p = (struct progress_bar){ .app = NULL };
	snprintf(what, sizeof(what), "%s %.96s", verb, of);
	if (app->live)
		progress_start(p, app, what);
}

static uint64_t rate_of(const struct progress_bar *p, uint64_t now_ms)
{
	uint64_t ms = now_ms - p->start_ms;

	return ms ? p->done * 1000 / ms : 0;
}

static void add_bar(const struct progress_bar *p, struct buf *out)
{
	unsigned full = (unsigned)(PROGRESS_BAR * MIN(p->done, p->total) / p->total);
	char bar[PROGRESS_BAR + 1];

	memset(bar, '#', full);
	memset(bar + full, '.', PROGRESS_BAR - full);
	bar[PROGRESS_BAR] = '\0';
	buf_addf(out, " [%s] %3u%%", bar,
		 (unsigned)(100 * MIN(p->done, p->total) / p->total));
}

int progress_line(const struct progress_bar *p, uint64_t now_ms, unsigned cols,
		  struct buf *out)
{
	buf_adds(out, p->what);
	if (p->total && cols >= strlen(p->what) + PROGRESS_BAR + 48)
		add_bar(p, out);
	buf_addf(out, "  %s", text_bytes(p->done));
	if (p->total)
		buf_addf(out, " of %s", text_bytes(p->total));
	buf_addf(out, "  %s/s", text_bytes(rate_of(p, now_ms)));
	if (buf_failed(out) < 0)
		return buf_failed(out);
	if (out->len >= cols)
		buf_truncate(out, cols ? cols - 1 : 0);
	return 0;
}

static void show(struct progress_bar *p, uint64_t now_ms)
{
	_cleanup_buf_ struct buf b = BUF_INIT(PROGRESS_LINE);
	unsigned short rows, cols = PROGRESS_COLS;
	FILE *f = p->app->err;

	(void)tty_size(STDERR_FILENO, &rows, &cols);
	if (progress_line(p, now_ms, cols, &b) < 0)
		return;
	if (!p->app->live) {
		render_note(p->app, "%s", buf_cstr(&b));
		return;
	}
	fputs("\r\033[K", f);
	render_safe(f, buf_cstr(&b));
	fflush(f);
	p->shown = true;
}

void progress_update(struct progress_bar *p, uint64_t done, uint64_t total)
{
	uint64_t now;

	p->done = done;
	p->total = total;
	if (!p->app || p->app->quiet || p->app->json)
		return;
	now = p->app->now_ms();
	if (now - p->shown_ms <
	    (uint64_t)(p->app->live ? PROGRESS_FAST_MS : PROGRESS_SLOW_MS))
		return;
	p->shown_ms = now;
	show(p, now);
}

void progress_end(struct progress_bar *p, bool ok)
{
	if (p->shown)
		render_clear(p->app);
	p->shown = false;
	if (!ok)
		return;
	render_note(p->app, "%s: done, %s in %s", p->what, text_bytes(p->done),
		    text_ms(p->app->now_ms() - p->start_ms));
}

void progress_done(struct progress_bar *p)
{
	progress_end(p, false);
}
