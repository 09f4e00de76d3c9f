/* err - a failure is a value: a negative errno and one line for a person.
 * Needs:  nothing.
 * Owns:   nothing; a struct err lives on its caller's stack.
 * Never:  allocates, logs or prints. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <limits.h>

#include "base/def.h"

struct err {
	int code;      /* negative errno; 0 = unset */
	char msg[508]; /* "outer: inner: reason", always NUL-terminated */
};
_Static_assert(sizeof(struct err) <= PIPE_BUF, "must cross a pipe atomically");

#define ERR_NONE ((struct err){ 0 })
/* For a call that fails without anybody asking why. */
#define ERR_IGNORED (&ERR_NONE)

/**
 * err_sys() - fill @e with a formatted text followed by ": " and errno's text
 * @e:    filled
 * @code: negative errno
 *
 * Return: @code, so that a caller can return the call itself.
 */
int err_sys(struct err *e, int code, const char *fmt, ...) _printf_(3, 4);

/**
 * err_set() - fill @e with a formatted text that already says why
 * Return: @code (negative errno).
 */
int err_set(struct err *e, int code, const char *fmt, ...) _printf_(3, 4);

/**
 * err_wrap() - put what the caller was doing in front, as "text: "; keeps the code
 *
 * A text that no longer fits loses its end, never its start.
 * Return: the code that @e already holds.
 */
int err_wrap(struct err *e, const char *fmt, ...) _printf_(2, 3);

/**
 * err_hint() - append "; remedy" to a filled @e
 * Return: the code that @e already holds.
 */
int err_hint(struct err *e, const char *fmt, ...) _printf_(2, 3);

/** err_is_shortage() - too little room, memory or descriptors, or a disk that fails: what comes
 *  next fares no better, and a box may be who used it up */
bool err_is_shortage(int code);

/* Analysers look at one source at a time; this is what they have to know of err.c, or
 * they follow each failure on as if it had been a success. */
#if defined(__clang_analyzer__) || defined(CUBBY_ANALYZE)
#define err_code_known(call, code)               \
	({                                       \
		int err_code_ = (code);          \
		(void)(call);                    \
		if (err_code_ >= 0)              \
			__builtin_unreachable(); \
		err_code_;                       \
	})
#define err_sys(e, code, ...) err_code_known((err_sys)(e, code, __VA_ARGS__), code)
#define err_set(e, code, ...) err_code_known((err_set)(e, code, __VA_ARGS__), code)
#define err_wrap(e, ...) err_code_known((err_wrap)(e, __VA_ARGS__), (e)->code)
#define err_hint(e, ...) err_code_known((err_hint)(e, __VA_ARGS__), (e)->code)
#endif

#endif
