#include "cli/task/run.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/task/form.h"
#include "agent/task/task.h"
#include "agent/tool/machine.h"
#include "base/inroot.h"
#include "base/signals.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "cli/box/imagerun.h"
#include "cli/box/reviewshow.h"
#include "cli/box/rewind.h"
#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/opt/config_task.h"
#include "cli/show/render.h"
#include "cli/show/tty.h"
#include "cli/task/agree.h"
#include "cli/task/ask.h"
#include "cli/task/attach.h"
#include "cli/task/boxwords.h"
#include "cli/task/facts.h"
#include "cli/task/hostwatch.h"
#include "cli/task/inbox.h"
#include "cli/task/log.h"
#include "cli/task/modelpick.h"
#include "cli/task/recall.h"
#include "cli/task/servers.h"
#include "cli/task/steer.h"
#include "cli/task/talk.h"
#include "cli/task/ticker.h"
#include "cli/task/view.h"
#include "cli/task/view_end.h"
#include "cli/task/view_json.h"
#include "cli/task/waiting.h"

#define TASKRUN_TRANSCRIPT "cubby-transcript.jsonl"

struct work {
	struct app *app;	 /* borrowed */
	const struct taskrun *t; /* borrowed */
	struct modelpick pick;	 /* owned */
	struct boxsetup setup;	 /* owned */
	struct waiting waiting;
	struct imagerun image;	    /* owned */
	struct view view;	    /* owned */
	struct ticker ticker;	    /* owned */
	struct hostwatch hostwatch; /* owned */
	struct ask ask;
	struct steer steer;	   /* owned */
	struct inbox inbox;	   /* owned */
	struct task_status so_far; /* of a conversation */
	struct toolbox *tools;	   /* owned */
	struct servers servers;	   /* owned; of some of them */
	struct task_conf conf;
	struct machine machine;	  /* owned */
	struct boxwords boxwords; /* owned */
	struct attach attach;	  /* owned */
	struct json *schema;	  /* owned; of the answer; NULL = it has none */
	struct buf text;	  /* owned; the task with its files */
	char network[400], limits[160], resumed[TASKLOG_NAME], log[TASKLOG_NAME];
	/* Owned descriptors; -1 = none. */
	int replay, transcript, terminal, copy, resume, project, interrupt;
	struct buf model, settings; /* owned; "PROVIDER:NAME"; JSON for the record */
};

static void work_init(struct work *w, struct app *app, const struct taskrun *t)
{
	*w = (struct work){ .app = app,
			    .t = t,
			    .image = IMAGERUN_NONE,
			    .ticker = TICKER_NONE,
			    .hostwatch = HOSTWATCH_NONE,
			    .machine = MACHINE_NONE,
			    .boxwords = BOXWORDS_NONE,
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
	w->setup = BOXSETUP_NONE;
	view_init(&w->view, app);
	steer_init(&w->steer, STDIN_FILENO);
}

static void work_done(struct work *w)
{
	toolbox_free(&w->tools);
	servers_done(&w->servers);
	view_done(&w->view);
	steer_done(&w->steer);
	inbox_done(&w->inbox);
	ticker_close(&w->ticker);
	hostwatch_close(&w->hostwatch);
	boxsetup_done(&w->setup);
	imagerun_done(&w->image);
	modelpick_done(&w->pick);
	machine_done(&w->machine);
	boxwords_done(&w->boxwords);
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

/* The files of --attach: pictures go beside the task, texts behind it. */
static int read_attached(struct work *w, struct err *e)
{
	for (const char *const *name = words_list(&w->t->task->attach); *name; name++) {
		int r = attach_file(&w->attach, *name, e);

		if (r < 0)
			return err_wrap(e, "--attach");
	}
	buf_adds(&w->text, w->t->text ? w->t->text : "");
	buf_adds(&w->text, buf_cstr(&w->attach.text));
	if (w->t->task->schema) {
		int r = attach_schema(w->t->task->schema, &w->schema, e);

		if (r < 0)
			return err_wrap(e, "--schema");
		if (!w->t->task->replay)
			(void)form_ask(w->schema, &w->text);
	}
	return buf_failed(&w->text) < 0 ? err_set(e, -E2BIG, "the task is too long")
					: 0;
}

/* What is wrong with the words themselves is said before anybody is asked for a key. */
static int check_words(struct work *w, struct err *e)
{
	const char *dir = w->app->dir, *replay = w->t->task->replay;
	_cleanup_close_ int fd = sys_open(dir ? dir : ".", O_RDONLY | O_DIRECTORY);

	if (fd < 0)
		return err_sys(e, fd, "cannot use directory '%s'", dir ? dir : ".");
	if (!replay)
		return 0;
	w->replay = sys_open(replay, O_RDONLY | O_NOCTTY);
	return w->replay < 0
		       ? err_sys(e, w->replay, "--replay: cannot open '%s'", replay)
		       : 0;
}

/* The options of the task that goes on, before any of them is used. */
static int recall(struct work *w, struct err *e)
{
	_cleanup_boxsetup_ struct boxsetup s = BOXSETUP_NONE;
	_cleanup_close_ int fd = -1;
	int r;

	if (!w->t->resume && !w->t->resume_last)
		return 0;
	r = boxsetup_find(w->app, &s, e);
	if (r < 0)
		return r;
	r = fd = tasklog_open(&s.dir, w->t->resume, w->resumed, e);
	if (r < 0)
		return r;
	r = recall_options(w->app->config, fd, e);
	return r >= 0 && w->t->back
		       ? rewind_task(w->app, &s, w->resumed, w->t->rounds_back, e)
		       : r;
}

/* A provider that the configuration has no more would be taken for a part of a name. */
static int check_recalled(const struct work *w, struct err *e)
{
	const struct config_value *v = &w->app->config->v[CONFIG_MODEL];

	if (v->from != CONFIG_FROM_TASK || strcmp(v->text, buf_cstr(&w->model)) == 0)
		return 0;
	err_set(e, -EINVAL, "the task's model '%s' is not known any more", v->text);
	return err_hint(e, "name one with --model");
}

/* Before any image is pulled or box started: is there somebody to ask? */
static int choose_model(struct work *w, struct err *e)
{
	_cleanup_model_ struct model *m = NULL;
	int r = modelpick_choose(w->app, w->replay, &w->pick, e);

	if (r == 0 && modelpick_word(&w->pick, &w->model) < 0)
		return err_sys(e, -ENOMEM, "cannot choose the model");
	if (r == 0 && w->replay < 0)
		r = check_recalled(w, e);
	if (r == 0)
		r = model_new(&w->pick.conf, &m, e);
	if (r < 0 && w->replay >= 0)
		err_wrap(e, "--replay '%s'", w->t->task->replay);
	return r;
}

/* A budget that nobody can count would be none. */
static int check_budget(struct work *w, struct err *e)
{
	_cleanup_model_ struct model *m = NULL;
	int r;

	if (!config_num(w->app->config, CONFIG_MAX_COST) || w->replay >= 0)
		return 0;
	r = model_new(&w->pick.conf, &m, e);
	if (r < 0 || model_prices(m))
		return r;
	err_set(e, -EINVAL, "--max-cost: what '%s' costs at %s is not known",
		model_name(m), model_url(m));
	return err_hint(e, "say it in the configuration, under \"prices\"");
}

static int open_copy(struct work *w, struct err *e)
{
	const char *name = config_text(w->app->config, CONFIG_SAVE_TRANSCRIPT);

	if (!name && !w->t->task->save_transcript)
		return 0;
	if (!name)
		name = TASKRUN_TRANSCRIPT;
	w->copy = tasklog_copy(name, e);
	return w->copy < 0 ? err_wrap(e, "--save-transcript") : 0;
}

static int open_files(struct work *w, struct err *e)
{
	const struct boxdir *dir = &w->setup.dir;

	if (w->t->resume || w->t->resume_last) {
		w->resume = tasklog_open(dir, w->t->resume, w->resumed, e);
		if (w->resume < 0)
			return w->resume;
	}
	w->transcript = tasklog_create(dir, sys_wall(), w->log, e);
	if (w->transcript < 0)
		return w->transcript;
	w->terminal = tasklog_terminal(dir, w->log, e);
	if (w->terminal < 0)
		return w->terminal;
	if (w->resume >= 0)
		inbox_left(dir, w->resumed, &w->text);
	if (!w->t->talk && inbox_open(dir, w->log, &w->inbox, e) < 0)
		return e->code;
	w->project = inroot_open_real(w->setup.spec.project, O_RDONLY | O_DIRECTORY);
	if (w->project < 0)
		return err_sys(e, w->project, "cannot open the project directory");
	return 0;
}

/* ^C is read by the task, between and within its steps. */
static int watch_interrupts(struct work *w, struct err *e)
{
	int signals[] = { SIGINT, 0, 0 };
	struct sigaction hup;

	/* A terminal that is lost is no reason to lose the record of the end, unless it
	 * was said to be none (nohup). */
	if (sys_sigaction(SIGHUP, NULL, &hup) == 0 && hup.sa_handler != SIG_IGN)
		signals[1] = SIGHUP;
	w->interrupt = signals_watch(signals, NULL);
	return w->interrupt < 0 ? err_sys(e, w->interrupt, "cannot watch signals") : 0;
}

/* For the record, and for whoever goes on with the task. */
static const char *settings_text(struct work *w)
{
	_cleanup_json_ struct json *j =
		config_task_save(w->app->config, w->model.len ? w->model.data : NULL);

	return j && json_print(j, false, &w->settings) == 0 ? buf_cstr(&w->settings)
							    : NULL;
}

static void fill_conf(struct work *w)
{
	const struct config *c = w->app->config;
	bool json = w->app->json;

	facts_network(&w->setup.spec, w->network, sizeof(w->network));
	facts_limits(&w->setup.spec.limits, w->limits, sizeof(w->limits));
	w->conf = (struct task_conf){
		.text = w->text.len ? w->text.data : w->t->text,
		.schema = w->schema,
		.pictures = w->attach.pictures,
		.n_pictures = w->attach.n,
		.model = w->pick.conf,
		.facts = { .directory = w->setup.spec.project,
			   .project = facts_project(w->setup.spec.project_mode),
			   .boxs_words = w->boxwords.boxs,
			   .cwd = w->setup.place.cwd,
			   .image = w->setup.spec.image_name,
			   .system = buf_cstr(&w->machine.system),
			   .programs = buf_cstr(&w->machine.programs),
			   .user = config_text(c, CONFIG_USER),
			   .network = w->network,
			   .limits = w->limits,
			   .extra = config_text(c, CONFIG_SYSTEM_EXTRA),
			   .ask = w->ask.each,
			   .stays = config_on(c, CONFIG_KEEP) },
		.limits = { .rounds = (unsigned)config_num(c, CONFIG_MAX_ROUNDS),
			    .tokens = config_num(c, CONFIG_MAX_TOKENS),
			    .time_ms = config_num(c, CONFIG_TIMEOUT),
			    .cost = config_num(c, CONFIG_MAX_COST) * 1000 },
		.tools = w->tools,
		.project_fd = w->project,
		.review = waiting_review(&w->waiting),
		.back = w->t->back,
		.rounds_back = w->t->rounds_back,
		.transcript_fd = w->transcript,
		.copy_fd = w->copy,
		.resume_fd = w->resume,
		.resumed = w->resume >= 0 ? w->resumed : NULL,
		.secrets = w->pick.secrets,
		.settings = settings_text(w),
		.interrupt_fd = w->interrupt,
		.events = json ? view_json_events() : view_events(),
		.ctx = json ? (void *)w->app : (void *)&w->view,
	};
	w->conf.model.abort_fd = w->interrupt;
	w->conf.aside = ticker_aside(&w->ticker);
	w->conf.told = inbox_told;
	w->conf.told_ctx = &w->inbox;
}

static int make_tools(struct work *w, struct err *e)
{
	const struct config *c = w->app->config;
	struct toolbox_conf conf = {
		.box = w->setup.box,
		.project = w->setup.spec.project,
		.cwd = w->setup.place.cwd,
		.shell = config_text(c, CONFIG_SHELL_COMMAND),
		.user = config_text(c, CONFIG_USER),
		.secrets = w->pick.secrets,
		.command_timeout_ms = config_num(c, CONFIG_COMMAND_TIMEOUT),
		.on_error = (enum session_on_error)config_num(c, CONFIG_ON_ERROR),
		.left_ms = task_left_ms,
		.output = task_output,
		.ctx = &w->conf,
		.terminal_fd = w->terminal,
		.interrupt_fd = w->interrupt,
		.aside = ticker_aside(&w->ticker),
		.project_fd = w->project,
	};
	int r;

	r = imagerun_env(c, &w->setup, &w->image, e);
	if (r < 0)
		return r;
	conf.env = (const char *const *)w->image.env.v;
	r = toolbox_new(&conf, &w->tools, e);
	if (r < 0)
		return r;
	render_notes(w->app, toolbox_notes(w->tools));
	w->waiting = (struct waiting){ &w->setup, w->tools, w->log };
	r = waiting_offer(&w->waiting, e);
	return r < 0 ? r : ticker_add(&w->ticker, tool_watch_aside(w->tools), e);
}

/* They get ready while the box is looked at. */
static int make_servers(struct work *w, struct err *e)
{
	const struct config *c = w->app->config;
	const struct mcp_client_conf conf = {
		.port = mcp_client_box(w->setup.box),
		.env = (const char *const *)w->image.env.v,
		.user = config_text(c, CONFIG_USER),
		.version = CUBBY_VERSION,
		.call_ms = config_num(c, CONFIG_COMMAND_TIMEOUT),
		.left_ms = task_left_ms,
		.ctx = &w->conf,
		.aside = ticker_aside(&w->ticker),
		.interrupt_fd = w->interrupt,
	};
	int r = servers_start(w->app, w->setup.spec.project, &conf, &w->servers, e);

	if (r < 0)
		return r;
	if (w->resume < 0) /* which has its prompt */
		machine_look(w->tools, &w->machine);
	servers_offer(w->app, &w->servers, w->tools);
	return 0;
}

/* A terminal is looked at while anything else is waited for. */
static int watch_terminal(struct work *w, struct err *e)
{
	int r;

	if (w->view.footer.cols && !w->app->json) {
		w->ticker.tick = view_tick;
		w->ticker.resized = view_resized;
		w->ticker.keys = view_keys;
		w->ticker.ctx = &w->view;
	}
	r = ticker_open(&w->ticker, e);
	if (r < 0)
		return r;
	r = hostwatch_open(&w->setup, w->project, &w->hostwatch, e);
	return r < 0 ? r : ticker_add(&w->ticker, hostwatch_aside(&w->hostwatch), e);
}

static int ask_setup(struct work *w, struct err *e)
{
	bool each = config_on(w->app->config, CONFIG_ASK);

	if (each && (w->app->json || !tty_is(STDIN_FILENO)))
		return err_set(e, -EINVAL, "--ask needs a terminal to ask at");
	w->ask = (struct ask){ .app = w->app,
			       .in = STDIN_FILENO,
			       .interrupt_fd = w->interrupt,
			       .each = each };
	if (tty_is(STDIN_FILENO))
		w->view.ask = &w->ask;
	return 0;
}

/* What the person permitted for the directory, or for all; known when the box is. */
static void ask_permitted(struct work *w)
{
	for (const char *const *p = config_list(w->app->config, CONFIG_ALWAYS); *p; p++)
		ask_permit(&w->ask, *p);
}

/* From a box that runs to a task that can begin. */
static int prepare(struct work *w, struct err *e)
{
	int r;

	r = open_files(w, e);
	if (r < 0)
		return r;
	r = watch_interrupts(w, e);
	if (r < 0)
		return r;
	r = watch_terminal(w, e);
	if (r < 0)
		return r;
	r = make_tools(w, e);
	if (r < 0)
		return r;
	r = make_servers(w, e);
	if (r < 0)
		return r;
	w->ask.interrupt_fd = w->interrupt;
	ask_permitted(w);
	boxwords_begin(&w->boxwords, &w->setup.dir, w->project);
	fill_conf(w);
	return 0;
}

/* What the model started may be what the person wanted. */
static void end_jobs(struct work *w)
{
	const bool keep = config_on(w->app->config, CONFIG_KEEP);
	_cleanup_buf_ struct buf jobs = BUF_INIT(4096);

	tool_jobs_end(w->tools, keep, &jobs);
	view_end_jobs(w->app, buf_cstr(&jobs), keep);
}

static int run_task(struct work *w, struct err *e)
{
	_cleanup_task_report_ struct task_report report;
	int r;

	task_report_init(&report);
	r = task_run(&w->conf, &report, e);
	if (r < 0)
		return cmd_fail(w->app, e, (int)report.end);
	boxwords_note(&w->boxwords, &report.changes);
	view_end_foreign(w->app, &report.changes);
	if (report.end != TASK_DONE)
		render_note(w->app,
			    "'cubby log %s' shows this task, 'cubby resume %s' "
			    "goes on with it",
			    w->log, w->log);
	return (int)report.end;
}

/* ---- a conversation ------------------------------------------------------------------ */

/* Each line goes on in the transcript of those before it. */
static int next_resume(struct work *w, struct err *e)
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

/* While the task works keys are read one by one; pasted lines are one. */
static int watch_keys(struct work *w, bool on, struct err *e)
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

static int talk_task(void *ctx, const char *text, struct err *e)
{
	_cleanup_task_report_ struct task_report report;
	struct work *w = ctx;
	int r = watch_keys(w, true, e);

	task_report_init(&report);
	w->conf.text = text;
	w->conf.started_ms = 0;
	buf_truncate(&w->settings, 0);
	w->conf.settings = settings_text(w); /* as they are now: "/model" */
	if (r == 0)
		r = task_run(&w->conf, &report, e);
	(void)watch_keys(w, false, &(struct err){ 0 });
	if (r < 0)
		return r;
	w->so_far = report.status;
	w->conf.compact = false;
	boxwords_note(&w->boxwords, &report.changes);
	view_end_foreign(w->app, &report.changes);
	r = reviewshow_meanwhile(w->app, &w->setup, e);
	if (r >= 0)
		r = next_resume(w, e);
	return r < 0 ? r : (int)report.end;
}

/* The configuration borrows its texts, and a line is gone before the next. */
static int set_said(struct work *w, enum config_key k, const char *value, struct err *e)
{
	char *copy = strdup(value);

	if (!copy || words_add(&w->app->config->texts, copy) < 0) {
		free(copy);
		return err_sys(e, -ENOMEM, "cannot keep '%s'", config_rows[k].name);
	}
	return config_set(w->app->config, k, copy, CONFIG_FROM_FLAG, e);
}

static int talk_model(struct work *w, const char *name, struct buf *said, struct err *e)
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
	struct work *w = ctx;
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
		buf_addf(said, "%u rounds, %s tokens in, %s out%s", w->so_far.round,
			 view_end_tokens(in, sizeof(in), w->so_far.tokens_in),
			 view_end_tokens(out, sizeof(out), w->so_far.tokens_out),
			 view_end_cost(cost, sizeof(cost), &w->so_far));
		return 0;
	}
	return err_set(e, -EOPNOTSUPP, "/%s: this cubby cannot do that yet", what);
}

static int talk(struct work *w, struct err *e)
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

	render_note(w->app, "%s; /help lists what there is, ^D leaves",
		    buf_cstr(&w->model));
	r = talk_run(&t, e);
	return r < 0 ? cmd_fail(w->app, e, CMD_NO_BOX) : r;
}

static int run_work(struct work *w, struct err *e)
{
	int status;

	agree_load(w->app);
	if (recall(w, e) < 0)
		return cmd_fail(w->app, e, CMD_NO_BOX);
	if (ask_setup(w, e) < 0)
		return cmd_fail(w->app, e, CMD_USAGE);
	if (check_words(w, e) < 0 || read_attached(w, e) < 0)
		return cmd_fail(w->app, e, CMD_USAGE);
	if (choose_model(w, e) < 0)
		return cmd_fail(w->app, e, w->replay >= 0 ? CMD_USAGE : CMD_SERVICE);
	if (check_budget(w, e) < 0 || open_copy(w, e) < 0)
		return cmd_fail(w->app, e, CMD_USAGE);
	if (boxsetup_open(w->app, w->t->box, &w->setup, e) < 0 || prepare(w, e) < 0)
		return cmd_fail(w->app, e, CMD_NO_BOX);
	if (w->t->began)
		w->t->began(w->t->ctx, w->log);
	status = w->t->talk ? talk(w, e) : run_task(w, e);
	end_jobs(w);
	toolbox_free(&w->tools); /* its sessions are in the box that ends now */
	servers_done(&w->servers);
	box_close(&w->setup.box);
	if (reviewshow_end(w->app, &w->setup, e) < 0 ||
	    boxwords_end(&w->boxwords, e) < 0)
		return cmd_fail(w->app, e, status ? status : CMD_FAILED);
	if (boxsetup_finish(&w->setup, e) < 0)
		return cmd_fail(w->app, e, status ? status : CMD_NO_BOX);
	return status;
}

int taskrun_do(struct app *app, const struct taskrun *t)
{
	_cleanup_(work_done) struct work w;
	struct err e = ERR_NONE;

	work_init(&w, app, t);
	return run_work(&w, &e);
}
