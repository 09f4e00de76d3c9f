/* nonce - names and secrets that nobody has guessed: random hexadecimal digits.
 * Needs:  the kernel's random bytes.
 * Owns:   nothing.
 * Never:  returns fewer than it was asked for. */
#ifndef BASE_NONCE_H
#define BASE_NONCE_H

#include <stdio.h>

#include "base/err.h"
#include "base/sys/sys.h"

enum { NONCE_MOST = 64 };

/** nonce_make() - as many digits as fit in front of the NUL: 2, 4, … NONCE_MOST; 0 or -EIO */
static inline int nonce_make(char *ret, size_t size, struct err *e)
{
	unsigned char bytes[NONCE_MOST / 2];
	const size_t n = (size - 1) / 2;

	if (sys_getrandom(bytes, n) != (ssize_t)n)
		return err_set(e, -EIO, "no random bytes");
	for (size_t i = 0; i < n; i++)
		snprintf(ret + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

#endif
