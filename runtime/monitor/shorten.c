/* When the box has ended and its lock is free: whoever wants the box has it, and then what was
 * made is thrown away. */
#include "runtime/worker/shorten.h"
#include "rootfs/store/snapshot.h"
#include "runtime/monitor/impl.h"
#include "runtime/worker/worker.h"

bool monitor_shorten_wanted(const struct monitor *m)
{
	struct chain c;

	return m->boxdir >= 0 && m->lock >= 0 &&
	       chain_load(m->boxdir, "chain", &c, ERR_IGNORED) == 0 &&
	       c.n >= SHORTEN_FROM;
}

void monitor_shorten(struct monitor *m, int boxdir)
{
	const struct boxdir_rm rm = { worker_rmtree, &m->spec.map };
	_cleanup_store_ struct store s = STORE_NONE;
	struct err ignored = ERR_NONE;

	if (shorten_chain(&m->spec, boxdir, SHORTEN_FROM, false, &ignored) > 0 &&
	    store_open(&s, &ignored) == 0)
		(void)snapshot_collect(&s, &rm, &ignored);
}
