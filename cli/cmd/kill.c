#include <signal.h>

#include "base/num.h"
#include "cli/box/ps.h"
#include "cli/box/setup.h"
#include "cli/box/signame.h"
#include "cli/opt/cmd.h"
#include "cli/opt/words.h"
#include "cli/show/render.h"

struct args {
	int signal;
	struct words pids; /* owned */
};

static const struct argp_option options[] = {
	{ "signal", 's', "SIGNAL", 0, "by name or number (default: TERM)", 0 },
	{ 0 },
};

static error_t add_pid(struct args *a, const char *arg, struct argp_state *state)
{
	uint64_t pid;

	if (num_range(arg, 1, INT32_MAX, &pid) < 0)
		return cmd_bad(state, "bad process number '%s'; 'cubby ps' lists them",
			       arg);
	return words_add(&a->pids, arg) < 0 ? cmd_bad(state, "too many words") : 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *a = state->input;

	switch (key) {
	case 's':
		if (signame_parse(arg, &a->signal) < 0)
			return cmd_bad(state, "--signal: unknown signal '%s'", arg);
		return 0;
	case ARGP_KEY_ARG:
		return add_pid(a, arg, state);
	case ARGP_KEY_END:
		return a->pids.n ? 0 : cmd_bad(state, "a process number is missing");
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "PID...",
	.doc = "Send a signal to processes in the box of this directory; -9 and -KILL "
	       "are "
	       "understood, too.",
};

static void args_done(struct args *a)
{
	words_done(&a->pids);
}

static struct json *signalled(int64_t pid, int signal)
{
	struct json *j = json_object();

	json_set_int(j, "pid", pid);
	json_set_int(j, "signal", signal);
	return j;
}

static int send_all(const struct app *app, const struct args *a, struct err *e)
{
	_cleanup_json_ struct json *done = json_array();
	_cleanup_boxsetup_ struct boxsetup s;
	int r;

	boxsetup_init(&s);
	r = boxsetup_find(app, &s, e);
	if (r == 0)
		r = boxsetup_join(app, &s, e);
	for (size_t i = 0; i < a->pids.n && r == 0; i++) {
		uint64_t pid = 0;

		(void)num_u64(a->pids.v[i], &pid);
		r = boxps_signal(box_init_pid(s.box), (pid_t)pid, a->signal, e);
		if (r == 0)
			json_add(done, signalled((int64_t)pid, a->signal));
	}
	if (app->json && (r == 0 || json_len(done)))
		(void)render_json(app, done);
	return r;
}

/* As every kill does: "-9" and "-KILL" are signals, where they are first. @word takes the
 * option's place. */
static void signal_first(int argc, char **argv, char *word, size_t size)
{
	int number;

	if (argc < 2 || argv[1][0] != '-' || signame_parse(argv[1] + 1, &number) < 0)
		return;
	snprintf(word, size, "--signal=%d", number);
	argv[1] = word;
}

static int run(struct app *app, int argc, char **argv)
{
	_cleanup_(args_done) struct args a = { .signal = SIGTERM };
	struct err e = ERR_NONE;
	char word[32];
	int r;

	signal_first(argc, argv, word, sizeof(word));
	r = cmd_parse(app, &cmd_kill, argc, argv, &a);
	if (r != CMD_GO)
		return r;
	return send_all(app, &a, &e) < 0 ? cmd_fail(app, &e, CMD_FAILED) : CMD_DONE;
}

const struct cmd cmd_kill = {
	.name = "kill",
	.summary = "send a signal to processes in the box",
	.argp = &argp,
	.run = run,
};
