#include <errno.h>

#include "base/num.h"
#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/run/boxrun.h"
#include "cli/run/detach.h"
#include "cli/show/linejson.h"

struct args {
	const char *pid;
	bool follow, raw;
};

static int work(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;
	_cleanup_words_ struct words words = WORDS_NONE;
	_cleanup_boxsetup_ struct boxsetup setup = BOXSETUP_NONE;
	_cleanup_linejson_ struct linejson lines;
	const struct opt_box o = { .wipe = false };
	struct boxrun what = { .raw = a->raw };
	int r = detach_logs(a->pid, a->follow, &words);

	linejson_init(&lines);
	if (r < 0)
		return err_sys(e, r, "cannot read the logs");
	if (boxsetup_find(app, &setup, e) < 0)
		return cmd_fail(app, e, CMD_CUBBY);
	what.argv = words_list(&words);
	if (app->json) {
		what.filter = linejson_feed;
		what.filter_ctx = &lines;
	}
	r = boxrun_command(app, &o, &what);
	if (r != DETACH_STATUS)
		return r;
	return err_set(e, -ENOENT, "no command was detached%s%s",
		       a->pid ? " with number " : "", a->pid ? a->pid : "");
}

static int check_pid(struct app *app, void *args, const char *word, struct err *e)
{
	uint64_t pid;

	(void)app, (void)args;
	if (num_range(word, 1, INT32_MAX, &pid) < 0 && !spec_name_valid(word))
		return err_set(e, -EINVAL,
			       "'%s' is no process number, nor the name of a service",
			       word);
	return 0;
}

static const struct cmd_option options[] = {
	{ "follow", 'f', NULL, "go on with what comes", CMD_FLAG(struct args, follow) },
	{ "raw", 0, NULL, "pass all of it to the terminal, not only what draws",
	  CMD_FLAG(struct args, raw) },
	{ 0 },
};

const struct cmd cmd_logs = {
	.name = "logs",
	.group = CMD_INSIDE,
	.summary = "show what detached commands have printed",
	.words = "[PID|SERVICE]",
	.doc = "Show what a command that 'cubby exec --detach' left in the box has "
	       "printed, or a service of .cubby/box.json; without a word the one that "
	       "printed last.",
	.options = options,
	.operands = { CMD_TEXT_IF(struct args, pid, check_pid) },
	.size = sizeof(struct args),
	.config = true,
	.work = work,
};
