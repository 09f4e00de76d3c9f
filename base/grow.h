/* grow - lists that get longer by one, with room for a power of two.
 * Needs:  a list that only this makes longer; it may get shorter.
 * Owns:   nothing: the list is the caller's.
 * Never:  makes a list shorter; frees one. */
#ifndef BASE_GROW_H
#define BASE_GROW_H

#include <stdlib.h>

enum { GROW_FIRST = 8 };

static inline void *grow_list(void *list, size_t n, size_t size)
{
	if (n && (n < GROW_FIRST || (n & (n - 1))))
		return list;
	return realloc(list, (n ? 2 * n : GROW_FIRST) * size);
}

/**
 * grow_room() - is there room for one more now?
 * @list: NULL at first; it may move; to be freed with free()
 * @n:    how many it has: how much room there is follows from it
 * Return: false: no memory, and @list is as it was.
 */
#define grow_room(list, n)                                                     \
	({                                                                     \
		__typeof__(list) grown_ = grow_list(list, n, sizeof(*(list))); \
		if (grown_)                                                    \
			(list) = grown_;                                       \
		grown_ != NULL;                                                \
	})

#endif
