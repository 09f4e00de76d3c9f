#include "runtime/net/netns.h"

#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <string.h>

#include "base/sys/sys.h"
#include "runtime/net/netlink.h"
#include "runtime/net/rules.h"
#include "runtime/net/syn.h"

/* A TCP port that no program wants (RFC 1078, never used): where the one listener
 * stands. Nobody needs to know it: the rules lead there. */
enum { CATCH_PORT = 1, DNS_PORT = 53, BACKLOG = 4096, LO_INDEX = 1 };

/* What is caught where the kernel has no nftables. Documented in docs/network.md. DNS
 * over TCP is the first. */
static const uint16_t fixed_ports[NETNS_TCP_MAX] = { 53, 80, 443, 22, 9418 };

const char *netns_catch_name(enum netns_catch c)
{
	static const char *const names[] = { "none", "held", "tproxy", "redirect",
					     "ports" };

	return c < ARRAY_SIZE(names) ? names[c] : "?";
}

void netns_fds_done(struct netns_fds *f)
{
	scope_close_set(f->fd, NETNS_FDS);
	scope_close_set(&f->init_fd, 1);
}

/* Interface 1 is the loopback of every network namespace. */
static int loopback_up(void)
{
	const struct ifinfomsg link = { .ifi_index = LO_INDEX,
					.ifi_flags = IFF_UP,
					.ifi_change = IFF_UP };
	struct netlink n;

	netlink_init(&n);
	netlink_begin(&n, RTM_NEWLINK, NLM_F_ACK, &link, sizeof(link));
	netlink_end(&n);
	return netlink_talk(&n, NETLINK_ROUTE);
}

/* Segments of 192 KiB instead of 64 on their way through the loopback interface: fewer
 * packets for the same bytes ("BIG TCP" for IPv4, Linux 6.3). Older kernels do not know
 * these attributes and pass over them; without it all is the same, but slower. */
static void large_segments(void)
{
	const struct ifinfomsg link = { .ifi_index = LO_INDEX };
	const uint32_t bytes = NETNS_SEGMENT;
	struct netlink n;

	netlink_init(&n);
	netlink_begin(&n, RTM_NEWLINK, NLM_F_ACK, &link, sizeof(link));
	netlink_put(&n, NETNS_GSO_IPV4_MAX_SIZE, &bytes, sizeof(bytes));
	netlink_put(&n, NETNS_GRO_IPV4_MAX_SIZE, &bytes, sizeof(bytes));
	netlink_end(&n);
	(void)netlink_talk(&n, NETLINK_ROUTE);
}

/* "ip route add local default dev lo congctl reno": every IPv4 address is this machine. A
 * way without length cannot be congested, and reno is what costs nothing then: what the
 * host has for real networks would pace the bytes between a program and the gate (bbr: half
 * as many). IPv6 gets no route at all: a connect to anything but ::1 is ENETUNREACH at
 * once, and no name has an IPv6 address in here. */
static int everything_local(void)
{
	const struct rtmsg route = { .rtm_family = AF_INET,
				     .rtm_table = RT_TABLE_LOCAL,
				     .rtm_protocol = RTPROT_BOOT,
				     .rtm_scope = RT_SCOPE_HOST,
				     .rtm_type = RTN_LOCAL };
	struct netlink n;
	size_t at;

	netlink_init(&n);
	netlink_begin(&n, RTM_NEWROUTE, NLM_F_ACK | NLM_F_CREATE, &route,
		      sizeof(route));
	netlink_put(&n, RTA_OIF, &(uint32_t){ LO_INDEX }, 4);
	at = netlink_nest(&n, RTA_METRICS);
	netlink_put_str(&n, RTAX_CC_ALGO, NETNS_CONGESTION);
	netlink_close(&n, at);
	netlink_end(&n);
	return netlink_talk(&n, NETLINK_ROUTE);
}

static int set_on(int fd, int level, int name)
{
	return sys_setsockopt(fd, level, name, &(int){ 1 }, sizeof(int));
}

/* @type: SOCK_STREAM (listens) or SOCK_DGRAM (tells where each query was sent). */
static int server(int type, const struct sockaddr_in *at, bool transparent)
{
	_cleanup_close_ int fd = sys_socket(AF_INET, type | SOCK_NONBLOCK, 0);
	int r;

	if (fd < 0)
		return fd;
	r = set_on(fd, SOL_SOCKET, SO_REUSEADDR) ?:
		(transparent ? set_on(fd, SOL_IP, IP_TRANSPARENT) : 0) ?:
		(type == SOCK_DGRAM ? set_on(fd, SOL_IP, IP_PKTINFO) : 0) ?:
		sys_bind(fd, (const struct sockaddr *)at, sizeof(*at)) ?:
		(type == SOCK_STREAM ? sys_listen(fd, BACKLOG) : 0);
	return r < 0 ? r : take(&fd, -1);
}

static struct sockaddr_in address(const char *ip, uint16_t port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(port) };

	inet_pton(AF_INET, ip, &a.sin_addr); /* a constant of ours */
	return a;
}

static int add_server(struct netns_fds *f, const struct sockaddr_in *at, bool own)
{
	int fd = server(SOCK_STREAM, at, own);

	if (fd < 0)
		return fd;
	f->fd[NETNS_FD_TCP + f->facts.n_tcp] = fd;
	f->facts.port[f->facts.n_tcp++] = ntohs(at->sin_port);
	return 0;
}

/* The first packets of connections to addresses that are not 127.0.0.0/8, but DNS and
 * those that were sent on; from the IPv4 header on (SOCK_DGRAM), at most NETSYN_SEEN. */
enum { NETSYN_SEEN = 120, DROPPED = 11 };
#define UNLESS(jump, k, at) BPF_JUMP(BPF_JMP | (jump) | BPF_K, k, 0, DROPPED - (at))
#define IF(jump, k, at) BPF_JUMP(BPF_JMP | (jump) | BPF_K, k, DROPPED - (at), 0)
static const struct sock_filter first_packets[] = {
	BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 9), /* protocol */
	UNLESS(BPF_JEQ, IPPROTO_TCP, 1),
	BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 16), /* destination */
	IF(BPF_JEQ, 127, 3),
	BPF_STMT(BPF_LDX | BPF_B | BPF_MSH, 0),
	BPF_STMT(BPF_LD | BPF_H | BPF_IND, 2), /* its port */
	IF(BPF_JEQ, DNS_PORT, 6),
	BPF_STMT(BPF_LD | BPF_B | BPF_IND, 13), /* flags */
	BPF_STMT(BPF_ALU | BPF_AND | BPF_K, TH_SYN | TH_ACK),
	UNLESS(BPF_JEQ, TH_SYN, 9),
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(SKF_AD_OFF + SKF_AD_MARK)),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NETSYN_MARK, 0, 1),
	BPF_STMT(BPF_RET | BPF_K, 0), /* DROPPED + 1 */
	BPF_STMT(BPF_RET | BPF_K, NETSYN_SEEN),
};

/* Of every interface: one that is bound to a single one would have its packets copied.
 * It hears nothing before the filter is there. */
static int packet_socket(void)
{
	const struct sock_fprog prog = {
		ARRAY_SIZE(first_packets),
		(struct sock_filter *)(uintptr_t)first_packets,
	};
	const struct sockaddr_ll at = { .sll_family = AF_PACKET,
					.sll_protocol = htons(ETH_P_IP) };
	const int most = 4 << 20; /* as much as the host allows */
	_cleanup_close_ int fd = sys_socket(AF_PACKET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	int r;

	if (fd < 0)
		return fd;
	r = sys_setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &prog, sizeof(prog)) ?:
		sys_setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &most, sizeof(most)) ?:
		sys_bind(fd, (const struct sockaddr *)&at, sizeof(at));
	return r < 0 ? r : take(&fd, -1);
}

static int raw_socket(void)
{
	_cleanup_close_ int fd =
		sys_socket(AF_INET, SOCK_RAW | SOCK_NONBLOCK, IPPROTO_RAW);
	int r = fd;

	if (r >= 0)
		r = sys_setsockopt(fd, SOL_SOCKET, SO_MARK, &(int){ NETSYN_MARK },
				   sizeof(int));
	return r < 0 ? r : take(&fd, -1);
}

static int proxy_servers(struct netns_fds *f, const struct sockaddr_in *tcp,
			 const struct sockaddr_in *dns)
{
	f->fd[NETNS_FD_DNS] = server(SOCK_DGRAM, dns, true);
	if (f->fd[NETNS_FD_DNS] < 0)
		return f->fd[NETNS_FD_DNS];
	return add_server(f, tcp, true);
}

static int catch_held(struct netns_fds *f)
{
	struct sockaddr_in tcp = address(NETNS_GATE_ADDR, CATCH_PORT);
	struct sockaddr_in dns = address(NETNS_GATE_ADDR, DNS_PORT);
	int r = f->fd[NETNS_FD_SYN] = packet_socket();

	if (r >= 0)
		r = f->fd[NETNS_FD_RAW] = raw_socket();
	if (r >= 0)
		r = proxy_servers(f, &tcp, &dns);
	return r < 0 ? r : netrules_held(&tcp, &dns, NETSYN_MARK);
}

static int catch_tproxy(struct netns_fds *f)
{
	struct sockaddr_in tcp = address(NETNS_GATE_ADDR, CATCH_PORT);
	struct sockaddr_in dns = address(NETNS_GATE_ADDR, DNS_PORT);
	int r = proxy_servers(f, &tcp, &dns);

	return r < 0 ? r : netrules_tproxy(&tcp, &dns);
}

static int catch_redirect(struct netns_fds *f)
{
	struct sockaddr_in tcp = address("127.0.0.1", CATCH_PORT);
	struct sockaddr_in dns = address("0.0.0.0", DNS_PORT);
	int r;

	f->fd[NETNS_FD_DNS] = server(SOCK_DGRAM, &dns, false);
	if (f->fd[NETNS_FD_DNS] < 0)
		return f->fd[NETNS_FD_DNS];
	r = add_server(f, &tcp, false);
	return r < 0 ? r : netrules_redirect(CATCH_PORT);
}

static int catch_ports(struct netns_fds *f)
{
	struct sockaddr_in dns = address("0.0.0.0", DNS_PORT);

	f->fd[NETNS_FD_DNS] = server(SOCK_DGRAM, &dns, false);
	if (f->fd[NETNS_FD_DNS] < 0)
		return f->fd[NETNS_FD_DNS];
	for (size_t i = 0; i < ARRAY_SIZE(fixed_ports); i++) {
		struct sockaddr_in a = address("0.0.0.0", fixed_ports[i]);
		int r = add_server(f, &a, false);

		if (r < 0)
			return r;
	}
	return 0;
}

/* Tries @first and what is below it; a rung that failed leaves nothing behind. */
static int catch_traffic(struct netns_fds *f, enum netns_catch first)
{
	static int (*const rungs[])(struct netns_fds *) = {
		[NETNS_CATCH_HELD] = catch_held,
		[NETNS_CATCH_TPROXY] = catch_tproxy,
		[NETNS_CATCH_REDIRECT] = catch_redirect,
		[NETNS_CATCH_PORTS] = catch_ports,
	};
	int r = -EINVAL;

	for (size_t i = first; i < ARRAY_SIZE(rungs); i++) {
		r = rungs[i](f);
		if (r >= 0) {
			f->facts.caught = (uint8_t)i;
			return 0;
		}
		scope_close_set(&f->fd[NETNS_FD_DNS], NETNS_FDS - NETNS_FD_DNS);
		f->facts.n_tcp = 0;
	}
	return r;
}

static void write_sysctl(const char *path, const char *text)
{
	_cleanup_close_ int fd = sys_open(path, O_WRONLY);

	if (fd >= 0)
		(void)sys_write(fd, text, strlen(text));
}

/* Any program may serve port 80 and ping itself. The second group range is what a map
 * with a single id refuses. */
void netns_sysctls(void)
{
	static const char ping[] = "/proc/sys/net/ipv4/ping_group_range";

	write_sysctl("/proc/sys/net/ipv4/ip_unprivileged_port_start", "0");
	write_sysctl(ping, "0 0");
	write_sysctl(ping, "0 65534");
}

static int have_ipv6(void)
{
	_cleanup_close_ int fd = sys_socket(AF_INET6, SOCK_DGRAM, 0);
	struct sockaddr_in6 a = { .sin6_family = AF_INET6,
				  .sin6_addr = IN6ADDR_LOOPBACK_INIT };

	return fd >= 0 && sys_bind(fd, (struct sockaddr *)&a, sizeof(a)) >= 0;
}

/* Descriptors that do not depend on what is caught. */
static int open_common(struct netns_fds *f)
{
	int pair[2];
	int r = sys_socket(AF_NETLINK, SOCK_DGRAM | SOCK_NONBLOCK, NETLINK_SOCK_DIAG);

	if (r < 0)
		return r;
	f->fd[NETNS_FD_DIAG] = r;
	r = sys_socketpair(SOCK_SEQPACKET | SOCK_NONBLOCK, pair);
	if (r < 0)
		return r;
	f->fd[NETNS_FD_SOCKS] = pair[0];
	f->init_fd = pair[1];
	return 0;
}

int netns_setup(enum net_mode mode, enum netns_catch first, struct netns_fds *ret,
		struct err *e)
{
	_cleanup_netns_fds_ struct netns_fds f = NETNS_FDS_NONE;
	int r = loopback_up();

	if (r < 0)
		return err_sys(e, r, "cannot bring up the loopback interface");
	r = open_common(&f);
	if (r < 0)
		return err_sys(e, r, "cannot make the sockets of the network");
	f.facts.ipv6 = (uint8_t)have_ipv6();
	if (mode == NET_GATE) {
		r = everything_local();
		if (r < 0)
			return err_sys(e, r, "cannot set the local default route");
		large_segments();
		r = catch_traffic(&f, first);
		if (r < 0)
			return err_sys(e, r, "cannot catch the box's connections");
	}
	*ret = take(&f, NETNS_FDS_NONE);
	return 0;
}
