#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/sys/sys.h"
#include "base/text.h"
#include "cli/box/run.h"
#include "cli/opt/cmd.h"
#include "cli/show/render.h"

struct args {
	const char *from, *to; /* borrowed; ':' in front of a path of the box */
};

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The open file becomes our standard input or output, which the command in the box has. */
static int run_with(struct app *app, const char *const *argv, int fd, int as)
{
	const struct opt_box o = { .wipe = false };
	const struct boxrun what = { .argv = argv };

	return sys_dup2(fd, as) < 0 ? CMD_FAILED : boxrun_command(app, &o, &what);
}

static int copy_in(struct app *app, const struct args *a, struct err *e)
{
	static const char script[] =
		"[ ! -d \"$1\" ] || set -- \"$1/$2\" \"$2\" \"$3\"\n"
		"cat >\"$1\" && chmod \"$3\" \"$1\"";
	_cleanup_close_ int fd = sys_open(a->from, O_RDONLY);
	char mode[8];
	const char *const argv[] = { "sh", "-c",      script,
				     "sh", a->to + 1, base_of(a->from),
				     mode, NULL };
	struct stat st;

	if (fd < 0)
		return err_sys(e, fd, "cannot read '%s'", a->from);
	if (sys_fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return err_set(e, -EINVAL,
			       "'%s' is no regular file; 'tar -c DIR | cubby "
			       "exec tar -x -C DIR' copies directories",
			       a->from);
	snprintf(mode, sizeof(mode), "%o", st.st_mode & 0777);
	return run_with(app, argv, fd, STDIN_FILENO);
}

/* Whole or not at all: it is written beside its place and renamed. */
static int copy_out(struct app *app, const struct args *a, struct err *e)
{
	static const char script[] =
		"[ ! -d \"$1\" ] || {\n"
		"printf \"cubby cp: '%s' is a directory; 'cubby exec cp -r %s .' \"\\\n"
		"'copies it into the project\\n' \":$1\" \"$1\" >&2\n"
		"exit 1; }\n"
		"exec cat -- \"$1\"";
	const char *const argv[] = { "sh", "-c", script, "sh", a->from + 1, NULL };
	char to[PATH_MAX], tmp[PATH_MAX + 16];
	_cleanup_close_ int fd = -1;
	struct stat st;
	int status;

	if (text_copy(to, sizeof(to), a->to) < 0)
		return err_set(e, -ENAMETOOLONG, "the path is too long");
	if (sys_fstatat(AT_FDCWD, to, &st, 0) == 0 && S_ISDIR(st.st_mode) &&
	    snprintf(to, sizeof(to), "%s/%s", a->to, base_of(a->from + 1)) >=
		    (int)sizeof(to))
		return err_set(e, -ENAMETOOLONG, "the path is too long");
	snprintf(tmp, sizeof(tmp), "%s.part%d", to, sys_getpid());
	fd = sys_openat(AT_FDCWD, tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0666);
	if (fd < 0)
		return err_sys(e, fd, "cannot write '%s'", tmp);
	status = run_with(app, argv, fd, STDOUT_FILENO);
	if (status == CMD_DONE)
		status = sys_renameat(AT_FDCWD, tmp, AT_FDCWD, to);
	if (status == CMD_DONE)
		return status;
	(void)sys_unlinkat(AT_FDCWD, tmp, 0);
	return status < 0 ? err_sys(e, status, "cannot write '%s'", to) : status;
}

static int work(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;
	int r = a->to[0] == ':' ? copy_in(app, a, e) : copy_out(app, a, e);

	return r > 0 ? CMD_FAILED : r;
}

static int check(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;

	(void)app;
	if (!a->to || (a->from[0] == ':') == (a->to[0] == ':'))
		return err_set(e, -EINVAL,
			       "two paths are wanted, and ':' in front of the one in "
			       "the box, such as :/etc/hosts");
	return 0;
}

const struct cmd cmd_cp = {
	.name = "cp",
	.group = CMD_INSIDE,
	.summary = "copy a file into the box, or out of it",
	.words = "FILE :BOXFILE\n:BOXFILE FILE",
	.doc = "Copy a file into the box of this directory, or out of it. What lies "
	       "in the project directory is in both and needs no copy.",
	.operands = { CMD_TEXT(struct args, from), CMD_TEXT(struct args, to) },
	.size = sizeof(struct args),
	.config = true,
	.check = check,
	.work = work,
};
