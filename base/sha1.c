#include "base/sha1.h"

#include <string.h>

enum { BLOCK = 64, LENGTH_SIZE = 8 };

static uint32_t rotate(uint32_t v, int n)
{
	return v << n | v >> (32 - n);
}

/* FIPS 180-4, 6.1.2. */
static void add_block(uint32_t h[5], const uint8_t *p)
{
	uint32_t w[80], a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];

	for (int i = 0; i < 16; i++)
		w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 |
		       (uint32_t)p[4 * i + 2] << 8 | p[4 * i + 3];
	for (int i = 16; i < 80; i++)
		w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
	for (int i = 0; i < 80; i++) {
		uint32_t f, t;

		if (i < 20)
			f = ((b & c) | (~b & d)) + 0x5a827999;
		else if (i < 40)
			f = (b ^ c ^ d) + 0x6ed9eba1;
		else if (i < 60)
			f = ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
		else
			f = (b ^ c ^ d) + 0xca62c1d6;
		t = rotate(a, 5) + f + e + w[i];
		e = d;
		d = c;
		c = rotate(b, 30);
		b = a;
		a = t;
	}
	h[0] += a;
	h[1] += b;
	h[2] += c;
	h[3] += d;
	h[4] += e;
}

void sha1_digest(const void *data, size_t len, uint8_t ret[SHA1_SIZE])
{
	uint32_t h[5] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 };
	const uint8_t *p = data;
	uint8_t last[2 * BLOCK] = { 0 };
	size_t rest = len % BLOCK;
	size_t end = rest + 1 + LENGTH_SIZE <= BLOCK ? BLOCK : 2 * BLOCK;

	for (; len - (size_t)(p - (const uint8_t *)data) >= BLOCK; p += BLOCK)
		add_block(h, p);
	if (rest)
		memcpy(last, p, rest);
	last[rest] = 0x80;
	for (int i = 0; i < LENGTH_SIZE; i++)
		last[end - 1 - (size_t)i] = (uint8_t)((uint64_t)len * 8 >> 8 * i);
	add_block(h, last);
	if (end > BLOCK)
		add_block(h, last + BLOCK);
	for (int i = 0; i < SHA1_SIZE; i++)
		ret[i] = (uint8_t)(h[i / 4] >> 8 * (3 - i % 4));
}
