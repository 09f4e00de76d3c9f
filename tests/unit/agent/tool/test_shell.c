#include "agent/tool/impl.h"
#include "tests/unit/unit.h"

/* 'c' = a command or an answer, 'w' = a wait, each with the seconds that it may be silent. */
static void who_waits_again_waits_longer(void)
{
	static const struct {
		char call;
		uint64_t s;
	} calls[] = { { 'c', 30 },  { 'w', 60 }, { 'w', 120 }, { 'w', 300 },
		      { 'w', 300 }, { 'c', 30 }, { 'c', 30 },  { 'w', 60 },
		      { 'w', 120 }, { 'c', 30 } };
	unsigned waits = 0;

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		assert_int_equal(tool_shell_patience(&waits, calls[i].call == 'w'),
				 calls[i].s * 1000);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "who waits again waits longer", who_waits_again_waits_longer },
	};

	return unit_cases("tool_shell", cases);
}
