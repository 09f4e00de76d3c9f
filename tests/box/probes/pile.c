/* pile - uses what a look at memory must not pass over, nor be held up by:
 * "pile tables MIB" of page tables that lead to the page of zeros; "pile descriptors N P": N in
 * each of P processes, which share one table; "pile mapped MIB P": so much memory, which P
 * processes share as threads do. The first says "lived" after six seconds; the others say
 * "there" and stay. */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* One of 4 KiB for each 2 MiB of addresses. */
static int tables(size_t mib)
{
	const size_t n = mib << 8;
	const volatile char *p =
		mmap(NULL, n << 21, PROT_READ,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	char sum = 0;

	if (p == MAP_FAILED || madvise((void *)(uintptr_t)p, n << 21, MADV_NOHUGEPAGE))
		return 1;
	for (size_t i = 0; i < n; i++)
		sum |= p[i << 21];
	sleep(6);
	puts("lived");
	return sum;
}

static int wait_for_ever(void *unused)
{
	while (!unused)
		pause();
	return 0;
}

static int with(int shared, unsigned n)
{
	enum { STACK = 16 << 10 };

	for (unsigned i = 0; i < n; i++) {
		char *stack = malloc(STACK);

		if (!stack ||
		    clone(wait_for_ever, stack + STACK, shared | SIGCHLD, NULL) < 0)
			return 1;
	}
	puts("there");
	fflush(stdout);
	return wait_for_ever(NULL);
}

static int descriptors(unsigned n, unsigned processes)
{
	struct rlimit r;
	int fd = open("/dev/null", O_RDONLY);

	if (getrlimit(RLIMIT_NOFILE, &r) < 0)
		return 1;
	r.rlim_cur = r.rlim_max;
	setrlimit(RLIMIT_NOFILE, &r);
	while (n-- && dup(fd) >= 0)
		;
	return with(CLONE_FILES, processes);
}

static int mapped(size_t mib, unsigned processes)
{
	char *p = mmap(NULL, mib << 20, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || madvise(p, mib << 20, MADV_NOHUGEPAGE))
		return 1;
	memset(p, 1, mib << 20);
	return with(CLONE_VM, processes);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "tables"))
		return tables((size_t)atol(argv[2]));
	if (argc == 4 && !strcmp(argv[1], "descriptors"))
		return descriptors((unsigned)atol(argv[2]), (unsigned)atol(argv[3]));
	if (argc == 4 && !strcmp(argv[1], "mapped"))
		return mapped((size_t)atol(argv[2]), (unsigned)atol(argv[3]));
	return 2;
}
