/* Theory of operation
 *
 * The contract of E2B's code interpreter: contexts are kernels of the box, and POST
 * /execute with "code" (without it is Open Terminal's) streams what a cell says, an object
 * a line, and one that says nothing after five seconds of silence. Who leaves before the
 * end interrupts the cell. Source: e2b-dev/code-interpreter, template/server. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "agent/server/exchange/exchange.h"
#include "agent/server/files/pathname.h"
#include "agent/server/jupyter/jupyter.h"
#include "agent/server/jupyter/kernel.h"
#include "agent/server/tenant/tenant.h"
#include "base/loop.h"
#include "base/sys/sys.h"
#include "base/text.h"

enum {
	SILENCE_MS = 5000, /* after so long proxies must not take it for dead yet */
	ENV_MAX = 128 << 10
};

#define MINE "e2b" /* what these kernels are called, and the one that is not named */
#define MINE_DEFAULT "e2b default"

/* A cell that is answered. */
struct e2b_cell {
	struct exchange *x;
	struct kernel *k; /* borrowed: it says when it ends */
	struct kernel_watch watch;
	struct loop_source *silence; /* timer, since it was heard of last */
};

/* ---- what a cell says ----------------------------------------------------------------- */

static void put_time(struct json *j)
{
	struct timespec now = sys_wall();
	char when[40];

	json_set_str(j, "timestamp",
		     text_time(when, sizeof(when), now.tv_sec, now.tv_nsec));
}

/* Instead of what is too much. */
static void left_out(struct buf *b)
{
	_cleanup_json_ struct json *j = json_object();

	json_set_str(j, "type", "stderr");
	json_set_str(j, "text", "[more than 8 MiB at once: left out]\n");
	put_time(j);
	buf_truncate(b, 0);
	(void)json_print(j, false, b);
	buf_addc(b, '\n');
}

static void say(struct e2b_cell *c, const char *type, struct json *j)
{
	_cleanup_buf_ struct buf b = BUF_INIT(EXCHANGE_OUT_MAX / 2);

	json_set_str(j, "type", type);
	if (json_print(j, false, &b) < 0 || buf_addc(&b, '\n') < 0)
		left_out(&b);
	exchange_begin(c->x, 200, "application/json", NULL, -1);
	exchange_write(c->x, b.data, b.len);
	json_free(&j);
	loop_rearm(exchange_loop(c->x), c->silence, SILENCE_MS);
}

static int on_silence(void *ctx, uint32_t, struct err *)
{
	struct e2b_cell *c = ctx;

	if (exchange_backlog(c->x)) /* there is something on its way */
		loop_rearm(exchange_loop(c->x), c->silence, SILENCE_MS);
	else
		say(c, "keepalive", json_object());
	return 0;
}

static void cell_end(struct e2b_cell *c)
{
	loop_remove(exchange_loop(c->x), &c->silence);
	free(c);
}

static void say_stream(struct e2b_cell *c, const struct json *content)
{
	struct json *j = json_object();

	json_set_str(j, "text", json_get_str(content, "text"));
	put_time(j);
	say(c, json_get_str(content, "name"), j);
}

/* What a form is called there; NULL: it has no name. */
static const char *name_of(const char *form)
{
	static const char *const forms[][2] = {
		{ "text/plain", "text" },
		{ "text/html", "html" },
		{ "text/markdown", "markdown" },
		{ "image/svg+xml", "svg" },
		{ "image/png", "png" },
		{ "image/jpeg", "jpeg" },
		{ "application/pdf", "pdf" },
		{ "text/latex", "latex" },
		{ "application/json", "json" },
		{ "application/javascript", "javascript" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		if (strcmp(forms[i][0], form) == 0)
			return forms[i][1];
	return NULL;
}

/* A string is told without the quotes around it, as their server has it. */
static struct json *value_of(const struct json *form)
{
	const char *text = json_str(form);
	const size_t len = text ? strlen(text) : 0;

	return len > 1 && text[0] == '\'' && text[len - 1] == '\'' &&
			       strcmp(json_key(form), "text/plain") == 0
		       ? json_stringn(text + 1, len - 2)
		       : json_dup(form);
}

static void say_result(struct e2b_cell *c, const struct json *content, bool main)
{
	struct json *j = json_object(), *extra = json_object();

	json_set_bool(j, "is_main_result", main);
	json_each(form, json_get(content, "data"))
	{
		const char *name = name_of(json_key(form));

		json_set(name ? j : extra, name ?: json_key(form), value_of(form));
	}
	if (json_len(extra))
		json_set(j, "extra", take(&extra, NULL));
	json_free(&extra);
	say(c, "result", j);
}

static void say_error(struct e2b_cell *c, const struct json *content)
{
	_cleanup_buf_ struct buf b = BUF_INIT(EXCHANGE_OUT_MAX / 4);
	struct json *j = json_object();

	json_each(it, json_get(content, "traceback")) buf_addf(
		&b, "%s%s", b.len ? "\n" : "", json_str(it) ? json_str(it) : "");
	json_set_str(j, "name", json_get_str(content, "ename"));
	json_set_str(j, "value", json_get_str(content, "evalue"));
	json_set_str(j, "traceback", buf_cstr(&b));
	say(c, "error", j);
}

static void end(struct e2b_cell *c, const char *how)
{
	struct exchange *x = c->x;

	say(c, how, json_object());
	cell_end(c);
	exchange_end(x);
}

static void on_said(void *ctx, const char *type, const struct json *content)
{
	struct e2b_cell *c = ctx;
	struct json *count;

	if (!type) {
		end(c, "unexpected_end_of_execution");
	} else if (strcmp(type, "stream") == 0) {
		say_stream(c, content);
	} else if (strcmp(type, "execute_result") == 0 ||
		   strcmp(type, "display_data") == 0) {
		say_result(c, content, type[0] == 'e');
	} else if (strcmp(type, "error") == 0) {
		say_error(c, content);
	} else if (strcmp(type, "execute_reply") == 0) {
		count = json_object();
		json_set_int(count, "execution_count",
			     json_get_int(content, "execution_count", 0));
		say(c, "number_of_executions", count);
		end(c, "end_of_execution");
	}
}

static void on_gone(void *ctx)
{
	struct e2b_cell *c = ctx;

	kernel_leave(c->k, &c->watch);
	cell_end(c);
}

static bool is_slow(void *ctx)
{
	const struct e2b_cell *c = ctx;

	return exchange_backlog(c->x) > EXCHANGE_FULL;
}

static void on_drained(void *ctx)
{
	const struct e2b_cell *c = ctx;

	kernel_pace(c->k);
}

static const struct exchange_hooks hooks = { .gone = on_gone, .drained = on_drained };

/* ---- contexts ------------------------------------------------------------------------- */

static bool is_mine(struct kernel *k)
{
	const char *name = kernel_session(k)->name;

	return name && (strcmp(name, MINE) == 0 || strcmp(name, MINE_DEFAULT) == 0);
}

static int make(struct exchange *x, const char *name, const char *cwd,
		struct kernel **ret, struct err *e)
{
	int r = kernel_new(exchange_tenant(x), cwd, ret, e);

	if (r < 0)
		return r;
	kernel_session(*ret)->name = strdup(name);
	if (!kernel_session(*ret)->name)
		r = err_sys(e, -ENOMEM, "cannot make a context");
	return r;
}

static int context_of(struct exchange *x, struct kernel **ret, struct err *e)
{
	const char *id = json_get_str(exchange_json(x), "context_id");
	struct kernel *k = NULL;

	if (id)
		return kernel_find(exchange_tenant(x), id, ret, e);
	while ((k = kernel_next(exchange_tenant(x), k)))
		if (kernel_session(k)->name &&
		    strcmp(kernel_session(k)->name, MINE_DEFAULT) == 0) {
			*ret = k;
			return 0;
		}
	return make(x, MINE_DEFAULT, NULL, ret, e);
}

static int check_language(struct exchange *x, struct err *e)
{
	const char *language = json_get_str(exchange_json(x), "language");

	return language && strcmp(language, "python") != 0
		       ? err_set(e, -EINVAL, "only python is spoken here")
		       : 0;
}

/* {NAME: TEXT}, as an environment can have it, or none */
static int check_env(const struct json *env, struct err *e)
{
	size_t len = 0;

	json_each(it, env)
	{
		const char *name = json_key(it), *text = json_str(it);

		if (!name || !text)
			return err_set(e, -EINVAL, "env_vars have to be texts");
		if (!*name || strchr(name, '='))
			return err_set(e, -EINVAL, "env_vars has a name that is none");
		len += strlen(name) + strlen(text);
	}
	return len <= ENV_MAX ? 0 : err_set(e, -EMSGSIZE, "env_vars are too long");
}

int e2b_execute(struct exchange *x, struct err *e)
{
	const struct json *env = json_get(exchange_json(x), "env_vars");
	struct e2b_cell *c;
	struct kernel *k = NULL;
	const char *code = "";
	int r = exchange_text(x, "code", &code, e) ?: check_language(x, e) ?:
		check_env(env, e) ?: context_of(x, &k, e);
	c = r < 0 ? NULL : calloc(1, sizeof(*c));
	if (!c)
		return r < 0 ? r : err_sys(e, -ENOMEM, "no cell");
	*c = (struct e2b_cell){ .x = x, .k = k, .watch = { on_said, is_slow, c } };
	r = loop_timer(exchange_loop(x), SILENCE_MS, on_silence, c, &c->silence);
	if (r < 0) {
		free(c);
		return err_sys(e, r, "no cell");
	}
	exchange_later(x, &hooks, c);
	r = kernel_execute(k, code, json_len(env) ? env : NULL, &c->watch, e);
	if (r < 0) {
		exchange_later(x, NULL, NULL);
		cell_end(c);
		return r;
	}
	/* its answer may have ended by now: nothing of it is used any more */
	exchange_begin(x, 200, "application/json", NULL, -1);
	return 0;
}

static struct json *describe(const struct kernel *k)
{
	struct json *j = json_object();

	json_set_str(j, "id", kernel_id(k));
	json_set_str(j, "language", "python");
	json_set_str(j, "cwd", kernel_cwd(k));
	return j;
}

static int make_context(struct exchange *x, struct err *e)
{
	const struct json *cwd = json_get(exchange_json(x), "cwd");
	char path[PATH_MAX];
	struct kernel *k;
	int r = check_language(x, e);

	if (r < 0)
		return r;
	if (json_type(cwd) == JSON_NULL) /* as if it were not said */
		cwd = NULL;
	if (cwd && !json_str(cwd))
		r = err_set(e, -EINVAL, "cwd has to be a text");
	else if (cwd)
		r = pathname_resolve(tenant_home(exchange_tenant(x)), json_str(cwd),
				     path, e);
	if (r < 0)
		return r;
	r = make(x, MINE, cwd ? path : NULL, &k, e);
	if (r < 0)
		return r;
	exchange_reply(x, 200, describe(k));
	return 0;
}

static int list_contexts(struct exchange *x, struct err *)
{
	struct json *list = json_array();

	for (struct kernel *k = NULL; (k = kernel_next(exchange_tenant(x), k));)
		if (is_mine(k))
			json_add(list, describe(k));
	exchange_reply(x, 200, list);
	return 0;
}

static int restart_context(struct exchange *x, struct err *e)
{
	struct kernel *k;
	int r = kernel_find(exchange_tenant(x), exchange_param(x, "id"), &k, e);

	if (r < 0)
		return r;
	kernel_restart(k);
	exchange_reply(x, 200, describe(k));
	return 0;
}

static int delete_context(struct exchange *x, struct err *e)
{
	struct kernel *k;
	int r = kernel_find(exchange_tenant(x), exchange_param(x, "id"), &k, e);

	if (r < 0)
		return r;
	kernel_end(k);
	exchange_begin(x, 204, NULL, NULL, 0);
	exchange_end(x);
	return 0;
}

static const struct route rows[] = {
	{ "POST", "/contexts", make_context, ROUTE_KEY, ROUTE_JSON, .box = true },
	{ "GET", "/contexts", list_contexts, ROUTE_KEY, .box = true },
	{ "POST", "/contexts/{id}/restart", restart_context, ROUTE_KEY, .box = true },
	{ "DELETE", "/contexts/{id}", delete_context, ROUTE_KEY, .box = true },
};

const struct route_table e2b_routes = { rows, ARRAY_SIZE(rows) };
