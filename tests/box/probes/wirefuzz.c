/* wirefuzz - malformed messages to a monitor, from fixed seeds.
 *   wirefuzz clients DIR SEEDS     to the control socket "ctl" in DIR: greetings, then
 *                                  requests with wrong lengths, counts, text, descriptors
 *   wirefuzz leave DIR SEEDS       to the same: well-formed ones that begin a program, on a
 *                                  terminal every other time, and leave at once
 *   wirefuzz pipeline DIR N        N long commands, each with the signal that ends it right
 *                                  behind it, without reading: all are answered and end
 *   wirefuzz silent DIR N          N that say nothing, and are to hear nothing until the
 *                                  monitor ends
 *   wirefuzz crowd DIR N           as many as a monitor that takes none lets wait, which
 *                                  are to be fewer than N; they leave again
 *   wirefuzz starts CUBBY SEEDS    to monitors that have just been executed; each must
 *                                  end by itself with an error
 * Prints "done", or what was wrong. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/wire/wire.h"

enum { FDS = WIRE_FDS + 8, BODY = WIRE_BODY + 4096, ANSWER_MS = 20000 };

static uint64_t state;

static uint32_t any(uint32_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 16) % below;
}

static uint32_t odd_number(void)
{
	static const uint32_t odd[] = { 0,
					1,
					2,
					3,
					255,
					4096,
					WIRE_STRINGS,
					WIRE_STRINGS + 1,
					WIRE_TEXT,
					WIRE_TEXT + 1,
					INT32_MAX,
					UINT32_MAX,
					0x80000000U };

	return any(3) ? odd[any(sizeof(odd) / sizeof(*odd))] : any(UINT32_MAX);
}

/* ---- one message ---------------------------------------------------------------------- */

struct message {
	struct wire_head head;
	char body[BODY];
	size_t len; /* sent, whatever the head says */
	int fds[FDS];
	unsigned n_fds;
};

static void add_fd(struct message *m, int fd)
{
	if (fd >= 0 && m->n_fds < FDS)
		m->fds[m->n_fds++] = fd;
}

/* Words that end where they should, or not; 0 to 2 arguments. */
static int text_file(uint32_t *len)
{
	static const char good[] = "true\0\0\0", cut[] = "true";
	int fd = memfd_create("text", MFD_CLOEXEC);
	ssize_t n = any(2) ? (ssize_t)sizeof(good) - 1 : (ssize_t)sizeof(cut) - 1;

	*len = (uint32_t)n;
	return write(fd, n > 4 ? good : cut, (size_t)n) == n ? fd : -1;
}

/* With its text in a memfd, or behind it. */
static void make_spawn(struct message *m)
{
	static const char text[] = "true\0\0";
	struct wire_spawn s = { .n_argv = 1, .io = (uint8_t)any(4) };
	bool apart = any(2);

	if (!apart)
		s.text_len = sizeof(text);
	else
		add_fd(m, any(4) ? text_file(&s.text_len)
				 : open("/dev/null", O_RDWR | O_CLOEXEC));
	if (!any(3))
		s.text_len = odd_number();
	if (!any(2))
		s.n_argv = odd_number();
	if (!any(3))
		s.n_env = odd_number();
	if (!any(3))
		s.n_extra = any(2) ? odd_number() : any(FDS);
	s.applet = any(4) == 0;
	s.keep = 0; /* the box is to end with this test */
	memcpy(m->body, &s, sizeof(s));
	m->len = sizeof(s);
	if (!apart) {
		memcpy(m->body + m->len, text, sizeof(text));
		m->len += sizeof(text) - !any(4);
	}
}

static void make_any(struct message *m)
{
	m->len = any(4) ? any(600) : any(BODY);
	for (size_t i = 0; i < m->len; i++)
		m->body[i] = (char)any(256);
	if (!any(3)) /* nearly a question */
		m->len =
			(size_t)snprintf(m->body, BODY, "{\"what\":\"%s\",\"args\":%u}",
					 any(2) ? "net" : "inf", any(9));
}

static void make(struct message *m)
{
	static const uint32_t types[] = { WIRE_SPAWN, WIRE_SPAWN, WIRE_SIGNAL,
					  WIRE_KILL,  WIRE_ASK,	  WIRE_HELLO,
					  WIRE_EXIT,  WIRE_START };

	memset(m, 0, sizeof(*m));
	m->head.type =
		any(6) ? types[any(sizeof(types) / sizeof(*types))] : odd_number();
	m->head.id = any(4) ? any(4) : odd_number();
	if (m->head.type == WIRE_SPAWN && any(8))
		make_spawn(m);
	else
		make_any(m);
	while (!any(3))
		for (unsigned n = any(FDS); n; n--)
			add_fd(m, open("/dev/null", O_RDONLY | O_CLOEXEC));
	m->head.len = any(5) ? (uint32_t)m->len : odd_number();
}

/* The errno is not looked at: the other side may have closed. */
static void transmit(int sock, const struct message *m, size_t cut)
{
	char room[CMSG_SPACE(sizeof(int) * FDS)] = { 0 };
	struct iovec iov[2] = { { (void *)&m->head, sizeof(m->head) },
				{ (void *)m->body, m->len } };
	struct msghdr h = { .msg_iov = iov, .msg_iovlen = 2 };

	if (cut) {
		iov[0].iov_len = cut;
		iov[1].iov_len = 0;
	}
	if (m->n_fds) {
		struct cmsghdr *c;

		h.msg_control = room;
		h.msg_controllen = CMSG_SPACE(sizeof(int) * m->n_fds);
		c = CMSG_FIRSTHDR(&h);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int) * m->n_fds);
		memcpy(CMSG_DATA(c), m->fds, sizeof(int) * m->n_fds);
	}
	(void)!sendmsg(sock, &h, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void throw_one(int sock)
{
	static struct message m;

	make(&m);
	transmit(sock, &m, any(8) ? 0 : 1 + any(sizeof(m.head) - 1));
	for (unsigned i = 0; i < m.n_fds; i++)
		close(m.fds[i]);
}

/* ---- clients -------------------------------------------------------------------------- */

static int connect_to(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX, .sun_path = "ctl" };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0)
		return fd;
	printf("cannot connect: %s\n", strerror(errno));
	return -1;
}

/* @more: something follows, which is not to matter to the greeting, before its answer is
 * read. Return: 1 = a READY came. */
static int greet(int sock, bool more)
{
	struct pollfd p = { .fd = sock, .events = POLLIN };
	static char answer[BODY];
	static struct message m;

	memset(&m, 0, sizeof(m));
	m.head.type = WIRE_HELLO;
	/* As runtime/wire/build.c has it; another text ends in "no greeting". */
	snprintf(m.body, sizeof(struct wire_hello),
		 "cubby " CUBBY_VERSION " wire %zu.%zu.%d", sizeof(struct wire_spawn),
		 sizeof(struct wire_setup), WIRE_TYPES);
	m.len = sizeof(struct wire_hello);
	m.head.len = (uint32_t)m.len;
	transmit(sock, &m, 0);
	if (more)
		throw_one(sock);
	if (poll(&p, 1, ANSWER_MS) != 1 || recv(sock, answer, sizeof(answer), 0) < 12)
		return 0;
	memcpy(&m.head, answer, sizeof(m.head));
	return m.head.type == WIRE_READY;
}

static int clients(const char *dir, unsigned seeds)
{
	if (chdir(dir) < 0)
		return 1;
	for (unsigned seed = 1; seed <= seeds; seed++) {
		int sock = connect_to();

		if (sock < 0)
			return 1;
		state = seed * 0x9e3779b97f4a7c15U;
		if (any(5) && !greet(sock, any(2))) {
			printf("seed %u: no greeting\n", seed);
			return 1;
		}
		for (unsigned n = 1 + any(6); n; n--)
			throw_one(sock);
		close(sock);
	}
	return 0;
}

static int crowd(const char *dir, unsigned n)
{
	const struct sockaddr_un a = { .sun_family = AF_UNIX, .sun_path = "ctl" };

	if (chdir(dir) < 0)
		return 1;
	while (n--) {
		int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK,
				0);

		if (fd >= 0 && connect(fd, (const struct sockaddr *)&a, sizeof(a)) == 0)
			continue;
		if (errno == EAGAIN)
			return 0;
		perror("connect");
		return 1;
	}
	puts("there is room for more");
	return 1;
}

static int silent(const char *dir, unsigned n)
{
	int socks[64];
	char said;

	if (chdir(dir) < 0 || n > 64)
		return 1;
	for (unsigned i = 0; i < n; i++)
		if ((socks[i] = connect_to()) < 0)
			return 1;
	puts("there");
	fflush(stdout);
	for (unsigned i = 0; i < n; i++)
		if (read(socks[i], &said, sizeof(said)) > 0) {
			printf("the monitor said something to number %u\n", i);
			return 1;
		}
	return 0;
}

/* "true", as asked for by a client that has gone when it begins. */
static int leave(const char *dir, unsigned seeds)
{
	if (chdir(dir) < 0)
		return 1;
	for (unsigned seed = 1; seed <= seeds; seed++) {
		static struct message m;
		struct wire_spawn s = { .text_len = 7, .n_argv = 1, .io = seed % 2 };
		int sock = connect_to();

		if (sock < 0 || !greet(sock, false))
			return 1;
		m = (struct message){ .head = { WIRE_SPAWN, 1, sizeof(s) },
				      .len = sizeof(s) };
		memcpy(m.body, &s, sizeof(s));
		add_fd(&m, memfd_create("text", MFD_CLOEXEC));
		if (write(m.fds[0], "true\0\0", s.text_len) != (ssize_t)s.text_len)
			return 1;
		transmit(sock, &m, 0);
		close(m.fds[0]);
		close(sock);
	}
	return 0;
}

/* ---- many at once ----------------------------------------------------------------------- */

enum { PIPELINE_TEXT = 30 << 10 };

/* "sleep 1000 xxxx…" is refused by sleep; a shell takes what it does not use. */
static void long_command(struct message *m, uint32_t id)
{
	static const char words[] = "sh\0-c\0exec sleep 1000\0";
	struct wire_spawn s = { .text_len = PIPELINE_TEXT, .n_argv = 4, .io = 2 };
	char *text = m->body + sizeof(s);

	*m = (struct message){ .head = { WIRE_SPAWN, id, sizeof(s) + PIPELINE_TEXT },
			       .len = sizeof(s) + PIPELINE_TEXT };
	memcpy(m->body, &s, sizeof(s));
	memset(text, 'x', PIPELINE_TEXT);
	memcpy(text, words, sizeof(words) - 1);
	memset(text + PIPELINE_TEXT - 3, 0, 3); /* of the last word, no cwd, no user */
}

static void send_all(int sock, const struct message *m)
{
	struct iovec iov[2] = { { (void *)&m->head, sizeof(m->head) },
				{ (void *)m->body, m->len } };
	struct msghdr h = { .msg_iov = iov, .msg_iovlen = 2 };

	(void)!sendmsg(sock, &h, MSG_NOSIGNAL); /* waits for room */
}

/* Another process writes, so that nobody waits for the other. */
static void send_pipeline(int sock, unsigned n)
{
	static struct message m;

	for (uint32_t id = 1; id <= n; id++) {
		struct wire_signal s = { .signal = 9 };

		long_command(&m, id);
		send_all(sock, &m);
		m = (struct message){ .head = { WIRE_SIGNAL, id, sizeof(s) },
				      .len = sizeof(s) };
		if (id % 3 == 0) {
			m.head.type = WIRE_KILL;
			m.head.len = 0;
			m.len = 0;
		}
		memcpy(m.body, &s, sizeof(s));
		send_all(sock, &m);
	}
}

static int pipeline(const char *dir, unsigned n)
{
	unsigned spawned = 0, ended = 0;
	static struct message m;
	int sock, status;
	pid_t pid;

	if (chdir(dir) < 0 || (sock = connect_to()) < 0 || !greet(sock, false))
		return 1;
	pid = fork();
	if (pid == 0) {
		send_pipeline(sock, n);
		_exit(0);
	}
	while (ended < n) {
		struct pollfd p = { .fd = sock, .events = POLLIN };

		if (poll(&p, 1, ANSWER_MS) != 1 || recv(sock, &m, sizeof(m), 0) < 12)
			break;
		spawned += m.head.type == WIRE_SPAWNED;
		ended += m.head.type == WIRE_EXIT;
	}
	waitpid(pid, &status, 0);
	if (spawned == n && ended == n)
		return 0;
	printf("%u of %u began, %u ended\n", spawned, n, ended);
	return 1;
}

/* ---- monitors that have just been started ----------------------------------------------- */

static int start(const char *binary, unsigned seed)
{
	int pair[2], status;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return 1;
	state = seed * 0x9e3779b97f4a7c15U;
	throw_one(pair[0]);
	pid = fork();
	if (pid == 0) {
		dup2(pair[1], 3);
		execl(binary, binary, "__monitor", (char *)NULL);
		_exit(77);
	}
	close(pair[1]);
	if (waitpid(pid, &status, 0) != pid)
		return 1;
	close(pair[0]);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 1)
		return 0;
	printf("seed %u: status %x\n", seed, (unsigned)status);
	return 1;
}

static int starts(const char *binary, unsigned seeds)
{
	for (unsigned seed = 1; seed <= seeds; seed++)
		if (start(binary, seed))
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	unsigned seeds = argc == 4 ? (unsigned)atoi(argv[3]) : 0;
	int r = 2;

	if (seeds && !strcmp(argv[1], "clients"))
		r = clients(argv[2], seeds);
	else if (seeds && !strcmp(argv[1], "leave"))
		r = leave(argv[2], seeds);
	else if (seeds && !strcmp(argv[1], "silent"))
		r = silent(argv[2], seeds);
	else if (seeds && !strcmp(argv[1], "crowd"))
		r = crowd(argv[2], seeds);
	else if (seeds && !strcmp(argv[1], "pipeline"))
		r = pipeline(argv[2], seeds);
	else if (seeds && !strcmp(argv[1], "starts"))
		r = starts(argv[2], seeds);
	if (r == 0)
		puts("done");
	return r;
}
