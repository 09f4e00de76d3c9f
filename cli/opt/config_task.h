/* config_task - the options of a task, in its transcript: who goes on with it goes on with
 * them, unless told otherwise.
 * Needs:  nothing.
 * Owns:   nothing; what is loaded belongs to the configuration.
 * Never:  keeps a key, or a value of --env. */
#ifndef CLI_OPT_CONFIG_TASK_H
#define CLI_OPT_CONFIG_TASK_H

#include "cli/opt/config.h"

/** config_task_save() - the options as an object, defaults included
 *  @model: "PROVIDER:NAME", which the configuration may not have said; NULL = none */
struct json *config_task_save(const struct config *c, const char *model);

/** config_task_load() - take the values of @settings, an object of config_task_save();
 *  anything else is none. Only flags are stronger. Return: 0 or -ENOMEM */
int config_task_load(struct config *c, const struct json *settings, struct err *e);

#endif
