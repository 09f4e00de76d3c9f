/* roundtrip - how long a program on two pipes takes to answer.
 *
 * usage: roundtrip [-f FIRST] [-u UNTIL] ROUNDS REQUEST EXPECT COMMAND [ARG...]
 * Starts COMMAND, writes FIRST (and a line break) to it and waits until its output has
 * UNTIL (default: EXPECT); then ROUNDS times writes REQUEST and waits until what came
 * since has EXPECT. "@" in REQUEST and EXPECT becomes the number of the round. Prints
 * {"median_us": …, "p10_us": …, "p90_us": …, "rounds": …}. */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TEXT = 65536 };

static void die(const char *what)
{
	fprintf(stderr, "roundtrip: %s: %s\n", what, errno ? strerror(errno) : "ended");
	exit(1);
}

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void number(char *out, const char *text, int n)
{
	const char *at = strchr(text, '@');

	if (at)
		snprintf(out, TEXT, "%.*s%d%s", (int)(at - text), text, n, at + 1);
	else
		snprintf(out, TEXT, "%s", text);
}

static void ask(int fd, const char *text)
{
	char line[TEXT + 1];
	size_t len = (size_t)snprintf(line, sizeof(line), "%s\n", text);

	if (write(fd, line, len) != (ssize_t)len)
		die("write");
}

static void await(int fd, const char *want)
{
	char seen[TEXT];
	size_t len = 0;

	seen[0] = '\0';
	while (!strstr(seen, want)) {
		ssize_t n;

		if (len > TEXT / 2) { /* the end is enough */
			memmove(seen, seen + len - TEXT / 4, TEXT / 4);
			len = TEXT / 4;
		}
		n = read(fd, seen + len, TEXT - 1 - len);
		if (n <= 0)
			die(want);
		len += (size_t)n;
		seen[len] = '\0';
	}
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void measure(int to, int from, int rounds, char **words)
{
	double *us = calloc((size_t)rounds, sizeof(*us));
	char request[TEXT], expect[TEXT];

	for (int i = -10; i < rounds; i++) { /* ten to warm up */
		double start;

		number(request, words[0], i + 100);
		number(expect, words[1], i + 100);
		start = now_us();
		ask(to, request);
		await(from, expect);
		if (i >= 0)
			us[i] = now_us() - start;
	}
	qsort(us, (size_t)rounds, sizeof(*us), by_size);
	printf("{\"median_us\": %.1f, \"p10_us\": %.1f, \"p90_us\": %.1f, \"rounds\": "
	       "%d}\n",
	       us[rounds / 2], us[rounds / 10], us[rounds * 9 / 10], rounds);
	free(us);
}

int main(int argc, char **argv)
{
	const char *first = NULL, *until = NULL;
	posix_spawn_file_actions_t fa;
	int c, to[2], from[2], r;
	pid_t pid;

	while ((c = getopt(argc, argv, "+f:u:")) != -1)
		*(c == 'f' ? &first : &until) = optarg;
	argv += optind;
	if (argc - optind < 4)
		die("usage: roundtrip [-f FIRST] [-u UNTIL] ROUNDS REQUEST EXPECT "
		    "COMMAND [ARG...]");
	if (pipe2(to, 0x80000) || pipe2(from, 0x80000)) /* O_CLOEXEC */
		die("pipe");
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_adddup2(&fa, to[0], 0);
	posix_spawn_file_actions_adddup2(&fa, from[1], 1);
	r = posix_spawnp(&pid, argv[3], &fa, NULL, argv + 3, environ);
	errno = r;
	if (r)
		die(argv[3]);
	close(to[0]);
	close(from[1]);
	if (first) {
		ask(to[1], first);
		await(from[0], until ? until : argv[2]);
	}
	measure(to[1], from[0], atoi(argv[0]), argv + 1);
	close(to[1]);
	waitpid(pid, NULL, 0);
	return 0;
}
