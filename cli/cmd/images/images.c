#include <string.h>

#include "base/sys/sys.h"
#include "cli/opt/cmd.h"
#include "cli/show/table.h"
#include "cli/store/place.h"
#include "rootfs/image/image.h"

static const struct table_column columns[] = {
	{ "NAME", "name", TABLE_TEXT },	     { "DIGEST", "short", TABLE_TEXT },
	{ "MAP", "map", TABLE_TEXT },	     { "SIZE", "size", TABLE_BYTES },
	{ "CREATED", "created", TABLE_AGE }, { NULL, "digest", TABLE_TEXT },
	{ NULL, "source", TABLE_TEXT },	     { NULL, "arch", TABLE_TEXT },
	{ NULL, "dir", TABLE_TEXT },	     { NULL, "built", TABLE_TEXT },
};

struct list {
	const struct store *store; /* borrowed, as the next one */
	struct table *table;
};

static void add_row(struct table *t, const struct image *i, const char *name)
{
	char digest[13];
	struct table_cell cells[ARRAY_SIZE(columns)] = {
		{ .text = name },      { .text = digest },
		{ .text = i->map },    { .n = (int64_t)i->size },
		{ .n = i->created },   { .text = i->digest },
		{ .text = i->source }, { .text = i->arch },
		{ .text = i->dir },    { .text = i->built[0] ? i->built : NULL },
	};

	snprintf(digest, sizeof(digest), "%.12s", i->digest);
	table_add(t, cells);
}

/* Of several images that were given one name, the newest of a map is meant by it. */
static bool is_meant(const struct list *l, const struct image *i, const char *name)
{
	struct image meant;

	return image_find(l->store, name, i->map, &meant, ERR_IGNORED) < 0 ||
	       strcmp(meant.dir, i->dir) == 0;
}

/* A row for each name that means it, else one without a name. */
static int add_rows(void *ctx, const struct image *i)
{
	const struct list *l = ctx;
	_cleanup_json_ struct json *meta = NULL;
	bool shown = false;

	(void)image_meta(l->store, i->dir, &meta, ERR_IGNORED);
	json_each(it, json_get(meta, "names"))
	{
		if (!is_meant(l, i, json_key(it)))
			continue;
		add_row(l->table, i, json_key(it));
		shown = true;
	}
	if (!shown)
		add_row(l->table, i, NULL);
	return 0;
}

static int list(struct app *app, void *, struct err *e)
{
	_cleanup_table_ struct table *t = table_new(columns, ARRAY_SIZE(columns));
	int r = place_open(app, e);

	if (r < 0)
		return r;
	r = image_list(app->store, add_rows, &(struct list){ app->store, t }, e);
	if (r < 0)
		return r;
	return table_show(t, app, sys_wall().tv_sec,
			  "there are no images; 'cubby pull ubuntu' gets one",
			  "list the images", e);
}

const struct cmd cmd_images = {
	.name = "images",
	.group = CMD_IMAGES,
	.summary = "list the images",
	.doc = "List the images in the store.",
	.no_box = true,
	.work = list,
};
