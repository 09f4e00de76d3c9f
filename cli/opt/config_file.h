/* config_file - read the configuration file: JSON whose mistakes are named with their
 * line. Pure: text in, values out.
 * Needs:  config_init() was called.
 * Owns:   nothing: the parsed file goes to the struct config.
 * Never:  passes over a member that it does not know. */
#ifndef CLI_OPT_CONFIG_FILE_H
#define CLI_OPT_CONFIG_FILE_H

#include <stddef.h>

#include "cli/opt/config.h"

/**
 * config_file_parse() - take every member of a configuration text
 * @name: of the file, for messages: "NAME:LINE: what is wrong"
 *
 * Return: 0, -EINVAL (syntax, unknown key, wrong type, bad value), -ENOMEM.
 */
int config_file_parse(struct config *c, const char *name, const char *text, size_t len,
		      struct err *e);

/** config_file_line() - line (from 1) of the member @key of the outermost object, or of
 *  its member @inner when that is not NULL; 1 when there is none */
unsigned config_file_line(const char *text, size_t len, const char *key,
			  const char *inner);

#endif
