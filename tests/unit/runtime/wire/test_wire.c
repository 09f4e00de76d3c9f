#include "tests/unit/unit.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/sys/sys.h"
#include "runtime/wire/wire.h"

struct pair {
	int a, b;
};

static void pair_done(struct pair *p)
{
	close(p->a);
	close(p->b);
}

static struct pair make_pair(void)
{
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds), 0);
	return (struct pair){ fds[0], fds[1] };
}

static unsigned open_fds(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* Raw messages from a hostile peer: each must be refused, and no descriptor kept. */
static const struct row {
	const char *name;
	uint32_t type, len;
	size_t body;  /* bytes really sent behind the head */
	size_t whole; /* 0, or the whole message is this short */
	unsigned fds;
	int want;
} rows[] = {
	{ "whole and right", WIRE_ASK, 5, 5, 0, 0, 1 },
	{ "empty body", WIRE_KILL, 0, 0, 0, 0, 1 },
	{ "with descriptors", WIRE_SPAWN, 4, 4, 0, 3, 1 },
	{ "more descriptors than allowed", WIRE_SPAWN, 4, 4, 0, 4, -EBADMSG },
	{ "far too many descriptors", WIRE_SPAWN, 4, 4, 0, WIRE_FDS + 8, -EBADMSG },
	{ "type 0", 0, 0, 0, 0, 0, -EBADMSG },
	{ "type unknown", WIRE_TYPES, 0, 0, 0, 0, -EBADMSG },
	{ "type huge", 0xffffffff, 0, 0, 0, 0, -EBADMSG },
	{ "length too large", WIRE_ASK, 6, 5, 0, 0, -EBADMSG },
	{ "length too small", WIRE_ASK, 4, 5, 0, 0, -EBADMSG },
	{ "length huge", WIRE_ASK, 0xfffffff4, 5, 0, 0, -EBADMSG },
	{ "head cut", WIRE_ASK, 0, 0, 5, 0, -EBADMSG },
	{ "longer than any message", WIRE_ASK, WIRE_BODY + 1, WIRE_BODY + 1, 0, 1,
	  -EBADMSG },
};

static void send_raw(int fd, const struct row *row)
{
	struct wire_head head = { row->type, 7, row->len };
	static char body[WIRE_BODY + 64];
	struct iovec iov[2] = { { &head, row->whole ? row->whole : sizeof(head) },
				{ body, row->body } };
	char control[CMSG_SPACE(sizeof(int) * (WIRE_FDS + 8))] = { 0 };
	struct msghdr m = { .msg_iov = iov, .msg_iovlen = row->body ? 2 : 1 };

	if (row->fds) {
		struct cmsghdr *c;

		m.msg_control = control;
		m.msg_controllen = CMSG_SPACE(sizeof(int) * row->fds);
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int) * row->fds);
		for (unsigned i = 0; i < row->fds; i++)
			memcpy(CMSG_DATA(c) + i * sizeof(int), &(int){ 0 },
			       sizeof(int));
	}
	assert_true(sendmsg(fd, &m, MSG_NOSIGNAL) >= 0);
}

static void test_recv(const void *p)
{
	const struct row *row = p;
	_cleanup_(pair_done) struct pair s = make_pair();
	unsigned before = open_fds();
	struct wire_msg m;

	wire_msg_init(&m);
	send_raw(s.a, row);
	assert_int_equal(wire_recv(s.b, &m, 3), row->want);
	if (row->want == 1) {
		assert_int_equal(m.head.type, row->type);
		assert_int_equal(m.head.id, 7);
		assert_int_equal(m.body.len, row->len);
		assert_int_equal(m.n_fds, row->fds);
	}
	wire_msg_done(&m);
	assert_int_equal(open_fds(), before);
}

static void end_of_stream(void)
{
	struct pair s = make_pair();
	struct wire_msg m;

	wire_msg_init(&m);
	close(s.a);
	assert_int_equal(wire_recv(s.b, &m, 0), 0);
	wire_msg_done(&m);
	close(s.b);
}

/* A child that failed has not read all that it was told: its reason must come through. */
static void last_words(void)
{
	struct pair p = make_pair();
	struct wire_head head = { .type = WIRE_SETUP };
	struct wire_msg m;

	wire_msg_init(&m);
	assert_int_equal(wire_send(p.a, &head, NULL, NULL, 0), 0);
	head.type = WIRE_FAILED;
	assert_int_equal(wire_send(p.b, &head, NULL, NULL, 0), 0);
	close(p.b);
	assert_int_equal(wire_recv(p.a, &m, 0), 1);
	assert_int_equal(m.head.type, WIRE_FAILED);
	assert_true(m.reset);
	assert_int_equal(wire_recv(p.a, &m, 0), 0);
	assert_false(m.reset);
	wire_msg_done(&m);
	close(p.a);
}

static void descriptors_are_taken_once(void)
{
	_cleanup_(pair_done) struct pair s = make_pair();
	struct wire_head head = { .type = WIRE_GO };
	_cleanup_wire_ struct wire_msg m;
	int fd = 0, taken;

	wire_msg_init(&m);
	assert_int_equal(wire_send(s.a, &head, NULL, &fd, 1), 0);
	assert_int_equal(wire_recv(s.b, &m, 1), 1);
	taken = wire_take_fd(&m, 0);
	assert_true(taken > 2);
	assert_int_equal(fcntl(taken, F_GETFD), FD_CLOEXEC);
	assert_int_equal(wire_take_fd(&m, 0), -1);
	assert_int_equal(wire_take_fd(&m, 1), -1);
	close(taken);
}

static void bodies_have_one_size(void)
{
	_cleanup_(pair_done) struct pair s = make_pair();
	struct wire_signal sig = { .signal = 9 };
	struct wire_head head = { .type = WIRE_SIGNAL, .len = sizeof(sig) };
	_cleanup_wire_ struct wire_msg m;

	wire_msg_init(&m);
	assert_int_equal(wire_send(s.a, &head, &sig, NULL, 0), 0);
	assert_int_equal(wire_recv(s.b, &m, 0), 1);
	assert_non_null(wire_body(&m, sizeof(sig)));
	assert_null(wire_body(&m, sizeof(sig) + 1));
	assert_null(wire_body(&m, sizeof(sig) - 1));
}

static void too_long_is_not_sent(void)
{
	struct wire_head head = { .type = WIRE_ASK, .len = WIRE_BODY + 1 };
	static char body[WIRE_BODY + 1];

	assert_int_equal(wire_send(-1, &head, body, NULL, 0), -EMSGSIZE);
	head.len = 0;
	assert_int_equal(wire_send(-1, &head, NULL, NULL, WIRE_FDS + 1), -EMSGSIZE);
}

static void packed_text_is_sealed(void)
{
	_cleanup_buf_ struct buf text = BUF_INIT(64);
	struct err e = ERR_NONE;
	uint32_t len = 0;
	int fd;

	assert_int_equal(buf_add(&text, "a\0b\0", 4), 0);
	fd = wire_pack(&text, &len, &e);
	unit_ok(fd, &e);
	assert_int_equal(len, 4);
	assert_int_equal(write(fd, "x", 1), -1);
	assert_int_equal(ftruncate(fd, 0), -1);
	close(fd);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "end of stream", end_of_stream },
		{ "the last words of a peer that did not read ours", last_words },
		{ "descriptors are taken once", descriptors_are_taken_once },
		{ "bodies have one size", bodies_have_one_size },
		{ "too long is not sent", too_long_is_not_sent },
		{ "packed text is sealed", packed_text_is_sealed },
	};

	return unit_rows("wire_recv", rows, test_recv) + unit_cases("wire", cases);
}
