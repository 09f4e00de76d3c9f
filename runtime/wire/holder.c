#include "runtime/wire/holder.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/num.h"
#include "base/procfs.h"
#include "base/sys/sys.h"

enum { HOLDER_TEXT = PATH_MAX + 32, HOLDER_COMM = 64 };

int holder_note(int lock, int rundir, struct err *e)
{
	char dir[PATH_MAX], text[HOLDER_TEXT];
	int r = procfs_fd_name(rundir, dir, sizeof(dir));
	int len = snprintf(text, sizeof(text), "%d %s\n", sys_getpid(), dir);

	/* A longer one that was there stays behind it, see holder_parse(). */
	if (r >= 0)
		r = (int)sys_pwrite(lock, text, (size_t)len, 0);
	return r < 0 ? err_sys(e, r, "cannot note who runs the box") : 0;
}

int holder_parse(const char *text, struct holder *ret)
{
	const char *space = strchr(text, ' '), *end = strchr(text, '\n');
	struct holder h;
	char pid[16];
	uint64_t n;

	if (!space || !end || end < space || space[1] != '/' ||
	    (size_t)(space - text) >= sizeof(pid) ||
	    (size_t)(end - space) > sizeof(h.dir))
		return -ENOENT;
	memcpy(pid, text, (size_t)(space - text));
	pid[space - text] = '\0';
	if (num_range(pid, 1, INT_MAX, &n) < 0)
		return -ENOENT;
	h.pid = (pid_t)n;
	memcpy(h.dir, space + 1, (size_t)(end - space - 1));
	h.dir[end - space - 1] = '\0';
	*ret = h;
	return 0;
}

/* In a container whose process 1 reaps nobody a monitor that has ended keeps its number
 * and its name. */
static bool is_called(pid_t pid, const char *name)
{
	_cleanup_buf_ struct buf comm = BUF_INIT(HOLDER_COMM);
	_cleanup_close_ int fd = sys_pidfd_open(pid);
	struct pollfd ended = { .fd = fd, .events = POLLIN };

	if (fd < 0 || sys_poll(&ended, 1, 0) != 0 ||
	    file_read(AT_FDCWD, procfs_path("/proc/%d/comm", pid), &comm, ERR_IGNORED) <
		    0 ||
	    !comm.len)
		return false;
	comm.data[comm.len - 1] = '\0'; /* its newline */
	return !strcmp(buf_cstr(&comm), name);
}

static int read_note(int boxdir, struct holder *ret)
{
	_cleanup_buf_ struct buf text = BUF_INIT(HOLDER_TEXT);
	int r = file_read(boxdir, "lock", &text, ERR_IGNORED);

	return r < 0 ? r : holder_parse(buf_cstr(&text), ret);
}

int holder_read(int boxdir, struct holder *ret)
{
	int r = read_note(boxdir, ret);

	return r < 0 || !is_called(ret->pid, HOLDER_NAME) ? -ENOENT : 0;
}

bool holder_is_ending(int boxdir)
{
	struct holder h;

	return boxdir >= 0 && read_note(boxdir, &h) == 0 &&
	       is_called(h.pid, HOLDER_ENDING);
}

bool holder_is_lost(int boxdir, struct holder *ret)
{
	char path[PATH_MAX + 8];
	struct stat st;

	if (boxdir < 0 || holder_read(boxdir, ret) < 0)
		return false;
	snprintf(path, sizeof(path), "%s/ctl", ret->dir);
	return sys_fstatat(AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW) < 0;
}

void holder_await_end(int boxdir, int ms)
{
	struct holder h;
	_cleanup_close_ int fd = read_note(boxdir, &h) < 0 ? -1 : sys_pidfd_open(h.pid);
	struct pollfd ended = { .fd = fd, .events = POLLIN };

	if (fd >= 0)
		(void)sys_poll(&ended, 1, ms);
}

int holder_lost(const struct holder *h, struct err *e)
{
	err_set(e, -EBUSY,
		"process %d (" HOLDER_NAME ") runs this box, but its socket is gone",
		h->pid);
	return err_hint(e, "'kill %d' ends it", h->pid);
}
