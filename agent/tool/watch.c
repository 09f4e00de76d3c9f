/* The terminals between two calls. A program in the background that prints must not be
 * stopped by a full terminal because the model thinks, or because another session is
 * being used: every terminal but that of the session in a call stands in one epoll
 * descriptor, which whoever waits looks at beside its own. */

#include "agent/python/python.h"
#include "agent/tool/impl.h"
#include "base/sys/sys.h"

enum { PLACES = 2 * TOOL_SESSIONS };

int tool_watch_open(struct toolbox *t, struct err *e)
{
	t->epfd = sys_epoll_create();
	return t->epfd < 0 ? err_sys(e, t->epfd, "cannot watch the terminals") : 0;
}

static int fd_of(const struct toolbox *t, size_t place)
{
	if (place < TOOL_SESSIONS)
		return t->sessions[place] ? session_fd(t->sessions[place]) : -1;
	place -= TOOL_SESSIONS;
	return place < TOOL_SESSIONS && t->interpreters[place]
		       ? python_fd(t->interpreters[place])
		       : -1;
}

void tool_watch_enter(struct toolbox *t, size_t place)
{
	int fd = fd_of(t, place);

	if (fd >= 0)
		(void)sys_epoll_ctl(t->epfd, EPOLL_CTL_DEL, fd, NULL);
}

/* Most are there already. A shell that was replaced has another terminal: the old one
 * left by being closed. */
void tool_watch_leave(struct toolbox *t)
{
	for (size_t i = 0; i < PLACES; i++) {
		struct epoll_event ev = { .events = EPOLLIN, .data.u32 = (uint32_t)i };
		int fd = fd_of(t, i);

		if (fd >= 0)
			(void)sys_epoll_ctl(t->epfd, EPOLL_CTL_ADD, fd, &ev);
	}
}

static void pump(void *ctx)
{
	struct epoll_event evs[PLACES];
	struct toolbox *t = ctx;
	int n = sys_epoll_wait(t->epfd, evs, ARRAY_SIZE(evs), 0);

	t->aside = true;
	for (int i = 0; i < n; i++) {
		size_t place = evs[i].data.u32;

		if (place >= TOOL_SESSIONS)
			python_pump(t->interpreters[place - TOOL_SESSIONS]);
		if (place >= TOOL_SESSIONS || !t->sessions[place])
			continue;
		session_pump(t->sessions[place]);
		/* its shell is gone, which the next call of it tells */
		if (session_ended(t->sessions[place]))
			tool_watch_enter(t, place);
	}
	t->aside = false;
}

struct aside tool_watch_aside(struct toolbox *t)
{
	return t ? (struct aside){ t->epfd, pump, t } : (struct aside){ .fd = -1 };
}
