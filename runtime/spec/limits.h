/* limits - what a box may use; one meaning for options, state files and cgroups.
 * Needs:  nothing.
 * Owns:   nothing.
 * Never:  holds a default: zero is "not limited". */
#ifndef RUNTIME_SPEC_LIMITS_H
#define RUNTIME_SPEC_LIMITS_H

#include <stdint.h>

struct limits {
	uint64_t memory_bytes;
	uint64_t pids;	     /* processes and threads */
	uint32_t cpu_milli;  /* 1000 = one processor's whole time */
	uint64_t disk_bytes; /* of the box's upper layer */
};

#endif
