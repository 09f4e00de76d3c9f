#include "cli/task/work.h"

#include <signal.h>

#include "base/inroot.h"
#include "base/proc.h"
#include "base/signals.h"
#include "base/sys/sys.h"
#include "cli/show/render.h"
#include "cli/task/facts.h"

static int open_files(struct taskwork *w, struct err *e)
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
static int watch_interrupts(struct taskwork *w, struct err *e)
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

static void fill_conf(struct taskwork *w)
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
			   .project = facts_project(&w->setup.spec),
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
		.settings = taskwork_settings(w),
		.interrupt_fd = w->interrupt,
		.events = json ? view_json_events() : view_events(),
		.ctx = json ? (void *)&w->json : (void *)&w->view,
	};
	w->conf.model.abort_fd = w->interrupt;
	w->conf.aside = ticker_aside(&w->ticker);
	w->conf.told = inbox_told;
	w->conf.told_ctx = &w->inbox;
}

/* One that somebody chose: without it the model would be told so at each command. */
static int try_shell(const struct taskwork *w, struct err *e)
{
	const struct config_value *v = &w->app->config->v[CONFIG_SHELL_COMMAND];
	int r = v->text ? tool_shell_begin(w->tools, e) : 0;

	if (r == 0)
		return 0;
	err_wrap(e, "shell-command");
	return v->from != CONFIG_FROM_BOX
		       ? r
		       : err_hint(e, "'cubby unset shell-command' takes it back");
}

static int make_tools(struct taskwork *w, struct err *e)
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

	r = imagerun_env(w->app, w->setup.spec.image, &w->image, e);
	if (r < 0)
		return r;
	conf.env = (const char *const *)w->image.env.v;
	r = toolbox_new(&conf, &w->tools, e) ?: try_shell(w, e);
	if (r < 0)
		return r;
	render_notes(w->app, toolbox_notes(w->tools));
	w->waiting = (struct waiting){ .review = REVIEW(&w->setup.dir, &w->setup.spec),
				       .reviews = box_reviews(w->setup.box),
				       .cwd = w->setup.place.cwd,
				       .tools = w->tools,
				       .log = w->log,
				       .config = c };
	r = waiting_offer(&w->waiting, e);
	return r < 0 ? r : ticker_add(&w->ticker, tool_watch_aside(w->tools), e);
}

/* They get ready while the box is looked at. */
static int make_servers(struct taskwork *w, struct err *e)
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
static int watch_terminal(struct taskwork *w, struct err *e)
{
	int r;

	if (w->view.footer.cols && !w->app->json) {
		w->ticker.tick = view_tick;
		w->ticker.resized = view_resized;
		w->ticker.keys = view_keys;
		w->ticker.moved = view_moved;
		w->ticker.terminal = w->view.footer.fd;
		w->ticker.ctx = &w->view;
	}
	r = ticker_open(&w->ticker, e);
	w->view.away = w->ticker.away;
	return r;
}

/* What the person permitted for the directory, or for all; known when the box is. */
static void ask_permitted(struct taskwork *w)
{
	for (const char *const *p = config_list(w->app->config, CONFIG_ALWAYS); *p; p++)
		ask_permit(&w->ask, *p);
}

int prepare_task(struct taskwork *w, struct err *e)
{
	int r;

	r = proc_path_settle(e); /* before there are threads */
	if (r < 0)
		return r;
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
	w->ask.tools = w->tools;
	ask_permitted(w);
	boxwords_begin(&w->boxwords, &w->setup.dir, w->project);
	if (w->setup.spec.project_mode == PROJECT_LIVE)
		gitnews_begin(&w->gitnews, w->project);
	fill_conf(w);
	return 0;
}
