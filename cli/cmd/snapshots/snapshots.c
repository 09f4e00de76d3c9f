#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/opt/words.h"
#include "cli/show/render.h"
#include "cli/show/table.h"
#include "cli/snapshot/setup_kept.h"
#include "cli/snapshot/snap.h"
#include "rootfs/store/snapshot.h"
#include "runtime/worker/worker.h"

struct args {
	struct words remove; /* owned */
};

/* ---- the list ---------------------------------------------------------------------------- */

static const struct table_column columns[] = {
	{ "NAME", "name", TABLE_TEXT },
	{ "MADE", "made", TABLE_AGE },
	{ "LAYERS", "layers", TABLE_NUMBER },
	{ "PROJECT", "project", TABLE_TEXT },
};

struct item {
	char name[SPEC_NAME];
	int64_t made, layers;
	bool project;
};

struct items {
	struct item *v; /* owned */
	size_t n;
	struct err *e;
};

static int add_item(void *ctx, const char *name, const struct chain *c)
{
	struct items *l = ctx;

	if (!grow_room(l->v, l->n))
		return err_sys(l->e, -ENOMEM, "cannot list snapshots");
	l->v[l->n] = (struct item){ .made = c->made,
				    .layers = (int64_t)c->n,
				    .project = *c->project };
	(void)text_copy(l->v[l->n++].name, SPEC_NAME, name);
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->made != y->made)
		return x->made < y->made ? -1 : 1;
	return strverscmp(x->name, y->name);
}

static int show(const struct app *app, const struct items *l, struct err *e)
{
	_cleanup_table_ struct table *t = table_new(columns, ARRAY_SIZE(columns));

	for (size_t i = 0; i < l->n; i++) {
		const struct item *x = &l->v[i];
		const struct table_cell cells[ARRAY_SIZE(columns)] = {
			{ .text = x->name },
			{ .n = x->made },
			{ .n = x->layers },
			{ .text = x->project ? "review" : NULL },
		};

		table_add(t, cells);
	}
	return table_show(t, app, sys_wall().tv_sec,
			  "there are no snapshots; 'cubby snapshot' makes one",
			  "list snapshots", e);
}

static int list(const struct app *app, const struct boxdir *dir, struct err *e)
{
	struct items l = { .v = NULL, .e = e };
	int r = snapshot_list(dir, add_item, &l, e);

	if (l.n)
		qsort(l.v, l.n, sizeof(*l.v), by_time);
	r = r < 0 ? r : show(app, &l, e);
	free(l.v);
	return r;
}

/* ---- removing ---------------------------------------------------------------------------- */

static int forget(const struct app *app, const struct args *a, const struct boxdir *dir,
		  struct idmap *map, struct err *e)
{
	const struct boxdir_rm rm = { worker_rmtree, map };
	int r;

	for (const char *const *w = words_list(&a->remove); *w; w++) {
		setup_kept_forget(dir, *w);
		r = snapshot_forget(dir, *w, e);
		if (r < 0)
			return r;
		render_note(app, "the snapshot '%s' is removed", *w);
	}
	return snapshot_collect(dir->store, &rm, e);
}

static int work(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;
	_cleanup_boxsetup_ struct boxsetup s = BOXSETUP(app);
	int r = boxsetup_find(&s, e);

	if (r < 0)
		return r;
	return a->remove.n ? forget(app, a, &s.dir, &s.spec.map, e)
			   : list(app, &s.dir, e);
}

static const struct cmd_option options[] = {
	{ "remove", 0, "NAME", "remove this one; may be repeated",
	  CMD_LIST(struct args, remove) },
	{ 0 },
};

const struct cmd cmd_snapshots = {
	.name = "snapshots",
	.group = CMD_SNAPSHOTS,
	.summary = "list or remove the snapshots of a box",
	.doc = "List the snapshots of this directory's box, or remove some. What a "
	       "branch or another snapshot was made from stays.",
	.options = options,
	.size = sizeof(struct args),
	.config = true,
	.work = work,
};
