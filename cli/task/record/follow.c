#include "cli/task/record/follow.h"

#include <string.h>
#include <sys/inotify.h>

#include "base/file.h"
#include "base/procfs.h"
#include "base/sys/sys.h"
#include "cli/task/record/tasklog.h"

enum { CHUNK = 64 << 10, LINE_MAX_BYTES = 256 << 20, LOOK_MS = 1000 };

/* Wakes when the file of @fd grows. -1 = only the time does (no inotify left). */
static int watch(int fd)
{
	_cleanup_close_ int in = sys_inotify_init();

	if (in < 0 ||
	    sys_inotify_add(in, procfs_fd(fd), IN_MODIFY | IN_CLOSE_WRITE) < 0)
		return -1;
	return take(&in, -1);
}

static void wait_more(int in)
{
	struct pollfd p = { .fd = in, .events = POLLIN };
	char events[4096];

	(void)sys_poll(&p, 1, in < 0 ? LOOK_MS / 10 : LOOK_MS);
	while (in >= 0 && sys_read(in, events, sizeof(events)) > 0)
		;
}

typedef int more_fn(void *ctx, const char *data, size_t len, struct err *e);

static int follow(int fd, int log, more_fn *fn, void *ctx, struct err *e)
{
	_cleanup_close_ int in = watch(fd);
	char data[CHUNK];

	for (bool last = false;;) {
		ssize_t n = sys_read(fd, data, sizeof(data));
		int r = n < 0 ? err_sys(e, (int)n, "cannot read the task's record")
			      : fn(ctx, data, (size_t)n, e);

		if (r < 0)
			return r;
		if (n > 0)
			continue;
		if (last)
			return 0;
		last = log < 0 ||
		       !tasklog_writer(log); /* what it wrote before is still read */
		if (!last)
			wait_more(in);
	}
}

struct records {
	struct buf line; /* owned; what came of the last one */
	transcript_record_fn *fn;
	void *ctx;
};

static int take_lines(void *ctx, const char *data, size_t len, struct err *e)
{
	struct records *s = ctx;
	const char *end = memrchr(data, '\n', len);
	size_t whole = end ? (size_t)(end - data) + 1 : 0;
	int r = buf_add(&s->line, data, end ? whole : len);

	if (r < 0)
		return err_sys(e, r, "cannot read the task's record");
	if (!end)
		return 0;
	r = transcript_parse(s->line.data, s->line.len, s->fn, s->ctx, e);
	buf_truncate(&s->line, 0);
	return r < 0 ? r : buf_add(&s->line, data + whole, len - whole);
}

int follow_records(int fd, transcript_record_fn *fn, void *ctx, struct err *e)
{
	struct records s = { .line = BUF_INIT(LINE_MAX_BYTES), .fn = fn, .ctx = ctx };
	int r = follow(fd, fd, take_lines, &s, e);

	buf_done(&s.line);
	return r;
}

static int copy(void *ctx, const char *data, size_t len, struct err *e)
{
	const int *out = ctx;

	return len ? file_write_fd(*out, data, len, e) : 0;
}

int follow_bytes(int fd, int log, int out, struct err *e)
{
	return follow(fd, log, copy, &out, e);
}
