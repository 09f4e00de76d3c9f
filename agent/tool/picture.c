#include "agent/tool/picture.h"

#include <string.h>

static uint32_t big(const unsigned char *p, unsigned n)
{
	uint32_t v = 0;

	for (unsigned i = 0; i < n; i++)
		v = v << 8 | p[i];
	return v;
}

static uint32_t little(const unsigned char *p, unsigned n)
{
	uint32_t v = 0;

	for (unsigned i = n; i > 0; i--)
		v = v << 8 | p[i - 1];
	return v;
}

static void png(const unsigned char *p, size_t len, struct picture *ret)
{
	if (len < 24 || memcmp(p + 12, "IHDR", 4) != 0)
		return;
	ret->width = big(p + 16, 4);
	ret->height = big(p + 20, 4);
}

static void gif(const unsigned char *p, size_t len, struct picture *ret)
{
	if (len < 10)
		return;
	ret->width = little(p + 6, 2);
	ret->height = little(p + 8, 2);
}

/* The first frame header (SOF0 to SOF15, less DHT, JPG and DAC) among the segments. */
static void jpeg(const unsigned char *p, size_t len, struct picture *ret)
{
	size_t at = 2;

	while (at + 9 <= len && p[at] == 0xff) {
		unsigned char kind = p[at + 1];
		size_t n = big(p + at + 2, 2);

		if (kind == 0xff) { /* filler */
			at++;
			continue;
		}
		if (kind >= 0xc0 && kind <= 0xcf && kind != 0xc4 && kind != 0xc8 &&
		    kind != 0xcc) {
			ret->height = big(p + at + 5, 2);
			ret->width = big(p + at + 7, 2);
			return;
		}
		if (kind == 0xda || n < 2)
			return;
		at += 2 + n;
	}
}

static void webp(const unsigned char *p, size_t len, struct picture *ret)
{
	if (len < 30)
		return;
	if (memcmp(p + 12, "VP8X", 4) == 0) {
		ret->width = little(p + 24, 3) + 1;
		ret->height = little(p + 27, 3) + 1;
	} else if (memcmp(p + 12, "VP8L", 4) == 0 && p[20] == 0x2f) {
		uint32_t bits = little(p + 21, 4);

		ret->width = (bits & 0x3fff) + 1;
		ret->height = (bits >> 14 & 0x3fff) + 1;
	} else if (memcmp(p + 12, "VP8 ", 4) == 0) {
		ret->width = little(p + 26, 2) & 0x3fff;
		ret->height = little(p + 28, 2) & 0x3fff;
	}
}

bool picture_read(const void *data, size_t len, struct picture *ret)
{
	static const struct {
		const char *magic;
		size_t len, at;
		const char *name, *mime;
		void (*size)(const unsigned char *p, size_t len, struct picture *ret);
	} rows[] = {
		{ "\x89PNG\r\n\x1a\n", 8, 0, "PNG", "image/png", png },
		{ "\xff\xd8\xff", 3, 0, "JPEG", "image/jpeg", jpeg },
		{ "GIF8", 4, 0, "GIF", "image/gif", gif },
		{ "WEBP", 4, 8, "WebP", "image/webp", webp },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (len < rows[i].at + rows[i].len ||
		    memcmp((const char *)data + rows[i].at, rows[i].magic,
			   rows[i].len) != 0)
			continue;
		*ret = (struct picture){ rows[i].name, rows[i].mime, 0, 0 };
		rows[i].size(data, len, ret);
		return true;
	}
	return false;
}
