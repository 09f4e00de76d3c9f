/* sockets - what `cubby serve` listens on: the addresses of --listen, or what the service
 * manager passes.
 * Needs:  nothing.
 * Owns:   the sockets, and the directories of those that are paths.
 * Never:  leaves a path behind. */
#ifndef CLI_CMD_SERVERS_SOCKETS_H
#define CLI_CMD_SERVERS_SOCKETS_H

#include "agent/server/conf/listen.h"

struct app;

enum { SOCKETS_MAX = 8 };

struct sockets_asked {
	struct listen_address at[SOCKETS_MAX];
	unsigned n;
};

struct sockets {
	int fds[SOCKETS_MAX];		       /* owned */
	struct listen_address at[SOCKETS_MAX]; /* of the first @n_at; dir: owned */
	unsigned n, n_at;		       /* n_at: 0 = the service manager's */
};

/** sockets_ask() - one more address, such as "127.0.0.1:8000": 0, -EINVAL, -E2BIG */
int sockets_ask(struct sockets_asked *a, const char *text, struct err *e);

/** sockets_open() - all of @a, unless the service manager passes others
 *  Return: 0, or a negative errno: then none is open. */
int sockets_open(const struct sockets_asked *a, struct sockets *ret, struct err *e);

/** sockets_tell() - on standard output where they are, and the key, if it is to be shown */
void sockets_tell(const struct app *app, const struct sockets *s, bool tls,
		  const char *key);

void sockets_close(struct sockets *s);
#define _cleanup_sockets_ _cleanup_(sockets_close)

#endif
