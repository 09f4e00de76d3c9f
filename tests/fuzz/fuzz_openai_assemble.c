#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "agent/openai_assemble.h"
#include "agent/sse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int on_event(void *ctx, const char *data, size_t len, struct err *e)
{
	return openai_assemble_event(ctx, data, len, e);
}

/* A stream in pieces of @step bytes; the turn's message and its calls as text. */
static int run(const uint8_t *data, size_t size, size_t step, bool slow,
	       struct buf *out)
{
	static const struct turn_sink silent = { 0 };
	struct openai_assemble a;
	struct err e = ERR_NONE;
	uint64_t seed = 1;
	struct turn t;
	struct sse s;
	int r = 0;

	turn_init(&t);
	openai_assemble_init(&a, &silent);
	a.slow = slow;
	sse_init(&s, on_event, &a);
	for (size_t at = 0; at < size && r == 0; at += step)
		r = sse_feed(&s, data + at, MIN(step, size - at), &e);
	if (r == 0)
		r = sse_end(&s, &e);
	if (r == 0)
		r = openai_assemble_end(&a, &seed, &t, &e);
	if (r == 0) {
		r = json_print(t.message, false, out);
		assert(r == 0);
		for (size_t i = 0; i < t.n_calls; i++)
			assert(t.calls[i].id && t.calls[i].name &&
			       (t.calls[i].args || t.calls[i].problem.code));
	}
	sse_done(&s);
	openai_assemble_done(&a);
	turn_done(&t);
	return r;
}

/* The first byte says how the rest is split: the turn must be the same, with and
 * without the short way for words. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_buf_ struct buf one = BUF_INIT(64 << 20), two = BUF_INIT(64 << 20);
	int r, again;

	if (!size)
		return 0;
	r = run(data + 1, size - 1, size, true, &one);
	again = run(data + 1, size - 1, (data[0] & 15) + 1, false, &two);
	assert(r == again);
	assert(one.len == two.len &&
	       (!one.len || !memcmp(one.data, two.data, one.len)));
	return 0;
}
