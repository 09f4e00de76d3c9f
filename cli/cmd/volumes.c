#include <string.h>

#include "base/dirscan.h"
#include "base/file.h"
#include "base/sys/sys.h"
#include "cli/box/end.h"
#include "cli/box/list.h"
#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/opt/words.h"
#include "cli/show/render.h"
#include "cli/show/table.h"
#include "rootfs/store/du.h"
#include "runtime/box/ids.h"
#include "runtime/worker/worker.h"

enum { KEY_REMOVE = 0x3200 };

static const struct argp_option options[] = {
	{ "remove", KEY_REMOVE, "NAME", 0,
	  "remove this one with all that is in it; may "
	  "be repeated",
	  0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct words *remove = state->input;

	if (key != KEY_REMOVE)
		return cmd_no_operands(key, arg, state);
	if (!spec_name_valid(arg))
		return cmd_bad(state, "--remove: '%s' is no name of a volume", arg);
	return words_add(remove, arg) < 0 ? cmd_bad(state, "too many words") : 0;
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.doc = "List the directories that boxes share by name (--volume NAME:DIR, "
	       "--cache), or remove some.",
};

static const struct table_column columns[] = {
	{ "NAME", "name", TABLE_TEXT },
	{ "SIZE", "size", TABLE_BYTES },
};

static int list(const struct app *app, int dir, struct err *e)
{
	_cleanup_table_ struct table *t = NULL;
	struct dirscan_entry d;
	struct dirscan scan;
	int r = table_new(columns, ARRAY_SIZE(columns), &t, e);

	if (r == 0 && dir >= 0)
		r = dirscan_start(&scan, dir, e);
	while (r == 0 && dir >= 0 && (r = dirscan_next(&scan, &d, e)) > 0) {
		const struct table_cell cells[ARRAY_SIZE(columns)] = {
			{ .text = d.name },
			{ .n = (int64_t)du_tree(dir, d.name, NULL) },
		};

		r = table_add(t, cells);
	}
	if (r == 0)
		r = table_show(t, app, 0, "there are no volumes");
	return r < 0 && !e->code ? err_sys(e, r, "cannot list the volumes") : r;
}

/* ---- removing -------------------------------------------------------------------- */

static bool has_volume(const struct json *info, const char *name)
{
	json_each(it, json_get(info, "volumes"))
	{
		const char *is = json_get_str(it, "name");

		if (is && strcmp(is, name) == 0)
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

static int remove_one(const struct app *app, const struct store *st, int dir,
		      const char *name, struct err *e)
{
	_cleanup_buf_ struct buf why = BUF_INIT(16 << 10);
	struct idmap map;
	struct stat s;
	int r = dir < 0 ? dir : sys_fstatat(dir, name, &s, AT_SYMLINK_NOFOLLOW);

	if (r < 0)
		return err_set(e, -ENOENT, "there is no volume '%s'", name);
	r = check_unused(st, name, e);
	if (r == 0)
		r = box_ids_choose(st->path, &map, &why, e);
	if (r == 0)
		r = worker_rmtree(&map, dir, name, e);
	if (r == 0)
		render_note(app, "the volume '%s' is removed", name);
	return r;
}

static int work(const struct app *app, const struct words *remove, struct err *e)
{
	_cleanup_store_ struct store st = STORE_NONE;
	_cleanup_close_ int dir = -1;
	struct err none = ERR_NONE;
	int r = store_open(&st, e);

	if (r < 0)
		return r;
	dir = file_open_dir(st.dirfd, "volumes", &none);
	if (dir < 0 && dir != -ENOENT)
		return err_sys(e, dir, "cannot open the volumes");
	if (!remove->n)
		return list(app, dir, e);
	for (size_t i = 0; i < remove->n && r == 0; i++)
		r = remove_one(app, &st, dir, remove->v[i], e);
	return r;
}

static int run(struct app *app, int argc, char **argv)
{
	_cleanup_words_ struct words remove = WORDS_NONE;
	struct err e = ERR_NONE;
	int r = cmd_parse(app, &cmd_volumes, argc, argv, &remove);

	if (r != CMD_GO)
		return r;
	return work(app, &remove, &e) < 0 ? cmd_fail(app, &e, CMD_FAILED) : CMD_DONE;
}

const struct cmd cmd_volumes = {
	.name = "volumes",
	.summary = "the directories that boxes share by name",
	.argp = &argp,
	.no_box = true,
	.run = run,
};
