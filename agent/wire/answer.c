#include "agent/wire/answer.h"

#include <stdlib.h>

struct answer {
	const struct answer_ops *ops; /* borrowed */
	struct sse sse;
	_Alignas(max_align_t) char assembler[];
};

struct answer *answer_new(const struct answer_ops *ops, const struct turn_sink *sink)
{
	struct answer *a = calloc(1, sizeof(*a) + ops->size);

	if (!a)
		return NULL;
	a->ops = ops;
	sse_init(&a->sse, ops->event, a->assembler);
	a->sse.lines = ops->lines;
	ops->init(a->assembler, sink);
	return a;
}

void answer_free(struct answer **ap)
{
	struct answer *a = take(ap, NULL);

	if (!a)
		return;
	sse_done(&a->sse);
	a->ops->done(a->assembler);
	free(a);
}

int answer_feed(struct answer *a, const void *data, size_t len, struct err *e)
{
	return sse_feed(&a->sse, data, len, e);
}

int answer_whole(struct answer *a, const struct json *j, struct err *e)
{
	return a->ops->whole(a->assembler, j, e);
}

int answer_end(struct answer *a, uint64_t *seed, struct turn *ret, struct err *e)
{
	int r = sse_end(&a->sse, e);

	return r < 0 ? r : a->ops->end(a->assembler, seed, ret, e);
}

const struct retry_cause *answer_cause(const struct answer *a)
{
	return a->ops->cause(a->assembler);
}
