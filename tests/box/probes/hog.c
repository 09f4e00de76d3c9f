/* hog - uses a resource: "hog memory MIB"; "hog hold MIB", which keeps it for six seconds;
 * "hog shared MIB", which four processes share; "hog forks"; "hog cpu MS" (prints the CPU
 * milliseconds that it got in so many of the clock's). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "memory"))
		return memory((size_t)atol(argv[2]));
	if (argc == 3 && !strcmp(argv[1], "hold"))
		return hold((size_t)atol(argv[2]));
	if (argc == 3 && !strcmp(argv[1], "shared"))
		return shared((size_t)atol(argv[2]));
	if (argc == 3 && !strcmp(argv[1], "cpu"))
		return cpu(atol(argv[2]));
	return argc == 2 && !strcmp(argv[1], "forks") ? forks() : 2;
}
