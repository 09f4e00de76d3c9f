/* measure - wall time of commands, round by round, so that what else the machine does
 * meets all of them alike.
 *
 * usage: measure ROUNDS < rows
 *   A row is NAME TAB PREPARE TAB COMMAND. Each round runs every row: PREPARE by sh,
 *   untimed, then COMMAND (words, no shell; ";;" between two that count together) timed
 *   from before its start until it was reaped. Output goes to /dev/null; a command that
 *   ends with "?? TEXT" is run again until a line of its output begins with TEXT. "@" in a
 *   word is the number of the round. The first round does not count.
 * Prints {"NAME": {"median_us": …, "p10_us": …, "p90_us": …, "rounds": …}, …}. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROWS = 32, WORDS = 64, LINE = 4096, OUTPUT = 65536, TRIES_S = 10 };

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

static pid_t start(char *const *argv, const posix_spawn_file_actions_t *files)
{
	pid_t pid;
	int r = posix_spawnp(&pid, argv[0], files, NULL, argv, environ);

	if (r)
		die(argv[0], strerror(r));
	return pid;
}

static void await(pid_t pid, const char *name)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			die("waitpid", strerror(errno));
	if (status)
		die(name, "the command failed");
}

/* Does a line of what it prints begin with @text? */
static bool prints(char *const *argv, const char *text, const char *name)
{
	static char out[OUTPUT] = "\n";
	posix_spawn_file_actions_t files;
	size_t len = 1;
	ssize_t n = 1;
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0)
		die("pipe", strerror(errno));
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", 0, 0);
	posix_spawn_file_actions_adddup2(&files, fds[1], 1);
	pid = start(argv, &files);
	posix_spawn_file_actions_destroy(&files);
	close(fds[1]);
	for (; n > 0 && len<sizeof(out) - 1; len += n> 0 ? (size_t)n : 0)
		n = read(fds[0], out + len, sizeof(out) - 1 - len);
	close(fds[0]);
	out[len] = '\0';
	await(pid, name);
	for (const char *at = out; (at = strchr(at, '\n')); at++)
		if (!strncmp(at + 1, text, strlen(text)))
			return true;
	return false;
}

static void run_until(char *const *argv, const char *text, const char *name)
{
	double from = now_us();

	while (!prints(argv, text, name))
		if (now_us() - from > TRIES_S * 1e6)
			die(name, "its output never came");
}

/* A word with the number of the round for its "@". */
static char *numbered(char *word, int round)
{
	char *at = strchr(word, '@'), *ret;

	if (!at)
		return strdup(word);
	return asprintf(&ret, "%.*s%d%s", (int)(at - word), word, round, at + 1) < 0
		       ? NULL
		       : ret;
}

/* The words up to the next ";;", as a command each. */
static void run_all(char *const *words, const char *name)
{
	char *argv[WORDS], *until = NULL;
	int n = 0;

	for (;; words++) {
		if (*words && strcmp(*words, "??") == 0 && words[1]) {
			until = *++words;
			continue;
		}
		if (*words && strcmp(*words, ";;") != 0) {
			argv[n++] = *words;
			continue;
		}
		argv[n] = NULL;
		if (n && until)
			run_until(argv, until, name);
		else if (n)
			await(start(argv, &quiet), name);
		n = 0;
		until = NULL;
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

static double once(struct row *r, int round)
{
	char shell[] = "sh", option[] = "-c";
	char *prepare[] = { shell, option, r->prepare, NULL };
	char *words[WORDS] = { NULL };
	double took;

	for (int i = 0; r->words[i]; i++)
		words[i] = numbered(r->words[i], round);
	if (*r->prepare)
		await(start(prepare, &quiet), r->name);
	took = now_us();
	run_all(words, r->name);
	took = now_us() - took;
	for (int i = 0; words[i]; i++)
		free(words[i]);
	return took;
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
			double us = once(&rows[k], i + 1);

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
