/* The text of a session's result, and its last line in brackets. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "agent/tool/impl.h"
#include "base/text.h"

static const char *const states[] = {
	[SESSION_EXITED] = "exited",
	[SESSION_WAITING] = "waiting",
	[SESSION_RUNNING] = "running",
	[SESSION_DIED] = "shell_died",
};

static int end_line(struct buf *out)
{
	return out->len && out->data[out->len - 1] != '\n' ? buf_addc(out, '\n') : 0;
}

static int add_shown_cwd(const char *cwd, struct buf *out)
{
	return cwd ? text_escape(out, cwd, strlen(cwd)) : buf_adds(out, "?");
}

static int trailer_exited(const struct session_result *r, struct buf *out)
{
	const uint64_t tenths = (r->time_ms + 50) / 100; /* as a person is told it */
	int res = buf_addf(out, "[exit %d, %" PRIu64 ".%" PRIu64 "s, cwd ", r->status,
			   tenths / 10, tenths % 10);

	res = res ?: add_shown_cwd(r->cwd, out);
	return res ?: buf_adds(out, "]");
}

static int trailer_waiting(const struct session_result *r, struct buf *out)
{
	static const char *const whats[] = { "", "a line", "a key", "a password" };
	int res = buf_addf(out, "[waiting for %s%s]", whats[r->reason],
			   r->full_screen ? ", full-screen program" : "");

	if (r->reason != WAITING_KEY)
		return res ?: buf_adds(out, "\n[answer with input; C-c interrupts]");
	if (r->full_screen)
		return res
			       ?: buf_adds(out, "\n[answer with input: keys, or text "
						"with enter false]");
	/* A line editor reads key by key as well: its line needs Enter. */
	return res
		       ?: buf_adds(out, "\n[answer with input: text, with enter false "
					"where one key is enough; or keys]");
}

static int trailer_running(const struct session_result *r, struct buf *out)
{
	double s = (double)r->limit_ms / 1000;
	int res;

	if (r->limit == SESSION_INTERRUPT)
		res = buf_adds(out, "[running, interrupted by the person]");
	else if (r->limit == SESSION_SOFT)
		res = buf_addf(out, "[running, no output for %gs]", s);
	else
		res = buf_addf(out, "[running, limit of %gs reached]", s);
	return res
		       ?: buf_adds(
				  out,
				  "\n[it goes on: wait with an empty input, answer it, "
				  "interrupt it with the key C-c, look at screen, or "
				  "reset]");
}

static int trailer_gone(const struct session_result *r, struct buf *out)
{
	int res = buf_adds(out, r->unrun ? "[not executed: the box had ended"
					 : "[shell died: the box has ended");

	return res
		       ?: buf_adds(out,
				   ", and all that ran in it; the next command starts "
				   "it again, with a new shell]\n[files are kept, but "
				   "for /tmp; variables, functions and jobs are lost]");
}

static int trailer_died(const struct session_result *r, struct buf *out)
{
	int res = r->signal ? buf_addf(out, "[shell died: signal %s%s; new shell in ",
				       sigabbrev_np(r->signal) ?: "?",
				       r->oom ? " (out of memory)" : "")
			    : buf_addf(out, "[shell died: exit %d; new shell in ",
				       r->status);

	res = res ?: add_shown_cwd(r->cwd, out);
	if (res == 0 && r->jobs)
		res = buf_adds(out, "]\n[variables and functions are lost]");
	else if (res == 0)
		res = buf_adds(out, "]\n[variables, functions and jobs are lost]");
	return res;
}

static int add_trailer(const struct session_result *r, struct buf *out)
{
	switch (r->state) {
	case SESSION_EXITED:
		return trailer_exited(r, out);
	case SESSION_WAITING:
		return trailer_waiting(r, out);
	case SESSION_RUNNING:
		return trailer_running(r, out);
	case SESSION_DIED:
		return r->gone ? trailer_gone(r, out) : trailer_died(r, out);
	}
	return 0;
}

static int add_notes(const struct session_result *r, struct buf *out)
{
	int res = 0;

	if (r->log_path)
		res = buf_addf(out, "\n[the whole output%s is in %s]",
			       r->log_partial ? " (its last 64 MiB)" : "", r->log_path);
	if (res == 0 && r->blind && r->state == SESSION_RUNNING)
		res = buf_adds(out,
			       "\n[whether it waits for input cannot be told here]");
	if (res == 0 && r->jobs)
		res = buf_addf(out,
			       r->state == SESSION_DIED
				       ? "\n[what it left still runs: %s]"
				       : "\n[in the background: %s]",
			       r->jobs);
	if (res == 0 && r->note)
		res = buf_addf(out, "\n[note: %s]", r->note);
	return res;
}

static int add_earlier(const struct session_result *r, struct buf *out)
{
	int res;

	if (!r->earlier.len)
		return 0;
	res = buf_adds(out, "[printed since the last result:]\n");
	res = res ?: buf_add(out, r->earlier.data, r->earlier.len);
	res = res ?: end_line(out);
	return res ?: buf_adds(out, "[output of this command:]\n");
}

int tool_text_result(const struct session_result *r, struct tool_result *ret)
{
	struct buf *out = &ret->text;
	_cleanup_buf_ struct buf cwd = BUF_INIT(1 << 16);
	int res = add_earlier(r, out);

	res = res ?: buf_add(out, r->text.data, r->text.len);
	res = res ?: end_line(out);
	res = res ?: add_trailer(r, out);
	res = res ?: add_notes(r, out);
	if (res < 0)
		return res;
	text_copy(ret->state, sizeof(ret->state), states[r->state]);
	ret->outcome = r->state == SESSION_EXITED ? TOOL_OK : TOOL_OPEN;
	ret->exit = r->state == SESSION_EXITED ? r->status : -1;
	ret->time_ms = r->time_ms;
	ret->log_path = r->log_path ? strdup(r->log_path) : NULL;
	if (r->cwd && text_escape(&cwd, r->cwd, strlen(r->cwd)) == 0)
		ret->cwd = buf_steal(&cwd);
	return 0;
}
