/* The gate is a process that most commands never need: it is started by the first
 * connection or query that arrives at the sockets of the box's network. Until then those
 * are watched here, and what arrives waits in them. A published port or a question is a
 * reason as well. What can be wrong with the spec is found before the box is ready. */
#include <string.h>

#include "base/sys/sys.h"
#include "runtime/gate/policy.h"
#include "runtime/monitor/impl.h"

enum { RETRY_MS = 5000 };

static int on_gate(void *ctx, uint32_t, struct err *)
{
	struct monitor *m = ctx;
	struct gate_event ev;

	while (gate_step(m->gate, &ev) > 0)
		; /* the gate keeps them for whoever asks (op "events") */
	return 0;
}

static void stop_watching(struct monitor *m)
{
	for (size_t i = 0; i < NETNS_FDS; i++)
		loop_remove(m->loop, &m->on_net[i]);
	loop_remove(m->loop, &m->retry_net);
}

static int open_gate(struct monitor *m, struct err *e)
{
	struct gate_conf conf = {
		.mode = m->spec.net,
		.fds = m->run.net,
		.facts = m->run.facts,
		.init = m->run.init,
		.rules = m->spec.rules,
		.publish = m->spec.publish,
		.audit_dirfd = m->boxdir,
		.sparing = m->spec.limits.cpu_milli != 0,
	};
	int r = gate_start(&conf, &m->gate, e);

	if (r < 0)
		return r;
	r = loop_add(m->loop, gate_fd(m->gate), EPOLLIN, on_gate, m, &m->on_gate);
	if (r < 0) {
		gate_stop(&m->gate);
		return err_sys(e, r, "cannot watch the gate");
	}
	return 0;
}

static int watch_net(struct monitor *m, struct err *e);

static int retry(void *ctx, uint32_t, struct err *)
{
	struct monitor *m = ctx;

	loop_remove(m->loop, &m->retry_net);
	(void)watch_net(m, ERR_IGNORED); /* or a question will */
	return 0;
}

/* One that cannot be started now is not tried again at every packet, but after a while. */
static int try_gate(struct monitor *m, struct err *e)
{
	int r;

	stop_watching(m);
	r = open_gate(m, e);
	if (r < 0)
		(void)loop_timer(m->loop, RETRY_MS, retry, m, &m->retry_net);
	return r;
}

static int on_net(void *ctx, uint32_t, struct err *)
{
	(void)try_gate(ctx, ERR_IGNORED);
	return 0;
}

int monitor_gate_check(const struct monitor *m, struct err *e)
{
	_cleanup_gate_policy_ struct gate_policy *p = NULL;
	int r = gate_policy_new(&p, e);

	return r < 0 ? r : gate_policy_load(p, m->spec.rules, e);
}

/* DNS and every TCP listener; the others say nothing before they are asked. */
static int watch_net(struct monitor *m, struct err *e)
{
	int r = 0;

	for (size_t i = NETNS_FD_DNS; i < NETNS_FDS && r >= 0; i++)
		if (m->run.net[i] >= 0)
			r = loop_add(m->loop, m->run.net[i], EPOLLIN, on_net, m,
				     &m->on_net[i]);
	return r < 0 ? err_sys(e, r, "cannot watch the box's network") : 0;
}

int monitor_gate_begin(struct monitor *m, struct err *e)
{
	if (m->spec.net == NET_HOST)
		return 0;
	/* Without a network there is nothing to guard, unless ports are published. */
	if (json_len(m->spec.publish))
		return open_gate(m, e);
	return m->spec.net == NET_NONE ? 0 : watch_net(m, e);
}

/* Whoever knows its names has ended. */
int monitor_gate_rest(struct monitor *m)
{
	if (!m->gate)
		return 0;
	loop_remove(m->loop, &m->on_gate);
	gate_stop(&m->gate);
	return m->spec.net == NET_NONE ? 0 : watch_net(m, ERR_IGNORED);
}

/* Rules mean something with a network only; ports work without one too. */
static int refuse(const struct monitor *m, const char *op, struct err *e)
{
	bool count = !strcmp(op, "stats");
	bool ports = !strcmp(op, "ports") || !strcmp(op, "publish") ||
		     !strcmp(op, "unpublish");

	if (m->spec.net == NET_HOST)
		return err_set(e, -EOPNOTSUPP, "this box uses the host's network: %s",
			       ports   ? "its ports are the host's"
			       : count ? "nothing counts what is its own"
				       : "there are no rules");
	/* its refusals and restarts are told as long as there is one */
	if (m->spec.net == NET_NONE && !ports && !count &&
	    !(m->gate && !strcmp(op, "events")))
		return err_set(e, -EOPNOTSUPP,
			       "this box has no network (--net none): there are no "
			       "rules");
	return 0;
}

int monitor_gate_ask(struct monitor *m, const struct json *args, struct json **ret,
		     struct err *e)
{
	const char *op = json_get_str(args, "op");
	int r = refuse(m, op ? op : "", e);

	/* Nothing has gone through one that was not needed: no counter, no process. */
	if (r == 0 && !m->gate && op &&
	    (!strcmp(op, "stats") || !strcmp(op, "events"))) {
		*ret = json_object();
		return *ret ? 0 : err_sys(e, -ENOMEM, "cannot count");
	}
	if (r == 0 && !m->gate)
		r = try_gate(m, e);
	return r < 0 ? r : gate_ask(m->gate, args, ret, e);
}
