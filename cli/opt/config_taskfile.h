/* config_taskfile - values that a project brings along, .cubby/config.json.
 * Needs:  config_load() has filled the configuration; the person agreed to the text.
 * Owns:   nothing: the parsed file goes to the struct config.
 * Never:  widens what a box reaches, sees or uses: the table says what may be set, and how.
 *
 * What the person said by a flag, in the environment or for the box wins. */
#ifndef CLI_OPT_CONFIG_TASKFILE_H
#define CLI_OPT_CONFIG_TASKFILE_H

#include <stddef.h>

#include "cli/opt/config.h"

#define CONFIG_TASKFILE ".cubby/config.json"

/**
 * config_taskfile_load() - take every member of the text, or none
 * Return: 0; -EINVAL (syntax, a bad value); -EPERM (a member that a project may not set,
 *         or not so); -ENOMEM.
 */
int config_taskfile_load(struct config *c, const char *text, size_t len, struct err *e);

#endif
