#include "tests/unit/unit.h"

#include "cli/store/boxlist.h"

/* "a" and "b" are directories that are gone: their boxes are found all the same. */
static struct boxlist_item items[] = {
	{ .key = "aaaaaaaa00000000", .project = "/gone/a" },
	{ .key = "aaaaaaaa11111111", .project = "/gone/b" },
	{ .key = "cccccccc00000000", .project = "/" },
};

static const struct row {
	const char *name, *word;
	int want; /* index, or a negative errno */
	const char *msg;
} rows[] = {
	{ "by a directory that is gone", "/gone/b", 1, NULL },
	{ "by a directory that is there", "/usr/..", 2, NULL },
	{ "by a whole key", "aaaaaaaa00000000", 0, NULL },
	{ "by the beginning of one", "cccccc", 2, NULL },
	{ "too short to be a key", "ccccc", -ENOENT,
	  "there is no box for 'ccccc'; 'cubby ls' lists them" },
	{ "the beginning of two", "aaaaaaaa", -EINVAL,
	  "several boxes have keys that begin with 'aaaaaaaa'" },
	{ "no such key", "dddddddd", -ENOENT,
	  "no box has the key 'dddddddd'; 'cubby ls --json' tells them" },
	{ "no such directory", "/no\nwhere", -ENOENT,
	  "there is no box for '/no\\nwhere'; 'cubby ls' lists them" },
};

static void test(const void *p)
{
	const struct row *r = p;
	const struct boxlist l = { .v = items, .n = ARRAY_SIZE(items) };
	struct err e = ERR_NONE;
	const struct boxlist_item *got = boxlist_find(&l, r->word, NULL, &e);

	if (r->want >= 0) {
		assert_ptr_equal(got, &items[r->want]);
		return;
	}
	assert_null(got);
	unit_err(&e, r->want, r->msg);
}

/* Whoever reads all of them then has nothing of it to free. */
static void one_without_a_record(void)
{
	static const char key[] =
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
	_cleanup_store_ struct store s = STORE_NONE;
	_cleanup_boxlist_ struct boxlist l = BOXLIST_NONE;
	struct err e = ERR_NONE;

	setenv("XDG_DATA_HOME", unit_tmpdir(), 1);
	unit_ok(store_open(&s, &e), &e);
	unit_ok(boxlist_read_one(&s, key, &l, &e), &e);
	assert_int_equal(l.n, 0);
	assert_null(l.v);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "one without a record", one_without_a_record },
	};

	return unit_rows("boxlist", rows, test) + unit_cases("boxlist", cases);
}
