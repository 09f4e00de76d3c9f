/* For as long as a client copies its files. What is asked of init meanwhile waits. */
#include "base/sys/sys.h"
#include "runtime/monitor/impl.h"

int monitor_still_hold(struct client *c, struct err *e)
{
	const struct monitor *m = c->m;
	struct held *h = &c->m->held;
	const struct running *run = &m->run;
	int r;

	if (h->holder)
		return err_set(e, -EBUSY, "another command copies the box just now");
	h->since_ms = sys_now_ms();
	r = still_hold(run->cg, run->watch[MEMWATCH_PROC], run->init, &h->still, e);
	if (r == 0)
		h->holder = c;
	return r;
}

void monitor_still_release(struct held *h, struct json **ret)
{
	if (h->holder)
		still_release(&h->still);
	h->holder = NULL;
	if (!ret)
		return;
	*ret = json_object();
	json_set_int(*ret, "ms", (int64_t)(sys_now_ms() - h->since_ms));
}
