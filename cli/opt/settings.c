#include "cli/opt/settings.h"

#include "cli/show/table.h"

static const struct table_column columns[] = {
	{ "SETTING", "name", TABLE_TEXT },
	{ "VALUE", "value", TABLE_TEXT },
	{ "FROM", "from", TABLE_TEXT },
};

static int list_text(const struct config *c, enum config_key k, struct buf *b)
{
	const char *const *w = config_list(c, k);
	int r = 0;

	for (size_t i = 0; w[i] && r == 0; i++)
		r = buf_addf(b, "%s%s", i ? " " : "", w[i]);
	return r;
}

static int value_text(const struct config *c, enum config_key k, struct buf *b)
{
	const char *text = config_text(c, k);

	if (config_rows[k].type == CONFIG_LIST)
		return list_text(c, k, b);
	if (text)
		return buf_adds(b, text);
	if (config_rows[k].type == CONFIG_BOOL)
		return buf_adds(b, "false");
	if (k == CONFIG_MEMORY)
		return buf_addf(b, "%lluM", (unsigned long long)config_num(c, k) >> 20);
	return 0;
}

static int fill(const struct config *c, enum config_source least, struct table *t)
{
	for (int k = 0; k < CONFIG_COUNT; k++) {
		_cleanup_buf_ struct buf b = BUF_INIT(1 << 20);
		struct table_cell cells[ARRAY_SIZE(columns)];
		int r;

		if (c->v[k].from < least || (least == CONFIG_FROM_BOX &&
					     !json_get(c->box, config_rows[k].name)))
			continue;
		r = value_text(c, (enum config_key)k, &b);
		if (r < 0)
			return r;
		cells[0] = (struct table_cell){ .text = config_rows[k].name };
		cells[1] = (struct table_cell){ .text = b.len ? buf_cstr(&b) : NULL };
		cells[2] =
			(struct table_cell){ .text = config_source_name(c->v[k].from) };
		table_add(t, cells);
	}
	return 0;
}

int settings_show(const struct app *app, enum config_source least, const char *none,
		  struct err *e)
{
	_cleanup_table_ struct table *t = table_new(columns, ARRAY_SIZE(columns));
	int r = fill(app->config, least, t);

	return r < 0 ? err_sys(e, r, "cannot show the settings")
		     : table_show(t, app, 0, none, "show the settings", e);
}
