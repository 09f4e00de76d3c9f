/* scope - what a block acquires, the block releases.
 * Needs:  the cleanup attribute of gcc and clang.
 * Owns:   nothing.
 * Never:  changes errno: a destructor must not hide the error being returned. */
#ifndef BASE_SCOPE_H
#define BASE_SCOPE_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/def.h"

#define _cleanup_(f) __attribute__((cleanup(f)))

/** scope_close() - close it, if it is one, and mark it empty */
static inline void scope_close(int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		close(*fd); /* never retried: Linux has freed the number already */
	*fd = -1;
	errno = saved;
}

static inline void scope_free(void *p)
{
	free(*(void **)p);
}

#define _cleanup_close_ _cleanup_(scope_close)
#define _cleanup_free_ _cleanup_(scope_free)

/**
 * scope_close_set() - close every descriptor of an array and mark it empty
 * @fds: array of descriptors; -1 marks an empty place
 * @n:   number of places
 */
static inline void scope_close_set(int *fds, size_t n)
{
	for (size_t i = 0; i < n; i++)
		scope_close(&fds[i]);
}

#endif
