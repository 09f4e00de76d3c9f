/* How a task ends: the name of it, and what the report says. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "agent/task/impl.h"

/* clang-format off */
static const struct {
	enum task_end end;
	const char *name;
} end_names[] = {
	{ TASK_DONE,        "done" },
	{ TASK_GAVE_UP,     "gave_up" },
	{ TASK_LIMIT,       "limit" },
	{ TASK_SERVICE,     "service" },
	{ TASK_BOX,         "box" },
	{ TASK_INTERRUPTED, "interrupted" },
};
/* clang-format on */

const char *task_end_name(enum task_end end)
{
	for (size_t i = 0; i < ARRAY_SIZE(end_names); i++)
		if (end_names[i].end == end)
			return end_names[i].name;
	return "unknown";
}

int task_end_with(struct task_report *r, enum task_end end, const char *cause,
		  const char *fmt, ...)
{
	va_list ap;

	r->end = end;
	r->cause = cause;
	r->why = ERR_NONE;
	if (!fmt)
		return TASK_ENDED;
	r->why.code = -ECANCELED;
	va_start(ap, fmt);
	vsnprintf(r->why.msg, sizeof(r->why.msg), fmt, ap);
	va_end(ap);
	return TASK_ENDED;
}
