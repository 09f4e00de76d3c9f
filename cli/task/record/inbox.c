#include "cli/task/record/inbox.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>

#include "base/file.h"
#include "base/sys/sys.h"

static int open_inbox(const struct boxdir *b, const char *task, int flags,
		      struct inbox *ret, struct err *e)
{
	ret->dir = tasklog_dir(b, e);
	if (ret->dir < 0)
		return ret->dir;
	snprintf(ret->file, sizeof(ret->file), "%s.said", task);
	ret->fd = sys_openat(ret->dir, ret->file,
			     O_RDWR | O_APPEND | O_NOFOLLOW | flags, 0600);
	return ret->fd < 0 ? err_sys(e, ret->fd, "cannot open what the task is told")
			   : 0;
}

void inbox_done(struct inbox *i)
{
	scope_close(&i->dir);
	scope_close(&i->fd);
}

int inbox_open(const struct boxdir *b, const char *task, struct inbox *ret,
	       struct err *e)
{
	return open_inbox(b, task, O_CREAT, ret, e);
}

int inbox_told(void *ctx, bool end, struct buf *words)
{
	struct inbox *i = ctx;
	_cleanup_buf_ struct buf b = BUF_INIT(2L * INBOX_MAX);
	int r = i->fd < 0 ? -EBADF : sys_flock(i->fd, LOCK_EX);

	if (r < 0)
		return 0;
	if (sys_lseek(i->fd, 0, SEEK_SET) == 0 &&
	    file_read_fd(i->fd, &b, ERR_IGNORED) == 0)
		(void)sys_ftruncate(i->fd, 0);
	if (end)
		(void)sys_unlinkat(i->dir, i->file, 0);
	(void)sys_flock(i->fd, LOCK_UN);
	while (b.len && b.data[b.len - 1] == '\n')
		buf_truncate(&b, b.len - 1);
	if (!b.len)
		return 0;
	buf_addf(words, "%s%s", words->len ? "\n" : "", buf_cstr(&b));
	return 1;
}

/* The lock is ours; the file goes with the end of its task. */
static int put(int fd, const char *text, struct err *e)
{
	struct stat st;
	int r = sys_fstat(fd, &st);

	if (r < 0)
		return err_sys(e, r, "cannot tell the task");
	if (!st.st_nlink)
		return err_set(e, -ESRCH, "the task has ended");
	if ((uint64_t)st.st_size + strlen(text) >= INBOX_MAX)
		return err_set(e, -EAGAIN,
			       "the task has not heard yet what it was told before");
	r = file_write_fd(fd, text, strlen(text), e);
	return r < 0 ? r : file_write_fd(fd, "\n", 1, e);
}

int inbox_tell(const struct boxdir *b, const char *task, const char *text,
	       struct err *e)
{
	_cleanup_(inbox_done) struct inbox i = INBOX_NONE;
	int r;

	if (!text[strspn(text, " \t\r\n")])
		return err_set(e, -EINVAL, "there is nothing to tell");
	if (strlen(text) >= INBOX_MAX)
		return err_set(e, -E2BIG, "the text is too long");
	r = open_inbox(b, task, 0, &i, e);
	if (r == -ENOENT)
		return err_set(e, -ESRCH, "the task '%s' takes no words from elsewhere",
			       task);
	if (r < 0)
		return r;
	r = sys_flock(i.fd, LOCK_EX);
	return r < 0 ? err_sys(e, r, "cannot tell the task") : put(i.fd, text, e);
}

void inbox_left(const struct boxdir *b, const char *task, struct buf *words)
{
	_cleanup_(inbox_done) struct inbox i = INBOX_NONE;
	struct err none;

	if (open_inbox(b, task, 0, &i, &none) == 0)
		(void)inbox_told(&i, true, words);
}
