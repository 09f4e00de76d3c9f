#include "cli/task/work.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/box/nettell.h"
#include "cli/opt/cmd.h"
#include "cli/review/show.h"
#include "cli/show/render.h"
#include "cli/task/talk.h"
#include "cli/task/view/end.h"

/* Each line goes on in the transcript of those before it. */
static int next_resume(struct taskwork *w, struct err *e)
{
	char name[TASKLOG_NAME];

	scope_close(&w->resume);
	w->resume = tasklog_open(&w->setup.dir, w->log, name, e);
	w->conf.resume_fd = w->resume;
	w->conf.resumed = w->log;
	w->conf.same_machine = true;
	w->conf.back = false;
	tasklog_hold(w->transcript); /* which the close has released */
	return w->resume < 0 ? w->resume : 0;
}

static int talk_task(void *ctx, const char *text, struct err *e)
{
	_cleanup_task_report_ struct task_report report;
	struct taskwork *w = ctx;
	struct nettell refused;
	int r = taskwork_keys(w, true, e);

	task_report_init(&report);
	w->conf.text = text;
	w->conf.started_ms = 0;
	buf_truncate(&w->settings, 0);
	w->conf.settings = taskwork_settings(w); /* as they are now: "/model" */
	nettell_begin(w->app, w->setup.box, &refused);
	if (r == 0)
		r = task_run(&w->conf, &report, e);
	(void)taskwork_keys(w, false, ERR_IGNORED);
	if (r < 0)
		return r;
	nettell_say(w->app, &refused);
	w->so_far = report.status;
	w->conf.compact = false;
	boxwords_note(&w->boxwords, &report.changes);
	view_end_foreign(w->app, &report.changes);
	r = reviewshow_meanwhile(w->app, &w->waiting.review, e);
	if (r >= 0)
		r = next_resume(w, e);
	return r < 0 ? r : (int)report.end;
}

/* The configuration borrows its texts, and a line is gone before the next. */
static int set_said(struct taskwork *w, enum config_key k, const char *value,
		    struct err *e)
{
	char *copy = strdup(value);

	if (!copy || words_add(&w->app->config->texts, copy) < 0) {
		free(copy);
		return err_sys(e, -ENOMEM, "cannot keep '%s'", config_rows[k].name);
	}
	return config_set(w->app->config, k, copy, CONFIG_FROM_FLAG, e);
}

static int talk_model(struct taskwork *w, const char *name, struct buf *said,
		      struct err *e)
{
	int r;

	if (*name) {
		_cleanup_modelpick_ struct modelpick was = w->pick;
		const struct config_value old = w->app->config->v[CONFIG_MODEL];

		w->pick = (struct modelpick){ 0 };
		r = set_said(w, CONFIG_MODEL, name, e)
			    ?: modelpick_choose(w->app, -1, &w->pick, e);
		if (r < 0) {
			w->app->config->v[CONFIG_MODEL] = old;
			w->pick = take(&was, ((struct modelpick){ 0 }));
			return r;
		}
		w->conf.model = w->pick.conf;
		w->conf.model.abort_fd = w->interrupt;
		w->conf.secrets = w->pick.secrets;
	}
	buf_truncate(&w->model, 0);
	r = modelpick_word(&w->pick, &w->model);
	buf_adds(said, buf_cstr(&w->model));
	return r < 0 ? err_sys(e, r, "cannot choose the model") : 0;
}

static int talk_set(void *ctx, const char *what, const char *value, struct buf *said,
		    struct err *e)
{
	struct taskwork *w = ctx;
	char in[16], out[16], cost[32];

	if (strcmp(what, "model") == 0)
		return talk_model(w, value, said, e);
	if (strcmp(what, "effort") == 0 && *value) {
		int r = set_said(w, CONFIG_EFFORT, value, e);

		if (r < 0)
			return err_wrap(e, "/effort");
		w->conf.model.effort =
			(enum wire_effort)config_num(w->app->config, CONFIG_EFFORT);
	}
	if (strcmp(what, "effort") == 0) {
		buf_adds(said, config_text(w->app->config, CONFIG_EFFORT)
				       ?: "as the model does by itself");
		return 0;
	}
	if (strcmp(what, "compact") == 0) {
		w->conf.compact = w->conf.resume_fd >= 0;
		buf_adds(said, w->conf.compact ? "the older part is summarised before "
						 "your next line"
					       : "there is nothing to summarise yet");
		return 0;
	}
	if (strcmp(what, "cost") == 0) {
		buf_addf(said, "%u round%s, %s tokens in, %s out%s", w->so_far.round,
			 w->so_far.round == 1 ? "" : "s",
			 view_end_tokens(in, sizeof(in), w->so_far.tokens_in),
			 view_end_tokens(out, sizeof(out), w->so_far.tokens_out),
			 view_end_cost(cost, sizeof(cost), &w->so_far));
		return 0;
	}
	return err_set(e, -EOPNOTSUPP, "/%s: this cubby cannot do that yet", what);
}

int conversation_run(struct taskwork *w, struct err *e)
{
	const struct talk t = { .app = w->app,
				.steer = &w->steer,
				.dir = w->setup.spec.project,
				.project_fd = w->project,
				.box_fd = w->setup.dir.dirfd,
				.interrupt_fd = w->interrupt,
				.aside = ticker_aside(&w->ticker),
				.ctx = w,
				.task = talk_task,
				.set = talk_set };
	int r;

	w->conf.facts.talk = true;
	render_note(w->app, "%s; /help lists what there is, ^D leaves",
		    buf_cstr(&w->model));
	r = talk_run(&t, e);
	return r < 0 ? cmd_fail(w->app, e, CMD_NO_BOX) : r;
}
