/* gitwatch - tells when something that git obeys appears in the project directory itself:
 * a .git, its configuration, a hook, or what makes the directory a bare repository.
 * Needs:  inotify; the project as a descriptor.
 * Owns:   its descriptor.
 * Never:  says what it is, nor misses it: when in doubt a look is due. */
#ifndef RUNTIME_MONITOR_GITWATCH_H
#define RUNTIME_MONITOR_GITWATCH_H

#include "base/def.h"

struct gitwatch {
	int project;		       /* borrowed */
	int notify;		       /* owned; -1 = none */
	int on_root, on_git, on_hooks; /* watches of it; negative = none */
};
#define GITWATCH_NONE ((struct gitwatch){ -1, -1, -1, -1, -1 })

/** gitwatch_open() - return: the descriptor to wait for, borrowed, or a negative errno */
int gitwatch_open(int project, struct gitwatch *ret);
void gitwatch_close(struct gitwatch *w);

/** gitwatch_seen() - read what there is: whether a look is due */
bool gitwatch_seen(struct gitwatch *w);

#endif
