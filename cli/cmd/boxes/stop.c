#include "base/signals.h"
#include "base/sys/sys.h"
#include "cli/box/acting.h"
#include "cli/opt/cmd.h"
#include "cli/project/services.h"
#include "cli/show/render.h"
#include "cli/store/boxend.h"
#include "cli/store/opt_boxes.h"

enum { STOP_SECONDS = 10, STOP_SECONDS_MAX = 24 * 3600 };

struct args {
	struct opt_boxes boxes;
	uint64_t seconds;
	struct boxend_grace grace;
};

static uint64_t deadline(const struct args *a)
{
	return sys_now_ms() + a->seconds * 1000;
}

/* With --all every box has the same time: nobody waits for another. */
static int ask(const struct app *app, const void *, const struct boxlist_item *b,
	       struct err *)
{
	if (b->running)
		(void)boxend_ask(app->store, b->key, services_first, ERR_IGNORED);
	return 0;
}

static int stop(const struct app *app, const void *args, const struct boxlist_item *b,
		struct err *e)
{
	const struct args *a = args;
	struct boxend_grace grace = a->grace;
	bool killed = false;
	int r;

	if (!b->running) {
		render_note(app, "the box of '%s' is not running%s%s", b->project,
			    *b->name ? ", name " : "", b->name);
		return 0;
	}
	if (!a->boxes.all)
		grace.until_ms = deadline(a);
	grace.killed = &killed;
	r = boxend_within(app->store, b->key, &grace, e);
	if (r < 0)
		return r;
	render_note(app, "the box of '%s' %s%s%s", b->project,
		    killed ? "did not answer, and was killed" : "is stopped",
		    *b->name ? ", name " : "", b->name);
	acting_rest(app, b->key, b->project);
	return 0;
}

static int work(struct app *app, void *args, struct err *)
{
	/* ^C ends the waiting, not us: the box would go on running. */
	_cleanup_close_ int interrupt = signals_watch((const int[]){ SIGINT, 0 }, NULL);
	struct args *a = args;

	a->grace.interrupt = interrupt;
	a->grace.first = services_first;
	a->grace.until_ms = deadline(a);
	if (a->boxes.all && a->seconds)
		(void)opt_boxes_each(app, &a->boxes, ask, a);
	return opt_boxes_each(app, &a->boxes, stop, a);
}

static const struct cmd_option options[] = {
	{ "time", 't', "SECONDS",
	  "how long processes may take to end before they are killed (default: 10)",
	  CMD_NUMBER(struct args, seconds, 0, STOP_SECONDS_MAX) },
	{ 0 },
};

static const struct args begin = { .seconds = STOP_SECONDS };

const struct cmd cmd_stop = {
	.name = "stop",
	.group = CMD_BOXES,
	.summary = "stop a box; its disk stays",
	.words = "[DIR|NAME|KEY...]",
	.doc = "Stop the box of this directory, or those that are named: every process "
	       "in it is asked to end (TERM, or the signal that its image says) and "
	       "killed when it has not after a while, at once after ^C. What is on its "
	       "disk stays.",
	.options = options,
	.tables = { OPT_BOXES(struct args, boxes) },
	.operands = { CMD_LIST(struct args, boxes.names) },
	.size = sizeof(struct args),
	.begin = &begin,
	.work = work,
};
