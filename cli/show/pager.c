#include "cli/show/pager.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/proc.h"
#include "base/sys/sys.h"

/* What a shell ends with for a command that it cannot run. */
enum { NOT_RUN = 126, NOT_FOUND = 127 };

static bool fits(const struct buf *rows, unsigned height)
{
	unsigned n = 0;

	for (const char *s = buf_cstr(rows); (s = strchr(s, '\n')); s++)
		n++;
	return n < height;
}

/* NULL = none. */
static const char *find_pager(const struct app *app)
{
	const char *own = getenv("PAGER");
	char path[PATH_MAX];

	if (!app->pass_over(app))
		return NULL;
	if (own)
		return *own && strcmp(own, "cat") != 0 ? own : NULL;
	return proc_find("less", path) < 0 ? NULL : "less";
}

static int start(const struct app *app, const char *pager, struct proc *ret, int *to)
{
	/* PAGER may have arguments: it is a line for the shell, for git and man, too. */
	const char *const argv[] = { "sh", "-c", pager, NULL };
	struct proc_conf conf = { .argv = argv,
				  .fds = { -1, fileno(app->out), fileno(app->err) },
				  .pass_fd = -1 };
	_cleanup_close_ int in = -1;
	int ends[2], r = sys_pipe2(ends, O_CLOEXEC);

	if (r < 0)
		return r;
	conf.fds[0] = in = ends[0];
	*to = ends[1];
	/* As git sets it: colours, no screen of its own where the text is short. */
	(void)setenv("LESS", "FRX", 0);
	return proc_start(&conf, ret, ERR_IGNORED);
}

void pager_show(const struct app *app, const struct buf *rows, unsigned height)
{
	/* ^C is for the pager, which the terminal tells as well; it may be left before it
	 * has read everything. */
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	const char *pager = fits(rows, height) ? NULL : find_pager(app);
	_cleanup_proc_ struct proc p = PROC_NONE;
	_cleanup_close_ int to = -1;
	int status;

	fflush(app->out);
	if (!pager || start(app, pager, &p, &to) < 0) {
		fputs(buf_cstr(rows), app->out);
		return;
	}
	(void)sys_sigaction(SIGPIPE, &ignore, NULL);
	(void)sys_sigaction(SIGINT, &ignore, NULL);
	(void)file_write_fd(to, rows->data, rows->len, ERR_IGNORED);
	scope_close(&to);
	if (proc_wait(&p, -1, &status, ERR_IGNORED) == 0 &&
	    (status == NOT_RUN || status == NOT_FOUND))
		fputs(buf_cstr(rows), app->out);
}
