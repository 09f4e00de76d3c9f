#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/run/boxrun.h"
#include "cli/run/detach.h"
#include "cli/show/linejson.h"
#include "cli/show/render.h"

struct args {
	const char *pid, *tail;
	bool follow, raw;
};

/* One that lingers has nothing in it that could print. */
static bool is_running(struct boxsetup *s)
{
	_cleanup_json_ struct json *info = NULL;
	struct err none = ERR_NONE;
	bool yes = boxsetup_join(s, &none) == 0 &&
		   box_ask(s->box, "info", NULL, &info, &none) == 0 &&
		   !json_get_bool(info, "lingering", false);

	box_close(&s->box);
	return yes;
}

static int say_none(const char *pid, struct err *e)
{
	if (!pid) {
		err_set(e, -ENOENT, "no command was detached");
		return err_hint(e, "'cubby exec --detach' leaves one in the box");
	}
	err_set(e, -ENOENT,
		num_range(pid, 1, INT32_MAX, &(uint64_t){ 0 }) == 0
			? "no command was detached with number %s"
			: "no service '%s' has run in this box",
		pid);
	return err_hint(e, "'cubby logs' shows the one that printed last");
}

static int work(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;
	_cleanup_words_ struct words words = WORDS_NONE;
	_cleanup_boxsetup_ struct boxsetup setup = BOXSETUP(app);
	_cleanup_linejson_ struct linejson lines;
	const struct opt_box o = { .look = true };
	struct boxrun what = { .raw = a->raw, .no_input = true };
	bool runs;
	int r;

	linejson_init(&lines);
	if (boxsetup_find(&setup, e) < 0)
		return cmd_fail(app, e, CMD_CUBBY);
	runs = is_running(&setup);
	if (detach_logs(a->pid, a->tail, a->follow && runs, &words) < 0)
		return err_sys(e, -ENOMEM, "cannot read the logs");
	if (a->follow && !runs)
		render_note(app, "the box is not running: nothing more will come");
	what.argv = words_list(&words);
	if (app->json) {
		what.filter = linejson_feed;
		what.filter_ctx = &lines;
	}
	r = boxrun_command(app, &o, &what);
	return r == DETACH_STATUS ? say_none(a->pid, e) : r;
}

static int check_pid(struct app *, void *, const char *word, struct err *e)
{
	uint64_t pid;

	if (num_range(word, 1, INT32_MAX, &pid) < 0 && !spec_name_valid(word))
		return err_set(e, -EINVAL,
			       "'%s' is no process number, nor the name of a service",
			       word);
	return 0;
}

/* "all", as docker has it, is what is shown anyway. */
static int take_tail(struct app *, void *args, const char *word, struct err *e)
{
	bool is_all = strcmp(word, "all") == 0;
	uint64_t lines;

	if (!is_all && num_range(word, 0, INT32_MAX, &lines) < 0)
		return err_set(e, -EINVAL, "bad number '%s'; it is such as 20", word);
	((struct args *)args)->tail = is_all ? NULL : word;
	return 0;
}

static const struct cmd_option options[] = {
	{ "follow", 'f', NULL, "go on with what comes", CMD_FLAG(struct args, follow) },
	{ "tail", 'n', "N", "only the last N lines", CMD_CALL(take_tail) },
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
