/* netbench - the measuring tool of scripts/bench/net: servers, clients that print one
 * number, and the gate without a box.
 *   netbench serve PORT                     sink at PORT, source at PORT+1, one-line
 *                                           HTTP at PORT+2, names at PORT+3 (UDP); prints
 *                                           a line when ready
 *   netbench send|recv HOST PORT N SECONDS  N streams; Gbit/s
 *   netbench connect HOST PORT COUNT        median µs of connect and close
 *   netbench http HOST PORT COUNT           fetches per second, a connection each
 *   netbench dns ADDRESS PORT NAME COUNT    median µs of a question
 *   netbench gate RULES COMMAND...          COMMAND behind a gate with these rules
 */
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/gate/gate.h"
#include "tests/unit/netbox.h"

enum { CHUNK = 128 * 1024, STREAMS = 64, COUNT = 100000 };

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* ---- servers -------------------------------------------------------------------- */

static int listener(int port)
{
	struct sockaddr_in6 a = { .sin6_family = AF_INET6,
				  .sin6_port = htons((uint16_t)port) };
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 }, sizeof(int));
	if (bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 || listen(fd, 1024) < 0)
		die("listen");
	return fd;
}

static void sink(int fd)
{
	static _Thread_local char buf[CHUNK];

	while (recv(fd, buf, sizeof(buf), 0) > 0)
		;
}

static void source(int fd)
{
	static char buf[CHUNK];

	while (send(fd, buf, sizeof(buf), MSG_NOSIGNAL) > 0)
		;
}

static void http(int fd)
{
	static const char reply[] = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n"
				    "Connection: close\r\n\r\nhello\n";
	char buf[2048];

	if (recv(fd, buf, sizeof(buf), 0) > 0)
		send(fd, reply, sizeof(reply) - 1, MSG_NOSIGNAL);
}

struct job {
	int fd;
	void (*fn)(int fd);
};

static void *run_job(void *arg)
{
	struct job *j = arg;

	j->fn(j->fd);
	close(j->fd);
	free(j);
	return NULL;
}

static void *accept_all(void *arg)
{
	struct job *l = arg;

	for (;;) {
		struct job *j = malloc(sizeof(*j));
		pthread_t t;

		*j = (struct job){ accept(l->fd, NULL, NULL), l->fn };
		if (j->fd < 0) {
			free(j);
		} else if (l->fn == http) { /* short: no thread */
			run_job(j);
		} else if (pthread_create(&t, NULL, run_job, j) == 0) {
			pthread_detach(t);
		}
	}
	return NULL;
}

/* Every name has one address. */
static void *answer_all(void *arg)
{
	static const uint8_t record[] = { 0xc0, 12, 0, 1, 0,   1, 0, 0,
					  0,	60, 0, 4, 192, 0, 2, 1 };
	const struct job *l = arg;

	for (;;) {
		struct sockaddr_storage from;
		socklen_t from_len = sizeof(from);
		uint8_t buf[512 + sizeof(record)];
		ssize_t n = recvfrom(l->fd, buf, 512, 0, (struct sockaddr *)&from,
				     &from_len);

		if (n < 12)
			continue;
		buf[2] |= 0x80;
		buf[7] = 1;
		memcpy(buf + n, record, sizeof(record));
		sendto(l->fd, buf, (size_t)n + sizeof(record), 0,
		       (struct sockaddr *)&from, from_len);
	}
	return NULL;
}

static int name_server(int port)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_port = htons((uint16_t)port),
				 .sin_addr = { htonl(INADDR_LOOPBACK) } };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0)
		die("bind");
	return fd;
}

static _Noreturn void serve(int port)
{
	struct job names = { name_server(port + 3), NULL };
	struct job jobs[] = { { listener(port), sink },
			      { listener(port + 1), source },
			      { listener(port + 2), http } };
	pthread_t t;

	for (int i = 0; i < 3; i++)
		if (pthread_create(&t, NULL, accept_all, &jobs[i]) != 0)
			die("thread");
	if (pthread_create(&t, NULL, answer_all, &names) != 0)
		die("thread");
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}

/* ---- clients -------------------------------------------------------------------- */

static struct addrinfo *lookup(const char *host, const char *port)
{
	struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM };
	struct addrinfo *ai;
	int r = getaddrinfo(host, port, &hints, &ai);

	if (r) {
		fprintf(stderr, "%s: %s\n", host, gai_strerror(r));
		exit(1);
	}
	return ai;
}

static int dial(const struct addrinfo *ai)
{
	int fd = socket(ai->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (connect(fd, ai->ai_addr, ai->ai_addrlen) < 0)
		die("connect");
	return fd;
}

struct stream {
	int fd;
	bool send;
	double until;
	size_t bytes;
};

static void *run_stream(void *arg)
{
	static _Thread_local char buf[CHUNK];
	struct stream *s = arg;

	while (now_us() < s->until) {
		ssize_t n = s->send ? send(s->fd, buf, sizeof(buf), MSG_NOSIGNAL)
				    : recv(s->fd, buf, sizeof(buf), 0);

		if (n <= 0)
			die("stream");
		s->bytes += (size_t)n;
	}
	return NULL;
}

static int streams(bool send, char **a)
{
	struct addrinfo *ai = lookup(a[0], a[1]);
	int n = atoi(a[2]);
	struct stream s[STREAMS] = { 0 };
	pthread_t t[STREAMS];
	double start, bytes = 0;

	n = n < 1 ? 1 : n > STREAMS ? STREAMS : n;
	for (int i = 0; i < n; i++)
		s[i] = (struct stream){ .fd = dial(ai), .send = send };
	start = now_us();
	for (int i = 0; i < n; i++) {
		s[i].until = start + atof(a[3]) * 1e6;
		if (pthread_create(&t[i], NULL, run_stream, &s[i]) != 0)
			die("thread");
	}
	for (int i = 0; i < n; i++) {
		pthread_join(t[i], NULL);
		bytes += (double)s[i].bytes;
	}
	printf("%.2f\n", bytes * 8 / ((now_us() - start) * 1e3));
	return 0;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int print_median(double *v, int n)
{
	qsort(v, (size_t)n, sizeof(*v), by_value);
	printf("%.0f\n", v[n / 2]);
	free(v);
	return 0;
}

static int connects(char **a)
{
	struct addrinfo *ai = lookup(a[0], a[1]);
	int n = atoi(a[2]);
	double *v;

	n = n < 1 ? 1 : n > COUNT ? COUNT : n;
	v = calloc((size_t)n, sizeof(*v));
	for (int i = 0; i < n; i++) {
		static const char ask[] = "GET / HTTP/1.0\r\n\r\n";
		double start = now_us();
		int fd = dial(ai);
		char buf[512];

		/* to the first byte of the far end: an early accept is no connection */
		if (send(fd, ask, sizeof(ask) - 1, 0) < 0 ||
		    recv(fd, buf, sizeof(buf), 0) <= 0)
			die("recv");
		v[i] = now_us() - start;
		close(fd);
	}
	return print_median(v, n);
}

static int fetches(char **a)
{
	struct addrinfo *ai = lookup(a[0], a[1]);
	int n = atoi(a[2]);
	double start = now_us();

	for (int i = 0; i < n; i++) {
		static const char ask[] = "GET / HTTP/1.0\r\n\r\n";
		int fd = dial(ai);
		char buf[2048];

		if (send(fd, ask, sizeof(ask) - 1, 0) < 0)
			die("send");
		while (recv(fd, buf, sizeof(buf), 0) > 0)
			;
		close(fd);
	}
	printf("%.0f\n", n / ((now_us() - start) / 1e6));
	return 0;
}

static size_t put_question(const char *name, int id, uint8_t *out)
{
	uint8_t head[12] = { (uint8_t)(id >> 8), (uint8_t)id, 1, 0, 0, 1 };
	size_t len = sizeof(head);

	memcpy(out, head, sizeof(head));
	while (*name) {
		size_t n = strcspn(name, ".");

		out[len++] = (uint8_t)n;
		memcpy(out + len, name, n);
		len += n;
		name += n + (name[n] == '.');
	}
	memcpy(out + len, "\0\0\1\0\1", 5);
	return len + 5;
}

static int questions(char **a)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons((uint16_t)atoi(a[1])) };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), n = atoi(a[3]);
	double *v;

	n = n < 1 ? 1 : n > COUNT ? COUNT : n;
	v = calloc((size_t)n, sizeof(*v));
	inet_pton(AF_INET, a[0], &to.sin_addr);
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0)
		die("connect");
	for (int i = 0; i < n; i++) {
		struct pollfd p = { fd, POLLIN, 0 };
		uint8_t buf[1500];
		double start = now_us();

		if (send(fd, buf, put_question(a[2], i, buf), 0) < 0)
			die("send");
		if (poll(&p, 1, 5000) != 1 || recv(fd, buf, sizeof(buf), 0) < 12)
			die("no answer");
		v[i] = now_us() - start;
	}
	return print_median(v, n);
}

/* ---- the gate without a box ------------------------------------------------------ */

static int behind_gate(char **a)
{
	struct netbox box;
	struct gate *gate = NULL;
	struct json *rules = NULL;
	struct gate_conf conf = { .mode = NET_GATE, .audit_dirfd = -1 };
	struct err e = ERR_NONE;
	char command[8192] = "exec";
	int status;
	pid_t pid;

	if (json_parse(a[0], strlen(a[0]), &rules, &e) < 0) {
		fprintf(stderr, "%s\n", e.msg);
		return 1;
	}
	netbox_open(NET_GATE, NETNS_CATCH_HELD, &box);
	conf.fds = box.fds;
	conf.facts = box.facts;
	conf.init = getpid();
	conf.rules = rules;
	if (gate_start(&conf, &gate, &e) < 0) {
		fprintf(stderr, "%s\n", e.msg);
		return 1;
	}
	for (a++; *a; a++) {
		strncat(command, " ", sizeof(command) - strlen(command) - 1);
		strncat(command, *a, sizeof(command) - strlen(command) - 1);
	}
	pid = netbox_spawn(&box, command, 1);
	waitpid(pid, &status, 0);
	gate_stop(&gate);
	netbox_close(&box);
	json_free(&rules);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	signal(SIGPIPE, SIG_IGN);
	if (!strcmp(what, "__gate"))
		return gate_main(argc - 1, argv + 1);
	if (!strcmp(what, "serve") && argc == 3)
		serve(atoi(argv[2]));
	if (!strcmp(what, "send") && argc == 6)
		return streams(true, argv + 2);
	if (!strcmp(what, "recv") && argc == 6)
		return streams(false, argv + 2);
	if (!strcmp(what, "connect") && argc == 5)
		return connects(argv + 2);
	if (!strcmp(what, "http") && argc == 5)
		return fetches(argv + 2);
	if (!strcmp(what, "dns") && argc == 6)
		return questions(argv + 2);
	if (!strcmp(what, "gate") && argc > 3)
		return behind_gate(argv + 2);
	fprintf(stderr, "usage: see the head of netbench.c\n");
	return 2;
}
