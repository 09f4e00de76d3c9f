/* The text of a session's result, and its last line in brackets. */
#include <inttypes.h>
#include <string.h>

#include "agent/tool/impl.h"
#include "base/text.h"

static const char *const states[] = {
	[SESSION_EXITED] = "exited",
	[SESSION_WAITING] = "waiting",
	[SESSION_RUNNING] = "running",
	[SESSION_DIED] = "shell_died",
};

static void end_line(struct buf *out)
{
	if (out->len && out->data[out->len - 1] != '\n')
		buf_addc(out, '\n');
}

static void add_shown_cwd(const char *cwd, struct buf *out)
{
	text_escape(out, cwd ?: "?", strlen(cwd ?: "?"));
}

static void trailer_exited(const struct session_result *r, struct buf *out)
{
	const uint64_t tenths = (r->time_ms + 50) / 100; /* as a person is told it */

	buf_addf(out, "[exit %d, %" PRIu64 ".%" PRIu64 "s, cwd ", r->status,
		 tenths / 10, tenths % 10);
	add_shown_cwd(r->cwd, out);
	buf_adds(out, "]");
}

static void trailer_waiting(const struct session_result *r, struct buf *out)
{
	static const char *const whats[] = { "", "a line", "a key", "a password" };

	buf_addf(out, "[waiting for %s%s]", whats[r->reason],
		 r->full_screen ? ", full-screen program" : "");
	if (r->reason != WAITING_KEY)
		buf_adds(out, "\n[answer with input; C-c interrupts]");
	else if (r->full_screen)
		buf_adds(out, "\n[answer with input: keys, or text with enter false]");
	else /* A line editor reads key by key as well: its line needs Enter. */
		buf_adds(out, "\n[answer with input: text, with enter false where one "
			      "key is enough; or keys]");
}

static void trailer_running(const struct session_result *r, struct buf *out)
{
	double s = (double)r->limit_ms / 1000;

	if (r->limit == SESSION_INTERRUPT)
		buf_adds(out, "[running, interrupted by the person]");
	else if (r->limit == SESSION_SOFT)
		buf_addf(out, "[running, no output for %gs]", s);
	else if (r->limit == SESSION_FLOOD_SOFT)
		buf_addf(out, "[running, prints on and on: %d MiB and more]",
			 SESSION_FLOOD >> 20);
	else
		buf_addf(out, "[running, limit of %gs reached]", s);
	buf_adds(out,
		 "\n[it goes on: wait with an empty input, answer it, interrupt it "
		 "with the key C-c, look at screen, or reset]");
}

static void trailer_gone(const struct session_result *r, struct buf *out)
{
	buf_adds(out, r->unrun ? "[not executed: the box had ended"
			       : "[shell died: the box has ended");
	buf_adds(out,
		 ", and all that ran in it; the next command starts it again, with "
		 "a new shell]\n[files are kept, but for /tmp; variables, "
		 "functions and jobs are lost]");
}

static void trailer_died(const struct session_result *r, struct buf *out)
{
	if (r->signal)
		buf_addf(out, "[shell died: signal %s%s; new shell in ",
			 sigabbrev_np(r->signal) ?: "?",
			 r->oom ? " (out of memory)" : "");
	else
		buf_addf(out, "[shell died: exit %d; new shell in ", r->status);
	add_shown_cwd(r->cwd, out);
	buf_adds(out, r->jobs ? "]\n[variables and functions are lost]"
			      : "]\n[variables, functions and jobs are lost]");
}

static void add_trailer(const struct session_result *r, struct buf *out)
{
	switch (r->state) {
	case SESSION_EXITED:
		trailer_exited(r, out);
		break;
	case SESSION_WAITING:
		trailer_waiting(r, out);
		break;
	case SESSION_RUNNING:
		trailer_running(r, out);
		break;
	case SESSION_DIED:
		if (r->gone)
			trailer_gone(r, out);
		else
			trailer_died(r, out);
		break;
	}
}

static void add_notes(const struct session_result *r, struct buf *out)
{
	if (r->log_path)
		buf_addf(out, "\n[the whole output%s is in %s]",
			 r->log_partial ? " (its last 64 MiB)" : "", r->log_path);
	if (r->blind && r->state == SESSION_RUNNING)
		buf_adds(out, "\n[whether it waits for input cannot be told here]");
	if (r->jobs)
		buf_addf(out,
			 r->state == SESSION_DIED ? "\n[what it left still runs: %s]"
						  : "\n[in the background: %s]",
			 r->jobs);
	if (r->note)
		buf_addf(out, "\n[note: %s]", r->note);
}

static void add_earlier(const struct session_result *r, struct buf *out)
{
	if (!r->earlier.len)
		return;
	buf_adds(out, "[printed since the last result:]\n");
	buf_add(out, r->earlier.data, r->earlier.len);
	end_line(out);
	buf_adds(out, "[output of this command:]\n");
}

int tool_text_result(const struct session_result *r, struct tool_result *ret)
{
	struct buf *out = &ret->text;
	_cleanup_buf_ struct buf cwd = BUF_INIT(1 << 16);

	add_earlier(r, out);
	buf_add(out, r->text.data, r->text.len);
	end_line(out);
	add_trailer(r, out);
	add_notes(r, out);
	if (buf_failed(out) < 0)
		return buf_failed(out);
	text_copy(ret->state, sizeof(ret->state), states[r->state]);
	ret->outcome = r->state == SESSION_EXITED ? TOOL_OK : TOOL_OPEN;
	ret->exit = r->state == SESSION_EXITED ? r->status : -1;
	ret->time_ms = r->time_ms;
	ret->log_path = r->log_path ? strdup(r->log_path) : NULL;
	if (r->cwd && text_escape(&cwd, r->cwd, strlen(r->cwd)) == 0)
		ret->cwd = buf_steal(&cwd);
	return 0;
}
