/* def - the few language helpers that every file may use.
 * Needs:  gcc or clang with gnu17.
 * Owns:   nothing.
 * Never:  grows into a private dialect; a facility has its own header. */
#ifndef BASE_DEF_H
#define BASE_DEF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

/* The first argument of a format function and where its values start. */
#define _printf_(fmt, args) __attribute__((format(printf, fmt, args)))
#define _unused_ __attribute__((unused))
#define _noreturn_ __attribute__((noreturn))
#define _fallthrough_ __attribute__((fallthrough))

/**
 * take() - yield the value of a variable and leave the empty value behind
 * @p:    address of the variable
 * @none: its empty value: NULL, -1 or a compound literal such as CGROUP_NONE
 *
 * The only way in which ownership leaves a block with a cleanup attribute.
 */
#define take(p, none)                           \
	({                                      \
		__typeof__(*(p)) taken_ = *(p); \
		*(p) = (none);                  \
		taken_;                         \
	})

#endif
