#include "rootfs/review/patch_binary.h"

#include <string.h>

#include "base/sha1.h"

enum {
	LINE = 52 /* bytes in one */,
	STORED = 65535 /* in a block that is not compressed */
};
enum { ADLER = 65521 };
enum { ZLIB_MAX = 16 << 20 };

int patch_binary_sum(struct buf *out, const struct buf *content)
{
	_cleanup_buf_ struct buf blob = BUF_INIT(content->len + 64);
	uint8_t sum[SHA1_SIZE];

	buf_addf(&blob, "blob %zu", content->len);
	buf_addc(&blob, '\0');
	buf_add(&blob, buf_cstr(content), content->len);
	if (buf_failed(&blob) < 0)
		return buf_failed(&blob);
	sha1_digest(blob.data, blob.len, sum);
	for (size_t i = 0; i < sizeof(sum); i++)
		buf_addf(out, "%02x", sum[i]);
	return buf_failed(out);
}

static uint32_t adler32(const uint8_t *data, size_t len)
{
	uint32_t a = 1, b = 0;

	for (size_t i = 0; i < len; i++) {
		a = (a + data[i]) % ADLER;
		b = (b + a) % ADLER;
	}
	return b << 16 | a;
}

/* A stream of zlib's in which nothing is compressed: the process that compares has no library. */
static int stored(struct buf *out, const struct buf *content)
{
	const uint8_t *data = (const uint8_t *)buf_cstr(content);
	const uint32_t sum = adler32(data, content->len);
	size_t at = 0, n;

	buf_add(out, "\x78\x01", 2);
	do {
		n = MIN(content->len - at, (size_t)STORED);
		buf_addc(out, (char)(at + n == content->len));
		for (int i = 0; i < 4; i++)
			buf_addc(out, (char)((i < 2 ? n : ~n) >> (8 * (i & 1))));
		buf_add(out, data + at, n);
		at += n;
	} while (at < content->len);
	for (int i = 3; i >= 0; i--)
		buf_addc(out, (char)(sum >> (8 * i)));
	return buf_failed(out);
}

/* Four bytes are five digits; what is missing of the last four is zeros. */
static void add_digits(struct buf *out, const uint8_t *data, size_t len)
{
	static const char digits[] =
		"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"abcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
	char text[5];
	uint32_t word;

	for (size_t at = 0; at < len; at += 4) {
		word = 0;
		for (size_t i = at; i < at + 4; i++)
			word = word << 8 | (i < len ? data[i] : 0);
		for (size_t i = sizeof(text); i-- > 0; word /= 85)
			text[i] = digits[word % 85];
		buf_add(out, text, sizeof(text));
	}
}

static int add_literal(struct buf *out, const struct buf *content)
{
	_cleanup_buf_ struct buf zlib = BUF_INIT(ZLIB_MAX);
	const uint8_t *data;
	int r = stored(&zlib, content);

	if (r < 0)
		return r;
	data = (const uint8_t *)zlib.data;
	buf_addf(out, "literal %zu\n", content->len);
	for (size_t at = 0, n; at < zlib.len; at += n) {
		n = MIN(zlib.len - at, (size_t)LINE);
		buf_addc(out, (char)(n <= 26 ? 'A' + n - 1 : 'a' + n - 27));
		add_digits(out, data + at, n);
		buf_addc(out, '\n');
	}
	return buf_addc(out, '\n');
}

int patch_binary(struct buf *out, const struct buf *was, const struct buf *now)
{
	buf_adds(out, "GIT binary patch\n");
	return add_literal(out, now) ?: add_literal(out, was);
}
