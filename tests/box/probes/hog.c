/* hog - uses a resource: "hog memory MIB"; "hog hold MIB", which keeps it for six seconds;
 * "hog shared MIB", which four processes share; "hog forks"; "hog cpu MS" (prints the CPU
 * milliseconds that it got in so many of the clock's); "hog reserve GIB" of addresses alone;
 * "hog memfd MIB", "hog secret MIB" (memfd_secret), "hog piped MIB" (vmsplice), "hog segment
 * MIB", memory that no process has mapped; "hog semaphores MIB", "hog messages MIB", which
 * only the kernel has; "hog users N":
 * 40 processes of each of so many users, and how many are there in the end. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long ms_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int memory(size_t mib)
{
	volatile char *p = malloc(mib << 20);

	for (size_t i = 0; p && i < mib << 20; i += 4096)
		p[i] = 1;
	puts(p ? "got it" : "refused");
	return p ? 0 : 3;
}

static int hold(size_t mib)
{
	volatile char *p = malloc(mib << 20);

	for (size_t i = 0; p && i < mib << 20; i += 4096)
		p[i] = 1;
	sleep(6);
	puts("held");
	return p ? 0 : 3;
}

static int shared(size_t mib)
{
	char *p = malloc(mib << 20);
	int status, r = 0;

	if (!p)
		return 3;
	memset(p, 1, mib << 20);
	for (int i = 0; i < 3; i++)
		if (fork() == 0) {
			int n = 0;

			for (size_t at = 0; at < mib << 20; at += 4096)
				n += p[at];
			sleep(2);
			_exit(n == 0);
		}
	for (int i = 0; i < 3; i++)
		if (wait(&status) < 0 || status)
			r = 1;
	puts(r ? "killed" : "shared");
	return r;
}

/* Every one that it may have, then their number; they end with it. */
static int forks(void)
{
	int ends[2], n = 0, why = 0;

	if (pipe(ends) < 0)
		return 1;
	while (n < 100000) {
		pid_t pid = fork();

		if (pid == 0) {
			char byte;

			close(ends[1]);
			_exit(read(ends[0], &byte, 1) == 0 ? 0 : 1);
		}
		if (pid < 0) {
			why = errno;
			break;
		}
		n++;
	}
	printf("%d %s\n", n, strerrorname_np(why));
	return 0;
}

static int cpu(long ms)
{
	long end = ms_of(CLOCK_MONOTONIC) + ms;

	while (ms_of(CLOCK_MONOTONIC) < end)
		;
	printf("%ld\n", ms_of(CLOCK_PROCESS_CPUTIME_ID));
	return 0;
}

static int reserve(size_t gib)
{
	char *p = mmap(NULL, gib << 30, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	p[gib << 29] = 1;
	puts("reserved");
	return 0;
}

static int unmapped(size_t mib)
{
	static char block[1 << 20];
	int fd = memfd_create("hog", 0);

	memset(block, 1, sizeof(block));
	for (size_t i = 0; i < mib; i++)
		if (write(fd, block, sizeof(block)) != sizeof(block))
			return 1;
	sleep(6);
	puts("held");
	return 0;
}

/* A piece at a time, for what is mapped of it is locked, and what was mapped is not. */
static int secret(size_t mib)
{
	int fd = (int)syscall(SYS_memfd_secret, 0);

	if (fd < 0) {
		puts(strerrorname_np(errno));
		return 0;
	}
	if (ftruncate(fd, (off_t)mib << 20) < 0)
		return 1;
	for (size_t i = 0; i < mib; i++) {
		char *at = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
				(off_t)i << 20);

		if (at == MAP_FAILED)
			return 1;
		memset(at, 1, 1 << 20);
		munmap(at, 1 << 20);
	}
	sleep(6);
	puts("held");
	return 0;
}

/* Detached again, so that it is nobody's. */
static int segment(size_t mib)
{
	for (size_t i = 0; i < mib; i++) {
		int id = shmget(IPC_PRIVATE, 1 << 20, 0600);
		char *at = id < 0 ? (void *)-1 : shmat(id, NULL, 0);

		if (at == (void *)-1)
			return 1;
		memset(at, 1, 1 << 20);
		shmdt(at);
	}
	puts("left");
	return 0;
}

/* A byte of each huge page is in a pipe, and the page nowhere else. */
static int piped(size_t mib)
{
	const size_t huge = 2 << 20;
	int to[2] = { -1, -1 };

	for (size_t i = 0; i < mib / 2; i++) {
		char *at = mmap(NULL, 2 * huge, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		char *page = at + (huge - (uintptr_t)at % huge);
		struct iovec one = { page, 1 };

		if (at == MAP_FAILED || (i % 16 == 0 && pipe(to)))
			return 1;
		madvise(page, huge, MADV_HUGEPAGE);
		*page = 1;
		if (vmsplice(to[1], &one, 1, SPLICE_F_NONBLOCK) != 1)
			return puts(strerrorname_np(errno)) < 0;
		munmap(at, 2 * huge);
	}
	puts("left");
	return 0;
}

static int semaphores(size_t mib)
{
	for (size_t i = 0; i < mib; i++)
		if (semget(IPC_PRIVATE, 16 << 10, 0600) < 0) /* 64 bytes each */
			return 1;
	puts("left");
	return 0;
}

static int messages(size_t mib)
{
	const struct {
		long kind;
	} empty = { 1 };
	int id = -1;

	for (size_t i = 0; i < mib << 14; i++) {
		if (i % 16384 == 0)
			id = msgget(IPC_PRIVATE, 0600);
		if (msgsnd(id, &empty, 0, IPC_NOWAIT))
			return 1;
	}
	puts("left");
	return 0;
}

static void stay(unsigned uid)
{
	if (setuid(uid) < 0)
		_exit(1);
	for (int i = 0; i < 40; i++)
		if (fork() == 0) {
			for (;;)
				pause();
		}
	for (;;)
		pause();
}

static int users(unsigned n)
{
	DIR *proc = opendir("/proc");
	int there = 0;

	for (unsigned uid = 1; uid <= n; uid++)
		if (fork() == 0)
			stay(uid);
	sleep(5); /* the limit may need a moment */
	for (struct dirent *d; (d = readdir(proc));)
		if (d->d_name[0] >= '1' && d->d_name[0] <= '9')
			there++;
	printf("%d stayed\n", there);
	return kill(-1, SIGKILL) < 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "memory"))
		return memory((size_t)atol(argv[2]));
	if (argc == 3 && !strcmp(argv[1], "hold"))
		return hold((size_t)atol(argv[2]));
	if (argc == 3 && !strcmp(argv[1], "shared"))
		return shared((size_t)atol(argv[2]));
	if (argc == 3 && !strcmp(argv[1], "reserve"))
		return reserve((size_t)atol(argv[2]));
	if (argc == 3 && !strcmp(argv[1], "memfd"))
		return unmapped((size_t)atol(argv[2]));
	if (argc == 3 && !strcmp(argv[1], "secret"))
		return secret((size_t)atol(argv[2]));
	if (argc == 3 && !strcmp(argv[1], "segment"))
		return segment((size_t)atol(argv[2]));
	if (argc == 3 && !strcmp(argv[1], "piped"))
		return piped((size_t)atol(argv[2]));
	if (argc == 3 && !strcmp(argv[1], "semaphores"))
		return semaphores((size_t)atol(argv[2]));
	if (argc == 3 && !strcmp(argv[1], "messages"))
		return messages((size_t)atol(argv[2]));
	if (argc == 3 && !strcmp(argv[1], "users"))
		return users((unsigned)atol(argv[2]));
	if (argc == 3 && !strcmp(argv[1], "cpu"))
		return cpu(atol(argv[2]));
	return argc == 2 && !strcmp(argv[1], "forks") ? forks() : 2;
}
