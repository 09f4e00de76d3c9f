/* gate_owner - which process of the box holds a socket, found by the socket's number.
 * Needs:  the host's /proc with the "children" of tasks (CONFIG_PROC_CHILDREN); to be the
 *         user whose box it is. A process of its own: it enters the box's user namespace,
 *         for only there it may look at the descriptors of every user of the box.
 * Owns:   nothing between two questions but the numbers of those it found last.
 * Never:  believes what it reads: a name is bytes, a search is bounded; enters the box's
 *         file system or any namespace but the one of its users. */
#ifndef RUNTIME_GATE_OWNER_H
#define RUNTIME_GATE_OWNER_H

#include <stdint.h>
#include <sys/types.h>

#include "base/def.h"

enum {
	GATE_OWNER_NAME = 16,	       /* TASK_COMM_LEN, its end included */
	GATE_OWNER_PROCESSES = 4096,   /* looked at for one question, … */
	GATE_OWNER_DESCRIPTORS = 20000 /* … and descriptors of all of them together */
};

struct gate_owner_query {
	uint32_t id;
	uint32_t inode; /* of the socket, as sock_diag says */
	int32_t root;	/* the box's first process, as the host numbers it */
};

struct gate_owner {
	uint32_t id;
	int32_t pid;		    /* as the box numbers it; 0 = not known */
	char name[GATE_OWNER_NAME]; /* any bytes, as the program wants to be called */
};

/** gate_owner_find() - @q.root and what descends from it; @ret.pid 0 when none has it */
void gate_owner_find(const struct gate_owner_query *q, struct gate_owner *ret);

/** gate_owner_serve() - answer struct gate_owner_query with struct gate_owner on @fd until it
 *  closes, or until nobody has asked for GATE_OWNER_IDLE_MS */
enum { GATE_OWNER_IDLE_MS = 10000 };
void gate_owner_serve(int fd) _noreturn_;

#endif
