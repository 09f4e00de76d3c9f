/* servers - the MCP servers of the configuration, as tools of a task's model.
 * Needs:  a box; the configuration, with what the project's may add.
 * Owns:   their programs, in the box or outside, from servers_start() to servers_done().
 * Never:  keeps a task from beginning: a server that fails is a line for the person. */
#ifndef CLI_TASK_SERVERS_H
#define CLI_TASK_SERVERS_H

#include "agent/mcp/outside.h"
#include "cli/opt/config_servers.h"
#include "cli/show/app.h"

struct servers {
	struct server {
		struct mcp_client *client; /* owned */
		const char **argv; /* owned; the words are the configuration's */
		char **env;	   /* owned, and so is each */
		const char *name;
		struct mcp_outside outside; /* owned; its program, of some */
	} v[CONFIG_SERVERS_MAX];
	size_t n;
};
#define SERVERS_NONE ((struct servers){ .n = 0 })
void servers_done(struct servers *s);

/** servers_start() - run them; they get ready while the caller does something else
 *  @project: real path; no program of it runs outside of the box
 *  @conf:    what they have in common; env = that of the session */
int servers_start(const struct app *app, const char *project,
		  const struct mcp_client_conf *conf, struct servers *s, struct err *e);

/** servers_offer() - their tools become tools of @t */
void servers_offer(const struct app *app, struct servers *s, struct toolbox *t);

#endif
