/* grow - lists that get longer by one, with room for a power of two.
 * Needs:  a list that only this makes longer; it may get shorter.
 * Owns:   nothing: the list is the caller's.
 * Never:  makes a list shorter; frees one. */
#ifndef BASE_GROW_H
#define BASE_GROW_H

#include <stdlib.h>

enum { GROW_FIRST = 8 };

/**
 * grow_list() - room for one more
 * @list: what was returned before; NULL at first
 * @n:    how many it has: how much room there is follows from it
 * @size: bytes of one
 * Return: the list, to be freed with free(); NULL: no memory, and @list is as it was.
 */
static inline void *grow_list(void *list, size_t n, size_t size)
{
	if (n && (n < GROW_FIRST || (n & (n - 1))))
		return list;
	return realloc(list, (n ? 2 * n : GROW_FIRST) * size);
}

#endif
