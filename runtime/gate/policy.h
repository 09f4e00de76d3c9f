/* policy - what a box may reach: rules by name and by address.
 * Needs:  patterns that people wrote.
 * Owns:   its rules.
 * Never:  resolves a name; lets a rule by name open an address that is not public.
 *
 * A pattern is HOST[:PORT], *.DOMAIN[:PORT] (what is below DOMAIN, not itself),
 * *[:PORT] (every public name and address), IP[/BITS][:PORT] with IPv6 in brackets
 * when a port follows, or @PRESET. International names are kept, and listed, in the form
 * in which they are looked up (base/idn.h). A rule is "allow PATTERN" or "deny PATTERN".
 *
 * Any deny that matches refuses. Else any allow that matches allows. Else: allowed when
 * there is no allow rule at all, refused when there is. An address that is not public
 * needs, besides, an allow rule that names it (IP or IP/BITS). host.cubby.internal is
 * the host's loopback and needs an allow rule of exactly that name. */
#ifndef RUNTIME_GATE_POLICY_H
#define RUNTIME_GATE_POLICY_H

#include "base/err.h"
#include "base/json.h"
#include "base/scope.h"
#include "runtime/net/addr.h"

#define GATE_POLICY_HOST "host.cubby.internal"

enum { GATE_POLICY_RULES = 1024, GATE_POLICY_NAME = 256 };

struct gate_policy;
int gate_policy_new(struct gate_policy **ret, struct err *e);
void gate_policy_free(struct gate_policy **p);
#define _cleanup_gate_policy_ _cleanup_(gate_policy_free)

/** gate_policy_add() - one rule ("allow …", "deny …"); a second time is no change
 *  Return: 0, -EINVAL (said exactly), -ENOPKG (an international name, and no
 *  libidn2), -ENOSPC, -ENOMEM. */
int gate_policy_add(struct gate_policy *p, const char *rule, struct err *e);
/** gate_policy_drop() - take out the allow and deny rules of @pattern; -ENOENT */
int gate_policy_drop(struct gate_policy *p, const char *pattern, struct err *e);
/** gate_policy_load() - all rules of an array of strings; @rules NULL: none */
int gate_policy_load(struct gate_policy *p, const struct json *rules, struct err *e);
/** gate_policy_list() - the rules as they were added; owned; to be asked
 *  whether it is complete */
struct json *gate_policy_list(const struct gate_policy *p);
/** gate_policy_is_open() - true when there is no allow rule: any public name */
bool gate_policy_is_open(const struct gate_policy *p);

/** gate_policy_by_name() - true when a rule is about names (but "*") */
bool gate_policy_by_name(const struct gate_policy *p);

enum gate_policy_verdict {
	GATE_POLICY_ALLOW,
	GATE_POLICY_UNLISTED, /* there are allow rules, none matches */
	GATE_POLICY_DENIED    /* a deny rule matches */
};

/** gate_policy_name() - @name is lower case, without a final dot; @port 0 = is there any
 *  port at which it could be reached (what DNS asks) */
enum gate_policy_verdict gate_policy_name(const struct gate_policy *p, const char *name,
					  uint16_t port);
/** gate_policy_literal() - an address that the box dialled by number */
enum gate_policy_verdict gate_policy_literal(const struct gate_policy *p,
					     const struct netaddr *a, uint16_t port);

/** gate_policy_names() - true when an allow rule names this address by its number */
bool gate_policy_names(const struct gate_policy *p, const struct netaddr *a,
		       uint16_t port);

/**
 * gate_policy_address() - may this address be dialled, whatever name led to it
 * @class: netaddr_classify(), or worse when the caller knows better (NETADDR_LOOPBACK
 *         for the host's own addresses)
 */
enum gate_policy_verdict gate_policy_address(const struct gate_policy *p,
					     const struct netaddr *a, uint16_t port,
					     enum netaddr_class class);

#endif
