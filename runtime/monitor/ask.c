#include "runtime/monitor/impl.h"

#include <string.h>

#include "base/sys/sys.h"
#include "runtime/cgroup/written.h"
#include "runtime/confine/abstract.h"
#include "runtime/idmap/range.h"
#include "runtime/wire/peer.h"

static const char *net_caught(const struct monitor *m)
{
	return m->spec.net == NET_HOST ? "host" : netns_catch_name(m->run.facts.caught);
}

uint64_t monitor_ask_kills(const struct monitor *m)
{
	if (m->memory.limit.memory)
		return m->memory.kills;
	return m->run.cg ? cgroup_oom_kills(m->run.cg) : 0;
}

/* Of the host; in a network of its own the box has none of them. */
static const char *net_abstract(const struct monitor *m)
{
	if (m->spec.net != NET_HOST)
		return "";
	return abstract_closable() ? "closed" : "within reach";
}

/* What the box uses, by its cgroup or by what the monitor counts. */
static void monitor_ask_usage(struct monitor *m, struct cgroup_usage *ret)
{
	struct err ignored = ERR_NONE;

	*ret = (struct cgroup_usage){ 0 };
	(void)cgroup_usage(m->run.cg, ret, &ignored);
	if (m->memory.limit.memory) {
		ret->memory_bytes = m->memory.used;
		ret->memory_peak_bytes = m->memory.peak;
	}
	ret->oom_kills = monitor_ask_kills(m);
	if (m->memory.limit.pids)
		ret->pids_refused = m->memory.pid_kills;
	if (!ret->pids)
		ret->pids = m->memory.pids;
}

static int add_usage(struct monitor *m, struct json *j)
{
	struct cgroup_usage u;
	struct json *o = json_object();

	monitor_ask_usage(m, &u);
	if (!o || json_set_int(o, "memory_bytes", (int64_t)u.memory_bytes) < 0 ||
	    json_set_int(o, "memory_peak_bytes", (int64_t)u.memory_peak_bytes) < 0 ||
	    json_set_int(o, "pids", (int64_t)u.pids) < 0 ||
	    json_set_int(o, "cpu_us", (int64_t)u.cpu_us) < 0 ||
	    json_set_int(o, "oom_kills", (int64_t)u.oom_kills) < 0 ||
	    json_set_int(o, "pids_refused", (int64_t)u.pids_refused) < 0) {
		json_free(&o);
		return -ENOMEM;
	}
	return json_set(j, "usage", o);
}

static int64_t count_clients(const struct monitor *m)
{
	int64_t n = 0;

	for (const struct client *c = m->clients; c; c = c->next)
		n += peer_is_there(c->fd);
	return n;
}

static int64_t count_programs(const struct monitor *m)
{
	int64_t n = 0;

	for (const struct program *p = m->programs; p; p = p->next)
		n += p->keep || (p->client && peer_is_there(p->client->fd));
	return n;
}

/* For whom else it counts what the kernel counts by user, and whose files chown makes. */
static void say_ids(const struct monitor *m, char *ret, size_t room)
{
	unsigned long first = m->run.base;

	switch (m->spec.map.kind) {
	case IDMAP_ROOT:
		if (m->run.lease >= 0)
			snprintf(ret, room, "%lu to %lu, of this box alone", first,
				 first + IDMAP_RANGE_SIZE - 1);
		else
			snprintf(ret, room,
				 "%lu to %lu, shared with other boxes of root", first,
				 first + IDMAP_RANGE_IDS - 1);
		return;
	case IDMAP_REAL:
		snprintf(ret, room,
			 "root is root of the host; others are %u and more, which no "
			 "account has",
			 m->spec.map.uid[1].outside);
		return;
	case IDMAP_SUBUID:
	case IDMAP_SINGLE:
		break;
	}
	snprintf(ret, room,
		 "root is you, also where the kernel counts by user: pipes, "
		 "descriptors in flight");
}

static int info(struct monitor *m, const struct json *, struct json **ret,
		struct err *e)
{
	_cleanup_json_ struct json *j = spec_to_json(&m->spec);
	char ids[128];

	say_ids(m, ids, sizeof(ids));
	if (!j || json_set_int(j, "monitor_pid", sys_getpid()) < 0 ||
	    json_set_int(j, "init_pid", m->run.init) < 0 ||
	    json_set_int(j, "started", m->started) < 0 ||
	    json_set_str(j, "ids", ids) < 0 ||
	    json_set_str(j, "root", m->run.copy ? "copy" : "overlay") < 0 ||
	    json_set_str(j, "cgroup",
			 cgroup_method_name(cgroup_get_method(m->run.cg))) < 0 ||
	    json_set_str(j, "caught", net_caught(m)) < 0 ||
	    json_set_str(j, "abstract", net_abstract(m)) < 0 ||
	    json_set_str(j, "why", buf_cstr(&m->run.why)) < 0 ||
	    json_set_bool(j, "background", m->background) < 0 ||
	    json_set_bool(j, "lingering", m->idle >= MONITOR_LINGERING) < 0 ||
	    json_set_int(j, "clients", count_clients(m)) < 0 ||
	    json_set_int(j, "programs", count_programs(m)) < 0 || add_usage(m, j) < 0)
		return err_sys(e, -ENOMEM, "cannot describe the box");
	*ret = take(&j, NULL);
	return 0;
}

static int kills(struct monitor *m, const struct json *, struct json **ret,
		 struct err *e)
{
	_cleanup_json_ struct json *j = json_object();

	if (!j || json_set_int(j, "oom_kills", (int64_t)monitor_ask_kills(m)) < 0)
		return err_sys(e, -ENOMEM, "cannot describe the box");
	*ret = take(&j, NULL);
	return 0;
}

/* Looked up only when it is asked for: each process of the box is read. */
static int written(struct monitor *m, const struct json *, struct json **ret,
		   struct err *e)
{
	_cleanup_json_ struct json *j = json_object();
	const int watched = m->memory.fds[MEMWATCH_PROC];
	uint64_t bytes;
	int r = written_bytes(watched >= 0 ? watched : m->run.watch[MEMWATCH_PROC],
			      &bytes, e);

	if (r < 0)
		return r;
	json_set_int(j, "bytes", (int64_t)bytes);
	if (json_failed(j))
		return err_sys(e, -ENOMEM, "cannot describe the box");
	*ret = take(&j, NULL);
	return 0;
}

static int stop(struct monitor *m, const struct json *, struct json **, struct err *)
{
	m->ending = true; /* after this round, so the answer still goes out */
	return 0;
}

/* Keep the running box when its clients leave, or stop doing so. */
static int keep(struct monitor *m, const struct json *args, struct json **,
		struct err *)
{
	m->spec.keep = json_get_bool(args, "keep", true);
	return 0;
}

static const struct question {
	const char *what;
	int (*run)(struct monitor *m, const struct json *args, struct json **ret,
		   struct err *e);
} questions[] = {
	{ "info", info },
	{ "kills", kills },
	{ "written", written },
	{ "stop", stop },
	{ "keep", keep },
	{ "net", monitor_gate_ask },
	{ "renew", monitor_review_renew },
	{ "background", monitor_background_ask },
};

int monitor_ask(struct monitor *m, const char *what, const struct json *args,
		struct json **ret, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(questions); i++)
		if (strcmp(questions[i].what, what) == 0)
			return questions[i].run(m, args, ret, e);
	return err_set(e, -EOPNOTSUPP, "the monitor knows no question '%.64s'", what);
}
