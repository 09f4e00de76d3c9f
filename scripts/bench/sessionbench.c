/* sessionbench - the session's own times on this host's shells and ptys, without a box,
 * each beside its floor, in turns.
 *
 * usage: sessionbench [ROUNDS [MEGABYTES]]
 * Prints {"NAME": {"ours": …, "floor": …, "unit": …}, …}: medians of
 *   round trip   a command's, by shell; the floor is the same bash on two pipes
 *   cat          a file's way into the kept output; the floor is a bare read loop
 *   filters      the same bytes through the filters alone, without a pty
 *   prompt       from the start of "read -p" until the wait is known */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "agent/session/session.h"
#include "agent/terminal/clip.h"
#include "agent/terminal/marker.h"
#include "agent/terminal/output.h"
#include "agent/terminal/redact.h"
#include "agent/terminal/spill.h"
#include "base/sys/sys.h"
#include "tests/unit/hostport.h"

enum { ROUNDS_MAX = 10000, TURNS = 5, PROMPTS = 30 };

static const struct session_limits limits = { 0, 120000 };

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void die(const char *what)
{
	fprintf(stderr, "sessionbench: %s\n", what);
	exit(1);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), by_value);
	return v[n / 2];
}

static void say(const char *name, double ours, double floor_, const char *unit)
{
	static bool more;

	printf("%s\"%s\": {\"ours\": %.1f, \"floor\": %.1f, \"unit\": \"%s\"}",
	       more ? ",\n " : "{", name, ours, floor_, unit);
	more = true;
}

/* ---- sessions --------------------------------------------------------------------- */

static struct hostport port;

static struct session *open_session(const char *shell)
{
	struct session_conf conf = { .port = &port.port,
				     .name = "bench",
				     .shell = shell,
				     .cwd = "/tmp",
				     .no_rc = true,
				     .interrupt_fd = -1 };
	struct session *s = NULL;
	struct err e = ERR_NONE;

	if (session_open(&conf, &s, &e) < 0)
		return NULL;
	return s;
}

static double run_us(struct session *s, const char *text)
{
	_cleanup_session_result_ struct session_result r;
	struct err e = ERR_NONE;
	double start = now_us();

	session_result_init(&r);
	if (session_run(s, text, strlen(text), &limits, &r, &e) < 0)
		die(e.msg);
	return now_us() - start;
}

static void answer(struct session *s)
{
	_cleanup_session_result_ struct session_result r;
	struct err e = ERR_NONE;

	session_result_init(&r);
	if (session_input(s, "x\n", 2, &limits, &r, &e) < 0)
		die(e.msg);
}

/* ---- round trips ------------------------------------------------------------------ */

struct pipes {
	int in, out;
};

static struct pipes bash_on_pipes(void)
{
	int in[2], out[2];

	if (pipe(in) < 0 || pipe(out) < 0)
		die("pipe");
	if (fork() == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		close(in[1]);
		execlp("bash", "bash", "--norc", (char *)NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	return (struct pipes){ in[1], out[0] };
}

static double pipe_us(const struct pipes *p, const char *command)
{
	char line[128], got[256];
	size_t n = 0;
	int len = snprintf(line, sizeof(line), "%s; echo end $?\n", command);
	double start = now_us();

	if (write(p->in, line, (size_t)len) != len)
		die("write");
	do {
		ssize_t r = read(p->out, got + n, sizeof(got) - 1 - n);

		if (r <= 0)
			die("bash on pipes ended");
		n += (size_t)r;
		got[n] = '\0';
	} while (!strstr(got, "end 0\n"));
	return now_us() - start;
}

static void round_trips(size_t rounds)
{
	static const char *const shells[] = { "bash", "zsh", "dash" };
	static const char *const commands[] = { ":", "echo hi" };
	static double ours[ROUNDS_MAX], theirs[ROUNDS_MAX];
	struct pipes p = bash_on_pipes();

	for (size_t i = 0; i < ARRAY_SIZE(shells); i++) {
		struct session *s = open_session(shells[i]);
		char name[64];

		for (size_t c = 0; s && c < ARRAY_SIZE(commands); c++) {
			for (size_t k = 0; k < rounds; k++) {
				ours[k] = run_us(s, commands[c]);
				theirs[k] = pipe_us(&p, commands[c]);
			}
			snprintf(name, sizeof(name), "round trip of '%s', %s",
				 commands[c], shells[i]);
			say(name, median(ours, rounds), median(theirs, rounds), "us");
		}
		session_close(&s);
	}
}

/* ---- throughput ------------------------------------------------------------------- */

static char *make_file(const char *path, size_t bytes)
{
	char *data = malloc(bytes);
	FILE *f = fopen(path, "we");
	size_t n = 0;

	if (!data || !f)
		die(path);
	for (unsigned i = 0; n + 80 < bytes; i++)
		n += (size_t)snprintf(data + n, 80,
				      "%08u the quick brown fox jumps over the lazy "
				      "dog and runs\n",
				      i);
	memset(data + n, '\n', bytes - n);
	if (fwrite(data, 1, bytes, f) != bytes || fclose(f))
		die(path);
	return data;
}

static double bare_us(const char *path)
{
	const char *argv[] = { "cat", path, NULL };
	struct session_spawn c = { .argv = argv, .cwd = "/", .rows = 40, .cols = 160 };
	struct session_life sh;
	struct err e = ERR_NONE;
	static char data[64 << 10];
	double start = now_us();

	if (port.port.spawn(&port, &c, &sh, &e) < 0)
		die(e.msg);
	while (read(sh.master, data, sizeof(data)) > 0)
		;
	start = now_us() - start;
	close(sh.master);
	port.port.end(&port, sh.id, &e);
	return start;
}

struct sink {
	struct clip clip;
	struct spill spill;
	struct redact redact;
	struct output output;
	struct marker marker;
};

static void to_clip(void *ctx, const char *data, size_t len)
{
	struct sink *s = ctx;

	clip_add(&s->clip, data, len);
	spill_add(&s->spill, data, len);
}

static void to_output(void *ctx, const char *data, size_t len)
{
	output_feed(&((struct sink *)ctx)->output, data, len);
}

static void to_redact(void *ctx, const char *data, size_t len)
{
	redact_feed(&((struct sink *)ctx)->redact, data, len);
}

static void no_event(void *, const struct marker_event *)
{
}

static double filters_us(const char *data, size_t bytes)
{
	static const char nonce[] = "0123456789abcdef0123456789abcdef";
	static struct sink s;
	double start = now_us();

	clip_init(&s.clip, SESSION_KEEP);
	spill_init(&s.spill);
	redact_init(&s.redact, to_output, &s);
	redact_add(&s.redact, nonce, "****");
	output_init(&s.output, to_clip, NULL, &s);
	marker_init(&s.marker, nonce, to_redact, no_event, &s);
	for (size_t i = 0; i < bytes; i += 4096)
		marker_feed(&s.marker, data + i, MIN(bytes - i, (size_t)4096));
	start = now_us() - start;
	clip_done(&s.clip);
	spill_done(&s.spill);
	redact_done(&s.redact);
	return start;
}

static void throughput(size_t megabytes)
{
	char path[] = "/tmp/sessionbench-XXXXXX", command[64];
	size_t bytes = megabytes * 1000000;
	int fd = mkstemp(path);
	char *data = make_file(path, bytes);
	struct session *s = open_session("bash");
	double ours[TURNS], bare[TURNS], filters[TURNS];

	snprintf(command, sizeof(command), "cat %s", path);
	for (int i = 0; i < TURNS && s; i++) {
		ours[i] = (double)bytes / run_us(s, command);
		bare[i] = (double)bytes / bare_us(path);
		filters[i] = (double)bytes / filters_us(data, bytes);
	}
	say("cat into the kept output", median(ours, TURNS), median(bare, TURNS),
	    "MB/s");
	say("the filters alone", median(filters, TURNS), 0, "MB/s");
	session_close(&s);
	free(data);
	unlink(path);
	close(fd);
}

static void prompts(void)
{
	struct session *s = open_session("bash");
	double t[PROMPTS];

	for (int i = 0; i < PROMPTS && s; i++) {
		t[i] = run_us(s, "read -p 'name? ' x") / 1000;
		answer(s);
	}
	say("prompt known", median(t, PROMPTS), 0, "ms");
	say("prompt known, slowest", t[PROMPTS - 1], 0, "ms");
	session_close(&s);
}

int main(int argc, char **argv)
{
	size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
	size_t megabytes = argc > 2 ? strtoul(argv[2], NULL, 10) : 100;

	if (!rounds || rounds > ROUNDS_MAX || !megabytes || megabytes > 1000)
		die("usage: sessionbench [ROUNDS [MEGABYTES]]");
	hostport_init(&port, "/tmp");
	round_trips(rounds);
	throughput(megabytes);
	prompts();
	hostport_done(&port);
	puts("}");
	return 0;
}
