#include "base/num.h"
#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/run/boxrun.h"
#include "cli/run/detach.h"
#include "cli/show/linejson.h"

struct args {
	struct words pids; /* owned */
};

static int wait_for(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;
	_cleanup_words_ struct words words = WORDS_NONE;
	_cleanup_linejson_ struct linejson lines;
	_cleanup_boxsetup_ struct boxsetup setup = BOXSETUP(app);
	const struct opt_box o = { .look = true };
	struct boxrun what = { .no_input = true };
	int r;

	linejson_init(&lines);
	r = boxsetup_find(&setup, e);
	if (r < 0)
		return r;
	if (detach_wait(words_list(&a->pids), &words) < 0)
		return err_sys(e, -ENOMEM, "cannot wait");
	what.argv = words_list(&words);
	if (app->json) {
		what.filter = linejson_feed;
		what.filter_ctx = &lines;
	}
	r = boxrun_command(app, &o, &what);
	return r != DETACH_STATUS
		       ? r
		       : err_set(e, -ENOENT,
				 "no command was detached with such a number; 'cubby "
				 "exec --detach' printed it");
}

static int check_pid(struct app *, void *, const char *word, struct err *e)
{
	uint64_t pid;

	return num_range(word, 1, INT32_MAX, &pid) < 0
		       ? err_set(e, -EINVAL,
				 "bad process number '%s'; 'cubby exec --detach' "
				 "printed it",
				 word)
		       : 0;
}

const struct cmd cmd_wait = {
	.name = "wait",
	.group = CMD_INSIDE,
	.summary = "wait for detached commands, and tell their status",
	.words = "PID...",
	.doc = "Wait until commands that 'cubby exec --detach' left in the box have "
	       "ended, and print the status of each: 128+N if signal N killed it. The "
	       "status of the last one is that of this command.",
	.operands = { CMD_LIST_IF(struct args, pids, check_pid) },
	.least = 1,
	.missing = "a process number is missing; 'cubby exec --detach' printed it",
	.size = sizeof(struct args),
	.config = true,
	.usage = CMD_CUBBY,
	.failed = CMD_CUBBY,
	.work = wait_for,
};
