#include "base/hash.h"

#include "tests/unit/unit.h"

#define ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

static void stream_in_pieces(void)
{
	_cleanup_hash_ struct hash *h = NULL;
	struct err e = ERR_NONE;
	char hex[HASH_HEX];

	unit_ok(hash_new(&h, &e), &e);
	unit_ok(hash_update(h, "a", 1, &e), &e);
	unit_ok(hash_update(h, "", 0, &e), &e);
	unit_ok(hash_update(h, "bc", 2, &e), &e);
	unit_ok(hash_final(h, hex, &e), &e);
	assert_string_equal(hex, ABC);
}

static void text(void)
{
	char hex[HASH_HEX];

	hash_text("abc", 3, hex);
	assert_string_equal(hex, ABC);
}

static void free_of_nothing(void)
{
	struct hash *h = NULL;

	hash_free(&h);
	assert_null(h);
}

static const struct row {
	const char *name, *hex;
	bool want;
} rows[] = {
	{ "valid", ABC, true },
	{ "empty", "", false },
	{ "short", "ba78", false },
	{ "long", ABC "0", false },
	{ "upper case",
	  "BA7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", false },
	{ "slash", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015a/",
	  false },
};

static void test_valid(const void *data)
{
	const struct row *row = data;

	assert_int_equal(hash_valid(row->hex), row->want);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "a stream in pieces", stream_in_pieces },
		{ "text", text },
		{ "free of nothing", free_of_nothing },
	};

	return unit_rows("hash_valid", rows, test_valid) + unit_cases("hash", cases);
}
