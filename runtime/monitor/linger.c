/* Theory of operation
 *
 * When the last client has left and nothing was asked to stay, the box waits for another
 * command, linger_ms long, as it is: whoever comes in that time does not pay for a start.
 * Nobody may notice but by that. So init first ends every process (CLEAR); where they left
 * anything in the box's memory (files in /tmp, segments, queues), or something for git to
 * be taken over or looked at, the box ends as it would have. Clients that come meanwhile
 * wait in the listener's queue.
 *
 * What a start would look at is remembered from this one: the options, the directory, the
 * host's mounts; and from now, what git has there. When a command comes and any of it is
 * another, the box ends and the client starts a new one. A visitor, who only asks, changes
 * nothing: the time goes on. */
#include "base/sys/sys.h"
#include "runtime/monitor/gitrest.h"
#include "runtime/monitor/impl.h"

enum { LINGER_CLEAR_MS = 2000 };

/* Who knocks now is refused at once, and starts another box. */
static void end_alone(struct monitor *m)
{
	loop_remove(m->loop, &m->on_listener);
	scope_close(&m->listener);
	m->ending = true;
}

static int on_time(void *ctx, uint32_t, struct err *)
{
	struct monitor *m = ctx;

	if (m->idle == MONITOR_CLEARING || !m->clients)
		end_alone(m);
	else
		m->idle = MONITOR_LINGERED;
	return 0;
}

static int set_time(struct monitor *m, uint64_t ms)
{
	if (!m->on_idle)
		return loop_timer(m->loop, ms, on_time, m, &m->on_idle);
	loop_rearm(m->loop, m->on_idle, ms);
	return 0;
}

void monitor_linger_used(const struct monitor *m)
{
	const struct timespec now[2] = { { .tv_nsec = UTIME_OMIT },
					 { .tv_nsec = UTIME_NOW } };

	if (m->idle == MONITOR_AWAKE)
		(void)sys_utimensat(m->boxdir, "box.json", now, AT_SYMLINK_NOFOLLOW);
}

void monitor_linger(struct monitor *m)
{
	struct outbox_message clear = { .head = { .type = WIRE_CLEAR } };

	if (m->idle == MONITOR_LINGERED)
		end_alone(m);
	if (m->ending || m->idle)
		return;
	monitor_linger_used(m);
	if (!monitor_quiet_waits(m) || monitor_quiet_send(m, &clear) < 0 ||
	    set_time(m, LINGER_CLEAR_MS) < 0) {
		m->ending = true;
		return;
	}
	m->idle = MONITOR_CLEARING;
	loop_modify(m->loop, m->on_listener, 0);
}

/* ---- what a start would look at ---------------------------------------------------------- */

static bool look(const struct monitor *m, struct stat *ret)
{
	return sys_fstatat(AT_FDCWD, m->spec.project, ret, AT_SYMLINK_NOFOLLOW) == 0;
}

void monitor_linger_begin(struct monitor *m)
{
	if (look(m, &m->project_was))
		m->mounts = sys_open("/proc/self/mountinfo", O_RDONLY);
}

static bool is_same(struct monitor *m, uint64_t sign)
{
	struct pollfd p = { .fd = m->mounts, .events = POLLPRI };
	struct stat now;

	return sign == m->sign && look(m, &now) &&
	       now.st_ino == m->project_was.st_ino &&
	       now.st_dev == m->project_was.st_dev && sys_poll(&p, 1, 0) == 0 &&
	       (!m->git || gitrest_wake(m->git));
}

void monitor_linger_cleared(struct monitor *m, const struct wire_msg *msg)
{
	const struct wire_cleared *c = wire_body(msg, sizeof(*c));

	if (m->idle != MONITOR_CLEARING)
		return;
	if (!c || c->traces || m->programs || m->on_git ||
	    (m->git && !gitrest_begin(m->git)) || monitor_gate_rest(m) < 0) {
		end_alone(m);
		return;
	}
	m->idle = MONITOR_LINGERING;
	set_time(m, m->linger_ms);
	loop_modify(m->loop, m->on_listener, EPOLLIN);
}

bool monitor_linger_wake(struct monitor *m, uint64_t sign)
{
	bool same = m->idle == MONITOR_AWAKE || is_same(m, sign);

	if (m->idle == MONITOR_AWAKE)
		return true;
	m->idle = MONITOR_AWAKE;
	loop_remove(m->loop, &m->on_idle);
	if (!same)
		end_alone(m);
	return same;
}
