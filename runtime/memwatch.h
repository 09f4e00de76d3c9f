/* memwatch - the memory limit of a box for which no cgroup keeps it: adds up what the
 * box's processes hold, and kills the biggest when that is too much (KERNEL.md 5.1).
 * Needs:  the box's own /proc, reached through its init; the rights over its processes
 *         that the maker of their user namespace has.
 * Owns:   a descriptor of that /proc.
 * Never:  kills init or anything outside the box: it signals descriptors of processes,
 *         not numbers; counts files that nobody has mapped, as a cgroup would. */
#ifndef RUNTIME_MEMWATCH_H
#define RUNTIME_MEMWATCH_H

#include <stdint.h>
#include <sys/types.h>

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

/** memwatch_open() - watch the box of @init; 0 or a negative errno */
int memwatch_open(pid_t init, uint64_t limit, struct memwatch *ret, struct err *e);
void memwatch_close(struct memwatch *w);

/** memwatch_look() - look once, and kill if need be. Return: milliseconds until the next
 *  look is due: the less is left, the sooner. */
unsigned memwatch_look(struct memwatch *w);

/** memwatch_pss() - bytes of the line "Pss:" of a smaps_rollup; -1 = there is none */
int64_t memwatch_pss(const char *text);

#endif
