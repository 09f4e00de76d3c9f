#include "cli/task/context.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sys/sys.h"
#include "base/text.h"

enum {
	KEEP_HEAD = CONTEXT_MOST / 5,
	KEEP_TAIL = CONTEXT_MOST - KEEP_HEAD,
	STEP = 65536
};

/* The head, and the newest bytes behind it. */
struct kept {
	struct buf head, tail; /* owned */
	uint64_t all;
};

static void keep(struct kept *k, const char *s, size_t len)
{
	const size_t room = KEEP_HEAD - k->head.len, n = MIN(room, len);

	k->all += len;
	buf_add(&k->head, s, n);
	buf_add(&k->tail, s + n, len - n);
	if (k->tail.len > KEEP_TAIL)
		buf_consume(&k->tail, k->tail.len - KEEP_TAIL);
}

static int read_all(int fd, struct kept *k, struct err *e)
{
	char block[STEP];
	ssize_t n;

	while ((n = sys_read(fd, block, sizeof(block))) > 0 || n == -EINTR)
		if (n > 0)
			keep(k, block, (size_t)n);
	if (n == 0 && (buf_failed(&k->head) < 0 || buf_failed(&k->tail) < 0))
		n = -ENOMEM;
	return n < 0 ? err_sys(e, (int)n, "cannot read standard input") : 0;
}

/* Text, and no byte that would end it early. */
static void add_text(struct buf *out, struct buf *part)
{
	for (size_t i = 0; i < part->len; i++)
		if (!part->data[i])
			part->data[i] = '\xff';
	text_utf8(out, buf_cstr(part), part->len);
}

static int add(struct kept *k, struct buf *task, struct err *e)
{
	buf_addf(task, "\n\n[cubby: standard input of this command, %llu bytes:]\n",
		 (unsigned long long)k->all);
	add_text(task, &k->head);
	if (k->all > k->head.len + k->tail.len)
		buf_addf(task, "\n[cubby: %llu bytes are left out here]\n",
			 (unsigned long long)(k->all - k->head.len - k->tail.len));
	add_text(task, &k->tail);
	return buf_failed(task) < 0
		       ? err_sys(e, buf_failed(task), "cannot keep standard input")
		       : 1;
}

static bool is_readable(const struct stat *st)
{
	return S_ISFIFO(st->st_mode) || S_ISSOCK(st->st_mode) ||
	       (S_ISREG(st->st_mode) && st->st_size > 0);
}

bool context_waits(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct stat st;

	return sys_fstat(fd, &st) == 0 && is_readable(&st) &&
	       sys_poll(&p, 1, CONTEXT_WAIT_MS) > 0 && p.revents & POLLIN;
}

int context_read(int fd, struct buf *task, struct err *e)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct kept k = { BUF_INIT(KEEP_HEAD), BUF_INIT(KEEP_TAIL + STEP), 0 };
	struct stat st;
	int r;

	if (sys_fstat(fd, &st) < 0 || !is_readable(&st))
		return 0;
	if (sys_poll(&p, 1, CONTEXT_WAIT_MS) == 0)
		return err_set(e, -ETIMEDOUT,
			       "standard input says nothing and is not waited for");
	r = read_all(fd, &k, e);
	if (r == 0 && k.all)
		r = add(&k, task, e);
	buf_done(&k.head);
	buf_done(&k.tail);
	return r;
}

int context_said(const char **text, struct buf *all, struct err *e)
{
	int r;

	if (!*text || strcmp(*text, "-") != 0)
		return 0;
	r = file_read_fd(STDIN_FILENO, all, e);
	if (r == -EMSGSIZE)
		return err_set(e, -E2BIG, "the text is too long");
	if (r < 0)
		return err_wrap(e, "cannot read standard input");
	*text = buf_cstr(all);
	return 0;
}
