#include "tests/unit/answerkit.h"

#include "tests/unit/unit.h"

/* xorshift: the same pieces in every run. */
static size_t random_step(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state % 4 ? *state % 7 + 1 : *state % 90 + 1;
}

/* In pieces of @step bytes; 0 = of random length, the @nth time. */
static void run_split(const struct answerkit *k, const struct answerkit_row *row,
		      const struct buf *in, size_t step, uint32_t nth)
{
	static const struct turn_sink silent = { 0 };
	_cleanup_answer_ struct answer *a = answer_new(k->ops, &silent);
	_cleanup_buf_ struct buf out = BUF_INIT(10000);
	_cleanup_turn_ struct turn t;
	uint32_t state = 2463534242U + nth;
	struct err e = ERR_NONE;
	uint64_t seed = 1;
	int r = 0;

	assert_non_null(a);
	turn_init(&t);
	for (size_t at = 0, n; at < in->len && r == 0; at += n) {
		n = step ? step : random_step(&state);
		n = MIN(n, in->len - at);
		r = answer_feed(a, in->data + at, n, &e);
	}
	if (r == 0)
		r = answer_end(a, &seed, &t, &e);
	assert_int_equal(r, row->fail);
	if (r == 0)
		k->tell(&t, &out);
	assert_string_equal(r < 0 ? e.msg : buf_cstr(&out), row->out);
}

void answerkit_row(const struct answerkit *k, const struct answerkit_row *row)
{
	_cleanup_buf_ struct buf in = BUF_INIT(1 << 20);

	k->stream(row->in, &in);
	for (size_t step = 1; step < 40; step++)
		run_split(k, row, &in, step, 0);
	for (uint32_t nth = 0; nth < 1000; nth++)
		run_split(k, row, &in, 0, nth);
	run_split(k, row, &in, in.len, 0);
}
