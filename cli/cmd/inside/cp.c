#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/sys/sys.h"
#include "base/text.h"
#include "cli/opt/cmd.h"
#include "cli/run/boxrun.h"
#include "cli/show/render.h"
#include "cli/store/hostpath.h"

struct args {
	const char *from, *to; /* borrowed; ':' in front of a path of the box */
};

/* What the scripts in the box say by their status; cat has none of these. */
enum { NO_PLACE = 3, IS_DIRECTORY = 4 };

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
		"case $1 in */*) d=${1%/*}/ ;; *) d=. ;; esac\n"
		"[ -d \"$d\" ] || exit 3\n" /* NO_PLACE */
		"cat >\"$1\" && chmod \"$3\" \"$1\"";
	_cleanup_close_ int fd =
		hostpath_open(a->from, O_RDONLY | O_NOCTTY | O_NONBLOCK, e);
	char mode[8];
	const char *const argv[] = { "sh", "-c",      script,
				     "sh", a->to + 1, base_of(a->from),
				     mode, NULL };
	struct stat st;
	int status;

	if (fd < 0)
		return fd;
	if (sys_fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return err_set(e, -EINVAL,
			       "'%s' is no regular file; 'tar -c DIR | cubby "
			       "exec tar -x -C DIR' copies directories",
			       a->from);
	snprintf(mode, sizeof(mode), "%o", st.st_mode & 0777);
	status = run_with(app, argv, fd, STDIN_FILENO);
	if (status == NO_PLACE) {
		err_set(e, -ENOENT, "the directory of '%s' is not there", a->to);
		return err_hint(e, "'cubby exec mkdir -p DIR' makes one in the box");
	}
	return status;
}

/* The directory for what is written at @to, and its name there. */
static int open_place(const struct args *a, const char **name, struct err *e)
{
	int fd = hostpath_open(a->to, O_PATH | O_DIRECTORY, e);

	*name = base_of(a->from + 1);
	if (fd == -ENOENT || fd == -ENOTDIR)
		fd = hostpath_parent(a->to, name, e);
	return fd;
}

/* What is no file is not replaced by one: not /dev/null, nor what /dev/stdout leads to. */
static bool is_in_place(const char *to, int dir, const char *name)
{
	struct stat st;

	if (sys_fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || S_ISREG(st.st_mode))
		return true;
	if (!S_ISLNK(st.st_mode) || text_starts(to, "/dev/"))
		return false;
	return sys_fstatat(dir, name, &st, 0) < 0 || S_ISREG(st.st_mode);
}

static int say_not_out(const struct args *a, int status, struct err *e)
{
	if (status == IS_DIRECTORY) {
		err_set(e, -EISDIR, "'%s' is a directory", a->from);
		return err_hint(e, "'cubby exec cp -r %s .' copies it into the project",
				a->from + 1);
	}
	err_set(e, -ENOENT, "there is no '%s' in the box", a->from);
	return err_hint(e, "'cubby exec ls' shows what is there");
}

/* Whole or not at all: it is written beside its place and renamed. */
static int copy_out(struct app *app, const struct args *a, struct err *e)
{
	static const char script[] = "[ ! -d \"$1\" ] || exit 4\n" /* IS_DIRECTORY */
				     "[ -e \"$1\" ] || exit 3\n"   /* NO_PLACE */
				     "exec cat -- \"$1\"";
	const char *const argv[] = { "sh", "-c", script, "sh", a->from + 1, NULL };
	_cleanup_close_ int dir = -1, fd = -1;
	char tmp[NAME_MAX + 1];
	const char *name;
	int status;

	dir = open_place(a, &name, e);
	if (dir < 0)
		return dir;
	if (!is_in_place(a->to, dir, name))
		return err_set(e, -EINVAL,
			       "'%s' is no regular file; 'cubby exec cat FILE' writes "
			       "to standard output",
			       a->to);
	snprintf(tmp, sizeof(tmp), ".cubby-cp.part%d", sys_getpid());
	fd = sys_openat(dir, tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0666);
	if (fd < 0)
		return err_sys(e, fd, "cannot write '%s'", a->to);
	status = run_with(app, argv, fd, STDOUT_FILENO);
	if (status == CMD_DONE)
		status = sys_renameat(dir, tmp, dir, name);
	if (status == CMD_DONE)
		return status;
	(void)sys_unlinkat(dir, tmp, 0);
	if (status == NO_PLACE || status == IS_DIRECTORY)
		return say_not_out(a, status, e);
	return status < 0 ? err_sys(e, status, "cannot write '%s'", a->to) : status;
}

static int work(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;
	int r = a->to[0] == ':' ? copy_in(app, a, e) : copy_out(app, a, e);

	return r > 0 ? CMD_FAILED : r;
}

static int check(struct app *, void *args, struct err *e)
{
	const struct args *a = args;

	if (!a->to || (a->from[0] == ':') == (a->to[0] == ':'))
		return err_set(e, -EINVAL,
			       "two paths are wanted, and ':' in front of the one in "
			       "the box, such as :/etc/hosts");
	if (strcmp(a->from, ":") == 0 || strcmp(a->to, ":") == 0) {
		err_set(e, -EINVAL, "a path is missing behind ':'");
		return err_hint(e, "':.' is the current directory in the box");
	}
	if (strcmp(a->from, "-") == 0 || strcmp(a->to, "-") == 0) {
		err_set(e, -EINVAL, "'-' is no file here");
		return err_hint(e, "'cubby exec cat FILE' writes to standard output, "
				   "'cubby exec tee FILE' reads standard input");
	}
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
