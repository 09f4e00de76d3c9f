/* What a call gives back: filled by the tools, kept or shown by whoever called. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

#include "agent/tool/impl.h"

void tool_result_init(struct tool_result *r)
{
	*r = (struct tool_result){ .exit = -1 };
	buf_init(&r->text, TOOL_TEXT_MAX);
}

void tool_result_done(struct tool_result *r)
{
	buf_done(&r->text);
	free(r->cwd);
	free(r->log_path);
	free(r->picture);
	free(r->caption);
	tool_result_init(r);
}

int tool_result_fail(struct tool_result *ret, const char *fmt, ...)
{
	va_list ap;
	int r;

	ret->outcome = TOOL_ERROR;
	buf_truncate(&ret->text, 0);
	va_start(ap, fmt);
	r = buf_vaddf(&ret->text, fmt, ap);
	va_end(ap);
	return r;
}

int tool_result_failed(int r, struct tool_result *ret, const struct err *e)
{
	return r == -ECONNRESET || r == -ENOTCONN ? r
						  : tool_result_fail(ret, "%s", e->msg);
}

int tool_result_finish(struct toolbox *, const struct json *args,
		       struct tool_result *ret, struct err *)
{
	const char *answer = json_get_str(args, "answer");

	ret->outcome = TOOL_FINISHED;
	ret->success = tool_args_flag(args, "success", true);
	return buf_adds(&ret->text, answer ? answer : "") < 0 ? -ENOMEM : 0;
}

bool tool_result_is_quick(const struct tool_result *r)
{
	enum { QUICK_MS = 10 };

	return r->exit == 0 && r->time_ms < QUICK_MS;
}
