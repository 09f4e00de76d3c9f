#include <stdio.h>
#include <string.h>

#include "agent/model/model.h"
#include "base/sys/sys.h"
#include "cli/opt/box.h"
#include "cli/opt/cmd.h"
#include "cli/show/render.h"
#include "cli/show/table.h"
#include "cli/task/modelknown.h"
#include "cli/task/modelpick.h"

struct args {
	bool known;
};

static const struct table_column columns[] = {
	{ "MODEL", "model", TABLE_TEXT },	{ "CONTEXT", "context", TABLE_NUMBER },
	{ "WIRE", "wire", TABLE_TEXT },		{ "INPUT $/M", "input", TABLE_TEXT },
	{ "OUTPUT $/M", "output", TABLE_TEXT },
};

static const char *dollars(char *out, size_t size, const struct prices *p,
			   uint64_t micro)
{
	if (!p)
		return NULL;
	snprintf(out, size, "%llu.%02llu", (unsigned long long)(micro / 1000000),
		 (unsigned long long)(micro % 1000000 / 10000));
	return out;
}

struct list {
	struct table *table; /* borrowed, as the next one */
	const struct model_conf *conf;
	struct json *names; /* the same */
};

/* What is known of a model is what a task with it would go by. */
static int add_row(void *ctx, const char *name, uint64_t window, struct err *e)
{
	const struct list *l = ctx;
	struct model_conf conf = *l->conf;
	_cleanup_model_ struct model *m = NULL;
	const struct prices *p;
	char input[32], output[32];
	int r;

	conf.name = name;
	(void)json_add(l->names, json_string(name));
	r = model_new(&conf, &m, e);
	if (r < 0)
		return r;
	p = model_prices(m);
	table_add(
		l->table,
		(struct table_cell[]){
			{ .text = name },
			{ .n = (int64_t)(window ? window : model_window(m)) },
			{ .text = model_wire(m) },
			{ .text = dollars(input, sizeof(input), p, p ? p->input : 0) },
			{ .text = dollars(output, sizeof(output), p,
					  p ? p->output : 0) } });
	return 0;
}

static int list(const struct app *app, struct modelpick *pick, struct err *e)
{
	_cleanup_table_ struct table *t = table_new(columns, ARRAY_SIZE(columns));
	_cleanup_model_ struct model *m = NULL;
	_cleanup_json_ struct json *names = json_array();
	struct list l = { .conf = &pick->conf, .table = t, .names = names };
	int r;

	if (!pick->conf.name)
		pick->conf.name = "?"; /* a local server has no default */
	r = model_new(&pick->conf, &m, e);
	if (r < 0)
		return r;
	r = model_discover_list(m, add_row, &l, e);
	if (r < 0)
		return r;
	modelknown_keep(pick, names);
	r = table_show(t, app, sys_wall().tv_sec, "the service names no models",
		       "list the models", e);
	if (r < 0)
		return r;
	render_note(app, "prices, and contexts that the service does not tell, are "
			 "of " PRICES_DATE);
	return 0;
}

static int show_list(struct app *app, struct err *e)
{
	struct modelpick pick = { 0 };
	int r = modelpick_choose(app, -1, &pick, e) ?: list(app, &pick, e);

	modelpick_done(&pick);
	return r;
}

static int work(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;

	return a->known ? modelknown_show(app, e) : show_list(app, e);
}

static const struct cmd_option options[] = {
	{ "model", 0, "PROVIDER:", "the provider to ask, as for a task",
	  CMD_CONFIG(CONFIG_MODEL) },
	{ "known", 0, NULL,
	  "ask nobody: the names of the configuration, of the last answer of each "
	  "service, and of cubby's table of prices",
	  CMD_FLAG(struct args, known) },
	{ 0 },
};

const struct cmd cmd_models = {
	.name = "models",
	.group = CMD_TASKS,
	.summary = "list the models of a service",
	.doc = "List the models that the service says it has which a task would ask, "
	       "with what is known of each.",
	.options = options,
	.size = sizeof(struct args),
	.config = true,
	.failed = CMD_SERVICE,
	.work = work,
};
