/* For as long as a client copies its files. What is asked of init meanwhile waits. */
#include "base/sys/sys.h"
#include "runtime/monitor/impl.h"

int monitor_still_hold(struct client *c, struct err *e)
{
	struct monitor *m = c->m;
	const struct running *run = &m->run;
	int proc = m->memory.fds[MEMWATCH_PROC];
	int r;

	if (m->holder)
		return err_set(e, -EBUSY, "another command copies the box just now");
	if (proc < 0)
		proc = run->watch[MEMWATCH_PROC];
	m->still_since_ms = sys_now_ms();
	r = still_hold(run->cg, proc, run->init, &m->still, e);
	if (r == 0)
		m->holder = c;
	return r;
}

void monitor_still_release(struct monitor *m, struct json **ret)
{
	if (m->holder)
		still_release(&m->still);
	m->holder = NULL;
	if (!ret)
		return;
	*ret = json_object();
	json_set_int(*ret, "ms", (int64_t)(sys_now_ms() - m->still_since_ms));
}
