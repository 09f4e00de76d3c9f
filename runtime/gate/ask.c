/* gate_ask - questions about the network of a box, answered in its monitor: what is
 * kept here from here, the rest by the process. */
#include <stdio.h>
#include <string.h>

#include "runtime/gate/host.h"

static int simple_question(struct gate *g, const char *op, struct json **ret,
			   struct err *e)
{
	_cleanup_json_ struct json *q = json_object();

	json_set_str(q, "op", op);
	return gate_question(g, q, ret, e);
}

/* @j is the answer, which was filled without a look at each part. */
static int answer(struct json **j, struct json **ret, struct err *e)
{
	if (json_failed(*j))
		return err_sys(e, -ENOMEM, "cannot answer about the network");
	*ret = take(j, NULL);
	return 0;
}

static int ask_rules(struct gate *g, const struct json *, struct json **ret,
		     struct err *e)
{
	_cleanup_json_ struct json *j = json_object();

	json_set(j, "rules", gate_policy_list(g->policy));
	json_set_bool(j, "open", gate_policy_is_open(g->policy));
	return answer(&j, ret, e);
}

static int apply(struct gate_policy *p, const char *word, const struct json *list,
		 struct err *e)
{
	json_each(it, list)
	{
		char rule[GATE_POLICY_NAME + 64];
		const char *pattern = json_str(it);
		int r;

		if (!pattern)
			return err_set(e, -EINVAL, "a network pattern is no text");
		snprintf(rule, sizeof(rule), "%s %s", word, pattern);
		r = strcmp(word, "drop") ? gate_policy_add(p, rule, e)
					 : gate_policy_drop(p, pattern, e);
		if (r < 0)
			return r;
	}
	return 0;
}

/* All of a change or nothing of it. */
static int ask_change(struct gate *g, const struct json *q, struct json **ret,
		      struct err *e)
{
	_cleanup_gate_policy_ struct gate_policy *p = NULL;
	_cleanup_json_ struct json *list = gate_policy_list(g->policy);
	_cleanup_json_ struct json *msg = json_object();
	_cleanup_json_ struct json *said = NULL;
	int r = json_failed(list) ? err_sys(e, -ENOMEM, "cannot change the rules") : 0;

	r = r ?: gate_policy_new(&p, e) ?: gate_policy_load(p, list, e) ?:
		apply(p, "drop", json_get(q, "drop"), e) ?:
		apply(p, "allow", json_get(q, "allow"), e) ?:
		apply(p, "deny", json_get(q, "deny"), e);

	if (r < 0)
		return r;
	json_set_str(msg, "op", "rules");
	json_set(msg, "rules", gate_policy_list(p));
	r = g->sock >= 0 ? gate_question(g, msg, &said, e) : 0;
	if (r < 0 && r != -ETIMEDOUT)
		return r;
	gate_policy_free(&g->policy);
	g->policy = take(&p, NULL);
	if (r < 0) { /* else it could take them later, and nobody would know */
		gate_replace(g, "it did not answer");
		*e = ERR_NONE;
	}
	return ask_rules(g, q, ret, e);
}

static struct json *published_json(const struct gate_publish *p)
{
	struct json *j = json_object();
	char addr[NETADDR_TEXT];

	json_set_str(j, "address", netaddr_format(&p->addr, addr));
	json_set_int(j, "host_port", p->host_port);
	json_set_int(j, "port", p->port);
	return j;
}

static int ask_ports(struct gate *g, const struct json *, struct json **ret,
		     struct err *e)
{
	_cleanup_json_ struct json *j = NULL;
	struct json *list;
	int r = simple_question(g, "ports", &j, e);

	if (r < 0)
		return r;
	list = json_array();
	for (int i = 0; i < GATE_PUBLISHED_MAX; i++)
		if (g->published[i].fd >= 0)
			json_add(list, published_json(&g->published[i]));
	json_set(j, "published", list);
	return answer(&j, ret, e);
}

static int ask_publish(struct gate *g, const struct json *q, struct json **ret,
		       struct err *e)
{
	const char *spec = json_get_str(q, "spec");
	_cleanup_json_ struct json *j = NULL;
	struct gate_publish *p;
	int r;

	if (!spec)
		return err_set(e, -EINVAL, "publish needs a port");
	r = gate_publish(g, spec, &p, e);
	if (r < 0)
		return r;
	j = published_json(p);
	return answer(&j, ret, e);
}

static int ask_unpublish(struct gate *g, const struct json *q, struct json **ret,
			 struct err *e)
{
	int64_t port = json_get_int(q, "host_port", 0);

	for (int i = 0; i < GATE_PUBLISHED_MAX; i++) {
		struct gate_publish *p = &g->published[i];
		int r;

		if (p->fd < 0 || p->host_port != port)
			continue;
		r = g->sock >= 0 ? gate_question(g, q, ret, e) : 0;
		gate_publish_done(p);
		return r;
	}
	err_set(e, -ENOENT, "port %d of the host is not published", (int)port);
	return err_hint(e, "'cubby ports' lists those that are");
}

static int ask_stats(struct gate *g, const struct json *, struct json **ret,
		     struct err *e)
{
	if (g->sock < 0) { /* it died too often: what is known is told all the same */
		*ret = json_object();
		return *ret ? 0 : err_sys(e, -ENOMEM, "cannot count");
	}
	return simple_question(g, "stats", ret, e);
}

static int ask_events(struct gate *g, const struct json *q, struct json **ret,
		      struct err *e)
{
	_cleanup_json_ struct json *j = json_object();
	int64_t since = json_get_int(q, "since", 0);
	struct json *list = json_array();
	uint64_t first;

	gate_drain(g); /* what a command just ran into must be there */
	first = g->n_events > GATE_EVENTS ? g->n_events - GATE_EVENTS : 0;
	for (uint64_t n = MAX(first, (uint64_t)MAX(since, 0)); n < g->n_events; n++) {
		struct json *one = json_object();

		json_set_int(one, "n", (int64_t)n);
		json_set_str(one, "text", g->events[n % GATE_EVENTS].text);
		json_add(list, one);
	}
	json_set(j, "events", list);
	json_set_int(j, "next", (int64_t)g->n_events);
	return answer(&j, ret, e);
}

/* Events and what listens, in one answer: each question costs its asker two switches. */
static int ask_news(struct gate *g, const struct json *q, struct json **ret,
		    struct err *e)
{
	_cleanup_json_ struct json *ports = NULL, *events = NULL;
	int r = ask_events(g, q, &events, e);

	if (r < 0)
		return r;
	if (simple_question(g, "ports", &ports, ERR_IGNORED) == 0)
		json_set(events, "listening", json_dup(json_get(ports, "listening")));
	return answer(&events, ret, e);
}

static int ask_info(struct gate *g, const struct json *, struct json **ret,
		    struct err *e)
{
	_cleanup_json_ struct json *j = json_object();
	const struct netns_facts *f = &g->conf.facts;

	json_set_str(j, "caught", netns_catch_name((enum netns_catch)f->caught));
	json_set(j, "ports", gate_ports_json(f));
	json_set_str(j, "proxy", g->proxy[0] ? g->proxy : NULL);
	json_set_bool(j, "running", g->sock >= 0);
	json_set_int(j, "pid", g->proc.pid);
	json_set_int(j, "deaths", g->n_deaths);
	return answer(&j, ret, e);
}

int gate_ask(struct gate *g, const struct json *q, struct json **ret, struct err *e)
{
	static const struct {
		const char *op;
		int (*run)(struct gate *, const struct json *, struct json **,
			   struct err *);
	} ops[] = {
		{ "info", ask_info },	    { "rules", ask_rules },
		{ "change", ask_change },   { "ports", ask_ports },
		{ "publish", ask_publish }, { "unpublish", ask_unpublish },
		{ "stats", ask_stats },	    { "events", ask_events },
		{ "news", ask_news },
	};
	const char *op = json_get_str(q, "op");

	for (size_t i = 0; op && i < ARRAY_SIZE(ops); i++)
		if (!strcmp(ops[i].op, op))
			return ops[i].run(g, q, ret, e);
	return err_set(e, -EOPNOTSUPP, "the network has no operation '%s'",
		       op ? op : "");
}
