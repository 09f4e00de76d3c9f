#include "base/loop.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/sys/sys.h"

enum {
	EVENTS = 64, /* and as many timers in one round; the rest come with the next */
	URGENT = 2,
	URGENT_MS = 5 /* in a round that takes longer they are looked at so often */
};

struct loop_source {
	struct loop_source *prev, *next; /* in one of the loop's three lists */
	loop_fn *fn;
	void *ctx; /* borrowed */
	int fd;	   /* borrowed; -1 = a timer */
	uint32_t events;
	uint64_t due_ms; /* of a timer, monotonic */
	uint64_t round;	 /* of a timer: when it was set */
	bool plain;	 /* a regular file: epoll refuses it, it is always ready */
	bool armed;	 /* of a timer: still to fire */
	bool dead;	 /* removed, and freed when the round is over */
	bool orphan;	 /* a timer that nobody holds: freed once it fired */
};

/* A list with its ends; the order matters for timers alone. */
struct list {
	struct loop_source *first, *last;
};

struct loop {
	int epfd;	    /* owned */
	struct list fds;    /* owned */
	struct list timers; /* owned; armed ones first, by due_ms */
	struct list dead;   /* owned; removed while a round goes on */
	uint64_t round;
	unsigned depth; /* of loop_step() within callbacks */
	unsigned plain; /* always ready sources with events wanted */
	struct loop_source *urgent[URGENT]; /* of fds; NULL = none */
	uint64_t urgent_ms;		    /* when they were looked at last */
	uint64_t eager_us;		    /* loop_eager(); 0 = never */
	bool awake;			    /* the last pause was shorter than that */
	bool stopped;
};

static void unlink_source(struct list *l, struct loop_source *s)
{
	*(s->prev ? &s->prev->next : &l->first) = s->next;
	*(s->next ? &s->next->prev : &l->last) = s->prev;
	s->prev = s->next = NULL;
}

/* Puts @s behind @at; NULL = at the front. */
static void link_source(struct list *l, struct loop_source *at, struct loop_source *s)
{
	s->prev = at;
	s->next = at ? at->next : l->first;
	*(s->next ? &s->next->prev : &l->last) = s;
	*(at ? &at->next : &l->first) = s;
}

static void free_list(struct list *l)
{
	while (l->first) {
		struct loop_source *s = l->first;

		unlink_source(l, s);
		free(s);
	}
}

int loop_new(struct loop **ret, struct err *e)
{
	struct loop *l = calloc(1, sizeof(*l));

	if (!l)
		return err_sys(e, -ENOMEM, "cannot make an event loop");
	l->epfd = sys_epoll_create();
	if (l->epfd < 0) {
		int r = l->epfd;

		free(l);
		return err_sys(e, r, "cannot make an event loop");
	}
	*ret = l;
	return 0;
}

void loop_free(struct loop **lp)
{
	struct loop *l = take(lp, NULL);

	if (!l)
		return;
	assert(!l->depth);
	free_list(&l->fds);
	free_list(&l->timers);
	free_list(&l->dead);
	scope_close(&l->epfd);
	free(l);
}

int loop_add(struct loop *l, int fd, uint32_t events, loop_fn *fn, void *ctx,
	     struct loop_source **ret)
{
	_cleanup_free_ struct loop_source *s = calloc(1, sizeof(*s));
	struct epoll_event ev = { .events = events, .data.ptr = s };
	int r;

	if (!s)
		return -ENOMEM;
	*s = (struct loop_source){ .fn = fn, .ctx = ctx, .fd = fd, .events = events };
	r = sys_epoll_ctl(l->epfd, EPOLL_CTL_ADD, fd, &ev);
	if (r == -EPERM) { /* a file or directory; source: epoll_ctl(2) */
		s->plain = true;
		l->plain += events != 0;
	} else if (r < 0) {
		return r;
	}
	link_source(&l->fds, l->fds.last, s);
	if (ret)
		*ret = s;
	s = NULL;
	return 0;
}

int loop_modify(struct loop *l, struct loop_source *s, uint32_t events)
{
	struct epoll_event ev = { .events = events, .data.ptr = s };
	int r;

	if (s->events == events)
		return 0;
	if (s->plain) {
		l->plain -= s->events != 0;
		l->plain += events != 0;
	} else {
		r = sys_epoll_ctl(l->epfd, EPOLL_CTL_MOD, s->fd, &ev);
		if (r < 0)
			return r;
	}
	s->events = events;
	return 0;
}

/* Sorted from the back: most timers of a kind have the same length. */
static void arm(struct loop *l, struct loop_source *s, uint64_t ms)
{
	struct loop_source *at = l->timers.last;

	s->due_ms = sys_now_ms() + ms;
	s->round = l->round;
	s->armed = true;
	while (at && (!at->armed || at->due_ms > s->due_ms))
		at = at->prev;
	link_source(&l->timers, at, s);
}

int loop_timer(struct loop *l, uint64_t ms, loop_fn *fn, void *ctx,
	       struct loop_source **ret)
{
	struct loop_source *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	*s = (struct loop_source){ .fn = fn, .ctx = ctx, .fd = -1, .orphan = !ret };
	arm(l, s, ms);
	if (ret)
		*ret = s;
	return 0;
}

void loop_rearm(struct loop *l, struct loop_source *s, uint64_t ms)
{
	assert(s->fd < 0);
	unlink_source(&l->timers, s);
	arm(l, s, ms);
}

void loop_remove(struct loop *l, struct loop_source **sp)
{
	struct loop_source *s = take(sp, NULL);

	if (!s)
		return;
	if (s->fd < 0) {
		unlink_source(&l->timers, s);
	} else {
		unlink_source(&l->fds, s);
		for (int i = 0; i < URGENT; i++)
			if (l->urgent[i] == s)
				l->urgent[i] = NULL;
		if (s->plain)
			l->plain -= s->events != 0;
		else /* -EBADF when the caller closed it first: gone all the same */
			(void)sys_epoll_ctl(l->epfd, EPOLL_CTL_DEL, s->fd, NULL);
	}
	s->dead = true;
	if (l->depth)
		link_source(&l->dead, NULL, s);
	else
		free(s);
}

void loop_urgent(struct loop *l, struct loop_source *s)
{
	int i = 0;

	assert(s->fd >= 0 && !s->plain);
	while (i < URGENT && l->urgent[i])
		i++;
	assert(i < URGENT);
	l->urgent[i] = s;
}

static int wait_ms(const struct loop *l, int timeout_ms)
{
	const struct loop_source *t = l->timers.first;
	uint64_t now, left;

	if (l->plain)
		return 0;
	if (!t || !t->armed)
		return timeout_ms;
	now = sys_now_ms();
	left = t->due_ms > now ? t->due_ms - now : 0;
	return timeout_ms >= 0 && (uint64_t)timeout_ms < left ? timeout_ms
	       : left > INT_MAX				      ? INT_MAX
							      : (int)left;
}

static uint32_t take_events(const struct loop_source *s, struct epoll_event *evs, int n)
{
	for (int i = 0; i < n; i++) {
		if (evs[i].data.ptr != s)
			continue;
		evs[i].data.ptr = NULL;
		return evs[i].events;
	}
	return 0;
}

/* What a full wait had no room to say. */
static uint32_t ask_events(const struct loop_source *s)
{
	struct pollfd p = { .fd = s->fd, .events = (short)s->events };

	return sys_poll(&p, 1, 0) > 0 ? (uint32_t)p.revents : 0;
}

static int call_urgent(struct loop *l, struct epoll_event *evs, int n, struct err *e)
{
	l->urgent_ms = sys_now_ms();
	for (int i = 0; i < URGENT; i++) {
		struct loop_source *s = l->urgent[i];
		uint32_t events = s ? take_events(s, evs, n) : 0;
		int r;

		if (s && !events && (n == EVENTS || !evs))
			events = ask_events(s);
		r = events ? s->fn(s->ctx, events, e) : 0;
		if (r < 0)
			return r;
	}
	return 0;
}

/* Between two others: what they do may take its time, and a round has many of them. */
static int look_urgent(struct loop *l, struct err *e)
{
	for (int i = 0; i < URGENT; i++)
		if (l->urgent[i] && sys_now_ms() - l->urgent_ms >= URGENT_MS)
			return call_urgent(l, NULL, 0, e);
	return 0;
}

static int call_ready(struct loop *l, const struct epoll_event *evs, int n,
		      struct err *e)
{
	for (int i = 0; i < n; i++) {
		struct loop_source *s = evs[i].data.ptr;
		int r = !s || s->dead ? 0 : s->fn(s->ctx, evs[i].events, e);

		r = r < 0 ? r : look_urgent(l, e);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Regular files: rare, few, and always ready for what was asked. */
static int call_plain(struct loop *l, struct err *e)
{
	struct loop_source *s = l->plain ? l->fds.first : NULL;

	while (s) {
		struct loop_source *next;
		int r = s->plain && s->events ? s->fn(s->ctx, s->events, e) : 0;

		if (r < 0)
			return r;
		/* A source that removed itself leads nowhere: the next round goes on.
		 */
		next = s->dead ? NULL : s->next;
		s = next;
	}
	return 0;
}

static int call_timers(struct loop *l, struct err *e)
{
	uint64_t now = sys_now_ms();
	struct loop_source *t;

	for (int n = 0; n < EVENTS && (t = l->timers.first) && t->armed &&
			t->due_ms <= now && t->round != l->round;
	     n++) {
		int r;

		unlink_source(&l->timers, t);
		t->armed = false;
		link_source(&l->timers, l->timers.last, t);
		r = t->fn(t->ctx, 0, e);
		if (!t->dead && t->orphan)
			loop_remove(l, &t);
		r = r < 0 ? r : look_urgent(l, e);
		if (r < 0)
			return r;
	}
	return 0;
}

void loop_eager(struct loop *l, unsigned us)
{
	l->eager_us = us;
}

/* Whether looking on pays is known from the pause before this one, and each that is longer
 * ends it: so looking in vain happens once where events end, and not before the next two
 * that follow each other closely. */
static int wait_eagerly(struct loop *l, struct epoll_event *evs, int timeout_ms)
{
	const uint64_t start = sys_now_us();
	uint64_t now = start;
	int n = 0;

	while (l->awake && !n && now - start < l->eager_us) {
		n = sys_epoll_wait(l->epfd, evs, EVENTS, 0);
		now = sys_now_us();
	}
	if (!n) {
		n = sys_epoll_wait(l->epfd, evs, EVENTS, timeout_ms);
		now = sys_now_us();
	}
	l->awake = n > 0 && now - start < l->eager_us;
	return n;
}

static int wait_events(struct loop *l, struct epoll_event *evs, int timeout_ms)
{
	return l->eager_us && timeout_ms
		       ? wait_eagerly(l, evs, timeout_ms)
		       : sys_epoll_wait(l->epfd, evs, EVENTS, timeout_ms);
}

int loop_step(struct loop *l, int timeout_ms, struct err *e)
{
	struct epoll_event evs[EVENTS];
	int n, r;

	n = wait_events(l, evs, wait_ms(l, timeout_ms));
	if (n == -EINTR)
		n = 0;
	if (n < 0)
		return err_sys(e, n, "cannot wait for events");
	l->round++; /* timers that callbacks set wait for the next round */
	l->depth++;
	r = call_urgent(l, evs, n, e) ?: call_ready(l, evs, n, e) ?:
		call_plain(l, e) ?: call_timers(l, e);
	if (!--l->depth)
		free_list(&l->dead);
	return r < 0 ? r : 0;
}

int loop_run(struct loop *l, struct err *e)
{
	l->stopped = false;
	while (!l->stopped) {
		int r = loop_step(l, -1, e);

		if (r < 0)
			return r;
	}
	return 0;
}

void loop_stop(struct loop *l)
{
	l->stopped = true;
}

uint64_t loop_rounds(const struct loop *l)
{
	return l->round;
}
