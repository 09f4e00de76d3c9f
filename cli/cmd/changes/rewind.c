#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/sys/sys.h"
#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/review/review.h"
#include "cli/show/render.h"
#include "cli/show/table.h"
#include "cli/snapshot/rewind.h"
#include "cli/snapshot/snap.h"
#include "rootfs/store/checkpoint.h"

struct args {
	const char *name; /* borrowed; NULL = before the last turn */
	bool list;
};

/* ---- the list ---------------------------------------------------------------------------- */

static const struct table_column columns[] = {
	{ "CHECKPOINT", "name", TABLE_TEXT },
	{ "MADE", "made", TABLE_AGE },
	{ "TASK", "task", TABLE_TEXT },
};

struct items {
	struct checkpoint *v; /* owned */
	size_t n;
	struct err *e;
};

static int add_item(void *ctx, const struct checkpoint *c)
{
	struct items *l = ctx;

	if (!grow_room(l->v, l->n))
		return err_sys(l->e, -ENOMEM, "cannot list checkpoints");
	l->v[l->n++] = *c;
	return 0;
}

static int by_number(const void *a, const void *b)
{
	const struct checkpoint *x = a, *y = b;
	int64_t n = checkpoint_number(x->name), m = checkpoint_number(y->name);

	return n != m ? (n < m ? -1 : 1) : strcmp(x->name, y->name);
}

static int show(const struct app *app, const struct items *l, struct err *e)
{
	_cleanup_table_ struct table *t = table_new(columns, ARRAY_SIZE(columns));

	for (size_t i = 0; i < l->n; i++) {
		const struct checkpoint *x = &l->v[i];
		const struct table_cell cells[ARRAY_SIZE(columns)] = {
			{ .text = x->name },
			{ .n = x->made },
			{ .text = *x->task ? x->task : NULL },
		};

		table_add(t, cells);
	}
	return table_show(t, app, sys_wall().tv_sec,
			  "there are no checkpoints; a task makes them while its "
			  "project is under review",
			  "list checkpoints", e);
}

static int list(const struct app *app, const struct boxdir *dir, struct err *e)
{
	struct items l = { .v = NULL, .e = e };
	int r = checkpoint_list(dir, add_item, &l, e);

	if (l.n)
		qsort(l.v, l.n, sizeof(*l.v), by_number);
	r = r < 0 ? r : show(app, &l, e);
	free(l.v);
	return r;
}

/* ---- going back -------------------------------------------------------------------------- */

static int find(const struct boxdir *dir, const char *name, struct checkpoint *ret,
		struct err *e)
{
	int r = name ? checkpoint_load(dir, name, ret, e)
		     : checkpoint_last(dir, ret, e);

	if (r != 0 || name)
		return MIN(r, 0);
	err_set(e, -ENOENT, "there are no checkpoints");
	return err_hint(e,
			"'cubby checkpoint NAME' makes one, and a task does while its "
			"project is under review");
}

/* Who looks into the directory does not find there what the box has of it. */
static void tell_waiting(const struct app *app, const struct review *of)
{
	_cleanup_review_ struct review rv = REVIEW(of->dir, of->spec);
	_cleanup_json_ struct json *what = review_args("diff"), *list = NULL;

	if (app->quiet || review_open(&rv, REVIEW_LOOK, ERR_IGNORED) < 0 ||
	    review_ask(&rv, what, &list, NULL, ERR_IGNORED) < 0 || !json_len(list))
		return;
	render_note(app,
		    "%zu change%s in the box; 'cubby diff' shows, 'cubby apply' "
		    "takes over",
		    json_len(list), json_len(list) == 1 ? " waits" : "s wait");
}

static int go_back(const struct app *app, const struct review *rv, const char *name,
		   struct err *e)
{
	_cleanup_json_ struct json *j = NULL;
	struct checkpoint c;
	int64_t n;
	int r = find(rv->dir, name, &c, e);

	if (r < 0)
		return r;
	r = rewind_back(app, rv, &c, e);
	if (r < 0)
		return r;
	if (app->json) {
		j = json_object();
		json_set_str(j, "name", c.name);
		return render_json(app, j);
	}
	n = checkpoint_number(c.name);
	if (n < 0)
		render_note(app, "the project is as it was at '%s'", c.name);
	else if (n == 0)
		render_note(app, "the project is as it was before the task; 'cubby "
				 "resume --at 0' begins it again");
	else
		render_note(app,
			    "the project is as it was after %s turn%s; 'cubby resume "
			    "--at %s' goes on from there",
			    c.name, n == 1 ? "" : "s", c.name);
	tell_waiting(app, rv);
	return 0;
}

static int work(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;
	_cleanup_boxsetup_ struct boxsetup s = BOXSETUP(app);
	int r;

	r = boxsetup_find(&s, e);
	if (r < 0)
		return r;
	return a->list ? list(app, &s.dir, e)
		       : go_back(app, &REVIEW(&s.dir, &s.spec), a->name, e);
}

static int check(struct app *, void *args, struct err *e)
{
	const struct args *a = args;

	return a->name && a->list ? err_set(e, -EINVAL, "--list takes no name") : 0;
}

static const struct cmd_option options[] = {
	{ "list", 0, NULL, "only list the checkpoints", CMD_FLAG(struct args, list) },
	{ 0 },
};

const struct cmd cmd_rewind = {
	.name = "rewind",
	.group = CMD_CHANGES,
	.summary = "go back to what the project was some turns ago",
	.words = "[N|NAME]",
	.doc = "Go back to what the project was after N turns of the last task (0: "
	       "before it), or at the checkpoint NAME; without either to before its "
	       "last turn. What was taken over since is taken back. 'cubby resume "
	       "--at N' does it with the conversation.",
	.options = options,
	.operands = { CMD_TEXT_IF(struct args, name, snap_name) },
	.size = sizeof(struct args),
	.config = true,
	.check = check,
	.work = work,
};
