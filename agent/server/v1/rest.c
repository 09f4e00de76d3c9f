/* Theory of operation
 *
 * What is cubby's own, under /v1: boxes by their name, their tasks, changes, network and
 * ports. The holder of the key may do here what the person at the terminal may, so nothing
 * of it answers to a user of a service (X-User-Id), whose requests a service passes on with
 * its key. Each route is a command of cubby's (command.h): a verb says of which words it is
 * made, and of which parts of the request. */
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

enum {
	WORDS = 96,
	LIST_MAX = 64,
	WORD_MAX = 4096,
	SCHEMA_MAX = 32 << 10,
	VERB_WORDS = 3,
	VERB_PARTS = 13
};

/* The words of a command, some of them made here. */
struct line {
	const char *v[WORDS];
	size_t n;
	char *made[WORDS]; /* owned */
	size_t n_made;
	const char *in;	   /* borrowed; its standard input */
	struct buf schema; /* owned; what it reads at its descriptor 3 */
	int r;		   /* the first failure */
};

static void line_done(struct line *l)
{
	buf_done(&l->schema);
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

/* A member that need not be there: @ret stays. */
static int get_text(const struct json *from, const char *name, const char **ret,
		    struct err *e)
{
	const struct json *value = json_get(from, name);

	if (json_type(value) != JSON_NULL && !json_str(value))
		return wrong(e, name, "a text");
	if (json_str(value))
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

/* A list of texts: each becomes --OPTION=TEXT, or (NULL) an operand. */
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

/* Of the answer. The words of a command are seen by others of the host. */
static int add_schema(struct line *l, const struct json *from, struct err *e)
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
	add(l, "--schema=/proc/self/fd/3");
	r = json_print(value, false, &l->schema);
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

/* ---- verbs ---------------------------------------------------------------------- */

/* A part of the request that becomes words of the command. */
struct part {
	enum {
		PART_END,
		FLAG,	/* true or false: @as */
		LIST,	/* texts: --@as=TEXT each, or operands */
		OPTION, /* a text or a number: an option that is called so */
		TEXT,	/* --@as=TEXT, or an operand */
		NEEDED, /* the same, and it has to be there */
		INPUT, /* a text that others of the host do not see: it is read, as @as says */
		INPUT_IF, /* the same where it is there */
		PARAM,	  /* of the path: --@as=TEXT, or an operand */
		ARG,	  /* of the query: an operand */
		ARG_FLAG, /* of the query: @as */
		SCHEMA,
		ATTACHED
	} kind;
	const char *name, *as; /* as: NULL = an operand */
	const char *otherwise; /* what a TEXT is that is not there; NULL = nothing */
};

struct verb {
	const char *words[VERB_WORDS];
	struct part parts[VERB_PARTS];
	bool alone; /* for a box that nobody uses, which the server itself does */
	struct command_conf conf;
};

/* "-" as an operand is the standard input. */
static bool is_operand(const struct part *p)
{
	return p->kind == ARG || (p->kind == INPUT && strcmp(p->as, "-") == 0) ||
	       (!p->as && (p->kind == LIST || p->kind == TEXT || p->kind == NEEDED ||
			   p->kind == PARAM));
}

static int add_part(struct line *l, struct exchange *x, const struct part *p,
		    struct err *e)
{
	const struct json *from = exchange_json(x);
	const char *text = p->otherwise;
	int r = 0;

	switch (p->kind) {
	case FLAG:
		return add_flag(l, from, p->name, p->as, e);
	case LIST:
		return add_list(l, from, p->name, p->as, e);
	case OPTION:
		return add_option(l, from, p->name, e);
	case SCHEMA:
		return add_schema(l, from, e);
	case ATTACHED:
		return add_attached(l, from, e);
	case ARG_FLAG:
		if (exchange_arg_bool(x, p->name, false))
			add(l, p->as);
		return 0;
	case TEXT:
	case INPUT_IF:
		r = get_text(from, p->name, &text, e);
		break;
	case NEEDED:
	case INPUT:
		r = exchange_text(x, p->name, &text, e);
		break;
	case PARAM:
		text = exchange_param(x, p->name);
		break;
	default:
		text = exchange_arg(x, p->name, 0);
	}
	if (r < 0 || !text)
		return r;
	if (p->kind == INPUT || p->kind == INPUT_IF) {
		l->in = text;
		add(l, p->as);
	} else if (p->as) {
		add_value(l, p->as, text);
	} else {
		add(l, text);
	}
	return 0;
}

/* Options first, then "--" and what is none, whatever it looks like. */
static int add_parts(struct line *l, struct exchange *x, const struct verb *v,
		     struct err *e)
{
	const struct part *operand = NULL;
	int r = 0;

	for (size_t i = 0; i < VERB_WORDS && v->words[i]; i++)
		add(l, v->words[i]);
	for (const struct part *p = v->parts; p->kind && r == 0; p++)
		if (is_operand(p))
			operand = operand ? operand : p;
		else
			r = add_part(l, x, p, e);
	if (operand)
		add(l, "--");
	for (const struct part *p = operand; p && p->kind && r == 0; p++)
		if (is_operand(p))
			r = add_part(l, x, p, e);
	l->v[l->n] = NULL;
	return r == 0 && l->r < 0 ? err_set(e, l->r, "the request has too many words")
				  : r;
}

static int run_verb(struct exchange *x, struct err *e)
{
	const struct verb *v = exchange_route(x)->how;
	_cleanup_(line_done) struct line l = { .schema = BUF_INIT(SCHEMA_MAX) };
	const struct tenant_who who = exchange_who(x);
	struct command_conf c = v->conf;
	int r = add_parts(&l, x, v, e);

	if (r < 0)
		return r;
	if (v->alone)
		tenants_leave(exchange_tenants(x), &who);
	c.argv = l.v;
	c.in = l.in;
	c.more = l.schema.len ? buf_cstr(&l.schema) : NULL;
	return command_run(x, &c, e);
}

/* ---- answers ------------------------------------------------------------------- */

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

/* Another box of the directory, as this one is. */
static struct json *branched(struct exchange *x, struct json *said)
{
	const char *box = exchange_param(x, "box"), *name = json_get_str(said, "name");
	char id[2 * WORD_MAX];

	snprintf(id, sizeof(id), "%.*s@%s", (int)strcspn(box, "@"), box, name);
	json_set_str(said, "id", id);
	return said;
}

static int get_document(struct exchange *x, struct err *e)
{
	struct json *doc;
	int r = openapi_own(&rest_routes, exchange_conf(x)->version, &doc, e);

	if (r < 0)
		return r;
	exchange_reply(x, 200, doc);
	return 0;
}

/* ---- which there are ------------------------------------------------------------ */

/* clang-format off */
#define PART(kind_, name_, as_) { .kind = (kind_), .name = (name_), .as = (as_) }
#define CHANGES .conf = { .changes = true }
#define BYTES(type_) .conf = { .how = COMMAND_BYTES, .type = (type_) }
#define TASK_OPTIONS                                                     \
	PART(OPTION, "model", NULL), PART(OPTION, "max_rounds", NULL),   \
	PART(OPTION, "max_tokens", NULL), PART(OPTION, "max_cost", NULL), \
	PART(OPTION, "timeout", NULL), PART(OPTION, "effort", NULL),     \
	PART(OPTION, "command_timeout", NULL)

static const struct verb
	list_boxes = { .words = { "ls" }, .conf = { .answer = served, .all = true } },
	info = { .words = { "info" } }, /* of a box that was to be started: it has been by now */
	stop = { .words = { "stop" }, CHANGES },
	rm = { .words = { "rm", "--force" }, CHANGES },
	ps = { .words = { "ps" } };

/* allow, deny: what is not held, and what is, besides the project's rules */
static const struct verb
	diff = { .words = { "diff" } },
	patch = { .words = { "diff", "--patch" },
		  .parts = { PART(ARG, "path", NULL) },
		  BYTES("text/plain; charset=utf-8") },
	apply = { .words = { "apply" },
		  .parts = { PART(FLAG, "all", "--all"), PART(FLAG, "overwrite", "--overwrite"),
			     PART(LIST, "allow", "allow"), PART(LIST, "deny", "deny"),
			     PART(LIST, "paths", NULL) },
		  .alone = true, CHANGES },
	discard = { .words = { "discard" },
		    .parts = { PART(FLAG, "all", "--all"), PART(LIST, "paths", NULL) },
		    .alone = true, CHANGES },
	undo = { .words = { "undo" }, .alone = true, CHANGES };

static const struct verb
	snapshots = { .words = { "snapshots" } },
	snapshot = { .words = { "snapshot" }, .parts = { PART(TEXT, "name", NULL) },
		     .alone = true, CHANGES },
	restore = { .words = { "restore" }, .parts = { PART(PARAM, "snapshot", NULL) },
		    .alone = true, CHANGES },
	forget = { .words = { "snapshots" }, .parts = { PART(PARAM, "snapshot", "remove") },
		   .alone = true, CHANGES },
	branch = { .words = { "branch" },
		   .parts = { PART(NEEDED, "name", NULL), PART(TEXT, "snapshot", NULL) },
		   .alone = true,
		   .conf = { .changes = true, .answer = branched, .status = 201 } };

/* What is under review, as tasks make them before each turn. */
static const struct verb
	checkpoints = { .words = { "rewind", "--list" } },
	checkpoint = { .words = { "checkpoint" }, .parts = { PART(NEEDED, "name", NULL) },
		       CHANGES },
	rewind_to = { .words = { "rewind" }, .parts = { PART(PARAM, "checkpoint", NULL) },
		      .alone = true, CHANGES };

static const struct verb
	net = { .words = { "net" } },
	change_net = { .words = { "net", "--yes" },
		       .parts = { PART(LIST, "allow", "allow"), PART(LIST, "deny", "deny"),
				  PART(LIST, "drop", "drop") },
		       CHANGES },
	net_log = { .words = { "log", "--net" }, BYTES("application/x-ndjson") },
	ports = { .words = { "ports" } },
	publish = { .words = { "ports" }, .parts = { PART(NEEDED, "publish", "publish") },
		    CHANGES },
	unpublish = { .words = { "ports" }, .parts = { PART(PARAM, "port", "unpublish") },
		      CHANGES };

/* One that is begun applies nothing by itself: the page asks. One that goes on has the options
 * that it had, besides those that are said now; "at" goes back in its box. */
static const struct verb
	tasks = { .words = { "log" } },
	run = { .words = { "run", "--detach" },
		.parts = { { .kind = TEXT, .name = "apply", .as = "apply", .otherwise = "never" },
			   PART(SCHEMA, NULL, NULL), TASK_OPTIONS, PART(ATTACHED, NULL, NULL),
			   PART(INPUT, "task", "-") },
		.conf = { .inside = true, .options = true, .changes = true, .status = 201 } },
	resume = { .words = { "resume", "--detach" },
		   .parts = { PART(INPUT_IF, "message", "--message=-"),
			      PART(TEXT, "apply", "apply"), PART(OPTION, "at", NULL),
			      TASK_OPTIONS, PART(PARAM, "task", NULL) },
		   .alone = true,
		   .conf = { .options = true, .changes = true, .status = 201 } },
	tell = { .words = { "log" },
		 .parts = { PART(INPUT, "text", "--tell=-"), PART(PARAM, "task", NULL) },
		 CHANGES },
	task = { .words = { "log" },
		 .parts = { PART(ARG_FLAG, "follow", "--follow"), PART(PARAM, "task", NULL) },
		 BYTES("application/x-ndjson") },
	events = { .words = { "log", "--follow" }, .parts = { PART(PARAM, "task", NULL) },
		   .conf = { .how = COMMAND_EVENTS } },
	terminal = { .words = { "log", "--terminal" },
		     .parts = { PART(ARG_FLAG, "follow", "--follow"),
				PART(PARAM, "task", NULL) },
		     BYTES("application/octet-stream") },
	interrupt = { .words = { "log", "--interrupt" }, .parts = { PART(PARAM, "task", NULL) },
		      CHANGES };

#define BOX "/v1/boxes/{box}"
#define DOES(verb) run_verb, .right = ROUTE_HOLDER, .how = &(verb)

static const struct route rows[] = {
	{ "GET", "/v1/openapi.json", get_document, .right = ROUTE_ANYBODY },
	{ "GET", "/v1/boxes", DOES(list_boxes), .operation = "list_boxes" },
	{ "GET", BOX, DOES(info), .operation = "get_box" },
	{ "PUT", BOX, DOES(info), .box = true, .operation = "start_box" },
	{ "DELETE", BOX, DOES(rm), .operation = "remove_box" },
	{ "POST", BOX "/stop", DOES(stop), .operation = "stop_box" },
	{ "GET", BOX "/processes", DOES(ps), .operation = "list_box_processes" },
	{ "GET", BOX "/changes", DOES(diff), .operation = "list_changes" },
	{ "GET", BOX "/changes/patch", DOES(patch), .operation = "get_patch" },
	{ "POST", BOX "/changes/apply", DOES(apply), .body = ROUTE_JSON, .operation = "apply_changes" },
	{ "POST", BOX "/changes/discard", DOES(discard), .body = ROUTE_JSON, .operation = "discard_changes" },
	{ "POST", BOX "/changes/undo", DOES(undo), .operation = "undo_apply" },
	{ "GET", BOX "/snapshots", DOES(snapshots), .operation = "list_snapshots" },
	{ "POST", BOX "/snapshots", DOES(snapshot), .body = ROUTE_JSON, .operation = "make_snapshot" },
	{ "POST", BOX "/snapshots/{snapshot}/restore", DOES(restore), .operation = "restore_snapshot" },
	{ "DELETE", BOX "/snapshots/{snapshot}", DOES(forget), .operation = "remove_snapshot" },
	{ "POST", BOX "/branches", DOES(branch), .body = ROUTE_JSON, .operation = "make_branch" },
	{ "GET", BOX "/checkpoints", DOES(checkpoints), .operation = "list_checkpoints" },
	{ "POST", BOX "/checkpoints", DOES(checkpoint), .body = ROUTE_JSON, .box = true, .operation = "make_checkpoint" },
	{ "POST", BOX "/checkpoints/{checkpoint}/rewind", DOES(rewind_to), .operation = "rewind" },
	{ "GET", BOX "/network", DOES(net), .operation = "get_network" },
	{ "POST", BOX "/network", DOES(change_net), .body = ROUTE_JSON, .box = true, .operation = "change_network" },
	{ "GET", BOX "/network/log", DOES(net_log), .operation = "get_network_log" },
	{ "GET", BOX "/ports", DOES(ports), .operation = "list_ports" },
	{ "POST", BOX "/ports", DOES(publish), .body = ROUTE_JSON, .box = true, .operation = "publish_port" },
	{ "DELETE", BOX "/ports/{port}", DOES(unpublish), .box = true, .operation = "unpublish_port" },
	{ "GET", BOX "/tasks", DOES(tasks), .operation = "list_tasks" },
	{ "POST", BOX "/tasks", DOES(run), .body = ROUTE_JSON, .box = true, .operation = "start_task" },
	{ "GET", BOX "/tasks/{task}", DOES(task), .operation = "get_task" },
	{ "GET", BOX "/tasks/{task}/events", DOES(events), .operation = "follow_task" },
	{ "GET", BOX "/tasks/{task}/terminal", DOES(terminal), .operation = "get_task_terminal" },
	{ "POST", BOX "/tasks/{task}/interrupt", DOES(interrupt), .operation = "interrupt_task" },
	{ "POST", BOX "/tasks/{task}/message", DOES(tell), .body = ROUTE_JSON, .operation = "tell_task" },
	{ "POST", BOX "/tasks/{task}/resume", DOES(resume), .body = ROUTE_JSON, .operation = "resume_task" },
};
/* clang-format on */

const struct route_table rest_routes = { rows, ARRAY_SIZE(rows) };
