#include "agent/server/conf/keys.h"

#include <errno.h>
#include <stdio.h>

#include "tests/unit/unit.h"

#define A "aaaaaaaaaaaaaaaa"
#define B "bbbbbbbbbbbbbbbb"

static const struct row {
	const char *name, *text, *wrong;
	unsigned n, rights; /* of the last */
	const char *who;
} rows[] = {
	{ "one", "x " A " all\n", NULL, 1, KEY_ALL, NULL },
	{ "two, a comment, blanks",
	  "# who\n\n  x\t" A " read,run \r\ny " B " network team-*", NULL, 2,
	  KEY_NETWORK, "team-*" },
	{ "none", "# nobody\n", "there is no key", 0, 0, NULL },
	{ "no rights", "x " A "\n", "line 1: NAME KEY RIGHTS [PATTERN] is needed", 0, 0,
	  NULL },
	{ "an unknown right", "\nx " A " read,write",
	  "line 2: the rights are all, read, run, network", 0, 0, NULL },
	{ "a word more", "x " A " all a b",
	  "line 1: NAME KEY RIGHTS [PATTERN] is needed", 0, 0, NULL },
	{ "a short key", "x short all", "line 1: a key has at least 16 characters", 0,
	  0, NULL },
	{ "a key twice", "x " A " all\ny " A " read",
	  "line 2: another line has this key", 0, 0, NULL },
};

static void test_parse(const void *p)
{
	const struct row *row = p;
	struct err e = ERR_NONE;
	struct keys k = { .n = 0 };
	char text[256];

	snprintf(text, sizeof(text), "%s", row->text);
	if (row->wrong) {
		assert_int_equal(keys_parse(text, &k, &e), -EINVAL);
		assert_string_equal(e.msg, row->wrong);
		return;
	}
	assert_int_equal(keys_parse(text, &k, &e), 0);
	assert_int_equal(k.n, row->n);
	assert_int_equal(k.list[k.n - 1].rights, row->rights);
	if (row->who)
		assert_string_equal(k.list[k.n - 1].who, row->who);
	else
		assert_null(k.list[k.n - 1].who);
}

static void find_and_may(void)
{
	char text[] = "x " A " read,run team-*\ny " B " all\n";
	struct err e = ERR_NONE;
	struct keys k;
	const struct key *x, *y;

	assert_int_equal(keys_parse(text, &k, &e), 0);
	x = keys_find(&k, A);
	y = keys_find(&k, B);
	assert_string_equal(x->name, "x");
	assert_string_equal(y->name, "y");
	assert_null(keys_find(&k, ""));
	assert_null(keys_find(&k, "a"));
	assert_null(keys_find(&k, A A));
	assert_null(keys_find(&k, A "x"));
	assert_true(keys_may(x, KEY_READ, "team-1"));
	assert_true(keys_may(x, KEY_RUN, "team-"));
	assert_false(keys_may(x, KEY_NETWORK, "team-1"));
	assert_false(keys_may(x, KEY_HOLDER, "team-1"));
	assert_false(keys_may(x, KEY_READ, "tea"));
	assert_false(keys_may(x, KEY_READ, ""));
	assert_true(keys_may(y, KEY_HOLDER, ""));
}

static const struct unit_case cases[] = { { "find and may", find_and_may } };

int main(void)
{
	return unit_rows("keys_parse", rows, test_parse) +
	       unit_cases("keys more", cases);
}
