#include "runtime/box/asked.h"

#include "tests/unit/unit.h"

static void taken_once(void)
{
	_cleanup_(asked_done) struct asked a = { 0 };
	struct box_proc p = BOX_PROC_NONE;
	struct err e = ERR_NONE, why = ERR_NONE;
	uint32_t id = 0;

	for (uint32_t i = 1; i <= 3; i++) {
		assert_int_equal(asked_reserve(&a, &e), 0);
		asked_add(&a, i, BOX_IO_PIPES);
	}
	assert_false(asked_take(&a, &id, &p, &why));
	assert_null(asked_find(&a, 4));
	asked_find(&a, 2)->came = true;
	assert_null(asked_find(&a, 2)); /* a second answer is none */
	asked_find(&a, 3)->came = true;
	assert_true(asked_came(&a));
	assert_true(asked_take(&a, &id, &p, &why));
	assert_int_equal(id, 2);
	assert_true(asked_take(&a, &id, &p, &why));
	assert_int_equal(id, 3);
	assert_false(asked_take(&a, &id, &p, &why));
	assert_false(asked_came(&a));
	assert_non_null(asked_find(&a, 1));
}

static const struct unit_case cases[] = { { "taken once", taken_once } };

int main(void)
{
	return unit_cases("asked", cases);
}
