#include "base/sha1.h"

#include <stdio.h>

#include "base/scope.h"
#include "tests/unit/unit.h"

/* The two messages of FIPS 180-4's examples, the empty one, and a long one. */
static const struct row {
	const char *name;
	const char *text;
	size_t repeat;
	const char *want;
} rows[] = {
	{ "empty", "", 1, "da39a3ee5e6b4b0d3255bfef95601890afd80709" },
	{ "one block", "abc", 1, "a9993e364706816aba3e25717850c26c9cd0d89d" },
	{ "two blocks", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
	  "84983e441c3bd26ebaae4aa1f95129e5e54670f1" },
	{ "a million a", "aaaaaaaaaa", 100000,
	  "34aa973cd4c4daa4f61eeb2bdbad27316534016f" },
};

static void test_vector(const void *data)
{
	const struct row *row = data;
	size_t n = strlen(row->text), len = n * row->repeat;
	_cleanup_free_ char *text = malloc(len + 1);
	uint8_t digest[SHA1_SIZE];
	char hex[2 * SHA1_SIZE + 1];

	for (size_t i = 0; i < row->repeat; i++)
		memcpy(text + i * n, row->text, n);
	sha1_digest(text, len, digest);
	for (int i = 0; i < SHA1_SIZE; i++)
		snprintf(hex + 2 * i, 3, "%02x", digest[i]);
	assert_string_equal(hex, row->want);
}

int main(void)
{
	return unit_rows("sha1", rows, test_vector);
}
