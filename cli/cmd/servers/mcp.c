/* Theory of operation
 *
 * Standard output belongs to the protocol: the server gets a copy of it, and descriptor
 * 1 becomes standard error before anything else runs, so that nothing can slip between
 * two frames. The box is opened with the first call of a tool, for a client lists the
 * tools of many servers that it then never uses; a box that is gone is opened anew by
 * the next call. A start may take minutes (an image is pulled): a child does it, and
 * requests are answered meanwhile. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/mcp/mcp.h"
#include "agent/tool/own.h"
#include "agent/tool/tool.h"
#include "base/inroot.h"
#include "base/signals.h"
#include "base/sys/sys.h"
#include "cli/box/acting.h"
#include "cli/box/ahead.h"
#include "cli/box/imagerun.h"
#include "cli/box/setup.h"
#include "cli/opt/box.h"
#include "cli/opt/cmd.h"
#include "cli/show/render.h"
#include "cli/store/place.h"
#include "cli/task/modelpick.h"

struct args {
	struct opt_box box;
};

/* The box and its tools; nothing of it is there before the first call. */
struct host {
	struct app *app;	       /* borrowed */
	const struct opt_box *options; /* borrowed */
	bool open;
	struct boxsetup box;			    /* owned */
	struct imagerun image;			    /* owned; borrowed by the toolbox */
	struct toolbox *toolbox;		    /* owned */
	const char *secrets[MODELPICK_SECRETS + 1]; /* borrowed by the toolbox */
};

static int host_close(struct host *h, struct err *e)
{
	int r = 0;

	toolbox_free(&h->toolbox);
	if (h->open) {
		r = boxsetup_finish(&h->box, e);
		boxsetup_done(&h->box);
	}
	imagerun_done(&h->image);
	h->open = false;
	return r;
}

static int open_toolbox(struct host *h, const struct mcp_hooks *hooks, struct err *e)
{
	const struct config *c = h->app->config;
	_cleanup_close_ int project =
		inroot_open_real(h->box.spec.project, O_RDONLY | O_DIRECTORY);
	struct toolbox_conf conf = {
		.box = h->box.box,
		.project = h->box.spec.project,
		.project_fd = project,
		.cwd = h->box.place.cwd,
		.shell = config_text(c, CONFIG_SHELL_COMMAND),
		.user = config_text(c, CONFIG_USER),
		.secrets = h->secrets,
		.command_timeout_ms = config_num(c, CONFIG_COMMAND_TIMEOUT),
		.on_error = (enum session_on_error)config_num(c, CONFIG_ON_ERROR),
		.output = hooks->output,
		.ctx = hooks->ctx,
		.terminal_fd = -1,
		.interrupt_fd = hooks->interrupt_fd,
		.aside = hooks->aside,
	};
	int r = imagerun_env(h->box.app, h->box.spec.image, &h->image, e);

	if (r < 0)
		return r;
	conf.env = (const char *const *)h->image.env.v;
	return toolbox_new(&conf, &h->toolbox, e);
}

/* The box starts in a child; until then requests are read and answered. */
static int start_ahead(struct host *h, const struct mcp_hooks *hooks,
		       struct boxahead *ret, struct err *e)
{
	int r = boxahead_start(h->app, h->options, &(struct boxahead_conf){ 0 }, ret,
			       e);
	struct pollfd p[] = { { .fd = ret->said, .events = POLLIN },
			      { .fd = hooks->aside.fd, .events = POLLIN },
			      { .fd = hooks->interrupt_fd, .events = POLLIN } };

	while (r >= 0) {
		r = sys_poll(p, ARRAY_SIZE(p), -1);
		if (r == -EINTR)
			r = 0;
		else if (r > 0 && p[0].revents)
			return boxahead_result(ret, e);
		else if (r > 0 && p[2].revents)
			return err_set(e, -ECANCELED, "the start of the box was ended");
		else if (r > 0)
			hooks->aside.ready(hooks->aside.ctx);
		else if (r < 0)
			return err_sys(e, r, "cannot wait for the box");
	}
	return r;
}

static int host_open(struct host *h, const struct mcp_hooks *hooks, struct err *e)
{
	_cleanup_boxahead_ struct boxahead ahead = BOXAHEAD_NONE;
	struct opt_box join = *h->options;
	int r;

	hooks->note(hooks->ctx, "opening the box");
	r = start_ahead(h, hooks, &ahead, e);
	if (r < 0)
		return r;
	join.wipe = join.unlink = false; /* that is done */
	h->box = BOXSETUP(h->app);
	h->open = true;
	r = boxsetup_open(&join, &h->box, e);
	if (r >= 0)
		r = open_toolbox(h, hooks, e);
	if (r < 0)
		(void)host_close(h, ERR_IGNORED);
	return r;
}

static int run_tool(void *ctx, const struct mcp_hooks *hooks, const char *name,
		    const struct json *args, struct tool_result *ret, struct err *e)
{
	struct host *h = ctx;
	int r = h->open ? 0 : host_open(h, hooks, e);

	if (r < 0)
		return r;
	r = tool_run(h->toolbox, name, args, ret, e);
	if (r < 0) /* the next call begins with a new one */
		(void)host_close(h, ERR_IGNORED);
	return r;
}

static struct aside idle(void *ctx)
{
	const struct host *h = ctx;

	return tool_watch_aside(h->toolbox);
}

/* Takes standard input and output away from everybody else. */
static int take_streams(int *in, int *out)
{
	_cleanup_close_ int null = sys_open("/dev/null", O_RDWR);
	int r;

	if (null < 0)
		return null;
	*in = sys_dup(STDIN_FILENO, STDERR_FILENO + 1);
	if (*in < 0)
		return *in;
	*out = sys_dup(STDOUT_FILENO, STDERR_FILENO + 1);
	if (*out < 0)
		return *out;
	r = sys_dup2(null, STDIN_FILENO);
	return r < 0 ? r : sys_dup2(STDERR_FILENO, STDOUT_FILENO);
}

static int instructions(const struct app *app, char **ret)
{
	_cleanup_free_ char *dir = realpath(app->dir ? app->dir : ".", NULL);
	int n = asprintf(
		ret,
		"These tools act in a sealed Linux machine (a container) that "
		"belongs to the directory '%s'. That directory is mounted there "
		"under the same path and as /workspace; nothing else of the host "
		"can be seen. You are root in it and may install software; what "
		"is installed stays for later sessions.",
		dir ? dir : ".");

	return n < 0 ? -ENOMEM : 0;
}

/* Those of the project are listed before there is a box. Where it cannot be found now, the
 * start of its box says why. */
static int load_tools(const struct app *app, struct toolset *ret, struct err *e)
{
	_cleanup_buf_ struct buf notes = BUF_INIT(64 << 10);
	_cleanup_spec_ struct spec s = SPEC_NONE;
	_cleanup_close_ int project = -1;
	struct place_found p;
	int r = toolset_load(ret, e);

	if (r < 0 || place_open(app, ERR_IGNORED) < 0 ||
	    place_find(app, &s, &p, ERR_IGNORED) < 0)
		return r;
	project = inroot_open_real(s.project, O_RDONLY | O_DIRECTORY);
	if (project >= 0)
		r = own_load(ret, project, &notes, e);
	render_notes(app, buf_cstr(&notes));
	return r;
}

static int serve(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;
	_cleanup_close_ int in = -1, out = -1, stop = -1;
	_cleanup_acting_ struct acting acting = ACTING_NONE;
	_cleanup_free_ char *text = NULL;
	_cleanup_toolset_ struct toolset set = { 0 };
	struct host h = { .app = app, .options = &a->box };
	struct mcp_conf conf = {
		.version = CUBBY_VERSION, .run = run_tool, .idle = idle, .ctx = &h
	};
	int r = take_streams(&in, &out), end;

	modelpick_secrets(app->config, h.secrets);
	if (r >= 0)
		r = stop = signals_watch((const int[]){ SIGTERM, SIGINT, SIGHUP, 0 },
					 NULL);
	if (r >= 0)
		r = instructions(app, &text);
	if (r < 0)
		return err_sys(e, r, "cannot set the server up");
	r = load_tools(app, &set, e);
	if (r < 0)
		return r;
	conf.tools = set.v;
	conf.tool_count = set.n;
	conf.in_fd = in;
	conf.out_fd = out;
	conf.stop_fd = stop;
	conf.instructions = text;
	acting_begin(app, -1, app->dir ? app->dir : ".", &acting);
	r = mcp_serve(&conf, e);
	end = host_close(&h, e);
	acting_tell(app, &acting, false);
	return r < 0 ? r : end;
}

static const struct cmd_option options[] = {
	{ "shell-command", 0, "PATH",
	  "the shell (default: bash, or sh where the image has none)",
	  CMD_CONFIG(CONFIG_SHELL_COMMAND) },
	{ "command-timeout", 0, "TIME", "return from a command that runs longer",
	  CMD_CONFIG(CONFIG_COMMAND_TIMEOUT) },
	{ "on-error", 0, "MODE",
	  "when a command of several lines fails: go-on (default), stop; or reject "
	  "such texts",
	  CMD_CONFIG(CONFIG_ON_ERROR) },
	{ 0 },
};

const struct cmd cmd_mcp = {
	.name = "mcp",
	.group = CMD_SERVERS,
	.summary = "serve the box to a program, by the Model Context Protocol",
	.doc = "Serve the box of this directory to a program that speaks the Model "
	       "Context Protocol, on standard input and output. The box starts with "
	       "the first call of a tool.",
	.options = options,
	.tables = { OPT_BOX(struct args, box) },
	.size = sizeof(struct args),
	.config = true,
	.work = serve,
};
