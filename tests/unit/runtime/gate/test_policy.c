#include "runtime/gate/policy.h"

#include "runtime/gate/preset.h"
#include "tests/unit/unit.h"

/* Rules, then questions about names (or addresses, when they parse as such). */
static const struct row {
	const char *name;
	const char *rules[4];
	const char *subject;
	uint16_t port;
	enum gate_policy_verdict want;
} rows[] = {
	/* clang-format off */
	{ "no rule: any name", { 0 }, "example.com", 80, GATE_POLICY_ALLOW },
	{ "no rule: any public address", { 0 }, "1.2.3.4", 80, GATE_POLICY_ALLOW },
	{ "no rule: not the host", { 0 }, GATE_POLICY_HOST, 80, GATE_POLICY_UNLISTED },
	{ "listed", { "allow example.com" }, "example.com", 80, GATE_POLICY_ALLOW },
	{ "listed in its ASCII form", { "allow xn--bcher-kva.example" }, "xn--bcher-kva.example", 80, GATE_POLICY_ALLOW },
	{ "listed as people write it", { "allow B\u00fccher.example:443" }, "xn--bcher-kva.example", 443, GATE_POLICY_ALLOW },
	{ "at another port", { "allow b\u00fccher.example:443" }, "xn--bcher-kva.example", 80, GATE_POLICY_UNLISTED },
	{ "below an international name", { "deny *.b\u00fccher.example" }, "a.xn--bcher-kva.example", 80, GATE_POLICY_DENIED },
	{ "listed in capitals", { "allow EXAMPLE.com" }, "example.com", 1, GATE_POLICY_ALLOW },
	{ "listed with a final dot", { "allow example.com." }, "example.com", 1, GATE_POLICY_ALLOW },
	{ "unlisted", { "allow example.com" }, "example.org", 80, GATE_POLICY_UNLISTED },
	{ "unlisted address", { "allow example.com" }, "1.2.3.4", 80, GATE_POLICY_UNLISTED },
	{ "not below a name", { "allow example.com" }, "a.example.com", 80, GATE_POLICY_UNLISTED },
	{ "port", { "allow example.com:443" }, "example.com", 443, GATE_POLICY_ALLOW },
	{ "other port", { "allow example.com:443" }, "example.com", 80, GATE_POLICY_UNLISTED },
	{ "any port, for DNS", { "allow example.com:443" }, "example.com", 0, GATE_POLICY_ALLOW },
	{ "below", { "allow *.example.com" }, "a.b.example.com", 80, GATE_POLICY_ALLOW },
	{ "not itself", { "allow *.example.com" }, "example.com", 80, GATE_POLICY_UNLISTED },
	{ "not alike", { "allow *.example.com" }, "badexample.com", 80, GATE_POLICY_UNLISTED },
	{ "everything", { "allow *" }, "example.com", 80, GATE_POLICY_ALLOW },
	{ "everything but the host", { "allow *" }, GATE_POLICY_HOST, 80, GATE_POLICY_UNLISTED },
	{ "not the host by a star", { "allow *.internal" }, GATE_POLICY_HOST, 80, GATE_POLICY_UNLISTED },
	{ "the host by name", { "allow host.cubby.internal:80" }, GATE_POLICY_HOST, 80, GATE_POLICY_ALLOW },
	{ "the host's other port", { "allow host.cubby.internal:80" }, GATE_POLICY_HOST, 81, GATE_POLICY_UNLISTED },
	{ "everything at a port", { "allow *:443" }, "example.com", 80, GATE_POLICY_UNLISTED },
	{ "denied", { "deny example.com" }, "example.com", 80, GATE_POLICY_DENIED },
	{ "others than the denied", { "deny example.com" }, "example.org", 80, GATE_POLICY_ALLOW },
	{ "deny wins", { "allow *", "deny *.evil.com", "allow a.evil.com" }, "a.evil.com", 80, GATE_POLICY_DENIED },
	{ "the box denied", { "deny localhost" }, "localhost", 80, GATE_POLICY_DENIED },
	{ "not the box", { "allow notlocalhost" }, "notlocalhost", 80, GATE_POLICY_ALLOW },
	{ "denied at a port", { "deny example.com:25" }, "example.com", 25, GATE_POLICY_DENIED },
	{ "not at another", { "deny example.com:25" }, "example.com", 80, GATE_POLICY_ALLOW },
	{ "DNS of a port denied", { "deny example.com:25" }, "example.com", 0, GATE_POLICY_ALLOW },
	{ "network", { "allow 10.0.0.0/8" }, "10.1.2.3", 80, GATE_POLICY_ALLOW },
	{ "network, port", { "allow 10.0.0.0/8:22" }, "10.1.2.3", 80, GATE_POLICY_UNLISTED },
	{ "other network", { "allow 10.0.0.0/8" }, "11.1.2.3", 80, GATE_POLICY_UNLISTED },
	{ "IPv6 with port", { "allow [fd00::]/8:22" }, "fd00::1", 22, GATE_POLICY_ALLOW },
	{ "list of hosts", { "allow @debian" }, "security.debian.org", 80, GATE_POLICY_ALLOW },
	{ "star in a list", { "allow @debian" }, "de.ftp.debian.org", 80, GATE_POLICY_ALLOW },
	{ "not in the list", { "allow @debian" }, "pypi.org", 443, GATE_POLICY_UNLISTED },
	{ "two lists", { "allow @debian", "allow @pypi" }, "pypi.org", 443, GATE_POLICY_ALLOW },
	{ "list denied", { "deny @github" }, "github.com", 443, GATE_POLICY_DENIED },
	/* clang-format on */
};

static struct gate_policy *policy_of(const char *const *rules)
{
	struct gate_policy *p = NULL;
	struct err e = ERR_NONE;

	unit_ok(gate_policy_new(&p, &e), &e);
	for (int i = 0; i < 4 && rules[i]; i++)
		unit_ok(gate_policy_add(p, rules[i], &e), &e);
	return p;
}

static void judges(const void *p)
{
	const struct row *row = p;
	_cleanup_gate_policy_ struct gate_policy *policy = policy_of(row->rules);
	struct netaddr a;

	if (netaddr_parse(row->subject, &a) >= 0)
		assert_int_equal(gate_policy_literal(policy, &a, row->port), row->want);
	else
		assert_int_equal(gate_policy_name(policy, row->subject, row->port),
				 row->want);
}

static const struct addr_row {
	const char *name;
	const char *rules[4];
	const char *addr;
	uint16_t port;
	enum gate_policy_verdict want;
} addrs[] = {
	/* clang-format off */
	{ "public", { 0 }, "1.2.3.4", 80, GATE_POLICY_ALLOW },
	{ "private", { 0 }, "10.0.0.1", 80, GATE_POLICY_UNLISTED },
	{ "metadata", { 0 }, "169.254.169.254", 80, GATE_POLICY_UNLISTED },
	{ "loopback", { 0 }, "127.0.0.1", 80, GATE_POLICY_UNLISTED },
	{ "private by a star", { "allow *" }, "10.0.0.1", 80, GATE_POLICY_UNLISTED },
	{ "private by a name", { "allow git.corp" }, "10.0.0.1", 80, GATE_POLICY_UNLISTED },
	{ "private by the internet", { "allow 0.0.0.0/0" }, "10.0.0.1", 80, GATE_POLICY_UNLISTED },
	{ "private named", { "allow 10.0.0.1" }, "10.0.0.1", 80, GATE_POLICY_ALLOW },
	{ "private in a network", { "allow 10.0.0.0/8:80" }, "10.0.0.1", 80, GATE_POLICY_ALLOW },
	{ "at another port", { "allow 10.0.0.0/8:80" }, "10.0.0.1", 81, GATE_POLICY_UNLISTED },
	{ "ULA", { "allow fc00::/7" }, "fd00::1", 80, GATE_POLICY_ALLOW },
	{ "public denied", { "deny 1.2.3.0/24" }, "1.2.3.4", 80, GATE_POLICY_DENIED },
	{ "all denied", { "deny 0.0.0.0/0" }, "1.2.3.4", 80, GATE_POLICY_DENIED },
	{ "denied, by NAT64", { "deny 1.2.3.4" }, "64:ff9b::102:304", 80, GATE_POLICY_DENIED },
	{ "denied, by 6to4", { "deny 1.2.3.4:80" }, "2002:102:304::", 80, GATE_POLICY_DENIED },
	{ "at another port, by 6to4", { "deny 1.2.3.4:80" }, "2002:102:304::", 81, GATE_POLICY_ALLOW },
	{ "beside it, by NAT64", { "deny 1.2.3.4" }, "64:ff9b::102:305", 80, GATE_POLICY_ALLOW },
	{ "allowed, not by 6to4", { "allow 10.0.0.1" }, "2002:a00:1::", 80, GATE_POLICY_UNLISTED },
	/* clang-format on */
};

static void judges_addresses(const void *p)
{
	const struct addr_row *row = p;
	_cleanup_gate_policy_ struct gate_policy *policy = policy_of(row->rules);
	struct netaddr a;

	assert_int_equal(netaddr_parse(row->addr, &a), 0);
	assert_int_equal(
		gate_policy_address(policy, &a, row->port, netaddr_classify(&a)),
		row->want);
}

#define FORM "; it is HOST[:PORT], *.DOMAIN[:PORT], IP[/BITS][:PORT] or @LIST"

static const struct bad_row {
	const char *name, *rule, *msg;
} bads[] = {
	{ "no verb", "example.com", "bad rule 'example.com': neither allow nor deny" },
	{ "no such list", "allow @nope",
	  "no list of hosts is called '@nope'; 'cubby help network' has their names" },
	{ "odd number", "allow 0x7f.1", "bad network pattern '0x7f.1'" FORM },
	{ "one number", "allow 2130706433", "bad network pattern '2130706433'" FORM },
	{ "port 0", "allow a.b:0", "bad network pattern 'a.b:0'" FORM },
	{ "port too big", "allow a.b:65536", "bad network pattern 'a.b:65536'" FORM },
	{ "bits too many", "allow 1.2.3.4/33",
	  "bad network pattern '1.2.3.4/33'" FORM },
	{ "star inside", "allow a.*.b", "bad network pattern 'a.*.b'" FORM },
	{ "empty", "allow ", "bad network pattern ''" FORM },
	{ "URL", "allow http://a.b/", "bad network pattern 'http://a.b/'" FORM },
	{ "no UTF-8", "allow b\xfc.example:443",
	  "bad network pattern 'b\xfc.example:443': string encoding error" },
	{ "an address in wide digits", "allow \uff11\uff12\uff17.0.0.1",
	  "bad network pattern '\uff11\uff12\uff17.0.0.1'" FORM },
	{ "a wide star", "allow \uff0a.example",
	  "bad network pattern '\uff0a.example'" FORM },
	{ "a wide colon", "allow a.example\uff1a22",
	  "bad network pattern 'a.example\uff1a22'" FORM },
	{ "a wide slash", "allow 10.0.0.0\uff0f8",
	  "bad network pattern '10.0.0.0\uff0f8'" FORM },
	{ "an option", "allow -1",
	  "bad network pattern '-1'; a host's name has letters, digits, '-', '_' and '.', "
	  "and does not begin with '-'" },
	{ "an option below", "deny *.-x.org:443",
	  "bad network pattern '*.-x.org:443'; a host's name has letters, digits, '-', '_' "
	  "and '.', and does not begin with '-'" },
	{ "the box", "allow LocalHost.:8080",
	  "bad network pattern 'localhost.:8080': this is the box itself; "
	  "the host is 'host.cubby.internal:8080'" },
	{ "below the box", "allow *.localhost",
	  "bad network pattern '*.localhost': this is the box itself; "
	  "the host is 'host.cubby.internal'" },
	{ "empty label", "allow a..b", "bad network pattern 'a..b'" FORM },
	{ "star alone below", "allow *.", "bad network pattern '*.'" FORM },
};

static void refuses(const void *p)
{
	const struct bad_row *row = p;
	_cleanup_gate_policy_ struct gate_policy *policy = NULL;
	struct err e = ERR_NONE;

	unit_ok(gate_policy_new(&policy, &e), &e);
	assert_int_equal(gate_policy_add(policy, row->rule, &e), -EINVAL);
	unit_err(&e, -EINVAL, row->msg);
	assert_true(gate_policy_is_open(policy));
}

static void lists_and_drops(void)
{
	static const char *const rules[] = { "allow A.b.", "deny c.d", "allow a.b",
					     "deny C.d.", NULL };
	_cleanup_gate_policy_ struct gate_policy *p = policy_of(rules);
	_cleanup_json_ struct json *list = gate_policy_list(p);
	struct err e = ERR_NONE;

	assert_int_equal(json_len(list), 2);
	assert_string_equal(json_str(json_first(list)), "allow a.b");
	assert_false(gate_policy_is_open(p));
	unit_ok(gate_policy_drop(p, "a.B", &e), &e);
	assert_true(gate_policy_is_open(p));
	assert_int_equal(gate_policy_drop(p, "a.b", &e), -ENOENT);
	unit_err(&e, -ENOENT, "there is no rule for 'a.b'");
	unit_ok(gate_policy_add(p, "allow *.b\u00fccher.example:22", &e), &e);
	json_free(&list);
	list = gate_policy_list(p);
	assert_string_equal(json_str(json_next(json_first(list))),
			    "allow *.xn--bcher-kva.example:22");
	unit_ok(gate_policy_drop(p, "*.B\u00fccher.example.:22", &e), &e);
	assert_true(gate_policy_is_open(p));
}

/* Every host of every list must be a pattern that can match. */
static void lists_are_sound(void)
{
	_cleanup_gate_policy_ struct gate_policy *p = NULL;
	struct err e = ERR_NONE;
	size_t n = 0;

	unit_ok(gate_policy_new(&p, &e), &e);
	for (const struct gate_preset *l; (l = gate_preset_at(n)); n++) {
		assert_ptr_equal(gate_preset_find(l->name), l);
		assert_non_null(l->hosts[0]);
		for (int i = 0; i < GATE_PRESET_HOSTS && l->hosts[i]; i++) {
			char rule[300];

			snprintf(rule, sizeof(rule), "allow %s", l->hosts[i]);
			unit_ok(gate_policy_add(p, rule, &e), &e);
		}
	}
	assert_int_equal(n, 7);
	assert_null(gate_preset_find("@nope"));
}

static void one_rule_too_many_says_so(void)
{
	_cleanup_gate_policy_ struct gate_policy *p = NULL;
	struct err e = ERR_NONE;
	char rule[64];

	unit_ok(gate_policy_new(&p, &e), &e);
	for (int i = 0; i < 1024; i++) {
		snprintf(rule, sizeof(rule), "deny h%d.example", i);
		unit_ok(gate_policy_add(p, rule, &e), &e);
	}
	assert_int_equal(gate_policy_add(p, "deny h.example", &e), -ENOSPC);
	unit_err(&e, -ENOSPC,
		 "no room for the rule 'deny h.example': a box has 1024 at the most; "
		 "'cubby net --drop HOST' takes one out");
	unit_ok(gate_policy_add(p, rule, &e), &e); /* one that it has is no other */
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "lists and drops", lists_and_drops },
		{ "lists are sound", lists_are_sound },
		{ "one rule too many says so", one_rule_too_many_says_so },
	};
	int r = unit_rows("netpolicy", rows, judges);

	r |= unit_rows("gate_policy_address", addrs, judges_addresses);
	r |= unit_rows("gate_policy_add", bads, refuses);
	return r | unit_cases("netpolicy", cases);
}
