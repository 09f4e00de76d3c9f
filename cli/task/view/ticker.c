#include "cli/task/view/ticker.h"

#include <signal.h>

#include "base/def.h"
#include "base/signals.h"
#include "base/sys/sys.h"
#include "cli/show/tty.h"

enum { TIMER, SIGNALS, KEYS, MORE };

static int watch(const struct ticker *t, int fd, uint32_t what, struct err *e)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.u32 = what };
	int r = sys_epoll_ctl(t->epfd, EPOLL_CTL_ADD, fd, &ev);

	return r < 0 ? err_sys(e, r, "cannot watch the terminal") : 0;
}

static int open_all(struct ticker *t, struct err *e)
{
	const struct itimerspec when = { .it_interval.tv_nsec = TICKER_MS * 1000000L,
					 .it_value.tv_nsec = TICKER_MS * 1000000L };
	int r;

	t->timer = sys_timerfd();
	t->signals = signals_watch((const int[]){ SIGWINCH, SIGCONT, 0 }, NULL);
	r = MIN(t->timer, t->signals);
	if (r >= 0)
		r = sys_timerfd_set(t->timer, &when);
	return r < 0 ? err_sys(e, r, "cannot watch the terminal") : 0;
}

int ticker_open(struct ticker *t, struct err *e)
{
	int r = t->epfd = sys_epoll_create();

	t->away = !tty_here(t->terminal);
	if (r < 0)
		return err_sys(e, r, "cannot watch the terminal");
	r = t->tick ? open_all(t, e) : 0;
	if (r == 0 && t->tick)
		r = watch(t, t->timer, TIMER, e) ?: watch(t, t->signals, SIGNALS, e);
	if (r < 0)
		ticker_close(t);
	return r;
}

void ticker_close(struct ticker *t)
{
	scope_close(&t->epfd);
	scope_close(&t->timer);
	scope_close(&t->signals);
}

int ticker_add(struct ticker *t, struct aside more, struct err *e)
{
	size_t i = t->n_more;

	if (t->epfd < 0 || more.fd < 0 || i == ARRAY_SIZE(t->more))
		return 0;
	t->more[t->n_more++] = more;
	return watch(t, more.fd, MORE + (int)i, e);
}

int ticker_keys(struct ticker *t, int fd, struct err *e)
{
	if (t->in >= 0)
		(void)sys_epoll_ctl(t->epfd, EPOLL_CTL_DEL, t->in, NULL);
	t->in = fd;
	return fd < 0 || t->away ? 0 : watch(t, fd, KEYS, e);
}

/* Who stopped us has changed the mode, and written there. */
static void look_where(struct ticker *t, bool stopped)
{
	const bool away = !tty_here(t->terminal);

	if (away == t->away && (away || !stopped))
		return;
	t->away = away;
	(void)ticker_keys(t, t->in, ERR_IGNORED);
	if (t->moved)
		t->moved(t->ctx, !away);
}

static void on_signal(struct ticker *t)
{
	struct signalfd_siginfo si;

	if (sys_read(t->signals, &si, sizeof(si)) != sizeof(si))
		return;
	if (si.ssi_signo == SIGCONT)
		look_where(t, true);
	else
		t->resized(t->ctx);
}

static void look(void *ctx)
{
	struct epoll_event evs[4];
	struct ticker *t = ctx;
	uint64_t times;
	int n = sys_epoll_wait(t->epfd, evs, ARRAY_SIZE(evs), 0);

	for (int i = 0; i < n; i++) {
		switch (evs[i].data.u32) {
		case TIMER:
			(void)sys_read(t->timer, &times, sizeof(times));
			look_where(t, false);
			t->tick(t->ctx);
			break;
		case SIGNALS:
			on_signal(t);
			break;
		case KEYS:
			if (!t->keys(t->ctx))
				(void)ticker_keys(t, -1, ERR_IGNORED);
			break;
		default:
			t->more[evs[i].data.u32 - MORE].ready(
				t->more[evs[i].data.u32 - MORE].ctx);
		}
	}
}

struct aside ticker_aside(struct ticker *t)
{
	return t->epfd < 0 ? (struct aside){ .fd = -1 }
			   : (struct aside){ t->epfd, look, t };
}
