#include "runtime/box/deaf.h"

#include <signal.h>

#include "base/scope.h"
#include "base/sys/sys.h"
#include "runtime/wire/holder.h"

enum { DEAF_END_MS = 10000 };

int deaf_kill(int boxdir, struct err *e)
{
	struct holder h, again;
	_cleanup_close_ int fd =
		holder_read(boxdir, &h) < 0 ? -1 : sys_pidfd_open(h.pid);
	struct pollfd p = { .fd = fd, .events = POLLIN };

	/* The number was that one's still when the descriptor was had. */
	if (fd < 0 || holder_read(boxdir, &again) < 0 || again.pid != h.pid ||
	    sys_pidfd_send_signal(fd, SIGKILL) < 0)
		return e->code;
	if (sys_poll(&p, 1, DEAF_END_MS) <= 0)
		return err_set(
			e, -ETIMEDOUT,
			"the box's monitor (process %d) neither answers nor ends",
			h.pid);
	*e = ERR_NONE;
	return take(&fd, -1);
}
