/* How a session waits: for the mark, for a death, for a reader, for a limit. */
#include <errno.h>

#include "agent/session/impl.h"
#include "base/sys/sys.h"

enum {
	LOOK_FIRST_MS = 2,     /* after the last output */
	POLL_AGAIN_MS = 30,    /* of a poll, which may be for something else first */
	LOOK_AGAIN_MS = 10,    /* two equal samples this far apart are a wait */
	LOOK_EVERY_MS = 15,    /* while nothing changes */
	LOOK_SLOWEST_MS = 250, /* for a tree of very many processes */
	LOOK_SHARE = 20,       /* at most a twentieth of the time is spent looking */
	INPUT_GRACE_MS =
		50,	 /* for a reader that did not move since it was written to */
	TAKER_MS = 1000, /* what a shell may take to be in the foreground again, and a
			  * copy of it to become a program */
	ECHO_GRACE_MS = 2000, /* for the echo of a line to come */
	INTERRUPT_MS = 1000   /* what an interrupted command has to end */
};

struct watch {
	uint64_t start, soft, hard; /* absolute but soft; soft 0 = none */
	uint64_t quiet_from;
	uint64_t next_look, look_ms; /* when, and how far apart */
	struct waiting_sample seen;
	uint64_t seen_ms; /* 0 = nothing seen */
	bool interrupted;
};

static bool same(const struct waiting_sample *a, const struct waiting_sample *b)
{
	return a->reason == b->reason && a->tid == b->tid && a->switches == b->switches;
}

/* Written to and not yet awake: it still looks as it did before. */
static bool not_awake(const struct session *s, const struct waiting_sample *now_seen,
		      uint64_t now)
{
	/* the kernel echoes a line when it hands it to its reader: before that, on a
	 * busy machine, nobody can have seen it */
	bool unseen =
		now_seen->reason == WAITING_LINE && s->last_output_ms < s->input_ms;
	uint64_t grace = unseen ? ECHO_GRACE_MS : INPUT_GRACE_MS;

	return s->input_ms && now - s->input_ms < grace &&
	       now_seen->tid == s->before_input.tid &&
	       now_seen->switches == s->before_input.switches;
}

/* True when a reader has been seen twice and everything printed has been read. */
static bool look(struct session *s, struct watch *w, uint64_t now,
		 struct waiting_sample *ret)
{
	struct waiting_sample seen;
	int r = waiting_look(s->proc.master, &seen);
	uint64_t cost = sys_now_ms() - now, again;

	w->look_ms = MIN(MAX(LOOK_EVERY_MS, cost * LOOK_SHARE), LOOK_SLOWEST_MS);
	w->next_look = now + w->look_ms;
	s->blind = r == -EPERM || r == -EACCES;
	if (r < 0 || seen.reason == WAITING_NOT || not_awake(s, &seen, now)) {
		w->seen_ms = 0;
		return false;
	}
	again = seen.polls ? POLL_AGAIN_MS : LOOK_AGAIN_MS;
	if (!w->seen_ms || !same(&seen, &w->seen)) {
		w->seen = seen;
		w->seen_ms = now;
		w->next_look = now + again;
		return false;
	}
	if (now - w->seen_ms < again || session_io_step(s))
		return false;
	*ret = seen;
	return true;
}

/* On a busy machine a shell may wait long for a processor before it begins the command, or
 * takes the terminal back from a program that has ended: signals must wait, too. */
void session_wait_taker(struct session *s)
{
	uint64_t start = sys_now_ms();

	while (!s->done && !session_life_died(s)) {
		bool begun = s->phase == SESSION_IN_COMMAND;

		if ((begun && waiting_taker(s->proc.master) == WAITING_TAKER) ||
		    sys_now_ms() - start >= TAKER_MS)
			break;
		session_io_poll(s, 1);
		session_io_step(s);
	}
}

/* ^C by the person: to the program once; then the call ends soon. */
static void interrupt(struct session *s, struct watch *w, uint64_t now)
{
	if (!s->interrupt || w->interrupted)
		return;
	w->interrupted = true;
	w->hard = MIN(w->hard, now + INTERRUPT_MS);
	session_wait_taker(s);
	if (!s->done && buf_addc(&s->to_tty, 3) == 0)
		session_io_write(s);
	s->typed = true;
}

/* A program that prints without end (one that asks again and again what nobody answers)
 * would else be waited for until the hard limit. */
static bool floods(const struct session *s)
{
	return s->spill.total > SESSION_FLOOD;
}

static uint64_t quiet_since(const struct session *s, const struct watch *w)
{
	return floods(s) ? w->quiet_from : MAX(s->last_output_ms, w->quiet_from);
}

static enum session_limit over(const struct session *s, const struct watch *w,
			       uint64_t now)
{
	if (now >= w->hard)
		return w->interrupted ? SESSION_INTERRUPT : SESSION_HARD;
	if (!w->soft || now - quiet_since(s, w) < w->soft)
		return SESSION_NO_LIMIT;
	return floods(s) ? SESSION_FLOOD_SOFT : SESSION_SOFT;
}

static int sleep_ms(const struct session *s, const struct watch *w, uint64_t now)
{
	uint64_t until = w->hard;

	if (w->soft)
		until = MIN(until, quiet_since(s, w) + w->soft);
	if (s->phase == SESSION_IN_COMMAND)
		until = MIN(until, w->next_look);
	return until <= now ? 0 : (int)MIN(until - now, (uint64_t)1000);
}

bool session_wait_ended(struct session *s)
{
	const struct session_port *port = s->conf.port;

	if (!s->done)
		return false;
	(void)session_life_died(s);
	return !port->stopping || !port->stopping(port->ctx);
}

/* True when the command's state is known; it is in @ret then. */
static bool decide(struct session *s, struct watch *w, bool any,
		   struct session_result *ret)
{
	struct waiting_sample found;
	uint64_t now = sys_now_ms();

	if (session_wait_ended(s)) {
		ret->state = SESSION_EXITED;
		return true;
	}
	if (s->broken || session_life_died(s)) {
		ret->state = session_wait_ended(s) ? SESSION_EXITED : SESSION_DIED;
		return true;
	}
	if (any) {
		w->seen_ms = 0;
		w->next_look = now + LOOK_FIRST_MS;
	} else if (s->phase == SESSION_IN_COMMAND && now >= w->next_look &&
		   !s->to_tty.len && look(s, w, now, &found)) {
		ret->state = SESSION_WAITING;
		ret->reason = found.reason;
		return true;
	}
	interrupt(s, w, now);
	ret->limit = over(s, w, now);
	ret->state = SESSION_RUNNING;
	ret->limit_ms = ret->limit < SESSION_HARD ? w->soft : w->hard - w->start;
	return ret->limit != SESSION_NO_LIMIT;
}

/* What the command took: not what it waited for whoever answers it, nor what passed
 * between its end and the call that tells of it. */
static uint64_t time_of(struct session *s, uint64_t now)
{
	if (s->done)
		now = s->ended_ms;
	return now > s->began_ms ? now - s->began_ms : 0;
}

static void answered(struct session *s, uint64_t now)
{
	if (s->done)
		now = s->ended_ms;
	if (s->waits_ms && now > s->waits_ms)
		s->began_ms += now - s->waits_ms;
	s->waits_ms = 0;
}

int session_wait(struct session *s, const struct session_limits *lim,
		 struct session_result *ret, struct err *e)
{
	uint64_t now = sys_now_ms();
	struct watch w = {
		.start = now,
		.soft = lim->soft_ms,
		.hard = now + (lim->hard_ms ? lim->hard_ms : SESSION_HARD_MS),
		.quiet_from = now,
		.next_look = now + LOOK_FIRST_MS,
	};

	s->interrupt = false;
	answered(s, now);
	while (!decide(s, &w, session_io_step(s), ret))
		session_io_poll(s, sleep_ms(s, &w, sys_now_ms()));
	now = sys_now_ms();
	ret->time_ms = time_of(s, now);
	if (ret->state == SESSION_WAITING)
		s->waits_ms = now;
	return session_result_fill(s, ret, e);
}
