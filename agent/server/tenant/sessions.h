/* sessions - where the sessions of a box are: their working directories, by name, kept in
 * the box's directory of the store, so that a server that is started anew knows them, too.
 * Needs:  nothing; to keep them, the directory of the box in the store (not in the box).
 * Owns:   copies of names and paths, the 256 that were used last.
 * Never:  believes that a directory is still there. */
#ifndef AGENT_SERVER_TENANT_SESSIONS_H
#define AGENT_SERVER_TENANT_SESSIONS_H

#include <stdbool.h>

#include "base/err.h"

#define SESSIONS_FILE "sessions.json"

struct session;

struct sessions {
	struct session *first; /* owned; the last used first */
};

void sessions_done(struct sessions *all);
/** sessions_get() - the path of one; NULL = it is not known. Valid until the next call */
const char *sessions_get(struct sessions *all, const char *name);
/** sessions_set() - true = it was not there before */
bool sessions_set(struct sessions *all, const char *name, const char *path);
/** sessions_load() - behind those that there are; -EINVAL: it is no file of ours */
int sessions_load(struct sessions *all, int dirfd, struct err *e);
/** sessions_save() - the last used of them, of 64 KiB together */
int sessions_save(const struct sessions *all, int dirfd, struct err *e);

#endif
