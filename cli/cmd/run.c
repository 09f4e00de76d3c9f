#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/text.h"
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

static const struct argp_option options[] = {
	{ "continue", 'c', NULL, 0, "go on with the last task of this box", 0 },
	{ "detach", 'd', NULL, 0,
	  "leave the task to itself once it has begun, and show its name", 0 },
	{ 0 },
};

/* Somebody is there to talk with. */
static bool can_talk(const struct app *app)
{
	return !app->json && !app->quiet && app->live && tty_is(STDIN_FILENO);
}

static void args_done(struct args *a)
{
	words_done(&a->words);
	words_done(&a->task.attach);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->task;
		state->child_inputs[1] = &a->box;
		return 0;
	case 'c':
		a->go_on = true;
		return 0;
	case 'd':
		a->detach = true;
		return 0;
	case ARGP_KEY_ARG:
		return words_add(&a->words, arg) < 0 ? cmd_bad(state, "too many words")
						     : 0;
	case ARGP_KEY_END:
		if (a->go_on && (a->task.replay || a->box.wipe))
			return cmd_bad(state,
				       "--continue: the task's work would be gone");
		if (a->detach && !a->words.n && !a->task.replay && !a->go_on)
			return cmd_bad(state, "--detach: a task is missing");
		if (!a->words.n && !a->task.replay && a->task.schema)
			return cmd_bad(state, "--schema: a task is missing");
		if (!a->words.n && !a->task.replay && !can_talk(cmd_app(state)))
			return cmd_bad(state, "a task is missing");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[TASK]",
	.doc = "Do a task in the box of this directory. A TASK of '-' is read from "
	       "standard input, and without one a terminal is asked line by line.",
	.children = opt_task_children,
};

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

static int run(struct app *app, int argc, char **argv)
{
	_cleanup_buf_ struct buf text = BUF_INIT(TASK_TEXT_MAX);
	_cleanup_(args_done) struct args a = { .box.project = PROJECT_REVIEW,
					       .words = WORDS_NONE };
	struct taskrun what = { .text = NULL }; /* a replay brings its own */
	struct err e = ERR_NONE;
	int r;

	r = cmd_parse(app, &cmd_run, argc, argv, &a);
	if (r != CMD_GO)
		return r;
	what.box = &a.box;
	what.task = &a.task;
	what.resume_last = a.go_on;
	what.talk = !a.words.n && !a.task.replay;
	if (a.words.n) {
		if (task_text(&a.words, &text, &e) < 0)
			return cmd_fail(app, &e, CMD_USAGE);
		r = is_stdin(&a.words) ? 0 : context_read(STDIN_FILENO, &text, &e);
		if (r == -ETIMEDOUT)
			render_note(app, "%s; </dev/null tells that there is none",
				    e.msg);
		else if (r < 0)
			return cmd_fail(app, &e, CMD_USAGE);
		what.text = buf_cstr(&text);
	}
	return a.detach ? detached_run(app, &what) : taskrun_do(app, &what);
}

const struct cmd cmd_run = {
	.name = "run",
	.summary = "do a task in this directory's box (the default)",
	.argp = &argp,
	.config = true,
	.run = run,
};
