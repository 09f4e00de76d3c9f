#include "agent/model/tokens.h"

#include "tests/unit/unit.h"

struct row {
	const char *name;
	uint64_t window;
};

static const struct row rows[] = {
	{ "gpt-4o-mini", 128000 },
	{ "gpt-4", 8192 },
	{ "gpt-4.1-nano", 1047576 },
	{ "anthropic/claude-sonnet-4", 200000 },
	{ "Qwen/Qwen3-Coder-30B", 262144 },
	{ "something new", 128000 },
	{ "", 128000 },
};

static void window_row(const void *p)
{
	const struct row *row = p;

	assert_int_equal(tokens_window(row->name), row->window);
}

static void reasons(void)
{
	assert_true(tokens_reasons("gpt-5.4"));
	assert_true(tokens_reasons("openai/o3-mini"));
	assert_false(tokens_reasons("gpt-5-chat-latest"));
	assert_false(tokens_reasons("gpt-4o"));
	assert_false(tokens_reasons(""));
}

static void estimates(void)
{
	struct tokens t;

	tokens_init(&t);
	assert_int_equal(tokens_estimate(&t, 3000), 1000);
	tokens_report(&t, 500, 100, 2000, 2400); /* a quarter of a token a byte */
	assert_int_equal(tokens_estimate(&t, 2400), 600);
	assert_int_equal(tokens_estimate(&t, 2800), 700);
	tokens_report(&t, 0, 0, 2000, 2400); /* nothing reported changes nothing */
	assert_int_equal(tokens_estimate(&t, 2800), 700);
	tokens_forget(&t);
	assert_int_equal(tokens_estimate(&t, 400), 100);
	tokens_report(&t, 1, 0, 100000, 100000); /* absurd: the factor stays */
	tokens_forget(&t);
	assert_int_equal(tokens_estimate(&t, 400), 100);
}

/* A count that stands still at a round number while the prompt grows. */
static void cut_prompts(void)
{
	static const struct {
		uint64_t before, now;
		size_t bytes_before, bytes_now;
		bool cut;
	} cases[] = {
		{ 4096, 4096, 20000, 30000, true },
		{ 4096, 4096, 20000, 20500, false },
		{ 4097, 4097, 20000, 30000, false },
		{ 4096, 6000, 20000, 30000, false },
		{ 0, 4096, 20000, 30000, false },
		{ 0, 0, 20000, 30000, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct tokens t;

		tokens_init(&t);
		tokens_report(&t, cases[i].before, 10, cases[i].bytes_before, 1);
		assert_int_equal(tokens_cut(&t, cases[i].now, cases[i].bytes_now),
				 cases[i].cut);
		tokens_forget(&t);
		assert_false(tokens_cut(&t, cases[i].now, cases[i].bytes_now));
	}
}

int main(void)
{
	static const struct unit_case cases[] = { { "estimates", estimates },
						  { "who thinks", reasons },
						  { "cut prompts", cut_prompts } };

	return unit_rows("tokens_window", rows, window_row) +
	       unit_cases("tokens", cases);
}
