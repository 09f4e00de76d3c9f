#include "runtime/gate/policy.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/idn.h"
#include "base/num.h"
#include "base/text.h"
#include "runtime/gate/preset.h"

/* A range this wide or wider does not open what is not public; fc00::/7 still does. */
enum { NAMING_BITS = 7 };

enum kind { KIND_NAME, KIND_BELOW, KIND_ANY, KIND_NET };

struct pattern {
	enum kind kind;
	const char *name; /* NAME, BELOW: borrowed from the rule or a preset */
	size_t len;
	struct netaddr net;
	uint8_t bits;
	uint16_t port; /* 0 = every */
};

struct rule {
	char *text; /* owned; "allow …" in lower case */
	bool deny;
	const struct gate_preset *preset; /* borrowed; NULL = pattern */
	struct pattern pattern;
};

struct gate_policy {
	struct rule *rules; /* owned */
	size_t n, allows;
};

int gate_policy_new(struct gate_policy **ret, struct err *e)
{
	struct gate_policy *p = calloc(1, sizeof(*p));

	if (!p)
		return err_sys(e, -ENOMEM, "cannot keep the network's rules");
	*ret = p;
	return 0;
}

void gate_policy_free(struct gate_policy **pp)
{
	struct gate_policy *p = take(pp, NULL);

	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++)
		free(p->rules[i].text);
	free(p->rules);
	free(p);
}

/* Letters, digits, '-' and '_' in labels of 1 to 63, 253 in all. What begins with a '-' the
 * resolver looks up nowhere: it was an option. */
static bool valid_host(const char *s, size_t len)
{
	size_t label = 0;

	if (!len || len > 253 || s[0] == '-')
		return false;
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '.') {
			if (!label)
				return false;
			label = 0;
		} else if (isalnum((unsigned char)s[i]) || s[i] == '-' || s[i] == '_') {
			if (++label > 63)
				return false;
		} else {
			return false;
		}
	}
	return label != 0;
}

/* Cuts ":PORT" off; only the last colon of something that is no bare IPv6 address. */
static int cut_port(char *s, uint16_t *port)
{
	char *colon = strrchr(s, ':');
	uint64_t n;

	*port = 0;
	if (!colon || (s[0] == '[' && colon < strchr(s, ']')) ||
	    (s[0] != '[' && strchr(s, ':') != colon))
		return 0;
	if (num_range(colon + 1, 1, 65535, &n) < 0)
		return -EINVAL;
	*port = (uint16_t)n;
	*colon = '\0';
	return 0;
}

/* "10.0.0.0/8", "[fd00::]/8" and the like; -EINVAL when it is no address. */
static int parse_net(char *s, struct pattern *ret)
{
	char *slash = strchr(s, '/');
	char *end;
	uint64_t bits;

	if (slash)
		*slash = '\0';
	if (s[0] == '[') {
		end = strchr(s, ']');
		if (!end || end[1])
			return -EINVAL;
		*end = '\0';
		s++;
	}
	if (netaddr_parse(s, &ret->net) < 0)
		return -EINVAL;
	bits = ret->net.len * 8u;
	if (slash && num_range(slash + 1, 0, bits, &bits) < 0)
		return -EINVAL;
	ret->kind = KIND_NET;
	ret->bits = (uint8_t)bits;
	return 0;
}

/* @s is lower case; its name part is borrowed by @ret from @keep, the same text. */
static int parse_pattern(const char *keep, struct pattern *ret)
{
	char s[GATE_POLICY_NAME + 64];
	size_t len;

	*ret = (struct pattern){ .name = keep };
	if (text_copy(s, sizeof(s), keep) < 0 || cut_port(s, &ret->port) < 0)
		return -EINVAL;
	if (strchr(s, ':') || strchr(s, '/') || netaddr_looks_numeric(s))
		return parse_net(s, ret);
	if (!strcmp(s, "*")) {
		ret->kind = KIND_ANY;
		return 0;
	}
	if (text_starts(s, "*.")) {
		ret->kind = KIND_BELOW;
		ret->name = keep + 1; /* with its dot */
	}
	len = strlen(s) - (size_t)(ret->name - keep);
	if (len && ret->name[len - 1] == '.')
		len--;
	ret->len = len;
	return valid_host(ret->name + (ret->kind == KIND_BELOW),
			  len - (ret->kind == KIND_BELOW))
		       ? 0
		       : -EINVAL;
}

static int no_list(const char *name, struct err *e)
{
	err_set(e, -EINVAL, "no list of hosts is called '%s'", name);
	return err_hint(e, "'cubby help network' has their names");
}

static int bad_pattern(const char *what, struct err *e)
{
	if (what[text_starts(what, "*.") ? 2 : 0] == '-')
		return err_set(
			e, -EINVAL,
			"bad network pattern '%s'; a host's name has letters, digits, "
			"'-', '_' and '.', and does not begin with '-'",
			what);
	return err_set(e, -EINVAL,
		       "bad network pattern '%s'; it is HOST[:PORT], *.DOMAIN[:PORT], "
		       "IP[/BITS][:PORT] or @LIST",
		       what);
}

/* Programs look up the ASCII form of an international name. What a name becomes must be
 * one: no address, no star, no port that was not there before. */
static int to_ascii(const char *what, char **ret, struct err *e)
{
	static const char of_names[] = "abcdefghijklmnopqrstuvwxyz0123456789-_.";
	const int head = text_starts(what, "*.") ? 2 : 0;
	const size_t len = strcspn(what + head, ":/[");
	_cleanup_free_ char *host = strndup(what + head, len);
	_cleanup_free_ char *ascii = NULL;
	int r = host ? idn_to_ascii(host, &ascii, e) : -ENOMEM;

	if (r == -ENOPKG)
		return err_wrap(e,
				"bad network pattern '%s': write 'xn--' labels, for "
				"international names cannot be converted",
				what);
	if (r == -EINVAL)
		return err_wrap(e, "bad network pattern '%s'", what);
	if (r >= 0 && (ascii[strspn(ascii, of_names)] || netaddr_looks_numeric(ascii)))
		return bad_pattern(what, e);
	if (r < 0 ||
	    asprintf(ret, "%.*s%s%s", head, what, ascii, what + head + len) < 0)
		return err_sys(e, -ENOMEM, "cannot keep the rule for '%s'", what);
	return 0;
}

/* "verb pattern" in lower case and ASCII. */
static int normal_form(const char *text, char **ret, struct err *e)
{
	_cleanup_free_ char *copy = strdup(text);
	_cleanup_free_ char *pattern = NULL;
	const char *what;

	if (!copy)
		return err_sys(e, -ENOMEM, "cannot keep the rule '%s'", text);
	for (char *c = copy; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	if (!text_starts(copy, "deny ") && !text_starts(copy, "allow "))
		return err_set(e, -EINVAL, "bad rule '%s': neither allow nor deny",
			       text);
	if (idn_needed(copy)) {
		int r;

		what = strchr(copy, ' ') + 1;
		r = to_ascii(what, &pattern, e);
		if (r < 0)
			return r;
		if (asprintf(ret, "%.*s%s", (int)(what - copy), copy, pattern) < 0)
			return err_sys(e, -ENOMEM, "cannot keep the rule '%s'", text);
		return 0;
	}
	*ret = take(&copy, NULL);
	return 0;
}

/* A box answers for it by itself: such a rule opens nothing, and closes all else. */
static bool is_box_itself(const struct pattern *x)
{
	static const char name[] = "localhost";
	const size_t len = strlen(name);

	return (x->kind == KIND_NAME || x->kind == KIND_BELOW) && x->len >= len &&
	       !memcmp(x->name + x->len - len, name, len) &&
	       (x->len == len || x->name[x->len - len - 1] == '.');
}

static int no_way_out(const char *what, const struct pattern *x, struct err *e)
{
	err_set(e, -EINVAL, "bad network pattern '%s': this is the box itself", what);
	return x->port ? err_hint(e, "the host is '" GATE_POLICY_HOST ":%u'", x->port)
		       : err_hint(e, "the host is '" GATE_POLICY_HOST "'");
}

/* "a.b." and "a.b.:443" are "a.b" and "a.b:443". */
static void cut_dot(char *pattern)
{
	char *end = pattern + strcspn(pattern, ":/[");

	if (end - pattern > 1 && end[-1] == '.')
		memmove(end - 1, end, strlen(end) + 1);
}

static int parse_rule(const char *text, struct rule *ret, struct err *e)
{
	_cleanup_free_ char *copy = NULL;
	const char *what;
	int r = normal_form(text, &copy, e);

	if (r < 0)
		return r;
	*ret = (struct rule){ .deny = text_starts(copy, "deny ") };
	what = strchr(copy, ' ') + 1;
	if (what[0] == '@') {
		ret->preset = gate_preset_find(what);
		if (!ret->preset)
			return no_list(what, e);
	} else if (parse_pattern(what, &ret->pattern) < 0) {
		return bad_pattern(what, e);
	} else if (!ret->deny && is_box_itself(&ret->pattern)) {
		return no_way_out(what, &ret->pattern, e);
	}
	cut_dot(strchr(copy, ' ') + 1);
	ret->text = take(&copy, NULL);
	return 0;
}

static bool have_rule(const struct gate_policy *p, const char *text)
{
	for (size_t i = 0; i < p->n; i++)
		if (!strcmp(p->rules[i].text, text))
			return true;
	return false;
}

int gate_policy_add(struct gate_policy *p, const char *text, struct err *e)
{
	struct rule rule, *more;
	int r;

	r = parse_rule(text, &rule, e);
	if (r < 0)
		return r;
	if (have_rule(p, rule.text)) {
		free(rule.text);
		return 0;
	}
	if (p->n == GATE_POLICY_RULES) {
		free(rule.text);
		return err_set(
			e, -ENOSPC,
			"no room for the rule '%s': a box has %d at the most; 'cubby "
			"net --drop HOST' takes one out",
			text, (int)GATE_POLICY_RULES);
	}
	more = realloc(p->rules, (p->n + 1) * sizeof(*more));
	if (!more) {
		free(rule.text);
		return err_sys(e, -ENOMEM, "cannot keep the rule '%s'", text);
	}
	p->rules = more;
	p->rules[p->n++] = rule;
	p->allows += !rule.deny;
	return 0;
}

int gate_policy_drop(struct gate_policy *p, const char *pattern, struct err *e)
{
	_cleanup_free_ char *what = NULL;
	size_t kept = 0, before = p->n;
	int r = idn_needed(pattern) ? to_ascii(pattern, &what, e) : 0;

	if (r < 0)
		return r;
	if (!what && !(what = strdup(pattern)))
		return err_sys(e, -ENOMEM, "cannot drop the rule for '%s'", pattern);
	cut_dot(what);
	for (size_t i = 0; i < p->n; i++) {
		struct rule *rule = &p->rules[i];

		if (!strcasecmp(strchr(rule->text, ' ') + 1, what)) {
			p->allows -= !rule->deny;
			free(rule->text);
		} else {
			p->rules[kept++] = *rule;
		}
	}
	p->n = kept;
	if (kept == before)
		return err_set(e, -ENOENT, "there is no rule for '%s'", pattern);
	return 0;
}

int gate_policy_load(struct gate_policy *p, const struct json *rules, struct err *e)
{
	json_each(it, rules)
	{
		const char *text = json_str(it);
		int r = text ? gate_policy_add(p, text, e)
			     : err_set(e, -EINVAL, "a network rule is no text");

		if (r < 0)
			return r;
	}
	return 0;
}

struct json *gate_policy_list(const struct gate_policy *p)
{
	struct json *list = json_array();

	for (size_t i = 0; i < p->n; i++)
		json_add(list, json_string(p->rules[i].text));
	return list;
}

bool gate_policy_is_open(const struct gate_policy *p)
{
	return !p->allows;
}

bool gate_policy_by_name(const struct gate_policy *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->rules[i].preset || p->rules[i].pattern.kind == KIND_NAME ||
		    p->rules[i].pattern.kind == KIND_BELOW)
			return true;
	return false;
}

/* What a question is about: a name, or an address. */
struct subject {
	const char *name; /* NULL = the address alone */
	const struct netaddr *addr;
	uint16_t port; /* 0 = any that is open */
};

static bool name_matches(const struct pattern *x, const char *name)
{
	size_t len = strlen(name);

	if (x->kind == KIND_NAME)
		return len == x->len && !memcmp(name, x->name, len);
	if (!strcmp(name, GATE_POLICY_HOST))
		return false; /* by its own name alone */
	if (x->kind == KIND_BELOW)
		return len > x->len && !memcmp(name + len - x->len, x->name, x->len);
	return x->kind == KIND_ANY;
}

static bool matches(const struct pattern *x, const struct subject *s, bool deny)
{
	/* A name that is denied at one port only can still be asked for. */
	if (x->port && (s->port ? x->port != s->port : deny))
		return false;
	if (s->name)
		return name_matches(x, s->name);
	if (x->kind == KIND_NET)
		return netaddr_within(s->addr, &x->net, x->bits);
	return x->kind == KIND_ANY;
}

static bool preset_matches(const struct gate_preset *list, const struct subject *s,
			   bool deny)
{
	for (size_t i = 0; i < GATE_PRESET_HOSTS && list->hosts[i]; i++) {
		struct pattern x;

		if (parse_pattern(list->hosts[i], &x) >= 0 && matches(&x, s, deny))
			return true;
	}
	return false;
}

static bool rule_matches(const struct rule *rule, const struct subject *s)
{
	if (rule->preset)
		return preset_matches(rule->preset, s, rule->deny);
	return matches(&rule->pattern, s, rule->deny);
}

static enum gate_policy_verdict judge(const struct gate_policy *p,
				      const struct subject *s, bool fallback)
{
	bool allowed = fallback;

	for (size_t i = 0; i < p->n; i++) {
		const struct rule *rule = &p->rules[i];

		if ((rule->deny || !allowed) && rule_matches(rule, s)) {
			if (rule->deny)
				return GATE_POLICY_DENIED;
			allowed = true;
		}
	}
	return allowed ? GATE_POLICY_ALLOW : GATE_POLICY_UNLISTED;
}

enum gate_policy_verdict gate_policy_name(const struct gate_policy *p, const char *name,
					  uint16_t port)
{
	struct subject s = { .name = name, .port = port };

	return judge(p, &s, !p->allows && strcmp(name, GATE_POLICY_HOST) != 0);
}

enum gate_policy_verdict gate_policy_literal(const struct gate_policy *p,
					     const struct netaddr *a, uint16_t port)
{
	struct subject s = { .addr = a, .port = port };

	return judge(p, &s, !p->allows);
}

/* "0.0.0.0/0" means the internet: it names no particular place. */
static bool names_address(const struct rule *rule, const struct subject *s)
{
	return !rule->preset && rule->pattern.kind == KIND_NET &&
	       (rule->deny || rule->pattern.bits >= NAMING_BITS) &&
	       rule_matches(rule, s);
}

/* An IPv4 address that is denied is denied inside an IPv6 one too. */
static bool denies_carried(const struct rule *rule, const struct subject *s)
{
	struct netaddr inner[NETADDR_CARRIED];
	size_t n = rule->deny ? netaddr_carried(s->addr, inner) : 0;

	for (size_t i = 0; i < n; i++) {
		struct subject one = { .addr = &inner[i], .port = s->port };

		if (names_address(rule, &one))
			return true;
	}
	return false;
}

bool gate_policy_names(const struct gate_policy *p, const struct netaddr *a,
		       uint16_t port)
{
	struct subject s = { .addr = a, .port = port };

	for (size_t i = 0; i < p->n; i++)
		if (!p->rules[i].deny && names_address(&p->rules[i], &s))
			return true;
	return false;
}

enum gate_policy_verdict gate_policy_address(const struct gate_policy *p,
					     const struct netaddr *a, uint16_t port,
					     enum netaddr_class class)
{
	struct subject s = { .addr = a, .port = port };
	bool named = false;

	for (size_t i = 0; i < p->n; i++) {
		if (denies_carried(&p->rules[i], &s))
			return GATE_POLICY_DENIED;
		if (!names_address(&p->rules[i], &s))
			continue;
		if (p->rules[i].deny)
			return GATE_POLICY_DENIED;
		named = true;
	}
	return class == NETADDR_PUBLIC || named ? GATE_POLICY_ALLOW
						: GATE_POLICY_UNLISTED;
}
