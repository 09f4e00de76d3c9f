#include <string.h>
#include <unistd.h>

#include "cli/opt/box.h"
#include "cli/opt/cmd.h"
#include "cli/run/boxrun.h"
#include "cli/show/tty.h"

struct args {
	struct opt_box box;
	struct signing_args signing;
	bool tty, no_tty, detach, raw, interactive;
	const char *workdir; /* NULL = where the person is */
	char **command;	     /* borrowed from argv, NULL-ended */
};

/* What reads and writes text in a row of pipes, and has no use for a terminal. */
static bool is_filter(const char *command)
{
	static const char *const names[] = { "awk",  "base64", "cat", "cut", "gzip",
					     "grep", "head",   "jq",  "sed", "sort",
					     "tail", "tar",    "tee", "tr",  "uniq",
					     "wc",   "xargs",  "xz",  "zcat" };
	const char *slash = strrchr(command, '/');

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(names[i], slash ? slash + 1 : command) == 0)
			return true;
	return false;
}

static bool wants_tty(const struct app *app, const struct args *a)
{
	if (a->tty || a->no_tty || a->detach || app->json)
		return a->tty;
	return tty_is(STDIN_FILENO) && tty_is(STDOUT_FILENO) && tty_is(STDERR_FILENO) &&
	       !(a->command && is_filter(a->command[0]));
}

static int work(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;
	struct boxrun what = { .argv = (const char *const *)a->command,
			       .tty = wants_tty(app, a),
			       .cwd = a->workdir,
			       .detach = a->detach,
			       .raw = a->raw,
			       .signing = &a->signing };

	/* An image that is named may have a command of its own. */
	if (!a->command && app->config->v[CONFIG_IMAGE].from != CONFIG_FROM_FLAG)
		return err_set(e, -EINVAL,
			       "a command is missing; 'cubby shell' is a shell");
	return boxrun_command(app, &a->box, &what);
}

static int check(struct app *, void *args, struct err *e)
{
	const struct args *a = args;

	if (a->command && !*a->command[0])
		return err_set(e, -EINVAL, "the command is empty");
	if (a->tty && a->no_tty)
		return err_set(e, -EINVAL, "--tty and --no-tty exclude each other");
	if (a->detach && a->tty)
		return err_set(e, -EINVAL, "--detach and --tty exclude each other");
	if (a->detach && a->signing.hosts.n)
		return err_set(
			e, -EINVAL,
			"--detach and --ssh-agent exclude each other: a person is "
			"asked");
	if (a->detach && a->box.rm)
		return err_set(e, -EINVAL, "--detach and --rm exclude each other");
	return 0;
}

static const struct cmd_option options[] = {
	{ "tty", 't', NULL,
	  "give the command a terminal; without it one that is run on a terminal has "
	  "one, unless it is known for a filter",
	  CMD_FLAG(struct args, tty) },
	{ "no-tty", 0, NULL, "give it pipes, also on a terminal",
	  CMD_FLAG(struct args, no_tty) },
	{ "workdir", 'w', "DIR", "where it runs (default: here)",
	  CMD_TEXT(struct args, workdir) },
	{ "detach", 'd', NULL,
	  "leave it running in the box and print its number; 'cubby logs' shows its "
	  "output",
	  CMD_FLAG(struct args, detach) },
	{ "raw", 0, NULL,
	  "pass all that it writes to the terminal, not only what draws",
	  CMD_FLAG(struct args, raw) },
	{ "interactive", 'i', NULL,
	  "accepted for habit: input is connected in any case",
	  CMD_FLAG(struct args, interactive) },
	{ 0 },
};

const struct cmd cmd_exec = {
	.name = "exec",
	.group = CMD_INSIDE,
	.summary = "run one command in the box",
	.words = "[--] COMMAND [ARG...]\n--image IMAGE",
	.doc = "Run one command in the box of this directory, with standard input, "
	       "output and error of this one, and its own exit status; 125 if cubby "
	       "fails, 126 if the command cannot be run, 127 if it is not found, "
	       "128+N if signal N killed it. With --image and without COMMAND: what "
	       "the image says is to be run, as its user, in its directory.",
	.options = options,
	.tables = { OPT_BOX(struct args, box), SIGNING(struct args, signing) },
	.operands = { CMD_REST(struct args, command) },
	.size = sizeof(struct args),
	.tail = true,
	.config = true,
	.usage = CMD_CUBBY,
	.failed = CMD_CUBBY,
	.check = check,
	.work = work,
};
