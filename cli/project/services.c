#include "cli/project/services.h"

#include <stdlib.h>
#include <string.h>

#include "base/sys/sys.h"
#include "cli/opt/config.h"
#include "cli/show/render.h"

enum { READY_MS = 60000, LOOK_MS = 200, SERVICES_MAX = 64 };

/* $1 name, $2 command, $3 again. A session of its own, so that all of it can be told to
 * end; the shell that starts it waits for its first process alone. */
static const char start_script[] =
	"p=$(cat \"/run/cubby-$1.pid\" 2>/dev/null) && kill -0 \"$p\" 2>/dev/null && "
	"exit 9\n"
	"mkdir -p " BOX_LOG_DIR " && exec >>\"" BOX_LOG_DIR
	"/$1.log\" 2>&1 </dev/null\n"
	"echo $$ >\"/run/cubby-$1.pid\" && echo \"$1\" >>/run/cubby-services\n"
	"[ \"$3\" = again ] || exec sh -c \"$2\"\n"
	"trap 'exit 0' TERM\n"
	"while :; do sh -c \"$2\" & wait $!; sleep 1; done\n";

/* Ends those that are named, or all, the last one first. The group of each is that of the
 * session that was made for it. */
static const char stop_script[] =
	"end() {\n"
	"	p=$(cat \"/run/cubby-$1.pid\" 2>/dev/null) || return\n"
	"	rm -f \"/run/cubby-$1.pid\"\n"
	"	kill -s TERM -- \"-$p\" 2>/dev/null || return\n"
	"	n=0\n"
	"	while kill -s 0 -- \"-$p\" 2>/dev/null && [ $n -lt 100 ]; do\n"
	"		sleep 0.1; n=$((n + 1))\n"
	"	done\n"
	"	kill -s KILL -- \"-$p\" 2>/dev/null\n"
	"}\n"
	"if [ $# = 0 ]; then\n"
	"	while read -r name; do set -- \"$name\" \"$@\"; done "
	"</run/cubby-services\n"
	"fi\n"
	"for name; do end \"$name\"; done\n"
	"exit 0\n";

static const struct json *all(const struct app *app)
{
	return json_get(app->config->project, "services");
}

/* A command of ours in the box; its status, or why it could not be run. */
static int run_in(struct box *b, const char *const *argv, int ms, struct err *e)
{
	const struct box_command c = { .argv = argv, .io = BOX_IO_NULL };
	_cleanup_box_proc_ struct box_proc p = BOX_PROC_NONE;
	struct box_exit x = { 0 };
	int r = box_spawn(b, &c, &p, e);

	if (r < 0)
		return r;
	r = box_wait(b, p.id, ms, &x, e);
	return r < 0 ? r : x.status;
}

static bool listens(struct box *b, int64_t port)
{
	_cleanup_json_ struct json *q = json_object(), *a = NULL;
	struct err none = ERR_NONE;

	json_set_str(q, "op", "ports");
	if (box_ask(b, "net", q, &a, &none) < 0)
		return false;
	json_each(it, json_get(a, "listening"))
	{
		if (json_get_int(it, "port", 0) == port)
			return true;
	}
	return false;
}

static bool is_ready(struct box *b, const struct json *ready)
{
	const char *const argv[] = { "sh", "-c", json_get_str(ready, "command"), NULL };
	struct err none = ERR_NONE;

	if (argv[2])
		return run_in(b, argv, READY_MS, &none) == 0;
	return listens(b, json_get_int(ready, "port", 0));
}

static int await_ready(struct box *b, const struct json *s, struct box_proc *p,
		       struct err *e)
{
	const struct json *ready = json_get(s, "ready");
	uint64_t end = sys_now_ms() + READY_MS;
	struct box_exit x = { 0 };

	while (ready && !is_ready(b, ready)) {
		struct err none = ERR_NONE;
		bool over = box_wait(b, p->id, LOOK_MS, &x, &none) == 0;

		if (!over && sys_now_ms() < end)
			continue;
		if (over)
			err_set(e, -EIO, "service '%s' ended with status %d",
				json_key(s), x.status);
		else
			err_set(e, -ETIME, "service '%s' is not ready after %d s",
				json_key(s), READY_MS / 1000);
		return err_hint(e, "'cubby logs %s' shows what it said", json_key(s));
	}
	return 0;
}

static int start_one(const struct app *app, struct box *b, const struct json *s,
		     struct err *e)
{
	const char *const argv[] = { "sh",
				     "-c",
				     start_script,
				     "sh",
				     json_key(s),
				     json_get_str(s, "run"),
				     json_get_bool(s, "restart", false) ? "again"
									: "once",
				     NULL };
	const struct box_command c = { .argv = argv, .io = BOX_IO_NULL, .keep = true };
	_cleanup_box_proc_ struct box_proc p = BOX_PROC_NONE;
	struct err none = ERR_NONE;
	struct box_exit x = { 0 };
	int r = box_spawn(b, &c, &p, e);

	if (r < 0)
		return err_wrap(e, "service '%s'", json_key(s));
	if (box_wait(b, p.id, LOOK_MS, &x, &none) == 0) { /* so soon */
		if (x.status == 9)
			return 0;
		err_set(e, -EIO, "service '%s' ended with status %d", json_key(s),
			x.status);
		return err_hint(e, "'cubby logs %s' shows what it said", json_key(s));
	}
	r = await_ready(b, s, &p, e);
	if (r < 0)
		return r;
	render_note(app, "service '%s' runs", json_key(s));
	return 1;
}

int services_up(const struct app *app, struct box *b, struct err *e)
{
	int n = 0;

	json_each(it, all(app))
	{
		int r = start_one(app, b, it, e);

		if (r < 0)
			return r;
		n += r;
	}
	return n;
}

int services_down(const struct app *app, struct box *b, struct err *e)
{
	const struct json *v[SERVICES_MAX];
	size_t n = 0;
	int r = 0;

	json_each(it, all(app))
	{
		if (n < ARRAY_SIZE(v))
			v[n++] = it;
	}
	while (n > 0 && r >= 0) {
		const char *name = json_key(v[--n]);
		const char *const argv[] = {
			"sh", "-c", stop_script, "sh", name, NULL
		};

		r = run_in(b, argv, READY_MS, e);
		if (r >= 0)
			render_note(app, "service '%s' has ended", name);
	}
	return r < 0 ? r : 0;
}

static bool has_services(struct box *b)
{
	const char *const argv[] = { "sh", "-c", "[ -s /run/cubby-services ]", NULL };
	struct err none = ERR_NONE;

	return run_in(b, argv, LOOK_MS * 5, &none) == 0;
}

bool services_first(struct box *b, const struct boxend_grace *grace)
{
	const char *const argv[] = { "sh", "-c", stop_script, "sh", NULL };
	const struct box_command c = { .argv = argv, .io = BOX_IO_NULL };
	struct pollfd stop = { .events = POLLIN };
	_cleanup_box_proc_ struct box_proc p = BOX_PROC_NONE;
	struct box_exit x = { 0 };
	struct err none = ERR_NONE;

	if (!has_services(b))
		return false;
	if (!grace || box_spawn(b, &c, &p, &none) < 0)
		return true;
	stop.fd = grace->interrupt;
	while (box_wait(b, p.id, LOOK_MS, &x, &none) == -ETIMEDOUT &&
	       sys_now_ms() < grace->until_ms && sys_poll(&stop, 1, 0) == 0)
		none = ERR_NONE;
	return true;
}
