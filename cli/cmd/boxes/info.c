#include <string.h>

#include "base/text.h"
#include "cli/box/acting.h"
#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/show/render.h"
#include "rootfs/store/snapshot.h"

enum kind {
	TEXT,
	CAUGHT,
	PATH,
	BYTES,
	NUMBER,
	MILLI,
	BOOL,
	LIST,
	SERVICES,
	VOLUMES,
	ACTING
};

/* What a person is told, in this order; absent members are left out. */
static const struct row {
	const char *label, *path; /* members, joined by '.' */
	enum kind kind;
} rows[] = {
	{ "directory", "project", PATH },
	{ "state", "state", TEXT },
	{ "image", "image_name", TEXT },
	{ "digest", "image", TEXT },
	{ "id map", "map.kind", TEXT },
	{ "host ids", "ids", TEXT },
	{ "disk used", "disk_bytes", BYTES },
	{ "network", "net", TEXT },
	{ "rules", "rules", LIST },
	{ "published", "publish", LIST },
	{ "volumes", "volumes", VOLUMES },
	{ "services", "services", SERVICES },
	{ "memory limit", "limits.memory_bytes", BYTES },
	{ "process limit", "limits.pids", NUMBER },
	{ "processor limit", "limits.cpu_milli", MILLI },
	{ "disk limit", "limits.disk_bytes", BYTES },
	{ "project", "project_mode", TEXT },
	{ "project of user", "owner.uid", NUMBER },
	{ ".git writable", "git_writable", BOOL },
	{ "root", "root", TEXT },
	{ "limits by", "cgroup", TEXT },
	{ "through the gate", "caught", CAUGHT },
	{ "abstract sockets", "abstract", TEXT },
	{ "memory", "usage.memory_bytes", BYTES },
	{ "memory at most", "usage.memory_peak_bytes", BYTES },
	{ "processes", "usage.pids", NUMBER },
	{ "killed for memory", "usage.oom_kills", NUMBER },
	{ "forks refused", "usage.pids_refused", NUMBER },
	{ "clients", "clients", NUMBER },
	{ "monitor pid", "monitor_pid", NUMBER },
	{ "init pid", "init_pid", NUMBER },
	{ "key", "key", TEXT },
	{ "acts here", "acting", ACTING },
	{ "why", "why", TEXT },
};

static const struct json *member(const struct json *j, const char *path)
{
	char name[64];
	const char *dot = strchr(path, '.');

	if (!dot)
		return json_get(j, path);
	snprintf(name, sizeof(name), "%.*s", (int)(dot - path), path);
	return json_get(json_get(j, name), dot + 1);
}

static int list_text(const struct json *v, struct buf *out)
{
	json_each(it, v)
	{
		const char *s = json_str(it);

		if (s)
			buf_addf(out, "%s%s", out->len ? ", " : "", s);
	}
	return buf_failed(out);
}

static int services_text(const struct json *v, struct buf *out)
{
	json_each(it, v) buf_addf(out, "%s%s", out->len ? ", " : "",
				  json_get_str(it, "service"));
	return buf_failed(out);
}

static int volumes_text(const struct json *v, struct buf *out)
{
	json_each(it, v)
	{
		const char *from = json_get_str(it, "source")
					   ?: json_get_str(it, "name"),
			   *to = json_get_str(it, "target");

		if (from && to)
			buf_addf(out, "%s on %s%s\n", from, to,
				 json_get_bool(it, "writable", false) ? ""
								      : ", read-only");
	}
	return buf_failed(out);
}

static int acting_text(const struct json *v, struct buf *out)
{
	json_each(it, v)
	{
		const char *path = json_get_str(it, "path"),
			   *why = json_get_str(it, "why");

		if (path && why)
			buf_addf(out, "%s '%s': %s\n",
				 json_get_bool(it, "new", false) ? "new" : "changed",
				 path, why);
	}
	return buf_failed(out);
}

static int value_text(const struct json *v, enum kind kind, struct buf *out)
{
	int64_t n = 0;

	if (kind == LIST)
		return list_text(v, out);
	if (kind == SERVICES)
		return services_text(v, out);
	if (kind == VOLUMES)
		return volumes_text(v, out);
	if (kind == ACTING)
		return acting_text(v, out);
	if (kind == TEXT || kind == PATH)
		return json_str(v) ? buf_adds(out, json_str(v)) : 0;
	if (kind == CAUGHT)
		return buf_adds(out, render_caught(json_str(v)));
	if (kind == BOOL)
		return json_true(v) ? buf_adds(out, "yes") : 0;
	if (json_int(v, &n) < 0 || n == 0)
		return 0; /* not known, or not limited */
	if (kind == BYTES)
		return buf_adds(out, text_bytes((uint64_t)n));
	if (kind == MILLI)
		return buf_addf(out, "%lld.%03lld", (long long)n / 1000,
				(long long)n % 1000);
	return buf_addf(out, "%lld", (long long)n);
}

/* Several lines, such as those of "why", stand below each other. */
static void show_row(const struct app *app, const char *label, char *text)
{
	char *rest = NULL;

	for (char *l = strtok_r(text, "\n", &rest); l;
	     l = strtok_r(NULL, "\n", &rest)) {
		fprintf(app->out, "%-18s ", label);
		render_safe(app->out, l);
		fputc('\n', app->out);
		label = "";
	}
}

static int show(const struct app *app, const struct json *j)
{
	if (app->json)
		return render_json(app, j);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_buf_ struct buf b = BUF_INIT(1 << 20);
		int r = value_text(member(j, rows[i].path), rows[i].kind, &b);

		if (r < 0)
			return r;
		if (b.len)
			show_row(app, rows[i].label, b.data);
	}
	return 0;
}

/* Those of .cubby/box.json, whether they run or not. */
static void add_services(const struct app *app, struct json *j)
{
	const struct json *all = json_get(app->config->project, "services");
	struct json *list;

	if (!json_len(all))
		return;
	list = json_array();
	json_each(it, all)
	{
		struct json *one = json_object();

		json_set_str(one, "service", json_key(it));
		json_set_str(one, "run", json_get_str(it, "run"));
		json_add(list, one);
	}
	json_set(j, "services", list);
}

/* What the monitor says while the box runs, else what is recorded. */
static int describe(struct boxsetup *s, struct json **ret, struct err *e)
{
	_cleanup_json_ struct json *j = NULL;
	struct err why = ERR_NONE;
	bool running = boxsetup_join(s, &why) == 0;
	struct json *acting;
	const char *state = running ? "running" : "stopped";
	int r = 0;

	if (why.code == -ETIMEDOUT) { /* it is held up, and does run */
		*e = why;
		return e->code;
	}
	if (running)
		r = box_ask(s->box, "info", NULL, &j, e);
	else
		j = spec_to_json(&s->spec);
	if (r < 0)
		return r;
	acting = acting_list(s->dir.dirfd, s->spec.project);
	if (acting)
		json_set(j, "acting", acting);
	if (json_get_bool(j, "lingering", false))
		state = "lingering";
	add_services(s->app, j);
	json_set_str(j, "project", s->spec.project);
	json_set_str(j, "state", state);
	json_set_int(j, "disk_bytes", (int64_t)snapshot_bytes(&s->dir));
	if (json_failed(j) < 0)
		return err_sys(e, -ENOMEM, "cannot describe the box");
	*ret = take(&j, NULL);
	return 0;
}

static int work(struct app *app, void *, struct err *e)
{
	_cleanup_boxsetup_ struct boxsetup s = BOXSETUP(app);
	_cleanup_json_ struct json *j = NULL;
	int r = boxsetup_find(&s, e);

	if (r < 0)
		return r;
	r = describe(&s, &j, e);
	if (r < 0)
		return r;
	if (show(app, j) < 0)
		return err_set(e, -EIO, "cannot show the box");
	return 0;
}

const struct cmd cmd_info = {
	.name = "info",
	.group = CMD_BOXES,
	.summary = "describe the box of this directory",
	.doc = "Describe the box of this directory: its image, id map, limits, "
	       "network, and, while it runs, what it uses and how it was started.",
	.config = true,
	.work = work,
};
