#include "base/sha256.h"

#include "base/hash.h"
#include "tests/unit/unit.h"

/* The two messages of FIPS 180-4's examples, the empty one, and a long one. */
static const struct row {
	const char *name;
	const char *text;
	size_t repeat;
	const char *want;
} rows[] = {
	{ "empty", "", 1,
	  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
	{ "one block", "abc", 1,
	  "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
	{ "two blocks", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
	  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
	{ "a million a", "aaaaaaaaaa", 100000,
	  "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0" },
};

static void test_vector(const void *data)
{
	const struct row *row = data;
	size_t n = strlen(row->text), len = n * row->repeat;
	_cleanup_free_ char *text = malloc(len + 1);
	uint8_t digest[SHA256_SIZE];
	char hex[2 * SHA256_SIZE + 1];

	for (size_t i = 0; i < row->repeat; i++)
		memcpy(text + i * n, row->text, n);
	sha256_digest(text, len, digest);
	for (int i = 0; i < SHA256_SIZE; i++)
		snprintf(hex + 2 * i, 3, "%02x", digest[i]);
	assert_string_equal(hex, row->want);
}

static void every_length_agrees_with_libcrypto(void)
{
	char data[300], ours[HASH_HEX], theirs[HASH_HEX];
	struct err e = ERR_NONE;

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (char)(i * 131 + 7);
	for (size_t len = 0; len <= sizeof(data); len++) {
		_cleanup_hash_ struct hash *h = NULL;

		unit_ok(hash_new(&h, &e), &e);
		unit_ok(hash_update(h, data, len, &e), &e);
		unit_ok(hash_final(h, theirs, &e), &e);
		hash_text(data, len, ours);
		assert_string_equal(ours, theirs);
	}
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "every length agrees with libcrypto",
		  every_length_agrees_with_libcrypto },
	};

	return unit_rows("sha256", rows, test_vector) + unit_cases("sha256", cases);
}
