#include "base/num.h"
#include "cli/box/detach.h"
#include "cli/box/run.h"
#include "cli/opt/cmd.h"
#include "cli/show/linejson.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct words *pids = state->input;
	uint64_t pid;

	switch (key) {
	case ARGP_KEY_ARG:
		if (num_range(arg, 1, INT32_MAX, &pid) < 0)
			return cmd_bad(state,
				       "bad process number '%s'; 'cubby exec "
				       "--detach' printed it",
				       arg);
		return words_add(pids, arg) < 0 ? cmd_bad(state, "too many words") : 0;
	case ARGP_KEY_END:
		return pids->n ? 0 : cmd_bad(state, "a process number is missing");
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.parser = parse,
	.args_doc = "PID...",
	.doc = "Wait until commands that 'cubby exec --detach' left in the box have "
	       "ended, and print the status of each: 128+N if signal N killed it. The "
	       "status of the last one is that of this command.",
};

static int missing(const struct app *app)
{
	struct err e = ERR_NONE;

	err_set(&e, -ENOENT, "no command was detached with such a number");
	return cmd_fail(app, &e, CMD_CUBBY);
}

static int wait_for(struct app *app, const struct words *pids)
{
	_cleanup_words_ struct words words = WORDS_NONE;
	_cleanup_linejson_ struct linejson lines;
	_cleanup_boxsetup_ struct boxsetup setup;
	const struct opt_box o = { .wipe = false };
	struct boxrun what = { .tty = false };
	struct err e = ERR_NONE;
	int r;

	linejson_init(&lines);
	boxsetup_init(&setup);
	if (boxsetup_find(app, &setup, &e) < 0)
		return cmd_fail(app, &e, CMD_CUBBY);
	if (detach_wait(words_list(pids), &words) < 0) {
		err_sys(&e, -ENOMEM, "cannot wait");
		return cmd_fail(app, &e, CMD_CUBBY);
	}
	what.argv = words_list(&words);
	if (app->json) {
		what.filter = linejson_feed;
		what.filter_ctx = &lines;
	}
	r = boxrun_command(app, &o, &what);
	return r == DETACH_STATUS ? missing(app) : r;
}

static int run(struct app *app, int argc, char **argv)
{
	_cleanup_words_ struct words pids = WORDS_NONE;
	int r = cmd_parse(app, &cmd_wait, argc, argv, &pids);

	return r == CMD_GO ? wait_for(app, &pids) : r;
}

const struct cmd cmd_wait = {
	.name = "wait",
	.summary = "wait for detached commands, and tell their status",
	.argp = &argp,
	.config = true,
	.usage = CMD_CUBBY,
	.run = run,
};
