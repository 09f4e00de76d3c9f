#include "cli/task/run.h"

#include <unistd.h>

#include "base/text.h"
#include "cli/box/nettell.h"
#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/review/show.h"
#include "cli/show/render.h"
#include "cli/show/tty.h"
#include "cli/task/view/end.h"
#include "cli/task/work.h"

/* What the model started may be what the person wanted. */
static void end_jobs(struct taskwork *w)
{
	const bool keep = config_on(w->app->config, CONFIG_KEEP);
	_cleanup_buf_ struct buf jobs = BUF_INIT(4096);

	tool_jobs_end(w->tools, keep, &jobs);
	view_end_jobs(w->app, buf_cstr(&jobs), keep);
}

/* What is typed where the task is seen is for the model. */
static int hear(struct taskwork *w, bool on, struct err *e)
{
	if (w->app->json || !w->view.footer.cols || !tty_is(STDIN_FILENO))
		return 0;
	return taskwork_keys(w, on, e);
}

/* There is no next line, as in a conversation: what came while the last turn was made is a
 * reason to go on, too. */
static int told(void *ctx, bool end, struct buf *words)
{
	struct taskwork *w = ctx;
	struct buf *const said = &w->steer.said;
	const int r = inbox_told(&w->inbox, end, words);

	if (!said->len)
		return r;
	buf_addf(words, "%s%s", words->len ? "\n" : "", buf_cstr(said));
	buf_truncate(said, 0);
	return 1;
}

static int run_task(struct taskwork *w, struct err *e)
{
	_cleanup_task_report_ struct task_report report;
	struct nettell refused;
	int r;

	task_report_init(&report);
	nettell_begin(w->app, w->setup.box, &refused);
	w->conf.told = told;
	w->conf.told_ctx = w;
	r = hear(w, true, e) ?: task_run(&w->conf, &report, e);
	(void)hear(w, false, ERR_IGNORED);
	if (r < 0)
		return cmd_fail(w->app, e, (int)report.end);
	if (w->steer.line.len)
		render_note(w->app, "the model was not told: %s",
			    text_shown(buf_cstr(&w->steer.line)));
	nettell_say(w->app, &refused);
	boxwords_note(&w->boxwords, &report.changes);
	view_end_foreign(w->app, &report.changes);
	if (report.end != TASK_DONE)
		render_note(w->app,
			    "'cubby log %s' shows this task, 'cubby resume %s' "
			    "goes on with it",
			    w->log, w->log);
	return (int)report.end;
}

static int run_work(struct taskwork *w, struct err *e)
{
	int status = ordered_read(w, e);

	if (status)
		return status;
	if (boxsetup_open(w->t->box, &w->setup, e) < 0 || prepare_task(w, e) < 0)
		return cmd_fail(w->app, e, CMD_NO_BOX);
	if (w->t->began)
		w->t->began(w->t->ctx, w->log);
	status = w->t->talk ? conversation_run(w, e) : run_task(w, e);
	end_jobs(w);
	toolbox_free(&w->tools); /* its sessions are in the box that ends now */
	servers_done(&w->servers);
	box_close(&w->setup.box);
	gitnews_end(&w->gitnews, w->app);
	if (reviewshow_end(w->app, &w->waiting.review, e) < 0 ||
	    boxwords_end(&w->boxwords, e) < 0)
		return cmd_fail(w->app, e, status ? status : CMD_FAILED);
	if (boxsetup_finish(&w->setup, e) < 0)
		return cmd_fail(w->app, e, status ? status : CMD_NO_BOX);
	return status;
}

int taskrun_do(struct app *app, const struct taskrun *t)
{
	_cleanup_(taskwork_done) struct taskwork w;

	taskwork_init(&w, app, t);
	return run_work(&w, ERR_IGNORED);
}
