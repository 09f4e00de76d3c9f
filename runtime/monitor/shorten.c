/* When the box has ended and its lock is free: whoever wants the box has it, and then what was
 * made is thrown away. */
#include "runtime/worker/shorten.h"
#include "rootfs/store/snapshot.h"
#include "runtime/monitor/impl.h"
#include "runtime/worker/worker.h"

bool monitor_shorten_wanted(int boxdir)
{
	struct chain c;

	return boxdir >= 0 && chain_load(boxdir, "chain", &c, ERR_IGNORED) == 0 &&
	       c.n >= SHORTEN_FROM;
}

void monitor_shorten(struct spec *s, int boxdir)
{
	const struct boxdir_rm rm = { worker_rmtree, &s->map };
	_cleanup_store_ struct store st = STORE_NONE;
	struct err ignored = ERR_NONE;

	if (shorten_chain(s, boxdir, SHORTEN_FROM, false, &ignored) > 0 &&
	    store_open(&st, &ignored) == 0)
		(void)snapshot_collect(&st, &rm, &ignored);
}
