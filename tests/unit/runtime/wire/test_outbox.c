#include "runtime/wire/outbox.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/sys/sys.h"
#include "tests/unit/unit.h"

enum { MOST = 64, BIG = 30000, CLIENTS = 5 };

struct rig {
	int ends[2];
	struct outbox o;
};

static void rig_open(struct rig *r)
{
	assert_int_equal(sys_socketpair(SOCK_SEQPACKET, r->ends), 0);
	assert_true(sys_setfl(r->ends[0], O_NONBLOCK) >= 0);
	assert_true(sys_setfl(r->ends[1], O_NONBLOCK) >= 0);
	outbox_init(&r->o, r->ends[0], MOST);
}

static void rig_close(struct rig *r)
{
	outbox_done(&r->o);
	close(r->ends[0]);
	close(r->ends[1]);
}

static int put(struct rig *r, uint32_t id, uint32_t len, const void *owner, int fd)
{
	static char body[BIG];
	struct outbox_message m = {
		.head = { .type = WIRE_SPAWN, .id = id, .len = len },
		.body = body,
		.fds = &fd,
		.n_fds = fd >= 0,
		.owner = owner,
	};

	memset(body, (int)id, sizeof(body));
	return outbox_put(&r->o, &m);
}

/* The next message, which must be that one; its descriptor, or -1. */
static int take_next(struct rig *r, uint32_t id, uint32_t len)
{
	struct wire_msg m;
	int fd;

	wire_msg_init(&m);
	assert_int_equal(wire_recv(r->ends[1], &m, 1), 1);
	assert_int_equal(m.head.id, id);
	assert_int_equal(m.body.len, len);
	assert_int_equal((unsigned char)m.body.data[len - 1], id & 0xff);
	fd = wire_take_fd(&m, 0);
	wire_msg_done(&m);
	return fd;
}

/* Sixteen of 30 KB are more than a socket holds. */
static void none_is_lost_and_the_order_stays(void)
{
	uint32_t read = 0;
	int kept = 0;
	struct rig r;

	rig_open(&r);
	for (uint32_t id = 1; id <= 16; id++) {
		int got = put(&r, id, BIG, NULL, -1);

		assert_true(got == 0 || got == 1);
		assert_true(got >= (kept > 0)); /* behind what is kept */
		kept += got;
	}
	kept += put(&r, 17, 1, NULL, -1); /* small: there would be room */
	assert_true(kept > 1);
	assert_int_equal(r.o.n, kept);
	while (read < 17) {
		take_next(&r, read + 1, read + 1 == 17 ? 1 : BIG);
		read++;
		assert_true(outbox_flush(&r.o) >= 0);
	}
	assert_false(outbox_waits(&r.o));
	assert_int_equal(put(&r, 18, 1, NULL, -1), 0);
	take_next(&r, 18, 1);
	rig_close(&r);
}

static void descriptors_are_kept_with_their_message(void)
{
	int pipes[2], got;
	struct rig r;
	char c = 0;

	rig_open(&r);
	for (uint32_t id = 1; !outbox_waits(&r.o); id++)
		assert_true(put(&r, id, BIG, NULL, -1) >= 0);
	assert_int_equal(sys_pipe2(pipes, 0), 0);
	assert_int_equal(put(&r, 99, 8, NULL, pipes[1]), 1);
	close(pipes[1]); /* the caller's; the copy lives on */
	for (uint32_t id = 1; r.o.n; id++) {
		take_next(&r, id, BIG);
		assert_true(outbox_flush(&r.o) >= 0);
	}
	for (;;) {
		struct wire_msg m;

		wire_msg_init(&m);
		assert_int_equal(wire_recv(r.ends[1], &m, 1), 1);
		got = wire_take_fd(&m, 0);
		wire_msg_done(&m);
		if (got >= 0)
			break;
	}
	assert_int_equal(sys_write(got, "x", 1), 1);
	close(got);
	assert_int_equal(sys_read(pipes[0], &c, 1), 1);
	assert_int_equal(sys_read(pipes[0], &c, 1), 0); /* no copy is left anywhere */
	close(pipes[0]);
	rig_close(&r);
}

static void what_is_never_sent_is_closed(void)
{
	int pipes[2];
	struct rig r;
	char c;

	rig_open(&r);
	while (!outbox_waits(&r.o))
		assert_true(put(&r, 1, BIG, NULL, -1) >= 0);
	assert_int_equal(sys_pipe2(pipes, 0), 0);
	assert_int_equal(put(&r, 2, 8, NULL, pipes[1]), 1);
	close(pipes[1]);
	rig_close(&r);
	assert_int_equal(sys_read(pipes[0], &c, 1), 0);
	close(pipes[0]);
}

static void there_is_a_bound(void)
{
	struct rig r;
	int got = 0;
	size_t n = 0;

	rig_open(&r);
	while (got >= 0 && n < 4 * MOST) {
		got = put(&r, 1, BIG, NULL, -1);
		n++;
	}
	assert_int_equal(got, -ENOBUFS);
	assert_int_equal(r.o.n, MOST);
	rig_close(&r);
}

/* Each puts the next one when its last has gone: nobody gets ahead. */
static void owners_are_served_in_turns(void)
{
	unsigned sent[CLIENTS] = { 0 };
	struct rig r;

	rig_open(&r);
	while (!outbox_waits(&r.o))
		assert_true(put(&r, 255, BIG, NULL, -1) >= 0);
	for (int round = 0; round < 400; round++) {
		struct wire_msg m;

		for (uint32_t i = 0; i < CLIENTS; i++)
			if (!outbox_holds(&r.o, &sent[i]))
				assert_true(put(&r, i, BIG, &sent[i], -1) >= 0);
		assert_true(r.o.n <= CLIENTS + 1);
		wire_msg_init(&m);
		assert_int_equal(wire_recv(r.ends[1], &m, 1), 1);
		if (m.head.id < CLIENTS)
			sent[m.head.id]++;
		wire_msg_done(&m);
		assert_true(outbox_flush(&r.o) >= 0);
	}
	for (int i = 0; i < CLIENTS; i++)
		assert_in_range(sent[i], 70, 90);
	outbox_disown(&r.o, &sent[0]);
	assert_false(outbox_holds(&r.o, &sent[0]));
	rig_close(&r);
}

static void an_end_is_told(void)
{
	struct rig r;

	rig_open(&r);
	while (!outbox_waits(&r.o))
		assert_true(put(&r, 1, BIG, NULL, -1) >= 0);
	close(r.ends[1]);
	r.ends[1] = -1;
	assert_true(outbox_flush(&r.o) < 0);
	outbox_done(&r.o);
	assert_true(put(&r, 1, 8, NULL, -1) < 0);
	close(r.ends[0]);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "none is lost and the order stays",
		  none_is_lost_and_the_order_stays },
		{ "descriptors are kept with their message",
		  descriptors_are_kept_with_their_message },
		{ "what is never sent is closed", what_is_never_sent_is_closed },
		{ "there is a bound", there_is_a_bound },
		{ "owners are served in turns", owners_are_served_in_turns },
		{ "an end is told", an_end_is_told },
	};

	return unit_cases("outbox", cases);
}
