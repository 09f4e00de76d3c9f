/* Rounds, tokens, cost and time: announced at 80 %, one last turn in words at 100 %. */
#include <stdio.h>

#include "agent/task/impl.h"

enum { MICRO_PER_CENT = 10000 };

struct share {
	const char *name, *unit;
	uint64_t used, limit; /* limit 0 = none */
};

enum { SHARES = 4 };

static void shares(const struct task *t, struct share ret[SHARES])
{
	const struct task_limits *l = &t->conf->limits;

	ret[0] = (struct share){ "rounds", "rounds", t->st.round, t->st.max_rounds };
	ret[1] = (struct share){ "tokens", "tokens", t->st.tokens_in + t->st.tokens_out,
				 t->tokens_allowed };
	ret[2] = (struct share){ "cost", "cents", t->st.cost / MICRO_PER_CENT,
				 (t->cost_allowed + MICRO_PER_CENT - 1) /
					 MICRO_PER_CENT };
	ret[3] = (struct share){ "time", "seconds", (task_now(t) - t->start_ms) / 1000,
				 l->time_ms / 1000 };
}

uint64_t task_budget_left_ms(const struct task *t)
{
	uint64_t limit = t->conf->limits.time_ms, used = task_now(t) - t->start_ms;

	if (!limit)
		return UINT64_MAX;
	return used < limit ? limit - used : 0;
}

/* The name of the limit that is used up; NULL = none. */
static const char *task_budget_over(const struct task *t)
{
	struct share s[SHARES];

	if (task_budget_left_ms(t) == 0)
		return "time";
	shares(t, s);
	if (t->cost_allowed && t->st.cost >= t->cost_allowed)
		return "cost";
	for (int i = 0; i < 2; i++)
		if (s[i].limit && s[i].used >= s[i].limit)
			return s[i].name;
	return NULL;
}

/* At four fifths, once for each: the model may still choose what to do then. */
static int announce(struct task *t, struct err *e)
{
	struct share s[SHARES];

	shares(t, s);
	for (unsigned i = 0; i < SHARES; i++) {
		char text[200];

		/* Of few rounds four fifths come before there is anything to tell. */
		if (!s[i].limit || t->warned & 1U << i ||
		    s[i].used * 5 < s[i].limit * 4 || s[i].used == 0)
			continue;
		t->warned |= 1U << i;
		snprintf(text, sizeof(text),
			 "[cubby: %llu of %llu %s are used. Finish the most important "
			 "part, then call finish.]",
			 (unsigned long long)s[i].used, (unsigned long long)s[i].limit,
			 s[i].unit);
		task_say_notice(t, "%llu of %llu %s are used",
				(unsigned long long)s[i].used,
				(unsigned long long)s[i].limit, s[i].unit);
		if (task_say(t, text, e) < 0)
			return e->code;
	}
	return 0;
}

int task_budget(struct task *t, struct err *e)
{
	const char *over = task_budget_over(t);
	char text[300];

	if (!over)
		return announce(t, e);
	t->last_cause = over;
	task_say_notice(t, "the limit of %s is reached: one last turn, in words", over);
	snprintf(text, sizeof(text),
		 "[cubby: the limit of %s for this task is reached. No more calls are "
		 "possible. Say in a few sentences what is done, what is not, and what "
		 "the next step would be.]",
		 over);
	return task_say(t, text, e);
}
