#include "base/grow.h"

#include "tests/unit/unit.h"

/* Longer and shorter, in steps of every size: what is in the list stays, and there is room
 * for one more (the sanitizers look). */
static void there_is_room(void)
{
	int *list = NULL;
	size_t n = 0;

	for (size_t step = 1; step < 40; step++) {
		for (size_t i = 0; i < 3 * step; i++) {
			assert_true(grow_room(list, n));
			list[n] = (int)n;
			n++;
		}
		n -= 2 * step;
		for (size_t i = 0; i < n; i++)
			assert_int_equal(list[i], i);
	}
	n = 0;
	assert_true(grow_room(list, n));
	list[GROW_FIRST - 1] = 1;
	free(list);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "there is room for one more", there_is_room },
	};

	return unit_cases("grow", cases);
}
