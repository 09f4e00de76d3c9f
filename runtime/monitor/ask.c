#include "runtime/monitor/impl.h"

#include <string.h>

#include "base/procfs.h"
#include "base/sys/sys.h"
#include "runtime/cgroup/written.h"
#include "runtime/confine/abstract.h"
#include "runtime/idmap/range.h"
#include "runtime/wire/peer.h"

enum { BACKGROUND_LOOK_MS = 1000 };

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
	cgroup_usage(m->run.cg, ret);
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

static struct json *usage_json(struct monitor *m)
{
	struct cgroup_usage u;
	struct json *o = json_object();

	monitor_ask_usage(m, &u);
	json_set_int(o, "memory_bytes", (int64_t)u.memory_bytes);
	json_set_int(o, "memory_peak_bytes", (int64_t)u.memory_peak_bytes);
	json_set_int(o, "pids", (int64_t)u.pids);
	json_set_int(o, "cpu_us", (int64_t)u.cpu_us);
	json_set_int(o, "oom_kills", (int64_t)u.oom_kills);
	json_set_int(o, "pids_refused", (int64_t)u.pids_refused);
	return o;
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

	if (!idmap_traits(&m->spec.map)->by_root)
		snprintf(ret, room,
			 "root is you, also where the kernel counts by user: pipes, "
			 "descriptors in flight");
	else if (!idmap_traits(&m->spec.map)->apart)
		snprintf(ret, room,
			 "root is root of the host; others are %u and more, which no "
			 "account has",
			 m->spec.map.uid[1].outside);
	else if (m->run.lease >= 0)
		snprintf(ret, room, "%lu to %lu, of this box alone", first,
			 first + IDMAP_RANGE_SIZE - 1);
	else
		snprintf(ret, room, "%lu to %lu, shared with other boxes of root",
			 first, first + IDMAP_RANGE_IDS - 1);
}

/* @j is the answer, which was filled without a look at each part. */
static int answer(struct json **j, struct json **ret, struct err *e)
{
	if (json_failed(*j))
		return err_sys(e, -ENOMEM, "cannot describe the box");
	*ret = take(j, NULL);
	return 0;
}

static int info(struct monitor *m, const struct json *, struct json **ret,
		struct err *e)
{
	_cleanup_json_ struct json *j = spec_to_json(&m->spec);
	char ids[128];

	say_ids(m, ids, sizeof(ids));
	json_set_int(j, "monitor_pid", sys_getpid());
	json_set_int(j, "init_pid", m->run.init);
	json_set_int(j, "started", m->started);
	json_set_str(j, "ids", ids);
	json_set_str(j, "root", m->run.copy ? "copy" : "overlay");
	json_set_str(j, "cgroup", cgroup_method_name(cgroup_get_method(m->run.cg)));
	json_set_str(j, "caught", net_caught(m));
	json_set_str(j, "abstract", net_abstract(m));
	json_set_str(j, "why", buf_cstr(&m->run.why));
	json_set_bool(j, "background", m->background);
	json_set_bool(j, "lingering", m->idle >= MONITOR_LINGERING);
	json_set_int(j, "clients", count_clients(m));
	json_set_int(j, "programs", count_programs(m));
	json_set(j, "usage", usage_json(m));
	return answer(&j, ret, e);
}

static int kills(struct monitor *m, const struct json *, struct json **ret,
		 struct err *e)
{
	_cleanup_json_ struct json *j = json_object();

	json_set_int(j, "oom_kills", (int64_t)monitor_ask_kills(m));
	return answer(&j, ret, e);
}

/* Looked up only when it is asked for: each process of the box is read. */
static int written(struct monitor *m, const struct json *, struct json **ret,
		   struct err *e)
{
	_cleanup_json_ struct json *j = json_object();
	uint64_t bytes;
	int r = written_bytes(m->run.watch[MEMWATCH_PROC], &bytes, e);

	if (r < 0)
		return r;
	json_set_int(j, "bytes", (int64_t)bytes);
	return answer(&j, ret, e);
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

/* ---- what runs in the background ---------------------------------------------------------- */

/* What a command leaves running in the background keeps the box, as long as it runs. The
 * kernel tells whether init has children, and orphans become its own: what else runs in the
 * box descends from it. */
static int look_behind(void *ctx, uint32_t, struct err *)
{
	struct monitor *m = ctx;

	if (procfs_has_children(m->run.init) > 0) {
		loop_rearm(m->loop, m->on_background, BACKGROUND_LOOK_MS);
		return 0;
	}
	m->background = false;
	return 0;
}

/* Keep the box while something runs in it, and say whether. With "look" it is only said. */
static int background(struct monitor *m, const struct json *args, struct json **ret,
		      struct err *e)
{
	_cleanup_json_ struct json *j = json_object();
	const bool some = procfs_has_children(m->run.init) > 0;

	/* What another client runs keeps the box by itself, and is told when that ends. Whether
	 * there is more than that nobody knows before: the last of them tells (client.c). */
	json_set_bool(j, "background", some && !m->programs);
	if (json_failed(j))
		return err_sys(e, -ENOMEM, "cannot say what runs");
	*ret = take(&j, NULL);
	if (json_get_bool(args, "look", false))
		return 0;
	m->background = some;
	if (!some)
		return 0;
	if (!m->on_background)
		return loop_timer(m->loop, BACKGROUND_LOOK_MS, look_behind, m,
				  &m->on_background);
	loop_rearm(m->loop, m->on_background, BACKGROUND_LOOK_MS);
	return 0;
}

/* ---- all questions ------------------------------------------------------------------------ */

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
	{ "background", background },
};

int monitor_ask(struct monitor *m, const char *what, const struct json *args,
		struct json **ret, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(questions); i++)
		if (strcmp(questions[i].what, what) == 0)
			return questions[i].run(m, args, ret, e);
	return err_set(e, -EOPNOTSUPP, "the monitor knows no question '%.64s'", what);
}
