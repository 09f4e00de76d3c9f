/* A process and its parent share a socket of messages: 'n' a note, 'd' bytes done, 'r' a
 * struct err and the result, the last one. All of them share a pipe that nobody writes to:
 * it becomes readable when the parent closes its end, or dies. */
#include "rootfs/image/crew.h"

#include <string.h>

#include "base/buf.h"
#include "base/scope.h"
#include "base/sys/sys.h"

enum { MESSAGE = 128 << 10, OFTEN = 512 << 10, WAIT_MS = 500 };

struct crew_hand {
	pid_t pid;
	int words; /* owned: the socket; -1 = none is at work here */
	size_t i;
	uint64_t done;
	uint64_t said; /* of it, in the process itself */
	bool over;     /* its result came */
};

struct crew {
	const struct crew_conf *conf;
	struct crew_hand hands[CREW_HANDS];
	int stop[2];   /* owned: the pipe */
	char *message; /* owned */
	size_t next;
	uint64_t done;	/* of those that are over */
	struct err why; /* of the first that failed */
};

static void crew_done(struct crew *c)
{
	for (size_t k = 0; k < CREW_HANDS; k++)
		scope_close(&c->hands[k].words);
	scope_close_set(c->stop, 2);
	free(c->message);
}

/* ---- in the process --------------------------------------------------------------------- */

static void say(const struct crew_hand *h, char kind, const void *data, size_t len)
{
	_cleanup_buf_ struct buf out = BUF_INIT((size_t)MESSAGE);

	(void)buf_add(&out, &kind, 1);
	(void)buf_add(&out, data, len);
	(void)sys_send(h->words, out.data, out.len, MSG_NOSIGNAL);
}

void crew_hand_note(struct crew_hand *h, const char *line)
{
	say(h, 'n', line, strlen(line) + 1);
}

void crew_hand_done(struct crew_hand *h, uint64_t done)
{
	if (done - h->said < OFTEN)
		return;
	h->said = done;
	say(h, 'd', &done, sizeof(done));
}

static void say_result(const struct crew_hand *h, const struct err *e,
		       const struct json *result)
{
	_cleanup_buf_ struct buf out = BUF_INIT((size_t)MESSAGE - 1);

	(void)buf_add(&out, e, sizeof(*e));
	if (buf_failed(&out) == 0 && (!result || json_print(result, false, &out) == 0))
		say(h, 'r', out.data, out.len);
}

static _Noreturn void work(const struct crew *c, struct crew_hand *h, int stop)
{
	_cleanup_json_ struct json *result = NULL;
	struct err e = ERR_NONE;
	int r = c->conf->bring(c->conf->ctx, h->i, h, stop, &result, &e);

	if (r == 0)
		e = ERR_NONE;
	say_result(h, &e, result);
	sys_exit(r < 0);
}

/* ---- in the parent ---------------------------------------------------------------------- */

static int start(struct crew *c, struct crew_hand *h, size_t i, struct err *e)
{
	int fds[2], r = sys_socketpair(SOCK_SEQPACKET, fds);

	if (r < 0)
		return err_sys(e, r, "cannot start a helper");
	*h = (struct crew_hand){ .i = i, .words = fds[1] };
	h->pid = sys_fork();
	if (h->pid == 0) {
		scope_close(&fds[0]);
		scope_close(&c->stop[1]);
		work(c, h, c->stop[0]);
	}
	scope_close(&fds[1]);
	h->words = fds[0];
	if (h->pid >= 0)
		return 0;
	scope_close(&h->words);
	return err_sys(e, h->pid, "cannot start a helper");
}

static void tell(const struct crew *c)
{
	uint64_t sum = c->done;

	for (size_t k = 0; k < CREW_HANDS; k++)
		if (c->hands[k].words >= 0)
			sum += c->hands[k].done;
	c->conf->tell(c->conf->ctx, sum);
}

static int take_result(struct crew *c, struct crew_hand *h, size_t len, struct err *e)
{
	_cleanup_json_ struct json *result = NULL;
	int r = 0;

	if (len < sizeof(*e))
		return err_set(e, -EPROTO, "a helper said something odd");
	h->over = true;
	memcpy(e, c->message + 1, sizeof(*e));
	e->msg[sizeof(e->msg) - 1] = '\0';
	if (e->code < 0)
		return e->code;
	if (len > sizeof(*e))
		r = json_parse(c->message + 1 + sizeof(*e), len - sizeof(*e), &result,
			       e);
	return r < 0 ? r : c->conf->brought(c->conf->ctx, h->i, result, e);
}

/* 1 = there may be more, 0 = it has ended */
static int hear(struct crew *c, struct crew_hand *h, struct err *e)
{
	ssize_t n = sys_recv(h->words, c->message, MESSAGE - 1, 0);
	siginfo_t ignored;
	int r = 1;

	if (n > 0) {
		c->message[n] = '\0';
		if (c->message[0] == 'n')
			c->conf->note(c->conf->ctx, c->message + 1);
		else if (c->message[0] == 'd' && n == 1 + (ssize_t)sizeof(h->done))
			memcpy(&h->done, c->message + 1, sizeof(h->done));
		else if (c->message[0] == 'r')
			r = take_result(c, h, (size_t)n - 1, e);
		tell(c);
		return r < 0 ? r : 1;
	}
	(void)sys_waitid(P_PID, (id_t)h->pid, &ignored, WEXITED);
	scope_close(&h->words);
	c->done += h->done;
	return h->over ? 0
		       : err_set(e, -EPIPE, "the helper that brought it was killed");
}

/* From then on nothing is started. */
static void give_up(struct crew *c, const struct err *why)
{
	if (c->why.code)
		return;
	c->why = *why;
	scope_close(&c->stop[1]);
}

static void engage(struct crew *c)
{
	struct err e = ERR_NONE;

	for (size_t k = 0; k < CREW_HANDS && !c->why.code; k++) {
		if (c->hands[k].words >= 0)
			continue;
		while (c->next < c->conf->n && !c->conf->wanted(c->conf->ctx, c->next))
			c->next++;
		if (c->next == c->conf->n)
			return;
		if (start(c, &c->hands[k], c->next++, &e) < 0)
			give_up(c, &e);
	}
}

/* false: nobody is at work */
static bool attend(struct crew *c)
{
	struct pollfd p[CREW_HANDS + 1] = { { .fd = -1, .events = POLLIN } };
	struct err e = ERR_NONE;
	bool any = false;

	if (!c->why.code)
		p[0].fd = c->conf->abort_fd;
	for (size_t k = 0; k < CREW_HANDS; k++) {
		p[k + 1] = (struct pollfd){ .fd = c->hands[k].words, .events = POLLIN };
		any = any || p[k + 1].fd >= 0;
	}
	if (!any || sys_poll(p, CREW_HANDS + 1, WAIT_MS) < 0)
		return any;
	if (p[0].revents) {
		err_set(&e, -ECANCELED, "interrupted");
		give_up(c, &e);
	}
	for (size_t k = 0; k < CREW_HANDS; k++) {
		struct crew_hand *h = &c->hands[k];

		if (p[k + 1].revents && hear(c, h, &e) < 0) {
			if (e.code != -ECANCELED)
				err_wrap(&e, "layer %zu of %zu", h->i + 1, c->conf->n);
			give_up(c, &e);
		}
	}
	return true;
}

int crew_run(const struct crew_conf *conf, struct err *e)
{
	_cleanup_(crew_done) struct crew c = { .conf = conf, .stop = { -1, -1 } };
	int r = sys_pipe2(c.stop, 0);

	for (size_t k = 0; k < CREW_HANDS; k++)
		c.hands[k].words = -1;
	c.message = malloc(MESSAGE);
	if (r < 0 || !c.message)
		return err_sys(e, r < 0 ? r : -ENOMEM, "cannot start helpers");
	do
		engage(&c);
	while (attend(&c));
	*e = c.why;
	return c.why.code;
}
