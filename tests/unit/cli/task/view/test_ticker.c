#include "base/scope.h"
#include "tests/unit/unit.h"

#include <signal.h>

#include "base/sys/sys.h"
#include "cli/task/view/ticker.h"

struct heard {
	unsigned ticks, sizes, keys, more, back;
	int pipe[2];
};

static void on_tick(void *ctx)
{
	((struct heard *)ctx)->ticks++;
}

static void on_size(void *ctx)
{
	((struct heard *)ctx)->sizes++;
}

static void on_moved(void *ctx, bool here)
{
	assert_true(here);
	((struct heard *)ctx)->back++;
}

static bool on_keys(void *ctx)
{
	struct heard *h = ctx;
	char c;

	h->keys++;
	return sys_read(h->pipe[0], &c, 1) > 0;
}

static void on_more(void *ctx)
{
	((struct heard *)ctx)->more++;
}

/* One look at all that happened, once something has. */
static void look(struct ticker *t)
{
	struct aside a = ticker_aside(t);
	struct pollfd p = { .fd = a.fd, .events = POLLIN };

	assert_int_equal(sys_poll(&p, 1, 60000), 1);
	a.ready(a.ctx);
}

static void time_sizes_keys_and_more(void)
{
	struct heard h = { .ticks = 0 };
	struct ticker t = TICKER_NONE;
	struct err e = ERR_NONE;

	assert_true(sys_pipe2(h.pipe, O_CLOEXEC) >= 0);
	t.tick = on_tick;
	t.resized = on_size;
	t.moved = on_moved;
	t.keys = on_keys;
	t.ctx = &h;
	unit_ok(ticker_open(&t, &e), &e);
	while (!h.ticks)
		look(&t);
	raise(SIGWINCH);
	while (!h.sizes)
		look(&t);
	unit_ok(ticker_keys(&t, h.pipe[0], &e), &e);
	raise(SIGCONT);
	while (!h.back)
		look(&t);
	assert_int_equal(h.sizes, 1);
	assert_int_equal(sys_write(h.pipe[1], "x", 1), 1);
	while (!h.keys)
		look(&t);
	scope_close(&h.pipe[1]); /* the end is told once */
	while (h.keys < 2)
		look(&t);
	assert_int_equal(t.in, -1);
	unit_ok(ticker_add(&t, (struct aside){ h.pipe[0], on_more, &h }, &e), &e);
	while (!h.more)
		look(&t);
	ticker_close(&t);
	scope_close(&h.pipe[0]);
	assert_null(ticker_aside(&t).ready);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "time, sizes, keys and more", time_sizes_keys_and_more },
	};

	return unit_cases("ticker", cases);
}
