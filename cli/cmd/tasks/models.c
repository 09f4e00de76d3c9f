#include "cli/opt/box.h"
#include "cli/opt/cmd.h"
#include "cli/task/modelknown.h"
#include "cli/task/modellist.h"

struct args {
	bool known;
};

static int work(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;

	return a->known ? modelknown_show(app, e) : modellist_show(app, e);
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
