/* The part of a Jupyter server's REST interface that clients use: kernels, sessions (a
 * kernel with a name), kernelspecs, and the WebSocket of a kernel's channels. Source:
 * jupyter_server, api.yaml. */
#include "agent/server/jupyter/jupyter.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "agent/server/exchange/exchange.h"
#include "agent/server/files/fileop.h"
#include "agent/server/files/pathname.h"
#include "agent/server/jupyter/kernel.h"
#include "agent/server/tenant/tenant.h"
#include "base/text.h"

static int get_version(struct exchange *x, struct err *)
{
	exchange_reply_text(x, 200, "application/json", "{\"version\":\"2.14.0\"}");
	return 0;
}

static int get_specs(struct exchange *x, struct err *)
{
	exchange_reply_text(
		x, 200, "application/json",
		"{\"default\":\"python3\",\"kernelspecs\":{\"python3\":{\"name\":"
		"\"python3\",\"spec\":{\"argv\":[\"python3\"],\"env\":{},\"display_"
		"name\":"
		"\"Python 3\",\"language\":\"python\",\"interrupt_mode\":\"message\","
		"\"metadata\":{}},\"resources\":{}}}}");
	return 0;
}

/* What is asked of a kernel that there is. */
struct act {
	int (*run)(struct exchange *x, struct kernel *k, struct err *e);
};

static int on_kernel(struct exchange *x, struct err *e)
{
	const struct act *act = exchange_route(x)->how;
	struct kernel *k;
	int r = kernel_find(exchange_tenant(x), exchange_param(x, "id"), &k, e);

	return r < 0 ? r : act->run(x, k, e);
}

static struct json *session_model(struct kernel *k)
{
	const struct kernel_session *s = kernel_session(k);
	struct json *j = json_object(), *notebook = json_object();

	json_set_str(notebook, "path", s->path);
	json_set_str(notebook, "name", s->name ? s->name : "");
	json_set_str(j, "id", kernel_id(k));
	json_set_str(j, "path", s->path);
	json_set_str(j, "name", s->name ? s->name : "");
	json_set_str(j, "type", s->type ? s->type : "notebook");
	json_set(j, "kernel", kernel_model(k));
	json_set(j, "notebook", notebook);
	return j;
}

static int list_kernels(struct exchange *x, struct err *)
{
	struct json *list = json_array();

	for (struct kernel *k = NULL; (k = kernel_next(exchange_tenant(x), k));)
		json_add(list, kernel_model(k));
	exchange_reply(x, 200, list);
	return 0;
}

/* @spec: what asks for a kernel. Python has more than one name ("python", "python3.11"); of
 * another one says so what a Jupyter server says. true = it was refused. */
static bool refuse_name(struct exchange *x, const struct json *spec)
{
	const char *name = json_get_str(spec, "name");
	char text[256], shown[100];
	struct json *j;

	if (!name || !*name || strncasecmp(name, "python", 6) == 0)
		return false;
	j = json_object();
	text_escaped(shown, sizeof(shown), name, strlen(name));
	snprintf(text, sizeof(text),
		 "the kernel '%s' is not available: here is python3 alone; for another "
		 "install Jupyter in the box",
		 shown);
	json_set_str(j, "message", text);
	json_set_str(j, "short_message", "kernel not found");
	json_set_str(j, "detail", text);
	exchange_reply(x, 501, j);
	return true;
}

/* What begins in a directory: of the row. */
struct place {
	int (*begin)(struct exchange *x, const char *cwd,
		     struct err *e); /* NULL = home */
	bool notebook; /* the path is a notebook's; else it may be a directory's */
};

/* It need not be there: the path may be a name alone, or one of the machine that the client
 * is on. */
static int place_of(struct exchange *x, char ret[PATH_MAX], struct err *e)
{
	const struct place *place = exchange_route(x)->how;
	const char *path = json_get_str(exchange_json(x), "path");
	char text[PATH_MAX + 2];

	if (strlen(path) >= PATH_MAX)
		return err_set(e, -EINVAL, "the path is too long");
	snprintf(text, sizeof(text), "%s%s", path[0] == '/' ? "" : "./", path);
	if (place->notebook || text_ends(path, ".ipynb"))
		*strrchr(text, '/') = '\0';
	return pathname_resolve(tenant_home(exchange_tenant(x)), text, ret, e);
}

static int there(struct exchange *x, struct buf *out, struct err *e)
{
	const struct place *place = exchange_route(x)->how;
	char dir[PATH_MAX];
	unsigned mode;
	bool is = sscanf(buf_cstr(out), "%o", &mode) == 1 &&
		  (mode & 0170000) == 0040000 && place_of(x, dir, e) == 0;

	return place->begin(x, is ? dir : NULL, e);
}

static int not_there(struct exchange *x, const struct err *, struct err *e)
{
	const struct place *place = exchange_route(x)->how;

	return place->begin(x, NULL, e);
}

static int begin_in_place(struct exchange *x, struct err *e)
{
	const struct place *place = exchange_route(x)->how;
	char dir[PATH_MAX];
	const char *const argv[] = { "stat", dir, NULL };
	const struct fileop_conf c = {
		.argv = argv, .gather = 64, .gathered = there, .failed = not_there
	};

	return place_of(x, dir, ERR_IGNORED) < 0 ? place->begin(x, NULL, e)
						 : fileop_run(x, &c, e);
}

/* @cwd: NULL = at home */
static int start_kernel(struct exchange *x, const char *cwd, struct err *e)
{
	struct kernel *k;
	int r = kernel_new(exchange_tenant(x), cwd, &k, e);

	if (r < 0)
		return r;
	exchange_reply(x, 201, kernel_model(k));
	return 0;
}

static int make_kernel(struct exchange *x, struct err *e)
{
	const char *path = json_get_str(exchange_json(x), "path");

	if (refuse_name(x, exchange_json(x)))
		return 0;
	return path ? begin_in_place(x, e) : start_kernel(x, NULL, e);
}

static int get_kernel(struct exchange *x, struct kernel *k, struct err *)
{
	exchange_reply(x, 200, kernel_model(k));
	return 0;
}

static int no_content(struct exchange *x)
{
	exchange_begin(x, 204, NULL, NULL, 0);
	exchange_end(x);
	return 0;
}

static int delete_kernel(struct exchange *x, struct kernel *k, struct err *)
{
	kernel_end(k);
	return no_content(x);
}

static int interrupt_kernel(struct exchange *x, struct kernel *k, struct err *)
{
	kernel_interrupt(k);
	return no_content(x);
}

static int restart_kernel(struct exchange *x, struct kernel *k, struct err *)
{
	kernel_restart(k);
	exchange_reply(x, 200, kernel_model(k));
	return 0;
}

static int open_channels(struct exchange *x, struct kernel *k, struct err *e)
{
	return kernel_attach(k, x, e);
}

/* ---- sessions ---------------------------------------------------------------------------- */

static int list_sessions(struct exchange *x, struct err *)
{
	struct json *list = json_array();

	for (struct kernel *k = NULL; (k = kernel_next(exchange_tenant(x), k));)
		if (kernel_session(k)->path)
			json_add(list, session_model(k));
	exchange_reply(x, 200, list);
	return 0;
}

/* They are kept, and told in each list. */
static int check_names(const struct json *session, struct err *e)
{
	static const char *const names[] = { "path", "name", "type" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *text = json_get_str(session, names[i]);

		if (text && strlen(text) >= PATH_MAX)
			return err_set(e, -EINVAL, "the %s of a session is too long",
				       names[i]);
	}
	return 0;
}

/* The kernel that is asked for by its id, that of the path's session, or none. */
static int session_kernel(struct exchange *x, struct kernel **ret, struct err *e)
{
	const struct json *spec = json_get(exchange_json(x), "kernel");
	const char *path = json_get_str(exchange_json(x), "path");
	const char *id = json_get_str(spec, "id");
	struct kernel *k = NULL;

	if (id)
		return kernel_find(exchange_tenant(x), id, ret, e);
	while ((k = kernel_next(exchange_tenant(x), k)))
		if (kernel_session(k)->path &&
		    strcmp(kernel_session(k)->path, path) == 0)
			break;
	*ret = k;
	return 0;
}

/* As a server does, there is one for a path, and here one for a kernel. @cwd: NULL = at home */
static int start_session(struct exchange *x, const char *cwd, struct err *e)
{
	const char *path = json_get_str(exchange_json(x), "path");
	const char *name = json_get_str(exchange_json(x), "name");
	const char *type = json_get_str(exchange_json(x), "type");
	struct kernel *k = NULL;
	int r = session_kernel(x, &k, e);

	if (r == 0 && !k && refuse_name(x, json_get(exchange_json(x), "kernel")))
		return 0;
	if (r == 0 && !k)
		r = kernel_new(exchange_tenant(x), cwd, &k, e);
	if (r < 0)
		return r;
	if (!kernel_session(k)->path)
		*kernel_session(k) =
			(struct kernel_session){ strdup(path),
						 name ? strdup(name) : NULL,
						 type ? strdup(type) : NULL };
	exchange_reply(x, 201, session_model(k));
	return 0;
}

static int make_session(struct exchange *x, struct err *e)
{
	const char *path;
	int r = exchange_text(x, "path", &path, e) ?: check_names(exchange_json(x), e);

	return r < 0 ? r : begin_in_place(x, e);
}

static int get_session(struct exchange *x, struct kernel *k, struct err *)
{
	exchange_reply(x, 200, session_model(k));
	return 0;
}

static const struct place of_kernel = { start_kernel, .notebook = false },
			  of_session = { start_session, .notebook = true };

static const struct act gets = { get_kernel }, deletes = { delete_kernel },
			interrupts = { interrupt_kernel },
			restarts = { restart_kernel }, opens = { open_channels },
			gets_session = { get_session };

#define KERNEL(act) on_kernel, .right = ROUTE_TOKEN, .box = true, .how = &(act)

static const struct route rows[] = {
	{ "GET", "/api", get_version, .right = ROUTE_ANYBODY },
	{ "GET", "/api/kernelspecs", get_specs, .right = ROUTE_TOKEN },
	{ "GET", "/api/kernels", list_kernels, ROUTE_TOKEN, .box = true },
	{ "POST", "/api/kernels", make_kernel, ROUTE_TOKEN, ROUTE_JSON, .box = true,
	  .how = &of_kernel },
	{ "GET", "/api/kernels/{id}", KERNEL(gets) },
	{ "DELETE", "/api/kernels/{id}", KERNEL(deletes) },
	{ "POST", "/api/kernels/{id}/interrupt", KERNEL(interrupts) },
	{ "POST", "/api/kernels/{id}/restart", KERNEL(restarts) },
	{ "WEBSOCKET", "/api/kernels/{id}/channels", KERNEL(opens) },
	{ "GET", "/api/sessions", list_sessions, ROUTE_TOKEN, .box = true },
	{ "POST", "/api/sessions", make_session, ROUTE_TOKEN, ROUTE_JSON, .box = true,
	  .how = &of_session },
	{ "GET", "/api/sessions/{id}", KERNEL(gets_session) },
	{ "DELETE", "/api/sessions/{id}", KERNEL(deletes) },
};

const struct route_table jupyter_routes = { rows, ARRAY_SIZE(rows) };
