#include "base/sys/sys.h"
#include "cli/opt/cmd.h"
#include "cli/show/table.h"
#include "cli/store/boxend.h"
#include "cli/store/boxlist.h"
#include "rootfs/store/boxdir.h"
#include "rootfs/store/snapshot.h"

static const struct table_column columns[] = {
	{ "DIRECTORY", "directory", TABLE_PATH },
	{ "IMAGE", "image", TABLE_TEXT },
	{ "STATE", "state", TABLE_TEXT },
	{ "SIZE", "size", TABLE_BYTES },
	{ "USED", "used", TABLE_AGE },
	{ NULL, "name", TABLE_TEXT },
	{ NULL, "key", TABLE_TEXT },
};

/* The same with the names, where there is one. */
static const struct table_column named_columns[] = {
	{ "DIRECTORY", "directory", TABLE_PATH },
	{ "IMAGE", "image", TABLE_TEXT },
	{ "STATE", "state", TABLE_TEXT },
	{ "SIZE", "size", TABLE_BYTES },
	{ "USED", "used", TABLE_AGE },
	{ "NAME", "name", TABLE_TEXT },
	{ NULL, "key", TABLE_TEXT },
};

static const struct table_column *columns_of(const struct boxlist *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (*l->v[i].name)
			return named_columns;
	return columns;
}

static int64_t size_of(const struct store *st, const char *key)
{
	_cleanup_boxdir_ struct boxdir dir = BOXDIR_NONE;
	struct err e = ERR_NONE;

	if (boxdir_open(st, key, false, &dir, &e) < 0)
		return -1;
	return (int64_t)snapshot_bytes(st, &dir);
}

static const char *state_of(const struct store *st, const struct boxlist_item *b)
{
	struct stat ignored;

	if (b->running)
		return boxend_lingers(st, b->key) ? "lingering" : "running";
	if (sys_fstatat(AT_FDCWD, b->project, &ignored, 0) == -ENOENT)
		return "orphaned"; /* its directory is gone: cubby prune */
	return "stopped";
}

static void add_row(struct table *t, const struct store *st,
		    const struct boxlist_item *b)
{
	const struct table_cell cells[ARRAY_SIZE(columns)] = {
		{ .text = b->project },
		{ .text = b->image },
		{ .text = state_of(st, b) },
		{ .n = size_of(st, b->key) },
		{ .n = b->used },
		{ .text = *b->name ? b->name : NULL },
		{ .text = b->key },
	};

	table_add(t, cells);
}

static int list(struct app *app, void *args, struct err *e)
{
	_cleanup_store_ struct store st = STORE_NONE;
	_cleanup_boxlist_ struct boxlist l = BOXLIST_NONE;
	_cleanup_table_ struct table *t = NULL;
	int r = store_open(&st, e);

	(void)args;
	if (r < 0)
		return r;
	r = boxlist_read(&st, &l, e);
	if (r < 0)
		return r;
	r = table_new(columns_of(&l), ARRAY_SIZE(columns), &t, e);
	if (r < 0)
		return r;
	for (size_t i = 0; i < l.n; i++)
		add_row(t, &st, &l.v[i]);
	r = table_show(t, app, sys_wall().tv_sec,
		       "there are no boxes; a task, 'cubby shell' or 'cubby exec' "
		       "makes one");
	return r < 0 ? err_sys(e, r, "cannot list the boxes") : 0;
}

const struct cmd cmd_ls = {
	.name = "ls",
	.group = CMD_BOXES,
	.summary = "list the boxes of all directories",
	.doc = "List the boxes of all directories: image, state, the disk space that "
	       "each added to its image, and when it was last used.",
	.no_box = true,
	.work = list,
};
