#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/dirscan.h"
#include "base/file.h"
#include "base/sys/sys.h"
#include "cli/opt/cmd.h"
#include "cli/opt/words.h"
#include "cli/show/render.h"
#include "cli/show/table.h"
#include "cli/store/boxend.h"
#include "cli/store/boxlist.h"
#include "cli/store/place.h"
#include "rootfs/store/du.h"
#include "runtime/box/ids.h"
#include "runtime/worker/worker.h"

struct args {
	struct words remove; /* owned */
};

static const struct table_column columns[] = {
	{ "NAME", "name", TABLE_TEXT },
	{ "SIZE", "size", TABLE_BYTES },
};

static int list(const struct app *app, int dir, struct err *e)
{
	_cleanup_table_ struct table *t = table_new(columns, ARRAY_SIZE(columns));
	struct dirscan scan;
	int r;

	dirscan_start(&scan, dir);
	while (dirscan_next(&scan)) {
		const struct table_cell cells[ARRAY_SIZE(columns)] = {
			{ .text = scan.name },
			{ .n = (int64_t)du_tree(dir, scan.name).bytes },
		};

		table_add(t, cells);
	}
	r = dir < 0 ? 0 : dirscan_failed(&scan, e);
	if (r < 0)
		return r;
	return table_show(t, app, 0, "there are no volumes", "list the volumes", e);
}

/* ---- removing -------------------------------------------------------------------- */

static bool has_volume(const struct json *info, const char *name)
{
	json_each(it, json_get(info, "volumes"))
	{
		if (json_is(it, "name", name))
			return true;
	}
	return false;
}

static int check_unused(const struct store *st, const char *name, struct err *e)
{
	_cleanup_boxlist_ struct boxlist l = BOXLIST_NONE;
	int r = boxlist_read(st, &l, e);

	for (size_t i = 0; i < l.n && r == 0; i++) {
		_cleanup_json_ struct json *info = NULL;
		struct err gone = ERR_NONE;

		if (!l.v[i].running || boxend_info(st, l.v[i].key, &info, &gone) < 0 ||
		    !has_volume(info, name))
			continue;
		r = err_set(e, -EBUSY, "the box of '%.160s' uses the volume '%s'",
			    l.v[i].project, name);
		err_hint(e, "'cubby stop' ends it");
	}
	return r;
}

static int remove_one(const struct app *app, int dir, const char *name, struct err *e)
{
	_cleanup_buf_ struct buf why = BUF_INIT(16 << 10);
	char cache[NAME_MAX + 1];
	struct idmap map;
	struct stat s;
	int r = dir < 0 ? dir : sys_fstatat(dir, name, &s, AT_SYMLINK_NOFOLLOW);

	/* As --cache calls it. */
	snprintf(cache, sizeof(cache), "cache-%.200s", name);
	if (r < 0 && dir >= 0 && file_is_there(dir, cache)) {
		name = cache;
		r = 0;
	}
	if (r < 0) {
		err_set(e, -ENOENT, "there is no volume '%s'", name);
		return err_hint(e, "'cubby volumes' lists them");
	}
	r = check_unused(app->store, name, e);
	if (r < 0)
		return r;
	r = box_ids_choose(app->store->path, &map, &why, e);
	if (r < 0)
		return r;
	r = worker_rmtree(&map, dir, name, e);
	if (r < 0)
		return r;
	render_note(app, "the volume '%s' is removed", name);
	return 0;
}

static int work(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;
	_cleanup_close_ int dir = -1;
	struct err none = ERR_NONE;
	int r = place_store(app, e);

	if (r < 0)
		return r;
	dir = file_open_dir(app->store->dirfd, "volumes", &none);
	if (dir < 0 && dir != -ENOENT)
		return err_sys(e, dir, "cannot open the volumes");
	if (!a->remove.n)
		return list(app, dir, e);
	for (size_t i = 0; i < a->remove.n && r == 0; i++)
		r = remove_one(app, dir, a->remove.v[i], e);
	return r;
}

static int check_name(struct app *, void *, const char *name, struct err *e)
{
	return spec_name_valid(name)
		       ? 0
		       : err_set(e, -EINVAL, "'%s' is no name of a volume", name);
}

static const struct cmd_option options[] = {
	{ "remove", 0, "NAME",
	  "remove this one with all that is in it; may be repeated",
	  CMD_LIST_IF(struct args, remove, check_name) },
	{ 0 },
};

const struct cmd cmd_volumes = {
	.name = "volumes",
	.group = CMD_PROJECT,
	.summary = "list or remove the directories that boxes share by name",
	.doc = "List the directories that boxes share by name (--volume NAME:DIR, "
	       "--cache), or remove some.",
	.options = options,
	.size = sizeof(struct args),
	.no_box = true,
	.work = work,
};
