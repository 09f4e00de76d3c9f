#include <signal.h>

#include "base/num.h"
#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/opt/words.h"
#include "cli/show/render.h"
#include "cli/store/boxps.h"
#include "cli/store/signame.h"

struct args {
	int signal;
	char word[32];	   /* of signal_first() */
	struct words pids; /* owned */
};

static struct json *signalled(int64_t pid, int signal)
{
	struct json *j = json_object();

	json_set_int(j, "pid", pid);
	json_set_int(j, "signal", signal);
	return j;
}

static int send_all(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;
	_cleanup_json_ struct json *done = json_array();
	_cleanup_boxsetup_ struct boxsetup s = BOXSETUP(app);
	int r = boxsetup_running(&s, e);

	for (size_t i = 0; i < a->pids.n && r == 0; i++) {
		uint64_t pid = 0;

		(void)num_u64(a->pids.v[i], &pid);
		r = boxps_signal(box_init_pid(s.box), (pid_t)pid, a->signal, e);
		if (r < 0)
			break;
		json_add(done, signalled((int64_t)pid, a->signal));
	}
	if (app->json && (r == 0 || json_len(done)))
		(void)render_json(app, done);
	return r;
}

/* As every kill does: "-9" and "-KILL" are signals, where they are first. */
static void signal_first(void *args, int argc, char **argv)
{
	struct args *a = args;
	int number;

	if (argc < 2 || argv[1][0] != '-' || signame_parse(argv[1] + 1, &number) < 0)
		return;
	snprintf(a->word, sizeof(a->word), "--signal=%d", number);
	argv[1] = a->word;
}

static int take_signal(struct app *, void *args, const char *word, struct err *e)
{
	struct args *a = args;

	if (signame_parse(word, &a->signal) >= 0)
		return 0;
	err_set(e, -EINVAL, "unknown signal '%s'", word);
	return err_hint(e, "it is such as TERM, KILL, HUP or 9");
}

static int check_pid(struct app *, void *, const char *word, struct err *e)
{
	uint64_t pid;

	return num_range(word, 1, INT32_MAX, &pid) < 0
		       ? err_set(e, -EINVAL,
				 "bad process number '%s'; 'cubby ps' lists them", word)
		       : 0;
}

static const struct cmd_option options[] = {
	{ "signal", 's', "SIGNAL", "by name or number (default: TERM)",
	  CMD_CALL(take_signal) },
	{ 0 },
};

static const struct args begin = { .signal = SIGTERM };

const struct cmd cmd_kill = {
	.name = "kill",
	.group = CMD_INSIDE,
	.summary = "send a signal to processes in the box",
	.words = "PID...",
	.doc = "Send a signal to processes in the box of this directory; -9 and -KILL "
	       "are understood, too.",
	.options = options,
	.operands = { CMD_LIST_IF(struct args, pids, check_pid) },
	.least = 1,
	.missing = "a process number is missing; 'cubby ps' lists them",
	.size = sizeof(struct args),
	.begin = &begin,
	.early = signal_first,
	.work = send_all,
};
