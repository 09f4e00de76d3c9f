#include <limits.h>

#include "base/num.h"
#include "cli/opt/box.h"
#include "cli/opt/cmd.h"
#include "cli/opt/task.h"
#include "cli/task/run.h"

enum { KEY_AT = 0x3300 };

struct args {
	struct opt_box box;
	struct opt_task task;
	const char *name;
	bool back;
	unsigned rounds_back;
	const char *message; /* for the model, before it goes on */
};

static const struct argp_option options[] = {
	{ "at", KEY_AT, "N", 0,
	  "go back first: the conversation and the project as they were after N turns",
	  0 },
	{ "message", 'm', "TEXT", 0, "tell the model TEXT before it goes on", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *a = state->input;
	uint64_t n;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->task;
		state->child_inputs[1] = &a->box;
		return 0;
	case KEY_AT:
		if (num_u64(arg, &n) < 0 || n > UINT_MAX)
			return cmd_bad(state, "--at: bad number of turns '%s'", arg);
		a->back = true;
		a->rounds_back = (unsigned)n;
		return 0;
	case 'm':
		a->message = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (a->name)
			return cmd_bad(state, "unexpected word '%s'", arg);
		a->name = arg;
		return 0;
	case ARGP_KEY_END:
		if (a->box.wipe)
			return cmd_bad(state, "--wipe: the task's work would be gone");
		if (a->task.replay)
			return cmd_bad(state,
				       "--replay: a task is resumed or replayed");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[TASK]",
	.doc = "Go on with a task of this directory's box from its last clean point, "
	       "after "
	       "^C, a crash or a limit, with the model, limits and options that it "
	       "had. Without TASK the newest one; 'cubby log' lists "
	       "them.",
	.children = opt_task_children,
};

static int run(struct app *app, int argc, char **argv)
{
	struct args a = { .box.project = PROJECT_REVIEW };
	struct taskrun what = { .box = &a.box, .task = &a.task, .resume_last = true };
	int r;

	r = cmd_parse(app, &cmd_resume, argc, argv, &a);
	if (r != CMD_GO)
		return r;
	what.resume = a.name;
	what.back = a.back;
	what.rounds_back = a.rounds_back;
	what.text = a.message;
	r = taskrun_do(app, &what);
	words_done(&a.task.attach);
	return r;
}

const struct cmd cmd_resume = {
	.name = "resume",
	.summary = "go on with a task that was interrupted",
	.argp = &argp,
	.config = true,
	.run = run,
};
