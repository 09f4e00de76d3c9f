#include "runtime/gate/resolve.h"

#include <netdb.h>
#include <resolv.h>
#include <string.h>

#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "runtime/confine/caps.h"
#include "runtime/gate/owner.h"

/* The helper is a process between the gate and the workers: it alone knows which worker
 * is busy and since when. Everything in it has a fixed size. */

struct worker {
	pid_t pid;   /* 0 = an empty place */
	int fd;	     /* owned; SOCK_SEQPACKET */
	uint32_t id; /* of the question it works on */
	bool busy;
	uint64_t since_ms; /* it idles, or its question was asked */
};

struct waiting {
	struct resolve_query q;
	uint64_t since_ms;
};

struct helper {
	int gate;      /* owned */
	int who;       /* owned; questions for netwho; -1 = there will be none */
	pid_t who_pid; /* who answers them, straight to the gate; 0 = nobody now */
	int who_pidfd; /* owned */
	struct worker workers[RESOLVE_WORKERS];
	struct waiting queue[RESOLVE_QUEUE]; /* a ring */
	size_t first, waiting;
};

static void take_address(const struct addrinfo *ai, struct resolve_reply *ret)
{
	struct sockaddr_storage s = { 0 };
	struct netaddr a;

	if (ret->n == RESOLVE_ADDRS || ai->ai_addrlen > sizeof(s))
		return;
	memcpy(&s, ai->ai_addr, ai->ai_addrlen);
	if (netaddr_from_sock(&s, &a, NULL) >= 0)
		ret->addr[ret->n++] = a;
}

/* Look up one name here and now, as a worker does; blocks. */
static void resolve_name(const char *name, struct resolve_reply *ret)
{
	const struct addrinfo hints = { .ai_family = AF_UNSPEC,
					.ai_socktype = SOCK_STREAM };
	struct addrinfo *list = NULL;
	int r = getaddrinfo(name, NULL, &hints, &list);

	ret->n = 0;
	for (const struct addrinfo *ai = list; ai && !r; ai = ai->ai_next)
		take_address(ai, ret);
	if (list)
		freeaddrinfo(list);
	if (!r)
		ret->error = ret->n ? 0 : -ENOENT;
	else
		ret->error = r == EAI_NONAME || r == EAI_NODATA || r == EAI_FAIL
				     ? -ENOENT
				     : -EAGAIN;
}

static _noreturn_ void work(int fd)
{
	/* Names from the box are whole: the host's search domains are not theirs. */
	res_init();
	_res.options &= ~(unsigned long)(RES_DEFNAMES | RES_DNSRCH);
	for (;;) {
		struct resolve_query q;
		struct resolve_reply reply = { 0 };
		ssize_t n = sys_recv(fd, &q, sizeof(q), 0);

		if (n != sizeof(q))
			sys_exit(0);
		q.name[sizeof(q.name) - 1] = '\0';
		reply.id = q.id;
		resolve_name(q.name, &reply);
		if (sys_send(fd, &reply, sizeof(reply), 0) < 0)
			sys_exit(0);
	}
}

static void end_pid(pid_t pid)
{
	siginfo_t info;

	sys_kill(pid, SIGKILL);
	sys_waitid(P_PID, (id_t)pid, &info, WEXITED);
}

static void end_worker(struct worker *w)
{
	end_pid(w->pid);
	scope_close(&w->fd);
	*w = (struct worker){ .fd = -1 };
}

static int start_worker(struct helper *h, struct worker *w)
{
	int pair[2];
	pid_t pid;
	int r = sys_socketpair(SOCK_SEQPACKET, pair);

	if (r < 0)
		return r;
	pid = sys_fork();
	if (!pid) {
		scope_close(&h->gate);
		scope_close(&h->who);
		scope_close(&h->who_pidfd);
		for (size_t i = 0; i < RESOLVE_WORKERS; i++)
			scope_close(&h->workers[i].fd);
		scope_close(&pair[0]);
		work(pair[1]);
	}
	scope_close(&pair[1]);
	if (pid < 0) {
		scope_close(&pair[0]);
		return pid;
	}
	*w = (struct worker){ .pid = pid, .fd = pair[0], .since_ms = sys_now_ms() };
	return 0;
}

static void reply_error(const struct helper *h, uint32_t id)
{
	struct resolve_reply reply = { .id = id, .error = -EAGAIN };

	sys_send(h->gate, &reply, sizeof(reply), 0);
}

/* An idle worker, or a new one in an empty place; NULL = all are busy. */
static struct worker *free_worker(struct helper *h)
{
	struct worker *empty = NULL;

	for (size_t i = 0; i < RESOLVE_WORKERS; i++) {
		struct worker *w = &h->workers[i];

		if (w->pid && !w->busy)
			return w;
		if (!w->pid)
			empty = w;
	}
	return empty && start_worker(h, empty) >= 0 ? empty : NULL;
}

static void take_first(struct helper *h)
{
	h->first = (h->first + 1) % RESOLVE_QUEUE;
	h->waiting--;
}

/* Questions that nobody waits for any more keep no worker from those that come now. */
static void hand_out(struct helper *h)
{
	uint64_t now = sys_now_ms();

	while (h->waiting) {
		const struct waiting *first = &h->queue[h->first];
		struct worker *w;

		if (now - first->since_ms >= RESOLVE_WORK_MS) {
			reply_error(h, first->q.id);
			take_first(h);
			continue;
		}
		w = free_worker(h);
		if (!w)
			return;
		if (sys_send(w->fd, &first->q, sizeof(first->q), 0) < 0) {
			end_worker(w);
			continue;
		}
		w->busy = true;
		w->id = first->q.id;
		w->since_ms = first->since_ms;
		take_first(h);
	}
}

static int take_query(struct helper *h)
{
	struct resolve_query q;
	ssize_t n = sys_recv(h->gate, &q, sizeof(q), 0);

	if (n != sizeof(q))
		return -ECONNRESET;
	if (h->waiting == RESOLVE_QUEUE)
		reply_error(h, q.id);
	else
		h->queue[(h->first + h->waiting++) % RESOLVE_QUEUE] =
			(struct waiting){ q, sys_now_ms() };
	return 0;
}

static void take_reply(struct helper *h, struct worker *w)
{
	struct resolve_reply reply;
	ssize_t n = sys_recv(w->fd, &reply, sizeof(reply), 0);

	if (n != sizeof(reply) || reply.id != w->id) {
		if (w->busy)
			reply_error(h, w->id);
		end_worker(w);
		return;
	}
	w->busy = false;
	w->since_ms = sys_now_ms();
	sys_send(h->gate, &reply, sizeof(reply), 0);
}

/* Ends what is stuck and what has idled; milliseconds until the next such moment. */
static int expire(struct helper *h)
{
	uint64_t now = sys_now_ms(), next = UINT64_MAX;

	for (size_t i = 0; i < RESOLVE_WORKERS; i++) {
		struct worker *w = &h->workers[i];
		uint64_t due =
			w->since_ms + (w->busy ? RESOLVE_WORK_MS : RESOLVE_IDLE_MS);

		if (!w->pid)
			continue;
		if (due > now) {
			next = MIN(next, due - now);
			continue;
		}
		if (w->busy)
			reply_error(h, w->id);
		end_worker(w);
	}
	return next == UINT64_MAX ? -1 : (int)next;
}

/* Somebody asks who holds a socket: a process for that, until nobody has asked for a
 * while. */
static void start_who(struct helper *h)
{
	pid_t pid = sys_fork();

	if (!pid) {
		scope_close(&h->gate);
		for (size_t i = 0; i < RESOLVE_WORKERS; i++)
			scope_close(&h->workers[i].fd);
		sys_prctl(PR_SET_NAME, (unsigned long)(uintptr_t) "cubby-who", 0, 0, 0);
		gate_owner_serve(h->who);
	}
	if (pid > 0)
		h->who_pidfd = sys_pidfd_open(pid);
	if (pid > 0 && h->who_pidfd >= 0) {
		h->who_pid = pid;
		return;
	}
	if (pid > 0)
		end_pid(pid);
	scope_close(&h->who); /* from now on it is not known */
}

static void end_who(struct helper *h)
{
	if (!h->who_pid)
		return;
	end_pid(h->who_pid);
	scope_close(&h->who_pidfd);
	h->who_pid = 0;
}

static void who_event(struct helper *h, short events)
{
	if (h->who_pid) {
		end_who(h);
	} else if (events & (POLLHUP | POLLERR)) {
		scope_close(&h->who);
	} else {
		start_who(h);
	}
}

static _noreturn_ void serve(int gate, int who)
{
	struct helper h = { .gate = gate, .who = who, .who_pidfd = -1 };
	struct pollfd p[RESOLVE_WORKERS + 2];
	int timeout_ms;

	for (size_t i = 0; i < RESOLVE_WORKERS; i++)
		h.workers[i].fd = -1;
	for (;;) {
		timeout_ms = expire(&h);
		hand_out(&h);
		for (size_t i = 0; i < RESOLVE_WORKERS; i++)
			p[i] = (struct pollfd){ h.workers[i].fd, POLLIN, 0 };
		p[RESOLVE_WORKERS] = (struct pollfd){ gate, POLLIN, 0 };
		p[RESOLVE_WORKERS + 1] =
			(struct pollfd){ h.who_pid ? h.who_pidfd : h.who, POLLIN, 0 };
		if (sys_poll(p, RESOLVE_WORKERS + 2, timeout_ms) < 0)
			continue;
		for (size_t i = 0; i < RESOLVE_WORKERS; i++)
			if (p[i].revents)
				take_reply(&h, &h.workers[i]);
		if (p[RESOLVE_WORKERS + 1].revents)
			who_event(&h, p[RESOLVE_WORKERS + 1].revents);
		if (p[RESOLVE_WORKERS].revents && take_query(&h) < 0)
			break;
	}
	for (size_t i = 0; i < RESOLVE_WORKERS; i++)
		if (h.workers[i].pid)
			end_worker(&h.workers[i]);
	end_who(&h);
	sys_exit(0);
}

enum { HELPER_GATE = 3, HELPER_WHO, HELPER_FREE };

/* The helper keeps its two sockets alone, and no right to anything that an ordinary
 * program of the user lacks. */
static _noreturn_ void become_helper(int gate, int who)
{
	gate = sys_dup(gate, HELPER_FREE); /* out of each other's way */
	who = sys_dup(who, HELPER_FREE);
	if (gate < 0 || who < 0 || sys_dup2(gate, HELPER_GATE) < 0 ||
	    sys_dup2(who, HELPER_WHO) < 0)
		sys_exit(1);
	sys_close_range(HELPER_FREE, ~0U, 0);
	sys_setfd(HELPER_GATE, FD_CLOEXEC);
	sys_setfd(HELPER_WHO, FD_CLOEXEC);
	sys_prctl(PR_SET_NAME, (unsigned long)(uintptr_t) "cubby-resolve", 0, 0, 0);
	sys_prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (caps_drop_all(ERR_IGNORED) < 0)
		sys_exit(1);
	serve(HELPER_GATE, HELPER_WHO);
}

int resolve_start(int *ret, int *ret_who, struct err *e)
{
	int names[2] = { -1, -1 }, who[2] = { -1, -1 };
	pid_t pid = 0;
	int r = sys_socketpair(SOCK_SEQPACKET, names)
			?: sys_socketpair(SOCK_SEQPACKET, who);

	if (r >= 0)
		r = pid = sys_fork();
	if (r == 0)
		become_helper(names[1], who[1]);
	scope_close(&names[1]);
	scope_close(&who[1]);
	if (r >= 0)
		r = sys_setfl(names[0], O_RDWR | O_NONBLOCK)
			    ?: sys_setfl(who[0], O_RDWR | O_NONBLOCK);
	if (r < 0) {
		scope_close(&names[0]);
		scope_close(&who[0]);
		return err_sys(e, r, "cannot start the resolver");
	}
	*ret = names[0];
	*ret_who = who[0];
	return 0;
}

int resolve_ask(int fd, uint32_t id, const char *name)
{
	struct resolve_query q = { .id = id };
	ssize_t n;

	if (text_copy(q.name, sizeof(q.name), name) < 0)
		return -EINVAL;
	n = sys_send(fd, &q, sizeof(q), MSG_DONTWAIT);
	return n < 0 ? (int)n : 0;
}

int resolve_take(int fd, struct resolve_reply *ret)
{
	ssize_t n = sys_recv(fd, ret, sizeof(*ret), MSG_DONTWAIT);

	if (n == -EAGAIN)
		return 0;
	if (n != sizeof(*ret) || ret->n > RESOLVE_ADDRS)
		return -ECONNRESET;
	return 1;
}
