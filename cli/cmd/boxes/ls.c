#include <string.h>

#include "base/sys/sys.h"
#include "cli/opt/cmd.h"
#include "cli/show/table.h"
#include "cli/store/boxend.h"
#include "cli/store/boxlist.h"
#include "cli/store/boxps.h"
#include "cli/store/place.h"
#include "rootfs/store/boxdir.h"
#include "rootfs/store/snapshot.h"

enum { NAME = 5, RUNS };

static const struct table_column columns[] = {
	{ "DIRECTORY", "directory", TABLE_PATH },
	{ "IMAGE", "image", TABLE_TEXT },
	{ "STATE", "state", TABLE_TEXT },
	{ "SIZE", "size", TABLE_BYTES },
	{ "USED", "used", TABLE_AGE },
	[NAME] = { "NAME", "name", TABLE_TEXT },
	[RUNS] = { "RUNS", "runs", TABLE_TEXT },
	{ NULL, "key", TABLE_TEXT },
};

/* A person sees no column in which nothing stands. */
static void choose_columns(const struct boxlist *l,
			   struct table_column ret[ARRAY_SIZE(columns)])
{
	bool named = false, running = false;

	for (size_t i = 0; i < l->n; i++) {
		named |= *l->v[i].name != '\0';
		running |= l->v[i].running;
	}
	memcpy(ret, columns, sizeof(columns));
	if (!named)
		ret[NAME].title = NULL;
	if (!running)
		ret[RUNS].title = NULL;
}

static int64_t size_of(const struct store *st, const char *key)
{
	_cleanup_boxdir_ struct boxdir dir = BOXDIR_NONE;

	if (boxdir_open(st, key, false, &dir, ERR_IGNORED) < 0)
		return -1;
	return (int64_t)snapshot_bytes(&dir);
}

static const char *state_of(const struct boxlist_item *b, const struct json *info)
{
	struct stat ignored;

	if (b->running)
		return json_get_bool(info, "lingering", false) ? "lingering"
							       : "running";
	if (!b->between && sys_fstatat(AT_FDCWD, b->project, &ignored, 0) == -ENOENT)
		return "orphaned"; /* its directory is gone: cubby prune */
	return "stopped";
}

/* What was asked for is a child of init, or of its process above a terminal. */
static bool was_asked_for(const struct boxps *ps, const struct boxps_proc *p)
{
	if (p->state == 'Z' || boxps_is_own(ps, p))
		return false;
	for (size_t i = 0; i < ps->n; i++)
		if (ps->v[i].pid == p->parent)
			return boxps_is_own(ps, &ps->v[i]);
	return false;
}

/* The program that was begun first of those that were asked for, and how many more. */
static void what_runs(const struct boxps *machine, const struct json *info,
		      struct buf *ret)
{
	_cleanup_boxps_ struct boxps ps = BOXPS_NONE;
	pid_t init = (pid_t)json_get_int(info, "init_pid", 0);
	size_t n = 0;

	if (init <= 0 || boxps_of(machine, init, &ps, ERR_IGNORED) < 0)
		return;
	for (size_t i = 0; i < ps.n; i++)
		if (was_asked_for(&ps, &ps.v[i]) && n++ == 0)
			buf_adds(ret, ps.v[i].command);
	if (n > 1)
		buf_addf(ret, " and %zu more", n - 1);
}

static void add_row(struct table *t, const struct store *st,
		    const struct boxps *machine, const struct boxlist_item *b)
{
	_cleanup_buf_ struct buf runs = BUF_INIT(2 * BOXPS_COMMAND);
	_cleanup_json_ struct json *info = NULL;

	if (b->running && boxend_info(st, b->key, &info, ERR_IGNORED) == 0)
		what_runs(machine, info, &runs);
	const struct table_cell cells[ARRAY_SIZE(columns)] = {
		{ .text = b->project },
		{ .text = b->image },
		{ .text = state_of(b, info) },
		{ .n = size_of(st, b->key) },
		{ .n = b->used },
		[NAME] = { .text = *b->name ? b->name : NULL },
		[RUNS] = { .text = runs.len ? buf_cstr(&runs) : NULL },
		{ .text = b->key },
	};

	table_add(t, cells);
}

static int list(struct app *app, void *, struct err *e)
{
	_cleanup_boxlist_ struct boxlist l = BOXLIST_NONE;
	_cleanup_boxps_ struct boxps machine = BOXPS_NONE;
	struct table_column shown[ARRAY_SIZE(columns)];
	_cleanup_table_ struct table *t = NULL;
	int r = place_open(app, e);

	if (r < 0)
		return r;
	r = boxlist_read(app->store, &l, e);
	if (r < 0)
		return r;
	choose_columns(&l, shown);
	t = table_new(shown, ARRAY_SIZE(shown));
	(void)boxps_machine(&machine,
			    ERR_IGNORED); /* without: what runs is not shown */
	for (size_t i = 0; i < l.n; i++)
		add_row(t, app->store, &machine, &l.v[i]);
	return table_show(t, app, sys_wall().tv_sec,
			  "there are no boxes; a task, 'cubby shell' or 'cubby exec' "
			  "makes one",
			  "list the boxes", e);
}

const struct cmd cmd_ls = {
	.name = "ls",
	.group = CMD_BOXES,
	.summary = "list the boxes of all directories",
	.doc = "List the boxes of all directories: image, state, the disk space that "
	       "each added to its image, when it was last used, and what runs in it.",
	.no_box = true,
	.work = list,
};
