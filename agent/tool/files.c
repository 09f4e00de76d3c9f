#include "agent/tool/files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "agent/terminal/spill.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "runtime/box/box.h"

enum { STALL_MS = 60000, SAID_MAX = 1024, CHUNK = 64 << 10, HEAD_MAX = 64 };

/* An applet that runs: what is sent, what it said. */
struct run {
	const struct files *f;
	struct box_proc p;
	const char *in; /* borrowed; not sent yet */
	size_t in_len;
	bool more;	 /* more will be sent: keep its input open */
	struct buf *out; /* NULL = not wanted */
	struct buf said;
	bool full;	      /* @out could not take all */
	struct sigaction old; /* of SIGPIPE: an applet that fails stops reading */
	bool quiet;
};

static void run_done(struct run *r)
{
	box_proc_done(&r->p);
	buf_done(&r->said);
	if (r->quiet)
		sys_sigaction(SIGPIPE, &r->old, NULL);
}

static int start(struct run *r, const char *const *argv, struct err *e)
{
	const struct box_command c = { .argv = argv,
				       .cwd = r->f->cwd,
				       .user = r->f->user,
				       .io = BOX_IO_PIPES,
				       .applet = true };
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	int res = box_spawn(r->f->box, &c, &r->p, e);

	if (res < 0)
		return res;
	r->quiet = sys_sigaction(SIGPIPE, &ignore, &r->old) == 0;
	for (int i = 0; i < 3; i++)
		sys_setfl(r->p.fds[i], (i ? O_RDONLY : O_WRONLY) | O_NONBLOCK);
	return 0;
}

static void close_end(struct run *r, int i)
{
	scope_close_set(&r->p.fds[i], 1);
}

static void feed(struct run *r)
{
	ssize_t n = r->in_len ? sys_write(r->p.fds[0], r->in, r->in_len) : 0;

	if (n > 0) {
		r->in += n;
		r->in_len -= (size_t)n;
	} else if (n < 0 && n != -EAGAIN) {
		r->in_len = 0; /* it reads no more: its message says why */
		close_end(r, 0);
	}
	if (!r->in_len && !r->more)
		close_end(r, 0);
}

static void drain(struct run *r, int i)
{
	char data[CHUNK];
	ssize_t n = sys_read(r->p.fds[i], data, sizeof(data));
	struct buf *b = i == 1 ? r->out : &r->said;

	if (n == -EAGAIN)
		return;
	if (n <= 0) {
		close_end(r, i);
		return;
	}
	if (!b)
		return;
	if (buf_add(b, data, MIN((size_t)n, b->max - b->len)) < 0 ||
	    (size_t)n > b->max - b->len)
		r->full = true;
}

/* One round; 0 = nothing happened for too long. */
static int step(struct run *r)
{
	struct pollfd p[3] = {
		{ r->in_len || !r->more ? r->p.fds[0] : -1, POLLOUT, 0 },
		{ r->p.fds[1], POLLIN, 0 },
		{ r->p.fds[2], POLLIN, 0 },
	};
	int n = sys_poll(p, 3, STALL_MS);

	if (n == -EINTR)
		return 1;
	if (p[0].revents)
		feed(r);
	for (int i = 1; i < 3; i++)
		if (p[i].revents)
			drain(r, i);
	return n;
}

/* "ERRNO text" as an error of ours. */
static int said_error(const struct run *r, int status, struct err *e)
{
	char *text, shown[400];
	long code = strtol(buf_cstr(&r->said), &text, 10);
	size_t len = strcspn(text, "\n");

	if (code <= 0 || code > 4095 || *text != ' ')
		return err_set(e, -EIO, "the file program ended with status %d",
			       status);
	text_escaped(shown, sizeof(shown), text + 1, len - 1);
	return err_set(e, (int)-code, "%s", shown);
}

static int end(struct run *r, struct err *e)
{
	struct box_exit x;
	int res;

	r->more = false;
	while (r->p.fds[1] >= 0 || r->p.fds[2] >= 0)
		if (step(r) <= 0)
			return err_sys(e, -ETIMEDOUT,
				       "the file program does not answer");
	close_end(r, 0);
	res = box_wait(r->f->box, r->p.id, STALL_MS, &x, e);
	if (res < 0)
		return res;
	return x.status ? said_error(r, x.status, e) : 0;
}

static struct run run_init(const struct files *f)
{
	return (struct run){ .f = f, .p = BOX_PROC_NONE, .said = BUF_INIT(SAID_MAX) };
}

/* "MODE SIZE\n" from the front of what came. */
static int take_head(struct buf *b, struct files_stat *st, struct err *e)
{
	char *nl = b->len ? memchr(b->data, '\n', MIN(b->len, (size_t)HEAD_MAX)) : NULL;
	unsigned mode;
	uint64_t size;

	if (!nl || sscanf(b->data, "%o %" SCNu64, &mode, &size) != 2)
		return err_set(e, -EPROTO, "the file program's answer makes no sense");
	*st = (struct files_stat){ mode, size };
	buf_consume(b, (size_t)(nl + 1 - b->data));
	return 0;
}

int files_get(const struct files *f, const char *path, struct buf *ret,
	      struct files_stat *st, struct err *e)
{
	_cleanup_(run_done) struct run r = run_init(f);
	_cleanup_buf_ struct buf got = BUF_INIT(ret->max - ret->len + HEAD_MAX);
	char max[24];
	const char *const argv[] = { "get", path, max, NULL };
	int res;

	snprintf(max, sizeof(max), "%zu", ret->max - ret->len);
	r.out = &got;
	res = start(&r, argv, e);
	if (res == 0)
		res = end(&r, e);
	if (res == 0)
		res = take_head(&got, st, e);
	if (res < 0)
		return res;
	res = buf_add(ret, got.data, MIN(got.len, ret->max - ret->len));
	return res < 0 ? err_sys(e, res, "cannot keep '%s'", path) : 0;
}

int files_stat(const struct files *f, const char *path, struct files_stat *ret,
	       struct err *e)
{
	_cleanup_(run_done) struct run r = run_init(f);
	_cleanup_buf_ struct buf got = BUF_INIT(HEAD_MAX);
	const char *const argv[] = { "stat", path, NULL };
	int res;

	r.out = &got;
	res = start(&r, argv, e);
	if (res == 0)
		res = end(&r, e);
	return res < 0 ? res : take_head(&got, ret, e);
}

int files_put(const struct files *f, const char *path, const void *data, size_t len,
	      struct err *e)
{
	_cleanup_(run_done) struct run r = run_init(f);
	char size[24];
	const char *const argv[] = { "put", path, size, NULL };
	int res;

	snprintf(size, sizeof(size), "%zu", len);
	r.in = data;
	r.in_len = len;
	res = start(&r, argv, e);
	return res < 0 ? res : end(&r, e);
}

static int send_chunk(void *ctx, const void *data, size_t len, struct err *e)
{
	struct run *r = ctx;

	r->in = data;
	r->in_len = len;
	while (r->in_len)
		if (step(r) <= 0)
			return err_sys(e, -ETIMEDOUT, "the file program does not read");
	return 0;
}

int files_put_spill(const struct files *f, const char *path, struct spill *text,
		    struct err *e)
{
	_cleanup_(run_done) struct run r = run_init(f);
	char size[24];
	const char *const argv[] = { "put", path, size, NULL };
	int res;

	snprintf(size, sizeof(size), "%" PRIu64, MIN(text->total, (uint64_t)SPILL_MAX));
	r.more = true;
	res = start(&r, argv, e);
	if (res == 0)
		res = spill_copy(text, send_chunk, &r, e);
	return res < 0 ? res : end(&r, e);
}
