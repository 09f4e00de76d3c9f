#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/review/show.h"
#include "cli/show/render.h"

static int undo(struct app *app, void *args, struct err *e)
{
	_cleanup_boxsetup_ struct boxsetup s = BOXSETUP_NONE;
	_cleanup_review_ struct review rv = REVIEW_NONE;
	_cleanup_json_ struct json *what = review_args("undo");
	int r = boxsetup_find(app, &s, e) ?:
		review_open(&s, REVIEW_GIVE, &rv, e) ?:
		reviewshow_undo(app, &rv, what, e);

	(void)args;
	if (r < 0)
		return r;
	render_note(app, "the last apply is taken back");
	return 0;
}

const struct cmd cmd_undo = {
	.name = "undo",
	.group = CMD_CHANGES,
	.summary = "take back the last apply",
	.doc = "Take back the last 'cubby apply' that was not taken back, finished or "
	       "not: each file and branch that it changed, unless it has been changed "
	       "since.",
	.config = true,
	.work = undo,
};
