#include "agent/turn/turn.h"

#include "tests/unit/unit.h"

struct row {
	const char *name, *text;
	bool call;
};

/* clang-format off */
static const struct row rows[] = {
	{ "an answer", "All is done.", false },
	{ "nothing", "", false },
	{ "Hermes", "\n<tool_call>{\"name\":\"shell\"}</tool_call>", true },
	{ "Llama", "<function=shell>{}</function>", true },
	{ "Mistral", "[TOOL_CALLS][{\"name\":\"shell\"}]", true },
	{ "a lone object", "{\"name\":\"shell\",\"arguments\":{}}", true },
	{ "in a fence", "```json\n{\"name\": \"shell\", \"parameters\": {}}\n```", true },
	{ "nested", "{\"type\":\"function\",\"function\":{\"name\":\"shell\"}}", true },
	{ "an object that is the answer", "{\"name\":\"Bob\",\"age\":7}", false },
	{ "a mention", "I would call {\"name\":\"shell\"} here", false },
};
/* clang-format on */

static void looks_row(const void *p)
{
	static const char *const tools[] = { "shell", "finish", NULL };
	const struct row *row = p;
	_cleanup_turn_ struct turn t;

	turn_init(&t);
	assert_int_equal(buf_adds(&t.text, row->text), 0);
	assert_int_equal(turn_looks_like_call(&t, tools), row->call);
}

static void ids(void)
{
	_cleanup_turn_ struct turn t;
	struct err e = ERR_NONE;
	uint64_t seed = 7;

	turn_init(&t);
	for (int i = 0; i < TURN_CALLS_MAX; i++)
		assert_non_null(turn_add_call(&t));
	assert_null(turn_add_call(&t));
	t.calls[3].id = strdup("same");
	t.calls[5].id = strdup("same");
	unit_ok(turn_name_calls(&t, &seed, &e), &e);
	assert_string_equal(t.calls[3].id, "same");
	for (int i = 0; i < TURN_CALLS_MAX; i++) {
		const char *id = t.calls[i].id;

		assert_string_equal(t.calls[i].name, "");
		if (i == 3)
			continue;
		assert_int_equal(strlen(id), 9);
		assert_int_equal(strspn(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
					    "abcdefghijklmnopqrstuvwxyz0123456789"),
				 9);
		for (int k = 0; k < i; k++)
			assert_string_not_equal(id, t.calls[k].id);
	}
}

int main(void)
{
	static const struct unit_case cases[] = { { "made-up ids", ids } };

	return unit_rows("turn_looks_like_call", rows, looks_row) +
	       unit_cases("turn", cases);
}
