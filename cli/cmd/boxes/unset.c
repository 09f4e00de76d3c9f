#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/opt/config_box.h"
#include "cli/opt/words.h"
#include "cli/show/render.h"

struct args {
	struct words names; /* owned */
};

static int work(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;
	_cleanup_boxsetup_ struct boxsetup s = BOXSETUP(app);
	struct opt_box o = { .forget = words_list(&a->names), .look = true };
	int r = boxsetup_find(&s, e);

	boxsetup_done(&s);
	s = BOXSETUP(app);
	if (r < 0)
		return r;
	r = boxsetup_prepare(&o, &s, e);
	if (r < 0)
		return r;
	if (!s.changed)
		render_note(app, "that was not set for this box");
	else
		boxsetup_tell_later(&s);
	return 0;
}

static int check_name(struct app *, void *, const char *name, struct err *e)
{
	return MIN(config_box_find(name, e), 0);
}

const struct cmd cmd_unset = {
	.name = "unset",
	.group = CMD_BOXES,
	.summary = "take back settings of the box",
	.words = "NAME...",
	.doc = "Take back settings that were kept with the box of this directory "
	       "('cubby set'): the configuration or the default holds again from its "
	       "next start.",
	.operands = { CMD_LIST_IF(struct args, names, check_name) },
	.least = 1,
	.missing = "a name is missing; 'cubby set' shows what is set",
	.size = sizeof(struct args),
	.config = true,
	.work = work,
};
