#include <errno.h>

#include "base/num.h"
#include "cli/box/detach.h"
#include "cli/box/run.h"
#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/show/linejson.h"

struct args {
	const char *pid;
	bool follow, raw;
};

enum { KEY_RAW = 0x3000 };

static const struct argp_option options[] = {
	{ "follow", 'f', NULL, 0, "go on with what comes", 0 },
	{ "raw", KEY_RAW, NULL, 0,
	  "pass all of it to the terminal, not only what draws", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *a = state->input;
	uint64_t pid;

	switch (key) {
	case 'f':
		a->follow = true;
		return 0;
	case KEY_RAW:
		a->raw = true;
		return 0;
	case ARGP_KEY_ARG:
		if (a->pid)
			return cmd_bad(state, "unexpected word '%s'", arg);
		if (num_range(arg, 1, INT32_MAX, &pid) < 0 && !spec_name_valid(arg))
			return cmd_bad(state,
				       "'%s' is no process number, nor the name of "
				       "a service",
				       arg);
		a->pid = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[PID|SERVICE]",
	.doc = "Show what a command that 'cubby exec --detach' left in the box has "
	       "printed, or a service of .cubby/box.json; without a word the one that "
	       "printed last.",
};

static int nothing(const struct app *app, const char *pid)
{
	struct err e = ERR_NONE;

	err_set(&e, -ENOENT, "no command was detached%s%s", pid ? " with number " : "",
		pid ? pid : "");
	return cmd_fail(app, &e, CMD_FAILED);
}

static int run(struct app *app, int argc, char **argv)
{
	_cleanup_words_ struct words words = WORDS_NONE;
	_cleanup_boxsetup_ struct boxsetup setup;
	_cleanup_linejson_ struct linejson lines;
	const struct opt_box o = { .wipe = false };
	struct args a = { .follow = false };
	struct boxrun what = { .tty = false };
	struct err e = ERR_NONE;
	int r;

	linejson_init(&lines);
	boxsetup_init(&setup);
	r = cmd_parse(app, &cmd_logs, argc, argv, &a);
	if (r != CMD_GO)
		return r;
	r = detach_logs(a.pid, a.follow, &words);
	if (r < 0) {
		err_sys(&e, r, "cannot read the logs");
		return cmd_fail(app, &e, CMD_FAILED);
	}
	if (boxsetup_find(app, &setup, &e) < 0)
		return cmd_fail(app, &e, CMD_CUBBY);
	what.raw = a.raw;
	what.argv = words_list(&words);
	if (app->json) {
		what.filter = linejson_feed;
		what.filter_ctx = &lines;
	}
	r = boxrun_command(app, &o, &what);
	return r == DETACH_STATUS ? nothing(app, a.pid) : r;
}

const struct cmd cmd_logs = {
	.name = "logs",
	.summary = "show what detached commands have printed",
	.argp = &argp,
	.config = true,
	.run = run,
};
