#include "base/loop.h"

#include <sys/epoll.h>
#include <unistd.h>

#include "base/sys/sys.h"
#include "tests/unit/unit.h"

/* What a callback may do, and how often it ran. */
struct probe {
	struct loop *loop;
	struct loop_source *self, *other;
	int calls;
	int fd;
	uint32_t events;
	int fail;
};

static int count(void *ctx, uint32_t events, struct err *e)
{
	struct probe *p = ctx;

	p->calls++;
	p->events |= events;
	return p->fail ? err_set(e, p->fail, "as asked") : 0;
}

static int remove_both(void *ctx, uint32_t events, struct err *e)
{
	struct probe *p = ctx;

	loop_remove(p->loop, &p->other);
	loop_remove(p->loop, &p->self);
	return count(ctx, events, e);
}

static int stop(void *ctx, uint32_t events, struct err *e)
{
	struct probe *p = ctx;

	loop_stop(p->loop);
	return count(ctx, events, e);
}

static int drain(void *ctx, uint32_t events, struct err *e)
{
	struct probe *p = ctx;
	char c;

	if (events & EPOLLIN)
		(void)!read(p->fd, &c, 1);
	return count(ctx, events, e);
}

/* One of many that are always ready. */
struct crowd {
	int calls;
	int before; /* calls of all others when the urgent one came */
};

static int be_one(void *ctx, uint32_t, struct err *)
{
	struct crowd *c = ctx;

	c->calls++;
	return 0;
}

static int be_urgent(void *ctx, uint32_t, struct err *)
{
	struct crowd *c = ctx;

	c->before = c->calls;
	return 0;
}

/* One of many that take their time; the first makes the urgent one ready. */
struct slow {
	int urgent, calls, before;
};

static int be_slow(void *ctx, uint32_t, struct err *)
{
	struct slow *s = ctx;
	const uint64_t one = 1, since = sys_now_ms();

	if (!s->calls++)
		assert_int_equal(sys_write(s->urgent, &one, sizeof(one)), sizeof(one));
	while (sys_now_ms() - since < 20)
		;
	return 0;
}

static int interrupt_slow(void *ctx, uint32_t, struct err *)
{
	struct slow *s = ctx;
	uint64_t n;

	assert_int_equal(sys_read(s->urgent, &n, sizeof(n)), sizeof(n));
	s->before = s->calls;
	return 0;
}

static struct loop *make(void)
{
	struct err e = ERR_NONE;
	struct loop *l = NULL;

	unit_ok(loop_new(&l, &e), &e);
	return l;
}

static void pipe_of(int fds[2], const char *content)
{
	assert_int_equal(sys_pipe2(fds, 0), 0);
	assert_int_equal(write(fds[1], content, strlen(content)), strlen(content));
}

static void reads_what_comes(void)
{
	_cleanup_loop_ struct loop *l = make();
	struct err e = ERR_NONE;
	struct probe p = { .loop = l };
	int fds[2];

	pipe_of(fds, "ab");
	p.fd = fds[0];
	assert_int_equal(loop_add(l, fds[0], EPOLLIN, drain, &p, &p.self), 0);
	for (int i = 0; i < 3; i++)
		unit_ok(loop_step(l, 0, &e), &e);
	assert_int_equal(p.calls, 2);
	assert_int_equal(loop_add(l, fds[0], EPOLLIN, drain, &p, NULL), -EEXIST);
	close(fds[1]);
	unit_ok(loop_step(l, -1, &e), &e);
	assert_int_equal(p.events, EPOLLIN | EPOLLHUP);
	close(fds[0]);
}

static void modify_silences(void)
{
	_cleanup_loop_ struct loop *l = make();
	struct err e = ERR_NONE;
	struct probe p = { .loop = l };
	int fds[2];

	pipe_of(fds, "a");
	assert_int_equal(loop_add(l, fds[0], EPOLLIN, count, &p, &p.self), 0);
	assert_int_equal(loop_modify(l, p.self, 0), 0);
	unit_ok(loop_step(l, 0, &e), &e);
	assert_int_equal(p.calls, 0);
	assert_int_equal(loop_modify(l, p.self, EPOLLIN), 0);
	unit_ok(loop_step(l, 0, &e), &e);
	assert_int_equal(p.calls, 1);
	close(fds[0]);
	close(fds[1]);
}

static void removed_in_the_same_round(void)
{
	_cleanup_loop_ struct loop *l = make();
	struct err e = ERR_NONE;
	struct probe p[2] = { { .loop = l }, { .loop = l } };
	int fds[2][2];

	for (int i = 0; i < 2; i++) {
		pipe_of(fds[i], "x");
		assert_int_equal(
			loop_add(l, fds[i][0], EPOLLIN, remove_both, &p[i], &p[i].self),
			0);
	}
	p[0].other = p[1].self;
	p[1].other = p[0].self;
	unit_ok(loop_step(l, 0, &e), &e);
	assert_int_equal(p[0].calls + p[1].calls, 1);
	unit_ok(loop_step(l, 0, &e), &e);
	assert_int_equal(p[0].calls + p[1].calls, 1);
	for (int i = 0; i < 2; i++) {
		close(fds[i][0]);
		close(fds[i][1]);
	}
}

static void regular_files_are_always_ready(void)
{
	_cleanup_loop_ struct loop *l = make();
	struct err e = ERR_NONE;
	struct probe p = { .loop = l }, gone = { .loop = l };
	char path[100];
	int fd, fd2;

	snprintf(path, sizeof(path), "%s/f", unit_tmpdir());
	fd = sys_openat(AT_FDCWD, path, O_RDWR | O_CREAT, 0600);
	fd2 = sys_dup(fd, 0);
	assert_int_equal(loop_add(l, fd, EPOLLIN, count, &p, &p.self), 0);
	assert_int_equal(loop_add(l, fd2, EPOLLIN, remove_both, &gone, &gone.self), 0);
	unit_ok(loop_step(l, -1, &e), &e); /* does not wait */
	unit_ok(loop_step(l, -1, &e), &e);
	assert_int_equal(p.calls, 2);
	assert_int_equal(p.events, EPOLLIN);
	assert_int_equal(gone.calls, 1);
	assert_int_equal(loop_modify(l, p.self, 0), 0);
	unit_ok(loop_step(l, 0, &e), &e);
	assert_int_equal(p.calls, 2);
	close(fd);
	close(fd2);
}

static int order[4], order_n;

static int note(void *ctx, uint32_t, struct err *)
{
	order[order_n++] = *(int *)ctx;
	return 0;
}

static void timers_fire_in_order_and_once(void)
{
	_cleanup_loop_ struct loop *l = make();
	static int ids[3] = { 0, 1, 2 };
	struct err e = ERR_NONE;
	struct probe last = { .loop = l };
	struct loop_source *t = NULL;

	assert_int_equal(loop_timer(l, 2, note, &ids[2], NULL), 0);
	assert_int_equal(loop_timer(l, 0, note, &ids[0], NULL), 0);
	assert_int_equal(loop_timer(l, 1, note, &ids[1], &t), 0);
	assert_int_equal(loop_timer(l, 3, stop, &last, &last.self), 0);
	unit_ok(loop_run(l, &e), &e);
	assert_int_equal(order_n, 3);
	assert_int_equal(order[0] * 100 + order[1] * 10 + order[2], 12);
	loop_rearm(l, t, 0); /* a fired timer may be set anew */
	unit_ok(loop_step(l, -1, &e), &e);
	assert_int_equal(last.calls, 1);
	order_n = 0;
	loop_remove(l, &t);
	loop_remove(l, &last.self);
	assert_null(t);
	loop_remove(l, &t);
	unit_ok(loop_step(l, 0, &e), &e);
}

static int again(void *ctx, uint32_t events, struct err *e)
{
	struct probe *p = ctx;

	loop_rearm(p->loop, p->self, 0);
	return count(ctx, events, e);
}

static void a_timer_of_zero_lets_others_in(void)
{
	_cleanup_loop_ struct loop *l = make();
	struct err e = ERR_NONE;
	struct probe p = { .loop = l };

	assert_int_equal(loop_timer(l, 0, again, &p, &p.self), 0);
	unit_ok(loop_step(l, 0, &e), &e);
	unit_ok(loop_step(l, 0, &e), &e);
	assert_int_equal(p.calls, 2); /* once per round */
}

static void a_cancelled_timer_never_fires(void)
{
	_cleanup_loop_ struct loop *l = make();
	struct err e = ERR_NONE;
	struct probe p = { .loop = l }, killer = { .loop = l };

	assert_int_equal(loop_timer(l, 0, remove_both, &killer, &killer.self), 0);
	assert_int_equal(loop_timer(l, 0, count, &p, &killer.other), 0);
	unit_ok(loop_step(l, 1, &e), &e);
	unit_ok(loop_step(l, 1, &e), &e);
	assert_int_equal(killer.calls, 1);
	assert_int_equal(p.calls, 0);
}

static void a_failure_ends_the_run(void)
{
	_cleanup_loop_ struct loop *l = make();
	struct err e = ERR_NONE;
	struct probe p = { .loop = l, .fail = -EPROTO };

	assert_int_equal(loop_timer(l, 0, count, &p, NULL), 0);
	assert_int_equal(loop_run(l, &e), -EPROTO);
	unit_err(&e, -EPROTO, "as asked");
}

enum { CROWD = 300 };

/* Whatever else is ready, and however often that was served before. */
static void urgent_ones_come_first(void)
{
	struct crowd c = { 0, -1 };
	struct loop *l = make();
	struct loop_source *src;
	struct err e = ERR_NONE;
	const uint64_t one = 1;
	int all = sys_eventfd(1), urgent = sys_eventfd(0);
	int fds[CROWD];
	uint64_t n;

	for (int i = 0; i < CROWD; i++) {
		fds[i] = sys_dup(all, 0);
		assert_int_equal(loop_add(l, fds[i], EPOLLIN, be_one, &c, NULL), 0);
	}
	assert_int_equal(loop_add(l, urgent, EPOLLIN, be_urgent, &c, &src), 0);
	loop_urgent(l, src);
	for (int round = 0; round < 20; round++) {
		int before = c.calls;

		c.before = -1;
		assert_int_equal(sys_write(urgent, &one, sizeof(one)), sizeof(one));
		unit_ok(loop_step(l, -1, &e), &e);
		assert_int_equal(c.before, before);
		assert_true(c.calls > before && c.calls < before + CROWD);
		assert_int_equal(sys_read(urgent, &n, sizeof(n)), sizeof(n));
		unit_ok(loop_step(l, -1, &e), &e);
		assert_int_equal(c.before, before); /* not again */
	}
	loop_remove(l, &src);
	assert_int_equal(sys_write(urgent, &one, sizeof(one)), sizeof(one));
	c.before = -1;
	for (int i = 0; i < 20; i++)
		unit_ok(loop_step(l, -1, &e), &e);
	assert_int_equal(c.before, -1);
	loop_free(&l);
	for (int i = 0; i < CROWD; i++)
		close(fds[i]);
	close(all);
	close(urgent);
}

static void urgent_ones_do_not_wait_for_a_long_round(void)
{
	struct slow of_fds = { sys_eventfd(0), 0, -1 }, of_timers;
	struct loop *l = make();
	struct loop_source *src;
	struct err e = ERR_NONE;
	int all = sys_eventfd(1), fds[4];

	assert_int_equal(
		loop_add(l, of_fds.urgent, EPOLLIN, interrupt_slow, &of_fds, &src), 0);
	loop_urgent(l, src);
	for (int i = 0; i < 4; i++) {
		fds[i] = sys_dup(all, 0);
		assert_int_equal(loop_add(l, fds[i], EPOLLIN, be_slow, &of_fds, NULL),
				 0);
	}
	unit_ok(loop_step(l, -1, &e), &e);
	assert_int_equal(of_fds.before, 1);
	assert_int_equal(of_fds.calls, 4);
	loop_free(&l);
	l = make();
	of_timers = (struct slow){ of_fds.urgent, 0, -1 };
	assert_int_equal(loop_add(l, of_timers.urgent, EPOLLIN, interrupt_slow,
				  &of_timers, &src),
			 0);
	loop_urgent(l, src);
	for (int i = 0; i < 4; i++)
		assert_int_equal(loop_timer(l, 0, be_slow, &of_timers, NULL), 0);
	unit_ok(loop_step(l, -1, &e), &e);
	assert_int_equal(of_timers.before, 1);
	loop_free(&l);
	for (int i = 0; i < 4; i++)
		close(fds[i]);
	close(all);
	close(of_fds.urgent);
}

/* Many that are due at once let others in between, and none is lost. */
static void timers_come_in_rounds(void)
{
	struct crowd c = { 0, -1 };
	struct loop *l = make();
	struct err e = ERR_NONE;
	int rounds = 0;

	for (int i = 0; i < CROWD; i++)
		assert_int_equal(loop_timer(l, 0, be_one, &c, NULL), 0);
	for (; c.calls < CROWD; rounds++) {
		int before = c.calls;

		unit_ok(loop_step(l, -1, &e), &e);
		assert_true(c.calls > before && c.calls <= before + 64);
	}
	assert_int_equal(rounds, (CROWD + 63) / 64);
	loop_free(&l);
}

/* A byte comes back as soon as it went out, and then none for longer than it looks. */
static void an_eager_one_sleeps_all_the_same(void)
{
	_cleanup_loop_ struct loop *l = make();
	struct loop_source *timer = NULL;
	struct err e = ERR_NONE;
	struct probe p = { .loop = l }, late = { .loop = l, .fd = -1 };
	uint64_t rounds;
	int fds[2];

	loop_eager(l, 1000);
	pipe_of(fds, "a");
	p.fd = fds[0];
	assert_int_equal(loop_add(l, fds[0], EPOLLIN, drain, &p, &p.self), 0);
	for (int i = 0; i < 100; i++) {
		unit_ok(loop_step(l, -1, &e), &e);
		assert_int_equal(p.calls, i + 1);
		assert_int_equal(write(fds[1], "a", 1), 1);
	}
	unit_ok(loop_step(l, -1, &e), &e);
	assert_int_equal(loop_timer(l, 20, count, &late, &timer), 0);
	rounds = loop_rounds(l);
	while (!late.calls)
		unit_ok(loop_step(l, -1, &e), &e);
	assert_true(loop_rounds(l) - rounds < 10);
	assert_int_equal(p.calls, 101);
	close(fds[0]);
	close(fds[1]);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "an eager one sleeps all the same",
		  an_eager_one_sleeps_all_the_same },
		{ "reads what comes", reads_what_comes },
		{ "modify silences", modify_silences },
		{ "removed in the same round", removed_in_the_same_round },
		{ "regular files are always ready", regular_files_are_always_ready },
		{ "timers fire in order and once", timers_fire_in_order_and_once },
		{ "a timer of zero lets others in", a_timer_of_zero_lets_others_in },
		{ "a cancelled timer never fires", a_cancelled_timer_never_fires },
		{ "a failure ends the run", a_failure_ends_the_run },
		{ "urgent ones come first", urgent_ones_come_first },
		{ "urgent ones do not wait for a long round",
		  urgent_ones_do_not_wait_for_a_long_round },
		{ "timers come in rounds", timers_come_in_rounds },
	};

	return unit_cases("loop", cases);
}
