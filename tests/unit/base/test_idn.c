#include "base/idn.h"

#include "base/scope.h"
#include "tests/unit/unit.h"

static char long_name[IDN_NAME + 2];

static const struct row {
	const char *name, *in, *want; /* NULL = refused, … */
	const char *why;	      /* … with this; NULL = in the library's words */
} rows[] = {
	/* clang-format off */
	{ "ASCII stays", "example.org", "example.org", NULL },
	{ "a label", "b\u00fccher.example", "xn--bcher-kva.example", NULL },
	{ "capitals", "B\u00dcCHER.example", "xn--bcher-kva.example", NULL },
	{ "a letter and its mark", "bu\u0308cher.example", "xn--bcher-kva.example", NULL },
	{ "not as in 2003", "stra\u00dfe.example", "xn--strae-oqa.example", NULL },
	{ "every label", "\u4f8b\u3048.\u30c6\u30b9\u30c8", "xn--r8jz45g.xn--zckzah", NULL },
	{ "a wide dot", "b\u00fccher\u3002example", "xn--bcher-kva.example", NULL },
	{ "wide letters", "\uff45xample.org", "example.org", NULL },
	{ "no UTF-8", "b\xfc" "cher.example", NULL, NULL },
	{ "a label of marks", "\u0308.example", NULL, NULL },
	{ "too long", long_name, NULL, "the name is too long" },
	/* clang-format on */
};

static void converts(const void *p)
{
	const struct row *row = p;
	_cleanup_free_ char *got = NULL;
	struct err e = ERR_NONE;
	int r = idn_to_ascii(row->in, &got, &e);

	if (row->want) {
		unit_ok(r, &e);
		assert_string_equal(got, row->want);
		return;
	}
	assert_int_equal(r, -EINVAL);
	assert_string_equal(e.msg, row->why ? row->why : e.msg);
	assert_true(e.code == -EINVAL && e.msg[0]);
	assert_null(got);
}

static void knows_when(void)
{
	assert_false(idn_needed(""));
	assert_false(idn_needed("xn--bcher-kva.example~"));
	assert_true(idn_needed("b\u00fccher"));
	assert_true(idn_needed("\x80"));
}

int main(void)
{
	static const struct unit_case cases[] = { { "knows when", knows_when } };
	int r;

	memset(long_name, 'a', IDN_NAME + 1);
	r = unit_rows("idn", rows, converts);
	return r | unit_cases("idn", cases);
}
