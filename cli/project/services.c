#include "cli/project/services.h"

#include <stdlib.h>
#include <string.h>

#include "base/sys/sys.h"
#include "cli/opt/config.h"
#include "cli/show/render.h"

enum {
	READY_MS = 60000,
	TELL_MS = 1000, /* that it is waited for */
	LOOK_MS = 200,
	SERVICES_MAX = 64,
	RUNS_ALREADY = 9, /* says the script that starts one, or a service of itself */
	RAN_NOT = 9,	  /* says the one that ends one */
};

/* What ps shows of one that is started again whenever it ends; $1 its command. */
#define AGAIN "trap \"exit 0\" TERM; while :; do sh -c \"$1\" & wait $!; sleep 1; done"

/* $1 name, $2 command, $3 again. A session of its own, so that all of it can be told to
 * end; the shell that starts it waits for its first process alone. */
static const char start_script[] =
	"p=$(cat \"/run/cubby-$1.pid\" 2>/dev/null) && kill -0 \"$p\" 2>/dev/null && "
	"exit 9\n" /* RUNS_ALREADY */
	"mkdir -p " BOX_LOG_DIR " && exec >>\"" BOX_LOG_DIR
	"/$1.log\" 2>&1 </dev/null\n"
	"echo $$ >\"/run/cubby-$1.pid\" && echo \"$1\" >>/run/cubby-services\n"
	"[ \"$3\" = again ] || exec sh -c \"$2\"\n"
	"exec sh -c '" AGAIN "' sh \"$2\"\n";

/* Ends those that are named, or all, the last one first. The group of each is that of the
 * session that was made for it. */
static const char stop_script[] =
	"end() {\n"
	"	p=$(cat \"/run/cubby-$1.pid\" 2>/dev/null) || return 1\n"
	"	rm -f \"/run/cubby-$1.pid\"\n"
	"	kill -s TERM -- \"-$p\" 2>/dev/null || return 1\n"
	"	n=0\n"
	"	while kill -s 0 -- \"-$p\" 2>/dev/null && [ $n -lt 100 ]; do\n"
	"		sleep 0.1; n=$((n + 1))\n"
	"	done\n"
	"	kill -s KILL -- \"-$p\" 2>/dev/null\n"
	"	return 0\n"
	"}\n"
	"if [ $# = 0 ]; then\n"
	"	while read -r name; do set -- \"$name\" \"$@\"; done "
	"</run/cubby-services\n"
	"fi\n"
	"ran=9\n" /* RAN_NOT */
	"for name; do end \"$name\" && ran=0; done\n"
	"exit $ran\n";

static const struct json *all(const struct app *app)
{
	return json_get(app->config->project, "services");
}

/* Has ^C come? It waits at most for @ms. */
static bool interrupted(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return sys_poll(&p, 1, ms) > 0;
}

/* A command of ours in the box; its status, or why it could not be run. */
static int run_in(struct box *b, const char *const *argv, int ms, int interrupt,
		  struct err *e)
{
	const struct box_command c = { .argv = argv, .io = BOX_IO_NULL };
	_cleanup_box_proc_ struct box_proc p = BOX_PROC_NONE;
	const uint64_t end = sys_now_ms() + (uint64_t)ms;
	struct box_exit x = { 0 };
	int r = box_spawn(b, &c, &p, e);

	if (r < 0)
		return r;
	while ((r = box_wait(b, p.id, LOOK_MS, &x, e)) == -ETIMEDOUT &&
	       sys_now_ms() < end && !interrupted(interrupt, 0))
		*e = ERR_NONE;
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

static bool is_ready(struct box *b, const struct json *ready, int interrupt)
{
	const char *const argv[] = { "sh", "-c", json_get_str(ready, "command"), NULL };
	struct err none = ERR_NONE;

	if (argv[2])
		return run_in(b, argv, READY_MS, interrupt, &none) == 0;
	return listens(b, json_get_int(ready, "port", 0));
}

static int say_ended(const struct json *s, int status, struct err *e)
{
	err_set(e, -EIO, "service '%s' ended with status %d", json_key(s), status);
	return err_hint(e, "'cubby logs %s' shows what it said", json_key(s));
}

static void tell_waiting(const struct app *app, const struct json *s)
{
	const struct json *ready = json_get(s, "ready");

	if (json_get_str(ready, "command"))
		render_note(app,
			    "waiting for service '%s': its command says that it is "
			    "not ready",
			    json_key(s));
	else
		render_note(app, "waiting for service '%s': nothing listens at port %d",
			    json_key(s), (int)json_get_int(ready, "port", 0));
}

/* @p: NULL = another 'cubby up' has started it */
static int await_ready(const struct services *v, const struct json *s,
		       struct box_proc *p, struct err *e)
{
	const struct json *ready = json_get(s, "ready");
	const uint64_t begun = sys_now_ms();
	struct box_exit x = { 0 };
	bool told = false;

	while (ready && !is_ready(v->box, ready, v->interrupt)) {
		struct err none = ERR_NONE;

		if (interrupted(v->interrupt, p ? 0 : LOOK_MS))
			return err_set(e, -EINTR, "service '%s' is not ready yet",
				       json_key(s));
		if (p && box_wait(v->box, p->id, LOOK_MS, &x, &none) == 0)
			return say_ended(s, x.status, e);
		if (sys_now_ms() >= begun + READY_MS) {
			err_set(e, -ETIME, "service '%s' is not ready after %d s",
				json_key(s), READY_MS / 1000);
			return err_hint(e, "'cubby logs %s' shows what it said",
					json_key(s));
		}
		if (!told && sys_now_ms() >= begun + TELL_MS) {
			tell_waiting(v->app, s);
			told = true;
		}
	}
	return 0;
}

/* The process that a file in /run names: a service that has just ended is not there. */
static bool runs_already(const struct services *v, const char *name)
{
	static const char script[] = "kill -s 0 \"$(cat \"/run/cubby-$1.pid\")\"";
	const char *const argv[] = { "sh", "-c", script, "sh", name, NULL };
	struct err none = ERR_NONE;

	return run_in(v->box, argv, READY_MS, v->interrupt, &none) == 0;
}

static int start_one(const struct services *v, const struct json *s, struct err *e)
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
	int r = box_spawn(v->box, &c, &p, e);

	if (r < 0)
		return err_wrap(e, "service '%s'", json_key(s));
	if (box_wait(v->box, p.id, LOOK_MS, &x, &none) == 0) /* so soon */
		return x.status == RUNS_ALREADY && runs_already(v, json_key(s))
			       ? await_ready(v, s, NULL, e)
			       : say_ended(s, x.status, e);
	r = await_ready(v, s, &p, e);
	if (r < 0)
		return r;
	render_note(v->app, "service '%s' runs", json_key(s));
	return 1;
}

int services_up(const struct services *v, struct err *e)
{
	int n = 0;

	json_each(it, all(v->app))
	{
		int r = start_one(v, it, e);

		if (r < 0 && n > 0 && r != -EINTR)
			render_note(v->app,
				    "the services before it run on ('cubby down' "
				    "ends them)");
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

		r = run_in(b, argv, READY_MS, -1, e);
		if (r >= 0 && r != RAN_NOT)
			render_note(app, "service '%s' has ended", name);
	}
	return r < 0 ? r : 0;
}

static bool has_services(struct box *b)
{
	const char *const argv[] = { "sh", "-c", "[ -s /run/cubby-services ]", NULL };
	struct err none = ERR_NONE;

	/* A stop waits for no shell that does not answer. */
	return run_in(b, argv, LOOK_MS * 5, -1, &none) == 0;
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
