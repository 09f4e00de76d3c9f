#include "runtime/confine/secfilter.h"

#include <linux/audit.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>

#include "base/file.h"
#include "base/sys/sys.h"
#include "tests/unit/runtime/bpf.h"

#define E(n) (SECCOMP_RET_ERRNO | (n))
#define ALLOW SECCOMP_RET_ALLOW
#define NOTIFY SECCOMP_RET_USER_NOTIF
#define HIGH (UINT64_C(1) << 32)

#ifndef __x86_64__
int main(void)
{
	return 0; /* the rows name numbers of x86; test_secfilter_gen runs everywhere */
}
#else

static const struct row {
	const char *name;
	enum secfilter_kind kind;
	uint32_t arch;
	int nr;
	uint64_t args[4];
	uint32_t want;
} rows[] = {
#define BOX(name, nr, want, ...)                                                     \
	{                                                                            \
		"box: " name, SECFILTER_BOX, AUDIT_ARCH_X86_64, nr, { __VA_ARGS__ }, \
			want                                                         \
	}
#define BOX32(name, nr, want, ...)                                      \
	{                                                               \
		"box, i386: " name, SECFILTER_BOX, AUDIT_ARCH_I386, nr, \
			{ __VA_ARGS__ }, want                           \
	}
#define FAKE(name, nr, want, ...)                                                      \
	{                                                                              \
		"fake: " name, SECFILTER_FAKE, AUDIT_ARCH_X86_64, nr, { __VA_ARGS__ }, \
			want                                                           \
	}
#define SETID(name, nr, want, ...)                                      \
	{                                                               \
		"setid: " name, SECFILTER_SETID, AUDIT_ARCH_X86_64, nr, \
			{ __VA_ARGS__ }, want                           \
	}
#define ROOT(name, nr, want, ...)                                           \
	{                                                                   \
		"root: " name, SECFILTER_SETID_ROOT, AUDIT_ARCH_X86_64, nr, \
			{ __VA_ARGS__ }, want                               \
	}
#define GATE(name, nr, want, ...)                                                      \
	{                                                                              \
		"gate: " name, SECFILTER_GATE, AUDIT_ARCH_X86_64, nr, { __VA_ARGS__ }, \
			want                                                           \
	}
	BOX("read", SYS_read, ALLOW, 0),
	BOX("fchmodat2 has a number of ours", 452, ALLOW, 0),
	BOX("an unknown call", 9999, E(ENOSYS), 0),
	BOX("an x32 call", 0x40000001, E(ENOSYS), 0),
	BOX("clone3", SYS_clone3, E(ENOSYS), 0),
	BOX("clone of a process", SYS_clone, ALLOW, 0x1200011),
	BOX("clone of a thread", SYS_clone, ALLOW, 0x3d0f00),
	BOX("clone NEWUSER", SYS_clone, E(EPERM), 0x10000011),
	BOX("clone NEWNS", SYS_clone, E(EPERM), 0x20011),
	BOX("clone NEWCGROUP", SYS_clone, E(EPERM), 0x2000011),
	BOX("clone NEWUTS, high bits", SYS_clone, E(EPERM), HIGH | 0x4000000),
	BOX("clone NEWIPC", SYS_clone, E(EPERM), 0x8000000),
	BOX("clone NEWPID", SYS_clone, E(EPERM), 0x20000000),
	BOX("clone NEWNET", SYS_clone, E(EPERM), 0x40000000),
	BOX("unshare FILES", SYS_unshare, ALLOW, 0x400),
	BOX("unshare NEWTIME", SYS_unshare, E(EPERM), 0x80),
	BOX("unshare NEWUSER and NEWNS", SYS_unshare, E(EPERM), 0x10020000),
	BOX("setns", SYS_setns, E(EPERM), 3),
	BOX("socket UNIX", SYS_socket, ALLOW, AF_UNIX),
	BOX("socket NETLINK", SYS_socket, ALLOW, AF_NETLINK),
	BOX("socket ALG", SYS_socket, E(EAFNOSUPPORT), 38),
	BOX("socket ALG, high bits", SYS_socket, E(EAFNOSUPPORT), HIGH | 38),
	BOX("socket VSOCK", SYS_socket, E(EAFNOSUPPORT), 40),
	BOX("socket VSOCK, high bits", SYS_socket, E(EAFNOSUPPORT), HIGH | 40),
	BOX("socketpair TIPC", SYS_socketpair, E(EAFNOSUPPORT), 30),
	BOX("setsockopt ATTACH_FILTER", SYS_setsockopt, E(ENOPROTOOPT), 0, 1, 26),
	BOX("setsockopt ATTACH_FILTER, high bits", SYS_setsockopt, E(ENOPROTOOPT), 0,
	    HIGH | 1, HIGH | 26),
	BOX("setsockopt ATTACH_REUSEPORT_CBPF", SYS_setsockopt, E(ENOPROTOOPT), 0, 1,
	    51),
	BOX("setsockopt DETACH_FILTER", SYS_setsockopt, ALLOW, 0, 1, 27),
	BOX("setsockopt IP_RECVERR_RFC4884", SYS_setsockopt, ALLOW, 0, 0, 26),
	BOX("setsockopt IPV6_V6ONLY", SYS_setsockopt, ALLOW, 0, 41, 26),
	BOX("fcntl SETLEASE", SYS_fcntl, E(EINVAL), 3, 1024, 1),
	BOX("fcntl SETLEASE, high bits", SYS_fcntl, E(EINVAL), 3, HIGH | 1024, 1),
	BOX("fcntl SETDELEG", SYS_fcntl, E(EINVAL), 3, 1040),
	BOX("fcntl SETFL", SYS_fcntl, ALLOW, 3, 4),
	BOX("fcntl SETPIPE_SZ", SYS_fcntl, ALLOW, 3, 1031),
	BOX("io_setup", SYS_io_setup, E(ENOSYS), 1),
	BOX("ioctl TCGETS", SYS_ioctl, ALLOW, 0, 0x5401),
	BOX("ioctl TIOCSTI", SYS_ioctl, E(EPERM), 0, 0x5412),
	BOX("ioctl TIOCSTI, high bits", SYS_ioctl, E(EPERM), 0, HIGH | 0x5412),
	BOX("ioctl TIOCLINUX", SYS_ioctl, E(EPERM), 0, 0x541c),
	BOX("ioctl TIOCSETD", SYS_ioctl, E(EPERM), 0, 0x5423),
	BOX("personality 0", SYS_personality, ALLOW, 0),
	BOX("personality LINUX32", SYS_personality, ALLOW, 8),
	BOX("personality UNAME26", SYS_personality, ALLOW, 0x20000),
	BOX("personality both", SYS_personality, ALLOW, 0x20008),
	BOX("personality the question", SYS_personality, ALLOW, 0xffffffff),
	BOX("personality READ_IMPLIES_EXEC", SYS_personality, E(EPERM), 0x400000),
	BOX("personality NO_RANDOMIZE", SYS_personality, E(EPERM), 0x40000),
	BOX("io_uring_setup", SYS_io_uring_setup, E(ENOSYS), 0),
	BOX("io_uring_enter", SYS_io_uring_enter, E(ENOSYS), 0),
	BOX("io_uring_register", SYS_io_uring_register, E(ENOSYS), 0),
	BOX("keyctl", SYS_keyctl, E(ENOSYS), 0),
	BOX("add_key", SYS_add_key, E(ENOSYS), 0),
	BOX("request_key", SYS_request_key, E(ENOSYS), 0),
	BOX("bpf", SYS_bpf, E(EPERM), 0),
	BOX("userfaultfd", SYS_userfaultfd, E(EPERM), 0),
	BOX("perf_event_open", SYS_perf_event_open, E(EPERM), 0),
	BOX("mount", SYS_mount, E(EPERM), 0),
	BOX("umount2", SYS_umount2, E(EPERM), 0),
	BOX("pivot_root", SYS_pivot_root, E(EPERM), 0),
	BOX("fsopen", SYS_fsopen, E(EPERM), 0),
	BOX("fsconfig", SYS_fsconfig, E(EPERM), 0),
	BOX("fsmount", SYS_fsmount, E(EPERM), 0),
	BOX("fspick", SYS_fspick, E(EPERM), 0),
	BOX("open_tree", SYS_open_tree, E(EPERM), 0),
	BOX("open_tree_attr", 467, E(EPERM), 0),
	BOX("move_mount", SYS_move_mount, E(EPERM), 0),
	BOX("mount_setattr", SYS_mount_setattr, E(EPERM), 0),
	BOX("open_by_handle_at", SYS_open_by_handle_at, E(EPERM), 0),
	BOX("init_module", SYS_init_module, E(EPERM), 0),
	BOX("finit_module", SYS_finit_module, E(EPERM), 0),
	BOX("delete_module", SYS_delete_module, E(EPERM), 0),
	BOX("kexec_load", SYS_kexec_load, E(EPERM), 0),
	BOX("kexec_file_load", SYS_kexec_file_load, E(EPERM), 0),
	BOX("swapon", SYS_swapon, E(EPERM), 0),
	BOX("swapoff", SYS_swapoff, E(EPERM), 0),
	BOX("reboot", SYS_reboot, E(EPERM), 0),
	BOX("acct", SYS_acct, E(EPERM), 0),
	BOX("quotactl", SYS_quotactl, E(EPERM), 0),
	BOX("quotactl_fd", SYS_quotactl_fd, E(EPERM), 0),
	BOX("syslog", SYS_syslog, E(EPERM), 0),
	BOX("iopl", SYS_iopl, E(EPERM), 0),
	BOX("ioperm", SYS_ioperm, E(EPERM), 0),
	BOX("vhangup", SYS_vhangup, E(EPERM), 0),
	BOX("uselib", SYS_uselib, E(EPERM), 0),
	BOX("settimeofday", SYS_settimeofday, E(EPERM), 0),
	BOX("clock_settime", SYS_clock_settime, E(EPERM), 0),
	BOX("kcmp", SYS_kcmp, E(EPERM), 0),
	BOX("pidfd_getfd", SYS_pidfd_getfd, E(EPERM), 0),
	BOX("process_madvise", SYS_process_madvise, E(EPERM), 0),
	BOX("ptrace", SYS_ptrace, ALLOW, 0),
	BOX("chown", SYS_chown, ALLOW, 0),
	BOX("splice", SYS_splice, ALLOW, 0),
	BOX("vmsplice", SYS_vmsplice, E(ENOSYS), 0),
	BOX("mmap", SYS_mmap, ALLOW, 0, 0, 3, 0x22),
	BOX("mmap HUGETLB", SYS_mmap, E(ENOMEM), 0, 0, 3, 0x40022),
	BOX("memfd_create", SYS_memfd_create, ALLOW, 0, 3),
	BOX("memfd_create HUGETLB", SYS_memfd_create, E(ENOMEM), 0, HIGH | 4),
	BOX("shmget HUGETLB", SYS_shmget, E(ENOMEM), 0, 0, 04000),
	BOX("setrlimit CORE", SYS_setrlimit, E(0), HIGH | 4, 1),
	BOX("prlimit64, what CORE is", SYS_prlimit64, ALLOW, 0, 4, 0, 1),
	BOX("prlimit64 CORE", SYS_prlimit64, E(0), 0, 4, 1),
	BOX("prlimit64 CORE, high half alone", SYS_prlimit64, E(0), 0, 4, HIGH),
	BOX("prlimit64 FSIZE", SYS_prlimit64, ALLOW, 0, 1, 1),
	BOX("prlimit64 CPU", SYS_prlimit64, ALLOW, 0, 0, 1),
	BOX("prlimit64 AS", SYS_prlimit64, ALLOW, 0, 9, 1),
	BOX("prlimit64 MEMLOCK", SYS_prlimit64, ALLOW, 0, 12, 1),
	BOX32("read", 3, ALLOW, 0),
	BOX32("fcntl SETLEASE", 55, E(EINVAL), 3, 1024, 1),
	BOX32("fcntl64 SETLEASE", 221, E(EINVAL), 3, 1024, 1),
	BOX32("setsockopt ATTACH_FILTER", 366, E(ENOPROTOOPT), 0, 1, 26),
	BOX32("socketcall", 102, E(ENOSYS), 1),
	BOX32("socket INET", 359, ALLOW, AF_INET),
	BOX32("socket ALG", 359, E(EAFNOSUPPORT), 38),
	BOX32("connect", 362, ALLOW, 0),
	BOX32("shmget", 395, ALLOW, 0),
	BOX32("ipc", 117, ALLOW, 0),
	BOX32("clone NEWUSER", 120, E(EPERM), 0x10000011),
	BOX32("ioctl TIOCSTI", 54, E(EPERM), 0, 0x5412),
	BOX32("umount", 22, E(EPERM), 0),
	BOX32("mmap", 90, E(ENOSYS), 0),
	BOX32("mmap2", 192, ALLOW, 0),
	BOX32("mmap2 HUGETLB", 192, E(ENOMEM), 0, 0, 0, 0x40022),
	BOX32("chown32", 212, ALLOW, 0),
	BOX32("keyctl", 288, E(ENOSYS), 0),
	BOX32("io_uring_setup", 425, E(ENOSYS), 0),
	SETID("read", SYS_read, ALLOW, 0),
	SETID("chmod", SYS_chmod, ALLOW, 0, 01777),
	SETID("chmod u+s", SYS_chmod, NOTIFY, 0, 04755),
	SETID("chmod g+s, high bits", SYS_chmod, NOTIFY, 0, HIGH | 02755),
	SETID("fchmod u+s", SYS_fchmod, NOTIFY, 3, 04755),
	SETID("fchmodat g+s", SYS_fchmodat, NOTIFY, 3, 0, 02755),
	SETID("fchmodat2 u+s", 452, NOTIFY, 3, 0, 04755),
	SETID("creat u+s", SYS_creat, NOTIFY, 0, 04755),
	SETID("open that reads, with rubbish for a mode", SYS_open, ALLOW, 0, 0, 04755),
	SETID("open O_CREAT", SYS_open, ALLOW, 0, 0100, 0755),
	SETID("open O_CREAT u+s", SYS_open, NOTIFY, 0, 0100, 04755),
	SETID("open O_TMPFILE g+s", SYS_open, NOTIFY, 0, 020200002, 02755),
	SETID("open O_DIRECTORY", SYS_open, ALLOW, 0, 0200000, 02755),
	SETID("openat without O_CREAT", SYS_openat, ALLOW, 3, 0, 02, 04755),
	SETID("openat O_CREAT u+s", SYS_openat, NOTIFY, 3, 0, 0101, 04755),
	SETID("openat2", SYS_openat2, E(ENOSYS), 3, 0, 0),
	SETID("mknod u+s", SYS_mknod, NOTIFY, 0, 0104755),
	SETID("mknodat u+s", SYS_mknodat, NOTIFY, 3, 0, 0104755),
	SETID("mkdir", SYS_mkdir, ALLOW, 0, 06755),
	{ "setid, i386: chmod",
	  SECFILTER_SETID,
	  AUDIT_ARCH_I386,
	  15,
	  { 0, 04755 },
	  NOTIFY },
	{ "setid, i386: open",
	  SECFILTER_SETID,
	  AUDIT_ARCH_I386,
	  5,
	  { 0, 0100, 04755 },
	  NOTIFY },
	{ "setid: chown to anybody",
	  SECFILTER_SETID,
	  AUDIT_ARCH_X86_64,
	  SYS_chown,
	  { 0, 66537, 0 },
	  ALLOW },
	ROOT("chmod u+s", SYS_chmod, NOTIFY, 0, 04755),
	ROOT("chown to a user of the box", SYS_chown, ALLOW, 0, 1001, 1001),
	ROOT("chown to nobody new", SYS_chown, ALLOW, 0, 0xffffffff, 0xffffffff),
	ROOT("chown to an account", SYS_chown, E(0), 0, 66537, 0xffffffff),
	ROOT("chown to its group", SYS_chown, E(0), 0, 0xffffffff, 66537),
	ROOT("chown, high bits", SYS_chown, E(0), 0, HIGH | 66537, 0),
	ROOT("lchown", SYS_lchown, E(0), 0, 131071, 0),
	ROOT("fchown", SYS_fchown, E(0), 3, 65536, 0),
	ROOT("fchownat to an account", SYS_fchownat, E(0), 3, 0, 66537, 0),
	ROOT("fchownat to its group", SYS_fchownat, E(0), 3, 0, 0, 66537),
	ROOT("setuid", SYS_setuid, E(EINVAL), 66537),
	ROOT("setgid", SYS_setgid, E(EINVAL), 66537),
	ROOT("setreuid", SYS_setreuid, E(EINVAL), 0xffffffff, 66537),
	ROOT("setregid", SYS_setregid, E(EINVAL), 66537, 0xffffffff),
	ROOT("setresuid", SYS_setresuid, E(EINVAL), 0, 0, 66537),
	ROOT("setresgid", SYS_setresgid, E(EINVAL), 0, 66537, 0),
	ROOT("setfsuid", SYS_setfsuid, E(EINVAL), 66537),
	ROOT("setfsgid", SYS_setfsgid, E(EINVAL), 66537),
	ROOT("setresuid of a user", SYS_setresuid, ALLOW, 1001, 1001, 1001),
	{ "root, i386: chown32",
	  SECFILTER_SETID_ROOT,
	  AUDIT_ARCH_I386,
	  212,
	  { 0, 66537, 0 },
	  E(0) },
	{ "root, i386: setresuid32",
	  SECFILTER_SETID_ROOT,
	  AUDIT_ARCH_I386,
	  208,
	  { 66537, 0, 0 },
	  E(EINVAL) },
	FAKE("read", SYS_read, ALLOW, 0),
	FAKE("chown", SYS_chown, E(0), 0),
	FAKE("fchownat", SYS_fchownat, E(0), 0),
	FAKE("setgroups", SYS_setgroups, E(0), 0),
	FAKE("capset", SYS_capset, E(0), 0),
	FAKE("mknod of a fifo", SYS_mknod, ALLOW, 0, 0010644),
	FAKE("mknod of a character device", SYS_mknod, E(0), 0, 0020644),
	FAKE("mknod of a block device", SYS_mknod, E(0), 0, 0060644),
	FAKE("mknodat of a file", SYS_mknodat, ALLOW, 0, 0, 0100644),
	FAKE("mknodat of a character device", SYS_mknodat, E(0), 0, 0, 0020600),
	{ "fake, i386: chown32", SECFILTER_FAKE, AUDIT_ARCH_I386, 212, { 0 }, E(0) },
	{ "fake, i386: setgroups32",
	  SECFILTER_FAKE,
	  AUDIT_ARCH_I386,
	  206,
	  { 0 },
	  E(0) },
	GATE("splice", SYS_splice, ALLOW, 0),
	GATE("openat", SYS_openat, E(ENOSYS), 0),
	GATE("clone", SYS_clone, E(ENOSYS), 0),
	GATE("execve", SYS_execve, E(ENOSYS), 0),
	GATE("mmap", SYS_mmap, ALLOW, 0, 0, PROT_READ | PROT_WRITE),
	GATE("mmap of code", SYS_mmap, E(EPERM), 0, 0, PROT_READ | PROT_EXEC),
	GATE("socket NETLINK", SYS_socket, E(EAFNOSUPPORT), AF_NETLINK),
	GATE("ioctl TIOCSTI", SYS_ioctl, E(EPERM), 0, 0x5412),
};

static void answer(const void *p)
{
	const struct row *row = p;
	size_t len;
	const struct sock_filter *prog = secfilter_program(row->kind, &len);
	struct seccomp_data d = { .nr = row->nr, .arch = row->arch };

	memcpy(d.args, row->args, sizeof(row->args));
	assert_true(len && len % sizeof(*prog) == 0);
	assert_int_equal(bpf_run(prog, len / sizeof(*prog), &d, NULL), row->want);
}

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* In a child: the filter is taken and holds, for us and for what we start. */
static int child(void)
{
	struct err e = ERR_NONE;
	int64_t start;
	size_t len;

	(void)secfilter_program(SECFILTER_BOX, &len);
	sys_prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	start = now_ns();
	if (secfilter_apply(SECFILTER_BOX, &e) < 0)
		return 1;
	printf("# %zu instructions, installed in %lld us\n",
	       len / sizeof(struct sock_filter), (long long)(now_ns() - start) / 1000);
	fflush(stdout);
	if (syscall(SYS_bpf, 0, 0, 0) != -1 || errno != EPERM)
		return 2;
	if (syscall(SYS_io_uring_setup, 0, 0) != -1 || errno != ENOSYS)
		return 3;
	if (ioctl(0, HIGH | 0x5412, "x") != -1 || errno != EPERM)
		return 4;
	return system("exit 7") == 7 << 8 ? 0 : 5;
}

static void the_kernel_takes_it(void)
{
	int status = -1;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		_exit(child());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void a_bad_length_is_refused(void)
{
	struct err e = ERR_NONE;

	assert_int_equal(secfilter_install("1234567", 7, &e), -EINVAL);
	unit_err(&e, -EINVAL, "filter of 7 bytes");
	assert_int_equal(secfilter_install("", 0, &e), -EINVAL);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "the kernel takes the filter and it holds", the_kernel_takes_it },
		{ "a bad length is refused", a_bad_length_is_refused },
	};

	return unit_rows("secfilter", rows, answer) + unit_cases("secfilter", cases);
}
#endif
