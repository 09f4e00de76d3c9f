/* What is said while a task runs: by us to the person and to the model, and by the person
 * who pressed ^C. */
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>

#include "agent/task/impl.h"
#include "base/sys/sys.h"

void task_say_notice(struct task *t, const char *fmt, ...)
{
	char line[600];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	task_log_text(t, "notice", line, false);
	if (t->ev->notice)
		t->ev->notice(t->conf->ctx, line);
}

int task_say(struct task *t, const char *text, struct err *e)
{
	task_log_text(t, "notice", text, true);
	return history_add_text(&t->history, HISTORY_NOTICE, t->st.round, text, e);
}

int task_say_picture(struct task *t, const char *text, const char *mime,
		     const char *base64, struct err *e)
{
	task_log_picture(t, text, mime, base64);
	return history_add_picture(&t->history, t->st.round, text, mime, base64, e);
}

/* What the person said on ^C waits here until no call of the turn is open. */
int task_say_words(struct task *t, struct err *e)
{
	int r;

	if (!t->words.len)
		return 0;
	task_log_text(t, "user", buf_cstr(&t->words), true);
	r = history_add_text(&t->history, HISTORY_TASK, t->st.round,
			     buf_cstr(&t->words), e);
	buf_truncate(&t->words, 0);
	return r;
}

int task_say_form(struct task *t, struct buf *text, char why[SCHEMA_WHY], struct err *e)
{
	_cleanup_buf_ struct buf line = BUF_INIT(TOOL_TEXT_MAX);
	int r;

	if (!t->conf->schema)
		return 1;
	r = form_answer(t->conf->schema, buf_cstr(text), &line, why);
	if (r <= 0)
		return r < 0 ? err_sys(e, r, "cannot read the answer") : 0;
	buf_truncate(text, 0);
	t->report->json = true;
	r = buf_add(text, line.data, line.len);
	return r < 0 ? err_sys(e, r, "cannot keep the answer") : 1;
}

static bool drain(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char block[512];

	if (fd < 0 || sys_poll(&p, 1, 0) <= 0)
		return false;
	while (sys_read(fd, block, sizeof(block)) > 0)
		if (sys_poll(&p, 1, 0) <= 0)
			break;
	return true;
}

int task_say_interrupt(struct task *t, bool *asked)
{
	_cleanup_buf_ struct buf words = BUF_INIT(64 << 10);
	struct task_answer a = { .words = words };
	enum task_verdict v = TASK_STOP;

	if (!drain(t->conf->interrupt_fd))
		return TASK_GO_ON;
	if (asked)
		*asked = true;
	if (t->ev->interrupted)
		v = t->ev->interrupted(t->conf->ctx, &a);
	words = a.words;
	json_free(&a.args);
	if (v == TASK_STOP)
		return task_end_with(t->report, TASK_INTERRUPTED, "interrupted",
				     "interrupted by the person");
	if (words.len)
		buf_adds(&t->words, buf_cstr(&words));
	return TASK_GO_ON;
}
