/* netwho - which process of the box holds a socket, found by the socket's number.
 * Needs:  the host's /proc with the "children" of tasks (CONFIG_PROC_CHILDREN); to be the
 *         user whose box it is. A process of its own: it enters the box's user namespace,
 *         for only there it may look at the descriptors of every user of the box.
 * Owns:   nothing between two questions but the numbers of those it found last.
 * Never:  believes what it reads: a name is bytes, a search is bounded; enters the box's
 *         file system or any namespace but the one of its users. */
#ifndef RUNTIME_NETWHO_H
#define RUNTIME_NETWHO_H

#include <stdint.h>
#include <sys/types.h>

#include "base/def.h"

enum {
	NETWHO_NAME = 16,	   /* TASK_COMM_LEN, its end included */
	NETWHO_PROCESSES = 4096,   /* looked at for one question, … */
	NETWHO_DESCRIPTORS = 20000 /* … and descriptors of all of them together */
};

struct netwho_query {
	uint32_t id;
	uint32_t inode; /* of the socket, as sock_diag says */
	int32_t root;	/* the box's first process, as the host numbers it */
};

struct netwho {
	uint32_t id;
	int32_t pid;		/* as the box numbers it; 0 = not known */
	char name[NETWHO_NAME]; /* any bytes, as the program wants to be called */
};

/** netwho_find() - @q.root and what descends from it; @ret.pid 0 when none has it */
void netwho_find(const struct netwho_query *q, struct netwho *ret);

/** netwho_serve() - answer struct netwho_query with struct netwho on @fd until it
 *  closes, or until nobody has asked for NETWHO_IDLE_MS */
enum { NETWHO_IDLE_MS = 10000 };
void netwho_serve(int fd) _noreturn_;

#endif
