#include "runtime/net/rules.h"

#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter_ipv4.h>
#include <netinet/ip_icmp.h>
#include <netinet/tcp.h>
#include <stdbool.h>

#include "runtime/net/netlink.h"

/* A rule here is a row of matches and one action: no expression language is needed.
 * Offsets are those of the IPv4, TCP, UDP and ICMP headers. */

static const char table[] = "cubby";

enum match_kind {
	MATCH_END,
	MATCH_L4,
	MATCH_LOCAL,
	MATCH_BYTE,
	MATCH_PORT,
	MATCH_MARK
};

struct match {
	enum match_kind kind;
	bool differs;	/* must differ */
	uint8_t offset; /* BYTE, PORT: in the transport header */
	uint8_t mask;	/* BYTE */
	uint32_t value; /* L4: protocol; BYTE; PORT: host order; MARK */
};

enum action_kind { ACT_ACCEPT, ACT_DROP, ACT_REJECT, ACT_TPROXY, ACT_REDIRECT };

struct action {
	enum action_kind kind;
	uint8_t icmp_code;
	struct sockaddr_in to;
};

struct rule {
	const char *chain;
	struct match match[4];
	struct action action;
};

static void begin(struct netlink *n, uint16_t type, uint16_t flags)
{
	struct nfgenmsg head = { .nfgen_family = NFPROTO_IPV4,
				 .version = NFNETLINK_V0 };

	netlink_begin(n, (uint16_t)(NFNL_SUBSYS_NFTABLES << 8 | type),
		      flags | NLM_F_ACK | NLM_F_CREATE, &head, sizeof(head));
}

static void batch(struct netlink *n, uint16_t type)
{
	struct nfgenmsg head = { .version = NFNETLINK_V0,
				 .res_id = htons(NFNL_SUBSYS_NFTABLES) };

	netlink_begin(n, type, 0, &head, sizeof(head));
	netlink_end(n);
}

/* Opens one expression and its data; @at takes what close_expr() needs. */
static void open_expr(struct netlink *n, const char *name, size_t at[2])
{
	at[0] = netlink_nest(n, NFTA_LIST_ELEM);
	netlink_put_str(n, NFTA_EXPR_NAME, name);
	at[1] = netlink_nest(n, NFTA_EXPR_DATA);
}

static void close_expr(struct netlink *n, const size_t at[2])
{
	netlink_close(n, at[1]);
	netlink_close(n, at[0]);
}

static void put_data(struct netlink *n, uint16_t type, const void *v, size_t len)
{
	size_t at = netlink_nest(n, type);

	netlink_put(n, NFTA_DATA_VALUE, v, len);
	netlink_close(n, at);
}

static void load(struct netlink *n, uint32_t base, uint32_t offset, uint32_t len)
{
	size_t at[2];

	open_expr(n, "payload", at);
	netlink_put_be32(n, NFTA_PAYLOAD_DREG, NFT_REG_1);
	netlink_put_be32(n, NFTA_PAYLOAD_BASE, base);
	netlink_put_be32(n, NFTA_PAYLOAD_OFFSET, offset);
	netlink_put_be32(n, NFTA_PAYLOAD_LEN, len);
	close_expr(n, at);
}

static void mask(struct netlink *n, const void *m, size_t len)
{
	static const uint8_t zero[4];
	size_t at[2];

	open_expr(n, "bitwise", at);
	netlink_put_be32(n, NFTA_BITWISE_SREG, NFT_REG_1);
	netlink_put_be32(n, NFTA_BITWISE_DREG, NFT_REG_1);
	netlink_put_be32(n, NFTA_BITWISE_LEN, (uint32_t)len);
	put_data(n, NFTA_BITWISE_MASK, m, len);
	put_data(n, NFTA_BITWISE_XOR, zero, len);
	close_expr(n, at);
}

static void compare(struct netlink *n, bool differs, const void *v, size_t len)
{
	size_t at[2];

	open_expr(n, "cmp", at);
	netlink_put_be32(n, NFTA_CMP_SREG, NFT_REG_1);
	netlink_put_be32(n, NFTA_CMP_OP, differs ? NFT_CMP_NEQ : NFT_CMP_EQ);
	put_data(n, NFTA_CMP_DATA, v, len);
	close_expr(n, at);
}

static void load_meta(struct netlink *n, uint32_t key)
{
	size_t at[2];

	open_expr(n, "meta", at);
	netlink_put_be32(n, NFTA_META_DREG, NFT_REG_1);
	netlink_put_be32(n, NFTA_META_KEY, key);
	close_expr(n, at);
}

static void put_match(struct netlink *n, const struct match *m)
{
	uint8_t byte = (uint8_t)m->value;

	switch (m->kind) {
	case MATCH_END:
		return;
	case MATCH_L4:
		load_meta(n, NFT_META_L4PROTO);
		compare(n, m->differs, &byte, 1);
		return;
	case MATCH_MARK:
		load_meta(n, NFT_META_MARK);
		compare(n, m->differs, &m->value, 4);
		return;
	case MATCH_LOCAL: /* destination in 127.0.0.0/8 */
		load(n, NFT_PAYLOAD_NETWORK_HEADER, 16, 1);
		compare(n, m->differs, &(uint8_t){ 127 }, 1);
		return;
	case MATCH_BYTE:
		load(n, NFT_PAYLOAD_TRANSPORT_HEADER, m->offset, 1);
		if (m->mask)
			mask(n, &m->mask, 1);
		compare(n, m->differs, &byte, 1);
		return;
	case MATCH_PORT:
		load(n, NFT_PAYLOAD_TRANSPORT_HEADER, m->offset, 2);
		compare(n, m->differs, &(uint16_t){ htons((uint16_t)m->value) }, 2);
		return;
	}
}

static void immediate(struct netlink *n, uint32_t reg, const void *v, size_t len)
{
	size_t at[2];

	open_expr(n, "immediate", at);
	netlink_put_be32(n, NFTA_IMMEDIATE_DREG, reg);
	put_data(n, NFTA_IMMEDIATE_DATA, v, len);
	close_expr(n, at);
}

static void end_with(struct netlink *n, uint32_t verdict_code)
{
	size_t at[2], data, verdict;

	open_expr(n, "immediate", at);
	netlink_put_be32(n, NFTA_IMMEDIATE_DREG, NFT_REG_VERDICT);
	data = netlink_nest(n, NFTA_IMMEDIATE_DATA);
	verdict = netlink_nest(n, NFTA_DATA_VERDICT);
	netlink_put_be32(n, NFTA_VERDICT_CODE, verdict_code);
	netlink_close(n, verdict);
	netlink_close(n, data);
	close_expr(n, at);
}

static void put_action(struct netlink *n, const struct action *a)
{
	size_t at[2];

	switch (a->kind) {
	case ACT_ACCEPT:
		end_with(n, NF_ACCEPT);
		return;
	case ACT_DROP:
		end_with(n, NF_DROP);
		return;
	case ACT_REJECT:
		open_expr(n, "reject", at);
		netlink_put_be32(n, NFTA_REJECT_TYPE, NFT_REJECT_ICMP_UNREACH);
		netlink_put(n, NFTA_REJECT_ICMP_CODE, &a->icmp_code, 1);
		close_expr(n, at);
		return;
	case ACT_TPROXY:
		immediate(n, NFT_REG_1, &a->to.sin_addr, 4);
		immediate(n, NFT_REG_2, &a->to.sin_port, 2);
		open_expr(n, "tproxy", at);
		netlink_put_be32(n, NFTA_TPROXY_FAMILY, NFPROTO_IPV4);
		netlink_put_be32(n, NFTA_TPROXY_REG_ADDR, NFT_REG_1);
		netlink_put_be32(n, NFTA_TPROXY_REG_PORT, NFT_REG_2);
		close_expr(n, at);
		end_with(n, NF_ACCEPT); /* or the next rule would be asked, too */
		return;
	case ACT_REDIRECT:
		immediate(n, NFT_REG_1, &a->to.sin_port, 2);
		open_expr(n, "redir", at);
		netlink_put_be32(n, NFTA_REDIR_REG_PROTO_MIN, NFT_REG_1);
		close_expr(n, at);
		return;
	}
}

static void put_rule(struct netlink *n, const struct rule *rule)
{
	size_t list;

	begin(n, NFT_MSG_NEWRULE, NLM_F_APPEND);
	netlink_put_str(n, NFTA_RULE_TABLE, table);
	netlink_put_str(n, NFTA_RULE_CHAIN, rule->chain);
	list = netlink_nest(n, NFTA_RULE_EXPRESSIONS);
	for (size_t i = 0; i < 4 && rule->match[i].kind != MATCH_END; i++)
		put_match(n, &rule->match[i]);
	put_action(n, &rule->action);
	netlink_close(n, list);
	netlink_end(n);
}

static void put_chain(struct netlink *n, const char *name, const char *type,
		      uint32_t hook, int priority)
{
	size_t at;

	begin(n, NFT_MSG_NEWCHAIN, 0);
	netlink_put_str(n, NFTA_CHAIN_TABLE, table);
	netlink_put_str(n, NFTA_CHAIN_NAME, name);
	at = netlink_nest(n, NFTA_CHAIN_HOOK);
	netlink_put_be32(n, NFTA_HOOK_HOOKNUM, hook);
	netlink_put_be32(n, NFTA_HOOK_PRIORITY, (uint32_t)priority);
	netlink_close(n, at);
	netlink_put_str(n, NFTA_CHAIN_TYPE, type);
	netlink_end(n);
}

static void open_table(struct netlink *n)
{
	netlink_init(n);
	batch(n, NFNL_MSG_BATCH_BEGIN);
	begin(n, NFT_MSG_NEWTABLE, 0);
	netlink_put_str(n, NFTA_TABLE_NAME, table);
	netlink_end(n);
}

/* What a program of the box sent to an address that is not its own: TCP and DNS go on,
 * everything else is refused with an ICMP error at once. ICMP that is no ping is such
 * an error on its way back. Refused on arrival, for a packet that is refused on its way
 * out makes the sender's own call fail with EPERM, which no program expects. */
static const struct rule refusals[] = {
	/* clang-format off */
	{ "refuse", { { .kind = MATCH_LOCAL } }, { .kind = ACT_ACCEPT } },
	{ "refuse", { { .kind = MATCH_L4, .value = IPPROTO_TCP } }, { .kind = ACT_ACCEPT } },
	{ "refuse", { { .kind = MATCH_L4, .value = IPPROTO_UDP },
		   { .kind = MATCH_PORT, .offset = 2, .value = 53 } }, { .kind = ACT_ACCEPT } },
	{ "refuse", { { .kind = MATCH_L4, .value = IPPROTO_UDP },
		   { .kind = MATCH_PORT, .offset = 0, .value = 53 } }, { .kind = ACT_ACCEPT } },
	{ "refuse", { { .kind = MATCH_L4, .value = IPPROTO_UDP } },
	  { .kind = ACT_REJECT, .icmp_code = ICMP_PORT_UNREACH } },
	{ "refuse", { { .kind = MATCH_L4, .value = IPPROTO_ICMP },
		   { .kind = MATCH_BYTE, .differs = true, .offset = 0, .value = ICMP_ECHO } },
	  { .kind = ACT_ACCEPT } },
	{ "refuse", { { .kind = MATCH_END } }, { .kind = ACT_REJECT, .icmp_code = ICMP_PKT_FILTERED } },
	/* clang-format on */
};

static void put_refusals(struct netlink *n)
{
	put_chain(n, "refuse", "filter", NF_INET_LOCAL_IN, NF_IP_PRI_FILTER);
	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++)
		put_rule(n, &refusals[i]);
}

/* clang-format off */
#define TCP_FIRST { .kind = MATCH_L4, .value = IPPROTO_TCP }, \
		  { .kind = MATCH_LOCAL, .differs = true }, \
		  { .kind = MATCH_BYTE, .offset = 13, .mask = TH_SYN | TH_ACK, .value = TH_SYN }
#define TO_PORT(n) { .kind = MATCH_PORT, .offset = 2, .value = (n) }
/* clang-format on */

static int proxy(const struct rule *rules, size_t count, const struct sockaddr_in *dns)
{
	/* clang-format off */
	const struct rule query = {
		"in", { { .kind = MATCH_L4, .value = IPPROTO_UDP },
			{ .kind = MATCH_LOCAL, .differs = true }, TO_PORT(53) },
		{ .kind = ACT_TPROXY, .to = *dns }
	};
	/* clang-format on */
	struct netlink n;

	open_table(&n);
	put_chain(&n, "in", "filter", NF_INET_PRE_ROUTING, NF_IP_PRI_MANGLE);
	for (size_t i = 0; i < count; i++)
		put_rule(&n, &rules[i]);
	put_rule(&n, &query);
	put_refusals(&n);
	batch(&n, NFNL_MSG_BATCH_END);
	return netlink_talk(&n, NETLINK_NETFILTER);
}

int netrules_tproxy(const struct sockaddr_in *tcp, const struct sockaddr_in *dns)
{
	const struct rule rules[] = {
		{ "in", { TCP_FIRST }, { .kind = ACT_TPROXY, .to = *tcp } },
	};

	return proxy(rules, ARRAY_SIZE(rules), dns);
}

int netrules_held(const struct sockaddr_in *tcp, const struct sockaddr_in *dns,
		  uint32_t mark)
{
	/* clang-format off */
	const struct rule rules[] = {
		{ "in", { TCP_FIRST, TO_PORT(53) }, { .kind = ACT_TPROXY, .to = *tcp } },
		{ "in", { TCP_FIRST, { .kind = MATCH_MARK, .value = mark } },
		  { .kind = ACT_TPROXY, .to = *tcp } },
		{ "in", { TCP_FIRST }, { .kind = ACT_DROP } },
	};
	/* clang-format on */

	return proxy(rules, ARRAY_SIZE(rules), dns);
}

int netrules_redirect(uint16_t port)
{
	const struct rule rule = {
		"nat",
		{ { .kind = MATCH_L4, .value = IPPROTO_TCP },
		  { .kind = MATCH_LOCAL, .differs = true } },
		{ .kind = ACT_REDIRECT, .to = { .sin_port = htons(port) } },
	};
	struct netlink n;

	open_table(&n);
	put_chain(&n, "nat", "nat", NF_INET_LOCAL_OUT, NF_IP_PRI_NAT_DST);
	put_rule(&n, &rule);
	put_refusals(&n);
	batch(&n, NFNL_MSG_BATCH_END);
	return netlink_talk(&n, NETLINK_NETFILTER);
}
