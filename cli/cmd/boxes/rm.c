#include "cli/box/acting.h"
#include "cli/opt/cmd.h"
#include "cli/review/removal.h"
#include "cli/show/render.h"
#include "cli/store/boxend.h"
#include "cli/store/opt_boxes.h"
#include "cli/store/place.h"

struct args {
	struct opt_boxes boxes;
	bool force, yes;
};

static int remove_box(const struct app *app, const void *args,
		      const struct boxlist_item *b, struct err *e)
{
	const struct args *a = args;
	int r = a->yes || a->force || a->boxes.all
			? 0
			: removal_confirm_one(app, b->key, e);

	if (r < 0)
		return r;
	r = (a->force ? boxend_stop(app->store, b->key, e)
		      : boxend_idle(app->store, b->key, e));
	if (r == 0) {
		acting_rest(app, b->key, b->project);
		r = boxend_remove(app, b->key, false, e);
	}
	if (r == -EBUSY)
		return err_hint(e, "--force does both");
	if (r < 0)
		return r;
	render_note(app, "the box %s%s%sof '%s' is removed", *b->name ? "'" : "",
		    b->name, *b->name ? "' " : "", b->project);
	return 0;
}

/* One that is named is meant; all of them may be a slip. */
static int permitted(const struct app *app, const struct args *a, struct err *e)
{
	_cleanup_boxlist_ struct boxlist l = BOXLIST_NONE;
	_cleanup_free_ const struct boxlist_item **v = NULL;
	int r = place_store(app, e);

	if (r < 0)
		return r;
	r = boxlist_read(app->store, &l, e);
	if (r < 0)
		return r;
	v = calloc(l.n + 1, sizeof(*v));
	if (!v)
		return err_sys(e, -ENOMEM, "cannot list the boxes");
	for (size_t i = 0; i < l.n; i++)
		v[i] = &l.v[i];
	return removal_confirm(app, v, l.n, a->yes || a->force, e);
}

static int work(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;
	int r = a->boxes.all ? permitted(app, a, e) : 0;

	return r < 0 ? r : opt_boxes_each(app, &a->boxes, remove_box, a);
}

static const struct cmd_option options[] = {
	{ "force", 'f', NULL, "stop the box first if it runs; as --yes",
	  CMD_FLAG(struct args, force) },
	{ "yes", 'y', NULL, "do not ask first", CMD_FLAG(struct args, yes) },
	{ 0 },
};

static const struct args begin = { .boxes = { .exact = true } };

const struct cmd cmd_rm = {
	.name = "rm",
	.group = CMD_BOXES,
	.summary = "remove a box with everything in it",
	.words = "[DIR|NAME|KEY...]",
	.doc = "Remove the box of this directory, or those that are named, with all "
	       "that was installed in it. The directory itself and the image stay.",
	.options = options,
	.tables = { OPT_BOXES(struct args, boxes) },
	.operands = { CMD_LIST(struct args, boxes.names) },
	.size = sizeof(struct args),
	.begin = &begin,
	.work = work,
};
