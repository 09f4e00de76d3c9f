#include "runtime/confine/secfilter_table.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/ioprio.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/def.h"

#define SETDELEG (F_SETLEASE + 16) /* from Linux 6.19: of a directory */
#define LOW UINT32_MAX		   /* the whole low half of an argument */

#define ALWAYS(call, verdict)                            \
	{                                                \
		call, verdict, SECFILTER_ALWAYS, 0, 0, 0 \
	}
#define EQ(call, verdict, arg, mask, value)                   \
	{                                                     \
		call, verdict, SECFILTER_EQ, arg, mask, value \
	}
#define ANY(call, verdict, arg, mask)                      \
	{                                                  \
		call, verdict, SECFILTER_ANY, arg, mask, 0 \
	}

/* Flags with which clone and unshare make a namespace. A nested user namespace gives
 * every capability inside it, and with them netfilter, overlay and packet sockets. */
#define NEW_NAMESPACES                                                                 \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | \
	 CLONE_NEWPID | CLONE_NEWNET)

/* clang-format off */
static const struct number {
	const char *call;
	int nr;
} newer[] = {
	{ "set_mempolicy_home_node", 450 }, { "cachestat", 451 },
	{ "fchmodat2", 452 }, { "map_shadow_stack", 453 }, { "futex_wake", 454 },
	{ "futex_wait", 455 }, { "futex_requeue", 456 }, { "mseal", 462 },
	{ "setxattrat", 463 }, { "getxattrat", 464 }, { "listxattrat", 465 },
	{ "removexattrat", 466 }, { "open_tree_attr", 467 },
}, i386_direct[] = {
	{ "socket", 359 }, { "socketpair", 360 }, { "bind", 361 }, { "connect", 362 },
	{ "listen", 363 }, { "accept4", 364 }, { "getsockopt", 365 },
	{ "setsockopt", 366 }, { "getsockname", 367 }, { "getpeername", 368 },
	{ "sendto", 369 }, { "sendmsg", 370 }, { "recvfrom", 371 }, { "recvmsg", 372 },
	{ "shutdown", 373 }, { "semget", 393 }, { "semctl", 394 }, { "shmget", 395 },
	{ "shmctl", 396 }, { "shmat", 397 }, { "shmdt", 398 }, { "msgget", 399 },
	{ "msgsnd", 400 }, { "msgrcv", 401 }, { "msgctl", 402 },
};
/* clang-format on */

/* ---- the box -------------------------------------------------------------------- */

/* What an ordinary Ubuntu userland calls. A line per subject; calls that only some
 * architectures have are left out on the others. */
/* clang-format off */
static const char *const box_allow[] = {
	/* files */
	"access", "chdir", "chmod", "chown", "chown32", "chroot", "close", "close_range",
	"copy_file_range", "creat", "dup", "dup2", "dup3", "faccessat", "faccessat2",
	"fadvise64", "fadvise64_64", "arm_fadvise64_64", "fallocate", "fchdir", "fchmod",
	"fchmodat", "fchmodat2", "fchown", "fchown32", "fchownat", "fdatasync", "flock",
	"fstat", "fstat64", "fstatat64", "fstatfs", "fstatfs64", "fsync", "ftruncate",
	"ftruncate64", "futimesat", "getcwd", "getdents",
	"getdents64", "lchown", "lchown32", "link", "linkat", "_llseek", "lseek", "lstat",
	"lstat64", "mkdir", "mkdirat", "mknod", "mknodat", "name_to_handle_at",
	"newfstatat", "oldfstat", "oldlstat", "oldstat", "open", "openat", "openat2",
	"pread64", "preadv", "preadv2", "pwrite64", "pwritev", "pwritev2", "read",
	"readahead", "readdir", "readlink", "readlinkat", "readv", "rename", "renameat",
	"renameat2", "rmdir", "sendfile", "sendfile64", "splice", "stat", "stat64",
	"statfs", "statfs64", "statx", "symlink", "symlinkat", "sync", "sync_file_range",
	"sync_file_range2", "arm_sync_file_range", "syncfs", "tee", "truncate",
	"truncate64", "umask", "unlink", "unlinkat", "utime", "utimensat",
	"utimensat_time64", "utimes", "write", "writev", "cachestat",
	"fanotify_mark", "inotify_add_watch", "inotify_init", "inotify_init1",
	"inotify_rm_watch",
	/* extended attributes */
	"fgetxattr", "flistxattr", "fremovexattr", "fsetxattr", "getxattr", "getxattrat",
	"lgetxattr", "listxattr", "listxattrat", "llistxattr", "lremovexattr",
	"lsetxattr", "removexattr", "removexattrat", "setxattr", "setxattrat",
	/* waiting for many */
	"epoll_create", "epoll_create1", "epoll_ctl", "epoll_ctl_old", "epoll_pwait",
	"epoll_pwait2", "epoll_wait", "epoll_wait_old", "eventfd", "eventfd2",
	"_newselect", "poll", "ppoll", "ppoll_time64", "pselect6", "pselect6_time64",
	"select", "signalfd", "signalfd4", "timerfd_create", "timerfd_gettime",
	"timerfd_gettime64", "timerfd_settime", "timerfd_settime64", "pipe", "pipe2",
	/* memory; not memfd_secret, nor vmsplice, by which a pipe holds a huge page for each
	 * byte: no look at a process or a file can count these */
	"brk", "madvise", "map_shadow_stack", "membarrier", "mincore", "mlock", "mlock2",
	"mlockall", "mprotect", "mremap", "mseal", "msync", "munlock", "munlockall",
	"munmap", "pkey_alloc", "pkey_free", "pkey_mprotect", "remap_file_pages",
	/* processes */
	"execve", "execveat", "exit", "exit_group", "fork", "getpgid", "getpgrp",
	"getpid", "getppid", "getpriority", "getrlimit", "getrusage", "getsid", "gettid",
	"ioprio_get", "kill", "nice", "pause", "pidfd_open",
	"pidfd_send_signal", "prctl", "process_mrelease",
	"process_vm_readv", "process_vm_writev", "ptrace", "set_tid_address", "setpgid",
	"setsid", "tgkill", "tkill", "ugetrlimit", "vfork",
	"wait4", "waitid", "waitpid",
	/* threads and processor */
	"arch_prctl", "breakpoint", "cacheflush", "futex", "futex_requeue",
	"futex_time64", "futex_wait", "futex_waitv", "futex_wake", "get_robust_list",
	"get_thread_area", "get_tls", "getcpu", "modify_ldt", "riscv_flush_icache",
	"rseq", "sched_get_priority_max", "sched_get_priority_min", "sched_getaffinity",
	"sched_getattr", "sched_getparam", "sched_getscheduler",
	"sched_rr_get_interval", "sched_rr_get_interval_time64",
	 "sched_yield",
	"set_robust_list", "set_thread_area", "set_tls",
	/* identity */
	"capget", "capset", "getegid", "getegid32", "geteuid", "geteuid32", "getgid",
	"getgid32", "getgroups", "getgroups32", "getresgid", "getresgid32", "getresuid",
	"getresuid32", "getuid", "getuid32", "setfsgid", "setfsgid32", "setfsuid",
	"setfsuid32", "setgid", "setgid32", "setgroups", "setgroups32", "setregid",
	"setregid32", "setresgid", "setresgid32", "setresuid", "setresuid32", "setreuid",
	"setreuid32", "setuid", "setuid32",
	/* signals */
	"restart_syscall", "rt_sigaction", "rt_sigpending", "rt_sigprocmask",
	"rt_sigqueueinfo", "rt_sigreturn", "rt_sigsuspend", "rt_sigtimedwait",
	"rt_sigtimedwait_time64", "rt_tgsigqueueinfo", "sgetmask", "sigaction",
	"sigaltstack", "signal", "sigpending", "sigprocmask", "sigreturn", "sigsuspend",
	"ssetmask",
	/* time */
	"adjtimex", "alarm", "clock_adjtime", "clock_adjtime64", "clock_getres",
	"clock_getres_time64", "clock_gettime", "clock_gettime64", "clock_nanosleep",
	"clock_nanosleep_time64", "getitimer", "gettimeofday", "nanosleep", "setitimer",
	"time", "timer_create", "timer_delete", "timer_getoverrun", "timer_gettime",
	"timer_gettime64", "timer_settime", "timer_settime64", "times",
	/* sockets (which families: the rules) */
	"accept", "accept4", "bind", "connect", "getpeername", "getsockname",
	"getsockopt", "listen", "recv", "recvfrom", "recvmmsg", "recvmmsg_time64",
	"recvmsg", "send", "sendmmsg", "sendmsg", "sendto", "shutdown",
	/* System V and POSIX queues, shared memory */
	"ipc", "mq_getsetattr", "mq_notify", "mq_open", "mq_timedreceive",
	"mq_timedreceive_time64", "mq_timedsend", "mq_timedsend_time64", "mq_unlink",
	"msgctl", "msgget", "msgrcv", "msgsnd", "semctl", "semget", "semop",
	"semtimedop", "semtimedop_time64", "shmat", "shmctl", "shmdt",
	/* the rest */
	"getrandom", "landlock_add_rule", "landlock_create_ruleset",
	"landlock_restrict_self", "oldolduname", "olduname", "seccomp", "sysinfo",
	"uname",
	/* numbers behind which no kernel has a call any more: it says ENOSYS itself, and
	 * the program is shorter without the holes */
	"afs_syscall", "break", "ftime", "getpmsg", "gtty", "idle", "lock", "mpx", "prof",
	"profil", "putpmsg", "security", "stty", "tuxcall", "ulimit", "vserver",
	NULL
};

static const char *const box_refuse[] = {
	/* joining namespaces, mounts old and new */
	"setns", "mount", "umount", "umount2", "pivot_root", "fsopen", "fsconfig",
	"fsmount", "fspick", "open_tree", "open_tree_attr", "move_mount",
	"mount_setattr", "open_by_handle_at",
	/* kernel surface without a use inside a box */
	"bpf", "userfaultfd", "perf_event_open", "fanotify_init", "lookup_dcookie",
	"migrate_pages", "move_pages", "mbind", "get_mempolicy", "set_mempolicy",
	"set_mempolicy_home_node", "vm86", "vm86old",
	/* other processes' memory and descriptors; ptrace stays for gdb and strace */
	"kcmp", "pidfd_getfd", "process_madvise",
	/* the host's */
	"acct", "clock_settime", "clock_settime64", "create_module", "delete_module",
	"finit_module", "get_kernel_syms", "init_module", "ioperm", "iopl",
	"kexec_file_load", "kexec_load", "query_module", "quotactl", "quotactl_fd",
	"reboot", "setdomainname", "sethostname", "settimeofday", "stime", "swapoff",
	"swapon", "syslog", "uselib", "vhangup",
	NULL
};
/* clang-format on */

_Static_assert(SOL_SOCKET == 1, "the rows of setsockopt are right");
_Static_assert(RLIMIT_CORE == 4, "the rows of prlimit64 are right: one bit");

static const struct secfilter_rule box_rules[] = {
	/* Its flags are behind a pointer; libc falls back to clone on ENOSYS alone. */
	ALWAYS("clone3", ENOSYS),
#ifdef __s390x__
	ANY("clone", EPERM, 1, NEW_NAMESPACES),
#else
	ANY("clone", EPERM, 0, NEW_NAMESPACES),
#endif
	ALWAYS("clone", SECFILTER_ALLOW),
	ANY("unshare", EPERM, 0, NEW_NAMESPACES | CLONE_NEWTIME),
	ALWAYS("unshare", SECFILTER_ALLOW),

	/* Families beyond these are drivers that userland does not miss; AF_ALG and
	 * AF_VSOCK are holes to the page cache and to the host (CVE-2026-31431). */
	EQ("socket", SECFILTER_ALLOW, 0, LOW, AF_UNIX),
	EQ("socket", SECFILTER_ALLOW, 0, LOW, AF_INET),
	EQ("socket", SECFILTER_ALLOW, 0, LOW, AF_INET6),
	EQ("socket", SECFILTER_ALLOW, 0, LOW, AF_NETLINK),
	EQ("socket", SECFILTER_ALLOW, 0, LOW, AF_PACKET),
	ALWAYS("socket", EAFNOSUPPORT),
	EQ("socketpair", SECFILTER_ALLOW, 0, LOW, AF_UNIX),
	ALWAYS("socketpair", EAFNOSUPPORT),
	/* Filters of packets are compiled into memory of which a machine has so much
	 * (bpf_jit_limit) and no box's limit knows: with many sockets one box had all of it,
	 * and nobody but root could set a filter of system calls. Of SOL_SOCKET (1) alone:
	 * to IP (0) and the levels above these numbers mean something else. */
	EQ("setsockopt", SECFILTER_ALLOW, 1, LOW, IPPROTO_IP),
	ANY("setsockopt", SECFILTER_ALLOW, 1, LOW & ~(uint32_t)SOL_SOCKET),
	EQ("setsockopt", ENOPROTOOPT, 2, LOW, SO_ATTACH_FILTER),
	EQ("setsockopt", ENOPROTOOPT, 2, LOW, SO_ATTACH_REUSEPORT_CBPF),
	ALWAYS("setsockopt", SECFILTER_ALLOW),
	/* i386: hides the family behind a pointer, a way around the rows above. */
	ALWAYS("socketcall", ENOSYS),

	/* Init has the box root's ids, so that these would reach it: without descriptors,
	 * or behind everybody else, it answers nobody. By its number, or by its user. */
	EQ("prlimit64", EPERM, 0, LOW, 1),
	/* A program that core_pattern names is the host's, started as its root with a core of
	 * the box, for a limit of 0 as well, but not for 1 (cgroup/child.c): that stays.
	 * Programs lower it to be safer, and are told that it is so; asking is free. */
	ANY("prlimit64", SECFILTER_ALLOW, 1, LOW & ~(uint32_t)RLIMIT_CORE),
	EQ("prlimit64", SECFILTER_ALLOW, 1, LOW, 0),
	ANY("prlimit64", 0, 2, LOW),
	ANY("prlimit64", 0, 2 | SECFILTER_HIGH, LOW),
	ALWAYS("prlimit64", SECFILTER_ALLOW),
	EQ("setrlimit", 0, 0, LOW, RLIMIT_CORE),
	ALWAYS("setrlimit", SECFILTER_ALLOW),
	EQ("sched_setaffinity", EPERM, 0, LOW, 1),
	ALWAYS("sched_setaffinity", SECFILTER_ALLOW),
	EQ("sched_setattr", EPERM, 0, LOW, 1),
	ALWAYS("sched_setattr", SECFILTER_ALLOW),
	EQ("sched_setparam", EPERM, 0, LOW, 1),
	ALWAYS("sched_setparam", SECFILTER_ALLOW),
	EQ("sched_setscheduler", EPERM, 0, LOW, 1),
	ALWAYS("sched_setscheduler", SECFILTER_ALLOW),
	EQ("setpriority", EPERM, 0, LOW, PRIO_USER),
	EQ("setpriority", EPERM, 1, LOW, 1),
	ALWAYS("setpriority", SECFILTER_ALLOW),
	EQ("ioprio_set", EPERM, 0, LOW, IOPRIO_WHO_USER),
	EQ("ioprio_set", EPERM, 1, LOW, 1),
	ALWAYS("ioprio_set", SECFILTER_ALLOW),

	/* Typing into the terminal; a line discipline loads a driver below it. */
	EQ("ioctl", EPERM, 1, LOW, TIOCSTI),
	EQ("ioctl", EPERM, 1, LOW, TIOCLINUX),
	EQ("ioctl", EPERM, 1, LOW, TIOCSETD),
	ALWAYS("ioctl", SECFILTER_ALLOW),

	/* Huge pages that the machine has put aside are one stock, and in no count of memory:
	 * there are none left. (For the pages of /dev/hugepages, not transparent ones. On
	 * s390x mmap has its flags behind a pointer.) */
	ANY("mmap2", ENOMEM, 3, MAP_HUGETLB),
	ALWAYS("mmap2", SECFILTER_ALLOW),
#ifndef __s390x__
	ANY("mmap", ENOMEM, 3, MAP_HUGETLB),
#endif
	ALWAYS("mmap", SECFILTER_ALLOW),
	ANY("memfd_create", ENOMEM, 1, MFD_HUGETLB),
	ALWAYS("memfd_create", SECFILTER_ALLOW),
	ANY("shmget", ENOMEM, 2, SHM_HUGETLB),
	ALWAYS("shmget", SECFILTER_ALLOW),

	/* Who opens a file on which another has a lease waits, up to 45 seconds each time:
	 * the host, for a file of the project. As on a filesystem without leases. */
	EQ("fcntl", EINVAL, 1, LOW, F_SETLEASE),
	EQ("fcntl", EINVAL, 1, LOW, SETDELEG),
	ALWAYS("fcntl", SECFILTER_ALLOW),
	EQ("fcntl64", EINVAL, 1, LOW, F_SETLEASE),
	EQ("fcntl64", EINVAL, 1, LOW, SETDELEG),
	ALWAYS("fcntl64", SECFILTER_ALLOW),

	/* Linux, PER_LINUX32, each also with UNAME26, and the question which it is; not
	 * READ_IMPLIES_EXEC and foreign systems (gdb warns about ADDR_NO_RANDOMIZE). */
	EQ("personality", SECFILTER_ALLOW, 0, LOW, 0x0),
	EQ("personality", SECFILTER_ALLOW, 0, LOW, 0x8),
	EQ("personality", SECFILTER_ALLOW, 0, LOW, 0x20000),
	EQ("personality", SECFILTER_ALLOW, 0, LOW, 0x20008),
	EQ("personality", SECFILTER_ALLOW, 0, LOW, LOW),
	ALWAYS("personality", EPERM),

	/* Operations that no filter sees, keyrings that no namespace holds, and queues of
	 * asynchronous files, of which there are so many on a machine (aio-max-nr), and one
	 * process can have them all: as if this kernel had none, for which programs have a
	 * fallback. */
	ALWAYS("io_uring_setup", ENOSYS),
	ALWAYS("io_uring_enter", ENOSYS),
	ALWAYS("io_uring_register", ENOSYS),
	ALWAYS("keyctl", ENOSYS),
	ALWAYS("add_key", ENOSYS),
	ALWAYS("request_key", ENOSYS),
};

/* ---- set-id bits ---------------------------------------------------------------- */

#define SETID (S_ISUID | S_ISGID)
#define CREATES (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))

/* Ids that stand for accounts of the host's (idmap/range.h): 65536 to 131071. */
#define FOREIGN(call, verdict, arg) EQ(call, verdict, arg, 0xffff0000U, 0x00010000)

/* Every call that can give a file set-id bits, and only when it does: whoever listens
 * makes it in the caller's place, without them where they would be real outside. mkdir
 * drops them itself; sockets and links cannot be executed. A mode counts with the flags
 * that create: it is whatever the register held otherwise. openat2 has its mode behind a
 * pointer: as before 5.6, for which programs are made. */
/* clang-format off */
#define SETID_ROWS \
	ANY("chmod", SECFILTER_NOTIFY, 1, SETID), \
	ALWAYS("chmod", SECFILTER_ALLOW), \
	ANY("fchmod", SECFILTER_NOTIFY, 1, SETID), \
	ALWAYS("fchmod", SECFILTER_ALLOW), \
	ANY("fchmodat", SECFILTER_NOTIFY, 2, SETID), \
	ALWAYS("fchmodat", SECFILTER_ALLOW), \
	ANY("fchmodat2", SECFILTER_NOTIFY, 2, SETID), \
	ALWAYS("fchmodat2", SECFILTER_ALLOW), \
	ANY("creat", SECFILTER_NOTIFY, 1, SETID), \
	ALWAYS("creat", SECFILTER_ALLOW), \
	ANY("mknod", SECFILTER_NOTIFY, 1, SETID), \
	ALWAYS("mknod", SECFILTER_ALLOW), \
	ANY("mknodat", SECFILTER_NOTIFY, 2, SETID), \
	ALWAYS("mknodat", SECFILTER_ALLOW), \
	EQ("open", SECFILTER_ALLOW, 1, CREATES, 0), \
	ANY("open", SECFILTER_NOTIFY, 2, SETID), \
	ALWAYS("open", SECFILTER_ALLOW), \
	EQ("openat", SECFILTER_ALLOW, 2, CREATES, 0), \
	ANY("openat", SECFILTER_NOTIFY, 3, SETID), \
	ALWAYS("openat", SECFILTER_ALLOW), \
	ALWAYS("openat2", ENOSYS)
/* clang-format on */

static const struct secfilter_rule setid_rules[] = { SETID_ROWS };

/* In root's boxes also: nobody becomes an account of the host's, and a file that is given
 * to one stays whose it is, as in a single map: cp and tar keep owners that they saw. */
static const struct secfilter_rule setid_root_rules[] = {
	SETID_ROWS,
	FOREIGN("chown", 0, 1),
	FOREIGN("chown", 0, 2),
	ALWAYS("chown", SECFILTER_ALLOW),
	FOREIGN("chown32", 0, 1),
	FOREIGN("chown32", 0, 2),
	ALWAYS("chown32", SECFILTER_ALLOW),
	FOREIGN("lchown", 0, 1),
	FOREIGN("lchown", 0, 2),
	ALWAYS("lchown", SECFILTER_ALLOW),
	FOREIGN("lchown32", 0, 1),
	FOREIGN("lchown32", 0, 2),
	ALWAYS("lchown32", SECFILTER_ALLOW),
	FOREIGN("fchown", 0, 1),
	FOREIGN("fchown", 0, 2),
	ALWAYS("fchown", SECFILTER_ALLOW),
	FOREIGN("fchown32", 0, 1),
	FOREIGN("fchown32", 0, 2),
	ALWAYS("fchown32", SECFILTER_ALLOW),
	FOREIGN("fchownat", 0, 2),
	FOREIGN("fchownat", 0, 3),
	ALWAYS("fchownat", SECFILTER_ALLOW),
	FOREIGN("setuid", EINVAL, 0),
	ALWAYS("setuid", SECFILTER_ALLOW),
	FOREIGN("setuid32", EINVAL, 0),
	ALWAYS("setuid32", SECFILTER_ALLOW),
	FOREIGN("setgid", EINVAL, 0),
	ALWAYS("setgid", SECFILTER_ALLOW),
	FOREIGN("setgid32", EINVAL, 0),
	ALWAYS("setgid32", SECFILTER_ALLOW),
	FOREIGN("setreuid", EINVAL, 0),
	FOREIGN("setreuid", EINVAL, 1),
	ALWAYS("setreuid", SECFILTER_ALLOW),
	FOREIGN("setreuid32", EINVAL, 0),
	FOREIGN("setreuid32", EINVAL, 1),
	ALWAYS("setreuid32", SECFILTER_ALLOW),
	FOREIGN("setregid", EINVAL, 0),
	FOREIGN("setregid", EINVAL, 1),
	ALWAYS("setregid", SECFILTER_ALLOW),
	FOREIGN("setregid32", EINVAL, 0),
	FOREIGN("setregid32", EINVAL, 1),
	ALWAYS("setregid32", SECFILTER_ALLOW),
	FOREIGN("setresuid", EINVAL, 0),
	FOREIGN("setresuid", EINVAL, 1),
	FOREIGN("setresuid", EINVAL, 2),
	ALWAYS("setresuid", SECFILTER_ALLOW),
	FOREIGN("setresuid32", EINVAL, 0),
	FOREIGN("setresuid32", EINVAL, 1),
	FOREIGN("setresuid32", EINVAL, 2),
	ALWAYS("setresuid32", SECFILTER_ALLOW),
	FOREIGN("setresgid", EINVAL, 0),
	FOREIGN("setresgid", EINVAL, 1),
	FOREIGN("setresgid", EINVAL, 2),
	ALWAYS("setresgid", SECFILTER_ALLOW),
	FOREIGN("setresgid32", EINVAL, 0),
	FOREIGN("setresgid32", EINVAL, 1),
	FOREIGN("setresgid32", EINVAL, 2),
	ALWAYS("setresgid32", SECFILTER_ALLOW),
	FOREIGN("setfsuid", EINVAL, 0),
	ALWAYS("setfsuid", SECFILTER_ALLOW),
	FOREIGN("setfsuid32", EINVAL, 0),
	ALWAYS("setfsuid32", SECFILTER_ALLOW),
	FOREIGN("setfsgid", EINVAL, 0),
	ALWAYS("setfsgid", SECFILTER_ALLOW),
	FOREIGN("setfsgid32", EINVAL, 0),
	ALWAYS("setfsgid32", SECFILTER_ALLOW),
};

/* ---- payloads of a single map --------------------------------------------------- */

/* No id but the caller's exists, so that a change of owner could only fail: dpkg and
 * apt are told that it succeeded. */
static const struct secfilter_rule fake_rules[] = {
	ALWAYS("chown", 0),
	ALWAYS("chown32", 0),
	ALWAYS("fchown", 0),
	ALWAYS("fchown32", 0),
	ALWAYS("fchownat", 0),
	ALWAYS("lchown", 0),
	ALWAYS("lchown32", 0),
	ALWAYS("setuid", 0),
	ALWAYS("setuid32", 0),
	ALWAYS("setgid", 0),
	ALWAYS("setgid32", 0),
	ALWAYS("setreuid", 0),
	ALWAYS("setreuid32", 0),
	ALWAYS("setregid", 0),
	ALWAYS("setregid32", 0),
	ALWAYS("setresuid", 0),
	ALWAYS("setresuid32", 0),
	ALWAYS("setresgid", 0),
	ALWAYS("setresgid32", 0),
	ALWAYS("setfsuid", 0),
	ALWAYS("setfsuid32", 0),
	ALWAYS("setfsgid", 0),
	ALWAYS("setfsgid32", 0),
	ALWAYS("setgroups", 0),
	ALWAYS("setgroups32", 0),
	ALWAYS("capset", 0),
	EQ("mknod", 0, 1, S_IFMT, S_IFCHR),
	EQ("mknod", 0, 1, S_IFMT, S_IFBLK),
	ALWAYS("mknod", SECFILTER_ALLOW),
	EQ("mknodat", 0, 2, S_IFMT, S_IFCHR),
	EQ("mknodat", 0, 2, S_IFMT, S_IFBLK),
	ALWAYS("mknodat", SECFILTER_ALLOW),
};

/* ---- the gate ------------------------------------------------------------------- */

/* Everything is open before the filter: it makes sockets, and moves bytes between the
 * descriptors that it has or is handed. No file, no program, no process. */
/* clang-format off */
static const char *const gate_allow[] = {
	"accept", "accept4", "bind", "brk", "clock_getres", "clock_gettime",
	"clock_gettime64", "clock_nanosleep", "clock_nanosleep_time64", "close", "connect",
	"dup", "epoll_create1", "epoll_ctl", "epoll_pwait", "epoll_pwait2", "epoll_wait",
	"eventfd2", "exit", "exit_group", "fcntl", "fcntl64", "fdatasync", "fstat",
	"fstat64", "fsync", "futex", "futex_time64", "getgid", "getpeername", "getpid",
	"getppid", "getrandom", "getsockname", "getsockopt", "gettid", "gettimeofday",
	"getuid", "getegid", "geteuid", "listen", "lseek", "madvise", "mremap", "munmap",
	"nanosleep", "pipe2", "poll", "ppoll", "ppoll_time64", "read", "readv", "recv",
	"recvfrom", "recvmmsg", "recvmmsg_time64", "recvmsg", "restart_syscall", "rseq",
	"rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sched_yield", "send",
	"sendmmsg", "sendmsg", "sendto", "set_robust_list", "setsockopt", "shutdown",
	"sigaltstack", "signalfd4", "sigreturn", "splice", "tee", "tgkill", "time",
	"timerfd_create", "timerfd_settime", "timerfd_settime64", "write", "writev",
	NULL
};
/* clang-format on */

static const struct secfilter_rule gate_rules[] = {
	EQ("socket", SECFILTER_ALLOW, 0, LOW, AF_UNIX),
	EQ("socket", SECFILTER_ALLOW, 0, LOW, AF_INET),
	EQ("socket", SECFILTER_ALLOW, 0, LOW, AF_INET6),
	ALWAYS("socket", EAFNOSUPPORT),
	ANY("mmap", EPERM, 2, PROT_EXEC),
	ALWAYS("mmap", SECFILTER_ALLOW),
	ANY("mmap2", EPERM, 2, PROT_EXEC),
	ALWAYS("mmap2", SECFILTER_ALLOW),
	ANY("mprotect", EPERM, 2, PROT_EXEC),
	ALWAYS("mprotect", SECFILTER_ALLOW),
	EQ("ioctl", SECFILTER_ALLOW, 1, LOW, FIONREAD),
	ALWAYS("ioctl", EPERM),
};

static const struct secfilter_table tables[] = {
	[SECFILTER_BOX] = { "box", ENOSYS, box_allow, box_refuse, box_rules,
			    ARRAY_SIZE(box_rules) },
	[SECFILTER_SETID] = { "setid", SECFILTER_ALLOW, NULL, NULL, setid_rules,
			      ARRAY_SIZE(setid_rules) },
	[SECFILTER_SETID_ROOT] = { "setid-root", SECFILTER_ALLOW, NULL, NULL,
				   setid_root_rules, ARRAY_SIZE(setid_root_rules) },
	[SECFILTER_FAKE] = { "fake", SECFILTER_ALLOW, NULL, NULL, fake_rules,
			     ARRAY_SIZE(fake_rules) },
	[SECFILTER_GATE] = { "gate", ENOSYS, gate_allow, NULL, gate_rules,
			     ARRAY_SIZE(gate_rules) },
};

const struct secfilter_table *secfilter_table(enum secfilter_kind kind)
{
	assert((size_t)kind < ARRAY_SIZE(tables));
	return &tables[kind];
}

static int number_of(const struct number *list, size_t n, const char *call)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i].call, call))
			return list[i].nr;
	return -1;
}

int secfilter_table_number(const char *call, bool i386)
{
	int nr = number_of(newer, ARRAY_SIZE(newer), call);

	if (nr < 0 && i386)
		nr = number_of(i386_direct, ARRAY_SIZE(i386_direct), call);
	return nr;
}
