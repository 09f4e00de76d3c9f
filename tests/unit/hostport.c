#include "tests/unit/hostport.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/terminal/spill.h"
#include "base/file.h"
#include "base/scope.h"
#include "base/sys/sys.h"

enum { EXTRA_MAX = 4, FAR = 200 };

static int open_master(struct err *e)
{
	int fd = sys_openat(AT_FDCWD, "/dev/ptmx", O_RDWR | O_NOCTTY, 0);

	if (fd < 0 || sys_pty_unlock(fd) < 0)
		return err_sys(e, fd < 0 ? fd : -EIO, "cannot open a pty");
	return fd;
}

static _noreturn_ void child(const struct session_spawn *c, int slave)
{
	char *const *argv;

	sys_setsid();
	sys_ctty(slave);
	for (int i = 0; i < 3; i++)
		sys_dup2(slave, i);
	/* first out of the way, then to 3, 4, … */
	for (unsigned i = 0; i < c->n_extra_fds; i++)
		sys_dup2(c->extra_fds[i], FAR + (int)i);
	for (unsigned i = 0; i < c->n_extra_fds; i++)
		sys_dup2(FAR + (int)i, 3 + (int)i);
	sys_close_range(3 + c->n_extra_fds, ~0u, 0);
	if (sys_chdir(c->cwd) < 0)
		sys_exit(124);
	for (size_t i = 0; c->env && c->env[i]; i++) {
		char *copy = strdup(c->env[i]);

		if (copy)
			putenv(copy);
	}
	memcpy(&argv, &c->argv, sizeof(argv));
	execvp(c->argv[0], argv);
	sys_exit(127);
}

static int on_spawn(void *ctx, const struct session_spawn *c, struct session_life *ret,
		    struct err *e)
{
	struct hostport *h = ctx;
	struct winsize ws = { .ws_row = c->rows, .ws_col = c->cols };
	_cleanup_close_ int master = open_master(e), slave = -1;
	pid_t pid;

	if (master < 0)
		return master;
	if (sys_faccessat(AT_FDCWD, c->cwd, X_OK, 0) < 0)
		return err_sys(e, -ENOENT, "no directory '%s'", c->cwd);
	slave = sys_pty_peer(master, O_RDWR | O_NOCTTY);
	if (slave < 0 || h->n == HOSTPORT_MAX)
		return err_sys(e, -EIO, "cannot open the pty's other end");
	sys_set_winsize(slave, &ws);
	pid = sys_fork();
	if (pid < 0)
		return err_sys(e, (int)pid, "cannot fork");
	if (pid == 0)
		child(c, slave);
	h->pids[h->n] = pid;
	ret->id = h->n++;
	ret->master = take(&master, -1);
	return 0;
}

/* Field 6 of stat is the session. */
static void kill_one(pid_t sid, pid_t pid, int sig)
{
	char path[64], text[1024];
	FILE *f;
	int found = 0, session = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (f && fgets(text, sizeof(text), f)) {
		char *p = strrchr(text, ')');

		if (p && sscanf(p + 1, " %*c %*d %*d %d", &session) == 1)
			found = session == sid;
	}
	if (f)
		fclose(f);
	if (found)
		sys_kill(pid, sig);
}

static void kill_session(pid_t sid, int sig)
{
	DIR *d = opendir("/proc");

	for (struct dirent *de; d && (de = readdir(d));) {
		pid_t pid = (pid_t)strtol(de->d_name, NULL, 10);

		if (pid > 1)
			kill_one(sid, pid, sig);
	}
	if (d)
		closedir(d);
}

static int on_end(void *ctx, uint32_t id, struct err *e)
{
	struct hostport *h = ctx;
	pid_t pid = h->pids[id];
	siginfo_t si = { 0 };

	if (id < h->lost)
		return err_set(e, -ECONNRESET, "the box has ended");
	if (!pid)
		return 0;
	kill_session(pid, SIGKILL);
	sys_kill(pid, SIGKILL);
	sys_waitid(P_PID, (id_t)pid, &si, WEXITED);
	h->pids[id] = 0;
	return 0;
}

static void end_box(struct hostport *h)
{
	struct err e = ERR_NONE;

	for (uint32_t i = h->lost; i < h->n; i++)
		on_end(h, i, &e);
	h->lost = h->n;
	h->box_ended = false;
}

static int on_died(void *ctx, uint32_t id, struct session_death *ret, struct err *e)
{
	struct hostport *h = ctx;
	siginfo_t si = { 0 };

	if (h->box_ended)
		end_box(h);
	if (id < h->lost)
		return err_set(e, -ECONNRESET, "the box has ended");
	if (!h->pids[id])
		return 1;
	if (sys_waitid(P_PID, (id_t)h->pids[id], &si, WEXITED | WNOHANG | WNOWAIT) <
		    0 ||
	    si.si_pid == 0)
		return 0;
	*ret = (struct session_death){ .status = si.si_status };
	if (si.si_code != CLD_EXITED)
		*ret = (struct session_death){ 128 + si.si_status, si.si_status, false,
					       false };
	return 1;
}

static int on_fd(void *)
{
	return -1;
}

static int on_chunk(void *ctx, const void *data, size_t len, struct err *e)
{
	return file_write_fd(*(int *)ctx, data, len, e);
}

static int on_save(void *ctx, const char *, const char *path, struct spill *text,
		   struct err *e)
{
	const struct hostport *h = ctx;
	const char *name = strrchr(path, '/');
	char full[256];
	_cleanup_close_ int fd = -1;

	snprintf(full, sizeof(full), "%s%s", h->dir, name);
	fd = sys_openat(AT_FDCWD, full, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0)
		return err_sys(e, fd, "cannot open '%s'", full);
	return spill_copy(text, on_chunk, &fd, e);
}

void hostport_init(struct hostport *h, const char *dir)
{
	*h = (struct hostport){
		.port = { on_spawn, on_died, NULL, on_end, on_fd, on_save, NULL },
		.dir = dir,
	};
	h->port.ctx = h;
}

void hostport_done(struct hostport *h)
{
	struct err e = ERR_NONE;

	for (uint32_t i = 0; i < h->n; i++)
		on_end(h, i, &e);
}
