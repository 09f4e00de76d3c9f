#include "cli/task/record/tasklog.h"

#include <stdlib.h>
#include <string.h>

#include "base/dirscan.h"
#include "base/file.h"
#include "base/grow.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "cli/store/hostpath.h"

#define TASKLOG_DIR "transcripts"
#define TASKLOG_END ".jsonl"
#define TASKLOG_TTY ".tty"

int tasklog_dir(const struct boxdir *b, struct err *e)
{
	int r = file_make_dir(b->dirfd, TASKLOG_DIR, 0700, e);

	return r < 0 ? err_wrap(e, "the transcripts of the box") : r;
}

int tasklog_create(const struct boxdir *b, struct timespec now, char ret[TASKLOG_NAME],
		   struct err *e)
{
	_cleanup_close_ int dir = tasklog_dir(b, e);
	char stamp[32], file[TASKLOG_NAME + 8];
	struct tm tm;
	int fd = -EEXIST;

	if (dir < 0)
		return dir;
	gmtime_r(&now.tv_sec, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm);
	for (int i = 0; i < 100 && fd == -EEXIST; i++) { /* two in one second */
		snprintf(ret, TASKLOG_NAME, i ? "%s-%02d" : "%s", stamp, i);
		snprintf(file, sizeof(file), "%s" TASKLOG_END, ret);
		fd = sys_openat(dir, file, O_WRONLY | O_CREAT | O_EXCL | O_APPEND,
				0600);
	}
	if (fd >= 0)
		tasklog_hold(fd);
	return fd < 0 ? err_sys(e, fd, "cannot create the transcript") : fd;
}

void tasklog_end(const struct boxdir *b, const char *name, int fd)
{
	static const char *const ends[] = { TASKLOG_END, TASKLOG_TTY };
	char path[sizeof(TASKLOG_DIR) + TASKLOG_NAME + 8];
	struct stat st;

	if (fd < 0 || sys_fstat(fd, &st) < 0 || st.st_size)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		snprintf(path, sizeof(path), TASKLOG_DIR "/%s%s", name, ends[i]);
		(void)sys_unlinkat(b->dirfd, path, 0);
	}
}

/* Without locks (some network filesystems) a task that runs looks like one that ended. */
void tasklog_hold(int fd)
{
	(void)sys_lock_mine(fd);
}

pid_t tasklog_writer(int fd)
{
	return MAX(sys_lock_owner(fd), 0);
}

/* O_NONBLOCK: a pipe in this place must not hold us up. */
static int open_regular(int dir, const char *base)
{
	_cleanup_close_ int fd = sys_openat(dir, base,
					    O_WRONLY | O_CREAT | O_APPEND | O_NOCTTY |
						    O_NOFOLLOW | O_NONBLOCK,
					    0600);
	struct stat st;
	int r = fd < 0 ? fd : sys_fstat(fd, &st);

	if (r >= 0 && !S_ISREG(st.st_mode))
		r = -ELOOP;
	if (r >= 0)
		r = sys_ftruncate(fd, 0);
	return r < 0 ? r : take(&fd, -1);
}

int tasklog_copy(const char *name, struct err *e)
{
	_cleanup_close_ int dir = -1;
	const char *base;
	int fd;

	if (text_starts(name, "/dev/") || text_starts(name, "/proc/")) {
		fd = sys_openat(AT_FDCWD, name, O_WRONLY | O_NOCTTY, 0);
	} else {
		dir = hostpath_parent(name, &base, e);
		if (dir < 0)
			return dir;
		fd = open_regular(dir, base);
	}
	if (fd == -ELOOP || fd == -ENXIO)
		return err_set(e, fd,
			       "'%s' is a link or no plain file; remove it, or name "
			       "another file",
			       text_shown(name));
	return fd < 0 ? err_sys(e, fd, "cannot open '%s'", text_shown(name)) : fd;
}

static int open_terminal(const struct boxdir *b, const char *name, int flags,
			 struct err *e)
{
	_cleanup_close_ int dir = tasklog_dir(b, e);
	char file[TASKLOG_NAME + 8];
	int fd;

	if (dir < 0)
		return dir;
	snprintf(file, sizeof(file), "%s" TASKLOG_TTY, name);
	fd = sys_openat(dir, file, flags, 0600);
	return fd < 0 ? err_sys(e, fd, "cannot %s the record of the terminal",
				flags & O_CREAT ? "create" : "open")
		      : fd;
}

int tasklog_terminal(const struct boxdir *b, const char *name, struct err *e)
{
	return open_terminal(b, name, O_WRONLY | O_CREAT | O_EXCL | O_APPEND, e);
}

int tasklog_terminal_open(const struct boxdir *b, const char *name, struct err *e)
{
	return open_terminal(b, name, O_RDONLY | O_NOFOLLOW, e);
}

void tasklog_list_done(struct tasklog_list *l)
{
	free(l->v);
	*l = TASKLOG_LIST_NONE;
}

static int add(struct tasklog_list *l, const char *file)
{
	size_t n = strlen(file) - strlen(TASKLOG_END);

	if (n >= TASKLOG_NAME)
		return 0;
	if (!grow_room(l->v, l->n))
		return -ENOMEM;
	memcpy(l->v[l->n], file, n);
	l->v[l->n++][n] = '\0';
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

int tasklog_list(const struct boxdir *b, struct tasklog_list *ret, struct err *e)
{
	_cleanup_tasklog_list_ struct tasklog_list l = TASKLOG_LIST_NONE;
	_cleanup_close_ int dir = tasklog_dir(b, e);
	struct dirscan scan;
	int r;

	if (dir < 0)
		return dir;
	dirscan_start(&scan, dir);
	while (dirscan_next(&scan)) {
		if (!text_ends(scan.name, TASKLOG_END))
			continue;
		if (add(&l, scan.name) < 0)
			return err_sys(e, -ENOMEM, "cannot list the transcripts");
	}
	r = dirscan_failed(&scan, e);
	if (r < 0)
		return r;
	if (l.n)
		qsort(l.v, l.n, sizeof(*l.v), by_name);
	*ret = take(&l, TASKLOG_LIST_NONE);
	return 0;
}

/* The index of the transcript that @name begins or is; the newest for NULL. */
static int pick(const struct tasklog_list *l, const char *name, struct err *e)
{
	int found = -1;

	if (!l->n)
		return err_set(e, -ENOENT, "there is no task in this box yet");
	if (!name)
		return (int)l->n - 1;
	for (size_t i = 0; i < l->n; i++) {
		if (strcmp(l->v[i], name) == 0)
			return (int)i;
		if (!text_starts(l->v[i], name))
			continue;
		if (found >= 0)
			return err_set(e, -ENOTUNIQ, "several tasks begin with '%.60s'",
				       name);
		found = (int)i;
	}
	if (found < 0)
		return err_set(e, -ENOENT,
			       "there is no task '%.60s'; 'cubby log' lists them",
			       name);
	return found;
}

int tasklog_open(const struct boxdir *b, const char *name, char ret[TASKLOG_NAME],
		 struct err *e)
{
	_cleanup_tasklog_list_ struct tasklog_list l = TASKLOG_LIST_NONE;
	_cleanup_close_ int dir = tasklog_dir(b, e);
	char file[TASKLOG_NAME + 8];
	int r, fd;

	if (dir < 0)
		return dir;
	r = tasklog_list(b, &l, e);
	if (r < 0)
		return r;
	r = pick(&l, name, e);
	if (r < 0)
		return r;
	snprintf(file, sizeof(file), "%s" TASKLOG_END, l.v[r]);
	fd = sys_openat(dir, file, O_RDONLY | O_NOFOLLOW, 0);
	if (fd < 0)
		return err_sys(e, fd, "cannot open the transcript '%s'", l.v[r]);
	(void)text_copy(ret, TASKLOG_NAME, l.v[r]);
	return fd;
}
