/* boxahead - start the box of a directory in a child, while the caller does something
 * else: an image may have to be pulled first, which takes minutes.
 * Needs:  a process without threads.
 * Owns:   the child: it holds the box open until boxahead_done().
 * Never:  opens the box for the caller: that is boxsetup_open(), which is quick then. */
#ifndef CLI_BOX_AHEAD_H
#define CLI_BOX_AHEAD_H

#include <sys/types.h>

#include "base/err.h"
#include "cli/opt/box.h"
#include "cli/show/app.h"

struct boxahead {
	pid_t pid; /* -1 = none */
	int said;  /* owned; -1 = none; readable: it is known how the start went */
	int hold;  /* owned; -1 = none; the child ends when it is closed */
};
#define BOXAHEAD_NONE ((struct boxahead){ .pid = -1, .said = -1, .hold = -1 })

struct boxahead_conf {
	/* "--memory=1G", of this box alone; NULL-ended; NULL = none */
	const char *const *options;
	bool unseen; /* nobody is told what acts on this machine: it is kept (acting.h) */
	unsigned files; /* descriptors that the box may have; 0 = as the caller */
};

/** boxahead_start() - begin; of the caller's descriptors the child keeps 0, 1 and 2 */
int boxahead_start(const struct app *app, const struct opt_box *o,
		   const struct boxahead_conf *conf, struct boxahead *ret,
		   struct err *e);

/** boxahead_result() - once said is readable: 0, or why there is no box */
int boxahead_result(struct boxahead *b, struct err *e);

/** boxahead_done() - end the child, whatever it does, and reap it */
void boxahead_done(struct boxahead *b);
#define _cleanup_boxahead_ _cleanup_(boxahead_done)

#endif
