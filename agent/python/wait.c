/* For callers that have nothing else to do until a cell has ended. */
#include <errno.h>
#include <poll.h>

#include "agent/python/python.h"
#include "base/sys/sys.h"

enum { OWN, INTERRUPT, ASIDES };

static int wait_ms(uint64_t until)
{
	uint64_t now = sys_now_ms();

	if (!until)
		return -1;
	return until > now ? (int)MIN(until - now, (uint64_t)1 << 30) : 0;
}

static void serve_asides(const struct python_wait *w, const struct pollfd *at)
{
	for (size_t i = 0; i < ARRAY_SIZE(w->asides); i++)
		if (at[i].revents && w->asides[i].ready)
			w->asides[i].ready(w->asides[i].ctx);
}

int python_wait(struct python *p, const struct python_wait *w, struct err *e)
{
	struct pollfd at[ASIDES + ARRAY_SIZE(w->asides)] = {
		[OWN] = { .fd = python_fd(p), .events = POLLIN },
		[INTERRUPT] = { .fd = w->interrupt_fd, .events = POLLIN },
	};
	uint64_t until = w->timeout_ms ? sys_now_ms() + w->timeout_ms : 0;
	int late = 0;

	for (size_t i = 0; i < ARRAY_SIZE(w->asides); i++)
		at[ASIDES + i] = (struct pollfd){
			.fd = w->asides[i].ready ? w->asides[i].fd : -1,
			.events = POLLIN,
		};
	while (python_state(p) == PYTHON_RUNNING) {
		int r = sys_poll(at, ARRAY_SIZE(at), wait_ms(until));

		if (r < 0 && r != -EINTR)
			return err_sys(e, r, "cannot wait for the interpreter");
		if (r > 0 && at[OWN].revents)
			python_pump(p);
		if (r > 0)
			serve_asides(w, at + ASIDES);
		if (r > 0 && at[INTERRUPT].revents) {
			python_interrupt(p);
			at[INTERRUPT].fd = -1; /* once is enough */
		}
		if (until && sys_now_ms() >= until &&
		    python_state(p) == PYTHON_RUNNING) {
			python_interrupt(p);
			until = 0;
			late = 1;
		}
	}
	return late;
}
