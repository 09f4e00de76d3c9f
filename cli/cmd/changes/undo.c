#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/review/show.h"
#include "cli/show/render.h"
#include "rootfs/store/checkpoint.h"

static int undo(struct app *app, void *, struct err *e)
{
	_cleanup_boxsetup_ struct boxsetup s = BOXSETUP(app);
	_cleanup_review_ struct review rv = REVIEW(&s.dir, &s.spec);
	_cleanup_json_ struct json *what = review_args("undo");
	int64_t since = -1;
	int r;

	r = boxsetup_find(&s, e) ?: review_open(&rv, REVIEW_GIVE, e);
	if (r == 0)
		since = checkpoint_rewinding(s.dir.dirfd);
	if (since >= 0)
		json_set_int(what, "after", since);
	if (r == 0)
		r = json_failed(what) < 0
			    ? err_sys(e, -ENOMEM, "cannot say what to take back")
			    : reviewshow_undo(app, &rv, what, e);
	if (r < 0)
		return r;
	render_note(app, since < 0 ? "the last apply is taken back"
				   : "what a rewind was taking back is taken back");
	return 0;
}

const struct cmd cmd_undo = {
	.name = "undo",
	.group = CMD_CHANGES,
	.summary = "take back the last apply",
	.doc = "Take back the last 'cubby apply' that was not taken back, finished or "
	       "not, with what was answered to its question: each file and branch that "
	       "it changed, unless it has been changed since. After a 'cubby rewind' that "
	       "was killed: all that it would have taken back.",
	.config = true,
	.work = undo,
};
