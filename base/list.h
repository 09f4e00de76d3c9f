/* list - taking an element out of a list whose elements are linked by their member `next`.
 * Needs:  the variable that points to the first one.
 * Owns:   nothing: what is taken out is the caller's.
 * Never:  frees anything; reads behind the end. */
#ifndef BASE_LIST_H
#define BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

/** list_drop() - take @item out of the list that begins with @first; false: it is not in it */
#define list_drop(first, item)                              \
	({                                                  \
		__typeof__(&(first)) list_at_ = &(first);   \
		while (*list_at_ && *list_at_ != (item))    \
			list_at_ = &(*list_at_)->next;      \
		const bool list_found_ = *list_at_ != NULL; \
		if (list_found_)                            \
			*list_at_ = (*list_at_)->next;      \
		list_found_;                                \
	})

#endif
