/* memwatch - the memory limit of a box for which no cgroup keeps it: adds up what the
 * box's processes hold, and kills the biggest when that is too much (KERNEL.md 5.1).
 * Needs:  the box's own /proc, opened by its init: the way to it from outside may be
 *         closed (chmod 000 /); the rights over its processes that the maker of their
 *         user namespace has.
 * Owns:   a descriptor of that /proc.
 * Never:  kills init or anything outside the box: it signals descriptors of processes,
 *         not numbers; counts files that nobody has mapped, as a cgroup would. */
#ifndef RUNTIME_MEMWATCH_H
#define RUNTIME_MEMWATCH_H

#include <stdint.h>

#include "base/err.h"

struct memwatch {
	int proc;	     /* owned; -1 = not watching */
	uint64_t limit;	     /* bytes */
	uint64_t used, peak; /* bytes, of the looks so far */
	uint64_t pids;	     /* processes at the last look */
	uint64_t kills;
	char victim[16];   /* killed last, by its number in the box; "" = none */
	unsigned patience; /* looks until another is killed, if that one does not go */
};
#define MEMWATCH_NONE ((struct memwatch){ .proc = -1 })

/** memwatch_open() - watch the processes of @proc, a /proc, which becomes the watch's, on
 *  failure too. Return: 0; -EBADMSG (it is something else). */
int memwatch_open(int proc, uint64_t limit, struct memwatch *ret, struct err *e);
void memwatch_close(struct memwatch *w);

/** memwatch_look() - look once, and kill if need be. Return: milliseconds until the next
 *  look is due: the less is left, the sooner. */
unsigned memwatch_look(struct memwatch *w);

/** memwatch_pss() - bytes of the line "Pss:" of a smaps_rollup; -1 = there is none */
int64_t memwatch_pss(const char *text);

#endif
