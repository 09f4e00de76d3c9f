#include "cli/opt/config.h"
#include "cli/opt/cmd.h"
#include "cli/show/render.h"
#include "cli/show/table.h"

static const struct argp argp = {
	.parser = cmd_no_operands,
	.doc = "Show the effective settings and where each comes from: a flag, the "
	       "environment (CUBBY_NAME), the configuration file or the default.",
};

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

static int fill(const struct config *c, struct table *t)
{
	for (int k = 0; k < CONFIG_COUNT; k++) {
		_cleanup_buf_ struct buf b = BUF_INIT(1 << 20);
		struct table_cell cells[ARRAY_SIZE(columns)];
		int r = value_text(c, (enum config_key)k, &b);

		if (r < 0)
			return r;
		cells[0] = (struct table_cell){ .text = config_rows[k].name };
		cells[1] = (struct table_cell){ .text = b.len ? buf_cstr(&b) : NULL };
		cells[2] =
			(struct table_cell){ .text = config_source_name(c->v[k].from) };
		r = table_add(t, cells);
		if (r < 0)
			return r;
	}
	return 0;
}

static int run(struct app *app, int argc, char **argv)
{
	_cleanup_table_ struct table *t = NULL;
	struct err e = ERR_NONE;
	int r;

	r = cmd_parse(app, &cmd_config, argc, argv, NULL);
	if (r != CMD_GO)
		return r;
	r = table_new(columns, ARRAY_SIZE(columns), &t, &e);
	if (r < 0)
		return cmd_fail(app, &e, CMD_FAILED);
	r = fill(app->config, t);
	if (r == 0)
		r = table_show(t, app, 0, NULL);
	if (r < 0) {
		err_sys(&e, r, "cannot show the settings");
		return cmd_fail(app, &e, CMD_FAILED);
	}
	if (!app->json)
		render_note(app, "file: %s%s", app->config->path,
			    app->config->file ? "" : " (there is none)");
	return CMD_DONE;
}

const struct cmd cmd_config = {
	.name = "config",
	.summary = "show the effective settings and where each comes from",
	.argp = &argp,
	.config = true,
	.run = run,
};
