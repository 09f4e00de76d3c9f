#include "agent/terminal/spill.h"
#include "tests/unit/unit.h"

struct sum {
	uint64_t len;
	uint32_t first, last;
};

static int on_copy(void *ctx, const void *data, size_t len, struct err *)
{
	struct sum *s = ctx;

	if (!s->len)
		memcpy(&s->first, data, 4);
	memcpy(&s->last, (const char *)data + len - 4, 4);
	s->len += len;
	return 0;
}

static void whole(void)
{
	struct spill s;
	struct sum sum = { 0 };
	struct err e = ERR_NONE;

	spill_init(&s);
	for (uint32_t i = 0; i < 100000; i++)
		spill_add(&s, (const char *)&i, 4);
	unit_ok(spill_copy(&s, on_copy, &sum, &e), &e);
	assert_int_equal(sum.len, 400000);
	assert_int_equal(sum.first, 0);
	assert_int_equal(sum.last, 99999);
	spill_done(&s);
}

static void the_end_wins(void)
{
	struct spill s;
	struct sum sum = { 0 };
	struct err e = ERR_NONE;
	static uint32_t block[4096];

	spill_init(&s);
	for (uint32_t i = 0; i < SPILL_MAX / sizeof(block) + 10; i++) {
		for (size_t k = 0; k < ARRAY_SIZE(block); k++)
			block[k] = i;
		spill_add(&s, (const char *)block, sizeof(block));
	}
	unit_ok(spill_copy(&s, on_copy, &sum, &e), &e);
	assert_int_equal(sum.len, SPILL_MAX);
	assert_int_equal(sum.first, 10);
	assert_int_equal(sum.last, SPILL_MAX / sizeof(block) + 9);
	spill_done(&s);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "O8: whole", whole },
		{ "O8: past the limit the end wins", the_end_wins },
	};

	return unit_cases("spill", cases);
}
