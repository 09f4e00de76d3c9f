/* Theory of operation
 *
 * What is cubby's own, under /v1: boxes by their name, their tasks, changes, network and
 * ports. The holder of the key may do here what the person at the terminal may, so nothing
 * of it answers to a user of a service (X-User-Id), whose requests a service passes on with
 * its key. Each route is a command of cubby's (command.h), but for a box that is started. */
#include "agent/server/v1/rest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/server/about/openapi.h"
#include "agent/server/conf/conf.h"
#include "agent/server/conf/keys.h"
#include "agent/server/exchange/exchange.h"
#include "agent/server/tenant/boxname.h"
#include "agent/server/tenant/tenant.h"
#include "agent/server/v1/command.h"
#include "base/inroot.h"
#include "base/schema.h"

enum { WORDS = 96, LIST_MAX = 64, WORD_MAX = 4096, SCHEMA_MAX = 32 << 10 };

/* The words of a command, some of them made here. */
struct line {
	const char *v[WORDS];
	size_t n;
	char *made[WORDS]; /* owned */
	size_t n_made;
	int r; /* the first failure */
};

static void line_done(struct line *l)
{
	while (l->n_made)
		free(l->made[--l->n_made]);
}

static void add(struct line *l, const char *word)
{
	if (l->n + 1 >= WORDS)
		l->r = -E2BIG;
	else
		l->v[l->n++] = word;
}

/* "--NAME=VALUE": one word, so that no value is an option. */
static void add_value(struct line *l, const char *name, const char *value)
{
	char *word = NULL;

	if (l->n_made == WORDS || asprintf(&word, "--%s=%s", name, value) < 0) {
		l->r = -E2BIG;
		return;
	}
	l->made[l->n_made++] = word;
	add(l, word);
}

static int wrong(struct err *e, const char *name, const char *what)
{
	return err_set(e, -EINVAL, "'%s' has to be %s", name, what);
}

/* A member that need not be there. */
static int get_text(const struct json *from, const char *name, const char **ret,
		    struct err *e)
{
	const struct json *value = json_get(from, name);

	if (json_type(value) != JSON_NULL && !json_str(value))
		return wrong(e, name, "a text");
	*ret = json_str(value);
	return 0;
}

static int add_flag(struct line *l, const struct json *from, const char *name,
		    const char *option, struct err *e)
{
	const struct json *value = json_get(from, name);

	if (json_type(value) != JSON_NULL && json_type(value) != JSON_BOOL)
		return wrong(e, name, "true or false");
	if (json_true(value))
		add(l, option);
	return 0;
}

/* A member that is a list of texts: each becomes --OPTION=TEXT, or (NULL) an operand. */
static int add_list(struct line *l, const struct json *from, const char *name,
		    const char *option, struct err *e)
{
	const struct json *list = json_get(from, name);

	if (list && (json_type(list) != JSON_ARRAY || json_len(list) > LIST_MAX))
		return wrong(e, name, "a list of at most 64 texts");
	json_each(it, list)
	{
		if (!json_str(it) || strlen(json_str(it)) > WORD_MAX)
			return wrong(e, name, "a list of at most 64 texts");
		if (option)
			add_value(l, option, json_str(it));
		else
			add(l, json_str(it));
	}
	return 0;
}

static int run_line(struct exchange *x, struct line *l, struct command_conf *c,
		    struct err *e)
{
	int r = l->r < 0 ? err_set(e, l->r, "the request has too many words") : 0;

	l->v[l->n] = NULL;
	c->argv = l->v;
	if (r == 0)
		r = command_run(x, c, e);
	line_done(l);
	return r;
}

/* A command with fixed words that looks (or, @changes, does). */
static int run_words(struct exchange *x, bool changes, const char *const *words,
		     struct err *e)
{
	const struct command_conf c = { .argv = words, .changes = changes };

	return command_run(x, &c, e);
}

/* ---- boxes ---------------------------------------------------------------------- */

/* Of all boxes of this person those that are served here, by their name here. */
static struct json *served(struct exchange *x, struct json *said)
{
	const struct server_conf *conf = exchange_conf(x);
	const struct key *holder = exchange_key(x);
	_cleanup_json_ struct json *all = said;
	struct json *list = json_array(), *j = json_object();

	json_each(it, all)
	{
		const char *dir = json_get_str(it, "directory");
		const char *name = json_get_str(it, "name");
		const char *key = json_get_str(it, "key");
		_cleanup_buf_ struct buf id = BUF_INIT(PATH_MAX);
		struct json *one;

		if (!dir || !key ||
		    !boxname_of(conf, dir, name ? name : "", key, &id) ||
		    (holder && !keys_may(holder, KEY_HOLDER, buf_cstr(&id))))
			continue;
		one = json_dup(it);
		json_set_str(one, "id", buf_cstr(&id));
		json_add(list, one);
	}
	json_set(j, "boxes", list);
	json_set_bool(j, "several", conf->boxes != NULL);
	json_set_str(j, "version", conf->version);
	return j;
}

static int list_boxes(struct exchange *x, struct err *e)
{
	static const char *const argv[] = { "ls", NULL };
	const struct command_conf c = { .argv = argv, .answer = served, .all = true };

	return command_run(x, &c, e);
}

static int get_box(struct exchange *x, struct err *e)
{
	static const char *const argv[] = { "info", NULL };

	return run_words(x, false, argv, e);
}

/* It has been started by now. */
static int put_box(struct exchange *x, struct err *e)
{
	return get_box(x, e);
}

static int stop_box(struct exchange *x, struct err *e)
{
	static const char *const argv[] = { "stop", NULL };

	return run_words(x, true, argv, e);
}

static int delete_box(struct exchange *x, struct err *e)
{
	static const char *const argv[] = { "rm", "--force", NULL };

	return run_words(x, true, argv, e);
}

static int list_processes(struct exchange *x, struct err *e)
{
	static const char *const argv[] = { "ps", NULL };

	return run_words(x, false, argv, e);
}

/* ---- what waits for the project ------------------------------------------------- */

static int get_changes(struct exchange *x, struct err *e)
{
	static const char *const argv[] = { "diff", NULL };

	return run_words(x, false, argv, e);
}

static int get_patch(struct exchange *x, struct err *e)
{
	const char *path = exchange_arg(x, "path", 0);
	const char *const argv[] = { "diff", "--patch", "--", path, NULL };
	const struct command_conf c = { .argv = argv,
					.how = COMMAND_BYTES,
					.type = "text/plain; charset=utf-8" };

	return command_run(x, &c, e);
}

/* What is not held, and what is, besides the project's rules. */
static int add_rules(struct line *l, const struct json *j, struct err *e)
{
	int r = add_list(l, j, "allow", "allow", e);

	return r < 0 ? r : add_list(l, j, "deny", "deny", e);
}

static int act_on_changes(struct exchange *x, const char *command, struct err *e)
{
	const struct json *j = exchange_json(x);
	struct line l = { .n = 0 };
	struct command_conf c = { .changes = true };
	const struct tenant_who who = exchange_who(x);
	bool apply = strcmp(command, "apply") == 0;
	int r;

	add(&l, command);
	r = add_flag(&l, j, "all", "--all", e);
	if (r == 0 && apply)
		r = add_flag(&l, j, "overwrite", "--overwrite", e)
			    ?: add_rules(&l, j, e);
	add(&l, "--");
	if (r == 0)
		r = add_list(&l, j, "paths", NULL, e);
	if (r < 0) {
		line_done(&l);
		return r;
	}
	/* they are for a box that nobody uses, which the server itself does */
	tenants_leave(exchange_tenants(x), &who);
	return run_line(x, &l, &c, e);
}

static int apply_changes(struct exchange *x, struct err *e)
{
	return act_on_changes(x, "apply", e);
}

static int discard_changes(struct exchange *x, struct err *e)
{
	return act_on_changes(x, "discard", e);
}

static int undo_apply(struct exchange *x, struct err *e)
{
	static const char *const argv[] = { "undo", NULL };
	const struct tenant_who who = exchange_who(x);

	tenants_leave(exchange_tenants(x), &who);
	return run_words(x, true, argv, e);
}

/* ---- snapshots ------------------------------------------------------------------ */

/* They, too, are for a box that nobody uses. @option: with the name in it. NULL = behind */
static int act_on_snapshots(struct exchange *x, const char *command, const char *option,
			    const char *name, struct err *e)
{
	const struct tenant_who who = exchange_who(x);
	struct line l = { .n = 0 };
	struct command_conf c = { .changes = true };

	tenants_leave(exchange_tenants(x), &who);
	add(&l, command);
	if (name && option)
		add_value(&l, option, name);
	add(&l, "--");
	if (name && !option)
		add(&l, name);
	return run_line(x, &l, &c, e);
}

static int list_snapshots(struct exchange *x, struct err *e)
{
	static const char *const argv[] = { "snapshots", NULL };

	return run_words(x, false, argv, e);
}

static int make_snapshot(struct exchange *x, struct err *e)
{
	const char *name;
	int r = get_text(exchange_json(x), "name", &name, e);

	return r < 0 ? r : act_on_snapshots(x, "snapshot", NULL, name, e);
}

static int restore_snapshot(struct exchange *x, struct err *e)
{
	return act_on_snapshots(x, "restore", NULL, exchange_param(x, "snapshot"), e);
}

static int remove_snapshot(struct exchange *x, struct err *e)
{
	return act_on_snapshots(x, "snapshots", "remove", exchange_param(x, "snapshot"),
				e);
}

/* Another box of the directory, as this one is. */
static struct json *branched(struct exchange *x, struct json *said)
{
	const char *box = exchange_param(x, "box"), *name = json_get_str(said, "name");
	char id[2 * WORD_MAX];

	snprintf(id, sizeof(id), "%.*s@%s", (int)strcspn(box, "@"), box, name);
	json_set_str(said, "id", id);
	return said;
}

static int post_branch(struct exchange *x, struct err *e)
{
	const struct json *j = exchange_json(x);
	const struct tenant_who who = exchange_who(x);
	const char *name = "", *from = NULL;
	struct line l = { .n = 0 };
	struct command_conf c = { .changes = true, .answer = branched, .status = 201 };
	int r = exchange_text(x, "name", &name, e);

	if (r < 0)
		return r;
	r = get_text(j, "snapshot", &from, e);
	if (r < 0)
		return r;
	tenants_leave(exchange_tenants(x), &who);
	add(&l, "branch");
	add(&l, "--");
	add(&l, name);
	if (from)
		add(&l, from);
	return run_line(x, &l, &c, e);
}

/* ---- checkpoints: what is under review, as tasks make them before each turn ------ */

static int list_checkpoints(struct exchange *x, struct err *e)
{
	static const char *const argv[] = { "rewind", "--list", NULL };

	return run_words(x, false, argv, e);
}

static int make_checkpoint(struct exchange *x, struct err *e)
{
	const char *name = "";
	int r = exchange_text(x, "name", &name, e);
	const char *const argv[] = { "checkpoint", "--", name, NULL };

	return r < 0 ? r : run_words(x, true, argv, e);
}

static int rewind_to(struct exchange *x, struct err *e)
{
	const struct tenant_who who = exchange_who(x);
	const char *const argv[] = { "rewind", "--", exchange_param(x, "checkpoint"),
				     NULL };

	tenants_leave(exchange_tenants(x), &who);
	return run_words(x, true, argv, e);
}

/* ---- network and ports ---------------------------------------------------------- */

static int get_network(struct exchange *x, struct err *e)
{
	static const char *const argv[] = { "net", NULL };

	return run_words(x, false, argv, e);
}

static int post_network(struct exchange *x, struct err *e)
{
	static const char *const lists[] = { "allow", "deny", "drop" };
	struct line l = { .n = 0 };
	struct command_conf c = { .changes = true };
	int r = 0;

	add(&l, "net");
	add(&l, "--yes");
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(lists); i++)
		r = add_list(&l, exchange_json(x), lists[i], lists[i], e);
	if (r < 0)
		line_done(&l);
	return r < 0 ? r : run_line(x, &l, &c, e);
}

static int get_network_log(struct exchange *x, struct err *e)
{
	static const char *const argv[] = { "log", "--net", NULL };
	const struct command_conf c = { .argv = argv,
					.how = COMMAND_BYTES,
					.type = "application/x-ndjson" };

	return command_run(x, &c, e);
}

static int list_ports(struct exchange *x, struct err *e)
{
	static const char *const argv[] = { "ports", NULL };

	return run_words(x, false, argv, e);
}

static int publish_port(struct exchange *x, struct err *e)
{
	const char *publish = "";
	struct line l = { .n = 0 };
	struct command_conf c = { .changes = true };
	int r = exchange_text(x, "publish", &publish, e);

	if (r < 0)
		return r;
	add(&l, "ports");
	add_value(&l, "publish", publish);
	return run_line(x, &l, &c, e);
}

static int unpublish_port(struct exchange *x, struct err *e)
{
	struct line l = { .n = 0 };
	struct command_conf c = { .changes = true };

	add(&l, "ports");
	add_value(&l, "unpublish", exchange_param(x, "port"));
	return run_line(x, &l, &c, e);
}

/* ---- tasks ---------------------------------------------------------------------- */

static int list_tasks(struct exchange *x, struct err *e)
{
	static const char *const argv[] = { "log", NULL };

	return run_words(x, false, argv, e);
}

/* A member of the request that is an option of a task: a text or a number. */
static int add_option(struct line *l, const struct json *from, const char *name,
		      struct err *e)
{
	const struct json *value = json_get(from, name);
	char number[32], option[32];
	int64_t n;
	size_t i = 0;

	if (!value)
		return 0;
	if (!json_str(value) && json_type(value) != JSON_NUMBER)
		return wrong(e, name, "a text or a number");
	for (; name[i] && i + 1 < sizeof(option); i++)
		option[i] = name[i] == '_' ? '-' : name[i];
	option[i] = '\0';
	if (json_int(value, &n) == 0)
		snprintf(number, sizeof(number), "%lld", (long long)n);
	else
		snprintf(number, sizeof(number), "%.12g", json_num(value, 0));
	add_value(l, option, json_str(value) ? json_str(value) : number);
	return 0;
}

/* What a task may be begun, or gone on, with. */
static int add_options(struct line *l, const struct json *j, struct err *e)
{
	static const char *const options[] = { "model",		 "max_rounds",
					       "max_tokens",	 "max_cost",
					       "timeout",	 "effort",
					       "command_timeout" };
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(options); i++)
		r = add_option(l, j, options[i], e);
	return r;
}

/* Of the answer. The words of a command are seen by others of the host. */
static int get_schema(const struct json *from, struct buf *ret, struct err *e)
{
	const struct json *value = json_get(from, "schema");
	int r;

	if (json_type(value) == JSON_NULL)
		return 0;
	if (json_type(value) != JSON_OBJECT)
		return wrong(e, "schema", "an object");
	r = schema_check(value, e);
	if (r < 0)
		return err_wrap(e, "schema");
	r = json_print(value, false, ret);
	return r < 0 ? err_set(e, r, "'schema' has more than 32 KiB") : 0;
}

/* Files of the box's directory, by names that lead nowhere else: what links in it do is
 * looked at when they are opened (cli/task/attach.c). */
static int add_attached(struct line *l, const struct json *from, struct err *e)
{
	json_each(it, json_get(from, "attach"))
	{
		if (json_str(it) && !inroot_is_beneath(json_str(it)))
			return wrong(e, "attach",
				     "names of files in the box's directory");
	}
	return add_list(l, from, "attach", "attach", e);
}

static int post_task(struct exchange *x, struct err *e)
{
	const struct json *j = exchange_json(x);
	_cleanup_buf_ struct buf schema = BUF_INIT(SCHEMA_MAX);
	const char *apply = NULL, *text = "";
	struct line l = { .n = 0 };
	struct command_conf c = {
		.inside = true, .options = true, .changes = true, .status = 201
	};
	int r = exchange_text(x, "task", &text, e);

	if (r < 0)
		return r;
	r = get_text(j, "apply", &apply, e) ?: get_schema(j, &schema, e);
	if (r < 0)
		return r;
	add(&l, "run");
	add(&l, "--detach");
	add_value(&l, "apply", apply ? apply : "never"); /* the page asks */
	if (schema.len) {
		c.more = buf_cstr(&schema);
		add(&l, "--schema=/proc/self/fd/3");
	}
	r = add_options(&l, j, e) ?: add_attached(&l, j, e);
	add(&l, "-");
	c.in = text;
	if (r < 0)
		line_done(&l);
	return r < 0 ? r : run_line(x, &l, &c, e);
}

/* The task has the options that it had, besides those that are said now. */
static int resume_task(struct exchange *x, struct err *e)
{
	const struct json *j = exchange_json(x);
	const char *apply = NULL;
	const struct tenant_who who = exchange_who(x);
	struct line l = { .n = 0 };
	struct command_conf c = { .options = true, .changes = true, .status = 201 };
	int r = get_text(j, "message", &c.in, e) ?: get_text(j, "apply", &apply, e);

	add(&l, "resume");
	add(&l, "--detach");
	if (c.in) /* others of the host see a command's words */
		add(&l, "--message=-");
	if (apply)
		add_value(&l, "apply", apply);
	if (r == 0)
		r = add_option(&l, j, "at", e) ?: add_options(&l, j, e);
	add(&l, "--");
	add(&l, exchange_param(x, "task"));
	if (r < 0) {
		line_done(&l);
		return r;
	}
	tenants_leave(exchange_tenants(x), &who); /* "at" goes back in it */
	return run_line(x, &l, &c, e);
}

static int tell_task(struct exchange *x, struct err *e)
{
	const char *const argv[] = { "log", "--tell=-", "--", exchange_param(x, "task"),
				     NULL };
	struct command_conf c = { .argv = argv, .changes = true };
	int r = exchange_text(x, "text", &c.in, e);

	return r < 0 ? r : command_run(x, &c, e);
}

static int show_task(struct exchange *x, const char *option, enum command_how how,
		     const char *type, struct err *e)
{
	struct line l = { .n = 0 };
	struct command_conf c = { .how = how, .type = type };

	add(&l, "log");
	if (option)
		add(&l, option);
	if (how == COMMAND_EVENTS || exchange_arg_bool(x, "follow", false))
		add(&l, "--follow");
	add(&l, "--");
	add(&l, exchange_param(x, "task"));
	return run_line(x, &l, &c, e);
}

static int get_task(struct exchange *x, struct err *e)
{
	return show_task(x, NULL, COMMAND_BYTES, "application/x-ndjson", e);
}

static int get_events(struct exchange *x, struct err *e)
{
	return show_task(x, NULL, COMMAND_EVENTS, NULL, e);
}

static int get_terminal(struct exchange *x, struct err *e)
{
	return show_task(x, "--terminal", COMMAND_BYTES, "application/octet-stream", e);
}

static int interrupt_task(struct exchange *x, struct err *e)
{
	const char *const argv[] = { "log", "--interrupt", "--",
				     exchange_param(x, "task"), NULL };

	return run_words(x, true, argv, e);
}

/* ---- the table ------------------------------------------------------------------ */

static int get_document(struct exchange *x, struct err *e)
{
	struct json *doc;
	int r = openapi_own(&rest_routes, exchange_conf(x)->version, &doc, e);

	if (r < 0)
		return r;
	exchange_reply(x, 200, doc);
	return 0;
}

#define BOX "/v1/boxes/{box}"

/* clang-format off */
static const struct route rows[] = {
	{ "GET", "/v1/openapi.json", get_document, .right = ROUTE_ANYBODY },
	{ "GET", "/v1/boxes", list_boxes, .right = ROUTE_HOLDER, .operation = "list_boxes" },
	{ "GET", BOX, get_box, .right = ROUTE_HOLDER, .operation = "get_box" },
	{ "PUT", BOX, put_box, .right = ROUTE_HOLDER, .box = true, .operation = "start_box" },
	{ "DELETE", BOX, delete_box, .right = ROUTE_HOLDER, .operation = "remove_box" },
	{ "POST", BOX "/stop", stop_box, .right = ROUTE_HOLDER, .operation = "stop_box" },
	{ "GET", BOX "/processes", list_processes, .right = ROUTE_HOLDER, .operation = "list_box_processes" },
	{ "GET", BOX "/changes", get_changes, .right = ROUTE_HOLDER, .operation = "list_changes" },
	{ "GET", BOX "/changes/patch", get_patch, .right = ROUTE_HOLDER, .operation = "get_patch" },
	{ "POST", BOX "/changes/apply", apply_changes, ROUTE_HOLDER, ROUTE_JSON, .operation = "apply_changes" },
	{ "POST", BOX "/changes/discard", discard_changes, ROUTE_HOLDER, ROUTE_JSON, .operation = "discard_changes" },
	{ "POST", BOX "/changes/undo", undo_apply, .right = ROUTE_HOLDER, .operation = "undo_apply" },
	{ "GET", BOX "/snapshots", list_snapshots, .right = ROUTE_HOLDER, .operation = "list_snapshots" },
	{ "POST", BOX "/snapshots", make_snapshot, ROUTE_HOLDER, ROUTE_JSON, .operation = "make_snapshot" },
	{ "POST", BOX "/snapshots/{snapshot}/restore", restore_snapshot, .right = ROUTE_HOLDER, .operation = "restore_snapshot" },
	{ "DELETE", BOX "/snapshots/{snapshot}", remove_snapshot, .right = ROUTE_HOLDER, .operation = "remove_snapshot" },
	{ "POST", BOX "/branches", post_branch, ROUTE_HOLDER, ROUTE_JSON, .operation = "make_branch" },
	{ "GET", BOX "/checkpoints", list_checkpoints, .right = ROUTE_HOLDER, .operation = "list_checkpoints" },
	{ "POST", BOX "/checkpoints", make_checkpoint, ROUTE_HOLDER, ROUTE_JSON, .box = true, .operation = "make_checkpoint" },
	{ "POST", BOX "/checkpoints/{checkpoint}/rewind", rewind_to, .right = ROUTE_HOLDER, .operation = "rewind" },
	{ "GET", BOX "/network", get_network, .right = ROUTE_HOLDER, .operation = "get_network" },
	{ "POST", BOX "/network", post_network, ROUTE_HOLDER, ROUTE_JSON, .box = true, .operation = "change_network" },
	{ "GET", BOX "/network/log", get_network_log, .right = ROUTE_HOLDER, .operation = "get_network_log" },
	{ "GET", BOX "/ports", list_ports, .right = ROUTE_HOLDER, .operation = "list_ports" },
	{ "POST", BOX "/ports", publish_port, ROUTE_HOLDER, ROUTE_JSON, .box = true, .operation = "publish_port" },
	{ "DELETE", BOX "/ports/{port}", unpublish_port, .right = ROUTE_HOLDER, .box = true, .operation = "unpublish_port" },
	{ "GET", BOX "/tasks", list_tasks, .right = ROUTE_HOLDER, .operation = "list_tasks" },
	{ "POST", BOX "/tasks", post_task, ROUTE_HOLDER, ROUTE_JSON, .box = true, .operation = "start_task" },
	{ "GET", BOX "/tasks/{task}", get_task, .right = ROUTE_HOLDER, .operation = "get_task" },
	{ "GET", BOX "/tasks/{task}/events", get_events, .right = ROUTE_HOLDER, .operation = "follow_task" },
	{ "GET", BOX "/tasks/{task}/terminal", get_terminal, .right = ROUTE_HOLDER, .operation = "get_task_terminal" },
	{ "POST", BOX "/tasks/{task}/interrupt", interrupt_task, .right = ROUTE_HOLDER, .operation = "interrupt_task" },
	{ "POST", BOX "/tasks/{task}/message", tell_task, ROUTE_HOLDER, ROUTE_JSON, .operation = "tell_task" },
	{ "POST", BOX "/tasks/{task}/resume", resume_task, ROUTE_HOLDER, ROUTE_JSON, .operation = "resume_task" },
};
/* clang-format on */

const struct route_table rest_routes = { rows, ARRAY_SIZE(rows) };
