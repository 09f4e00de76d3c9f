/* made - the applet whose answer, or the content of a file, is what a program makes. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/proc.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "runtime/init/applets.h"
#include "runtime/init/put.h"

enum { MADE_MS = 60000, SAID_MAX = 400 };

struct maker {
	const char *const *words; /* borrowed */
};

/* Its failure is what it says on standard error, and the errno its status. */
static int run(void *ctx, int fd, struct err *e)
{
	_cleanup_close_ int said = sys_memfd("said", 0);
	const struct maker *m = ctx;
	const struct proc_conf conf = { .argv = m->words,
					.fds = { 0, fd, said },
					.pass_fd = -1 };
	_cleanup_proc_ struct proc p = PROC_NONE;
	char text[SAID_MAX] = "";
	int status = 0, r;

	if (said < 0)
		return err_sys(e, said, "cannot run '%s'", conf.argv[0]);
	r = proc_start(&conf, &p, e);
	if (r == -ENOENT)
		return err_set(e, -ENOEXEC, "%s is not in the box", conf.argv[0]);
	r = r ?: proc_wait(&p, MADE_MS, &status, e);
	if (r < 0 || !status)
		return r;
	r = (int)sys_pread(said, text, sizeof(text) - 1, 0);
	return r > 0 ? err_set(e, -status, "%s", text)
		     : err_set(e, -EIO, "%s has failed", conf.argv[0]);
}

int made_run(char *const argv[], struct err *e)
{
	struct maker m = { (const char *const *)argv + 2 };

	return strcmp(argv[1], "-") == 0 ? run(&m, 1, e)
					 : put_file(argv[1], run, &m, e);
}
