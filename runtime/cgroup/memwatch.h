/* memwatch - the limits of memory and of processes of a box for which no cgroup keeps
 * them: adds up what the box holds, and ends the biggest process, or the newest ones, when
 * that is too much.
 * Needs:  descriptors that the box's init has opened: the way to these from outside may be
 *         closed (chmod 000 /); the rights over the box's processes that the maker of
 *         their user namespace has.
 * Owns:   nothing: these descriptors are borrowed.
 * Never:  kills init or anything outside the box: it signals descriptors of processes,
 *         not numbers; believes a name or number that a program of the box has written. */
#ifndef RUNTIME_CGROUP_MEMWATCH_H
#define RUNTIME_CGROUP_MEMWATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/* What is watched by. Of these only the first must be there. */
enum {
	MEMWATCH_PROC, /* the box's /proc */
	MEMWATCH_TMP,  /* its memory filesystem (mount/kernel.h) */
	MEMWATCH_SHM,  /* /proc/sysvipc/shm of its ipc namespace */
	MEMWATCH_SEM,  /* … and sem, */
	MEMWATCH_MSG,  /* … and msg */
	MEMWATCH_FDS
};
#define MEMWATCH_NO_FD             \
	{                          \
		-1, -1, -1, -1, -1 \
	}

struct memwatch_conf {
	uint64_t memory; /* bytes; 0 = not watched */
	uint64_t pids;	 /* processes and threads; 0 = not watched */
};

struct memwatch {
	int fds[MEMWATCH_FDS]; /* borrowed; [MEMWATCH_PROC] -1 = not watching */
	struct memwatch_conf limit;
	dev_t shmem;	     /* of files that nobody has given a name (memfds) */
	uint64_t used, peak; /* bytes, of the looks so far */
	uint64_t kernel;     /* of used: what only the kernel has */
	uint64_t pids;	     /* processes and threads at the last look */
	uint64_t kills;	     /* for memory */
	uint64_t pid_kills;  /* for their number */
	char victim[16];     /* killed last, by its number in the box; "" = none */
	unsigned patience; /* looks until another is killed, if that one does not go */
	uint64_t pids_killed;  /* how many there were when some were killed last */
	unsigned pid_patience; /* looks until more are, if those do not go */
	unsigned stuck; /* looks beyond the limit in a row with nobody left to kill */
};
#define MEMWATCH_NONE ((struct memwatch){ .fds = MEMWATCH_NO_FD })

/** memwatch_open() - watch a box by @fds
 *  Return: 0; -EBADMSG (one of them is something else). */
int memwatch_open(const int fds[MEMWATCH_FDS], const struct memwatch_conf *limit,
		  struct memwatch *ret, struct err *e);

/** memwatch_look() - look once, and kill if need be. Return: milliseconds until the next
 *  look is due: the less is left, the sooner. */
unsigned memwatch_look(struct memwatch *w);

/** memwatch_is_lost() - what is too much lies where no process holds it: nothing helps but
 *  the end of the box */
bool memwatch_is_lost(const struct memwatch *w);

/* ---- what the kernel writes, for tests: pure ---------------------------------------- */

struct memwatch_process {
	uint64_t bytes;	  /* resident or shares of it, with what is swapped out and the
			     tables of it all */
	uint64_t shmem;	  /* of these: memory that is a file or is shared */
	uint64_t tables;  /* of these: of pages; 0 = not said, as by a rollup */
	uint64_t threads; /* 0 = not said */
};

/** memwatch_status() - of /proc/PID/status; -EBADMSG: cut off before what is needed, which
 *  long lists of groups can do */
int memwatch_status(const char *text, struct memwatch_process *ret);
/** memwatch_rollup() - of smaps_rollup: shares, not what is resident; -EBADMSG */
int memwatch_rollup(const char *text, struct memwatch_process *ret);
/** memwatch_sysv() - bytes of all segments of /proc/sysvipc/shm */
uint64_t memwatch_sysv(const char *text);
/** memwatch_column() - the sum of the @n-th column of all lines but the first (from 0), and
 *  @each for every line */
uint64_t memwatch_column(const char *text, unsigned n, uint64_t each);

#endif
