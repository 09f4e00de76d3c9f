#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/sys/sys.h"
#include "base/text.h"
#include "cli/opt/cmd.h"
#include "cli/opt/words.h"
#include "cli/run/boxrun.h"
#include "cli/store/hostpath.h"
#include "runtime/worker/worker.h"

struct args {
	struct words paths; /* owned; the last one is where the others go */
	bool recursive;	    /* no matter: a directory is copied with all below it */
};

/* One of them; ':' in front of a path of the box. */
struct copy {
	const char *from, *to; /* borrowed */
	bool several;	       /* @to is a directory, or it is refused */
};

enum { COMPLAINT = 1024 };

/* What the scripts in the box say by their status; cat and tar have none of these. */
enum { NO_PLACE = 53, IS_DIRECTORY, NO_DIRECTORY, NO_TAR, NOT_WRITTEN, NO_FILE };

/* The name that a path ends in, which need not be its last byte. */
static const char *base_of(const char *path, char ret[NAME_MAX + 1])
{
	size_t end = strlen(path), begin;

	while (end > 1 && path[end - 1] == '/')
		end--;
	for (begin = end; begin && path[begin - 1] != '/';)
		begin--;
	snprintf(ret, NAME_MAX + 1, "%.*s", (int)(end - begin), path + begin);
	if (strcmp(ret, "..") == 0)
		ret[1] = '\0'; /* all that is in it */
	return ret;
}

/* The open file becomes our standard input or output, which the command in the box has. */
static int run_with(struct app *app, const char *const *argv, int fd, int as)
{
	const struct opt_box o = { .wipe = false };
	const struct boxrun what = { .argv = argv, .no_input = as != STDIN_FILENO };

	return sys_dup2(fd, as) < 0 ? CMD_FAILED : boxrun_command(app, &o, &what);
}

/* ---- into the box ------------------------------------------------------------------------ */

/* $1 where to, $2 the name of what is copied, $3 its mode, $4 several. What goes wrong is
 * written to standard output. */
/* clang-format off */
#define INTO \
	"exec 2>&1\n" \
	"[ -d \"$1\" ] || [ -z \"$4\" ] || exit 55\n" /* NO_DIRECTORY */ \
	"[ ! -d \"$1\" ] || set -- \"$1/$2\" \"$2\" \"$3\"\n"
#define PLACE \
	"case $1 in */*) d=${1%/*}/ ;; *) d=. ;; esac\n" \
	"[ -d \"$d\" ] || exit 53\n" /* NO_PLACE */
#define NO_SLASHES \
	"t=$1; while [ \"$t\" != \"${t%/}\" ]; do t=${t%/}; done; set -- \"$t\"\n"
/* clang-format on */

/* Here the box writes why it could not: so much and no more, since it may write for ever. */
static int complaint_open(struct err *e)
{
	_cleanup_close_ int fd = sys_memfd("cubby-cp", MFD_ALLOW_SEALING);
	int r = fd < 0 ? fd : sys_ftruncate(fd, COMPLAINT);

	if (r >= 0)
		r = sys_add_seals(fd, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
	if (r >= 0)
		r = sys_dup2(fd, STDOUT_FILENO);
	return r < 0 ? err_sys(e, r, "cannot copy") : take(&fd, -1);
}

/* tar(1) adds a second line that it failed. */
static int complain(const struct copy *c, int fd, int status, struct err *e)
{
	char why[COMPLAINT + 1] = "";
	ssize_t n = sys_pread(fd, why, COMPLAINT, 0);

	why[n < 0 ? 0 : strcspn(why, "\n")] = '\0';
	return *why ? err_set(e, -EIO, "cannot copy '%s' to '%s': %s", c->from, c->to,
			      text_shown(why))
		    : status; /* cubby said it */
}

static int say_not_in(const struct copy *c, int complaint, int status, struct err *e)
{
	switch (status) {
	case NO_PLACE:
		err_set(e, -ENOENT, "the directory of '%s' is not there", c->to);
		return err_hint(e, "'cubby exec mkdir -p DIR' makes one in the box");
	case NO_DIRECTORY:
		err_set(e, -ENOTDIR, "'%s' is no directory", c->to);
		return err_hint(e,
				"several files go into one, and 'cubby exec mkdir -p "
				"DIR' makes it in the box");
	case NO_TAR:
		err_set(e, -ENOENT, "cannot copy the directory '%s'", c->from);
		return err_hint(e, "that needs tar, which the box does not have");
	case NOT_WRITTEN:
		err_set(e, -EACCES, "cannot write '%s' in the box", c->to);
		return err_hint(e, "'cubby exec touch %s' says why", c->to + 1);
	case CMD_DONE:
		return status;
	default:
		return complain(c, complaint, status, e);
	}
}

static int file_in(struct app *app, const struct copy *c, int fd, const struct stat *st,
		   struct err *e)
{
	static const char script[] =
		INTO PLACE "(true >\"$1\") 2>/dev/null || exit 57\n" /* NOT_WRITTEN */
			   "cat >\"$1\" && chmod -- \"$3\" \"$1\"";
	_cleanup_close_ int complaint = complaint_open(e);
	char mode[8], name[NAME_MAX + 1];
	const char *const argv[] = { "sh",	"-c",
				     script,	"sh",
				     c->to + 1, base_of(c->from, name),
				     mode,	c->several ? "several" : "",
				     NULL };

	if (complaint < 0)
		return complaint;
	snprintf(mode, sizeof(mode), "%o", st->st_mode & 0777);
	return say_not_in(c, complaint, run_with(app, argv, fd, STDIN_FILENO), e);
}

/* Who packs reads what the caller may read, and nothing as anybody else. */
static int choose_reader(struct idmap *ret, struct err *e)
{
	const bool root = sys_geteuid() == 0;
	struct idmap m = {
		.kind = root ? IDMAP_ROOT : IDMAP_SINGLE,
		.n_uid = 1,
		.n_gid = 1,
		.uid = { { .outside = sys_geteuid(), .count = 1 } },
		.gid = { { .outside = sys_getegid(), .count = 1 } },
	};

	return idmap_choose_helper(&m, ret, e);
}

/* A worker that sees nothing else packs it, and follows no link; tar(1) of the box unpacks
 * it. */
static int directory_in(struct app *app, const struct copy *c, int fd, struct err *e)
{
	static const char script[] = INTO NO_SLASHES PLACE
		"command -v tar >/dev/null || exit 56\n" /* NO_TAR */
		"mkdir -p -- \"$1\" || exit\n"
		"s=0; why=$(tar -x -o -f - -C \"$1\" 2>&1) || s=$?\n"
		"[ $s = 0 ] || printf %.200s \"$why\"; exit $s";
	struct idmap map;
	struct worker_job job = { .name = "pack", .map = &map, .dir = fd, .in = -1 };
	_cleanup_worker_ struct worker packer = WORKER_NONE;
	char name[NAME_MAX + 1];
	const char *const argv[] = { "sh",	"-c",
				     script,	"sh",
				     c->to + 1, base_of(c->from, name),
				     "",	c->several ? "several" : "",
				     NULL };
	int ends[2], status, r = sys_pipe2(ends, O_CLOEXEC);
	_cleanup_close_ int out = r < 0 ? -1 : ends[0], in = r < 0 ? -1 : ends[1];
	_cleanup_close_ int complaint = complaint_open(e);

	if (complaint < 0)
		return complaint;
	if (r < 0)
		return err_sys(e, r, "cannot copy '%s'", c->from);
	job.out = in;
	r = choose_reader(&map, e) ?: worker_start(&job, &packer, e);
	scope_close(&in);
	if (r < 0)
		return err_wrap(e, "cannot copy '%s'", c->from);
	status = run_with(app, argv, out, STDIN_FILENO);
	scope_close(&out);
	(void)sys_dup2(STDERR_FILENO,
		       STDIN_FILENO); /* the last end: who packs hears of it */
	r = worker_wait(&packer, -1, NULL, e);
	if (status != 0 && (r == 0 || r == -EPIPE))
		return say_not_in(c, complaint, status, e);
	return r < 0 ? err_wrap(e, "cannot copy all of '%s'", c->from) : status;
}

static int copy_in(struct app *app, const struct copy *c, struct err *e)
{
	_cleanup_close_ int fd =
		hostpath_open(c->from, O_RDONLY | O_NOCTTY | O_NONBLOCK, e);
	struct stat st;

	if (fd < 0)
		return fd;
	if (sys_fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return file_in(app, c, fd, &st, e);
	if (S_ISDIR(st.st_mode))
		return directory_in(app, c, fd, e);
	return err_set(e, -EINVAL, "'%s' is no regular file and no directory", c->from);
}

/* ---- out of it --------------------------------------------------------------------------- */

/* The directory for what is written at @to, and its name there. */
static int open_place(const struct copy *c, char own[NAME_MAX + 1], const char **name,
		      struct err *e)
{
	int fd = hostpath_open(c->to, O_PATH | O_DIRECTORY, e);

	*name = base_of(c->from + 1, own);
	if (c->several && fd < 0)
		return err_hint(e, "several files go into a directory");
	if (fd == -ENOENT || fd == -ENOTDIR)
		fd = hostpath_parent(c->to, name, e);
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

static int say_not_out(const struct copy *c, int status, struct err *e)
{
	if (status == IS_DIRECTORY) {
		err_set(e, -EISDIR, "'%s' is a directory", c->from);
		return err_hint(e, "'cubby exec cp -r %s .' copies it into the project",
				c->from + 1);
	}
	if (status == NO_FILE) { /* who writes to it may never end */
		err_set(e, -EINVAL, "'%s' is no regular file", c->from);
		return err_hint(e, "'cubby exec cat FILE' reads it");
	}
	err_set(e, -ENOENT, "there is no '%s' in the box", c->from);
	return err_hint(e, "'cubby exec ls' shows what is there");
}

/* Whole or not at all: it is written beside its place and renamed. */
static int copy_out(struct app *app, const struct copy *c, struct err *e)
{
	static const char script[] = "[ ! -d \"$1\" ] || exit 54\n" /* IS_DIRECTORY */
				     "[ -e \"$1\" ] || exit 53\n"   /* NO_PLACE */
				     "[ -f \"$1\" ] || exit 58\n"   /* NO_FILE */
				     "exec cat -- \"$1\"";
	const char *const argv[] = { "sh", "-c", script, "sh", c->from + 1, NULL };
	_cleanup_close_ int dir = -1, fd = -1;
	char tmp[NAME_MAX + 1], own[NAME_MAX + 1];
	const char *name;
	int status;

	dir = open_place(c, own, &name, e);
	if (dir < 0)
		return dir;
	if (!is_in_place(c->to, dir, name))
		return err_set(e, -EINVAL,
			       "'%s' is no regular file; 'cubby exec cat FILE' writes "
			       "to standard output",
			       c->to);
	snprintf(tmp, sizeof(tmp), ".cubby-cp.part%d", sys_getpid());
	fd = sys_openat(dir, tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0666);
	if (fd < 0)
		return err_sys(e, fd, "cannot write '%s'", c->to);
	status = run_with(app, argv, fd, STDOUT_FILENO);
	if (status == CMD_DONE)
		status = sys_renameat(dir, tmp, dir, name);
	if (status == CMD_DONE)
		return status;
	(void)sys_unlinkat(dir, tmp, 0);
	if (status == NO_PLACE || status == IS_DIRECTORY || status == NO_FILE)
		return say_not_out(c, status, e);
	return status < 0 ? err_sys(e, status, "cannot write '%s'", c->to) : status;
}

/* ---- both -------------------------------------------------------------------------------- */

static int work(struct app *app, void *args, struct err *e)
{
	const struct words *w = &((struct args *)args)->paths;
	int r = 0;

	for (size_t i = 0; i + 1 < w->n && r == 0; i++) {
		const struct copy c = { .from = w->v[i],
					.to = w->v[w->n - 1],
					.several = w->n > 2 };

		r = c.to[0] == ':' ? copy_in(app, &c, e) : copy_out(app, &c, e);
	}
	return r > 0 ? CMD_FAILED : r;
}

static int check_path(const char *path, struct err *e)
{
	if (strcmp(path, ":") == 0) {
		err_set(e, -EINVAL, "a path is missing behind ':'");
		return err_hint(e, "':.' is the current directory in the box");
	}
	if (strcmp(path, "-") == 0) {
		err_set(e, -EINVAL, "'-' is no file here");
		return err_hint(e, "'cubby exec cat FILE' writes to standard output, "
				   "'cubby exec tee FILE' reads standard input");
	}
	return *path ? 0 : err_set(e, -EINVAL, "a name is missing: that of a file");
}

/* As cp(1): of two files of one name the first would be lost. */
static int check_names(const struct words *w, struct err *e)
{
	char one[NAME_MAX + 1], other[NAME_MAX + 1];

	for (size_t i = 0; i + 1 < w->n; i++)
		for (size_t j = 0; j < i; j++)
			if (strcmp(base_of(w->v[i], one), base_of(w->v[j], other)) == 0)
				return err_set(e, -EEXIST,
					       "'%s' and '%s' would become one file; "
					       "copy one of them by itself",
					       w->v[j], w->v[i]);
	return 0;
}

/* NAME:PATH is docker's, where one of several containers is meant. */
static int say_paths(const struct words *w, struct err *e)
{
	err_set(e, -EINVAL,
		"two paths are wanted, and ':' in front of the one in the box, such as "
		":/etc/hosts");
	for (size_t i = 0; i < w->n; i++) {
		size_t len = strcspn(w->v[i], ":/");

		if (len && w->v[i][len] == ':')
			return err_hint(e, "a box that has a name is meant by '-b "
					   "NAME'");
	}
	return e->code;
}

static int check(struct app *, void *args, struct err *e)
{
	const struct words *w = &((struct args *)args)->paths;
	int r = 0;

	for (size_t i = 0; i < w->n; i++)
		if (w->n < 2 ||
		    (i + 1 < w->n && (w->v[i][0] == ':') == (w->v[w->n - 1][0] == ':')))
			return say_paths(w, e);
	for (size_t i = 0; i < w->n && r == 0; i++)
		r = check_path(w->v[i], e);
	return r < 0 ? r : check_names(w, e);
}

static const struct cmd_option options[] = {
	{ "recursive", 'r', NULL, "directories with all below them, which is so anyway",
	  CMD_FLAG(struct args, recursive) },
	{ 0 },
};

const struct cmd cmd_cp = {
	.name = "cp",
	.group = CMD_INSIDE,
	.summary = "copy files into the box, or out of it",
	.words = "FILE... :BOXFILE\n:BOXFILE... FILE",
	.doc = "Copy files into the box of this directory, or out of it; several go into "
	       "a directory. What lies in the project directory is in both and needs no "
	       "copy. Below /tmp, /run and /dev/shm a copy lasts only where something "
	       "keeps the box running.",
	.options = options,
	.operands = { CMD_LIST(struct args, paths) },
	.least = 1,
	.missing =
		"two paths are wanted, and ':' in front of the one in the box, such as "
		":/etc/hosts",
	.size = sizeof(struct args),
	.config = true,
	.check = check,
	.work = work,
};
