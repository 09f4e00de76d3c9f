#include <unistd.h>

#include "base/embed.h"
#include "cli/opt/box.h"
#include "cli/opt/cmd.h"
#include "cli/run/boxrun.h"
#include "cli/show/tty.h"

struct args {
	struct opt_box box;
	struct signing_args signing;
	bool raw;
};

EMBED(shell_best, "cli/cmd/inside/shell.sh");

static int work(struct app *app, void *args, struct err *)
{
	const struct args *a = args;
	const char *const shell = config_text(app->config, CONFIG_SHELL_COMMAND);
	const char *const chosen[] = { shell, "-l", NULL };
	const char *const best[] = { "sh", "-c", shell_best, NULL };
	const struct boxrun what = { .argv = shell ? chosen : best,
				     .raw = a->raw,
				     .tty = tty_is(STDIN_FILENO),
				     .signing = &a->signing };

	return boxrun_command(app, &a->box, &what);
}

static int no_words(struct app *, void *, const char *word, struct err *e)
{
	return err_set(e, -EINVAL,
		       "unexpected word '%s'; 'cubby exec %s' runs a command", word,
		       word);
}

static const struct cmd_option options[] = {
	{ "shell-command", 0, "PATH",
	  "the shell (default: bash, or sh where the image has none)",
	  CMD_CONFIG(CONFIG_SHELL_COMMAND) },
	{ "raw", 0, NULL, "pass all that comes to the terminal, not only what draws",
	  CMD_FLAG(struct args, raw) },
	{ 0 },
};

const struct cmd cmd_shell = {
	.name = "shell",
	.group = CMD_INSIDE,
	.summary = "look around in the box with a shell of your own",
	.doc = "A login shell for a person in the box of this directory. Without a "
	       "terminal the shell reads its commands from standard input.",
	.options = options,
	.tables = { OPT_BOX(struct args, box), SIGNING(struct args, signing) },
	.operands = { CMD_CALL(no_words) },
	.size = sizeof(struct args),
	.config = true,
	.usage = CMD_CUBBY,
	.work = work,
};
