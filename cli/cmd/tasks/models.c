#include "cli/opt/box.h"
#include "cli/opt/cmd.h"
#include "cli/task/modellist.h"

static int work(struct app *app, void *, struct err *e)
{
	return modellist_show(app, e);
}

static const struct cmd_option options[] = {
	{ "model", 0, "PROVIDER:", "the provider to ask, as for a task",
	  CMD_CONFIG(CONFIG_MODEL) },
	{ 0 },
};

const struct cmd cmd_models = {
	.name = "models",
	.group = CMD_TASKS,
	.summary = "list the models of a service",
	.doc = "List the models that the service says it has which a task would ask, "
	       "with what is known of each.",
	.options = options,
	.config = true,
	.failed = CMD_SERVICE,
	.work = work,
};
