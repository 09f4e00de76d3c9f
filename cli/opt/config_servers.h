/* config_servers - "mcp-servers": programs that are started in the box of a task, or outside
 * of it where the person's own file says so, whose tools its model has.
 * Needs:  the parsed configuration.
 * Owns:   nothing.
 * Never:  names a program of the host that a project asks for. */
#ifndef CLI_OPT_CONFIG_SERVERS_H
#define CLI_OPT_CONFIG_SERVERS_H

#include "cli/opt/config.h"

#define CONFIG_SERVERS "mcp-servers"

enum { CONFIG_SERVERS_MAX = 8, CONFIG_SERVERS_ARGS = 64 };

/** config_servers_check() - one member: {"command", "args"?, "env"?, "outside"?}, the first
 *  three as other clients have them; -EINVAL and what is wrong with it */
int config_servers_check(const struct json *server, struct err *e);

/** config_servers_outside() - it is to run on this computer, not in the box */
bool config_servers_outside(const struct json *server);

/** config_servers_find() - the nth server of the user and then of the project that agreed
 *  to it; NULL = there are no more. One that the user has too is his; borrowed */
const struct json *config_servers_find(const struct config *c, size_t nth);

#endif
