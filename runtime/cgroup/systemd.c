/* cgroup_systemd - a scope of the caller's service manager, delegated to us: the one
 * way to limits without root on a host where systemd owns the tree.
 *
 * The scope is made with this process in it, which then steps into a leaf of its own:
 * a cgroup with processes cannot hand controllers on. systemd removes the scope when
 * the last process has left it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "runtime/cgroup/dbus.h"
#include "runtime/cgroup/impl.h"

enum { TIMEOUT_MS = 5000, UNIT = 128 };

static const char systemd[] = "org.freedesktop.systemd1";
static const char systemd_path[] = "/org/freedesktop/systemd1";
static const char manager[] = "org.freedesktop.systemd1.Manager";

/* ---- the properties of the scope: a(sv) ----------------------------------------- */

static void put_bool(struct dbus_wire_writer *w, const char *name, bool v)
{
	dbus_wire_struct(w);
	dbus_wire_str(w, name);
	dbus_wire_sig(w, "b");
	dbus_wire_u32(w, v);
}

static void put_str(struct dbus_wire_writer *w, const char *name, const char *v)
{
	dbus_wire_struct(w);
	dbus_wire_str(w, name);
	dbus_wire_sig(w, "s");
	dbus_wire_str(w, v);
}

static void put_pid(struct dbus_wire_writer *w, pid_t pid)
{
	size_t list;

	dbus_wire_struct(w);
	dbus_wire_str(w, "PIDs");
	dbus_wire_sig(w, "au");
	list = dbus_wire_array(w, 4);
	dbus_wire_u32(w, (uint32_t)pid);
	dbus_wire_array_end(w, list, 4);
}

/* The unit whose processes are in the cgroup @own; "" = none, as for a login. */
static const char *unit_of(const char *own)
{
	static const char service[] = ".service";
	const char *slash = strrchr(own, '/');
	size_t n = slash ? strlen(slash + 1) : 0;

	/* '_' stands in front of a name that the kernel would take for a file of its own */
	return n > strlen(service) && slash[1] != '_' &&
			       !strcmp(slash + 1 + n - strlen(service), service)
		       ? slash + 1
		       : "";
}

/* What is begun before a unit is ended after it: where the manager ends, a unit that has
 * started the box (docs/recipes/cubby-up@.service) still ends its services in their order. */
static void put_before(struct dbus_wire_writer *w, const char *unit)
{
	size_t list;

	dbus_wire_struct(w);
	dbus_wire_str(w, "Before");
	dbus_wire_sig(w, "as");
	list = dbus_wire_array(w, 4);
	dbus_wire_str(w, unit);
	dbus_wire_array_end(w, list, 4);
}

/* StartTransientUnit(s name, s mode, a(sv) properties, a(sa(sv)) aux) */
static int put_scope(struct buf *body, const char *unit, const char *starter)
{
	struct dbus_wire_writer w = { .out = body };
	size_t list;

	dbus_wire_str(&w, unit);
	dbus_wire_str(&w, "fail");
	list = dbus_wire_array(&w, 8);
	put_str(&w, "Description", "cubby box");
	put_pid(&w, sys_getpid());
	put_bool(&w, "Delegate", true);
	put_bool(&w, "DefaultDependencies", false);
	put_str(&w, "CollectMode", "inactive-or-failed");
	put_bool(&w, "MemoryAccounting", true);
	put_bool(&w, "TasksAccounting", true);
	put_bool(&w, "CPUAccounting", true);
	if (*starter)
		put_before(&w, starter);
	dbus_wire_array_end(&w, list, 8);
	list = dbus_wire_array(&w, 8);
	dbus_wire_array_end(&w, list, 8);
	return w.failed;
}

/* ---- the calls ------------------------------------------------------------------ */

static int put_text(struct buf *body, const char *s)
{
	struct dbus_wire_writer w = { .out = body };

	dbus_wire_str(&w, s);
	return w.failed;
}

/* The signal that ends the job must be on its way to us before there is a job. */
static int watch_jobs(struct dbus *d, struct err *e)
{
	_cleanup_buf_ struct buf rule = BUF_INIT(1024);
	struct dbus_wire_call match = { .destination = "org.freedesktop.DBus",
					.path = "/org/freedesktop/DBus",
					.interface = "org.freedesktop.DBus",
					.member = "AddMatch",
					.signature = "s",
					.body = &rule };
	struct dbus_wire_call subscribe = { .destination = systemd,
					    .path = systemd_path,
					    .interface = manager,
					    .member = "Subscribe" };
	int r = put_text(&rule, "type='signal',sender='org.freedesktop.systemd1',"
				"interface='org.freedesktop.systemd1.Manager',"
				"member='JobRemoved'");

	if (r < 0)
		return err_sys(e, r, "cannot watch systemd's jobs");
	r = dbus_send(d, &match, e);
	return r < 0 ? r : dbus_send(d, &subscribe, e);
}

static int refused(const struct dbus_wire_msg *m, struct err *e)
{
	struct dbus_wire_reader body = m->body;
	const char *text = "";

	if (m->signature[0] == 's')
		(void)dbus_wire_get_str(&body, &text);
	return err_set(e, strstr(m->error, "UnitExists") ? -EEXIST : -EACCES,
		       "systemd made no scope: %s", text_shown(text));
}

/* JobRemoved(u id, o job, s unit, s result): 1 = ours is done, 0 = another's. */
static int job_removed(const struct dbus_wire_msg *m, const char *unit, struct err *e)
{
	struct dbus_wire_reader body = m->body;
	const char *job, *name, *result;
	uint32_t id;

	if (m->type != DBUS_WIRE_SIGNAL || strcmp(m->member, "JobRemoved") != 0 ||
	    strcmp(m->interface, manager) != 0 || strcmp(m->signature, "uoss") != 0 ||
	    dbus_wire_get_u32(&body, &id) < 0 || dbus_wire_get_str(&body, &job) < 0 ||
	    dbus_wire_get_str(&body, &name) < 0 ||
	    dbus_wire_get_str(&body, &result) < 0 || strcmp(name, unit) != 0)
		return 0;
	if (!strcmp(result, "done"))
		return 1;
	return err_set(e, -EIO, "systemd made no scope: job %s", text_shown(result));
}

static int start_scope(struct dbus *d, const char *unit, const char *starter,
		       struct err *e)
{
	_cleanup_buf_ struct buf body = BUF_INIT(4096);
	struct dbus_wire_call start = { .destination = systemd,
					.path = systemd_path,
					.interface = manager,
					.member = "StartTransientUnit",
					.signature = "ssa(sv)a(sa(sv))",
					.body = &body };
	struct dbus_wire_msg m;
	int r = put_scope(&body, unit, starter);

	if (r < 0)
		return err_sys(e, r, "cannot describe a scope");
	r = dbus_send(d, &start, e);
	while (r == 0) {
		r = dbus_next(d, &m, e);
		if (r < 0)
			break;
		if (m.type == DBUS_WIRE_ERROR && m.reply_serial == start.serial)
			return refused(&m, e);
		r = job_removed(&m, unit, e);
	}
	return r < 0 ? r : 0;
}

static int make_scope(const char *unit, const char *starter, struct err *e)
{
	_cleanup_dbus_ struct dbus d = DBUS_NONE;
	_cleanup_buf_ struct buf body = BUF_INIT(1024);
	struct dbus_wire_call reset = { .destination = systemd,
					.path = systemd_path,
					.interface = manager,
					.member = "ResetFailedUnit",
					.signature = "s",
					.body = &body };
	int r = dbus_open(TIMEOUT_MS, &d, e) ?: watch_jobs(&d, e) ?:
		start_scope(&d, unit, starter, e);

	if (r != -EEXIST)
		return r;
	/* A failed one of a process that had our number. */
	return put_text(&body, unit) ?: dbus_send(&d, &reset, e) ?:
		start_scope(&d, unit, starter, e);
}

/* ---- inside the scope ----------------------------------------------------------- */

static int open_own(int *ret, struct err *e)
{
	_cleanup_free_ struct cgroup_places *p = calloc(1, sizeof(*p));
	int r = p ? cgroup_find_own(p, e) : err_sys(e, -ENOMEM, "cgroup");

	if (r < 0)
		return r;
	r = p->v2_own[0] ? sys_open(p->v2_own, O_RDONLY | O_DIRECTORY) : -ENOENT;
	if (r < 0)
		return err_sys(e, r, "cannot open the scope's cgroup");
	*ret = r;
	return 0;
}

static int settle(struct cgroup *cg, struct err *e)
{
	_cleanup_close_ int own = -1, monitor = -1;
	bool has[CGROUP_CONTROLLERS] = { false };
	int r = open_own(&own, e);

	if (r < 0)
		return r;
	r = sys_mkdirat(own, "monitor", 0755);
	if (r >= 0 || r == -EEXIST)
		r = monitor = sys_openat(own, "monitor", O_RDONLY | O_DIRECTORY, 0);
	if (r >= 0)
		r = cgroup_leaf_write(monitor, "cgroup.procs", "0");
	if (r < 0)
		return err_sys(e, r, "cannot settle in the scope");
	(void)cgroup_v2_controllers(own, has);
	if (!has[CGROUP_MEMORY] && !has[CGROUP_PIDS])
		return err_set(e, -EOPNOTSUPP, "systemd delegates no controller");
	r = cgroup_leaf_make(take(&own, -1), "box", &cg->v2);
	if (r < 0)
		return err_sys(e, r, "cannot make a leaf in the scope");
	memcpy(cg->has, has, sizeof(has));
	return 0;
}

int cgroup_systemd_create(struct cgroup *cg, const struct cgroup_places *p,
			  const char *name, struct buf *why)
{
	struct err e = ERR_NONE;
	char unit[UNIT];
	int r;

	snprintf(unit, sizeof(unit), "%s-%d.scope", name, sys_getpid());
	r = make_scope(unit, unit_of(p->v2_own), &e);
	if (r >= 0) {
		cgroup_leaf_remove(&cg->v2); /* without controllers, from before */
		r = settle(cg, &e);
	}
	if (r < 0)
		(void)buf_addf(why, "%s\n", e.msg);
	return r;
}
