/* calls - makes system calls that a box must refuse, and says how each ended:
 * a line "NAME ERRNO" or "NAME ok". Every call is made by a process of its own. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#define HIGH (1L << 32)

/* Numbers that older headers lack. */
enum { OPEN_TREE_ATTR = 467, X32 = 0x40000000, SETDELEG = 1024 + 16 };

static const char sti[] = "x", three[] = { 3 };

/* ---- calls that are more than a number and arguments ---------------------------- */

/* The i386 entry, from a 64-bit program: another table of numbers. */
static long int80(long nr, long a, long b, long c)
{
#ifdef __x86_64__
	long r;

	__asm__ volatile("int $0x80"
			 : "=a"(r)
			 : "a"(nr), "b"(a), "c"(b), "d"(c)
			 : "memory", "r8", "r9", "r10", "r11");
	return r < 0 ? (errno = (int)-r, -1L) : r;
#else
	(void)nr, (void)a, (void)b, (void)c;
	errno = ENOSYS;
	return -1;
#endif
}

static long socketcall(long family)
{
	enum { PAGE = 4096, SYS_SOCKET_ = 1, NR_socketcall = 102 };
#ifdef MAP_32BIT
	uint32_t *args = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

	if (args == MAP_FAILED)
		return -1;
	args[0] = (uint32_t)family;
	args[1] = SOCK_SEQPACKET;
	args[2] = 0;
	return int80(NR_socketcall, SYS_SOCKET_, (long)args, 0);
#else
	(void)family;
	errno = ENOSYS;
	return -1;
#endif
}

static long clone3_user(void)
{
	uint64_t args[11] = { CLONE_NEWUSER };

	args[4] = SIGCHLD;
	return syscall(SYS_clone3, args, sizeof(args));
}

/* Any request to netfilter is answered before it is looked at. */
static long netfilter(void)
{
	struct {
		struct nlmsghdr head;
		uint32_t family;
	} m = { .head = { .nlmsg_len = sizeof(m),
			  .nlmsg_type = 10 << 8, /* nf_tables, new table */
			  .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK } };
	struct {
		struct nlmsghdr head;
		struct nlmsgerr err;
	} reply = { 0 };
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_NETFILTER);

	if (fd < 0 || send(fd, &m, sizeof(m), 0) < 0 ||
	    recv(fd, &reply, sizeof(reply), 0) < (ssize_t)sizeof(reply.head))
		return -1;
	errno = -reply.err.error;
	return errno ? -1 : 0;
}

static long reap(long pid)
{
	if (pid == 0)
		_exit(0);
	return pid;
}

/* ---- the rows ------------------------------------------------------------------- */

struct row {
	const char *name;
	long nr; /* -1: @special */
	long arg[5];
	long (*special)(void);
};

static long int80_alg(void)
{
	return int80(359, 38, SOCK_SEQPACKET, 0);
}

static long int80_tiocsti(void)
{
	return int80(54, 0, 0x5412, 0);
}

static long int80_mmap(void)
{
	return int80(90, 0, 0, 0);
}

static long socketcall_alg(void)
{
	return socketcall(38);
}

static long socketcall_vsock(void)
{
	return socketcall(40);
}

static long clone_user(void)
{
	return reap(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0));
}

static long clone3_reaped(void)
{
	return reap(clone3_user());
}

static long mknod_null(void)
{
	return mknod("/tmp/probe-node", S_IFCHR | 0600, makedev(1, 3));
}

/* Who has a lease on a file has everybody wait who opens it, on the host, too. */
static long lease(long command, long kind)
{
	int fd = open("calls", O_RDONLY);

	return fd < 0 ? -1 : syscall(SYS_fcntl, fd, command, kind);
}

static long write_lease(void)
{
	return lease(F_SETLEASE, F_WRLCK);
}

static long read_lease(void)
{
	return lease(HIGH | F_SETLEASE, F_RDLCK);
}

/* Not put aside for us, so that it succeeds where there are none. */
static long huge_pages(void)
{
	void *p =
		mmap(NULL, 2 << 20, PROT_READ,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? -1 : 0;
}

static long aio(void)
{
	unsigned long queue = 0;

	return syscall(SYS_io_setup, 1, &queue);
}

/* The least there is: it takes all packets. */
static long attach(long level, long option)
{
	struct sock_filter all = { .code = BPF_RET | BPF_K, .k = UINT32_MAX };
	struct sock_fprog p = { 1, &all };
	int fd = socket(AF_INET6, SOCK_DGRAM, 0), on = 1;
	bool filter = (level & UINT32_MAX) == SOL_SOCKET;

	setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on));
	return syscall(SYS_setsockopt, fd, level, option,
		       filter ? (void *)&p : (void *)&on,
		       filter ? sizeof(p) : sizeof(on));
}

static long socket_filter(void)
{
	return attach(SOL_SOCKET, HIGH | SO_ATTACH_FILTER);
}

static long reuseport_filter(void)
{
	return attach(HIGH | SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF);
}

/* The same number as SO_ATTACH_FILTER. */
static long v6only(void)
{
	return attach(IPPROTO_IPV6, IPV6_V6ONLY);
}

#define P(x) (long)(x)

static const struct row rows[] = {
	/* terminals */
	{ "tiocsti", SYS_ioctl, { 0, 0x5412, P(sti) }, 0 },
	{ "tiocsti-high", SYS_ioctl, { 0, HIGH | 0x5412, P(sti) }, 0 },
	{ "tioclinux", SYS_ioctl, { 0, 0x541c, P(three) }, 0 },
	{ "tioclinux-high", SYS_ioctl, { 0, HIGH | 0x541c, P(three) }, 0 },
	{ "tiocsetd", SYS_ioctl, { 0, 0x5423, P(sti) }, 0 },
	{ "int80-tiocsti", -1, { 0 }, int80_tiocsti },
	/* families */
	{ "alg", SYS_socket, { 38, SOCK_SEQPACKET, 0 }, 0 },
	{ "alg-high", SYS_socket, { HIGH | 38, SOCK_SEQPACKET, 0 }, 0 },
	{ "vsock", SYS_socket, { 40, SOCK_STREAM, 0 }, 0 },
	{ "vsock-high", SYS_socket, { HIGH | 40, SOCK_STREAM, 0 }, 0 },
	{ "packet", SYS_socket, { AF_PACKET, SOCK_RAW, 0 }, 0 },
	{ "raw", SYS_socket, { AF_INET, SOCK_RAW, 1 }, 0 },
	{ "bluetooth", SYS_socket, { 31, SOCK_RAW, 1 }, 0 },
	{ "int80-alg", -1, { 0 }, int80_alg },
	{ "socketcall-alg", -1, { 0 }, socketcall_alg },
	{ "socketcall-vsock", -1, { 0 }, socketcall_vsock },
	{ "netfilter", -1, { 0 }, netfilter },
	{ "socket-filter", -1, { 0 }, socket_filter },
	{ "reuseport-filter", -1, { 0 }, reuseport_filter },
	{ "v6only", -1, { 0 }, v6only },
	/* namespaces */
	{ "unshare-user", SYS_unshare, { CLONE_NEWUSER }, 0 },
	{ "unshare-mnt", SYS_unshare, { CLONE_NEWNS }, 0 },
	{ "unshare-cgroup", SYS_unshare, { 0x02000000 }, 0 },
	{ "unshare-time", SYS_unshare, { 0x80 }, 0 },
	{ "clone-user", -1, { 0 }, clone_user },
	{ "clone3-user", -1, { 0 }, clone3_reaped },
	{ "setns", SYS_setns, { 0, 0 }, 0 },
	/* mounts */
	{ "mount", SYS_mount, { P("none"), P("/mnt"), P("tmpfs"), 0, 0 }, 0 },
	{ "remount", SYS_mount, { 0, P("/proc/sys"), 0, MS_REMOUNT | MS_BIND, 0 }, 0 },
	{ "umount", SYS_umount2, { P("/proc/kcore"), 2 }, 0 },
	{ "pivot_root", SYS_pivot_root, { P("."), P(".") }, 0 },
	{ "fsopen", SYS_fsopen, { P("ext4"), 0 }, 0 },
	{ "fspick", SYS_fspick, { AT_FDCWD, P("/"), 0 }, 0 },
	{ "open_tree", SYS_open_tree, { AT_FDCWD, P("/"), 1 }, 0 },
	{ "open_tree_attr", OPEN_TREE_ATTR, { AT_FDCWD, P("/"), 1 }, 0 },
	{ "move_mount", SYS_move_mount, { 0, P(""), 0, P(""), 0x44 }, 0 },
	{ "mount_setattr", SYS_mount_setattr, { AT_FDCWD, P("/"), 0, 0, 0 }, 0 },
	{ "open_by_handle_at", SYS_open_by_handle_at, { AT_FDCWD, P(sti), 0 }, 0 },
	{ "mknod-null", -1, { 0 }, mknod_null },
	/* surface */
	{ "io_uring_setup", SYS_io_uring_setup, { 1, 0 }, 0 },
	{ "io_uring_enter", SYS_io_uring_enter, { -1 }, 0 },
	{ "io_uring_register", SYS_io_uring_register, { -1 }, 0 },
	{ "bpf", SYS_bpf, { 0, 0, 0 }, 0 },
	{ "userfaultfd", SYS_userfaultfd, { 1 }, 0 },
	{ "perf_event_open", SYS_perf_event_open, { 0, 0, -1, -1, 0 }, 0 },
	{ "io_setup", -1, { 0 }, aio },
	{ "huge-pages", -1, { 0 }, huge_pages },
	{ "huge-memfd", SYS_memfd_create, { P("x"), 4 /* MFD_HUGETLB */ }, 0 },
	{ "int80-mmap", -1, { 0 }, int80_mmap },
	{ "write-lease", -1, { 0 }, write_lease },
	{ "read-lease", -1, { 0 }, read_lease },
	{ "delegation", SYS_fcntl, { 0, SETDELEG, 0 }, 0 },
	{ "keyctl", SYS_keyctl, { 0, -3, 0 }, 0 },
	{ "add_key", SYS_add_key, { P("user"), P("x"), P(sti), 1, -3 }, 0 },
	{ "request_key", SYS_request_key, { P("user"), P("x"), 0, 0 }, 0 },
	{ "kcmp", SYS_kcmp, { 1, 1, 0, 0, 0 }, 0 },
	{ "pidfd_getfd", SYS_pidfd_getfd, { 0, 0, 0 }, 0 },
	{ "process_madvise", SYS_process_madvise, { 0, 0, 0, 0, 0 }, 0 },
	{ "personality-exec", SYS_personality, { 0x400000 }, 0 },
	{ "personality-ask", SYS_personality, { 0xffffffff }, 0 },
	{ "x32", X32 + 39, { 0 }, 0 },
	/* the host's */
	{ "init_module", SYS_init_module, { 0, 0, P("") }, 0 },
	{ "finit_module", SYS_finit_module, { 0, P(""), 0 }, 0 },
	{ "delete_module", SYS_delete_module, { P("x"), 0 }, 0 },
	{ "kexec_load", SYS_kexec_load, { 0, 0, 0, 0 }, 0 },
	{ "swapon", SYS_swapon, { P("/none"), 0 }, 0 },
	{ "swapoff", SYS_swapoff, { P("/none") }, 0 },
	{ "reboot", SYS_reboot, { 0, 0, 0, 0 }, 0 },
	{ "acct", SYS_acct, { 0 }, 0 },
	{ "quotactl", SYS_quotactl, { 0, 0, 0, 0 }, 0 },
	{ "syslog", SYS_syslog, { 3, P(sti), 0 }, 0 },
	{ "vhangup", SYS_vhangup, { 0 }, 0 },
	{ "settimeofday", SYS_settimeofday, { 0, 0 }, 0 },
	{ "sethostname", SYS_sethostname, { P("x"), 1 }, 0 },
};

static const char *make(const struct row *r)
{
	long ret = r->special ? r->special()
			      : syscall(r->nr, r->arg[0], r->arg[1], r->arg[2],
					r->arg[3], r->arg[4]);

	return ret < 0 ? strerrorname_np(errno) : "ok";
}

/* On the host these calls would do what they say. */
static int is_host(void)
{
	unsigned inside = 0, outside = 0, count = 0;
	FILE *map = fopen("/proc/self/uid_map", "re");

	if (!map || fscanf(map, "%u %u %u", &inside, &outside, &count) != 3)
		count = UINT32_MAX;
	if (map)
		fclose(map);
	return count == UINT32_MAX;
}

int main(void)
{
	if (is_host()) {
		fputs("calls: only inside a user namespace\n", stderr);
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int status;
		pid_t pid = fork();

		if (pid == 0) {
			alarm(5);
			printf("%s %s\n", rows[i].name, make(&rows[i]));
			return 0;
		}
		if (pid < 0 || waitpid(pid, &status, 0) < 0)
			return 1;
		if (status)
			printf("%s died %#x\n", rows[i].name, (unsigned)status);
	}
	return 0;
}
