/* netpolicy - what a box may reach: rules by name and by address.
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
#ifndef RUNTIME_NETPOLICY_H
#define RUNTIME_NETPOLICY_H

#include "base/err.h"
#include "base/json.h"
#include "base/scope.h"
#include "runtime/netaddr.h"

#define NETPOLICY_HOST "host.cubby.internal"

enum { NETPOLICY_RULES = 1024, NETPOLICY_NAME = 256 };

struct netpolicy;
int netpolicy_new(struct netpolicy **ret, struct err *e);
void netpolicy_free(struct netpolicy **p);
#define _cleanup_netpolicy_ _cleanup_(netpolicy_free)

/** netpolicy_add() - one rule ("allow …", "deny …"); a second time is no change
 *  Return: 0, -EINVAL (said exactly), -ENOPKG (an international name, and no
 *  libidn2), -ENOSPC, -ENOMEM. */
int netpolicy_add(struct netpolicy *p, const char *rule, struct err *e);
/** netpolicy_drop() - take out the allow and deny rules of @pattern; -ENOENT */
int netpolicy_drop(struct netpolicy *p, const char *pattern, struct err *e);
/** netpolicy_load() - all rules of an array of strings; @rules NULL: none */
int netpolicy_load(struct netpolicy *p, const struct json *rules, struct err *e);
/** netpolicy_list() - the rules as they were added; owned; NULL = out of memory */
struct json *netpolicy_list(const struct netpolicy *p);
/** netpolicy_is_open() - true when there is no allow rule: any public name */
bool netpolicy_is_open(const struct netpolicy *p);

/** netpolicy_by_name() - true when a rule is about names (but "*") */
bool netpolicy_by_name(const struct netpolicy *p);

enum netpolicy_verdict {
	NETPOLICY_ALLOW,
	NETPOLICY_UNLISTED, /* there are allow rules, none matches */
	NETPOLICY_DENIED    /* a deny rule matches */
};

/** netpolicy_name() - @name is lower case, without a final dot; @port 0 = is there any
 *  port at which it could be reached (what DNS asks) */
enum netpolicy_verdict netpolicy_name(const struct netpolicy *p, const char *name,
				      uint16_t port);
/** netpolicy_literal() - an address that the box dialled by number */
enum netpolicy_verdict netpolicy_literal(const struct netpolicy *p,
					 const struct netaddr *a, uint16_t port);

/** netpolicy_names() - true when an allow rule names this address by its number */
bool netpolicy_names(const struct netpolicy *p, const struct netaddr *a, uint16_t port);

/**
 * netpolicy_address() - may this address be dialled, whatever name led to it
 * @class: netaddr_classify(), or worse when the caller knows better (NETADDR_LOOPBACK
 *         for the host's own addresses)
 */
enum netpolicy_verdict netpolicy_address(const struct netpolicy *p,
					 const struct netaddr *a, uint16_t port,
					 enum netaddr_class class);

#endif
