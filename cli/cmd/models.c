#include "cli/opt/box.h"
#include "cli/opt/cmd.h"
#include "cli/task/modellist.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	if (key == OPT_BOX_CONFIG + CONFIG_MODEL)
		return opt_box_config(key, arg, state);
	return cmd_no_operands(key, arg, state);
}

static const struct argp_option options[] = {
	{ "model", OPT_BOX_CONFIG + CONFIG_MODEL, "PROVIDER:", 0,
	  "the provider to ask, as for a task", 0 },
	{ 0 },
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.doc = "List the models that the service says it has which a task would ask, "
	       "with "
	       "what is known of each.",
};

static int run(struct app *app, int argc, char **argv)
{
	struct err e = ERR_NONE;
	int r = cmd_parse(app, &cmd_models, argc, argv, NULL);

	if (r != CMD_GO)
		return r;
	return modellist_show(app, &e) < 0 ? cmd_fail(app, &e, CMD_SERVICE) : 0;
}

const struct cmd cmd_models = {
	.name = "models",
	.summary = "list the models of a service",
	.argp = &argp,
	.config = true,
	.run = run,
};
