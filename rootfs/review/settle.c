/* Theory of operation
 *
 * A file's time changes with the first write through a mapping; the page can be written then,
 * and what is written to it later changes nothing more, until the page has gone to disk and
 * is to be written again. So all pages go there first. And before Linux 6.13 a time is that of
 * the last tick: of two writes within one, the second changes nothing. So a tick has passed
 * since the last of them before the pages go. */
#include "rootfs/review/settle.h"

#include <errno.h>

#include "base/scope.h"
#include "base/sys/sys.h"

enum { TICK_MS = 20 /* one of 100 in a second, and some more */, NS_MS = 1000000 };

static void wait_tick(const struct diff *d)
{
	struct timespec t = sys_wall();
	const uint64_t now = (uint64_t)t.tv_sec * 1000 * NS_MS + (uint64_t)t.tv_nsec;
	uint64_t newest = 0;

	for (size_t i = 0; i < d->n; i++)
		if (S_ISREG(d->items[i].now.mode))
			newest = MAX(newest, d->items[i].now.ctime);
	if (newest + (uint64_t)TICK_MS * NS_MS > now)
		sys_poll(NULL, 0, TICK_MS);
}

/* One after the other would wait for the disk each time: so all begin, then each is waited for. */
static void write_pages(const struct layer *l, const struct diff *d, unsigned how)
{
	for (size_t i = 0; i < d->n; i++) {
		const struct diff_item *x = &d->items[i];
		_cleanup_close_ int fd = S_ISREG(x->now.mode)
						 ? diff_open(l->upper, x->path, &x->now)
						 : -EINVAL;

		if (fd >= 0 && sys_sync_file(fd, how) < 0)
			(void)sys_fdatasync(fd);
	}
}

void settle_all(const struct layer *l, const struct diff *d)
{
	wait_tick(d);
	write_pages(l, d, SYNC_FILE_RANGE_WRITE);
	write_pages(l, d,
		    SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
			    SYNC_FILE_RANGE_WAIT_AFTER);
}
