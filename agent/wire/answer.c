#include "agent/wire/answer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { SKIPPED_MAX = 3 };

/* ---- what assemblers share ---- */

void answer_state_init(struct answer_state *s, const struct turn_sink *sink)
{
	*s = (struct answer_state){ .sink = *sink };
	turn_init(&s->turn);
}

void answer_state_done(struct answer_state *s)
{
	turn_done(&s->turn);
}

int answer_skip(struct answer_state *s, const char *data, struct err *e)
{
	s->lost |= *data == '{';
	if (++s->skipped > SKIPPED_MAX)
		return err_set(e, -EPROTO, "%u events that are no JSON object",
			       s->skipped);
	return 0;
}

int answer_refused(struct answer_state *s, struct err *e)
{
	s->cause.in_stream = true;
	return err_set(e, -EREMOTEIO, "the server said: %s", s->cause.text);
}

int answer_full(int r, struct err *e)
{
	if (r == -E2BIG)
		return err_set(e, -EPROTO, "more than %d calls in one turn",
			       TURN_CALLS_MAX);
	return r < 0 ? err_sys(e, r, "cannot keep the answer") : 0;
}

int answer_cut(struct err *e)
{
	return err_set(e, -ECONNRESET, "the answer ended before it was complete");
}

static int settle(struct answer_state *s, uint64_t *seed, struct err *e)
{
	int r = turn_settle(&s->turn, &s->sink);

	if (r < 0)
		return answer_full(r, e);
	if (s->lost && s->turn.n_calls)
		return err_set(e, -EPROTO, "a part of a call arrived unreadable");
	if (s->turn.refusal.len && !s->turn.n_calls)
		s->turn.finish = TURN_FILTER;
	return turn_name_calls(&s->turn, seed, e) ?: turn_parse_args(&s->turn, e);
}

int answer_finish(struct answer_state *s, int (*build)(void *a), uint64_t *seed,
		  struct turn *ret, struct err *e)
{
	int r = settle(s, seed, e);

	if (r < 0)
		return r;
	r = answer_full(build(s), e);
	if (r < 0)
		return r;
	turn_done(ret);
	*ret = s->turn;
	turn_init(&s->turn);
	return 0;
}

void answer_ended(struct turn *t, const char *word, const struct answer_word *words,
		  size_t n)
{
	if (!word || !*word)
		return;
	text_copy(t->finish_word, sizeof(t->finish_word), word);
	for (size_t i = 0; i < n; i++)
		if (strcmp(word, words[i].word) == 0)
			t->finish = words[i].finish;
}

/* ---- an answer ---- */

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
	answer_state_init((struct answer_state *)a->assembler, sink);
	if (ops->init)
		ops->init(a->assembler);
	return a;
}

void answer_free(struct answer **ap)
{
	struct answer *a = take(ap, NULL);

	if (!a)
		return;
	sse_done(&a->sse);
	a->ops->done(a->assembler);
	answer_state_done((struct answer_state *)a->assembler);
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
	return &((const struct answer_state *)a->assembler)->cause;
}
