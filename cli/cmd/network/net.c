#include <string.h>

#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/opt/words.h"
#include "cli/show/confirm.h"
#include "cli/show/render.h"

struct args {
	struct words allow, deny, drop; /* owned */
	bool yes;
};

static void add_list(struct json *to, const char *key, const struct words *w)
{
	struct json *list = json_array();

	for (size_t i = 0; i < w->n; i++)
		json_add(list, json_string(w->v[i]));
	json_set(to, key, list);
}

static int ask(struct box *b, const char *op, const struct args *a, struct json **ret,
	       struct err *e)
{
	_cleanup_json_ struct json *q = json_object();

	json_set_str(q, "op", op);
	add_list(q, "allow", &a->allow);
	add_list(q, "deny", &a->deny);
	add_list(q, "drop", &a->drop);
	if (json_failed(q) < 0)
		return err_sys(e, -ENOMEM, "cannot ask about the network");
	return box_ask(b, "net", q, ret, e);
}

static void show_rules(const struct app *app, const struct json *rules)
{
	const struct json *list = json_get(rules, "rules");

	fputs(json_get_bool(rules, "open", false)
		      ? "any public name is allowed, but for what is denied here\n"
		      : "only what is allowed here, and not denied\n",
	      app->out);
	json_each(it, list)
	{
		fputs("  ", app->out);
		render_safe(app->out, json_str(it) ? json_str(it) : "?");
		fputc('\n', app->out);
	}
}

/* Counted is what came since the box was last as at its start. */
static void show_counts(const struct app *app, const struct json *stats)
{
	int64_t refused = json_get_int(stats, "refused", 0);
	int64_t failed = json_get_int(stats, "failed", 0);

	fprintf(app->out,
		"connections: %lld open, %lld made, %lld refused, %lld failed%s\n",
		(long long)json_get_int(stats, "connections", 0),
		(long long)json_get_int(stats, "opened", 0), (long long)refused,
		(long long)failed,
		refused || failed ? "; 'cubby log --net' says which" : "");
}

static void show(const struct app *app, const struct json *rules,
		 const struct json *info, const struct json *stats, bool lingers)
{
	const char *proxy = json_get_str(info, "proxy");

	show_rules(app, rules);
	if (!json_get_bool(info, "running", true))
		fputs("nothing goes through for up to 30 seconds: the gate died, and the one "
		      "before it; 'cubby log --net' may say why\n",
		      app->out);
	else if (lingers)
		fputs("connections: none now; 'cubby log --net' has those that were\n",
		      app->out);
	else
		show_counts(app, stats);
	fprintf(app->out, "goes through the gate: %s\n",
		render_caught(json_get_str(info, "caught")));
	if (proxy) {
		fputs("through the proxy ", app->out);
		render_safe(app->out, proxy);
		fputc('\n', app->out);
	}
}

/* One object of all three answers. */
static int show_json(const struct app *app, const struct json *rules,
		     const struct json *info, const struct json *stats)
{
	_cleanup_json_ struct json *j = json_dup(rules);

	json_set(j, "gate", json_dup(info));
	json_set(j, "stats", json_dup(stats));
	return render_json(app, j);
}

static bool has_any(const struct words *w)
{
	for (size_t i = 0; i < w->n; i++)
		if (strcmp(w->v[i], "*") == 0)
			return true;
	return false;
}

/* The first --allow of an open network closes all else. */
static int tell_narrowing(const struct app *app, struct box *b, const struct args *a,
			  struct err *e)
{
	_cleanup_json_ struct json *rules = NULL;
	const struct args nothing = { 0 };
	int r = a->allow.n && !has_any(&a->allow) ? ask(b, "rules", &nothing, &rules, e)
						  : 0;

	if (r < 0 || !json_get_bool(rules, "open", false))
		return r;
	if (a->yes || !confirm_person(app)) {
		render_note(app,
			    "from now on only what is allowed here can be reached; "
			    "until now it was any public name");
		return 0;
	}
	return confirm_ask(app,
			   "Until now the box may reach any public name. Allow nothing "
			   "but this?")
		       ? 0
		       : err_set(e, -ECANCELED, "the network is as it was");
}

static bool is_lingering(struct box *b)
{
	_cleanup_json_ struct json *info = NULL;

	return box_ask(b, "info", NULL, &info, ERR_IGNORED) == 0 &&
	       json_get_bool(info, "lingering", false);
}

/* Rules are of a start; what holds for each of them is a setting. */
static int tell_stopped(enum net_mode net, const struct args *a, struct err *e)
{
	if (net != NET_GATE)
		return err_set(
			e, -ENOENT,
			"the box is not running, and with net=%s it has no rules; "
			"'cubby config' shows where that comes from",
			net == NET_NONE ? "none" : "host");
	return a->allow.n || a->deny.n
		       ? err_set(e, -ENOENT,
				 "the box is not running; 'cubby set allow=HOST' or "
				 "'deny=HOST' keeps a rule for every start")
		       : -ENOENT;
}

static int work(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;
	_cleanup_boxsetup_ struct boxsetup s = BOXSETUP(app);
	_cleanup_json_ struct json *rules = NULL;
	_cleanup_json_ struct json *info = NULL;
	_cleanup_json_ struct json *stats = NULL;
	const struct args nothing = { 0 };
	bool change = a->allow.n || a->deny.n || a->drop.n, lingers;
	int r = boxsetup_running(&s, e);

	if (r == -ENOENT && s.dir.dirfd >= 0)
		return tell_stopped(s.spec.net, a, e);
	if (r < 0)
		return r;
	r = tell_narrowing(app, s.box, a, e);
	if (r < 0)
		return r;
	r = ask(s.box, change ? "change" : "rules", a, &rules, e);
	if (r < 0)
		return r;
	r = ask(s.box, "info", &nothing, &info, e);
	if (r < 0)
		return r;
	r = ask(s.box, "stats", &nothing, &stats, e);
	if (r < 0)
		return r;
	lingers = is_lingering(s.box);
	if (lingers && change)
		render_note(
			app,
			"nobody uses the box: this holds for the next command "
			"alone; 'cubby set allow=HOST' or 'deny=HOST' keeps a rule");
	if (!app->json)
		show(app, rules, info, stats, lingers);
	else
		r = show_json(app, rules, info, stats);
	return r < 0 ? err_sys(e, r, "cannot show the network") : 0;
}

static int check_rule(struct app *, void *, const char *rule, struct err *e)
{
	return config_check(CONFIG_ALLOW, rule, e);
}

static const struct cmd_option options[] = {
	{ "allow", 'a', "HOST[:PORT]", "let HOST through from now on",
	  CMD_LIST_IF(struct args, allow, check_rule) },
	{ "deny", 'd', "HOST[:PORT]", "refuse HOST from now on",
	  CMD_LIST_IF(struct args, deny, check_rule) },
	{ "drop", 0, "HOST[:PORT]", "take out the rules of exactly HOST",
	  CMD_LIST_IF(struct args, drop, check_rule) },
	{ "yes", 'y', NULL, "do not ask before a first --allow closes the rest",
	  CMD_FLAG(struct args, yes) },
	{ 0 },
};

const struct cmd cmd_net = {
	.name = "net",
	.group = CMD_NETWORK,
	.summary = "show or change what the running box may reach",
	.doc = "Show what the running box of this directory may reach, or change it. "
	       "A rule is about HOST, *.DOMAIN, * (every public name), IP[/BITS] or "
	       "@LIST, each with or without :PORT. What is no longer allowed is cut. "
	       "The change lasts until the box stops, or waits for the next command with "
	       "nothing in it ('cubby ls' calls it lingering then); 'cubby set allow=HOST' keeps a "
	       "rule for every start.",
	.options = options,
	.size = sizeof(struct args),
	.work = work,
};
