#include <limits.h>

#include "base/num.h"
#include "cli/opt/box.h"
#include "cli/opt/cmd.h"
#include "cli/opt/task.h"
#include "cli/task/context.h"
#include "cli/task/detached.h"
#include "cli/task/run.h"

struct args {
	struct opt_box box;
	struct opt_task task;
	const char *name;
	bool back, detach;
	unsigned rounds_back;
	const char *message; /* for the model, before it goes on */
};

static int work(struct app *app, void *args, struct err *e)
{
	struct args *a = args;
	_cleanup_buf_ struct buf said = BUF_INIT(CONTEXT_SAID_MAX);
	int r = context_said(&a->message, &said, e);
	const struct taskrun what = { .box = &a->box,
				      .task = &a->task,
				      .resume_last = true,
				      .resume = a->name,
				      .back = a->back,
				      .rounds_back = a->rounds_back,
				      .text = a->message };

	if (r < 0)
		return r;
	return a->detach ? detached_run(app, &what) : taskrun_do(app, &what);
}

static int take_at(struct app *, void *args, const char *word, struct err *e)
{
	struct args *a = args;
	uint64_t n;

	if (num_range(word, 0, UINT_MAX, &n) < 0)
		return err_set(
			e, -EINVAL,
			"bad number of turns '%s'; 'cubby rewind --list' lists them",
			word);
	a->back = true;
	a->rounds_back = (unsigned)n;
	return 0;
}

static int check(struct app *, void *args, struct err *e)
{
	const struct args *a = args;

	if (a->box.wipe)
		return err_set(e, -EINVAL, "--wipe: the task's work would be gone");
	if (a->task.replay)
		return err_set(e, -EINVAL, "--replay: a task is resumed or replayed");
	return 0;
}

static const struct cmd_option options[] = {
	{ "at", 0, "N",
	  "go back first: the conversation and the project as they were after N turns",
	  CMD_CALL(take_at) },
	{ "detach", 'd', NULL,
	  "leave the task to itself once it goes on, and show its name",
	  CMD_FLAG(struct args, detach) },
	{ "message", 'm', "TEXT",
	  "tell the model TEXT (-: standard input) before it goes on",
	  CMD_TEXT(struct args, message) },
	{ 0 },
};

static const struct args begin = { .box.project = PROJECT_REVIEW };

const struct cmd cmd_resume = {
	.name = "resume",
	.group = CMD_TASKS,
	.summary = "go on with a task that was interrupted",
	.words = "[TASK]",
	.doc = "Go on with a task of this directory's box from its last clean point, "
	       "after ^C, a crash or a limit, with the model, limits and options that "
	       "it had. Without TASK the newest one; 'cubby log' lists them.",
	.options = options,
	.tables = { OPT_TASK(struct args, task), OPT_BOX(struct args, box) },
	.operands = { CMD_TEXT(struct args, name) },
	.size = sizeof(struct args),
	.begin = &begin,
	.config = true,
	.check = check,
	.work = work,
};
