#include "base/list.h"

#include "tests/unit/unit.h"

struct item {
	struct item *next;
};

static void any_of_them_can_go(void)
{
	struct item c = { NULL }, b = { &c }, a = { &b }, other = { NULL };
	struct item *first = &a;

	assert_false(list_drop(first, &other));
	assert_true(list_drop(first, &b));
	assert_ptr_equal(first, &a);
	assert_ptr_equal(a.next, &c);
	assert_false(list_drop(first, &b));
	assert_true(list_drop(first, &a));
	assert_true(list_drop(first, &c));
	assert_null(first);
	assert_false(list_drop(first, &c));
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "any of them can go", any_of_them_can_go },
	};

	return unit_cases("list", cases);
}
