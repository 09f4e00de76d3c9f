#include "base/pieces.h"

#include "tests/unit/unit.h"

#define HIGH "\xed\xa0\xbd" /* D83D */
#define LOW "\xed\xb8\x80"  /* DE00 */
#define SMILE "\xf0\x9f\x98\x80"
#define BAD "\xef\xbf\xbd"

static const struct row {
	const char *name, *in, *out;
} rows[] = {
	{ "plain", "do not delete it", "do not delete it" },
	{ "characters", "a\xc3\xa4\xe2\x82\xac" SMILE, "a\xc3\xa4\xe2\x82\xac" SMILE },
	{ "a pair in halves", "a" HIGH LOW "b", "a" SMILE "b" },
	{ "a high half", "a" HIGH "b", "a" BAD "b" },
	{ "a low half", "a" LOW "b", "a" BAD "b" },
	{ "the wrong order", LOW HIGH "x", BAD BAD "x" },
	{ "two high halves", HIGH HIGH LOW, BAD SMILE },
	{ "a high half at the end", "a" HIGH, "a" BAD },
	{ "a NUL", "a\xc0\x80z", "a" BAD "z" },
	{ "a cut character", "a\xe2\x82", "a" BAD },
	{ "a cut character within", "a\xf0\x9f\x98z", "a" BAD BAD BAD "z" },
	{ "a stray byte", "a\x80z", "a" BAD "z" },
	{ "Korean begins with the same byte", "\xed\x95\x9c\xed\x95\x9c",
	  "\xed\x95\x9c\xed\x95\x9c" },
};

static void pieces_of(const char *in, size_t size, const char *want)
{
	_cleanup_buf_ struct buf out = BUF_INIT(1000);
	struct pieces p = { .n = 0 };
	size_t len = strlen(in);

	for (size_t at = 0; at < len; at += size)
		assert_int_equal(pieces_add(&p, in + at, MIN(size, len - at), &out), 0);
	assert_int_equal(pieces_end(&p, &out), 0);
	assert_string_equal(buf_cstr(&out), want);
}

/* However it is cut, but for a half, which pieces_json() makes whole. */
static void test_stream(const void *p)
{
	const struct row *row = p;

	pieces_of(row->in, 1000, row->out);
	if (!strchr(row->in, '\xed') && !strchr(row->in, '\xc0'))
		for (size_t size = 1; size < 8; size++)
			pieces_of(row->in, size, row->out);
}

static void halves_in_two_pieces(void)
{
	_cleanup_buf_ struct buf out = BUF_INIT(1000);
	struct pieces p = { .n = 0 };

	assert_int_equal(pieces_add(&p, "do not " HIGH, 10, &out), 0);
	assert_string_equal(buf_cstr(&out), "do not ");
	assert_int_equal(pieces_add(&p, LOW " delete it", 13, &out), 0);
	assert_string_equal(buf_cstr(&out), "do not " SMILE " delete it");
	assert_int_equal(pieces_add(&p, HIGH, 3, &out), 0);
	assert_int_equal(pieces_add(&p, "and much more text behind it", 28, &out), 0);
	assert_int_equal(pieces_end(&p, &out), 0);
	assert_string_equal(buf_cstr(&out), "do not " SMILE " delete it" BAD
					    "and much more text behind it");
}

static void joined(void)
{
	_cleanup_buf_ struct buf b = BUF_INIT(1000);

	pieces_join(&b);
	assert_int_equal(buf_adds(&b, "a" HIGH LOW HIGH LOW "b" HIGH), 0);
	pieces_join(&b);
	assert_string_equal(buf_cstr(&b), "a" SMILE SMILE "b" HIGH);
}

static const struct json_row {
	const char *name, *in, *shape, *raw;
	int r;
} json_rows[] = {
	{ "nothing to do", "{\"a\":\"\\ud83d\\ude00 \\n\"}",
	  "{\"a\":\"\\ud83d\\ude00 \\n\"}", "{\"a\":\"\\ud83d\\ude00 \\n\"}", 0 },
	{ "a high half", "\"x\\ud83d\"", "\"x\\ufffd\"", "\"x" HIGH "\"", 1 },
	{ "a low half", "\"\\uDE00x\"", "\"\\ufffdx\"", "\"" LOW "x\"", 1 },
	{ "a NUL", "\"a\\u0000b\"", "\"a\\ufffdb\"",
	  "\"a\xc0\x80"
	  "b\"",
	  1 },
	{ "an escaped backslash", "\"\\\\ud83d\"", "\"\\\\ud83d\"", "\"\\\\ud83d\"",
	  0 },
	{ "half a character", "\"\xe2\x82\"", "\"??\"", "\"\xe2\x82\"", 1 },
	{ "a cut escape", "\"\\ud8", "\"\\ud8", "\"\\ud8", 0 },
};

static void test_json(const void *p)
{
	_cleanup_buf_ struct buf shape = BUF_INIT(1000), raw = BUF_INIT(1000);
	const struct json_row *row = p;

	assert_int_equal(pieces_json(row->in, strlen(row->in), &shape, &raw), row->r);
	assert_string_equal(buf_cstr(&shape), row->shape);
	assert_string_equal(buf_cstr(&raw), row->raw);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "halves in two pieces", halves_in_two_pieces },
		{ "halves joined", joined },
	};

	return unit_rows("pieces_add", rows, test_stream) +
	       unit_rows("pieces_json", json_rows, test_json) +
	       unit_cases("pieces", cases);
}
