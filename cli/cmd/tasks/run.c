#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "cli/opt/box.h"
#include "cli/opt/cmd.h"
#include "cli/opt/task.h"
#include "cli/opt/words.h"
#include "cli/show/render.h"
#include "cli/show/tty.h"
#include "cli/task/context.h"
#include "cli/task/detached.h"
#include "cli/task/run.h"

enum { TASK_TEXT_MAX = 1 << 20 }; /* bytes */

struct args {
	struct opt_box box;
	struct opt_task task;
	struct words words; /* owned */
	bool go_on;	    /* with the newest task */
	bool detach;
};

/* Somebody is there to talk with. */
static bool can_talk(const struct app *app)
{
	return !app->json && !app->quiet && app->live && tty_is(STDIN_FILENO);
}

static bool is_stdin(const struct words *w)
{
	return w->n == 1 && strcmp(w->v[0], "-") == 0;
}

/* The words with blanks between; "-" alone is standard input. */
static int task_text(const struct words *w, struct buf *ret, struct err *e)
{
	int r = 0;

	if (is_stdin(w)) {
		r = file_read_fd(STDIN_FILENO, ret, e);
		if (r < 0)
			return err_wrap(e, "cannot read the task");
	}
	for (size_t i = 0; r == 0 && i < w->n && !is_stdin(w); i++)
		r = buf_addf(ret, "%s%s", i ? " " : "", w->v[i]);
	if (r < 0)
		return err_sys(e, r, "cannot read the task");
	while (ret->len && strchr(" \t\r\n", ret->data[ret->len - 1]))
		buf_truncate(ret, ret->len - 1);
	return ret->len ? 0 : err_set(e, -EINVAL, "the task is empty");
}

static int work(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;
	_cleanup_buf_ struct buf text = BUF_INIT(TASK_TEXT_MAX);
	struct taskrun what = { .box = &a->box,
				.task = &a->task,
				.resume_last = a->go_on,
				.talk = !a->words.n && !a->task.replay };
	int r;

	if (a->words.n) { /* a replay brings its own */
		if (task_text(&a->words, &text, e) < 0)
			return cmd_fail(app, e, CMD_USAGE);
		r = is_stdin(&a->words) ? 0 : context_read(STDIN_FILENO, &text, e);
		if (r == -ETIMEDOUT)
			render_note(app, "%s; </dev/null tells that there is none",
				    e->msg);
		else if (r < 0)
			return cmd_fail(app, e, CMD_USAGE);
		what.text = buf_cstr(&text);
	}
	return a->detach ? detached_run(app, &what) : taskrun_do(app, &what);
}

static int check(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;
	bool task = a->words.n || a->task.replay;

	if (a->go_on && (a->task.replay || a->box.wipe))
		return err_set(e, -EINVAL, "--continue: the task's work would be gone");
	if (a->detach && !task && !a->go_on)
		return err_set(
			e, -EINVAL,
			"--detach: a task is missing, such as \"run the tests\"");
	if (!task && a->task.schema)
		return err_set(
			e, -EINVAL,
			"--schema: a task is missing, such as \"list the ports\"");
	if (!task && !can_talk(app))
		return err_set(e, -EINVAL,
			       "a task is missing, such as \"run the tests\"");
	return 0;
}

static const struct cmd_option options[] = {
	{ "continue", 'c', NULL, "go on with the last task of this box",
	  CMD_FLAG(struct args, go_on) },
	{ "detach", 'd', NULL,
	  "leave the task to itself once it has begun, and show its name",
	  CMD_FLAG(struct args, detach) },
	{ 0 },
};

static const struct args begin = { .box.project = PROJECT_REVIEW };

const struct cmd cmd_run = {
	.name = "run",
	.group = CMD_TASKS,
	.summary = "do a task in this directory's box (the default)",
	.words = "[TASK]",
	.doc = "Do a task in the box of this directory. A TASK of '-' is read from "
	       "standard input, and without one a terminal is asked line by line.",
	.options = options,
	.tables = { OPT_TASK(struct args, task), OPT_BOX(struct args, box) },
	.operands = { CMD_LIST(struct args, words) },
	.size = sizeof(struct args),
	.begin = &begin,
	.config = true,
	.check = check,
	.work = work,
};
