#include "runtime/init/payload.h"

#include <string.h>

#include "base/file.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "runtime/confine/caps.h"
#include "runtime/confine/secfilter.h"
#include "runtime/init/applet.h"
#include "runtime/init/leader.h"
#include "runtime/init/payload_env.h"

enum { PAYLOAD_LOW = 64 }; /* descriptors of ours move above this before the exec */

void payload_done(struct payload *p)
{
	free(p->argv);
	free(p->env);
	free(p->text);
	scope_close_set(p->extra, WIRE_EXTRA);
	*p = PAYLOAD_NONE;
}

void payload_run_done(struct payload_run *r)
{
	scope_close(&r->status_fd);
	scope_close(&r->report_fd);
	scope_close_set(r->fds, 3);
	*r = PAYLOAD_RUN_NONE;
}

/* ---- what the message says ---------------------------------------------------------- */

/* @n strings from @text on; -EBADMSG when they do not end where they should. */
static int cut_strings(char **text, const char *end, uint32_t n, char ***ret)
{
	_cleanup_free_ char **list = calloc((size_t)n + 1, sizeof(*list));

	if (!list)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		char *nul =
			*text < end ? memchr(*text, '\0', (size_t)(end - *text)) : NULL;

		if (!nul)
			return -EBADMSG;
		list[i] = *text;
		*text = nul + 1;
	}
	*ret = take(&list, NULL);
	return 0;
}

static int cut_all(struct payload *p, const struct wire_spawn *s)
{
	char *at = p->text, *end = p->text + s->text_len;
	_cleanup_free_ char **two = NULL;
	int r = cut_strings(&at, end, s->n_argv, &p->argv)
			?: cut_strings(&at, end, s->n_env, &p->env);

	if (r < 0)
		return r;
	r = cut_strings(&at, end, 2, &two);
	if (r < 0)
		return r;
	p->cwd = two[0];
	p->user = two[1];
	return at == end && s->n_argv ? 0 : -EBADMSG;
}

/* @apart: the text is in a memfd. */
static bool spawn_valid(const struct wire_spawn *s, const struct wire_msg *m,
			bool apart)
{
	return s && s->text_len && s->text_len <= WIRE_TEXT &&
	       s->n_argv <= WIRE_STRINGS && s->n_env <= WIRE_STRINGS &&
	       s->n_extra <= WIRE_EXTRA && m->n_fds == apart + s->n_extra &&
	       s->io <= BOX_IO_LOG;
}

static int read_text(const struct wire_msg *m, uint32_t len, bool apart, char **ret)
{
	_cleanup_free_ char *text = malloc(len);
	ssize_t n = 0;

	if (!text)
		return -ENOMEM;
	if (!apart)
		memcpy(text, m->body.data + sizeof(struct wire_spawn), len);
	for (uint32_t at = 0; apart && at < len; at += (uint32_t)n) {
		n = sys_pread(m->fds[0], text + at, len - at, at);
		if (n <= 0)
			return -EBADMSG;
	}
	*ret = take(&text, NULL);
	return 0;
}

int payload_parse(struct wire_msg *m, struct payload *ret, struct err *e)
{
	const struct wire_spawn *s = wire_spawn(m);
	_cleanup_payload_ struct payload p = PAYLOAD_NONE;
	bool apart = m->body.len == sizeof(*s);
	int r;

	if (!spawn_valid(s, m, apart))
		return err_set(e, -EBADMSG, "malformed request to run a program");
	r = read_text(m, s->text_len, apart, &p.text) ?: cut_all(&p, s);
	if (r < 0)
		return err_sys(e, r, "malformed request to run a program");
	p.io = (enum box_io)s->io;
	p.applet = s->applet;
	p.keep = s->keep;
	p.rows = s->rows ? s->rows : 40;
	p.cols = s->cols ? s->cols : 160;
	for (p.n_extra = 0; p.n_extra < s->n_extra; p.n_extra++)
		p.extra[p.n_extra] = wire_take_fd(m, apart + p.n_extra);
	*ret = take(&p, PAYLOAD_NONE);
	return 0;
}

/* ---- terminals and pipes ------------------------------------------------------------ */

/* What the program gets, and what its client gets. */
struct ends {
	int inside[3], outside[3]; /* owned */
};
#define ENDS_NONE ((struct ends){ { -1, -1, -1 }, { -1, -1, -1 } })

static void ends_done(struct ends *x)
{
	scope_close_set(x->inside, 3);
	scope_close_set(x->outside, 3);
}

static int open_tty(const struct payload *p, const struct userdb_user *u,
		    struct ends *ret, struct err *e)
{
	struct winsize ws = { .ws_row = p->rows, .ws_col = p->cols };
	_cleanup_close_ int master = sys_open("/dev/pts/ptmx", O_RDWR | O_NOCTTY);
	_cleanup_close_ int slave = -1;
	int r = master < 0 ? master : sys_pty_unlock(master);

	if (r == 0)
		r = slave = sys_pty_peer(master, O_RDWR | O_NOCTTY);
	if (r >= 0)
		r = sys_set_winsize(slave, &ws);
	if (r == 0 && u->uid)
		r = sys_fchown(slave, u->uid, (gid_t)-1);
	if (r < 0)
		return err_sys(e, r, "cannot open a terminal in the box");
	ret->outside[0] = take(&master, -1);
	ret->inside[0] = take(&slave, -1);
	return 0;
}

static int open_pipes(struct ends *ret, struct err *e)
{
	for (int i = 0; i < 3; i++) {
		int fds[2], r = sys_pipe2(fds, 0);

		if (r < 0)
			return err_sys(e, r, "cannot make a pipe");
		ret->inside[i] = fds[i == 0 ? 0 : 1];
		ret->outside[i] = fds[i == 0 ? 1 : 0];
	}
	return 0;
}

static int open_ends(const struct payload *p, const struct userdb_user *u,
		     struct ends *ret, struct err *e)
{
	if (p->io == BOX_IO_TTY)
		return open_tty(p, u, ret, e);
	if (p->io == BOX_IO_PIPES)
		return open_pipes(ret, e);
	ret->inside[0] = sys_open("/dev/null", O_RDWR);
	return ret->inside[0] < 0 ? err_sys(e, ret->inside[0], "cannot open /dev/null")
				  : 0;
}

/* ---- the child ---------------------------------------------------------------------- */

struct birth {
	const struct payload_box *box;
	const struct payload *p;
	const struct userdb_user *user;
	struct ends *ends;
	char **env;
	int status_fd;
	int log_dir; /* -1 = none */
	int hold_fd; /* a byte comes when it may run; -1 = it may */
};

/* What is ignored or handled is nothing since init began (init.c). */
static void unblock_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	sys_sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Out of memory, the program goes before the box's init and shell do. */
static void offer_to_oom(void)
{
	_cleanup_close_ int fd = sys_open("/proc/self/oom_score_adj", O_WRONLY);

	if (fd >= 0)
		sys_write(fd, "500", 3);
}

/* As the box's root, for its directory belongs to that: the file is the user's. A new one,
 * whatever has that name. */
static int open_log(struct birth *b, struct err *e)
{
	_cleanup_close_ int dir = -1, fd = -1;
	char name[32];
	int r = dir = file_make_dir(AT_FDCWD, BOX_LOG_DIR, 0755, e);

	snprintf(name, sizeof(name), "%d.log", sys_getpid());
	if (r >= 0) {
		(void)sys_unlinkat(dir, name, 0);
		r = fd = sys_openat(dir, name, O_WRONLY | O_CREAT | O_EXCL, 0644);
		if (r >= 0 && b->user->uid)
			r = sys_fchown(fd, b->user->uid, (gid_t)-1);
		if (r < 0)
			err_sys(e, r, "'" BOX_LOG_DIR "/%s'", name);
	}
	if (r < 0) {
		err_wrap(e, "cannot keep the output");
		return e->code = -EIO; /* of the command itself nothing is known */
	}
	snprintf(name, sizeof(name), "%d.exit", sys_getpid());
	(void)sys_unlinkat(dir, name, 0);
	b->log_dir = take(&dir, -1);
	b->ends->inside[1] = b->ends->inside[2] = take(&fd, -1);
	return 0;
}

void payload_note_end(const struct payload_run *r, int status)
{
	_cleanup_close_ int dir = -1, fd = -1;
	char name[32], text[16];

	if (!r->log)
		return;
	dir = file_open_dir(AT_FDCWD, BOX_LOG_DIR, ERR_IGNORED);
	if (dir < 0)
		return;
	fd = sys_openat(dir, ".exit", O_WRONLY | O_CREAT | O_EXCL, 0644);
	if (fd < 0)
		return;
	snprintf(name, sizeof(name), "%d.exit", (int)r->pid);
	snprintf(text, sizeof(text), "%d\n", status);
	(void)sys_write(fd, text, strlen(text));
	if (sys_renameat(dir, ".exit", dir, name) < 0)
		(void)sys_unlinkat(dir, ".exit", 0);
}

/* What was not run has printed nothing. */
static void drop_log(const struct birth *b)
{
	char name[32];

	snprintf(name, sizeof(name), "%d.log", sys_getpid());
	if (b->log_dir >= 0)
		(void)sys_unlinkat(b->log_dir, name, 0);
}

static int place_ends(struct birth *b, struct err *e)
{
	int high[3 + WIRE_EXTRA];
	int *moved[] = { &b->status_fd, &b->log_dir, &b->hold_fd };
	unsigned n = 3 + b->p->n_extra;
	int r = 0;

	/* First out of the way of 0, 1, 2, …, then there. */
	for (unsigned i = 0; i < n && r >= 0; i++) {
		int fd = i >= 3 ? b->p->extra[i - 3] : b->ends->inside[i];

		r = high[i] =
			sys_dup(i < 3 && fd < 0 ? b->ends->inside[0] : fd, PAYLOAD_LOW);
	}
	for (size_t i = 0; i < ARRAY_SIZE(moved) && r >= 0; i++)
		if (*moved[i] >= 0)
			r = *moved[i] = sys_dup(*moved[i], PAYLOAD_LOW);
	for (unsigned i = 0; i < n && r >= 0; i++)
		r = sys_dup2(high[i], (int)i);
	if (r >= 0)
		r = (b->p->io == BOX_IO_TTY ? sys_ctty(0) : 0)
			    ?: sys_close_range(n, ~0U, CLOSE_RANGE_CLOEXEC);
	if (r == -EINVAL) { /* of fcntl(2): beyond what the caller may have */
		err_set(e, -EMFILE, "its limit of open files is too low");
		return err_hint(e, "'ulimit -n' is to be %d or more", 2 * PAYLOAD_LOW);
	}
	return r < 0 ? err_sys(e, r, "cannot place descriptors") : 0;
}

static int take_identity(const struct birth *b, struct err *e)
{
	const struct userdb_user *u = b->user;
	int r = 0;

	if (b->box->fake) /* nobody but root is there; payload_start() refused others */
		return 0;
	/* Until the exec this is init's memory still; a change of identity makes it as
	 * traceable as the host's sysctl says. */
	r = sys_setgroups(u->n_groups, u->groups) ?:
		sys_setresgid(u->gid, u->gid, u->gid) ?:
		sys_setresuid(u->uid, u->uid, u->uid) ?:
		sys_prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	if (r == 0)
		return 0;
	err_sys(e, r, "cannot become user '%s'", u->name);
	return r == -EINVAL ? err_hint(e, "the box has not so many users and groups: "
					  "'cubby exec cat /proc/self/uid_map "
					  "/proc/self/gid_map' shows them")
			    : r;
}

/* As the user, and only to a directory that this box can name. */
static int enter_cwd(const struct birth *b, struct err *e)
{
	const char *dir = *b->p->cwd ? b->p->cwd : b->box->project;
	char now[PATH_MAX], shown[200];
	int r = *dir == '/' ? sys_chdir(dir) : -EINVAL;
	ssize_t at = r == 0 ? sys_getcwd(now, sizeof(now)) : 0;

	text_escaped(shown, sizeof(shown), dir, strlen(dir));
	if (at == -ENOENT) {
		err_set(e, -EINVAL, "the directory '%s' that the box has was removed",
			shown);
		return err_hint(e, "'cubby stop' ends the box, and the next start has "
				   "the one that is there now");
	}
	if (r == 0 && (at < 0 || now[0] != '/'))
		r = -EINVAL;
	return r < 0 ? err_sys(e, r, "cannot enter the working directory '%s'", shown)
		     : 0;
}

static int exec_file(const char *path, char **argv, char *const *env)
{
	struct stat st;
	int r = sys_execve(path, argv, env);

	if (r == -EACCES && sys_fstatat(AT_FDCWD, path, &st, 0) == 0 &&
	    S_ISDIR(st.st_mode))
		r = -EISDIR;
	return r;
}

/* As execvp: the last real obstacle counts, "not found" only when there was no other. */
static int exec_search(char **argv, char *const *env)
{
	const char *path = payload_env_get(env, "PATH");
	size_t len = strlen(argv[0]) + 1;
	int worst = -ENOENT;

	if (strchr(argv[0], '/'))
		return exec_file(argv[0], argv, env);
	while (path && *path) {
		size_t n = strcspn(path, ":");
		char full[PATH_MAX];
		int r;

		if (n && n + 1 + len <= sizeof(full)) {
			memcpy(full, path, n);
			full[n] = '/';
			memcpy(full + n + 1, argv[0], len);
			r = exec_file(full, argv, env);
			if (r != -ENOENT && r != -ENOTDIR)
				worst = r;
		}
		path += n + (path[n] == ':');
	}
	return worst;
}

static int run_program(struct birth *b, struct err *e)
{
	int r = 0, argc = 0;
	char byte;

	if (b->hold_fd >= 0)
		(void)sys_read(b->hold_fd, &byte, 1);
	if (b->box->fake)
		r = secfilter_apply(SECFILTER_FAKE, e);
	if (r < 0)
		return r;
	if (b->p->applet) {
		while (b->p->argv[argc])
			argc++;
		/* what an exec would close: all of init's, and every copy of the status
		 * pipe, whose end of file says that it runs */
		sys_close_range(3 + b->p->n_extra, ~0U, 0);
		environ = b->env; /* for a program that it runs */
		sys_exit(applet_main(argc, b->p->argv));
	}
	payload_env_fit(b->env, "");
	r = exec_search(b->p->argv, b->env);
	return err_sys(e, r, "cannot run '%.200s'", b->p->argv[0]);
}

static void birth(void *ctx)
{
	struct birth *b = ctx;
	struct err e = ERR_NONE;
	int r;

	sys_setsid();
	sys_umask(022);
	r = (b->p->io == BOX_IO_LOG ? open_log(b, &e) : 0) ?: place_ends(b, &e) ?:
		take_identity(b, &e) ?: enter_cwd(b, &e);
	unblock_signals();
	if (r >= 0) {
		offer_to_oom();
		run_program(b, &e);
	}
	drop_log(b);
	sys_write(b->status_fd, &e, sizeof(e));
	sys_exit(127);
}

/* ---- the parent --------------------------------------------------------------------- */

static int fork_payload(struct birth *b, int report[2], pid_t *ret)
{
	pid_t pid = sys_fork();

	/* What init alone may, before a byte of the box's is looked at. */
	if (pid == 0 && caps_drop_own(ERR_IGNORED) < 0)
		sys_exit(127);
	if (pid == 0 && report[1] >= 0)
		leader_main(report[1], birth, b);
	if (pid == 0)
		birth(b);
	*ret = pid;
	return pid < 0 ? (int)pid : 0;
}

static int find_user(const struct payload_box *b, const struct payload *p,
		     const struct userdb_user **ret, struct err *e)
{
	_cleanup_close_ int root = sys_open("/", O_PATH | O_DIRECTORY);
	int r;

	if (root < 0)
		return err_sys(e, root, "cannot open the box's root");
	r = userdb_again(root, *p->user ? p->user : "0", b->users, ret, e);
	if (r == 0 && b->fake && ((*ret)->uid || (*ret)->gid))
		return err_set(e, -EINVAL,
			       "this box has no user but root (single id map); "
			       "'cubby doctor' says how to get more");
	return r;
}

/* While the first steps of the program's process are done, which leave nothing behind but a
 * log's file. */
static int fork_held(struct birth *b, int report[2], pid_t *ret)
{
	const struct payload_box *box = b->box;
	int hold[2] = { -1, -1 }, r;

	if (!box->before)
		return fork_payload(b, report, ret);
	if (b->p->io == BOX_IO_LOG) {
		box->before(box->before_ctx);
		return fork_payload(b, report, ret);
	}
	r = sys_pipe2(hold, 0);
	b->hold_fd = hold[0];
	if (r == 0)
		r = fork_payload(b, report, ret);
	if (r == 0) {
		box->before(box->before_ctx);
		(void)sys_write(hold[1], "", 1);
	}
	scope_close_set(hold, 2);
	return r;
}

int payload_start(const struct payload_box *b, const struct payload *p,
		  struct payload_run *ret, struct err *e)
{
	_cleanup_(payload_run_done) struct payload_run run = PAYLOAD_RUN_NONE;
	_cleanup_(ends_done) struct ends ends = ENDS_NONE;
	int status[2] = { -1, -1 }, report[2] = { -1, -1 };
	struct birth born = { b, p, NULL, &ends, NULL, -1, -1, -1 };
	_cleanup_free_ char **env = NULL;
	int r = find_user(b, p, &born.user, e);

	if (r < 0)
		return r;
	r = open_ends(p, born.user, &ends, e);
	if (r < 0)
		return r;
	r = payload_env_make(born.user, p->env, &env);
	if (r < 0)
		return err_sys(e, r, "cannot make the environment");
	born.env = env;
	r = sys_pipe2(status, 0);
	if (r == 0 && p->io == BOX_IO_TTY)
		r = sys_pipe2(report, 0);
	born.status_fd = status[1];
	if (r == 0)
		r = fork_held(&born, report, &run.pid);
	run.log = p->io == BOX_IO_LOG;
	run.status_fd = status[0];
	run.report_fd = report[0];
	scope_close(&status[1]);
	scope_close(&report[1]);
	if (r < 0)
		return err_sys(e, r, "cannot start another process");
	for (int i = 0; i < 3; i++)
		run.fds[i] = take(&ends.outside[i], -1);
	*ret = take(&run, PAYLOAD_RUN_NONE);
	return 0;
}
