/* gate_main - the gate process: set up by its monitor, confined, then served by events.
 *
 * It is given everything it will ever need in the first message: the descriptors of
 * the box's namespace, the audit file, the memory of names, rules
 * and proxy settings. Then it starts the resolver, which stays outside, and gives up
 * the file system, all capabilities, new programs, new processes, and every system
 * call that moving bytes between sockets does not take. */
#include <string.h>

#include "base/sys/sys.h"
#include "runtime/confine/outside.h"
#include "runtime/gate/impl.h"
#include "runtime/wire/wire.h"

enum { CONTROL = 3, ENV_MAX = 16 };

/* As many descriptors as the host allows, up to what GATE_CONNS can use. Some are for all else,
 * but no more than half: places that there are no descriptors for are never all taken, and then
 * nobody makes room. */
static void take_descriptors(struct gated *g)
{
	const rlim_t others = 256, want = GATE_CONNS * GATE_FDS_PER_CONN + others;
	struct rlimit l = { 512, 512 };

	(void)sys_getrlimit(RLIMIT_NOFILE, &l);
	l.rlim_cur = l.rlim_max = MIN(l.rlim_max, want);
	(void)sys_setrlimit(RLIMIT_NOFILE, &l);
	g->max_conns = (unsigned)((l.rlim_cur - MIN(others, l.rlim_cur / 2)) /
				  GATE_FDS_PER_CONN);
}

static int confine(struct gated *g, struct err *e)
{
	int r;

	take_descriptors(g);
	r = gate_place_open(&g->places, e) ?: outside_confine(e);
	if (r < 0)
		return err_wrap(e, "the gate");
	g->rooted = r > 0;
	return 0;
}

/* ---- the monitor's questions ---------------------------------------------------- */

static struct json *fail_json(const struct err *e)
{
	struct json *j = json_object();

	json_set_int(j, "code", e->code);
	json_set_str(j, "error", e->msg);
	return j;
}

static struct json *op_rules(struct gated *g, const struct json *q, struct wire_msg *,
			     struct err *e)
{
	_cleanup_gate_policy_ struct gate_policy *p = NULL;

	if (gate_policy_new(&p, e) < 0 ||
	    gate_policy_load(p, json_get(q, "rules"), e) < 0)
		return fail_json(e);
	gate_policy_free(&g->policy);
	g->policy = take(&p, NULL);
	gate_conn_recheck(g);
	return json_object();
}

static struct json *op_ports(struct gated *g, const struct json *, struct wire_msg *,
			     struct err *e)
{
	struct json *list = gate_ports_list(g, e), *j;

	if (!list)
		return fail_json(e);
	j = json_object();
	json_set(j, "listening", list);
	return j;
}

static struct json *op_publish(struct gated *g, const struct json *q,
			       struct wire_msg *m, struct err *e)
{
	int64_t port = json_get_int(q, "port", 0);
	int r = gate_ports_add(g, wire_take_fd(m, 0), (uint16_t)port);

	if (r < 0) {
		err_sys(e, r, "cannot publish port %d", (int)port);
		return fail_json(e);
	}
	return json_object();
}

static struct json *op_unpublish(struct gated *g, const struct json *q,
				 struct wire_msg *, struct err *e)
{
	int64_t port = json_get_int(q, "host_port", 0);
	int r = gate_ports_remove(g, (uint16_t)port);

	if (r < 0) {
		err_set(e, r, "port %d of the host is not published", (int)port);
		return fail_json(e);
	}
	return json_object();
}

static struct json *op_rotate(struct gated *g, const struct json *, struct wire_msg *m,
			      struct err *)
{
	gate_audit_start(&g->notes.audit, wire_take_fd(m, 0));
	return json_object();
}

/* The lowest number that is free: as many are in use when nothing leaks. Pipes that are
 * kept for later would lie in between. */
static uint64_t descriptors(struct gated *g)
{
	_cleanup_close_ int fd = -1;

	gate_pump_drain(&g->pool);
	fd = sys_dup(g->control, 0);

	return fd < 0 ? 0 : (uint64_t)fd;
}

static struct json *op_stats(struct gated *g, const struct json *, struct wire_msg *,
			     struct err *)
{
	const struct gate_stats now = gate_conn_stats(g), *s = &now;
	const struct {
		const char *name;
		uint64_t v;
	} rows[] = {
		{ "connections", g->n_conns },
		{ "most", g->max_conns },
		{ "accepted", s->accepted },
		{ "opened", s->opened },
		{ "refused", s->refused },
		{ "failed", s->failed },
		{ "published", s->published },
		{ "queries", s->queries },
		{ "lookups", s->lookups },
		{ "sent", s->sent },
		{ "received", s->received },
		{ "pipes", g->pool.n },
		{ "names", (uint64_t)gate_names_count(g->names) },
		{ "waiting", g->n_dns_pending },
		{ "descriptors", descriptors(g) },
		{ "rounds", loop_rounds(g->loop) },
	};
	struct json *j = json_object();

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		json_set_int(j, rows[i].name, (int64_t)rows[i].v);
	json_set_bool(j, "empty_root", g->rooted);
	return j;
}

static const struct {
	const char *op;
	struct json *(*run)(struct gated *, const struct json *, struct wire_msg *,
			    struct err *);
} ops[] = {
	{ "rules", op_rules },	   { "ports", op_ports },
	{ "publish", op_publish }, { "unpublish", op_unpublish },
	{ "rotate", op_rotate },   { "stats", op_stats },
};

static struct json *run_op(struct gated *g, struct wire_msg *m, struct err *e)
{
	_cleanup_json_ struct json *q = NULL;
	const char *op;

	if (json_parse(m->body.data, m->body.len, &q, e) < 0)
		return fail_json(e);
	op = json_get_str(q, "op");
	for (size_t i = 0; op && i < ARRAY_SIZE(ops); i++)
		if (!strcmp(ops[i].op, op))
			return ops[i].run(g, q, m, e);
	err_set(e, -EOPNOTSUPP, "the gate has no such operation");
	return fail_json(e);
}

static int asked(void *ctx, uint32_t, struct err *e)
{
	struct gated *g = ctx;
	_cleanup_wire_ struct wire_msg m;
	_cleanup_json_ struct json *reply = NULL;
	_cleanup_buf_ struct buf out = BUF_INIT(WIRE_BODY);
	struct wire_head head = { .type = WIRE_ANSWER };
	struct err op_err = ERR_NONE;
	int r;

	wire_msg_init(&m);
	r = wire_recv(g->control, &m, 1);
	if (r == -EAGAIN)
		return 0;
	if (r == 0 ||
	    r == -ECONNRESET) { /* the monitor has ended, and the box with it */
		loop_stop(g->loop);
		return 0;
	}
	if (gate_memory_check(g, r) == -ENOMEM)
		return 0;
	if (r < 0)
		return err_sys(e, r, "cannot read what the monitor says");
	head.id = m.head.id;
	reply = run_op(g, &m, &op_err);
	if (!reply || op_err.code == -ENOMEM || json_print(reply, false, &out) < 0) {
		gate_memory_gone(g);
		return 0;
	}
	head.len = (uint32_t)out.len;
	r = wire_send(g->control, &head, out.data, NULL, 0);
	/* A monitor that does not listen asks again; the connections are worth more. */
	return r < 0 && r != -EAGAIN ? err_sys(e, r, "cannot answer the monitor") : 0;
}

/* ---- setup ---------------------------------------------------------------------- */

/* Descriptors came in this order: those of the namespace that the mask names, then the
 * memory of names and, if there is one, the audit file. */
static void take_fds(struct gated *g, const struct json *conf, struct wire_msg *m,
		     int *names_fd)
{
	int64_t mask = json_get_int(conf, "mask", 0);
	unsigned at = 0;

	for (int i = 0; i < NETNS_FDS; i++)
		g->fds[i] = mask & 1 << i ? wire_take_fd(m, at++) : -1;
	g->finder.diag = g->fds[NETNS_FD_DIAG];
	*names_fd = wire_take_fd(m, at++);
	gate_audit_start(&g->notes.audit, wire_take_fd(m, at));
}

static void take_facts(struct gated *g, const struct json *conf)
{
	int i = 0;

	g->mode = (enum net_mode)json_get_int(conf, "mode", NET_NONE);
	g->finder.init = (pid_t)json_get_int(conf, "init", 0);
	if (!json_get_bool(conf, "sparing", false) && sys_processors() > 1)
		loop_eager(g->loop, GATE_EAGER_US);
	g->facts.caught = (uint8_t)json_get_int(conf, "caught", 0);
	g->facts.ipv6 = (uint8_t)json_get_int(conf, "ipv6", 0);
	json_each(it, json_get(conf, "ports"))
	{
		int64_t port = 0;

		if (i < NETNS_TCP_MAX && json_int(it, &port) >= 0)
			g->facts.port[i++] = (uint16_t)port;
	}
	g->facts.n_tcp = (uint8_t)i;
}

static int take_proxy(struct gated *g, const struct json *conf, struct err *e)
{
	const char *env[ENV_MAX + 1] = { 0 };
	int n = 0;

	json_each(it, json_get(conf, "env")) if (n < ENV_MAX && json_str(it)) env[n++] =
		json_str(it);
	return gate_proxy_from_env(env, &g->proxy, e);
}

static int take_conf(struct gated *g, struct wire_msg *m, struct err *e)
{
	_cleanup_json_ struct json *conf = NULL;
	_cleanup_close_ int names_fd = -1;
	int r = json_parse(m->body.data, m->body.len, &conf, e);

	if (r < 0)
		return r;
	take_fds(g, conf, m, &names_fd);
	take_facts(g, conf);
	r = take_proxy(g, conf, e);
	if (r < 0)
		return r;
	r = gate_policy_new(&g->policy, e);
	if (r < 0)
		return r;
	r = gate_policy_load(g->policy, json_get(conf, "rules"), e);
	if (r < 0)
		return r;
	r = gate_names_new(names_fd, &g->names, e);
	if (r >= 0 && g->mode == NET_GATE)
		r = resolve_start(&g->resolver, &g->finder.fd, e);
	return r < 0 ? r : confine(g, e);
}

static int told_to_end(void *ctx, uint32_t, struct err *)
{
	struct gated *g = ctx;

	loop_stop(g->loop);
	return 0;
}

/* Before this the signal simply ends the process: it has nothing to write yet. */
static int catch_end(struct gated *g, struct err *e)
{
	sigset_t set;
	int r;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	r = sys_sigprocmask(SIG_BLOCK, &set, NULL);
	if (r >= 0)
		r = g->signals = sys_signalfd(&set);
	return r < 0 ? err_sys(e, r, "cannot wait for the end") : 0;
}

static int watch_all(struct gated *g, struct err *e)
{
	const struct {
		int fd;
		loop_fn *fn;
		struct loop_source **src;
		void *ctx;
	} all[] = {
		{ g->control, asked, &g->control_src, g },
		{ g->signals, told_to_end, &g->signals_src, g },
		{ g->resolver, gate_lookup_ready, &g->resolver_src, g },
		{ g->finder.fd, gate_who_ready, &g->finder.src, &g->finder },
		{ g->fds[NETNS_FD_DNS], gate_dns_udp, &g->fd_src[NETNS_FD_DNS], g },
		{ g->fds[NETNS_FD_SOCKS], gate_ports_sock, &g->fd_src[NETNS_FD_SOCKS],
		  g },
		{ g->fds[NETNS_FD_SYN], gate_accept_held, &g->fd_src[NETNS_FD_SYN], g },
	};
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(all) && r >= 0; i++)
		if (all[i].fd >= 0)
			r = loop_add(g->loop, all[i].fd, EPOLLIN, all[i].fn, all[i].ctx,
				     all[i].src);
	for (int i = NETNS_FD_TCP; i < NETNS_FDS && r >= 0; i++) {
		if (g->fds[i] < 0)
			continue;
		gate_conn_tune(g->fds[i]);
		r = loop_add(g->loop, g->fds[i], EPOLLIN, gate_accept_ready, g,
			     &g->fd_src[i]);
	}
	if (r < 0)
		return err_sys(e, r, "cannot watch a descriptor");
	loop_urgent(g->loop, g->control_src); /* whatever the box is doing */
	loop_urgent(g->loop, g->signals_src);
	g->listening = g->accepting = true;
	return 0;
}

static void done(struct gated *g)
{
	while (g->conns)
		gate_conn_end(g->conns, -ESHUTDOWN,
			      g->end_why ? "the gate ended" : "the box ended");
	if (g->loop) {
		gate_dns_free(g);
		gate_ports_free(g);
		gate_lookup_free(g);
	}
	gate_pump_drain(&g->pool);
	loop_free(&g->loop);
	gate_policy_free(&g->policy);
	gate_names_free(&g->names);
	gate_audit_done(&g->notes.audit);
	scope_close_set(g->fds, NETNS_FDS);
	scope_close(&g->resolver);
	scope_close(&g->finder.fd);
	scope_close(&g->signals);
	scope_close(&g->control);
}
#define _cleanup_gated_ _cleanup_(done)

static void init(struct gated *g)
{
	uint64_t now = sys_now_ms();

	*g = (struct gated){ .control = CONTROL,
			     .resolver = -1,
			     .finder = { .fd = -1,
					 .diag = -1,
					 .credit = GATE_WHO_BURST * 1000u,
					 .asked_ms = now,
					 .credit_us = GATE_WHO_BURST_US,
					 .credit_ms = now },
			     .notes = { .control = CONTROL,
					.audit = { .fd = -1 },
					.line_credit = { GATE_LINE_BURST * 1000u,
							 GATE_LINE_BURST * 1000u },
					.line_ms = { now, now },
					.tell_credit = GATE_TELL_BURST * 1000u,
					.tell_ms = now },
			     .lookup_credit = GATE_LOOKUP_BURST * 1000u,
			     .lookup_ms = now };
	for (int i = 0; i < NETNS_FDS; i++)
		g->fds[i] = -1;
	for (int i = 0; i < GATE_PUBLISHED; i++)
		g->published[i].fd = -1;
}

/* The monitor is told, and the record whatever else is being left out of it. */
static int report(struct gated *g, const struct err *e)
{
	const struct gate_audit_line line = { .event = "gate", .why = e->msg };
	struct wire_head head = { .type = WIRE_FAILED, .len = sizeof(*e) };

	(void)gate_audit_write(&g->notes.audit, &line);
	(void)wire_send(g->control, &head, e, NULL, 0);
	return 1;
}

static int setup(struct gated *g, struct err *e)
{
	_cleanup_wire_ struct wire_msg m;
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	int r;

	wire_msg_init(&m);
	/* splice(2) knows no MSG_NOSIGNAL */
	r = sys_prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)
		    ?: sys_sigaction(SIGPIPE, &ignore, NULL);
	if (r < 0)
		return err_sys(e, r, "cannot bind the gate to its monitor");
	(void)sys_prctl(PR_SET_NAME, (unsigned long)(uintptr_t) "cubby-gate", 0, 0, 0);
	r = wire_recv(g->control, &m, WIRE_FDS);
	if (r <= 0)
		return err_set(e, -EPROTO, "the gate is started by cubby alone");
	r = loop_new(&g->loop, e) ?: sys_setfl(g->control, O_RDWR | O_NONBLOCK);
	if (r < 0)
		return err_sys(e, r, "cannot start the gate");
	g->finder.loop = g->loop;
	return take_conf(g, &m, e) ?: catch_end(g, e) ?: watch_all(g, e);
}

int gate_main(int, char **)
{
	_cleanup_gated_ struct gated g;
	struct err e = ERR_NONE;

	init(&g);
	if (setup(&g, &e) < 0 || loop_run(g.loop, &e) < 0)
		g.end_why = e.msg;
	else if (g.end_why)
		err_set(&e, -ENOMEM, "%s", g.end_why);
	return g.end_why ? report(&g, &e) : 0;
}
