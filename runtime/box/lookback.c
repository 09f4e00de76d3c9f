#include "runtime/box/lookback.h"

#include "runtime/monitor/gitgate.h"
#include "runtime/monitor/volumes.h"

void lookback(const struct spec *s, int boxdir, note_fn *note, void *ctx)
{
	struct err e = ERR_NONE;
	int r = gitgate_recover(s, boxdir, note, ctx, &e);

	if (r < 0 && r != -ENOENT && r != -ENOTDIR) /* or the project is gone */
		note(ctx, e.msg);
	volumes_recover(boxdir, note, ctx);
}
