/* config_box - the options that stay with a box, in its box.json.
 * Needs:  an initialised configuration.
 * Owns:   nothing: the configuration keeps a copy of what was loaded.
 * Never:  fails on an option that another version of cubby wrote.
 *
 * They stand between the configuration file and the environment: what a person set for
 * this one box is meant more than what holds for all. */
#ifndef CLI_OPT_CONFIG_BOX_H
#define CLI_OPT_CONFIG_BOX_H

#include "cli/opt/config.h"

/** config_box_find() - the key of a setting that may stay with a box; -EINVAL: there is
 *  none of that name, with the nearest */
int config_box_find(const char *name, struct err *e);

/** config_box_load() - take the values of @options, an object; NULL = there are none */
int config_box_load(struct config *c, const struct json *options, struct err *e);

/**
 * config_box_save() - put what flags set for the box into @options, an object
 * Return: 1 = something changed, 0 = nothing did, -ENOMEM.
 */
int config_box_save(const struct config *c, struct json *options);

#endif
