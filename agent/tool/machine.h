/* machine - what a model would else have to find out in the first turns: the system, and
 * which programs are there.
 * Needs:  a running box with a shell.
 * Owns:   nothing.
 * Never:  takes a word of the box's that is not made of plain letters: it is said to the
 *         model as ours. */
#ifndef AGENT_TOOL_MACHINE_H
#define AGENT_TOOL_MACHINE_H

#include "base/buf.h"

struct toolbox;

struct machine {
	struct buf
		system; /* owned: "Ubuntu 24.04 LTS, apt-get, x86_64, 2 processors" */
	struct buf programs; /* owned: "there are bash git …; there are not gcc …" */
};
#define MACHINE_NONE ((struct machine){ BUF_INIT(400), BUF_INIT(1000) })
void machine_done(struct machine *m);

/**
 * machine_look() - ask the box's sh; empty texts when that does not work
 *
 * It is asked at each start of a task: that takes some milliseconds, and is always true.
 * What was found is not kept: a program comes and goes by an unlink, a mode, a link far from
 * its name, the image's PATH and what a volume shows, and to ask after all of these takes as
 * long as to look.
 */
void machine_look(struct toolbox *t, struct machine *ret);

/** machine_read() - what the script printed, on a kernel for @arch; pure */
void machine_read(const char *said, const char *arch, struct machine *ret);

#endif
