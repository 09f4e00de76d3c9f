/* What the model gets that asks for news while no command runs: the jobs in the
 * background, and the last that they printed: on the terminal, or into a file, which is
 * read by the box's own means. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "agent/tool/impl.h"
#include "base/text.h"

enum {
	LOG_MAX = 1 << 20, /* bytes of a file that is read for its end */
	LINES = 5,	   /* of its end that are shown */
	LINE_MAX_SHOWN = 300,
	REPORT_MAX = 256 << 10,
	LEAVE_MS = 3000
};

/* The last lines of a text, each behind a bar. */
static void add_end(const char *text, size_t len, struct buf *out)
{
	size_t from = len, end;

	for (int n = 0; from && n < LINES; n++) {
		const char *nl = memrchr(text, '\n', from - 1);

		from = nl ? (size_t)(nl + 1 - text) : 0;
		if (!nl)
			break;
	}
	for (; from < len; from = end + 1) {
		const char *nl = memchr(text + from, '\n', len - from);
		char shown[LINE_MAX_SHOWN];

		end = nl ? (size_t)(nl - text) : len;
		text_escaped(shown, sizeof(shown), text + from, end - from);
		buf_addf(out, "  | %s\n", shown);
	}
}

static void add_file(const struct toolbox *t, const struct session *s,
		     const struct job *job, struct buf *out)
{
	const struct files f = { t->conf.box, session_user(s), "/" };
	_cleanup_buf_ struct buf text = BUF_INIT(LOG_MAX);
	char path[JOBS_PATH], shown[JOBS_PATH], inside[64];
	struct files_stat st;

	jobs_output(job, path);
	if (!*path)
		return;
	text_escaped(shown, sizeof(shown), path, strlen(path));
	snprintf(inside, sizeof(inside), "/proc/%d/fd/1", job->inside);
	if (files_get(&f, inside, &text, &st, ERR_IGNORED) < 0 || st.size > text.len) {
		buf_addf(out, "  its output is in %s\n", shown);
		return;
	}
	buf_addf(out, "  its output is in %s (%" PRIu64 " bytes)%s\n", shown, st.size,
		 text.len ? "; the end of it:" : "");
	add_end(buf_cstr(&text), text.len, out);
}

static void add_terminal(const struct buf *text, bool fresh, struct buf *out)
{
	if (!text->len)
		return;
	buf_adds(out, fresh ? "[printed since the last result:]\n"
			    : "[last printed while no command ran:]\n");
	buf_add(out, text->data, text->len);
	buf_adds(out, text->data[text->len - 1] == '\n' ? "" : "\n");
}

static void write_report(const struct toolbox *t, const struct session *s,
			 const struct job *jobs, int n, struct buf *out)
{
	buf_adds(out, n ? "[in the background:]\n" : "");
	for (int i = 0; i < n; i++) {
		jobs_add(&jobs[i], 1, out);
		buf_addc(out, '\n');
		add_file(t, s, &jobs[i], out);
	}
	buf_addf(out, "[no command is running; in the background: %d]", n);
}

int tool_jobs_tell(struct toolbox *t, struct session *s, struct tool_result *ret,
		   struct err *e)
{
	_cleanup_buf_ struct buf printed = BUF_INIT(REPORT_MAX);
	_cleanup_buf_ struct buf report = BUF_INIT(REPORT_MAX);
	struct job jobs[JOBS_MAX];
	bool fresh, ended;
	int n = session_jobnews(s, jobs, &printed, &fresh, &ended, e), r;

	if (n < 0)
		return tool_result_fail(ret, "%s", e->msg);
	if (!n && !ended && !(fresh && printed.len))
		return tool_result_fail(ret,
					"no command is running: nothing to wait for");
	add_terminal(&printed, fresh, &ret->text);
	write_report(t, s, jobs, n, &report);
	r = buf_failed(&report) ?: session_redact(s, &report, &ret->text);
	if (r < 0)
		return err_sys(e, r, "cannot list the jobs");
	ret->outcome = TOOL_OK;
	return 0;
}

/* The shell forgets its jobs before it goes, and so sends them no signal. */
static void leave_jobs(struct session *s)
{
	static const char last[] = "disown -ah 2>/dev/null; exit 0";
	const struct session_limits lim = { .hard_ms = LEAVE_MS, .soft_ms = LEAVE_MS };
	_cleanup_session_result_ struct session_result r;

	session_result_init(&r);
	if (!session_waitable(s))
		(void)session_run(s, last, strlen(last), &lim, &r, ERR_IGNORED);
}

static bool add_names(struct session *s, struct buf *jobs)
{
	_cleanup_free_ char *names = s ? session_jobnews_all(s) : NULL;

	if (names)
		buf_addf(jobs, "%s%s", jobs->len ? "; " : "", names);
	return names != NULL;
}

void tool_jobs_names(struct toolbox *t, struct buf *jobs)
{
	for (size_t i = 0; i < TOOL_SESSIONS; i++)
		add_names(t->sessions[i], jobs);
}

void tool_jobs_end(struct toolbox *t, bool leave, struct buf *jobs)
{
	for (size_t i = 0; i < TOOL_SESSIONS; i++)
		if (add_names(t->sessions[i], jobs) && leave)
			leave_jobs(t->sessions[i]);
}
