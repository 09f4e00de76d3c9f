/* Theory of operation
 *
 * The program's output is held back until it ends or FILEOP_AHEAD bytes are there: so a
 * failure is known before the status is said, and a short answer has its length. From
 * then on the output is read as fast as the client takes it. The answer is complete when
 * both pipes are at their end and the program has ended well; else it is cut, which the
 * client sees. */
#include "agent/server/files/fileop.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>

#include "agent/server/conf/conf.h"
#include "agent/server/exchange/exchange.h"
#include "agent/server/tenant/tenant.h"
#include "base/loop.h"
#include "base/sys/sys.h"
#include "base/text.h"

enum { SAID_MAX = 1024, CHUNK = 64 << 10, IN_MAX = 20 << 20, HEAD_LINE = 64 };

struct fileop {
	struct exchange *x; /* NULL = the answer has ended, or nobody waits for it */
	struct loop *loop;
	struct tenant_program program;
	int fds[3];		     /* owned */
	struct loop_source *ends[3]; /* owned by the loop */
	struct loop_source *timer;   /* the same; NULL = it may take its time */
	struct fileop_conf c;
	char *type, *reply; /* owned */
	char *headers[4];   /* owned */
	struct buf in, out, said;
	bool begun, exited, good, head_done;
	int64_t left; /* of the content, when its length was said */
};

static void fileop_free(struct fileop *f)
{
	if (f->c.released)
		f->c.released(f->c.ctx);
	tenant_forget(&f->program);
	loop_remove(f->loop, &f->timer);
	for (int i = 0; i < 3; i++)
		loop_remove(f->loop, &f->ends[i]);
	scope_close_set(f->fds, 3);
	for (size_t i = 0; i < ARRAY_SIZE(f->headers); i++)
		free(f->headers[i]);
	free(f->type);
	free(f->reply);
	buf_done(&f->in);
	buf_done(&f->out);
	buf_done(&f->said);
	free(f);
}

static void close_end(struct fileop *f, int i)
{
	loop_remove(f->loop, &f->ends[i]);
	scope_close_set(&f->fds[i], 1);
}

/* ---- the answer ----------------------------------------------------------------- */

/* "ERRNO text" as an error of ours; the text may have lines. */
static void read_failure(struct fileop *f, struct err *e)
{
	char *text = NULL, shown[400];
	long code = strtol(buf_cstr(&f->said), &text, 10);
	size_t len = strlen(text);

	if (code <= 0 || code > 4095 || *text != ' ') {
		err_set(e, -ECONNRESET, "the file program has ended");
		return;
	}
	if (len > 1 && text[len - 1] == '\n')
		len--;
	text_escaped(shown, sizeof(shown), text + 1, len - 1);
	err_set(e, (int)-code, "%s", shown);
}

static void answer_failure(struct fileop *f, const struct err *e)
{
	struct exchange *x = take(&f->x, NULL);
	const struct fileop_conf c = f->c;
	bool begun = f->begun;
	struct err again = ERR_NONE;
	int r = 0;

	fileop_free(f);
	if (begun) {
		exchange_cut(x);
		return;
	}
	exchange_later(x, NULL, NULL);
	if (c.failed)
		r = c.failed(x, e, &again);
	else
		exchange_fail_err(x, e);
	if (r < 0)
		exchange_fail_err(x, &again);
}

static void begin(struct fileop *f, int64_t length)
{
	const char *headers[ARRAY_SIZE(f->headers) + 1] = { NULL };

	for (size_t i = 0; i < ARRAY_SIZE(f->headers); i++)
		headers[i] = f->headers[i];
	f->begun = true;
	exchange_begin(f->x, 200, f->type ? f->type : "application/json", headers,
		       length);
}

/* "MODE SIZE\n" from the front: -1 = it makes no sense, 0 = it has not come yet. */
static int take_head(struct fileop *f)
{
	char *nl = f->out.len ? memchr(f->out.data, '\n',
				       MIN(f->out.len, (size_t)HEAD_LINE))
			      : NULL;
	uint64_t size;
	unsigned mode;

	if (!nl)
		return f->out.len >= HEAD_LINE ? -1 : 0;
	if (sscanf(f->out.data, "%o %" SCNu64, &mode, &size) != 2 || size > INT64_MAX)
		return -1;
	buf_consume(&f->out, (size_t)(nl + 1 - f->out.data));
	f->left = (int64_t)size;
	f->head_done = true;
	begin(f, f->left);
	return 1;
}

/* What is there goes to the client. */
static void pass_on(struct fileop *f)
{
	size_t n = f->out.len;

	if (f->c.has_head) {
		n = (size_t)MIN((uint64_t)n, (uint64_t)f->left);
		f->left -= (int64_t)n;
	}
	exchange_write(f->x, f->out.data, n);
	buf_truncate(&f->out, 0);
}

static void complete(struct fileop *f)
{
	struct exchange *x = f->x;

	if (f->c.gather) {
		struct buf out = take(&f->out, (struct buf){ 0 });
		const struct fileop_conf c = f->c;
		struct err e = ERR_NONE;

		f->x = NULL;
		fileop_free(f);
		exchange_later(x, NULL, NULL);
		if (c.gathered(x, &out, &e) < 0)
			exchange_fail_err(x, &e);
		buf_done(&out);
		return;
	}
	if (f->reply) {
		begin(f, (int64_t)strlen(f->reply));
		exchange_write(x, f->reply, strlen(f->reply));
	} else {
		if (!f->begun)
			begin(f, (int64_t)f->out.len);
		pass_on(f);
	}
	f->x = NULL;
	if (f->c.has_head && f->left) /* the file became shorter meanwhile */
		exchange_cut(x);
	else
		exchange_end(x);
	fileop_free(f);
}

/* Both pipes are at their end and the program has ended. */
static void look_at_end(struct fileop *f)
{
	struct err e = ERR_NONE;

	if (!f->exited || f->fds[1] >= 0 || f->fds[2] >= 0)
		return;
	if (f->good && f->c.has_head && !f->head_done && take_head(f) <= 0)
		f->good = false;
	if (f->good) {
		complete(f);
		return;
	}
	read_failure(f, &e);
	answer_failure(f, &e);
}

/* ---- the pipes ------------------------------------------------------------------ */

static void watch(struct fileop *f)
{
	bool wait = f->begun && exchange_backlog(f->x) > EXCHANGE_FULL;

	if (f->ends[1])
		(void)loop_modify(f->loop, f->ends[1], wait ? 0 : EPOLLIN);
	if (f->ends[0])
		(void)loop_modify(f->loop, f->ends[0], f->in.len ? EPOLLOUT : 0);
}

static int on_output(void *ctx, uint32_t, struct err *)
{
	struct fileop *f = ctx;
	char data[CHUNK];
	ssize_t n = sys_read(f->fds[1], data, sizeof(data));

	if (n == -EAGAIN)
		return 0;
	if (n <= 0 || (f->c.gather && f->out.len + (size_t)n > f->c.gather)) {
		close_end(f, 1);
		f->good &= n <= 0;
		if (n > 0) { /* whatever it has to say of that */
			buf_truncate(&f->said, 0);
			buf_addf(&f->said, "%d the file is too large", EMSGSIZE);
			close_end(f, 2);
		}
		look_at_end(f);
		return 0;
	}
	if (f->c.gather && share_hold(f->x, (size_t)n) < 0) {
		struct err why = ERR_NONE;

		/* at once: there is room for one of the others then */
		share_release(f->x);
		err_set(&why, -EAGAIN, "too many large files at once; try again");
		answer_failure(f, &why);
		return 0;
	}
	(void)buf_add(&f->out, data, (size_t)n);
	if (f->c.has_head && !f->head_done && take_head(f) < 0) {
		close_end(f, 1);
		look_at_end(f);
		return 0;
	}
	if (!f->c.gather && !f->c.has_head && !f->begun && f->out.len > FILEOP_AHEAD)
		begin(f, -1);
	if (f->begun)
		pass_on(f);
	watch(f);
	return 0;
}

static int on_said(void *ctx, uint32_t, struct err *)
{
	struct fileop *f = ctx;
	char data[SAID_MAX];
	ssize_t n = sys_read(f->fds[2], data, sizeof(data));

	if (n > 0) {
		(void)buf_add(&f->said, data,
			      MIN((size_t)n, f->said.max - f->said.len));
	} else if (n != -EAGAIN) {
		close_end(f, 2);
		look_at_end(f);
	}
	return 0;
}

static int on_input(void *ctx, uint32_t, struct err *)
{
	struct fileop *f = ctx;
	ssize_t n = f->in.len ? sys_write(f->fds[0], f->in.data, f->in.len) : 0;

	if (n > 0)
		buf_consume(&f->in, (size_t)n);
	if ((n < 0 && n != -EAGAIN) || (!f->in.len && !f->c.more))
		close_end(f,
			  0); /* all of it, or it reads no more: its message says why */
	watch(f);
	if (f->c.more && f->in.len < EXCHANGE_FULL / 2)
		exchange_pause(f->x, false);
	return 0;
}

/* ---- the program ---------------------------------------------------------------- */

static void on_started(void *ctx, struct box_proc *proc, const struct err *e)
{
	static loop_fn *const fns[3] = { on_input, on_output, on_said };
	struct fileop *f = ctx;
	int r = 0;

	if (e) {
		answer_failure(f, e);
		return;
	}
	for (int i = 0; i < 3; i++) {
		f->fds[i] = take(&proc->fds[i], -1);
		sys_setfl(f->fds[i], (i ? O_RDONLY : O_WRONLY) | O_NONBLOCK);
	}
	if (!f->in.len && !f->c.more)
		scope_close_set(&f->fds[0], 1);
	for (int i = 0; i < 3 && r >= 0; i++)
		if (f->fds[i] >= 0)
			r = loop_add(f->loop, f->fds[i], i ? EPOLLIN : EPOLLOUT, fns[i],
				     f, &f->ends[i]);
	if (r < 0) {
		struct err why = ERR_NONE;

		err_sys(&why, r, "cannot watch a program");
		answer_failure(f, &why);
	}
}

static void on_exited(void *ctx, const struct box_exit *x)
{
	struct fileop *f = ctx;

	f->exited = true;
	f->good = x && !x->status && !f->said.len;
	look_at_end(f);
}

static void on_gone(void *ctx)
{
	struct fileop *f = ctx;

	f->x = NULL;
	fileop_free(f);
}

static void on_drained(void *ctx)
{
	watch(ctx);
}

static void on_body(void *ctx, const char *data, size_t len)
{
	const struct fileop *f = ctx;

	if (f->c.body)
		f->c.body(f->c.ctx, data, len);
}

static const struct exchange_hooks hooks = { .gone = on_gone,
					     .drained = on_drained,
					     .body = on_body };

static int on_time(void *ctx, uint32_t, struct err *)
{
	struct err why = ERR_NONE;

	err_set(&why, -ETIMEDOUT, "it takes too long");
	answer_failure(ctx, &why); /* and the program is killed */
	return 0;
}

static int ask(struct fileop *f, struct err *e)
{
	const struct box_command c = {
		.argv = f->c.argv, .cwd = "/", .io = BOX_IO_PIPES, .applet = true
	};
	int r = f->c.limit_ms
			? loop_timer(f->loop, f->c.limit_ms, on_time, f, &f->timer)
			: 0;

	if (r < 0)
		return err_sys(e, r, "cannot work on files");
	return tenant_run(exchange_tenant(f->x), &c, &f->program, e);
}

int fileop_start(struct exchange *x, const struct fileop_conf *c, struct fileop **ret,
		 struct err *e)
{
	struct fileop *f = calloc(1, sizeof(*f));
	int r;

	if (!f)
		return err_sys(e, -ENOMEM, "cannot work on files");
	*f = (struct fileop){
		.x = x,
		.loop = exchange_loop(x),
		.fds = { -1, -1, -1 },
		.c = *c,
		.type = c->type ? strdup(c->type) : NULL,
		.reply = c->reply ? strdup(c->reply) : NULL,
		.in = c->in ? take(c->in, (struct buf){ 0 }) : BUF_INIT(IN_MAX),
		.out = BUF_INIT(c->gather ? c->gather : 2L * CHUNK),
		.said = BUF_INIT(SAID_MAX),
		.program = { .started = on_started, .exited = on_exited, .ctx = f }
	};
	for (size_t i = 0; c->headers && c->headers[i] && i < ARRAY_SIZE(f->headers);
	     i++)
		f->headers[i] = strdup(c->headers[i]);
	r = ask(f, e);
	if (r < 0) {
		f->c.released = NULL; /* it stays the caller's */
		fileop_free(f);
		return r;
	}
	f->c.argv = NULL;
	f->c.headers = NULL;
	exchange_later(x, &hooks, f);
	*ret = f;
	return 0;
}

int fileop_run(struct exchange *x, const struct fileop_conf *c, struct err *e)
{
	struct fileop *f;

	return fileop_start(x, c, &f, e);
}

int fileop_feed(struct fileop *f, const char *data, size_t len)
{
	unsigned char head[4];

	for (int i = 0; i < 4; i++)
		head[i] = (unsigned char)(len >> 8 * i);
	buf_add(&f->in, head, sizeof(head));
	buf_add(&f->in, data, len);
	if (!len)
		f->c.more = false;
	watch(f);
	return buf_failed(&f->in);
}

void fileop_say(struct fileop *f, const char *reply)
{
	free(f->reply);
	f->reply = strdup(reply);
}

size_t fileop_backlog(const struct fileop *f)
{
	return f->in.len;
}

void fileop_abandon(struct fileop *f)
{
	f->x = NULL;
	fileop_free(f);
}
