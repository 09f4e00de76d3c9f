#include "agent/wire/envelope.h"

#include "tests/unit/unit.h"

struct row {
	const char *name, *learn, *words, *in;
	const char *out; /* NULL = to be parsed */
};

#define CHUNK(s) "{\"d\":{\"content\":\"" s "\"},\"x\":null}"

/* clang-format off */
static const struct row rows[] = {
	{ "other words", CHUNK("a"), "a", CHUNK("some more"), "some more" },
	{ "none", CHUNK("a"), "a", CHUNK(""), "" },
	{ "UTF-8", CHUNK("a"), "a", CHUNK("é€"), "é€" },
	{ "broken UTF-8", CHUNK("a"), "a", CHUNK("\xc3"), NULL },
	{ "a quote", CHUNK("a"), "a", CHUNK("a\",\"b\":\""), NULL },
	{ "an escape", CHUNK("a"), "a", CHUNK("\\n"), NULL },
	{ "a control character", CHUNK("a"), "a", CHUNK("\t"), NULL },
	{ "another tail", CHUNK("a"), "a", "{\"d\":{\"content\":\"a\"},\"x\":1}", NULL },
	{ "another head", CHUNK("a"), "a", "{\"e\":{\"content\":\"a\"},\"x\":null}", NULL },
	{ "cut", CHUNK("a"), "a", "{\"d\":{\"content\":\"", NULL },
	{ "a blank behind the name", "{\"content\": \"a\"}", "a", "{\"content\": \"b\"}", "b" },
	{ "nothing learned from escapes", CHUNK("a\\n"), "a\n", CHUNK("b"), NULL },
	{ "nor from two of that name", CHUNK("a") CHUNK("b"), "a", CHUNK("c") CHUNK("b"), NULL },
	{ "nor from other words", CHUNK("a"), "b", CHUNK("c"), NULL },
};
/* clang-format on */

static void run_row(const void *p)
{
	const struct row *row = p;
	struct envelope x;
	const char *words;
	size_t n = 0;

	envelope_init(&x);
	assert_null(envelope_open(&x, row->in, strlen(row->in), &n));
	envelope_learn(&x, row->learn, strlen(row->learn), row->words);
	words = envelope_open(&x, row->in, strlen(row->in), &n);
	if (row->out) {
		assert_non_null(words);
		assert_int_equal(n, strlen(row->out));
		assert_memory_equal(words, row->out, n);
	} else {
		assert_null(words);
	}
	envelope_done(&x);
}

int main(void)
{
	return unit_rows("envelope", rows, run_row);
}
