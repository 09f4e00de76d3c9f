#include "base/digest.h"

#include "tests/unit/unit.h"

#define ABC_256 "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define ABC_512                                                            \
	"ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a" \
	"2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"

static const struct row {
	const char *name,
		*text; /* NULL = refused: then what it is called is in @path */
	const char *path, *kept;
} rows[] = {
	{ "sha256", "sha256:" ABC_256, "sha256/" ABC_256, ABC_256 },
	{ "sha512", "sha512:" ABC_512, "sha512/" ABC_512, "sha512:" ABC_512 },
	{ "another algorithm", NULL, "md5:900150983cd24fb0d6963f7d28e17f72", NULL },
	{ "of as many letters", NULL, "sha384:" ABC_256, NULL },
	{ "digits of the other", NULL, "sha512:" ABC_256, NULL },
	{ "digits of the first", NULL, "sha256:" ABC_512, NULL },
	{ "upper case", NULL, "SHA256:" ABC_256, NULL },
	{ "no algorithm", NULL, ABC_256, NULL },
	{ "a path", NULL, "sha256:../../x", NULL },
	{ "more behind it", NULL, "sha256:" ABC_256 " ", NULL },
	{ "nothing", NULL, "", NULL },
};

static void parse(const void *p)
{
	const struct row *row = p;
	struct digest d = { "as it was" }, sum;
	struct err e = ERR_NONE;
	char path[DIGEST_TEXT], name[HASH_HEX], why[300];

	if (!row->text) {
		snprintf(why, sizeof(why), "'%s' is no sha256 or sha512 digest",
			 row->path);
		assert_int_equal(digest_parse(row->path, &d, &e), -EINVAL);
		unit_err(&e, -EINVAL, why);
		assert_string_equal(d.text, "as it was");
		return;
	}
	unit_ok(digest_parse(row->text, &d, &e), &e);
	assert_string_equal(d.text, row->text);
	digest_path(&d, path);
	assert_string_equal(path, row->path);
	assert_string_equal(digest_kept(&d), row->kept);
	digest_name(&d, name);
	assert_int_equal(strlen(name), HASH_HEX - 1);
	assert_true(strncmp(name, row->path + 7, HASH_HEX - 1) == 0);
	unit_ok(digest_of(&d, "abc", 3, &sum, &e), &e);
	assert_string_equal(sum.text, d.text);
}

static void stream_in_pieces(void)
{
	const struct digest like = { "sha512:" };
	_cleanup_hash_ struct hash *h = NULL;
	struct err e = ERR_NONE;
	struct digest d;

	unit_ok(digest_begin(&like, &h, &e), &e);
	for (const char *p = "abc"; *p; p++)
		unit_ok(hash_update(h, p, 1, &e), &e);
	unit_ok(digest_end(h, &d, &e), &e);
	assert_string_equal(d.text, "sha512:" ABC_512);
}

static void none(void)
{
	struct digest d = { "" };
	char path[DIGEST_TEXT], name[HASH_HEX];

	digest_path(&d, path);
	digest_name(&d, name);
	assert_string_equal(path, "");
	assert_string_equal(name, "");
	assert_string_equal(digest_kept(&d), "");
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "a stream in pieces", stream_in_pieces },
		{ "none", none },
	};

	return unit_rows("digest_parse", rows, parse) + unit_cases("digest", cases);
}
