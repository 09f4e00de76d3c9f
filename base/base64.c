#include "base/base64.h"

#include <errno.h>
#include <string.h>

static const char set[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
			  "0123456789+/";

char *base64_text(char *out, const void *data, size_t len)
{
	const unsigned char *p = data;
	char *to = out;

	for (size_t i = 0; i < len; i += 3) {
		unsigned n = (unsigned)p[i] << 16;

		if (i + 1 < len)
			n |= (unsigned)p[i + 1] << 8;
		if (i + 2 < len)
			n |= p[i + 2];
		for (unsigned k = 0; k < 4; k++)
			*to++ = i + k > len ? '=' : set[n >> (18 - 6 * k) & 63];
	}
	*to = '\0';
	return out;
}

int base64_add(struct buf *out, const void *data, size_t len)
{
	size_t n = BASE64_SIZE(len) - 1;
	int r = buf_reserve(out, n);

	if (r < 0)
		return r;
	base64_text(out->data + out->len, data, len);
	buf_commit(out, n);
	return 0;
}

/* Four characters, of which the last @pad are padding. */
static int get_four(struct buf *out, const char four[4], unsigned pad)
{
	unsigned n = 0;

	for (unsigned k = 0; k < 4; k++) {
		const char *p =
			k < 4 - pad ? memchr(set, four[k], sizeof(set) - 1) : set;

		if (!p)
			return -EINVAL;
		n = n << 6 | (unsigned)(p - set);
	}
	return buf_add(out, (char[]){ (char)(n >> 16), (char)(n >> 8), (char)n },
		       3 - pad);
}

int base64_get(struct buf *out, const char *text, size_t len)
{
	unsigned n = 0, pad = 0;
	char four[4];
	int r = 0;

	for (size_t i = 0; i < len && r == 0; i++) {
		if (memchr(" \t\r\n", text[i], 4))
			continue;
		if (pad && (text[i] != '=' || n == 0))
			return -EINVAL;
		pad += text[i] == '=';
		four[n++] = text[i];
		if (pad > 2)
			return -EINVAL;
		if (n == 4)
			r = get_four(out, four, pad);
		n %= 4;
	}
	return r < 0 ? r : n ? -EINVAL : 0;
}
