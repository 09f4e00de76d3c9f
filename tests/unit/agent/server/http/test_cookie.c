#include "agent/server/http/cookie.h"

#include "tests/unit/unit.h"

#define TEN "0123456789"
#define LONG TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN "0123456"

static const struct row {
	const char *name, *field, *want;
} rows[] = {
	{ "none came", NULL, "" },
	{ "empty", "", "" },
	{ "alone", "a=1", "1" },
	{ "behind another", "b=2; a=1", "1" },
	{ "without a blank", "b=2;a=1;c=3", "1" },
	{ "the first of two", "a=1; a=2", "1" },
	{ "another's end", "ba=2", "" },
	{ "another's beginning", "ab=2", "" },
	{ "in another's value", "b=a=2", "" },
	{ "with an equals sign", "a=1=2", "1=2" },
	{ "no value", "a=; b=1", "" },
	{ "no equals sign", "a; b=1", "" },
	{ "separators alone", ";; ; ", "" },
	{ "as long as can be", "a=" LONG, LONG },
	{ "longer", "a=" LONG "7; a=1", "" },
};

static void test_value(const void *data)
{
	const struct row *row = data;
	char value[COOKIE_VALUE];

	cookie_value(row->field, "a", value);
	assert_string_equal(value, row->want);
}

int main(void)
{
	return unit_rows("cookie_value", rows, test_value);
}
