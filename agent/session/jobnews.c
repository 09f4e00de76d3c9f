/* What runs in the background of a session, and what it printed. */
#include <string.h>

#include "agent/session/impl.h"
#include "agent/session/procs.h"
#include "base/sys/sys.h"

enum { NEWS_MAX = 4096, NAMES_MS = 10 };

static size_t list(struct session *s, struct job *jobs)
{
	pid_t shell = s->proc.master < 0 ? -1 : sys_tcgetsid(s->proc.master);

	return shell > 0 ? jobs_list(shell, &s->none, jobs, JOBS_MAX) : 0;
}

static bool has_subshell(const struct job *jobs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (jobs[i].subshell)
			return true;
	return false;
}

static char *line(struct session *s, const struct job *jobs, size_t n)
{
	_cleanup_buf_ struct buf b = BUF_INIT(NEWS_MAX), clean = BUF_INIT(NEWS_MAX);

	if (jobs_add(jobs, n, &b) < 0 || redact_text(&s->text, &b, &clean) < 0)
		return NULL;
	return buf_steal(&clean);
}

char *session_jobnews_news(struct session *s)
{
	struct job jobs[JOBS_MAX];
	size_t n = list(s, jobs);
	uint64_t key = jobs_key(jobs, n);

	if (key == s->told)
		return NULL;
	s->told = key;
	/* what was just started has a better name in a moment */
	for (int i = 0; i < NAMES_MS && has_subshell(jobs, n); i++) {
		sys_poll(NULL, 0, 1);
		n = list(s, jobs);
	}
	if (!n) /* and the last result said that there was something */
		return strdup("nothing any more");
	return line(s, jobs, n);
}

/* The leader waits for all that the shell started: it is gone when they are. */
static bool has_leader(const struct session_origin *o)
{
	struct procfs_stat st;

	return o->leader > 0 && procs_stat(o->leader, o->leader, &st) == 0 &&
	       st.ppid == o->init;
}

/* Those of @o that are none of the @n of @jobs, which has room for twice JOBS_MAX. */
static size_t add_left(const struct session *s, const struct session_origin *o,
		       struct job *jobs, size_t n)
{
	struct job left[JOBS_MAX];
	const size_t more =
		has_leader(o) ? jobs_left(s->origin.shell, o->leader, left, JOBS_MAX)
			      : 0;

	for (size_t i = 0; i < more && n < 2 * (size_t)JOBS_MAX; i++) {
		bool known = false;

		for (size_t k = 0; k < n; k++)
			known |= jobs[k].pid == left[i].pid;
		if (!known)
			jobs[n++] = left[i];
	}
	return n;
}

char *session_jobnews_all(struct session *s)
{
	struct job jobs[2 * JOBS_MAX];
	size_t n = list(s, jobs);

	n = add_left(s, &s->origin, jobs, n);
	for (size_t i = 0; i < SESSION_BEFORE; i++)
		n = add_left(s, &s->before[i], jobs, n);
	return n ? line(s, jobs, n) : NULL;
}

void session_jobnews_origin(struct session *s)
{
	pid_t shell = s->proc.master < 0 ? -1 : sys_tcgetsid(s->proc.master);
	struct session_origin o = { .shell = shell };
	struct procfs_stat st;

	if (s->origin.leader > 0)
		s->before[s->n_before++ % SESSION_BEFORE] = s->origin;
	s->origin = (struct session_origin){ 0 };
	if (shell <= 0 || procs_stat(shell, shell, &st) < 0)
		return;
	o.leader = st.ppid;
	if (procs_stat(o.leader, o.leader, &st) < 0)
		return;
	o.init = st.ppid;
	s->origin = o;
}

char *session_jobnews_left(struct session *s, const struct session_origin *old)
{
	struct job jobs[JOBS_MAX];
	size_t n;

	if (!has_leader(old))
		return NULL;
	n = jobs_left(s->origin.shell, old->leader, jobs, JOBS_MAX);
	for (int i = 0; i < NAMES_MS && has_subshell(jobs, n); i++) {
		sys_poll(NULL, 0, 1);
		n = jobs_left(s->origin.shell, old->leader, jobs, JOBS_MAX);
	}
	return n ? line(s, jobs, n) : NULL;
}

int session_jobnews(struct session *s, struct job *ret, struct buf *earlier,
		    bool *fresh, bool *ended, struct err *e)
{
	uint64_t before = s->told;
	int r;

	session_io_pump(s);
	session_io_batch(s);
	*fresh = s->earlier.total > 0;
	r = *fresh ? clip_take(&s->earlier, earlier)
		   : buf_add(earlier, s->aside.data, s->aside.len);
	if (r < 0)
		return err_sys(e, r, "cannot keep the output");
	r = (int)list(s, ret);
	s->told = jobs_key(ret, (size_t)r);
	*ended = before && !s->told;
	return r;
}
