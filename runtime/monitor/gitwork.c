#include "runtime/monitor/gitwork.h"

#include <poll.h>
#include <string.h>

#include "base/file.h"
#include "base/scope.h"
#include "base/sys/sys.h"

int gitwork_begin(struct gitwork *w, gitwork_fn *work, void *ctx, struct err *e)
{
	int pipe[2], r = sys_pipe2(pipe, 0);

	if (r < 0)
		return err_sys(e, r, "cannot look at what the box did to git");
	w->pid = sys_fork();
	if (w->pid == 0) {
		scope_close(&pipe[0]);
		sys_prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		sys_prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		sys_exit(work(ctx, pipe[1]));
	}
	scope_close(&pipe[1]);
	if (w->pid < 0) {
		scope_close(&pipe[0]);
		return err_sys(e, (int)take(&w->pid, -1),
			       "cannot look at what the box did to git");
	}
	w->words = pipe[0];
	return w->words;
}

void gitwork_word(int words, const char *line)
{
	(void)file_write_fd(words, line, strlen(line) + 1, ERR_IGNORED);
}

bool gitwork_more(struct gitwork *w)
{
	char text[4096];
	ssize_t n = sys_read(w->words, text, sizeof(text));

	if (n > 0 && w->said.len + (size_t)n < GITWORK_LINES)
		(void)buf_add(&w->said, text, (size_t)n); /* beyond: read, not told */
	return n > 0 || n == -EINTR;
}

void gitwork_kill(const struct gitwork *w)
{
	if (w->pid > 0)
		sys_kill(w->pid, SIGKILL);
}

void gitwork_wait(struct gitwork *w, unsigned ms)
{
	uint64_t end = sys_now_ms() + ms, now;
	struct pollfd p = { .fd = w->words, .events = POLLIN };

	while (w->pid > 0 && (now = sys_now_ms()) < end) {
		int r = sys_poll(&p, 1, (int)(end - now));

		if (r > 0 && !gitwork_more(w))
			return;
		if (r < 0 && r != -EINTR)
			break;
	}
	gitwork_kill(w);
}

int gitwork_end(struct gitwork *w, gitwork_say_fn *say, void *ctx)
{
	_cleanup_buf_ struct buf text = BUF_INIT(GITWORK_LINES);
	siginfo_t si = { 0 };

	if (w->pid <= 0)
		return -ESRCH;
	while (gitwork_more(w))
		;
	text = take(&w->said, (struct buf)BUF_INIT(GITWORK_LINES));
	sys_waitid(P_PID, (id_t)w->pid, &si, WEXITED);
	w->pid = -1;
	scope_close(&w->words);
	for (const char *l = buf_cstr(&text), *end = l + text.len; say && l < end;
	     l += strlen(l) + 1)
		say(ctx, l);
	return si.si_code == CLD_EXITED ? si.si_status : -EINTR;
}
