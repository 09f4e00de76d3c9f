#include "agent/server/run/pace.h"

#include "tests/unit/unit.h"

static void a_flood_rests_half_of_the_time(void)
{
	struct server_pace p = { 0 };
	uint64_t rested = 0;

	for (uint64_t now = 1000; now < 3000; now++) {
		if (pace_rest(&p, now))
			rested++;
		else
			p.taken += 4096;
	}
	assert_in_range(rested, 900, 1100);
}

static void little_never_rests(void)
{
	struct server_pace p = { 0 };

	for (uint64_t now = 1000; now < 3000; now++) {
		assert_int_equal(pace_rest(&p, now), 0);
		p.taken += PACE_LEAST / PACE_MS - 1;
	}
}

/* A machine that is busy gives a piece of a second between two reads. */
static void time_counts_and_not_bytes(void)
{
	struct server_pace p = { 0 };

	assert_int_equal(pace_rest(&p, 1000), 0);
	p.taken = PACE_LEAST;
	assert_int_equal(pace_rest(&p, 1500), PACE_MS);
	assert_int_equal(pace_rest(&p, 1500 + PACE_MS / 2), PACE_MS - PACE_MS / 2);
	assert_int_equal(pace_rest(&p, 1500 + PACE_MS), 0);
}

static const struct unit_case cases[] = {
	{ "a flood rests half of the time", a_flood_rests_half_of_the_time },
	{ "little never rests", little_never_rests },
	{ "time counts, and not bytes", time_counts_and_not_bytes },
};

int main(void)
{
	return unit_cases("pace", cases);
}
