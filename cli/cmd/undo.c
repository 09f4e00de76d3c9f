#include "cli/box/reviewshow.h"
#include "cli/opt/cmd.h"
#include "cli/show/render.h"

static const struct argp argp = {
	.parser = cmd_no_operands,
	.doc = "Take back the last 'cubby apply' that was not taken back, finished or "
	       "not: each file that it changed, unless it has been changed since.",
};

static int undo(const struct app *app, struct err *e)
{
	_cleanup_boxsetup_ struct boxsetup s;
	_cleanup_review_ struct review rv = REVIEW_NONE;
	_cleanup_json_ struct json *what = review_args("undo"), *told = NULL;
	int r;

	boxsetup_init(&s);
	r = boxsetup_find(app, &s, e);
	if (r == 0)
		r = review_open(&s, REVIEW_GIVE, &rv, e);
	if (r == 0)
		r = review_ask(&rv, what, &told, NULL, e);
	reviewshow_told(app, told);
	if (r == 0)
		render_note(app, "the last apply is taken back");
	return r;
}

static int run(struct app *app, int argc, char **argv)
{
	struct err e = ERR_NONE;
	int r = cmd_parse(app, &cmd_undo, argc, argv, NULL);

	if (r != CMD_GO)
		return r;
	return undo(app, &e) < 0 ? cmd_fail(app, &e, CMD_FAILED) : CMD_DONE;
}

const struct cmd cmd_undo = {
	.name = "undo",
	.summary = "take back the last apply",
	.argp = &argp,
	.config = true,
	.run = run,
};
