#include "base/base64.h"

int base64_add(struct buf *out, const void *data, size_t len)
{
	static const char set[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				  "0123456789+/";
	const unsigned char *p = data;
	int r = buf_reserve(out, (len + 2) / 3 * 4);

	for (size_t i = 0; i < len && r == 0; i += 3) {
		unsigned n = (unsigned)p[i] << 16;
		char four[4];

		if (i + 1 < len)
			n |= (unsigned)p[i + 1] << 8;
		if (i + 2 < len)
			n |= p[i + 2];
		for (unsigned k = 0; k < 4; k++)
			four[k] = i + k > len ? '=' : set[n >> (18 - 6 * k) & 63];
		r = buf_add(out, four, sizeof(four));
	}
	return r;
}
