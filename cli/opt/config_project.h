/* config_project - what .cubby/box.json of a project says about its box: settings, packages,
 * setup, services. The box can write that file, so what would widen the box holds only after
 * the person agreed to that very text; what narrows it, and what happens inside, holds at
 * once.
 * Needs:  an initialised configuration.
 * Owns:   nothing: the configuration keeps the value.
 * Never:  takes a value from the host's environment; lets a list of the person's own denials
 *         get shorter. */
#ifndef CLI_OPT_CONFIG_PROJECT_H
#define CLI_OPT_CONFIG_PROJECT_H

#include "cli/opt/config.h"

#define CONFIG_PROJECT_FILE ".cubby/box.json"
enum { CONFIG_PROJECT_MAX = 64 << 10 /* bytes */ };

/**
 * config_project_load() - check the text and take its settings
 * @agreed: the person agreed to this text: also what widens
 * @widens: a line is added for each member that widens the box, agreed to or not
 *
 * Return: 0; -EINVAL with what is wrong (nothing was taken); -EMSGSIZE; -ENOMEM.
 */
int config_project_load(struct config *c, const char *text, size_t len, bool agreed,
			struct buf *widens, struct err *e);

#endif
