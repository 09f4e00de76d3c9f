#include "agent/model/prices.h"

#include "agent/turn/turn.h"
#include "tests/unit/unit.h"

#define OPENAI "https://api.openai.com/v1"
#define ANTHROPIC "https://api.anthropic.com"

struct row {
	const char *name, *url, *model;
	uint64_t input; /* micro-dollars for a million tokens; 0 = not known */
};

static const struct row rows[] = {
	{ "a name of the table", OPENAI, "gpt-4.1", 2000000 },
	{ "a shorter name that begins it", OPENAI, "gpt-4", 0 },
	{ "with a date", OPENAI, "gpt-4.1-2025-04-14", 2000000 },
	{ "with a date in one piece", ANTHROPIC, "claude-sonnet-4-20250514", 3000000 },
	{ "a version behind it is another model", ANTHROPIC, "claude-opus-4-1",
	  15000000 },
	{ "the newest", ANTHROPIC, "claude-3-5-haiku-latest", 800000 },
	{ "a variant is another model", OPENAI, "gpt-5-pro", 0 },
	{ "a later one", OPENAI, "gpt-5.9", 0 },
	{ "somebody else serves it", "https://proxy.example/v1", "gpt-4.1", 0 },
	{ "a name that only begins with it", OPENAI, "gpt-4.1x", 0 },
	{ "no name", OPENAI, "", 0 },
};

static void find(const void *p)
{
	const struct row *row = p;
	struct prices found = { 0 };

	assert_int_equal(prices_find(row->url, row->model, &found), row->input != 0);
	assert_int_equal(found.input, row->input);
}

/* New, read and written input and output have each their price. */
static void cost(void)
{
	struct prices p = { .input = 3000000,
			    .cached = 300000,
			    .written = 3750000,
			    .output = 15000000 };
	struct turn_usage u = {
		.input = 1000, .cached = 600, .written = 100, .output = 10
	};

	/* 300 · 3 + 600 · 0.3 + 100 · 3.75 + 10 · 15 = 1605 */
	assert_int_equal(prices_cost(&p, &u), 1605);
	u = (struct turn_usage){ .output = 1 };
	p.output = 1;
	assert_int_equal(prices_cost(&p, &u), 1); /* never less than it is */
	u = (struct turn_usage){ .input = 5,
				 .cached = 9 }; /* a server that miscounts */
	assert_int_equal(prices_cost(&p, &u), 3);
}

int main(void)
{
	static const struct unit_case cases[] = { { "cost of a turn", cost } };

	return unit_rows("prices_find", rows, find) + unit_cases("prices", cases);
}
