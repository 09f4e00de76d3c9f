#include "agent/task/stuck.h"

#include "tests/unit/unit.h"

/* A history is a word: each letter a call, upper case when it failed, "." a wait; with
 * a digit behind it the result differs by it. "|" is the end of a turn; without any each
 * call is a turn of its own. The verdicts are "-", "n" and "e". */
struct row {
	const char *name, *steps, *verdicts;
};

/* clang-format off */
static const struct row rows[] = {
	{ "progress", "abcdabcd", "--------" },
	{ "same result, four times", "aaaa", "---n" },
	{ "same error, three times", "AAA", "--n" },
	{ "told, then again", "aaaaaaaa", "---n---e" },
	{ "told, then an error", "aaaaBBB", "---n--E" },
	{ "progress resets it", "aaaabaaaa", "---n----n" },
	{ "progress, then circles again", "aaaabaaaaaaaa", "---n----n---e" },
	{ "the same again is no progress", "AAAbAAA", "--n---n" },
	{ "what was seen before is no progress", "bAAAbbCCC", "---n----n" },
	{ "many calls in one turn are told once", "aaaaaaaaaaaa|aaaa", "---n-----------e" },
	{ "another circle in the turn that is told", "aaaaBBB|BBB", "---n-----E" },
	{ "results that differ", "a1a2a3a4a5a6", "------" },
	{ "two that alternate", "ababab", "-----n" },
	{ "alternation with news", "a1b1a2b1a3b1a4b1", "--------" },
	{ "waiting is no circle at once", ".........", "---------" },
	{ "waiting, ten times", "..........", "---------n" },
	{ "waiting with news", ".1.2.3.4.5.6.7.8.9.1.2.3", "------------" },
};
/* clang-format on */

static void run_row(const void *p)
{
	_cleanup_json_ struct json *wait = NULL, *call = NULL;
	const struct row *row = p;
	struct stuck s = { 0 };
	struct err e = ERR_NONE;
	bool turns = strchr(row->steps, '|') != NULL;
	size_t n = 0;

	unit_ok(json_parse("{\"command\":\"\"}", 14, &wait, &e), &e);
	unit_ok(json_parse("{\"command\":\"x\"}", 15, &call, &e), &e);
	for (const char *c = row->steps; *c; c++, n++) {
		char name[2] = { *c, '\0' }, result[2] = { '0', '\0' };
		struct stuck_call step = { .name = *c == '.' ? "shell" : name,
					   .args = *c == '.' ? wait : call,
					   .result = result,
					   .failed = *c >= 'A' && *c <= 'Z' };
		struct stuck_why why = { 0 };
		enum stuck_verdict v;

		if (*c == '|') {
			stuck_heard(&s);
			n--;
			continue;
		}
		if (c[1] >= '0' && c[1] <= '9')
			result[0] = *++c;
		v = stuck_step(&s, &step, &why);
		assert_int_equal(why.now != NULL, v != STUCK_NO);
		assert_int_equal(why.before != NULL, v == STUCK_END);
		/* E: it was told of something else, and nobody may say that it was told */
		if (v == STUCK_END && strcmp(why.now, why.before) != 0)
			assert_int_equal('E', row->verdicts[n]);
		else
			assert_int_equal("-ne"[v], row -> verdicts[n]);
		if (!turns)
			stuck_heard(&s);
	}
	assert_int_equal(strlen(row->verdicts), n);
}

int main(void)
{
	return unit_rows("stuck_step", rows, run_row);
}
