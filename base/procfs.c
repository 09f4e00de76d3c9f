#include "base/procfs.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/scope.h"
#include "base/sys/sys.h"

enum { STAT_TEXT = 2048, CHILDREN_TEXT = 4096 };

char *procfs_put_path(char ret[PROCFS_PATH], const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(ret, PROCFS_PATH, fmt, ap);
	va_end(ap);
	return ret;
}

int procfs_fd_name(int fd, char *ret, size_t size)
{
	ssize_t n = sys_readlinkat(AT_FDCWD, procfs_fd(fd), ret, size - 1);

	ret[MAX(n, 0)] = '\0';
	return (int)n;
}

/* ---- stat --------------------------------------------------------------------------- */

/* As proc(5) counts; what comes behind a name that may have anything in it. */
enum {
	STATE = 3,
	PPID,
	PGRP,
	SESSION,
	TTY,
	FLAGS = 9,
	UTIME = 14,
	STIME,
	NUM_THREADS = 20,
	STARTTIME = 22,
	RSS = 24,
	ARG_START = 48,
	ARG_END,
	FIELDS
};

int procfs_stat_parse(const char *text, struct procfs_stat *ret)
{
	const char *at = strrchr(text, ')');
	long long f[FIELDS] = { 0 };
	int n = STATE + 1;

	if (!at || at[1] != ' ' || !at[2])
		return -EPROTO;
	f[STATE] = (unsigned char)at[2];
	at += 3;
	for (char *end; n < FIELDS; n++, at = end) {
		f[n] = strtoll(at, &end, 10);
		if (end == at)
			break;
	}
	if (n <= RSS)
		return -EPROTO;
	*ret = (struct procfs_stat){
		.state = (char)f[STATE],
		.ppid = (pid_t)f[PPID],
		.pgrp = (pid_t)f[PGRP],
		.sid = (pid_t)f[SESSION],
		.tty = (int)f[TTY],
		.flags = (unsigned)f[FLAGS],
		.ticks = (uint64_t)f[UTIME] + (uint64_t)f[STIME],
		.threads = (uint64_t)f[NUM_THREADS],
		.started = (uint64_t)f[STARTTIME],
		.rss = (uint64_t)f[RSS],
		.args = (uint64_t)f[ARG_START],
		.args_end = (uint64_t)f[ARG_END],
	};
	return 0;
}

int procfs_stat(int dirfd, const char *path, struct procfs_stat *ret)
{
	char text[STAT_TEXT];
	int r = file_peek(dirfd, path, text, sizeof(text));

	return r < 0 ? r : procfs_stat_parse(text, ret);
}

/* ---- lines of keys and values --------------------------------------------------------- */

/* What has a program's name in it, the first line of a status, has its newlines as "\n". */
const char *procfs_value(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (const char *at = text; (at = strstr(at, key)); at += len)
		if ((at == text || at[-1] == '\n') && at[len] == ':')
			return at + len + 1 + strspn(at + len + 1, " \t");
	return NULL;
}

bool procfs_number(const char *text, const char *key, int base, uint64_t *ret)
{
	const char *at = procfs_value(text, key);
	char *end;
	uint64_t n;

	if (!at || *at == '-' || *at == '+' || *at == '\n')
		return false;
	n = strtoull(at, &end, base);
	if (end == at)
		return false;
	*ret = n;
	return true;
}

/* The last one of its line. */
pid_t procfs_inner(const char *status)
{
	const char *line = procfs_value(status, "NSpid"), *at;

	if (!line)
		return 0;
	for (at = line + strcspn(line, "\n");
	     at > line && at[-1] >= '0' && at[-1] <= '9';)
		at--;
	return (pid_t)strtol(at, NULL, 10);
}

/* ---- children ------------------------------------------------------------------------- */

/* "12 34 56 ", of any length: a page of them at a time. */
int procfs_children(int dirfd, const char *path, procfs_fn *fn, void *ctx)
{
	_cleanup_close_ int fd = sys_openat(dirfd, path, O_RDONLY, 0);
	char text[CHILDREN_TEXT];
	unsigned pid = 0;
	ssize_t n = fd;

	while (fd >= 0 && (n = sys_read(fd, text, sizeof(text))) > 0) {
		for (ssize_t i = 0; i < n; i++) {
			if (text[i] >= '0' && text[i] <= '9') {
				pid = pid * 10 + (unsigned)(text[i] - '0');
				continue;
			}
			if (pid && fn(ctx, (pid_t)pid))
				return 0;
			pid = 0;
		}
	}
	return (int)n;
}

int procfs_has_children(pid_t pid)
{
	char first[16];
	int n = file_peek(AT_FDCWD, procfs_path("/proc/%d/task/%d/children", pid, pid),
			  first, sizeof(first));

	return n > 0 ? 1 : n;
}
