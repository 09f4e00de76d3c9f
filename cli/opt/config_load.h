/* config_load - values from the configuration file, JSON whose mistakes are named with
 * their line, and from the environment.
 * Needs:  config_init() was called.
 * Owns:   nothing: the parsed file goes to the struct config.
 * Never:  passes over a member that it does not know. */
#ifndef CLI_OPT_CONFIG_LOAD_H
#define CLI_OPT_CONFIG_LOAD_H

#include <stddef.h>

#include "cli/opt/config.h"

/** config_load() - the file, then CUBBY_NAME for each row; flags set before win */
int config_load(struct config *c, struct err *e);

/**
 * config_load_text() - take every member of a configuration text; pure
 * @name: of the file, for messages: "NAME:LINE: what is wrong"
 *
 * Return: 0, -EINVAL (syntax, unknown key, wrong type, bad value), -ENOMEM.
 */
int config_load_text(struct config *c, const char *name, const char *text, size_t len,
		     struct err *e);

/** config_load_env() - an --env for each line of @text; blank ones and those that begin
 *  with '#' are none. @name: as above */
int config_load_env(struct config *c, const char *name, const char *text,
		    struct err *e);

#endif
