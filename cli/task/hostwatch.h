/* hostwatch - what the host changes in a project under review while a task runs: the box
 * looks it up again.
 * Needs:  a box that is open; somebody who looks at hostwatch_aside() whenever they wait.
 * Owns:   a watch for each directory; of very many a clock instead.
 * Never:  enters a repository's .git, which the box takes from its beginning, or follows a
 *         link. */
#ifndef CLI_TASK_HOSTWATCH_H
#define CLI_TASK_HOSTWATCH_H

#include "base/aside.h"
#include "base/err.h"
#include "base/scope.h"
#include "cli/store/boxsetup.h"

enum {
	HOSTWATCH_DIRS = 4096, /* of the account's watches, which others need, too */
	HOSTWATCH_MS = 2000,   /* of the clock */
	HOSTWATCH_REST_MS = 50 /* from one look to the next */
};

struct hostwatch {
	const struct boxsetup *setup; /* borrowed */
	int project;		      /* borrowed */
	int fd;			      /* owned; -1 = nothing is watched */
	int epfd, rest;		      /* owned: of fd and the clock of its rests */
	uint64_t last_ms;
	unsigned failures; /* in a row */
	size_t n;
	bool clock; /* fd is one */
};
#define HOSTWATCH_NONE \
	((struct hostwatch){ .project = -1, .fd = -1, .epfd = -1, .rest = -1 })

/** hostwatch_open() - nothing where the box sees the project itself */
int hostwatch_open(const struct boxsetup *setup, int project, struct hostwatch *ret,
		   struct err *e);
void hostwatch_close(struct hostwatch *w);

/** hostwatch_aside() - ready NULL where nothing is watched */
struct aside hostwatch_aside(struct hostwatch *w);

#endif
