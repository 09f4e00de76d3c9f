/* setid - gives a file set-id bits. "setid WAY PATH": in that way; "setid DIRECTORY": in
 * every way that there is, each on a file of its name there. Prints "WAY ok", "WAY" and the
 * error, or "WAY BAD" when it saw that it got what it must not get. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { MODE = 06755, FCHMODAT2 = 452, PAGE = 4096 };

static void make(const char *path)
{
	int fd = open(path, O_CREAT | O_WRONLY, 0755);

	if (fd >= 0)
		close(fd);
}

#ifdef __x86_64__
static long int80(long nr, long a, long b, long c, long d)
{
	long r;

	__asm__ volatile("int $0x80"
			 : "=a"(r)
			 : "a"(nr), "b"(a), "c"(b), "d"(c), "S"(d), "D"(0)
			 : "memory", "r8", "r9", "r10", "r11");
	return r < 0 ? (errno = (int)-r, -1L) : r;
}

static long low(const char *s)
{
	char *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

	strcpy(p, s);
	return (long)p;
}
#else
#define int80(nr, a, b, c, d) (errno = ENOSYS, -1L)
#define low(s) 0L
#endif

static long by_chmod(const char *p)
{
	make(p);
	return syscall(SYS_fchmodat, AT_FDCWD, p, MODE);
}

static long by_old_chmod(const char *p)
{
	make(p);
	return chmod(p, MODE);
}

static long by_fchmod(const char *p)
{
	make(p);
	return fchmod(open(p, O_RDONLY), MODE);
}

static long by_fchmodat2(const char *p)
{
	make(p);
	return syscall(FCHMODAT2, AT_FDCWD, p, MODE, AT_SYMLINK_NOFOLLOW);
}

static long by_empty(const char *p)
{
	make(p);
	return syscall(FCHMODAT2, open(p, O_PATH), "", MODE, AT_EMPTY_PATH);
}

/* As libc's fchmodat() does it. */
static long by_proc(const char *p)
{
	char name[64];

	make(p);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", open(p, O_PATH));
	return chmod(name, MODE);
}

static long by_open(const char *p)
{
	return open(p, O_CREAT | O_WRONLY | O_EXCL, MODE);
}

static long by_creat(const char *p)
{
	return creat(p, MODE);
}

static long by_tmpfile(const char *p)
{
	char dir[PAGE], name[64], *slash;
	int fd;

	snprintf(dir, sizeof(dir), "%s", p);
	slash = strrchr(dir, '/');
	if (slash)
		*slash = '\0';
	fd = open(slash ? dir : ".", O_TMPFILE | O_RDWR, MODE);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	return fd < 0 ? fd : linkat(AT_FDCWD, name, AT_FDCWD, p, AT_SYMLINK_FOLLOW);
}

static long by_mknod(const char *p)
{
	return mknod(p, S_IFREG | MODE, 0);
}

static long by_mknodat(const char *p)
{
	return syscall(SYS_mknodat, AT_FDCWD, p, MODE, 0);
}

/* flags, mode, resolve */
static long by_openat2(const char *p)
{
	uint64_t how[3] = { O_CREAT | O_WRONLY, MODE, 0 };

	return syscall(SYS_openat2, AT_FDCWD, p, how, sizeof(how));
}

static long by_high_bits(const char *p)
{
	make(p);
	return syscall(SYS_fchmodat, AT_FDCWD, p, (1L << 32) | MODE);
}

static long by_i386(const char *p)
{
	make(p);
	return int80(15, low(p), MODE, 0, 0);
}

static long by_i386_at(const char *p)
{
	make(p);
	return int80(306, AT_FDCWD, low(p), MODE, 0);
}

static long by_i386_open(const char *p)
{
	return int80(5, low(p), O_CREAT | O_WRONLY, MODE, 0);
}

static long by_i386_creat(const char *p)
{
	return int80(8, low(p), MODE, 0, 0);
}

static long by_i386_mknod(const char *p)
{
	return int80(14, low(p), S_IFREG | MODE, 0, 0);
}

static long by_i386_openat(const char *p)
{
	return int80(295, AT_FDCWD, low(p), O_CREAT | O_WRONLY, MODE);
}

static long by_undumpable(const char *p)
{
	make(p);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	return chmod(p, MODE);
}

static long by_dir(const char *p)
{
	mkdir(p, MODE);
	return chmod(p, MODE);
}

/* The path is another one by the time that it is used: @p, and a file in /tmp. */
static char racing[PAGE];

static void *flip(void *p)
{
	char a[PAGE] = { 0 }, b[PAGE] = "/tmp/setid-race";

	snprintf(a, sizeof(a), "%s", (const char *)p);
	for (;;) {
		memcpy(racing, a, sizeof(racing));
		memcpy(racing, b, sizeof(racing));
	}
	return NULL;
}

static void *flip_name(void *p)
{
	for (;;) {
		memcpy(racing, "security.capability", 20);
		memcpy(racing, "user.other", 11);
	}
	return p;
}

static long by_race(const char *p)
{
	enum { TRIES = 300 };
	pthread_t t;
	struct stat st;

	make(p);
	make("/tmp/setid-race");
	memcpy(racing, p, strlen(p) + 1);
	pthread_create(&t, NULL, flip, (void *)(uintptr_t)p);
	for (int i = 0; i < TRIES; i++) {
		chmod(racing, MODE);
		if (stat(p, &st) == 0 && (st.st_mode & 06000))
			return 1;
	}
	return 0;
}

/* Callers that are killed at every moment, and more at once than are served. */
static long by_flood(const char *p)
{
	enum { CALLERS = 40, ROUNDS = 5 };

	make(p);
	for (int round = 0; round < ROUNDS; round++) {
		pid_t pids[CALLERS];

		for (int i = 0; i < CALLERS; i++) {
			pids[i] = fork();
			if (!pids[i])
				for (;;)
					chmod(p, MODE);
		}
		usleep(20000);
		for (int i = 0; i < CALLERS; i++)
			kill(pids[i], SIGKILL);
		while (wait(NULL) > 0)
			;
	}
	return chmod(p, MODE);
}

static long by_fifo(const char *p)
{
	enum { FIFO_SECONDS = 60 };
	char name[PAGE + 8];

	snprintf(name, sizeof(name), "%s.fifo", p);
	mkfifo(name, 0600);
	alarm(FIFO_SECONDS);
	(void)open(name, O_CREAT | O_WRONLY, MODE); /* nobody reads: does not hang */
	alarm(0);
	return mkfifo(p, 0600) || chmod(p, MODE);
}

/* A filter of the box's own, which allows everything, in front of ours. */
static long by_filter(const char *p)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog prog = { 1, &allow };

	make(p);
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog) < 0)
		return -1;
	return chmod(p, MODE);
}

/* As that, to answer for itself: there is one listener, and it is not this one. */
static long by_listener(const char *p)
{
	struct sock_filter ask = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog prog = { 1, &ask };

	make(p);
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		    SECCOMP_FILTER_FLAG_NEW_LISTENER, &prog) >= 0)
		return 1;
	return chmod(p, MODE);
}

/* cap_setuid+ep, for everybody who runs the file. */
static uint32_t capability[] = { 0x02000001, 1 << 7, 0, 0, 0 };
#define CAPABILITY "security.capability", capability, sizeof(capability), 0

static long by_filecap(const char *p)
{
	make(p);
	return setxattr(p, CAPABILITY);
}

static long by_filecap_link(const char *p)
{
	make(p);
	return lsetxattr(p, CAPABILITY);
}

static long by_filecap_fd(const char *p)
{
	make(p);
	return fsetxattr(open(p, O_RDONLY), CAPABILITY);
}

static long by_filecap_proc(const char *p)
{
	char name[64];

	make(p);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", open(p, O_PATH));
	return setxattr(name, CAPABILITY);
}

static long by_filecap_i386(const char *p)
{
	char *value = (char *)low("");

	make(p);
	memcpy(value, capability, sizeof(capability));
	return int80(228, open(p, O_RDONLY), low("security.capability"), (long)value,
		     sizeof(capability));
}

static long by_filecap_has(const char *p)
{
	return getxattr(p, "security.capability", NULL, 0) < 0 ? -1 : 0;
}

static long by_filecap_gone(const char *p)
{
	return removexattr(p, "security.capability");
}

static long by_filecap_gone_link(const char *p)
{
	return lremovexattr(p, "security.capability");
}

static long by_filecap_gone_fd(const char *p)
{
	return fremovexattr(open(p, O_RDONLY), "security.capability");
}

/* For the file alone whose name it is when it is looked at. */
static long by_filecap_race(const char *p)
{
	enum { TRIES = 300 };
	pthread_t t;

	make(p);
	make("/tmp/setid-race");
	memcpy(racing, p, strlen(p) + 1);
	pthread_create(&t, NULL, flip, (void *)(uintptr_t)p);
	for (int i = 0; i < TRIES; i++) {
		setxattr(racing, CAPABILITY);
		if (getxattr(p, "security.capability", NULL, 0) >= 0)
			return 1;
	}
	return 0;
}

/* Another attribute is asked for, and by then it is this one. */
static long by_filecap_name(const char *p)
{
	enum { TRIES = 300 };
	pthread_t t;

	make(p);
	memcpy(racing, "user.other", 11);
	pthread_create(&t, NULL, flip_name, NULL);
	for (int i = 0; i < TRIES; i++) {
		setxattr(p, racing, capability, sizeof(capability), 0);
		if (getxattr(p, "security.capability", NULL, 0) >= 0)
			return 1;
	}
	return 0;
}

/* Bits that the host's file has, and a box's content under them. */
static long by_write(const char *p)
{
	int fd = open(p, O_WRONLY);

	return write(fd, "box", 3) == 3 ? 0 : -1;
}

/* Memory of whoever makes the call, by a name that everybody has for his own. */
static long by_mem(const char *p)
{
	make(p);
	return open("/proc/self/mem", O_RDWR | O_CREAT, MODE) < 0 ? chmod(p, MODE) : 1;
}

static const struct {
	const char *name;
	long (*run)(const char *path);
} ways[] = {
	{ "chmod", by_old_chmod },
	{ "fchmodat", by_chmod },
	{ "fchmod", by_fchmod },
	{ "fchmodat2", by_fchmodat2 },
	{ "empty-path", by_empty },
	{ "proc-fd", by_proc },
	{ "open", by_open },
	{ "creat", by_creat },
	{ "tmpfile", by_tmpfile },
	{ "mknod", by_mknod },
	{ "mknodat", by_mknodat },
	{ "openat2", by_openat2 },
	{ "high-bits", by_high_bits },
	{ "i386-chmod", by_i386 },
	{ "i386-fchmodat", by_i386_at },
	{ "i386-open", by_i386_open },
	{ "i386-creat", by_i386_creat },
	{ "i386-mknod", by_i386_mknod },
	{ "i386-openat", by_i386_openat },
	{ "undumpable", by_undumpable },
	{ "dir", by_dir },
	{ "race", by_race },
	{ "flood", by_flood },
	{ "fifo", by_fifo },
	{ "mem", by_mem },
	{ "filter", by_filter },
	{ "listener", by_listener },
	{ NULL, NULL }, /* only by their names: */
	{ "filecap", by_filecap },
	{ "filecap-link", by_filecap_link },
	{ "filecap-fd", by_filecap_fd },
	{ "filecap-proc", by_filecap_proc },
	{ "filecap-i386", by_filecap_i386 },
	{ "filecap-has", by_filecap_has },
	{ "filecap-gone", by_filecap_gone },
	{ "filecap-gone-link", by_filecap_gone_link },
	{ "filecap-gone-fd", by_filecap_gone_fd },
	{ "filecap-race", by_filecap_race },
	{ "filecap-name", by_filecap_name },
	{ "write", by_write },
};

int main(int argc, char **argv)
{
	umask(0);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		char path[PAGE];
		long r;

		if (!ways[i].name && argc == 2)
			break;
		if (!ways[i].name)
			continue;
		if (argc == 2) { /* all of them, into a directory */
			snprintf(path, sizeof(path), "%s/%s", argv[1], ways[i].name);
		} else if (argc == 3 && strcmp(argv[1], ways[i].name) == 0) {
			snprintf(path, sizeof(path), "%s", argv[2]);
		} else {
			continue;
		}
		r = ways[i].run(path);
		printf("%s %s\n", ways[i].name,
		       r < 0	     ? strerrorname_np(errno)
		       : r > 1 || !r ? "ok"
				     : "BAD");
		fflush(stdout);
	}
	return 0;
}
