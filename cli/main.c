#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/sys/sys.h"
#include "cli/commands.h"
#include "cli/opt/cmd.h"
#include "cli/opt/cmdline.h"
#include "cli/opt/config.h"
#include "cli/opt/habits.h"
#include "cli/opt/help.h"
#include "cli/opt/manual.h"
#include "cli/show/tty.h"
#include "cli/store/hostpath.h"
#include "cli/store/place.h"
#include "cli/task/context.h"
#include "rootfs/store/store.h"
#include "runtime/gate/gate.h"
#include "runtime/monitor/monitor.h"
#include "runtime/signer/signer.h"
#include "runtime/worker/worker.h"

static bool wants_color(int fd)
{
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR");

	return sys_isatty(fd) == 0 && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

static void app_init(struct app *app, struct config *config, struct store *store)
{
	*app = (struct app){
		.config = config,
		.store = store,
		.out = stdout,
		.err = stderr,
		.now_ms = sys_now_ms,
		.of_box = cmd_of_box,
		.pass_over = place_pass_over,
		.read_named = hostpath_read,
		.real_named = hostpath_meant,
		.name = "cubby",
		.color_out = wants_color(STDOUT_FILENO),
		.color_err = wants_color(STDERR_FILENO),
		.live = sys_isatty(STDERR_FILENO) == 0,
	};
}

/* One word alone is never a task, which costs money; nor is what is nearly a command, or one
 * of docker's. */
static int unknown_command(const struct app *app, const char *word)
{
	const char *near = cmd_near(app->commands, word), *habit = habits_command(word);
	const char *hint = "'cubby help' lists them";
	struct err e = ERR_NONE;
	char nearest[64];

	if (near) {
		snprintf(nearest, sizeof(nearest), "did you mean '%s'?", near);
		hint = nearest;
	}
	err_set(&e, -EINVAL,
		"unknown command '%s'; %s (cubby run '%s' makes it a task)", word,
		habit ? habit : hint, word);
	return cmd_fail(app, &e, CMD_USAGE);
}

static bool is_task(const struct cmdline *l, const char *first)
{
	if (strcmp(first, "-c") == 0 || strcmp(first, "--continue") == 0)
		return true;
	if (!l->word || !*l->word || strpbrk(l->word, " \t\n"))
		return true;
	if (l->words == 1 && strcmp(l->word, "-") == 0)
		return true;
	return !cmd_near(commands_table, l->word) &&
	       !habits_only(l->word, l->second, l->words) &&
	       (l->words > 1 || context_waits(STDIN_FILENO));
}

static int no_page(const struct app *app, const char *word)
{
	_cleanup_buf_ struct buf page = BUF_INIT(64);
	const char *near = cmd_near(app->commands, word);
	struct err e = ERR_NONE;

	err_set(&e, -EINVAL, "there is no command or page '%s'", word);
	if (!near && manual_near_topic(word, &page))
		near = buf_cstr(&page);
	if (near)
		err_hint(&e, "did you mean '%s'?", near);
	else
		err_hint(&e, "'cubby help' lists them");
	return cmd_fail(app, &e, CMD_USAGE);
}

static int run_command(struct app *app, const struct cmd *c, int argc, char **argv)
{
	snprintf(app->name, sizeof(app->name), "cubby %s", c->name);
	return cmd_do(app, c, argc, argv);
}

/* "help", "help COMMAND", "help PAGE". */
static int show_help(struct app *app, const char *about, char *self)
{
	char *again[] = { self, (char[]){ "-h" }, NULL };

	app->manual = true;
	if (about && cmd_find(app->commands, about))
		return run_command(app, cmd_find(app->commands, about), 2, again);
	if (about && manual_show_topic(app, about))
		return CMD_DONE;
	if (about)
		return no_page(app, about);
	help_short(app);
	return CMD_DONE;
}

/* "help me write a test" is a task. */
static bool is_help(const struct cmdline *l)
{
	return l->words && l->words <= 2 && strcmp(l->word, "help") == 0 &&
	       !(l->second && strchr(l->second, ' '));
}

static int dispatch(struct app *app, int argc, char **argv)
{
	const struct cmdline l = cmdline_read(app->commands, &cmd_run, argc, argv);
	const bool talk = argc == 1 && app->live && tty_is(STDIN_FILENO);
	const char *first = argc > 1 ? argv[1] : talk ? "" : "-h";

	app->json = l.json;
	if (l.cmd)
		return run_command(app, l.cmd, argc - 1, argv + 1);
	if (strcmp(first, "-h") == 0 || strcmp(first, "--help") == 0)
		return show_help(app, NULL, argv[0]);
	if (is_help(&l))
		return show_help(app, l.second, argv[0]);
	if (!is_task(&l, first))
		return unknown_command(app, l.word);
	return cmd_do(app, &cmd_run, argc, argv);
}

/* Processes of our own: each is a fresh execution of this binary (runtime/worker/worker.c),
 * and no command that anybody types. */
static const struct own {
	const char *word;
	int (*run)(int argc, char **argv);
} own[] = {
	{ "__gate", gate_main },
	{ "__helper", worker_main },
	{ "__monitor", monitor_main },
	{ "__signer", signer_main },
};

static const struct own *find_own(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < ARRAY_SIZE(own); i++)
		if (strcmp(argv[1], own[i].word) == 0)
			return &own[i];
	return NULL;
}

/* A standard stream that is closed would give its number to the next thing opened, and
 * that would be copied from or written to. Opened the wrong way round, reading and
 * writing it fail as before. */
static void hold_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (sys_getfl(fd) == -EBADF)
			(void)sys_open("/dev/null", O_RDONLY); /* the lowest: it */
}

/* Where the caller has it ignored, the kernel keeps no status of children (wait(2)). */
static void hear_of_children(void)
{
	struct sigaction plain = { .sa_handler = SIG_DFL };

	(void)sys_sigaction(SIGCHLD, &plain, NULL);
}

/* A result that nobody got is no success. */
static int close_output(const struct app *app, int status)
{
	bool failed = ferror(stdout);
	struct err e = ERR_NONE;

	errno = EIO;
	if ((fflush(stdout) == 0 && !failed) || status != CMD_DONE)
		return status;
	err_sys(&e, -errno, "cannot write standard output");
	return cmd_fail(app, &e, CMD_FAILED);
}

static int run_client(int argc, char **argv)
{
	_cleanup_store_ struct store store = STORE_NONE;
	_cleanup_config_ struct config config;
	struct app app;
	int status;

	hold_streams();
	hear_of_children();
	setvbuf(stderr, NULL, _IOLBF, 0); /* a line goes out in one piece */
	config_init(&config);
	app_init(&app, &config, &store);
	app.commands = commands_table;
	status = dispatch(&app, argc, argv);
	return close_output(&app, status);
}

int main(int argc, char **argv)
{
	const struct own *self = find_own(argc, argv);

	return self ? self->run(argc - 1, argv + 1) : run_client(argc, argv);
}
