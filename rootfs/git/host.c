#include "rootfs/git/host.h"

#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "base/file.h"
#include "base/proc.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"

enum { GIT_HOST_MS = 300000, GIT_HOST_WORDS = 64 << 10, GIT_HOST_SHOWN = 400 };

static const rlim_t cpu_seconds = 300, file = (rlim_t)8 << 30;

static void write_map(const char *path, const char *text)
{
	int fd = sys_openat(AT_FDCWD, path, O_WRONLY, 0);

	if (fd >= 0)
		(void)sys_write(fd, text, strlen(text));
	scope_close(&fd);
}

/* Root has what it needs for that; in a user namespace it could not write to files of
 * others. Others stay themselves in a namespace of their own. */
static void leave_network(void)
{
	uid_t uid = sys_geteuid();
	gid_t gid = sys_getegid();
	char map[32];

	if (uid == 0 || sys_unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0) {
		sys_unshare(CLONE_NEWNET);
		return;
	}
	snprintf(map, sizeof(map), "%u %u 1", uid, uid);
	write_map("/proc/self/uid_map", map);
	write_map("/proc/self/setgroups", "deny");
	snprintf(map, sizeof(map), "%u %u 1", gid, gid);
	write_map("/proc/self/gid_map", map);
}

int git_host_confine(int dir, struct err *e)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct statfs fs;
	int r = sys_fstatfs(dir, &fs);
	rlim_t half = r < 0 ? file : (rlim_t)fs.f_bavail * (rlim_t)fs.f_bsize / 2;
	const struct {
		int what;
		rlim_t max;
	} limits[] = {
#ifndef __SANITIZE_ADDRESS__ /* whose own memory is far larger */
		{ RLIMIT_DATA, (rlim_t)2 << 30 },
#endif
		{ RLIMIT_CPU, cpu_seconds },
		{ RLIMIT_FSIZE, MIN(file, half) },
		{ RLIMIT_CORE, 0 },
	};

	r = sys_sigaction(SIGXFSZ, &ignore, NULL); /* an error, and a line about it */
	for (size_t i = 0; i < ARRAY_SIZE(limits) && r >= 0; i++) {
		struct rlimit l;

		r = sys_getrlimit(limits[i].what, &l);
		l.rlim_cur = l.rlim_max = MIN(l.rlim_max, limits[i].max);
		if (r >= 0)
			r = sys_setrlimit(limits[i].what, &l);
	}
	if (r < 0)
		return err_sys(e, r, "cannot limit what takes over git's files");
	leave_network();
	return 0;
}

bool git_host_there(void)
{
	char path[PATH_MAX];

	return proc_find("git", path) == 0;
}

/* What git calls an error, line by line: the first says why, the last what failed by it. Where
 * it names none, its last line. */
static void say_why(int fd, char *out, size_t size)
{
	_cleanup_buf_ struct buf text = BUF_INIT(GIT_HOST_WORDS);
	char *rest = NULL;
	size_t n = 0;

	*out = '\0';
	sys_lseek(fd, 0, SEEK_SET);
	(void)file_read_fd(fd, &text, ERR_IGNORED);
	if (!text.len || !*buf_cstr(&text))
		return;
	for (char *l = strtok_r(text.data, "\n", &rest); l && n + 8 < size;
	     l = strtok_r(NULL, "\n", &rest)) {
		const bool named =
			strncmp(l, "error: ", 7) == 0 || strncmp(l, "fatal: ", 7) == 0;

		if (!named && n)
			continue;
		if (n)
			n += (size_t)snprintf(out + n, size - n, ", ");
		text_escaped(out + n, size - n, l, strlen(l));
		if (named)
			n = strlen(out);
	}
}

/* Behind the settings that come before it. */
static const char *subcommand(const char *const *argv)
{
	size_t i = 1;

	while (argv[i] && strcmp(argv[i], "-c") == 0 && argv[i + 1])
		i += 2;
	return argv[i] ?: "";
}

int git_host_run(const struct git_host_run *run, struct err *e)
{
	_cleanup_close_ int words = sys_memfd("git", 0);
	_cleanup_proc_ struct proc p = PROC_NONE;
	char dir[PATH_MAX + 16], objects[PATH_MAX + 32], shown[GIT_HOST_SHOWN];
	const char *env[] = {
		"PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin",
		"HOME=/nonexistent",
		"LC_ALL=C",
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_ATTR_NOSYSTEM=1",
		"GIT_NO_REPLACE_OBJECTS=1",
		"GIT_TERMINAL_PROMPT=0",
		"GIT_ALLOW_PROTOCOL=",
		"GIT_CONFIG_COUNT=4",
		"GIT_CONFIG_KEY_0=core.hooksPath",
		"GIT_CONFIG_VALUE_0=/dev/null",
		"GIT_CONFIG_KEY_1=core.fsmonitor",
		"GIT_CONFIG_VALUE_1=false",
		"GIT_CONFIG_KEY_2=protocol.allow",
		"GIT_CONFIG_VALUE_2=never",
		"GIT_CONFIG_KEY_3=gc.auto",
		"GIT_CONFIG_VALUE_3=0",
		"GIT_COMMITTER_NAME=cubby",
		"GIT_COMMITTER_EMAIL=cubby@localhost",
		dir,
		run->objects ? objects : NULL,
		NULL
	};
	struct proc_conf conf = {
		.argv = run->argv,
		.env = env,
		.fds = { run->in, run->out, words },
		.pass_fd = run->hold,
		/* What ends the whole group of a command ends no git in the middle: its
		 * locks would stay in the repository. */
		.new_session = true
	};
	int status = 0, r = words < 0 ? words : sys_fchdir(run->cwd);

	if (r < 0)
		return err_sys(e, r, "cannot run git");
	snprintf(dir, sizeof(dir), "GIT_DIR=%s", run->git_dir);
	snprintf(objects, sizeof(objects), "GIT_OBJECT_DIRECTORY=%s",
		 run->objects ? run->objects : "");
	r = proc_start(&conf, &p, e) ?: proc_wait(&p, GIT_HOST_MS, &status, e);
	if (r < 0)
		return err_wrap(e, "git %s", subcommand(run->argv));
	if (status == 0)
		return 0;
	say_why(words, shown, sizeof(shown));
	return err_set(e, -EIO, "git %s: %s", subcommand(run->argv),
		       *shown ? shown : "ended without a word");
}
