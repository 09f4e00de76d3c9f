/* answer - any bytes as a service's answer, in pieces: what a fuzzer of a wire shares.
 * Needs:  the wire's functions.
 * Owns:   nothing.
 * Never:  decides what an answer should become; only that a turn is complete. */
#ifndef TESTS_FUZZ_ANSWER_H
#define TESTS_FUZZ_ANSWER_H

#include <assert.h>
#include <string.h>

#include "agent/wire/answer.h"

/* A stream in pieces of @step bytes; the turn's message is added to @out. */
static inline int fuzz_answer(const struct answer_ops *ops, const uint8_t *data,
			      size_t size, size_t step, struct buf *out)
{
	static const struct turn_sink silent = { 0 };
	_cleanup_answer_ struct answer *a = answer_new(ops, &silent);
	_cleanup_turn_ struct turn t;
	struct err e = ERR_NONE;
	uint64_t seed = 1;
	int r = 0;

	assert(a);
	turn_init(&t);
	for (size_t at = 0; at < size && r == 0; at += step)
		r = answer_feed(a, data + at, MIN(step, size - at), &e);
	if (r == 0)
		r = answer_end(a, &seed, &t, &e);
	if (r < 0)
		return r;
	assert(json_print(t.message, false, out) == 0);
	for (size_t i = 0; i < t.n_calls; i++)
		assert(t.calls[i].id && t.calls[i].name &&
		       (t.calls[i].args || t.calls[i].problem.code));
	return 0;
}

/* The first byte says how the rest is split: both must lead to the same turn. */
static inline void fuzz_answers(const struct answer_ops *whole,
				const struct answer_ops *parts, const uint8_t *data,
				size_t size)
{
	_cleanup_buf_ struct buf one = BUF_INIT(64 << 20), two = BUF_INIT(64 << 20);
	int r, again;

	if (!size)
		return;
	r = fuzz_answer(whole, data + 1, size - 1, size, &one);
	again = fuzz_answer(parts, data + 1, size - 1, (data[0] & 15) + 1, &two);
	assert(r == again);
	assert(one.len == two.len &&
	       (!one.len || !memcmp(one.data, two.data, one.len)));
}

#endif
