#include "agent/task/stuck.h"

#include <string.h>

#include "agent/turn/alike.h"

enum { SAME_RESULT = 4, SAME_ERROR = 3, ALTERNATING = 3, IDLE_WAITS = 10 };

/* FNV-1a: it only tells few texts apart. */
static uint64_t hash(uint64_t h, const char *s)
{
	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 0x100000001b3ULL;
	return (h ^ 0xff) * 0x100000001b3ULL;
}

/* ---- circles ---- */

static const struct stuck_step *back(const struct stuck *s, unsigned n)
{
	return &s->steps[(s->n - 1 - n) % STUCK_KEPT];
}

static bool same(const struct stuck_step *a, const struct stuck_step *b)
{
	return a->call == b->call && a->result == b->result;
}

static unsigned run_length(const struct stuck *s)
{
	unsigned n = 1, kept = MIN(s->n, (unsigned)STUCK_KEPT);

	while (n < kept && same(back(s, n), back(s, 0)))
		n++;
	return n;
}

static bool alternates(const struct stuck *s)
{
	if (s->n < 2 * ALTERNATING || same(back(s, 0), back(s, 1)))
		return false;
	for (unsigned i = 2; i < 2 * ALTERNATING; i++)
		if (!same(back(s, i), back(s, i - 2)))
			return false;
	return true;
}

static const char *circle(const struct stuck *s)
{
	const struct stuck_step *last = back(s, 0);
	unsigned n = run_length(s);

	if (last->wait)
		return n >= IDLE_WAITS ? "waited many times without any new output"
				       : NULL;
	if (last->failed && n >= SAME_ERROR)
		return "made the same call with the same error again and again";
	if (n >= SAME_RESULT)
		return "made the same call with the same result again and again";
	return alternates(s) ? "alternated between the same two calls" : NULL;
}

/* Waiting on is a call without anything to send. */
static bool is_wait(const struct stuck_call *c)
{
	const char *command = json_get_str(c->args, "command");
	const char *text = json_get_str(c->args, "text");

	if (strcmp(c->name, "shell") == 0)
		return command && !command[strspn(command, " \t\n")] &&
		       !json_get_bool(c->args, "reset", false);
	return strcmp(c->name, "input") == 0 && (!text || !*text) &&
	       !json_get(c->args, "keys");
}

/* Something that worked and was not seen before is no part of a circle. */
static bool is_progress(const struct stuck *s, const struct stuck_step *step)
{
	unsigned kept = MIN(s->n, (unsigned)STUCK_KEPT);

	if (step->failed || step->wait || same(step, &s->circle[0]) ||
	    same(step, &s->circle[1]))
		return false;
	for (unsigned i = 0; i < kept; i++)
		if (same(step, back(s, i)))
			return false;
	return true;
}

static enum stuck_verdict verdict(struct stuck *s, const char *found,
				  struct stuck_why *why)
{
	*why = (struct stuck_why){ .now = found, .before = s->told };
	if (s->told)
		return STUCK_END;
	s->told = found;
	s->unheard = true;
	s->circle[0] = *back(s, 0);
	s->circle[1] = *back(s, 1);
	s->n = 0; /* what led here has been told: only what comes now counts */
	return STUCK_NOTICE;
}

enum stuck_verdict stuck_step(struct stuck *s, const struct stuck_call *c,
			      struct stuck_why *why)
{
	_cleanup_buf_ struct buf args = BUF_INIT(64 << 20), result = BUF_INIT(64 << 20);
	struct stuck_step step = { .failed = c->failed, .wait = is_wait(c) };
	const char *found;

	if (s->unheard) /* calls of the turn that the notice is an answer to */
		return STUCK_NO;
	if (c->args)
		json_print(c->args, false, &args); /* no memory: no circle is seen */
	alike_text(c->result, &result);
	step.call = hash(hash(0xcbf29ce484222325ULL, c->name), buf_cstr(&args));
	step.result = hash(0xcbf29ce484222325ULL, buf_cstr(&result));
	if (s->told && is_progress(s, &step))
		s->told = NULL;
	s->steps[s->n++ % STUCK_KEPT] = step;
	found = circle(s);
	return found ? verdict(s, found, why) : STUCK_NO;
}

void stuck_heard(struct stuck *s)
{
	s->unheard = false;
}
