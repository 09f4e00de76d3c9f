/* measure - wall time of commands, round by round, so that what else the machine does
 * meets all of them alike.
 *
 * usage: measure ROUNDS < rows
 *   A row is NAME TAB PREPARE TAB COMMAND. Each round runs every row: PREPARE by sh,
 *   untimed, then COMMAND (words, no shell; ";;" between two that count together) timed
 *   from before its start until it was reaped. Output goes to /dev/null. The first round
 *   does not count.
 * Prints {"NAME": {"median_us": …, "p10_us": …, "p90_us": …, "rounds": …}, …}. */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROWS = 32, WORDS = 64, LINE = 4096 };

struct row {
	char line[LINE]; /* holds what the others point at */
	char *name, *prepare;
	char *words[WORDS]; /* NULL-ended */
	double *us;
};

static posix_spawn_file_actions_t quiet;

static void die(const char *what, const char *why)
{
	fprintf(stderr, "measure: %s: %s\n", what, why);
	exit(1);
}

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void run(char *const *argv, const char *name)
{
	int status, r;
	pid_t pid;

	r = posix_spawnp(&pid, argv[0], &quiet, NULL, argv, environ);
	if (r)
		die(argv[0], strerror(r));
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			die("waitpid", strerror(errno));
	if (status)
		die(name, "the command failed");
}

/* The words up to the next ";;", as a command each. */
static void run_all(char *const *words, const char *name)
{
	char *argv[WORDS];
	int n = 0;

	for (;; words++) {
		if (*words && strcmp(*words, ";;") != 0) {
			argv[n++] = *words;
			continue;
		}
		argv[n] = NULL;
		if (n)
			run(argv, name);
		n = 0;
		if (!*words)
			return;
	}
}

static void split(struct row *r)
{
	char *save, *tab = strchr(r->line, '\t'), *second;
	int n = 0;

	second = tab ? strchr(tab + 1, '\t') : NULL;
	if (!second)
		die(r->line, "not NAME TAB PREPARE TAB COMMAND");
	*tab = *second = '\0';
	r->name = r->line;
	r->prepare = tab + 1;
	for (char *w = strtok_r(second + 1, " \n", &save); w && n < WORDS - 1;
	     w = strtok_r(NULL, " \n", &save))
		r->words[n++] = w;
}

static double once(struct row *r)
{
	char shell[] = "sh", option[] = "-c";
	char *prepare[] = { shell, option, r->prepare, NULL };
	double from;

	if (*r->prepare)
		run(prepare, r->name);
	from = now_us();
	run_all(r->words, r->name);
	return now_us() - from;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	static struct row rows[ROWS];
	int rounds = argc > 1 ? atoi(argv[1]) : 0, n = 0;

	if (rounds < 1)
		die("usage", "measure ROUNDS < rows");
	posix_spawn_file_actions_init(&quiet);
	posix_spawn_file_actions_addopen(&quiet, 0, "/dev/null", 0, 0);
	posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", 1, 0);
	for (; n < ROWS && fgets(rows[n].line, LINE, stdin); n++) {
		split(&rows[n]);
		rows[n].us = calloc((size_t)rounds, sizeof(double));
	}
	for (int i = -1; i < rounds; i++)
		for (int k = 0; k < n; k++) {
			double us = once(&rows[k]);

			if (i >= 0)
				rows[k].us[i] = us;
		}
	printf("{");
	for (int k = 0; k < n; k++) {
		qsort(rows[k].us, (size_t)rounds, sizeof(double), by_size);
		printf("%s\"%s\": {\"median_us\": %.1f, \"p10_us\": %.1f, \"p90_us\": "
		       "%.1f, \"rounds\": %d}",
		       k ? ", " : "", rows[k].name, rows[k].us[rounds / 2],
		       rows[k].us[rounds / 10], rows[k].us[rounds * 9 / 10], rounds);
	}
	puts("}");
	return 0;
}
