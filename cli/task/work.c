#include "cli/task/work.h"

#include <unistd.h>

#include "base/sys/sys.h"
#include "cli/opt/config_task.h"

void taskwork_init(struct taskwork *w, struct app *app, const struct taskrun *t)
{
	*w = (struct taskwork){ .app = app,
				.t = t,
				.image = IMAGERUN_NONE,
				.ticker = TICKER_NONE,
				.machine = MACHINE_NONE,
				.boxwords = BOXWORDS_NONE,
				.gitnews = GITNEWS_NONE,
				.attach = ATTACH_NONE,
				.inbox = INBOX_NONE,
				.text = BUF_INIT(4 << 20),
				.replay = -1,
				.transcript = -1,
				.terminal = -1,
				.copy = -1,
				.resume = -1,
				.project = -1,
				.interrupt = -1,
				.model = BUF_INIT(4096),
				.settings = BUF_INIT(64 << 10) };
	w->setup = BOXSETUP(app);
	view_init(&w->view, app);
	view_json_init(&w->json, app);
	steer_init(&w->steer, STDIN_FILENO);
}

void taskwork_done(struct taskwork *w)
{
	toolbox_free(&w->tools);
	servers_done(&w->servers);
	view_done(&w->view);
	steer_done(&w->steer);
	inbox_done(&w->inbox);
	ticker_close(&w->ticker);
	tasklog_end(&w->setup.dir, w->log, w->transcript);
	boxsetup_done(&w->setup);
	imagerun_done(&w->image);
	modelpick_done(&w->pick);
	machine_done(&w->machine);
	boxwords_done(&w->boxwords);
	gitnews_done(&w->gitnews);
	attach_done(&w->attach);
	json_free(&w->schema);
	buf_done(&w->text);
	buf_done(&w->model);
	buf_done(&w->settings);
	scope_close(&w->replay);
	scope_close(&w->transcript);
	scope_close(&w->terminal);
	scope_close(&w->copy);
	scope_close(&w->resume);
	scope_close(&w->project);
	scope_close(&w->interrupt);
}

/* Pasted lines are one. */
int taskwork_keys(struct taskwork *w, bool on, struct err *e)
{
	int r = 0;

	if (on)
		r = steer_begin(&w->steer, e);
	if (r == 0)
		r = ticker_keys(&w->ticker, on ? STDIN_FILENO : -1, e);
	if (!on)
		steer_end(&w->steer);
	w->view.steer = on && r == 0 ? &w->steer : NULL;
	fputs(on ? "\033[?2004h" : "\033[?2004l", w->app->err);
	fflush(w->app->err);
	return r;
}

const char *taskwork_settings(struct taskwork *w)
{
	_cleanup_json_ struct json *j =
		config_task_save(w->app->config, w->model.len ? w->model.data : NULL);

	return j && json_print(j, false, &w->settings) == 0 ? buf_cstr(&w->settings)
							    : NULL;
}
