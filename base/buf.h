/* buf - bytes that grow up to a stated maximum.
 * Needs:  a maximum from whoever makes one: there is no unlimited buffer.
 * Owns:   its storage, from the first byte to buf_done().
 * Never:  shrinks by itself; is left half-written: an addition that does not fit
 *         changes nothing. data is NUL-terminated whenever cap > 0.
 *
 * The first failure is remembered, so a text of many pieces is filled without a look at
 * each, and buf_failed() is asked once at its end. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdarg.h>

#include "base/def.h"
#include "base/scope.h"

struct buf {
	char *data; /* owned; NULL until the first byte */
	size_t len; /* bytes in use */
	size_t cap; /* bytes allocated */
	size_t max; /* the most that len may become */
	int failed; /* see buf_failed() */
};

#define BUF_INIT(limit) ((struct buf){ .max = (limit) })

void buf_init(struct buf *b, size_t max);
void buf_done(struct buf *b);
#define _cleanup_buf_ _cleanup_(buf_done)

/* All additions: 0, -EMSGSIZE (past the maximum) or -ENOMEM; nothing changed then. One
 * that fits is made all the same after another failed. */
int buf_add(struct buf *b, const void *data, size_t len);
int buf_addc(struct buf *b, char c);
int buf_adds(struct buf *b, const char *s);
int buf_addf(struct buf *b, const char *fmt, ...) _printf_(2, 3);
int buf_vaddf(struct buf *b, const char *fmt, va_list ap) _printf_(2, 0);

/** buf_failed() - 0, or how the first addition failed since the buffer was made, stolen
 *  or done; what is dropped takes no failure with it */
int buf_failed(const struct buf *b);
/** buf_fail() - something else that should have come into it failed with @r, which is
 *  returned; 0 changes nothing */
int buf_fail(struct buf *b, int r);

/**
 * buf_reserve() - make room for @n more bytes behind len, for a read into it
 * Return: 0, -EMSGSIZE or -ENOMEM. Afterwards data + len may take @n bytes; the
 *         caller then raises len with buf_commit().
 */
int buf_reserve(struct buf *b, size_t n);
void buf_commit(struct buf *b, size_t n);

/** buf_consume() - drop the first @n bytes (at most len) */
void buf_consume(struct buf *b, size_t n);

/** buf_truncate() - keep the first @len bytes */
void buf_truncate(struct buf *b, size_t len);

/** buf_cstr() - the content as a string; "" when empty; borrowed */
const char *buf_cstr(const struct buf *b);

/** buf_steal() - hand the storage to the caller (free() it); NULL when empty */
char *buf_steal(struct buf *b);

#endif
